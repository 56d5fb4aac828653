"""Probabilities of classes, averaged over Gaussian latent values."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtr, ndtri, softmax

_NUMBERS = 2**20  # held at once
_NORMAL = np.arange(-9, 9.01, 0.5)
_LOGISTIC = np.arange(-40, 40.01, 0.5)
N_POINTS = 2048


def average_logistic(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """``E[1 / (1 + exp(-f))]`` for Gaussian f, to about 1e-13.

    By the trapezoidal rule, of which the error falls exponentially for such functions: over the
    Gaussian where its deviation is at most 1, else over the logistic density, as the average is
    the probability that a logistic variable is below f.

    Parameters
    ----------
    mean, variance : ndarray of shape (m,)

    Returns
    -------
    ndarray of shape (m,)
    """
    deviation = np.sqrt(variance)
    result = np.empty(len(mean))
    step = _NUMBERS // len(_LOGISTIC)
    for first in range(0, len(mean), step):
        rows = slice(first, first + step)
        result[rows] = _averages(mean[rows, None], deviation[rows, None])
    return result


def _averages(mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    wide = deviation[:, 0] > 1
    result = np.empty(len(mean))
    result[~wide] = expit(mean[~wide] + deviation[~wide] * _NORMAL) @ _NORMAL_WEIGHTS
    result[wide] = ndtr((mean[wide] - _LOGISTIC) / deviation[wide]) @ _LOGISTIC_WEIGHTS
    return result


def _normalized(weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights / weights.sum())


_NORMAL_WEIGHTS = _normalized(np.exp(-(_NORMAL**2) / 2))
_LOGISTIC_WEIGHTS = _normalized(expit(_LOGISTIC) * expit(-_LOGISTIC))


def average_softmax(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """``E[softmax(f)]`` for Gaussian f, over 2048 points of Sobol's sequence and their mirrors.

    The points are always the same. The error is about 1e-3 (up to 3e-3 for ten classes
    whose latent values vary much); for two classes 1e-13, as the
    difference of two latent values has `average_logistic`.

    Parameters
    ----------
    mean : ndarray of shape (m, n_classes)
    covariance : ndarray of shape (m, n_classes, n_classes)

    Returns
    -------
    ndarray of shape (m, n_classes)
    """
    n_classes = mean.shape[1]
    if n_classes == 2:
        variance = np.einsum("icd,c,d->i", covariance, [-1, 1], [-1, 1])
        variance, above = np.maximum(variance, 0), mean[:, 1] - mean[:, 0]
        return np.stack([average_logistic(each, variance) for each in (-above, above)], axis=1)
    points = _normal_points(n_classes)
    values, vectors = np.linalg.eigh(covariance)
    roots = (vectors * np.sqrt(np.maximum(values, 0))[:, None]) @ vectors.transpose(0, 2, 1)
    result = np.empty_like(mean)
    step = max(_NUMBERS // points.size, 1)
    for first in range(0, len(mean), step):
        rows = slice(first, first + step)
        shifts = points @ roots[rows]
        centre = mean[rows, None]
        shares = softmax(centre + shifts, axis=2) + softmax(centre - shifts, axis=2)
        result[rows] = shares.mean(axis=1) / 2
    return result


def _normal_points(n_classes: int) -> np.ndarray:
    from scipy.stats.qmc import Sobol  # slow to import, and needed here only

    uniform = Sobol(n_classes, scramble=False).random(N_POINTS)
    return np.asarray(ndtri(uniform + 0.5 / N_POINTS))
