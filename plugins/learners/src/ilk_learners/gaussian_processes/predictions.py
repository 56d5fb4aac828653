"""Class probabilities averaged over Gaussian latent values; bandwidths by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from ilk import check_seed

if TYPE_CHECKING:
    from ilk_learners.gaussian_processes.classification import Solved


Latents = list[tuple[np.ndarray, np.ndarray]]  # means and (co)variances of each problem


def latent(solved: Solved, prior: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means and (co)variances of latent values of queries.

    Parameters
    ----------
    solved : Solved
    prior : ndarray of shape (m,)
        Prior variances of the queries.
    k : ndarray of shape (m, n)
        Covariances with training rows; may be overwritten.
    """
    mean = solved.a @ k.T
    if mean.ndim == 1:
        return mean, solved.curvature.variances(prior, k)
    return mean.T, solved.curvature.covariances(prior, k)


def moments(latents: Latents) -> tuple[np.ndarray, np.ndarray]:
    """Means and variances of all problems; arrays of shape (m, n_problems), or (m,) for one."""
    mean, variance = latents[0]
    if mean.ndim == 2:
        return mean, np.einsum("icc->ic", variance)
    if len(latents) == 1:
        return mean, variance
    return np.stack([m for m, _ in latents], axis=1), np.stack([v for _, v in latents], axis=1)


def _sides(latents: Latents) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities for and against each class; with two classes, for the second."""
    mean, variance = latents[0]
    if mean.ndim == 2:
        P = average_softmax(mean, variance)
        return P, P @ (1 - np.eye(P.shape[1]))
    mean, variance = (np.stack(each, axis=1) for each in zip(*latents, strict=True))
    flat, spread = mean.ravel(), variance.ravel()
    both = average_logistic(flat, spread), average_logistic(-flat, spread)
    return both[0].reshape(mean.shape), both[1].reshape(mean.shape)


def log_odds(latents: Latents) -> np.ndarray:
    """Logarithms of probabilities for and against; array of shape (m, n_problems or classes)."""
    p, q = (np.log(np.maximum(each, np.finfo(float).tiny)) for each in _sides(latents))
    return np.asarray(p - q)


def probabilities(latents: Latents) -> np.ndarray:
    """Class probabilities from the latent values of each problem."""
    P, Q = _sides(latents)
    if P.shape[1] == 1:
        P = np.concatenate([Q, P], axis=1)
    P = P / np.maximum(
        P.max(axis=1, keepdims=True), np.finfo(float).tiny
    )  # no division by an underflow
    return np.asarray(P / P.sum(axis=1, keepdims=True))


_NUMBERS = 2**20  # numbers held at once: 8 MiB
_NORMAL = np.arange(-9, 9.01, 0.5)  # nodes; beyond 9 the weights are below 1e-17
_LOGISTIC = np.arange(-40, 40.01, 0.5)  # nodes; beyond 40 the weights are below 1e-17
N_POINTS = 2048  # a power of two, as Sobol's sequence requires; the error is about 1e-3


def average_logistic(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """``E[1 / (1 + exp(-f))]`` for Gaussian f, to about 1e-13.

    Uses the trapezoidal rule; its error falls exponentially for such functions. If the standard
    deviation is at most 1, it integrates over the Gaussian. Otherwise it integrates over the
    logistic density: the average is the probability that a logistic variable is below f.

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
    from scipy.special import ndtr

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
    """``E[softmax(f)]`` for Gaussian f, over 2048 Sobol points and their mirror images.

    The points are fixed. The error is about 1e-3 (up to 3e-3 for ten classes whose latent values
    vary much). For two classes it is 1e-13: `average_logistic` handles the difference of two latent
    values.

    Parameters
    ----------
    mean : ndarray of shape (m, n_classes)
    covariance : ndarray of shape (m, n_classes, n_classes)

    Returns
    -------
    ndarray of shape (m, n_classes)
    """
    from scipy.special import softmax

    n_classes = mean.shape[1]
    if n_classes == 2:
        variance = np.einsum("icd,c,d->i", covariance, [-1, 1], [-1, 1])
        # softmax of two values is the logistic of their difference
        variance, above = np.maximum(variance, 0), mean[:, 1] - mean[:, 0]
        return np.stack([average_logistic(each, variance) for each in (-above, above)], axis=1)
    points = _normal_points(n_classes)
    values, vectors = np.linalg.eigh(covariance)
    # the symmetric root: it does not depend on the order or sign of eigenvectors
    roots = (vectors * np.sqrt(np.maximum(values, 0))[:, None]) @ vectors.transpose(0, 2, 1)
    result = np.empty_like(mean)
    step = max(_NUMBERS // points.size, 1)
    for first in range(0, len(mean), step):
        rows = slice(first, first + step)
        shifts = points @ roots[rows]
        centre = mean[rows, None]
        # mirror images make the points symmetric, so that odd errors cancel
        shares = softmax(centre + shifts, axis=2) + softmax(centre - shifts, axis=2)
        result[rows] = shares.mean(axis=1) / 2
    return result


def _normal_points(n_classes: int) -> np.ndarray:
    from scipy.special import ndtri
    from scipy.stats.qmc import Sobol  # slow to import, needed only here

    uniform = Sobol(n_classes, scramble=False).random(N_POINTS)
    # half a cell away from 0, where the normal quantile is infinite
    return np.asarray(ndtri(uniform + 0.5 / N_POINTS))


Predict = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def choose(owner: Any, codes: np.ndarray, scores: Callable[[float, list[Any]], Any]) -> float:
    """Choose the factor with the best cross-validation score; ties go to the first.

    Parameters
    ----------
    owner : Component
        With `factors`, `folds` and `random_state`.
    codes : ndarray of shape (n,)
    scores : callable
        Maps a factor and folds to a comparable score.
    """
    seed = check_seed(owner, owner.random_state)
    parts = list(_stratified(codes, min(int(owner.folds), len(codes)), seed))
    scored = [(scores(float(factor), parts), float(factor)) for factor in owner.factors]
    best = max(score for score, _ in scored)
    return next(factor for score, factor in scored if score == best)


def _stratified(
    codes: np.ndarray, folds: int, rng: np.random.RandomState
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield training and test rows of stratified folds.

    Folds whose training rows are of one class are left out.
    """
    drawn = rng.permutation(len(codes))
    # rows in random order within each class, then dealt to the folds in turn
    order = drawn[np.argsort(codes[drawn], kind="stable")]
    fold = np.empty(len(codes), dtype=int)
    fold[order] = np.arange(len(codes)) % folds
    for each in range(folds):
        train, test = np.flatnonzero(fold != each), np.flatnonzero(fold == each)
        if len(np.unique(codes[train])) > 1:
            yield train, test
