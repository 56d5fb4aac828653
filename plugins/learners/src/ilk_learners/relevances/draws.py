"""Rows sorted by class and drawn at random; threaded sums over them; variation of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import ilk
from ilk import InputError, check_seed, display_name, param
from ilk_learners.numerics import deviations

if TYPE_CHECKING:
    from collections.abc import Callable

_BLOCK = 32  # drawn rows that are summed up in one


N_DRAWS: Any = param(
    default=None,
    type=int,
    ge=1,
    doc="Rows x that are drawn, none twice; None, or more than there are: all, and nothing "
    "is left to chance.",
)


class Sorted(NamedTuple):
    """Rows sorted by class.

    Attributes
    ----------
    rows, columns : ndarrays of shape (n, p) and (p, n)
        The same numbers in both layouts.
    starts : ndarray of int, shape (C + 1,)
        Start of each class, and the end of the last.
    paired : ndarray of int
        Rows with others in their class, in their original order.
    """

    rows: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    paired: np.ndarray


def by_class(owner: object, X: np.ndarray, y: np.ndarray) -> Sorted:
    """Sort rows by class.

    Raises
    ------
    InputError
        If no class has two rows.
    """
    order = np.argsort(y, kind="stable")
    sizes = np.bincount(y)
    place = np.empty(len(y), dtype=np.int64)
    place[order] = np.arange(len(y))
    # a row alone in its class has no neighbour of the class
    paired = place[sizes[y] > 1]
    if not len(paired):
        raise InputError(
            f"{display_name(owner)}: y has no class of two rows, so no row has a neighbour of its "
            f"class"
        )
    rows = np.ascontiguousarray(X[order])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return Sorted(rows, np.ascontiguousarray(rows.T), starts, paired)


def draw(owner: Any, rows: np.ndarray) -> np.ndarray:
    """Draw `n_draws` of the rows without replacement; all if there are no more."""
    number = owner.n_draws
    if number is None or number >= len(rows):
        return rows
    return np.asarray(check_seed(owner, owner.random_state).permutation(rows)[:number])


def summed(
    add: Callable[[np.ndarray, np.ndarray], object], drawn: np.ndarray, shape: tuple[int, ...]
) -> np.ndarray:
    """Sum the results of `add` over drawn rows, in threads, with reproducible rounding."""
    # blocks of fixed size: the order of additions does not depend on the number of threads
    parts = np.zeros((-(-len(drawn) // _BLOCK), *shape))
    ilk.in_blocks(
        lambda start, stop: add(drawn[start:stop], parts[start // _BLOCK]), len(drawn), _BLOCK
    )
    return np.asarray(parts.sum(axis=0))


def sums_of_squares(X: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, ...]:
    """Sums of squares of each feature: between groups, within groups, and in total.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    groups : ndarray of int, shape (n,)
        Groups 0..C-1, none empty.

    Returns
    -------
    between, inside, total : ndarrays of shape (p,)
        In a unit per feature, common to the three; exactly 0 for a constant feature.
    """
    import scipy.sparse as sp

    rows = centered(X)
    total = np.einsum("np,np->p", rows, rows)
    sizes = np.bincount(groups)
    # a sparse product adds up the rows of each group
    members = sp.csr_array((np.ones(len(rows)), (groups, np.arange(len(rows)))))
    means = members @ rows / sizes[:, None]
    rows -= means[groups]
    return sizes @ np.square(means), np.einsum("np,np->p", rows, rows), total


def in_ranges(X: np.ndarray) -> np.ndarray:
    """Return a copy of X with each feature divided by its range (not shifted to 0..1).

    Returns
    -------
    ndarray of shape (n, p), float64
        Differences of two cells of a column are within -1..1, and 0 for a constant feature.
    """
    columns = centered(X)
    width = np.ptp(columns, axis=0)
    return np.asarray(columns / np.where(width > 0, width, 1))


def centered(X: np.ndarray) -> np.ndarray:
    """Deviations from the mean, each column scaled so that the largest is near 1."""
    _, columns, _ = deviations(X)
    # scaling by powers of 2 is exact
    _, exponents = np.frexp(np.maximum(columns.max(axis=0), -columns.min(axis=0)))
    return np.asarray(np.ldexp(columns, -exponents, out=columns))
