"""Probabilities from decision values: Platt's sigmoid, fitted on held-out rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

if TYPE_CHECKING:
    from ilk_learners.svm.dual import Dual
    from ilk_learners.svm.libsvm import Machine

FOLDS = 5  # as in libsvm
_FLATTEST = 1e-3  # smallest slope, for decision values scaled to at most 1: keeps their order


def left_out_decisions(
    dual: Dual, solved: Machine, rows: np.ndarray | None, signs: np.ndarray, C: np.ndarray
) -> np.ndarray:
    """Cross-validated decision values of the rows of one binary problem.

    Parameters
    ----------
    dual : Dual
        Also solves the problems without a fold.
    solved : Machine
        The machine of all rows; used if a sign has only one row.
    rows, signs, C
        The problem, as in `Dual.solve`.
    """
    numbers = np.arange(len(signs)) if rows is None else rows
    folds = fold_numbers(signs)
    if folds is None:
        # too few rows to hold any out: the decision values of training
        return dual.outputs(solved, numbers)
    decisions = np.empty(len(signs))
    for fold in range(folds.max() + 1):
        out = folds == fold
        part = dual.solve(numbers[~out], signs[~out], C[~out])
        decisions[out] = dual.outputs(part, numbers[out])
    return decisions


def sigmoids(
    held_out: list[tuple[np.ndarray, np.ndarray]], calibration: Literal["sigmoid", "slope"]
) -> list[tuple[float, float]]:
    """Slope and offset for the decision values and signs of each machine.

    ``"slope"``: a common slope without offset, which keeps the order of decision values.
    """
    if calibration == "sigmoid":
        return [sigmoid(decisions, signs) for decisions, signs in held_out]
    decisions, signs = (np.concatenate(parts) for parts in zip(*held_out, strict=True))
    return [sigmoid(decisions, signs, offset=False)] * len(held_out)


def fold_numbers(signs: np.ndarray) -> np.ndarray | None:
    """Fold of each row: as many folds as rows of the rarer sign, at most five; None below two.

    Rows of a sign are assigned in turn, without randomness.
    """
    n_folds = min(FOLDS, int((signs > 0).sum()), int((signs < 0).sum()))
    if n_folds < 2:
        return None
    folds = np.empty(len(signs), dtype=np.intp)
    for sign in (-1, 1):
        members = np.flatnonzero(signs == sign)
        folds[members] = np.arange(len(members)) % n_folds
    return folds


def sigmoid(
    decisions: np.ndarray, signs: np.ndarray, *, offset: bool = True
) -> tuple[float, float]:
    """Maximum-likelihood slope and offset of ``1 / (1 + exp(-(slope d + offset)))``.

    As in Platt, targets are ``(n_+ + 1) / (n_+ + 2)`` and ``1 / (n_- + 2)`` instead of 1 and 0. The
    slope is at least 0: larger decision values are not less probable. Without an offset it is
    positive, so that probabilities keep the order of decision values.

    References
    ----------
    J. C. Platt, "Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods", *Advances in Large Margin Classifiers*, MIT Press, 1999.
    """
    n_positive = int((signs > 0).sum())
    n_negative = len(signs) - n_positive
    targets = np.where(signs > 0, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    # scaled to at most 1, so that the start and the tolerances suit any machine
    unit = float(np.abs(decisions).max()) or 1.0
    d = decisions / unit

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        z = at[0] * d + at[1]
        error = expit(z) - targets
        # the cross-entropy with soft targets, log(1 + e^z) - t z
        value = np.mean(np.logaddexp(0, z) - targets * z)
        return float(value), np.array([np.mean(error * d), np.mean(error)])

    # the start has the prior log odds as its offset
    start = np.array([1.0, np.log((n_positive + 1) / (n_negative + 1)) if offset else 0.0])
    bounds = [(0, None), (None, None)] if offset else [(_FLATTEST, None), (0, 0)]
    solution = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return float(solution.x[0]) / unit, float(solution.x[1])
