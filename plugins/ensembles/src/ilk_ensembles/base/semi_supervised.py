"""Semi-supervised learning: unlabelled rows, and pseudo-labels from the views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import ilk

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ilk import Cases, Component, Labels

UNLABELED = -1
"""Code of a row without a label."""
_MOST = 10  # rows labelled per round of the largest class: keeps default rounds small


def check_partial_labels(
    owner: object, y: Labels, X: Cases, mark: str | int | bool | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted classes and the code of each label, `UNLABELED` for unlabelled rows.

    Parameters
    ----------
    owner : Component
        Named in errors.
    y : array of shape (n,)
    X : data of n rows
    mark : str, int or bool, optional
        The label that marks unlabelled rows; its type may differ from that of the other
        labels. None: all rows are labelled.

    Raises
    ------
    InputError
        If y is not an array of n labels, has no labelled row, or only one class; if the mark
        differs from a label only by type or by spaces.
    """
    if mark is None or y is None:
        return ilk.check_labels(owner, y, X, min_classes=2)
    array = _as_array(y)
    marked = np.array([_same(label, mark) for label in array.ravel()], dtype=bool)
    if not marked.any():
        _refuse_alike(owner, array, mark)
        return ilk.check_labels(owner, y, X, min_classes=2)
    if marked.all():
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: y marks every row as unlabelled ({mark!r}), there is no "
            f"label to learn from"
        )
    filled = array.copy()  # so that errors name the right row
    filled[marked.reshape(array.shape)] = filled.ravel()[np.argmin(marked)]
    classes, codes = ilk.check_labels(owner, _typed(filled), X, min_classes=2)
    return classes, np.where(marked, UNLABELED, codes)


def _as_array(y: Labels) -> np.ndarray:
    """Labels as an array; mixed labels of a list keep their types."""
    y = ilk.as_table(y)
    if hasattr(y, "to_numpy") and not isinstance(y, np.ndarray):
        y = y.to_numpy()
    if isinstance(y, np.ndarray):
        return y
    array = np.empty(len(y), dtype=object) if isinstance(y, list | tuple) else np.asarray(y)
    if array.dtype == object and isinstance(y, list | tuple):
        array[:] = y
    return array


def _typed(labels: np.ndarray) -> Any:
    return labels.tolist() if labels.dtype == object and labels.ndim == 1 else labels


def _same(label: object, mark: str | int | bool | None) -> bool:
    """Equality that distinguishes True from 1, and texts from numbers."""
    truth = (bool, np.bool_)
    return isinstance(label, truth) == isinstance(mark, truth) and bool(label == mark)


def _refuse_alike(owner: object, labels: np.ndarray, mark: str | int | bool | None) -> None:
    """Raise where a label looks like the mark: its rows would not be treated as unlabelled."""
    text = str(mark).strip()
    for label in labels.ravel().tolist():
        if str(label).strip() == text:
            raise ilk.InputError(
                f"{ilk.display_name(owner)}: unlabeled is {mark!r}, but y has {label!r}"
            )


def hide_labels(codes: np.ndarray, fraction: float, rng: np.random.RandomState) -> np.ndarray:
    """Hide labels at random, keeping the same fraction of each class and at least one label.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
    fraction : float
        Fraction of the labels of each class to keep.
    rng : RandomState

    Returns
    -------
    ndarray of int, shape (n,)
        `UNLABELED` where the label is hidden.
    """
    left = np.full_like(codes, UNLABELED)
    for code in range(int(codes.max()) + 1):
        # rounded half up; the first rows of a random order
        rows = rng.permutation(np.flatnonzero(codes == code))
        left[rows[: max(int(fraction * len(rows) + 0.5), 1)]] = code
    return left


class Labeled(NamedTuple):
    """Rows that were labelled in a round.

    Attributes
    ----------
    at : ndarray of int, shape (m,)
        Positions of the rows among the queried rows, ascending.
    codes : ndarray of int, shape (m,)
    views : ndarray of int, shape (m,)
        Position of the view that chose the label.
    confidence : ndarray of shape (m,)
        The probability that this view gives the label.
    """

    at: np.ndarray
    codes: np.ndarray
    views: np.ndarray
    confidence: np.ndarray


def label_surest(outputs: np.ndarray, growth: np.ndarray) -> Labeled:
    """Let each view label the rows it is most confident of, some of each class.

    For each class, a view labels the rows to which it gives the highest probability, up to the
    growth of the class (ties: lowest position), but only rows where the class is more probable
    than its share in the growth. If a row gets different labels, from one view or several, the
    most probable label wins; if these tie, the row stays unlabelled.

    Parameters
    ----------
    outputs : ndarray of shape (V, m, C)
        Probabilities by view, row and class.
    growth : ndarray of int, shape (C,)
        The maximum number of rows of each class that a view labels.
    """
    probable = np.moveaxis(outputs / outputs.sum(axis=2, keepdims=True), 2, 1)
    offered = np.full(probable.shape, -1.0)
    for view in range(len(probable)):
        for code, most in enumerate(growth):
            probability = probable[view, code]
            rows = np.flatnonzero(probability > most / growth.sum())
            rows = rows[np.argsort(-probability[rows], kind="stable")[:most]]
            offered[view, code, rows] = probability[rows]
    # resolve conflicts: the largest probability of a row wins, ties leave it unlabelled
    by_class = offered.max(axis=0)
    top = by_class.max(axis=0)
    at = np.flatnonzero((top > 0) & ((by_class == top).sum(axis=0) == 1))
    codes = by_class[:, at].argmax(axis=0)
    return Labeled(at, codes, offered[:, codes, at].argmax(axis=0), top[at])


def class_growth(
    owner: Component,
    given: int | Mapping[Hashable, int] | None,
    classes: np.ndarray,
    counts: np.ndarray,
) -> np.ndarray:
    """Number of rows of each class that a view labels per round: an array of at least 1 each.

    Parameters
    ----------
    owner : Component
        Named in errors.
    given : int, mapping of label to int, or None
        None: 1 for the smallest class, others in proportion to their counts, rounded; at most
        10 for the largest.
    classes : ndarray of shape (C,)
    counts : ndarray of int, shape (C,)
        Number of labelled rows of each class.

    Raises
    ------
    ParameterError
        If a mapping does not name exactly the classes.
    """
    if given is None:
        # rows in proportion to the classes: one of the rarest class, at most ten of the commonest
        unit = max(counts.min(), counts.max() / _MOST)
        return np.asarray(np.maximum(np.floor(counts / unit + 0.5), 1), dtype=int)
    if not isinstance(given, Mapping):
        return np.full(len(classes), int(given))
    table = {str(label): rows for label, rows in given.items()}  # keys of specs are texts
    known = [str(label) for label in classes.tolist()]
    for label in table:
        if label not in known:
            hint = ilk.did_you_mean(label, known)
            raise owner.parameter_error("growth", f"must name classes, got {label!r}{hint}")
    lacking = [label for label in known if label not in table]
    if lacking:
        raise owner.parameter_error("growth", f"must name every class, lacks {lacking}")
    return np.array([table[label] for label in known], dtype=int)
