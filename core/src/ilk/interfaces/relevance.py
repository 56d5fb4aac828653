"""Relevance: the information of each feature about the labels."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from ilk.component import Component

if TYPE_CHECKING:
    import numpy as np

    from ilk.arrays import Cases, Labels


class Relevance(Component):
    """Scores the information of each feature about the labels."""

    kind: ClassVar[str] = "relevance"

    @abstractmethod
    def scores(self, X: Cases, y: Labels) -> np.ndarray:
        """Non-negative score of each feature; array of shape (p,)."""
