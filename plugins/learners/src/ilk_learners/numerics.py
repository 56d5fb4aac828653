"""Linear algebra for columns of any magnitude: exact scaling by powers of two."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import as_table, check_finite, library_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike

    from ilk import Component, Labels

_BLOCK = 256  # rows per block: they stay in the cache
_SIDE = 512  # numbers in a long row


def spectrum(deviations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Singular values of a matrix of shape (n, p), and all p right singular vectors.

    They are the square roots of the eigenvalues, and the eigenvectors, of D'D. That product is not
    formed, as it would square the condition number.

    Returns
    -------
    values : ndarray of shape (p,)
        Descending; padded with zeros if n < p.
    vectors : ndarray of shape (p, p)
        One per row.
    """
    from scipy.linalg import svd

    R = triangle(deviations)
    p = R.shape[1]
    # rows of zeros change no singular value, and make the decomposition return all p vectors
    square = np.zeros((p, p))
    square[: len(R)] = R
    _, values, vectors = svd(square, check_finite=False)
    return values, vectors


def thin_spectrum(deviations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Singular values and right singular vectors as in `spectrum`, but only min(n, p)."""
    from scipy.linalg import svd

    _, values, vectors = svd(triangle(deviations), full_matrices=False, check_finite=False)
    return values, vectors


def triangle(deviations: np.ndarray) -> np.ndarray:
    """R of shape (min(n, p), p) with R'R = D'D, as exact as by Householder reflections.

    For many rows it applies Cholesky's factorization twice to columns of length one (CholeskyQR2),
    if their condition number allows it: a third of the time. Otherwise it uses reflections.

    References
    ----------
    Yamamoto, Nakatsukasa, Yanagisawa, Fukaya, "Roundoff error analysis of the CholeskyQR2
    algorithm", *Electronic Transactions on Numerical Analysis* 44, 2015.
    """
    from scipy.linalg import qr
    from scipy.linalg.lapack import dtrtri

    n, p = deviations.shape
    R, condition = _by_cholesky(deviations) if n > 2 * p else (None, 0.0)
    # a second pass restores the digits that squaring the condition number costs
    if R is not None and condition < 1e-2:
        rest, _ = _by_cholesky(deviations @ dtrtri(R)[0])
        R = None if rest is None else rest @ R
    if R is None:
        (R,) = qr(deviations, mode="r", check_finite=False)
    return np.asarray(R[:p])


def _by_cholesky(D: np.ndarray) -> tuple[np.ndarray | None, float]:
    """Cholesky's factor of D'D, and the reciprocal condition number after equilibration.

    None if the condition is too bad, or a length too small.
    """
    from scipy.linalg.lapack import dpotrf, dtrcon

    # columns of length one, so that only their angles determine the condition
    gram = D.T @ D
    lengths = np.sqrt(np.diagonal(gram))
    if not lengths.min() > 1e-100:  # squares lose digits
        return None, 0.0
    R, failed = dpotrf(gram / np.outer(lengths, lengths), lower=0, clean=1)
    if failed:
        return None, 0.0
    condition, _ = dtrcon(R, norm="1", uplo="U")
    return (R * lengths if condition > 1e-6 else None), float(condition)


def rounding(X: np.ndarray, exponent: int = 0) -> np.ndarray:
    """Root mean square of the rounding errors in each column of X, of at most this size.

    Numbers x of float32 are known up to ``eps |x|``, however many digits later steps keep. This is
    the one rule by which learners tell small deviations from noise: they compute in float64, and
    judge by the type, and by the size before centring, of the rows they were given.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        As given: neither centred nor converted.
    exponent : int
        The result is in units of ``2**exponent``.

    Returns
    -------
    ndarray of shape (p,)
        0 for a constant column: its deviations are exactly 0.
    """
    low, high = _extremes(X)
    _, exponents = np.frexp(np.maximum(high, -low))
    near_one = np.ldexp(X.astype(float, copy=False), -exponents)
    sizes = np.sqrt(np.einsum("ij,ij->j", near_one, near_one) / len(X))
    sizes[low == high] = 0.0
    with np.errstate(under="ignore"):
        return np.asarray(np.ldexp(np.finfo(X.dtype).eps * sizes, exponents - exponent))


def significant(
    values: np.ndarray, vectors: np.ndarray, n: int, noise: np.ndarray | float = 0.0
) -> np.ndarray:
    """Which singular values of a matrix are above its rounding error; bools of shape (k,).

    Parameters
    ----------
    values : ndarray of shape (k,)
        Descending.
    vectors : ndarray of shape (k, p)
        Right singular vectors, one per row.
    n : int
        Number of rows of the matrix.
    noise : ndarray of shape (p,) or float
        `rounding` of the rows, in the units of the matrix.
    """
    most = max(n, vectors.shape[1])
    computed = values[0] * most * np.finfo(float).eps
    # |E v| for the errors E of the rows: errors of the columns add up as lengths
    given = np.sqrt(most) * np.linalg.norm(vectors[: len(values)] * noise, axis=1)
    return np.asarray(values > np.maximum(computed, given))


def fix_signs(rows: np.ndarray) -> np.ndarray:
    """Flip the sign of each row so that its entry of largest magnitude is positive."""
    largest = np.take_along_axis(rows, np.abs(rows).argmax(axis=1)[:, None], axis=1)
    return rows * np.where(largest < 0, -1.0, 1.0)


def within(
    X: np.ndarray, groups: np.ndarray, n_groups: int, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, int]:
    """Means of groups of rows, and the deviation of each row from its group's mean.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    groups : ndarray of int, shape (n,)
        Groups 0..n_groups - 1, none empty.
    weights : ndarray of shape (n,), optional
        Positive weights of the rows in the means; None: 1.

    Returns
    -------
    means : ndarray of shape (n_groups, p), float64
    deviations : ndarray of shape (n, p), float64
        In units of ``2**exponent``.
    exponent : int
    """
    origin, centered, exponent = common_deviations(X)
    means = subtract_means(centered, groups, n_groups, weights)
    half = int(exponent > 0)  # a mean may lie further from the origin than the largest number
    # halved: the sum of the origin and a mean may overflow where their true sum does not
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
        Groups 0..n_groups - 1, none empty.
    weights : ndarray of shape (n,), optional
        Positive weights of the rows in the means; None: 1.

    Returns
    -------
    ndarray of shape (n_groups, p)
    """
    import scipy.sparse as sp

    n = len(rows)
    shares = np.ones(n) if weights is None else weights
    if n_groups == 1:
        mean = shares @ rows / shares.sum()
        rows -= mean
        return np.asarray(mean[None])
    indicator = sp.csr_array((shares, (groups, np.arange(n))), shape=(n_groups, n))
    means = indicator @ rows / np.bincount(groups, weights, minlength=n_groups)[:, None]
    for start in range(0, n, _BLOCK):
        block = slice(start, start + _BLOCK)
        rows[block] -= means[groups[block]]
    return np.asarray(means)


_FACTORS = 1000  # 2**exponent is a normal number below this


def class_sums(
    X: Any, groups: np.ndarray, n_groups: int, weights: np.ndarray | None = None, *, mean: bool
) -> np.ndarray:
    """Sums or means of groups of sparse rows, by a sparse product; array of shape (n_groups, p)."""
    import scipy.sparse as sp

    n = X.shape[0]
    factors = np.ones(n) if weights is None else weights
    if mean:
        factors = factors / np.bincount(groups, factors, minlength=n_groups)[groups]
    belong = sp.csr_array((factors, (groups, np.arange(n))), shape=(n_groups, n))
    return np.asarray((belong @ X.astype(float)).toarray())


def deviations(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean of each column, and deviations from it in units of the column's size.

    No sum overflows and no square underflows. Deviations in a constant column are exactly 0.

    Returns
    -------
    mean : ndarray of shape (p,), float64
    deviations : ndarray of shape (n, p), float64
        Column f in units of ``2**exponents[f]``.
    exponents : ndarray of int, shape (p,)
    """
    low, high = _extremes(X)
    _, exponents = np.frexp(np.maximum(high, -low))
    near_one = np.ldexp(X.astype(float, copy=False), -exponents)
    # the extremes in the same units: constant columns get a deviation of exactly 0
    ends = np.ldexp(low.astype(float), -exponents), np.ldexp(high.astype(float), -exponents)
    mean = np.clip(near_one.mean(axis=0), *ends)  # rounding must not move it beyond the extremes
    near_one -= mean
    return np.ldexp(mean, exponents), near_one, exponents


def _extremes(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value of each column."""
    n, p = X.shape
    side = min(_SIDE // max(p, 1), n)
    if side < 2 or not p or not X.flags.c_contiguous:
        return X.min(axis=0), X.max(axis=0)
    # several rows side by side: numpy is slow for short rows
    wide, rest = X[: n - n % side].reshape(-1, side * p), X[n - n % side :]
    low = np.concatenate([wide.min(axis=0).reshape(side, p), rest]).min(axis=0)
    return low, np.concatenate([wide.max(axis=0).reshape(side, p), rest]).max(axis=0)


def typical(values: np.ndarray, how: Callable[[np.ndarray], Any]) -> float:
    """Mean or median (`how`) of a vector, clipped to its extremes against rounding."""
    _, exponent = np.frexp(np.abs(values).max())
    near_one = np.ldexp(values, -exponent)
    return float(np.ldexp(np.clip(how(near_one), near_one.min(), near_one.max()), exponent))


def common_deviations(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Mean of each column, and deviations in one common unit: the largest is near 1.

    Returns
    -------
    mean : ndarray of shape (p,), float64
    deviations : ndarray of shape (n, p), float64
        In units of ``2**exponent``.
    exponent : int
    """
    mean, scaled, exponents = deviations(X)
    low, high = _extremes(scaled)
    extent = np.maximum(high, -low)
    sizes = (exponents + np.frexp(extent)[1])[extent > 0]
    exponent = int(sizes.max()) if sizes.size else 0
    return mean, np.ldexp(scaled, exponents - exponent, out=scaled), exponent


def difference(X: np.ndarray, origin: np.ndarray, exponent: int) -> np.ndarray:
    """``(X - origin) / 2**exponent``, infinite only if the result itself overflows."""
    half = int(exponent > 0)  # with so large a unit, halving loses no digits
    if abs(exponent) < _FACTORS:  # a product is faster
        halved = X / 2 - origin / 2 if half else X - origin
        halved *= 2.0 ** (half - exponent)
        return np.asarray(halved)
    halved = np.ldexp(X, -half) - np.ldexp(origin, -half)
    return np.asarray(np.ldexp(halved, half - exponent))


def halves(width: np.ndarray) -> np.ndarray:
    """Factor for both sides of a division by `width`, so that the difference does not overflow.

    It is 1/2 if the width is above 1 (halving is then exact), else 1.
    """
    return np.where(width > 1, 0.5, 1.0).astype(width.dtype)


def finite(owner: object, result: np.ndarray, argument: str = "X, transformed,") -> np.ndarray:
    """Return a result of a computation with finite numbers, or raise if it is not finite.

    Raises
    ------
    InputError
        Names the component, row and column.
    """
    check_finite(owner, result, argument=argument)
    return result


def map_back(owner: object, components: np.ndarray, exponent: int, dtype: DTypeLike) -> np.ndarray:
    """Convert a linear map learned in units of ``2**exponent`` to the units of the data.

    Raises
    ------
    InputError
        If a weight overflows because the data vary too little.
    """
    with np.errstate(over="ignore"):
        weights = np.ldexp(components, -exponent).astype(dtype)
    return finite(owner, weights, "X varies so little that components_")


def check_finite_parameters(owner: Component, *names: str) -> None:
    """Raise for the first of these parameters that is infinite.

    Raises
    ------
    ParameterError
        Names the component, the parameter and the value.
    """
    for name in names:
        value = getattr(owner, name)
        if not isinstance(value, str) and not np.isfinite(value):
            raise owner.parameter_error(name, f"must be finite, got {value}")


def single_threaded(when: bool) -> AbstractContextManager[Any]:
    """Limit BLAS and OpenMP to one thread in a ``with`` block, if the work is small.

    Small products and factorizations are slower in several threads than in one, up to ten times on
    busy processors: each thread waits for the others.
    """
    return library_threads(1) if when else nullcontext()


def softmax(values: np.ndarray) -> np.ndarray:
    """``exp(v_ic) / sum_c exp(v_ic)``; array of shape (n, C), as `values`."""
    # classes first: reductions of short rows are slow
    columns = np.array(values.T, order="C")
    columns -= columns.max(axis=0)
    with np.errstate(under="ignore"):
        np.exp(columns, out=columns)
    columns /= columns.sum(axis=0)
    return np.ascontiguousarray(columns.T)


_INEXACT = 2.0**53  # larger floats are always integers, so they prove nothing


def holds_numbers(y: Labels | None) -> bool:
    """Whether y are finite floats that are not all integers."""
    if y is None:
        return False
    try:
        values = np.asarray(as_table(y))
    except ValueError:  # ragged: reported when it is read
        return False
    if values.dtype.kind != "f" or not np.isfinite(values).all():
        return False
    whole = (values == np.trunc(values)) & (np.abs(values) < _INEXACT)
    return not whole.all()
