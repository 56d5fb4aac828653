"""Whitening: linear maps that make a covariance the identity, and the covariance's rank."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg as la


class Whitening(NamedTuple):
    """``L S L' = I`` of size rank; ``L'L`` is the inverse, or the pseudo-inverse, of S."""

    components: np.ndarray
    rank: int


def whitening_of_rows(
    X: np.ndarray, location: np.ndarray, shrinkage: float, ddof: int
) -> Whitening:
    """Whiten the covariance of rows, ``(1 - s) S + s tr(S)/p I``, without forming it.

    Singular values of the rows resolve small variances that are lost when the covariance squares
    them. Features are scaled before the rank is determined, so the rank does not depend on their
    units; directions within the rounding error of X do not count.
    """
    n, p = X.shape
    highest, lowest = X.max(axis=0).astype(float), X.min(axis=0).astype(float)
    furthest = np.maximum(np.abs(highest), np.abs(lowest))
    eps = float(np.finfo(X.dtype).eps)
    # a spread within the rounding error of the values is no variance
    varies = highest / 2 - lowest / 2 > eps * furthest
    spread = np.where(varies, np.maximum(highest - location, location - lowest), 0.0)
    unit = float(spread.max()) or 1.0
    root = _root(X, location, np.where(spread > 0, spread, np.inf)) * (spread / unit)
    root /= np.sqrt(n - ddof)
    if shrinkage:
        mean = float((root**2).sum()) / p
        # (1 - s) R'R + s mean I = S'S for the rows of R and of the identity stacked in S
        root = np.vstack([np.sqrt(1 - shrinkage) * root, np.sqrt(shrinkage * mean) * np.eye(p)])
    # standardized features: the rank does not depend on units
    scale = np.sqrt((root**2).sum(axis=0))
    # the rounding error of the given numbers, in units of each feature's deviation
    noise = eps * (furthest / unit)[scale > 0] / scale[scale > 0]
    tolerance = max(n * eps, 4 * np.sqrt(p) * noise.max(initial=0))
    scale[scale == 0] = 1
    _, sizes, axes = la.svd(root / scale, full_matrices=False)
    whitening = _whiten(sizes, axes, scale, tolerance)
    return Whitening(whitening.components / unit, whitening.rank)


def whitening_of_matrix(S: np.ndarray, eps: float) -> Whitening | str:
    """Whiten a covariance, or return an error message about it."""
    diagonal = np.diagonal(S)
    wrong = (diagonal < 0) | ((diagonal == 0) & S.any(axis=0))
    if wrong.any():
        f = int(np.argmax(wrong))
        return f"must be positive semi-definite, got the variance {diagonal[f]} at {f}"
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    correlations = S / scale / scale[:, None]
    if not np.allclose(correlations, correlations.T, rtol=0, atol=_SLACK):
        i, j = np.unravel_index(np.argmax(np.abs(correlations - correlations.T)), S.shape)
        return f"must be symmetric, got {S[i, j]} at [{i}, {j}] and {S[j, i]} at [{j}, {i}]"
    sizes, axes = la.eigh((correlations + correlations.T) / 2)
    if sizes[0] < -_SLACK * sizes[-1]:
        return (
            f"must be positive semi-definite, got a matrix whose correlations have the eigenvalue "
            f"{sizes[0]:.6g}"
        )
    # eigenvalues of correlations that rounding made negative
    variance = np.maximum(sizes[::-1], 0)
    return _whiten(np.sqrt(variance), axes.T[::-1], scale, np.sqrt(10 * len(S) * eps))


_SLACK = 1e-8  # tolerance for the rounding error of correlations
_BLOCK = 2**18  # numbers in a block of rows: bounds the memory


def _root(X: np.ndarray, location: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Triangular R with ``R'R = Z'Z`` for ``Z = (X - location) / spread``, by QR of blocks."""
    p = X.shape[1]
    R = np.empty((0, p))
    step = max(_BLOCK // p, p)
    for start in range(0, len(X), step):
        rows = (X[start : start + step] - location) / spread
        # R of the rows so far and the new block: their product stays Z'Z
        R = np.asarray(np.linalg.qr(np.vstack([R, rows]), mode="r"))
    return R


def _whiten(sizes: np.ndarray, axes: np.ndarray, scale: np.ndarray, tolerance: float) -> Whitening:
    """Return the map for standard deviations `sizes` along `axes` of features of some scale."""
    rank = int(np.count_nonzero(sizes > tolerance * sizes[0]))
    axes = axes[:rank]
    L = axes / sizes[:rank, None] / scale
    if rank < len(scale):  # projection on the span makes it the Moore-Penrose inverse
        span, _ = np.linalg.qr((axes * scale).T)
        L = L @ span @ span.T
    return Whitening(L, rank)
