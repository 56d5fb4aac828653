"""From what the members of a code say to a score for each class."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp

_LN2 = float(np.log(2))
LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "hinge": lambda z: np.maximum(-z, -1),
    "logistic": lambda z: np.where(z < -1, np.logaddexp(0, -z) - _LN2, _small_logistic(z)),
    "squared": lambda z: z * (z - 2),
}
"""L(z) - L(0), exact also near 0."""
_ROUNDING = 1e-13  # as a share of what is summed


def agreement(bits: np.ndarray, code: np.ndarray, *, ignore_zeros: bool) -> np.ndarray:
    """Minus the share of bits in which a class's code word and what the members say disagree.

    Parameters
    ----------
    bits : ndarray of -1 and 1, shape (n, L)
        0 where a member says neither: half a disagreement.
    code : ndarray of -1, 0 and 1, shape (C, L)
    ignore_zeros : bool
        Leave columns out in which a class has 0; else they are half a disagreement.

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
    """Minus the mean of L(m f) over the columns, m being a class's entry and f the margin.

    So that it is 0 where members say nothing, L(0) is added; of the exponential loss exp(-z)
    it is minus the logarithm of the mean. Scores that only rounding tells apart are equal.

    Parameters
    ----------
    margins : ndarray of shape (n, L)
    code : ndarray of -1, 0 and 1, shape (C, L)
    loss : {"exponential", "hinge", "logistic", "squared"}
    ignore_zeros : bool
        Leave columns out in which a class has 0; else they count L(0).

    Returns
    -------
    ndarray of shape (n, C)
    """
    if loss == "exponential":
        scores = _exponential(margins, code, ignore_zeros=ignore_zeros)
        size = np.maximum(np.abs(margins).max(axis=1, keepdims=True), 1e-2)
        return level(scores, _ROUNDING * size)
    same, other = LOSSES[loss](margins), LOSSES[loss](-margins)
    total = same @ (code == 1).T.astype(float) + other @ (code == -1).T.astype(float)
    used = np.count_nonzero(code, axis=1) if ignore_zeros else code.shape[1]
    size = np.maximum(np.abs(same), np.abs(other)).max(axis=1, keepdims=True)
    return level(-total / used, _ROUNDING * size)


def _exponential(margins: np.ndarray, code: np.ndarray, *, ignore_zeros: bool) -> np.ndarray:
    """Minus the logarithm of the mean of exp(-z), class by class: margins may be any size."""
    scores = np.empty((len(margins), len(code)))
    for c, word in enumerate(code):
        some = word != 0 if ignore_zeros else slice(None)
        losses = -margins[:, some] * word[some]
        scores[:, c] = np.log(losses.shape[1]) - logsumexp(losses, axis=1)
    return scores


def _small_logistic(z: np.ndarray) -> np.ndarray:
    """The logarithm of (1 + exp(-z)) / 2, for z that are not far below 0."""
    return np.asarray(np.log1p(np.expm1(-np.maximum(z, -1)) / 2))


def level(scores: np.ndarray, slack: np.ndarray) -> np.ndarray:
    """Let scores of a row that differ by no more than its slack be equal.

    Each becomes the lowest of those that are next to each other; a tie stays one whatever the
    order in which its scores were summed.

    Parameters
    ----------
    scores : ndarray of shape (n, C)
    slack : ndarray of shape (n, 1)
    """
    order = np.argsort(scores, axis=1)
    ascending = np.take_along_axis(scores, order, axis=1)
    first = np.ones(scores.shape, dtype=bool)
    first[:, 1:] = np.diff(ascending, axis=1) > slack
    lowest = np.maximum.accumulate(np.where(first, np.arange(scores.shape[1]), 0), axis=1)
    levelled = np.empty_like(scores)
    np.put_along_axis(levelled, order, np.take_along_axis(ascending, lowest, axis=1), axis=1)
    return levelled
