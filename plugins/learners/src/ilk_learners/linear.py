"""What linear metric learners share: the map, and the factorisations they are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import qr, svd
from scipy.linalg.lapack import dpotrf, dtrcon, dtrtri
from sklearn.utils.validation import check_is_fitted

from ilk import MetricLearner, check_vectors
from ilk_learners.magnitude import common_deviations, finite

_BLOCK = 256  # rows that are looked at at once, which stay in the cache


class LinearMetricLearner(MetricLearner):
    """A metric learner whose `fit` sets ``components_``."""

    def transform(self, X: Any) -> Any:
        """Rows under the learned map, ``X @ components_.T``; array of shape (n, d)."""
        check_is_fitted(self)
        X = check_vectors(self, X, reset=False)
        return self._mapped(X)

    def _mapped(self, X: np.ndarray) -> np.ndarray:
        """Map each row for itself: a product of matrices rounds it as the rows beside it have it.

        Else a query that equals a training row would not be at distance 0 from it.
        """
        rows, L = np.ascontiguousarray(X), self.components_.astype(X.dtype, copy=False)
        with np.errstate(over="ignore", invalid="ignore"):
            return finite(self, np.einsum("ij,kj->ik", rows, np.ascontiguousarray(L)))


def spectrum(deviations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Singular values of a matrix of shape (n, p), and all p right singular vectors.

    They are the square roots of the eigenvalues, and the eigenvectors, of D'D, found
    without forming that product, which would square the condition number.

    Returns
    -------
    values : ndarray of shape (p,)
        Descending; zeros where n < p.
    vectors : ndarray of shape (p, p)
        One a row.
    """
    R = triangle(deviations)
    p = R.shape[1]
    square = np.zeros((p, p))
    square[: len(R)] = R
    _, values, vectors = svd(square, check_finite=False)
    return values, vectors


def thin_spectrum(deviations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Singular values and right singular vectors as `spectrum` gives them, but only min(n, p)."""
    _, values, vectors = svd(triangle(deviations), full_matrices=False, check_finite=False)
    return values, vectors


def triangle(deviations: np.ndarray) -> np.ndarray:
    """R of shape (min(n, p), p) with R'R = D'D, as exact as by reflections.

    Of many rows it is found by Cholesky's factorisation, of columns of length one, where their
    condition allows it, and once more of what that leaves (CholeskyQR2), which takes a third of
    the time; else by reflections.

    References
    ----------
    Yamamoto, Nakatsukasa, Yanagisawa, Fukaya, "Roundoff error analysis of the CholeskyQR2
    algorithm", *Electronic Transactions on Numerical Analysis* 44, 2015.
    """
    n, p = deviations.shape
    R, condition = _by_cholesky(deviations) if n > 2 * p else (None, 0.0)
    if R is not None and condition < 1e-2:
        rest, _ = _by_cholesky(deviations @ dtrtri(R)[0])
        R = None if rest is None else rest @ R
    if R is None:
        (R,) = qr(deviations, mode="r", check_finite=False)
    return np.asarray(R[:p])


def _by_cholesky(D: np.ndarray) -> tuple[np.ndarray | None, float]:
    """Cholesky's factor of D'D, and the reciprocal condition of its columns made equally long.

    None where that is too bad, or a length too small.
    """
    gram = D.T @ D
    lengths = np.sqrt(np.diagonal(gram))
    if not lengths.min() > 1e-100:  # squares lose digits
        return None, 0.0
    R, failed = dpotrf(gram / np.outer(lengths, lengths), lower=0, clean=1)
    if failed:
        return None, 0.0
    condition, _ = dtrcon(R, norm="1", uplo="U")
    return (R * lengths if condition > 1e-6 else None), float(condition)


def rank_of(values: np.ndarray, shape: tuple[int, int]) -> int:
    """How many singular values of a matrix of that shape differ from 0 beyond rounding."""
    return int(np.sum(values > values[0] * max(shape) * np.finfo(float).eps))


def fix_signs(rows: np.ndarray) -> np.ndarray:
    """Turn each row so that its entry of largest magnitude is positive."""
    largest = np.take_along_axis(rows, np.abs(rows).argmax(axis=1)[:, None], axis=1)
    return rows * np.where(largest < 0, -1.0, 1.0)


def within(
    X: np.ndarray, groups: np.ndarray, n_groups: int, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, int]:
    """Means of groups of rows, and every row's deviation from the mean of its group.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    groups : ndarray of int, shape (n,)
        0..n_groups - 1, none of them empty.
    weights : ndarray of shape (n,), optional
        Of the rows in the means, above 0; 1 if left out.

    Returns
    -------
    means : ndarray of shape (n_groups, p), float64
    deviations : ndarray of shape (n, p), float64
        In units of ``2**exponent``.
    exponent : int
    """
    origin, centered, exponent = common_deviations(X)
    means = subtract_means(centered, groups, n_groups, weights)
    half = int(exponent > 0)  # a mean may be further from the origin than the largest number
    sums = np.ldexp(means, exponent - half) + np.ldexp(origin, -half)
    return np.ldexp(sums, half), centered, exponent


def subtract_means(
    rows: np.ndarray, groups: np.ndarray, n_groups: int, weights: np.ndarray | None = None
) -> np.ndarray:
    """Subtract from each row, in place, the mean of its group; return the means.

    Parameters
    ----------
    rows : ndarray of shape (n, p), float64
    groups : ndarray of int, shape (n,)
        0..n_groups - 1, none of them empty.
    weights : ndarray of shape (n,), optional
        Of the rows in the means, above 0; 1 if left out.

    Returns
    -------
    ndarray of shape (n_groups, p)
    """
    n = len(rows)
    shares = np.ones(n) if weights is None else weights
    indicator = sp.csr_array((shares, (groups, np.arange(n))), shape=(n_groups, n))
    means = indicator @ rows / np.bincount(groups, weights, minlength=n_groups)[:, None]
    for start in range(0, n, _BLOCK):
        block = slice(start, start + _BLOCK)
        rows[block] -= means[groups[block]]
    return np.asarray(means)
