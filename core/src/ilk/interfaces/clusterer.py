"""Clusterer: groups similar objects."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

from ilk.component import Component
from ilk.estimators import ClusterMixin

if TYPE_CHECKING:
    from ilk.arrays import Cases, Labels


class Clusterer(ClusterMixin, Component):
    """Groups similar objects, as scikit-learn's clusterers do.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        Cluster of each training row; -1 is noise.
    """

    kind: ClassVar[str] = "clusterer"

    @abstractmethod
    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Find the clusters of X; y is ignored, unless the clusterer documents its use."""
