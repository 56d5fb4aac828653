"""What rows vote for: their class, or their number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ilk_learners.magnitude import common_deviations

if TYPE_CHECKING:
    from ilk_learners.metric_learners.softmax import Outer


def one_column_each(codes: np.ndarray, dtype: Any) -> np.ndarray:
    """A column for each class, 1 where a row is of it, else 0."""
    return np.asarray(codes[:, None] == np.arange(codes.max() + 1), dtype=dtype)


def votes_of(targets: np.ndarray, dtype: Any) -> np.ndarray:
    """Columns that rows vote for; array of shape (n, C).

    Codes of classes become a column each, numbers one column of mean 0 and variance 1.
    """
    if targets.dtype.kind in "iu":
        return one_column_each(targets, dtype)
    _, deviations, _ = common_deviations(targets[:, None])
    return np.asarray(deviations / deviations.std(), dtype=dtype)


def squared_error(targets: np.ndarray, Y: np.ndarray, factor: float) -> Outer:
    """``factor`` times the sum of squared differences of votes from Y, the columns of targets."""
    classes = targets.dtype.kind in "iu"

    def outer(votes: np.ndarray, rows: slice) -> tuple[float, np.ndarray]:
        errors = _class_errors(votes, Y[rows]) if classes else votes - Y[rows]
        return factor * float(np.sum(np.square(errors), dtype=float)), 2 * factor * errors

    return outer


def expected_errors(Y: np.ndarray) -> Outer:
    """The sum of what is voted for other classes than a row's own."""

    def outer(votes: np.ndarray, rows: slice) -> tuple[float, np.ndarray]:
        others = 1 - Y[rows]
        return float(np.sum(votes * others, dtype=float)), others

    return outer


def _class_errors(votes: np.ndarray, own: np.ndarray) -> np.ndarray:
    """``votes - own``, exact also where nearly all votes are right, as votes sum to 1."""
    wrong = votes * (1 - own)
    return np.asarray(wrong - own * wrong.sum(axis=1, keepdims=True))
