"""Neighbours of training rows, each row itself left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk import InputError, display_name, n_rows
from ilk.neighbors.nearest import without_itself


def neighbors_of_others(owner: object, index: Any, X: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k rows nearest to each training row among all the others.

    Of several equal rows each leaves out itself and keeps its twins.

    Parameters
    ----------
    owner : Component
        Named in errors.
    index : Index
        Fitted on X.
    X : data of n rows
    k : int
        1 <= k <= n - 1.

    Returns
    -------
    distances : ndarray of shape (n, k)
    indices : ndarray of int, shape (n, k)
        Nearest first, ties by lower index.

    Raises
    ------
    InputError
        If there are fewer than k other rows.
    """
    n, k = n_rows(X), int(k)  # a small numpy integer may not hold k + 1
    if k > n - 1:
        raise InputError(
            f"{display_name(owner)}: k must be at most {n - 1}, the number of other rows "
            f"(n_samples = {n}), got {k}"
        )
    return without_itself(*index.kneighbors(X, k + 1))


def n_of_other_classes(codes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """How many neighbours of each row are of another class than the row itself.

    A row of which this is more than r among its k nearest is a class outlier.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Class of each row.
    rows : ndarray of int, shape (n, k)
        Its neighbours, as `neighbors_of_others` gives them.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    return np.asarray(np.count_nonzero(codes[rows] != codes[:, None], axis=1))
