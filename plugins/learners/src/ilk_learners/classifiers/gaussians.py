"""Gaussian classes: whitening maps of a covariance, without forming or inverting it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ilk_learners.numerics import finite, rounding, significant, spectrum

_LN2 = float(np.log(2))


@dataclass(frozen=True)
class Gaussian:
    """A covariance S, as a whitening map and a log-determinant.

    Attributes
    ----------
    map : ndarray of shape (p, r)
        W with ``|(x - y) W|^2 = (x - y)' S^(-1) (x - y)``, for x and y in units of
        ``2**exponent``. If S has rank r < p, S^(-1) is the pseudo-inverse.
    log_det : float
        ``ln |S|``, with x in its original units.
    rank : int
        Rank of S, after shrinkage.
    shrinkage : float
        The intensity used.
    """

    map: np.ndarray
    log_det: float
    rank: int
    shrinkage: float
    exponent: int


def gaussian(
    owner: object,
    D: np.ndarray,
    exponent: int,
    *,
    shrinkage: Any,
    weights: np.ndarray | None = None,
    noise: np.ndarray,
) -> Gaussian:
    """Return the covariance ``(1 - s) S + s trace(S)/p I``, where S is the mean of ``d d'``.

    Without shrinkage, columns are first scaled to mean square 1. So neither the rank nor the
    pseudo-inverse depends on their units.

    Parameters
    ----------
    owner : Component
        Named in errors.
    D : ndarray of shape (n, p), float64
        Deviations from the mean (or means), in units of ``2**exponent``. Overwritten.
    shrinkage : float or "auto"
        s; "auto": the intensity of Ledoit and Wolf.
    weights : ndarray of shape (n,), optional
        Weights of the rows.
    noise : ndarray of shape (p,)
        Rounding errors of the columns, in the units of D; smaller deviations count as 0.

    Raises
    ------
    InputError
        If a column varies so much less than another that its inverse overflows.
    """
    n, p = D.shape
    total = float(n if weights is None else weights.sum())
    if shrinkage == "auto":
        shrinkage = _intensity(D, total, weights)
    if weights is not None:
        D *= np.sqrt(weights)[:, None]
    D /= np.sqrt(total)
    # shrinkage mixes in a multiple of I, which depends on units; without it columns are
    # standardized
    scale = np.ones(p) if shrinkage else column_lengths(D, noise)
    values, vectors = spectrum(np.divide(D, scale, out=D))
    kept = significant(values, vectors, n, noise / scale / np.sqrt(n))
    rank = int(kept.sum())
    if shrinkage and rank:
        # eigenvalues of (1 - s) S + s trace(S)/p I, as singular values
        values = np.sqrt((1 - shrinkage) * values**2 + shrinkage * float((values**2).mean()))
        kept = values > 0
        rank = int(kept.sum())
    roots, logs = values[kept], np.log(values[kept]).sum() + np.log(scale).sum()
    # log |S| = 2 sum log of singular values, and the unit 2^exponent counts once per feature
    log_det = 2 * (float(logs) + p * exponent * _LN2)
    with np.errstate(over="ignore"):
        whitening = vectors[kept].T / roots / scale[:, None]
    finite(owner, whitening, "features vary so unequally that the inverse of a covariance")
    return Gaussian(whitening, log_det, rank, float(shrinkage), exponent)


def noise_of(X: np.ndarray, exponent: int, extent: np.ndarray) -> np.ndarray:
    """Rounding errors of rows X and of the means subtracted from them, of `extent` or less."""
    return np.asarray(np.maximum(rounding(X, exponent), extent * len(X) * np.finfo(float).eps))


def column_lengths(D: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Length of each column; columns not above the noise are set to 0 and get length 1."""
    _, exponents = np.frexp(np.abs(D).max(axis=0))  # so that no square underflows
    scale = np.ldexp(np.linalg.norm(np.ldexp(D, -exponents), axis=0), exponents)
    nothing = scale <= noise
    D[:, nothing] = scale[nothing] = 0.0
    return np.where(scale > 0, scale, 1.0)


def _intensity(D: np.ndarray, total: float, weights: np.ndarray | None) -> float:
    squares = np.einsum("ij,ij->i", D, D)
    shares = np.full(len(D), 1 / total) if weights is None else weights / total
    spread = spectrum(D * np.sqrt(shares)[:, None])[0] ** 2
    return float(
        ledoit_wolf(shares @ squares**2, (spread**2).sum(), spread.sum(), total, D.shape[1])
    )


def ledoit_wolf(
    fourth: float | np.ndarray,
    square: float | np.ndarray,
    trace: float | np.ndarray,
    total: float | np.ndarray,
    p: int,
) -> Any:
    """Shrinkage intensity of Ledoit and Wolf, from moments of deviations d.

    Parameters
    ----------
    fourth : float or array
        Mean of ``|d|^4``.
    square : float or array
        Sum of the squared entries of S, the mean of ``d d'``.
    trace : float or array
        Trace of S.
    total : float or array
        Number of cases.
    p : int
        Number of features.

    References
    ----------
    O. Ledoit and M. Wolf, "A well-conditioned estimator for large-dimensional covariance
    matrices", *Journal of Multivariate Analysis* 88, 2004.
    """
    # |S - trace(S)/p I|^2: how far S is from the target
    distance = square - trace**2 / p
    # the expected squared error of S; clipped, since rounding can bring it below 0
    noise = np.clip((fourth - square) / total, 0, None)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(noise < distance, noise / distance, np.where(distance > 0, 1.0, 0.0))
