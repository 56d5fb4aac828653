"""Explanation: why nearest neighbours made a prediction what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Explanation:
    """The neighbours behind one prediction; printing it gives a table.

    Attributes
    ----------
    prediction : label or float
    indices : ndarray of int, shape (k,)
        Training rows, nearest first.
    labels : ndarray of shape (k,)
        Their labels; of a regressor, their targets.
    distances : ndarray of shape (k,)
    votes : ndarray of shape (k,)
        What their votes weigh in relation to the nearest one's, which is 1; 0 for one that has
        no say.
    shares : mapping of label to float
        Normalised votes of each class, as ``predict_proba`` gives them; empty for a regressor.
    """

    prediction: Any
    indices: np.ndarray
    labels: np.ndarray
    distances: np.ndarray
    votes: np.ndarray
    shares: Mapping[Any, float] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"prediction {self.prediction}"]
        lines += [f"  {label}: {share:.3f}" for label, share in self.shares.items()]
        lines.append(
            f"{'row':>8}  {'distance':>10}  {'vote':>6}  {'label' if self.shares else 'target'}"
        )
        lines += [
            f"{row:>8}  {distance:>10.4g}  {vote:>6.3g}  {label}"
            for row, label, distance, vote in zip(
                self.indices, self.labels, self.distances, self.votes, strict=True
            )
        ]
        return "\n".join(lines)
