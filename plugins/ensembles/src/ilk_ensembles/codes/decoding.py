"""Decoding: members' outputs for the two sides of a column, and class scores from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_ensembles.base.outputs import member_probabilities, number_per_row, numbers, one_per_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from ilk import Cases, FittedClassifier, Matrix, Predictor

_LN2 = float(np.log(2))
LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "hinge": lambda z: np.maximum(-z, -1),
    "logistic": lambda z: np.where(z < -1, np.logaddexp(0, -z) - _LN2, _small_logistic(z)),
    "squared": lambda z: z * (z - 2),
}
"""L(z) - L(0), exact also near 0."""
_ROUNDING = 1e-13  # rounding error of a sum, relative to its terms
_RIDGE = 1e-8  # on the quadratic form, relative to its scale: makes the minimum unique
_SLACK = 1e-7  # relative tolerance of the sign conditions, above the solver's rounding
_PATIENCE = 3  # full exchanges without progress before single ones, which cannot cycle
_COUPLE_ROUNDING = 1e-9  # probabilities closer than this share of the largest tie
_CELLS = 1 << 20  # entries held in memory at once


def agreement(bits: np.ndarray, code: np.ndarray, *, ignore_zeros: bool) -> np.ndarray:
    """Minus the share of bits in which code word and members' outputs disagree.

    Parameters
    ----------
    bits : ndarray of -1 and 1, shape (n, L)
        0 for a member that predicts neither side: counts as half a disagreement.
    code : ndarray of -1, 0 and 1, shape (C, L)
    ignore_zeros : bool
        Skip the columns in which a class has 0; else each is half a disagreement.

    Returns
    -------
    ndarray of shape (n, C)
    """
    used = np.count_nonzero(code, axis=1) if ignore_zeros else code.shape[1]
    against = (used - bits @ code.T.astype(float)) / 2  # exact: halves of integers
    return np.asarray(-against / used)


def least_loss(
    margins: np.ndarray, code: np.ndarray, loss: str, *, ignore_zeros: bool
) -> np.ndarray:
    """Minus the mean of L(m f) over the columns; m is a class's entry, f the margin.

    L(0) is added, so that the score is 0 if all margins are 0. For the exponential loss exp(-z)
    the score is minus the logarithm of the mean. Scores equal up to rounding are made equal.

    Parameters
    ----------
    margins : ndarray of shape (n, L)
    code : ndarray of -1, 0 and 1, shape (C, L)
    loss : {"exponential", "hinge", "logistic", "squared"}
    ignore_zeros : bool
        Skip the columns in which a class has 0; else each counts L(0).

    Returns
    -------
    ndarray of shape (n, C)
    """
    if loss == "exponential":
        scores = _exponential(margins, code, ignore_zeros=ignore_zeros)
        size = np.maximum(np.abs(margins).max(axis=1, keepdims=True), 1e-2)
        return level_ties(scores, _ROUNDING * size)
    same, other = LOSSES[loss](margins), LOSSES[loss](-margins)
    total = same @ (code == 1).T.astype(float) + other @ (code == -1).T.astype(float)
    used = np.count_nonzero(code, axis=1) if ignore_zeros else code.shape[1]
    size = np.maximum(np.abs(same), np.abs(other)).max(axis=1, keepdims=True)
    return level_ties(-total / used, _ROUNDING * size)


def _exponential(margins: np.ndarray, code: np.ndarray, *, ignore_zeros: bool) -> np.ndarray:
    """Minus the logarithm of the mean of exp(-z), by log-sum-exp: margins may be any size."""
    from scipy.special import logsumexp

    scores = np.empty((len(margins), len(code)))
    for c, word in enumerate(code):
        # zeros of the code word are left out, or count as a loss of 1
        some = word != 0 if ignore_zeros else slice(None)
        losses = -margins[:, some] * word[some]
        scores[:, c] = np.log(losses.shape[1]) - logsumexp(losses, axis=1)
    return scores


def _small_logistic(z: np.ndarray) -> np.ndarray:
    """The logarithm of (1 + exp(-z)) / 2, for z not far below 0."""
    return np.asarray(np.log1p(np.expm1(-np.maximum(z, -1)) / 2))


def level_ties(scores: np.ndarray, slack: np.ndarray) -> np.ndarray:
    """Make scores of a row equal where they differ by no more than its slack.

    Each score becomes the lowest of its run of close scores; a tie stays a tie whatever the
    order of summation.

    Parameters
    ----------
    scores : ndarray of shape (n, C)
    slack : ndarray of shape (n, 1)
    """
    order = np.argsort(scores, axis=1)
    ascending = np.take_along_axis(scores, order, axis=1)
    # a gap larger than the slack starts a new run of tied scores
    first = np.ones(scores.shape, dtype=bool)
    first[:, 1:] = np.diff(ascending, axis=1) > slack
    lowest = np.maximum.accumulate(np.where(first, np.arange(scores.shape[1]), 0), axis=1)
    levelled = np.empty_like(scores)
    np.put_along_axis(levelled, order, np.take_along_axis(ascending, lowest, axis=1), axis=1)
    return levelled


def couple(sides: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Least-squares estimate of class probabilities from the members' side probabilities.

    If a case has class c with probability p_c, then, given that its class takes part in column
    j, it is on the side +1 with probability ``q_j = P+ / (P+ + P-)``, where P+ and P- are the
    sums of p over each side. So p minimises

    ``sum_j ((1 - q_j) P+_j - q_j P-_j)^2``,    ``p >= 0``,  ``sum p = 1``;

    and has the least norm if several do. The estimate is exact where the q_j are consistent and
    the code has enough columns to determine p.

    Parameters
    ----------
    sides : ndarray of shape (n, L)
        q_j.
    code : ndarray of -1, 0 and 1, shape (C, L)

    Returns
    -------
    ndarray of shape (n, C)
        Probabilities that differ by less than 1e-9 of the largest are made equal.
    """
    n_classes, n_bits = code.shape
    shares = np.empty((len(sides), n_classes))
    size = max(_CELLS // (n_classes * max(n_bits, n_classes)), 1)
    plus, minus = (code == 1).T.astype(float), (code == -1).T.astype(float)
    ridge = _RIDGE * n_bits * np.eye(n_classes)
    # the constraint sum p = 1 is dropped: minimise p'Qp/2 - sum p and normalise
    for start in range(0, len(sides), size):
        q = sides[start : start + size, :, None]
        A = (1 - q) * plus - q * minus
        shares[start : start + size] = _least(A.transpose(0, 2, 1) @ A + ridge)
    shares /= shares.sum(axis=1, keepdims=True)
    shares = level_ties(shares, _COUPLE_ROUNDING * shares.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _least(Q: np.ndarray) -> np.ndarray:
    """The z >= 0 that minimises ``z' Q z / 2 - sum z`` for each Q; p is z normalised to sum 1.

    Block principal pivoting: exchange all variables of wrong sign at once; where that does not
    converge, a single one [Portugal, Judice & Vicente 1994].
    """
    n, size = Q.shape[:2]
    solution = np.zeros((n, size))
    left = np.arange(n)
    free = np.ones((n, size), dtype=bool)
    fewest = np.full(n, size + 1)
    patience = np.full(n, _PATIENCE)
    for _ in range(20 * size + 20):
        basis = free[left]
        system = np.where(basis[:, :, None] & basis[:, None, :], Q[left], 0)
        # rows of the identity keep the variables outside the basis at 0
        system += np.eye(size) * ~basis[:, None, :]
        z = np.linalg.solve(system, basis[:, :, None].astype(float))[:, :, 0]
        # the derivative: variables at 0 need a derivative of at least 0, free ones have 0
        dual = (Q[left] @ z[:, :, None])[:, :, 0] - 1
        wrong = np.where(basis, z < -_SLACK * np.abs(z).max(axis=1, keepdims=True), dual < -_SLACK)
        solution[left] = np.maximum(z, 0)
        count = wrong.sum(axis=1)
        going = count > 0
        if not going.any():
            break
        left, wrong, count = left[going], wrong[going], count[going]
        # exchange all wrong signs while their number falls now and then, else one at a time
        fewer = count < fewest[left]
        patience[left] = np.where(fewer, _PATIENCE, patience[left] - 1)
        fewest[left] = np.minimum(fewest[left], count)
        alone = patience[left] < 0
        last = size - 1 - wrong[:, ::-1].argmax(axis=1)
        wrong[alone] = np.arange(size) == last[alone, None]
        free[left] ^= wrong
    return solution


def check_decodable(member: FittedClassifier, decoding: str) -> Any:
    """Return a fitted member; raise unless it knows the sides 0 and 1 and suits the decoding.

    Raises
    ------
    InputError
        If it does not.
    """
    classes = np.asarray(member.classes_).tolist()
    if classes != [0, 1]:
        raise ilk.InputError(f"knows the classes {classes}, not the sides 0 and 1 of a column")
    if decoding == "probability" and not hasattr(member, "predict_proba"):
        raise ilk.InputError(
            "has no predict_proba, which decoding='probability' needs; take 'hamming' or 'loss'"
        )
    if decoding == "loss" and not (
        hasattr(member, "decision_function") or hasattr(member, "predict_proba")
    ):
        raise ilk.InputError(
            "has neither decision_function nor predict_proba; decoding='loss' needs "
            "one; take 'hamming'"
        )
    return member


def side_bits(member: Predictor, X: Matrix) -> np.ndarray:
    """1 or -1 by the predicted label; 0 if it is neither side; array of shape (n,)."""
    labels = one_per_row(member.predict(X), ilk.n_rows(X))
    return np.asarray((labels == 1).astype(float) - (labels == 0).astype(float))


def side_margins(member: FittedClassifier, X: Cases) -> np.ndarray:
    """Signed confidence in the side 1; array of shape (n,)."""
    if hasattr(member, "decision_function"):
        margins = numbers(member.decision_function(X), "scores")
        if margins.ndim == 2 and margins.shape[1]:
            margins = margins[:, -1] - (margins[:, 0] if margins.shape[1] == 2 else 0)
        return number_per_row(margins, ilk.n_rows(X), "scores")
    return 2 * side_probabilities(member, X) - 1


def side_probabilities(member: FittedClassifier, X: Cases) -> np.ndarray:
    """Probability of the side 1; array of shape (n,)."""
    return member_probabilities(member, X, np.arange(2))[:, 1].astype(float, copy=False)
