"""Probabilities from decisions: Platt's sigmoid, fitted on decisions about rows left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

if TYPE_CHECKING:
    from ilk_learners.svm.dual import Dual
    from ilk_learners.svm.machine import Machine

FOLDS = 5


def calibrated(
    dual: Dual, solved: Machine, rows: np.ndarray | None, signs: np.ndarray, C: np.ndarray
) -> tuple[float, float]:
    """Slope and offset of the sigmoid for one binary problem.

    Parameters
    ----------
    dual : Dual
        Which solves the problems without a fold, too.
    solved : Machine
        Of all rows; it decides about them where a sign has only one.
    rows, signs, C
        The problem, as `Dual.solve` takes it.
    """
    numbers = np.arange(len(signs)) if rows is None else rows
    folds = fold_numbers(signs)
    if folds is None:
        return sigmoid(dual.outputs(solved, numbers), signs)
    decisions = np.empty(len(signs))
    for fold in range(folds.max() + 1):
        out = folds == fold
        part = dual.solve(numbers[~out], signs[~out], C[~out])
        decisions[out] = dual.outputs(part, numbers[out])
    return sigmoid(decisions, signs)


def fold_numbers(signs: np.ndarray) -> np.ndarray | None:
    """Fold of each row, as many as there are of the rarer sign, at most five; None below two.

    Rows of a sign take turns, so that nothing is drawn.
    """
    n_folds = min(FOLDS, int((signs > 0).sum()), int((signs < 0).sum()))
    if n_folds < 2:
        return None
    folds = np.empty(len(signs), dtype=np.intp)
    for sign in (-1, 1):
        own = np.flatnonzero(signs == sign)
        folds[own] = np.arange(len(own)) % n_folds
    return folds


def sigmoid(decisions: np.ndarray, signs: np.ndarray) -> tuple[float, float]:
    """Slope and offset for which ``1 / (1 + exp(-(slope d + offset)))`` is likeliest.

    As Platt does, targets are ``(n_+ + 1) / (n_+ + 2)`` and ``1 / (n_- + 2)`` in place of 1 and
    0. The slope is at least 0: otherwise the larger decision would be the less probable.

    References
    ----------
    J. C. Platt, "Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods", *Advances in Large Margin Classifiers*, MIT Press, 1999.
    """
    n_positive = int((signs > 0).sum())
    n_negative = len(signs) - n_positive
    targets = np.where(signs > 0, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    unit = float(np.abs(decisions).max()) or 1.0
    d = decisions / unit

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        z = at[0] * d + at[1]
        error = expit(z) - targets
        value = np.mean(np.logaddexp(0, z) - targets * z)
        return float(value), np.array([np.mean(error * d), np.mean(error)])

    start = np.array([1.0, np.log((n_positive + 1) / (n_negative + 1))])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None), (None, None)])
    return float(found.x[0]) / unit, float(found.x[1])
