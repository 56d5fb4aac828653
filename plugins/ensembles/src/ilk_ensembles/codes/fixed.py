"""Codes that the number of classes decides: one against all, one against one, all splits."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def one_against_all(n_classes: int) -> np.ndarray:
    """A column for each class, on the side +1; for two classes a single one: shape (C, L)."""
    if n_classes == 2:
        return np.array([[-1], [1]], dtype=np.int8)
    return (2 * np.eye(n_classes) - 1).astype(np.int8)


def one_against_one(n_classes: int) -> np.ndarray:
    """A column for each pair of classes, the first of them -1, all others 0."""
    pairs = np.array(list(combinations(range(n_classes), 2)))
    code = np.zeros((n_classes, len(pairs)), dtype=np.int8)
    columns = np.arange(len(pairs))
    code[pairs[:, 0], columns] = -1
    code[pairs[:, 1], columns] = 1
    return code


def exhaustive(n_classes: int) -> np.ndarray:
    """Every way to part the classes in two: 2^(C-1) - 1 columns.

    Column j holds -1, then the binary digits of j, which runs from 1.
    """
    numbers = np.arange(1, 2 ** (n_classes - 1))
    bits = numbers >> np.arange(n_classes - 1, -1, -1)[:, None] & 1
    return (2 * bits - 1).astype(np.int8)


def every_sparse(n_classes: int) -> np.ndarray:
    """Every column of -1, 0 and 1 with both sides, the first entry that is not 0 being -1."""
    digits = np.arange(3**n_classes) // 3 ** np.arange(n_classes)[:, None] % 3
    return oriented((digits - 1).astype(np.int8), once=True)


def oriented(columns: np.ndarray, *, once: bool = False) -> np.ndarray:
    """Columns that have both sides, turned so that the first entry that is not 0 is -1.

    Parameters
    ----------
    columns : ndarray of shape (C, L)
    once : bool
        Leave out, instead of turning, those that begin with 1.
    """
    first = np.take_along_axis(columns, (columns != 0).argmax(axis=0)[None], axis=0)[0]
    valid = (columns == -1).any(axis=0) & (columns == 1).any(axis=0)
    if once:
        return np.ascontiguousarray(columns[:, valid & (first == -1)])
    return np.asarray(columns[:, valid] * -first[valid])
