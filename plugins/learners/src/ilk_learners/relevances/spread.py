"""How features vary: between classes and in all, and in relation to their ranges."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ilk_learners.magnitude import deviations


def sums_of_squares(X: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, ...]:
    """Sums of squares of each feature: between groups, within them, and in all.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    groups : ndarray of int, shape (n,)
        0..C-1, none of them empty.

    Returns
    -------
    between, inside, total : ndarrays of shape (p,)
        In a unit of the feature's own, the same for the three; exactly 0 for a constant.
    """
    own = centered(X)
    total = np.einsum("np,np->p", own, own)
    sizes = np.bincount(groups)
    members = sp.csr_array((np.ones(len(own)), (groups, np.arange(len(own)))))
    means = members @ own / sizes[:, None]
    own -= means[groups]
    return sizes @ np.square(means), np.einsum("np,np->p", own, own), total


def in_ranges(X: np.ndarray) -> np.ndarray:
    """Return a copy of X with each feature divided by its range, from which 0 is anywhere.

    Returns
    -------
    ndarray of shape (n, p), float64
        Differences of two cells of a column are within -1..1; those of a constant are 0.
    """
    own = centered(X)
    width = np.ptp(own, axis=0)
    return np.asarray(own / np.where(width > 0, width, 1))


def centered(X: np.ndarray) -> np.ndarray:
    """Deviations from the mean, of each column in a unit that makes the largest near 1."""
    _, own, _ = deviations(X)
    _, exponents = np.frexp(np.maximum(own.max(axis=0), -own.min(axis=0)))
    return np.asarray(np.ldexp(own, -exponents, out=own))
