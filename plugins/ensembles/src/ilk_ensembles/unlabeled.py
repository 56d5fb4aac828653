"""Rows without a label: found by a mark, or hidden on purpose."""

from __future__ import annotations

from typing import Any

import numpy as np

import ilk

UNLABELED = -1
"""Code of a row without a label."""


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


def hide(codes: np.ndarray, fraction: float, rng: np.random.RandomState) -> np.ndarray:
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
