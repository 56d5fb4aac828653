"""Semi-supervised learning: rows without a label, and the labels that views give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

import ilk

UNLABELED = -1
"""Code of a row without a label."""
_MOST = 10  # rows of the largest class, for growth by class shares


def check_partial_labels(
    owner: object, y: Any, X: Any, mark: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted classes and the code of each label, `UNLABELED` where it is the mark.

    Parameters
    ----------
    owner : Component
        Named in errors.
    y : array of shape (n,)
    X : data of n rows
    mark : str, int or bool, optional
        The label of rows without a label, of any type whatever that of the others is. None:
        all rows have one.

    Raises
    ------
    InputError
        If y is no array of n labels, has only the mark, or has one class beside it; if the mark
        is a label but for its type or for spaces.
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


def _as_array(y: Any) -> np.ndarray:
    """Labels as an array, in which labels of a list keep their types."""
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


def _same(label: Any, mark: Any) -> bool:
    """Equality that keeps True apart from 1, and texts from numbers."""
    truth = (bool, np.bool_)
    return isinstance(label, truth) == isinstance(mark, truth) and bool(label == mark)


def _refuse_alike(owner: object, labels: np.ndarray, mark: Any) -> None:
    """Raise where what is no label in y reads as one: then rows would not be taken as marked."""
    text = str(mark).strip()
    for label in labels.ravel().tolist():
        if str(label).strip() == text:
            raise ilk.InputError(
                f"{ilk.display_name(owner)}: unlabeled is {mark!r}, but y has {label!r}"
            )


def hide_labels(codes: np.ndarray, fraction: float, rng: np.random.RandomState) -> np.ndarray:
    """Codes with a random part of the labels left, of each class alike, and at least one.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
    fraction : float
        Of the labels of each class, how many are left.
    rng : RandomState

    Returns
    -------
    ndarray of int, shape (n,)
        `UNLABELED` where the label is hidden.
    """
    left = np.full_like(codes, UNLABELED)
    for code in range(int(codes.max()) + 1):
        rows = rng.permutation(np.flatnonzero(codes == code))
        left[rows[: max(int(fraction * len(rows) + 0.5), 1)]] = code
    return left


class Labeled(NamedTuple):
    """Rows that got a label in a round.

    Attributes
    ----------
    at : ndarray of int, shape (m,)
        Positions of the rows among those that were asked about, ascending.
    codes : ndarray of int, shape (m,)
    views : ndarray of int, shape (m,)
        Position of the view that decided.
    confidence : ndarray of shape (m,)
        Its probability of the label.
    """

    at: np.ndarray
    codes: np.ndarray
    views: np.ndarray
    confidence: np.ndarray


def label_surest(outputs: np.ndarray, growth: np.ndarray) -> Labeled:
    """Let each view label the rows that it is surest of, some of each class.

    Of each class a view labels the rows to which it gives the most probability, as many as the
    class may grow, the first of equals; but only rows where the class is more probable than its
    share in the growth. Where a row is to get different labels, from one view or several, the
    most probable one counts; if that is a tie the row stays unlabelled.

    Parameters
    ----------
    outputs : ndarray of shape (V, m, C)
        Probabilities by view, row and class.
    growth : ndarray of int, shape (C,)
        The most rows of each class that a view labels.
    """
    probable = np.moveaxis(outputs / outputs.sum(axis=2, keepdims=True), 2, 1)
    offered = np.full(probable.shape, -1.0)
    for view in range(len(probable)):
        for code, most in enumerate(growth):
            own = probable[view, code]
            rows = np.flatnonzero(own > most / growth.sum())
            rows = rows[np.argsort(-own[rows], kind="stable")[:most]]
            offered[view, code, rows] = own[rows]
    by_class = offered.max(axis=0)
    top = by_class.max(axis=0)
    at = np.flatnonzero((top > 0) & ((by_class == top).sum(axis=0) == 1))
    codes = by_class[:, at].argmax(axis=0)
    return Labeled(at, codes, offered[:, codes, at].argmax(axis=0), top[at])


def class_growth(owner: Any, given: Any, classes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """How many rows of each class a view labels in a round: an array of at least 1 each.

    Parameters
    ----------
    owner : Component
        Named in errors.
    given : int, mapping of label to int, or None
        None: 1 for the smallest class, others in proportion to their counts, rounded; but at
        most 10 for the largest.
    classes : ndarray of shape (C,)
    counts : ndarray of int, shape (C,)
        Labelled rows of each class.

    Raises
    ------
    ParameterError
        If a mapping does not name just the classes.
    """
    if given is None:
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
