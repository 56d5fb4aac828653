"""Multi-class classification by binary machines: their problems, and combined scores."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

Strategy = Literal["ova", "ovo"]


def problems(
    codes: np.ndarray, n_classes: int, strategy: Strategy
) -> Iterator[tuple[np.ndarray | None, np.ndarray]]:
    """Yield rows (None: all) and signs of each binary problem.

    The sign 1 belongs to the second of two classes; one against all: to each class in turn; pairs:
    to the first class of each pair.
    """
    if n_classes == 2 or strategy == "ova":
        for code in range(1 if n_classes == 2 else 0, n_classes):
            yield None, np.where(codes == code, 1.0, -1.0)
        return
    for a, b in combinations(range(n_classes), 2):
        rows = np.flatnonzero((codes == a) | (codes == b))
        yield rows, np.where(codes[rows] == a, 1.0, -1.0)


def class_scores(decisions: np.ndarray, n_classes: int, strategy: Strategy) -> np.ndarray:
    """Score of each class from the decision values of the machines.

    Pairs vote. The sum of decision values for a class, compressed to less than half a vote, settles
    ties: it reorders only classes with equal votes.

    Parameters
    ----------
    decisions : ndarray of shape (m, n_machines)

    Returns
    -------
    ndarray of shape (m,) for two classes, else (m, n_classes)
    """
    if n_classes == 2:
        return decisions[:, 0]
    if strategy == "ova":
        return decisions
    votes = np.zeros((len(decisions), n_classes))
    sums = np.zeros_like(votes)
    for column, (a, b) in zip(decisions.T, combinations(range(n_classes), 2), strict=True):
        votes[:, a] += column > 0
        votes[:, b] += column <= 0
        sums[:, a] += column
        sums[:, b] -= column
    # |sum / (3 (|sum| + 1))| < 1/3: two of them cannot make up for a vote
    return np.asarray(votes + sums / (3 * (np.abs(sums) + 1)))


def winners(scores: np.ndarray) -> np.ndarray:
    """Code of the class with the best of the `class_scores`, for each row."""
    return np.asarray((scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1))


def class_probabilities(positive: np.ndarray, n_classes: int, strategy: Strategy) -> np.ndarray:
    """Probability of each class from the machines' probabilities of the sign 1.

    One against all: normalized. Pairs: coupled by the second method of Wu, Lin and Weng (2004): p
    minimises ``sum_ij (r_ji p_i - r_ij p_j)^2``.

    Parameters
    ----------
    positive : ndarray of shape (m, n_machines)
        Within 0 and 1, both excluded.

    Returns
    -------
    ndarray of shape (m, n_classes)
    """
    if n_classes == 2:
        return np.column_stack([1 - positive[:, 0], positive[:, 0]])
    if strategy == "ova":
        # the machines are calibrated one by one: their probabilities need not add up
        return np.asarray(positive / positive.sum(axis=1, keepdims=True))
    r = np.zeros((len(positive), n_classes, n_classes))
    for column, (a, b) in zip(positive.T, combinations(range(n_classes), 2), strict=True):
        r[:, a, b], r[:, b, a] = column, 1 - column
    return _coupled(r)


def _coupled(r: np.ndarray) -> np.ndarray:
    """Solve ``Q p = const, sum p = 1`` for the matrix Q of the squares; r of shape (m, c, c).

    Q alone is nearly singular if a class wins clearly; the constraint makes the system regular.
    """
    m, n_classes, _ = r.shape
    Q = np.ones((m, n_classes + 1, n_classes + 1))
    # the matrix of the quadratic form: Q_ii = sum_j r_ji^2, Q_ij = -r_ij r_ji
    Q[:, :-1, :-1] = -r * np.swapaxes(r, 1, 2)
    diagonal = np.arange(n_classes)
    Q[:, diagonal, diagonal] = np.square(r).sum(axis=1)
    # the last row and column are the Lagrange multiplier of sum p = 1
    Q[:, -1, -1] = 0.0
    right = np.zeros((m, n_classes + 1, 1))
    right[:, -1] = 1.0
    # rounding may leave a tiny negative probability
    p = np.maximum(np.linalg.solve(Q, right)[:, :-1, 0], 0.0)
    return np.asarray(p / p.sum(axis=1, keepdims=True))
