"""Weights of parts: a linear classifier of pairs whose weights are not negative."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit


def weights_that_separate(
    distances: np.ndarray, differ: np.ndarray, regularization: float
) -> np.ndarray:
    """Weights of the logistic model of "these differ" that are optimal among non-negative ones.

    Minimises ``sum_i c_i log(1 + exp(-t_i (u'v_i + b))) + regularization/2 |u|^2`` over u >= 0 and
    b, where v_i are distances divided by their means, t_i is 1 for pairs that differ and else
    -1, and the weights c_i of either kind of pairs sum to 1/2. The problem is convex; solved
    by L-BFGS-B.

    Parameters
    ----------
    distances : ndarray of shape (n_pairs, n_parts)
        Finite.
    differ : ndarray of bool, shape (n_pairs,)
        Some pairs differ and some do not.
    regularization : float
        Above 0.

    Returns
    -------
    ndarray of shape (n_parts,)
        Weights of the distances as they are, not divided; they sum to 1, or are all 0 if
        no part tells the pairs apart.
    """
    largest = distances.max(axis=0)
    means = largest * (distances / np.where(largest > 0, largest, 1.0)).mean(axis=0)
    V = distances / np.where(means > 0, means, 1.0)
    sign = np.where(differ, 1.0, -1.0)
    cost = np.where(differ, 0.5 / differ.sum(), 0.5 / (~differ).sum())

    def objective(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        u, b = parameters[:-1], parameters[-1]
        margin = sign * (V @ u + b)
        pull = -cost * sign * expit(-margin)
        value = cost @ np.logaddexp(0, -margin) + regularization / 2 * (u @ u)
        return float(value), np.append(V.T @ pull + regularization * u, pull.sum())

    bounds = [(0, None)] * V.shape[1] + [(None, None)]
    start = np.append(np.ones(V.shape[1]) / V.shape[1], -1.0)
    options: Any = {"maxiter": 1000, "ftol": 1e-14, "gtol": 1e-9}
    found = minimize(objective, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options)
    least = np.min(means[means > 0], initial=np.inf)  # a reciprocal of a mean may be infinite
    weights = np.where(means > 0, found.x[:-1] * (least / np.where(means > 0, means, 1.0)), 0.0)
    total = weights.sum()
    return np.asarray(weights / total if total > 0 else weights)
