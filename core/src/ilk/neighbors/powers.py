"""Powers of differences of any size and their roots: none overflows or vanishes on the way."""

from __future__ import annotations

from functools import reduce

import numpy as np

_CACHED = 2**15  # numbers in a block that is passed over once for each feature


def doubtful(
    D: np.ndarray, X: np.ndarray, Y: np.ndarray, p: float, weights: np.ndarray | None = None
) -> np.ndarray | None:
    """Tell which sums D of p-th powers have one that overflowed, or some that may have vanished.

    Returns
    -------
    ndarray of bool or None
        None if no distance is.
    """
    kind = np.finfo(X.dtype)
    faint = float(kind.tiny) / float(kind.eps)  # powers of less lose digits
    none_far = D.max() < np.inf
    if none_far and D.min() >= faint:
        return None
    unsure = np.isinf(D)
    if not _zeros_are_true(X, Y, weights, faint ** (1 / p)):
        unsure |= faint > D
    elif none_far:
        return None
    return np.asarray(unsure)


def mend(
    D: np.ndarray,
    unsure: np.ndarray | None,
    X: np.ndarray,
    Y: np.ndarray,
    p: float,
    weights: np.ndarray | None = None,
) -> None:
    """Compute some of the distances again, scaled."""
    if unsure is None:
        return
    rows, columns = np.nonzero(unsure)
    for start in range(0, len(rows), _CACHED):
        i, j = rows[start : start + _CACHED], columns[start : start + _CACHED]
        D[i, j] = _scaled_norm(X[i].T.astype(float), Y[j].T.astype(float), p, weights)


def unit_weights(weights: np.ndarray | None) -> tuple[np.ndarray | None, int]:
    """Divide weights by a power of 4 that brings the largest near 1; return its exponent too."""
    if weights is None:
        return None, 0
    exponent = 2 * (int(np.frexp(weights.max())[1]) // 2)
    return np.ldexp(weights, -exponent), exponent


def _zeros_are_true(X: np.ndarray, Y: np.ndarray, weights: np.ndarray | None, faint: float) -> bool:
    """Tell whether the numbers are so large that the power of no difference can vanish.

    Numbers of at least v are multiples of a step larger than eps / 2 times v, and so are
    their differences.
    """
    least = min(float(np.abs(Z[Z != 0]).min(initial=np.inf)) for Z in (X, Y))
    if weights is not None:
        least *= float(np.sqrt(weights.min()))
    return bool(least * float(np.finfo(X.dtype).eps) / 2 >= faint)


def norms(X: np.ndarray, Y: np.ndarray, p: float, weights: np.ndarray | None = None) -> np.ndarray:
    """Weighted p-norms of the difference of every row of X to every row of Y."""
    D = np.empty((len(X), len(Y)))
    A, B = np.ascontiguousarray(X.T, dtype=float), np.ascontiguousarray(Y.T, dtype=float)
    step = max(_CACHED // len(Y), 1)
    for start in range(0, len(X), step):
        rows = slice(start, start + step)
        D[rows] = _scaled_norm(A[:, rows, None], B[:, None, :], p, weights)
    return D


def _scaled_norm(A: np.ndarray, B: np.ndarray, p: float, weights: np.ndarray | None) -> np.ndarray:
    """Weighted p-norms of A - B along the first axis, differences divided by the largest."""
    unit, exponent = unit_weights(weights)
    largest = reduce(np.maximum, (np.abs(a - b) for a, b in zip(A, B, strict=True)))
    far = np.isinf(largest)
    scale = np.where((largest > 0) & ~far, largest, 1.0)
    total = np.zeros(scale.shape)
    for f, (a, b) in enumerate(zip(A, B, strict=True)):
        term = _powers(np.abs(a - b), scale, p)
        if unit is not None:
            term *= unit[f]
        total += term
    if exponent == 0 and p >= 0.5:  # the root is near 1
        D = np.asarray(scale * total ** (1 / p))
    else:
        D = _product(scale, total, exponent, p)
    if far.any():
        np.copyto(D, 2 * _scaled_norm(A / 2, B / 2, p, weights), where=far)
    return D


def _product(scale: np.ndarray, total: np.ndarray, exponent: int, p: float) -> np.ndarray:
    """``scale * (total * 2**exponent)**(1 / p)``: of factors beyond any number, too."""
    mantissa, own = np.frexp(total)
    small = mantissa < np.sqrt(0.5)  # so that equal differences have a mantissa of exactly 1
    logs = np.log2(mantissa * (1 + small), out=np.zeros_like(total), where=total > 0)
    powers = np.clip((own - small + exponent) / p, -(2**20), 2**20)  # they only grow further
    logs = np.clip(logs / p, -(2**19), 2**19)
    whole = np.rint(powers) + np.rint(logs)
    rest = (powers - np.rint(powers)) + (logs - np.rint(logs))
    base, shift = np.frexp(scale)
    D = np.ldexp(base * np.exp2(rest), shift + whole.astype(int))
    return np.asarray(np.where(total > 0, D, 0.0))


def _powers(gaps: np.ndarray, scale: np.ndarray, p: float) -> np.ndarray:
    """``(gaps / scale)**p``, where no power that counts vanishes; the gaps are overwritten."""
    if p >= 0.5:
        gaps /= scale
        np.power(gaps, p, out=gaps)
    else:  # a ratio may be too small of which such a power is not
        np.power(gaps, p, out=gaps)
        gaps /= scale**p
    return gaps
