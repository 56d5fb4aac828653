"""Explanation: why a nearest-neighbour classifier answered as it did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Explanation:
    """The neighbours behind one prediction; printing it gives a table.

    Attributes
    ----------
    prediction : label
    shares : mapping of label to float
        Normalised votes of each class, as ``predict_proba`` gives them.
    indices : ndarray of int, shape (k,)
        Training rows, nearest first.
    labels, distances : ndarray of shape (k,)
        Their labels and distances.
    votes : ndarray of shape (k,)
        Their votes; 0 for one that has no say. With inverse distances the nearest one's is 1.
    """

    prediction: Any
    shares: Mapping[Any, float]
    indices: np.ndarray
    labels: np.ndarray
    distances: np.ndarray
    votes: np.ndarray

    def __str__(self) -> str:
        lines = [f"prediction {self.prediction}"]
        lines += [f"  {label}: {share:.3f}" for label, share in self.shares.items()]
        lines.append(f"{'row':>8}  {'distance':>10}  {'vote':>6}  label")
        lines += [
            f"{row:>8}  {distance:>10.4g}  {vote:>6.3g}  {label}"
            for row, label, distance, vote in zip(
                self.indices, self.labels, self.distances, self.votes, strict=True
            )
        ]
        return "\n".join(lines)
