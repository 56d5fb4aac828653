"""What is said about queries, from the latent values of each problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ilk_learners.gaussian_processes.averages import average_logistic, average_softmax

if TYPE_CHECKING:
    from ilk_learners.gaussian_processes.classification import Solved

Latents = list[tuple[np.ndarray, np.ndarray]]  # means and (co)variances of each problem


def latent(solved: Solved, own: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means and (co)variances of latent values of queries.

    Parameters
    ----------
    solved : Solved
    own : ndarray of shape (m,)
        Their prior variances.
    k : ndarray of shape (m, n)
        Covariances with training rows; may be overwritten.
    """
    mean = solved.a @ k.T
    if mean.ndim == 1:
        return mean, solved.curvature.variances(own, k)
    return mean.T, solved.curvature.covariances(own, k)


def moments(latents: Latents) -> tuple[np.ndarray, np.ndarray]:
    """Means and variances of all problems; arrays of shape (m, n_problems), or (m,) for one."""
    mean, variance = latents[0]
    if mean.ndim == 2:
        return mean, np.einsum("icc->ic", variance)
    if len(latents) == 1:
        return mean, variance
    return np.stack([m for m, _ in latents], axis=1), np.stack([v for _, v in latents], axis=1)


def _sides(latents: Latents) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities for and against each class, or of two told apart for the second."""
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
    """Probabilities of the classes, from the latent values of each problem."""
    P, Q = _sides(latents)
    if P.shape[1] == 1:
        P = np.concatenate([Q, P], axis=1)
    P = P / np.maximum(P.max(axis=1, keepdims=True), np.finfo(float).tiny)  # however small all are
    return np.asarray(P / P.sum(axis=1, keepdims=True))
