"""Checks of components read from a file, before their use: `ilk.load` calls `check_loaded`.

Compiled loops index arrays without bounds checks: a number out of range reads foreign memory or
ends the process. Components and records check their arrays in a method ``check_loaded``. The
objects of scikit-learn and numpy have no such method; `_LIBRARIES` has a check for each.
"""

# ruff: noqa: SLF001  # the state of libraries' objects is private

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.component import Component
from ilk.errors import InputError
from ilk.registries import display_name

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from ilk.arrays import Estimator


def check_stored(
    owner: object,
    name: str,
    shape: tuple[int | None, ...],
    *,
    kinds: str = "iu",
    least: float | None = None,
    below: float | None = None,
    spans: int | None = None,
) -> np.ndarray:
    """Check an array of the fitted state and return it; for methods ``check_loaded``.

    Parameters
    ----------
    owner : object
        The component or record with the array.
    name : str
        Name of the attribute.
    shape : tuple of int or None
        None: any length.
    kinds : str, default="iu"
        Allowed kinds of numpy dtypes: integers by default, ``"f"`` for floats.
    least, below : float, optional
        Bounds of its values.
    spans : int, optional
        The values ascend from 0 to this: they are the starts of the parts of another array, and
        the end of the last part.

    Raises
    ------
    InputError
        Naming the owner and the attribute.

    Examples
    --------
    >>> import numpy as np
    >>> class Places:
    ...     order_ = np.array([2, 0, 1])
    >>> check_stored(Places(), "order_", (3,), least=0, below=3)
    array([2, 0, 1])
    """
    array = getattr(owner, name, None)
    if type(array) is not np.ndarray or array.dtype.kind not in kinds:
        raise stored_fault(owner, f"{name} must be an array of dtype {' or '.join(kinds)}")
    if array.ndim != len(shape) or any(
        length is not None and actual != length
        for actual, length in zip(array.shape, shape, strict=True)
    ):
        lengths = ", ".join("any" if length is None else str(length) for length in shape)
        raise stored_fault(owner, f"{name} must have the shape ({lengths}), got {array.shape}")
    if array.size and least is not None and not array.min() >= least:
        raise stored_fault(owner, f"{name} must be at least {least}, got {array.min()}")
    if array.size and below is not None and not array.max() < below:
        raise stored_fault(owner, f"{name} must be below {below}, got {array.max()}")
    if spans is not None:
        ends = array.tolist() or [None]
        if ends[0] != 0 or ends[-1] != spans or (array[1:] < array[:-1]).any():
            raise stored_fault(owner, f"{name} must ascend from 0 to {spans}")
    return array


def stored_fault(owner: object, problem: str) -> InputError:
    """Return the error ``"<owner>: <problem>"``; for methods ``check_loaded``."""
    return InputError(f"{display_name(owner)}: {problem}")


def check_loaded(model: Estimator) -> None:
    """Raise an error unless a component and all its parts are safe to use.

    Checks the parameters of every component, and the array positions in components, records and
    trees of libraries.
    """
    from sklearn.base import BaseEstimator

    if not isinstance(model, Component):
        raise InputError(f"it holds a {type(model).__name__}, not a component")
    for part in _objects_within(model):
        _check_names(part)
        if isinstance(part, Component):
            type(part).check_parameters(part)
        if isinstance(part, BaseEstimator) and not _is_fitted(part):
            continue
        check = getattr(type(part), "check_loaded", None)
        (check or _LIBRARIES.get(type(part).__module__, _check_nothing))(part)


def _objects_within(model: Estimator) -> Iterator[Any]:
    """Yield every object in a component once, itself first."""
    seen: set[int] = set()
    waiting = [model]
    while waiting:
        part = waiting.pop()
        if part is None or type(part) in {str, int, float, bool, bytes} or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        waiting.extend(_inside(part))


def _inside(part: object) -> Iterator[Any]:
    if isinstance(part, np.ndarray):
        yield from part.flat if part.dtype.hasobject else ()
    elif isinstance(part, Mapping):
        yield from part.values()
    elif isinstance(part, list | tuple | set):
        yield from part
    elif is_dataclass(part):
        yield from (getattr(part, field.name) for field in fields(part))
    yield from getattr(part, "__dict__", {}).values()


def _check_names(part: object) -> None:
    """Check that no attribute shadows a method."""
    for name in getattr(part, "__dict__", ()):
        if callable(getattr(type(part), name, None)):
            raise stored_fault(part, f"{name} is a method and must not be stored as data")


def _is_fitted(estimator: BaseEstimator) -> bool:
    """Tell whether `sklearn.utils.validation.check_is_fitted` would pass."""
    return any(name.endswith("_") and not name.startswith("__") for name in vars(estimator))


def _check_nothing(part: object) -> None:
    pass


def _check_tree(tree: Any) -> None:
    """Check that nodes of scikit-learn's trees have later children and existing features."""
    if not 1 <= tree.node_count <= tree.capacity:
        raise stored_fault(
            tree, f"node_count must be from 1 to {tree.capacity}, got {tree.node_count}"
        )
    left, right, features = tree.children_left, tree.children_right, tree.feature
    inner, number = left != -1, np.arange(tree.node_count)
    ok = (number < left) & (left < tree.node_count) & (number < right) & (right < tree.node_count)
    if not (ok & (features >= 0) & (features < tree.n_features))[inner].all():
        raise stored_fault(tree, "a node has children or a feature out of range")


def _check_tree_owner(estimator: Any) -> None:
    """Check that scikit-learn's trees have the number of features of their estimator."""
    members = [estimator, *np.ravel(getattr(estimator, "estimators_", []))]
    for member in members:
        tree = getattr(member, "tree_", None)
        if tree is not None and tree.n_features != estimator.n_features_in_:
            raise stored_fault(
                estimator,
                f"n_features_in_ must be {tree.n_features}, got {estimator.n_features_in_}",
            )


def _check_stages(estimator: Any) -> None:
    """Check gradient boosting likewise, and that each stage has a tree for each class."""
    _check_tree_owner(estimator)
    n_classes = len(getattr(estimator, "classes_", ()))
    expected = n_classes if n_classes > 2 else 1
    if np.shape(estimator.estimators_)[1:] != (expected,):
        raise stored_fault(estimator, f"estimators_ must have {expected} trees in each stage")
    if estimator.n_trees_per_iteration_ != expected:
        raise stored_fault(estimator, f"n_trees_per_iteration_ must be {expected}")


def _check_histogram_trees(estimator: Any) -> None:
    """Check the trees of histogram gradient boosting likewise."""
    p = estimator.n_features_in_
    known = check_stored(estimator._bin_mapper, "is_categorical_", (p,), kinds="bu") != 0
    for tree in (tree for trees in estimator._predictors for tree in trees):
        nodes = tree.nodes
        number = np.arange(len(nodes))
        ok = (number < nodes["left"]) & (nodes["left"] < len(nodes))
        ok &= (number < nodes["right"]) & (nodes["right"] < len(nodes))
        ok &= (nodes["feature_idx"] >= 0) & (nodes["feature_idx"] < p)
        inner = nodes[nodes["is_leaf"] == 0]
        sets = inner[inner["is_categorical"] != 0]
        if not len(nodes) or not ok[nodes["is_leaf"] == 0].all():
            raise stored_fault(estimator, "a node has children or a feature out of range")
        for name in ("raw_left_cat_bitsets", "binned_left_cat_bitsets"):
            array = check_stored(tree, name, (None, 8), kinds="u")
            if len(sets) and not sets["bitset_idx"].max() < len(array):
                raise stored_fault(estimator, "a node has categories out of range")
        if not known[sets["feature_idx"]].all():
            raise stored_fault(estimator, "a node has categories of a feature without categories")


def _check_ball_tree(tree: Any) -> None:
    """Check that nodes of scikit-learn's kd-trees and ball trees have existing rows."""
    state = tree.__getstate__()
    data, order, nodes, bounds = (np.asarray(part) for part in state[:4])
    n, p = data.shape
    kd = type(tree).__name__ == "KDTree"
    size = len(nodes)
    leaf = nodes["is_leaf"] != 0
    fits = (
        state[6] == size == 2 ** state[5] - 1
        and order.shape == (n,)
        and bounds.shape == (1 + kd, size, p)
        and bool(leaf[size // 2 :].all())
        and bool(((order >= 0) & (order < n)).all())
        and bool((nodes["idx_start"] >= 0).all())
        and bool((nodes["idx_start"] <= nodes["idx_end"]).all())
        and bool((nodes["idx_end"] <= n).all())
    )
    weights, length = state[12], len(np.asarray(state[11].__getstate__()[1]))
    if not fits or length not in {0, 1, p} or (weights is not None and len(weights) != n):
        raise stored_fault(tree, "a node has rows or children out of range")


def _check_neighbors(estimator: Any) -> None:
    """Check that scikit-learn's nearest neighbours have existing labels."""
    rows = check_stored(estimator, "_fit_X", (None, estimator.n_features_in_), kinds="fiub")
    n = estimator.n_samples_fit_
    tree = estimator._tree
    if len(rows) != n or (tree is not None and np.shape(tree.data) != rows.shape):
        raise stored_fault(estimator, f"_fit_X has {len(rows)} rows, n_samples_fit_ is {n}")
    if hasattr(estimator, "classes_"):
        several = isinstance(estimator.classes_, list)
        columns = estimator.classes_ if several else [estimator.classes_]
        codes = estimator._y if several else np.reshape(estimator._y, (-1, 1))
        most = np.array([len(labels) for labels in columns])
        if len(codes) != n or not ((codes >= 0) & (codes < most)).all():
            raise stored_fault(estimator, f"_y must have {n} codes of classes")


def _check_libsvm(machine: Any) -> None:
    """Check that support vector machines have as many numbers as libsvm reads."""
    if not hasattr(machine, "support_"):  # a linear machine: numpy predicts, with its own checks
        return
    n_classes = len(machine.classes_) if hasattr(machine, "classes_") else 2
    pairs, n = n_classes * (n_classes - 1) // 2, len(machine.support_)
    (rows, p), width = machine.shape_fit_, machine.n_features_in_
    if "_impl" in vars(machine) or width != p:
        raise stored_fault(machine, f"n_features_in_ must be {p}, got {width}")
    check_stored(machine, "support_", (None,), least=0, below=rows)
    vectors = (0, 0) if machine.kernel == "precomputed" else (n, p)
    check_stored(machine, "support_vectors_", vectors, kinds="f")
    counts = check_stored(machine, "_n_support", (n_classes,), least=0, below=n + 1)
    check_stored(machine, "_dual_coef_", (n_classes - 1, n), kinds="f")
    check_stored(machine, "_intercept_", (pairs,), kinds="f")
    if hasattr(machine, "classes_") and counts.sum() != n:
        raise stored_fault(machine, f"_n_support must be {n} vectors in all")
    for name in ("_probA", "_probB"):
        if len(getattr(machine, name)) not in {0, pairs}:
            raise stored_fault(machine, f"{name} must have {pairs} numbers")


def _check_random_state(state: Any) -> None:
    """Check that the position of a random number generator is within its state."""
    place = state.get_state(legacy=False)["state"]["pos"]
    if not 0 <= place <= 624:
        raise stored_fault(state, f"pos must be from 0 to 624, got {place}")


_LIBRARIES: dict[str, Callable[[Any], None]] = {
    "numpy.random.mtrand": _check_random_state,
    "sklearn.tree._tree": _check_tree,
    "sklearn.neighbors._kd_tree": _check_ball_tree,
    "sklearn.neighbors._ball_tree": _check_ball_tree,
    "sklearn.tree._classes": _check_tree_owner,
    "sklearn.ensemble._forest": _check_tree_owner,
    "sklearn.ensemble._gb": _check_stages,
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting": _check_histogram_trees,
    "sklearn.neighbors._classification": _check_neighbors,
    "sklearn.neighbors._regression": _check_neighbors,
    "sklearn.neighbors._unsupervised": _check_neighbors,
    "sklearn.neighbors._lof": _check_neighbors,
    "sklearn.svm._classes": _check_libsvm,
}
