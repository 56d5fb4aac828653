"""Base of local metrics that shrink a region around the query, step by step."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from ilk import param
from ilk_learners.local.adaptive import AdaptiveMetric


class PartitionMetric(AdaptiveMetric):
    """Computes feature weights in a region around the query, shrinks it, and repeats.

    Subclasses define the relevance measure and the direction of shrinking.

    Attributes
    ----------
    order_ : ndarray of uint32, shape (p, n)
        Row numbers, sorted by each feature.
    """

    logarithmic: ClassVar[bool]
    single: ClassVar[bool]
    n_neighbors: int = param(
        default=40,
        ge=1,
        doc="Rows in the region at which partitioning ends, unless more neighbours are asked "
        "for; with 1 it ends at k rows, as Friedman's does.",
    )
    L: int = param(default=20, ge=1, doc="Number of nearest rows along a feature.")

    def _prepare(self) -> None:
        self.order_ = np.empty(self.columns_.shape, dtype=np.uint32)
        for column, order in zip(self.columns_, self.order_, strict=True):
            order[:] = np.argsort(column, kind="stable")

    @abstractmethod
    def _step(self) -> tuple[float, float]:
        """Share of the rows kept by a step, and the number added to probabilities."""

    def _metrics(self, Q: np.ndarray, left_out: np.ndarray) -> np.ndarray:
        return self._regions(Q, 1, left_out)[2]

    def _candidates(
        self, Q: np.ndarray, k: int, left_out: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        squares, rows, _ = self._regions(Q, k, left_out)
        return squares, rows

    def _regions(
        self, Q: np.ndarray, k: int, left_out: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Squared distances to the rows of the last regions, the row numbers, and the weights."""
        from ilk_learners.local.regions import shrink

        n = len(self.codes_)
        shape = len(Q), min(max(int(self.n_neighbors), k), n)
        rows, squares = np.empty(shape, dtype=np.int64), np.empty(shape)
        weights = np.empty(Q.shape)
        share, kappa = self._step()
        shrink(
            self.columns_,
            self.order_,
            self.codes_,
            len(self.classes_),
            Q,
            left_out,
            int(self.L),
            share,
            kappa,
            self.logarithmic,
            self.single,
            rows,
            squares,
            weights,
        )
        return squares, rows, weights
