"""DBSCAN: clusters as dense regions, for any distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import INPUT_KINDS, Capabilities, DistanceLike, IndexLike, param, slot
from ilk_ensembles.clusterers.density import (
    MIN_SAMPLES,
    comparable,
    density_clusters,
    radius_neighborhoods,
)

if TYPE_CHECKING:
    from ilk import ArrayLike, Cases, Labels


class DBSCAN(ilk.Clusterer):
    """Density-based clustering (DBSCAN), for any distance and any input that it accepts.

    The neighbourhood of row o is ``N(o) = {p: d(o, p) <= eps}``, including o. A row is core if
    ``|N(o)| >= min_samples``. A cluster is the set of rows reachable from a core row: the rows
    in its neighbourhood, the rows in the neighbourhoods of the core rows among them, and so on.
    Rows reachable from no core row are noise.

    Clusters are numbered by their first core row. A border row, reachable but not core, may be
    near several clusters: it goes to the first of them. These are the labels of scikit-learn's
    DBSCAN, with one exception: there a row of weight 0 can be core; here it never is, so that it
    gets a label, but changes no other.

    Memory, besides the data and the index: the neighbours of rows that are not core, fewer than
    `min_samples` each, and one block of neighbourhoods at a time. So a large `eps` costs time
    but not memory. If the distance is not symmetric, or the index not exact, the neighbourhoods
    of all core rows are stored. A full distance matrix is never computed.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        Cluster of each training row; -1 is noise.
    core_sample_indices_ : ndarray of int, shape (n_core,)
    n_clusters_ : int
    distance_ : distance
        The fitted distance.
    n_features_in_ : int
        If X has columns.

    Raises
    ------
    ParameterError
        If the index has no radius search.
    InputError
        If the distance does not accept X, or a distance is NaN.

    References
    ----------
    .. [1] M. Ester, H.-P. Kriegel, J. Sander and X. Xu, "A density-based algorithm for discovering
       clusters in large spatial databases with noise", KDD 1996: definitions 1 to 6.
    .. [2] Ntoutsi 2015: Multi-view clustering.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [2.0], [9.0], [20.0], [21.0], [22.0]]
    >>> ilk.clusterer("dbscan", eps=1, min_samples=3).fit(X).labels_
    array([ 0,  0,  0, -1,  1,  1,  1])
    >>> words = ["tree", "three", "trees", "stone", "stones", "dog"]
    >>> ilk.clusterer("dbscan", eps=1, min_samples=2, distance="levenshtein").fit(words).labels_
    array([ 0,  0,  0,  1,  1, -1])
    """

    eps: float = param(default=0.5, ge=0, doc="Radius of neighbourhoods, inclusive.")
    min_samples: int = MIN_SAMPLES
    distance: DistanceLike = slot(
        "distance",
        default="euclidean",
        doc='Precomputed ones too: ``{"use": "precomputed", "matrix": D}``, with X a column of row '
        "numbers.",
    )
    index: IndexLike = slot("index", default="brute", doc="An index with ``radius_neighbors``.")
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=INPUT_KINDS,
        sample_weight=True,
        sparse=True,
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Vectors by two indexes, tables, and histograms by an asymmetric distance."""
        return [
            cls(),
            cls(eps=2.0, min_samples=3, index="kd_tree"),
            cls(eps=0.2, min_samples=2, distance="heterogeneous"),
            cls(eps=0.3, min_samples=3, distance="kullback_leibler"),
        ]

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        try:
            distance, index = self.resolve_slot("distance"), self.resolve_slot("index")
        except ilk.IlkError:  # `fit` raises it
            return tags
        tags.input_tags = get_tags(distance).input_tags
        tags.input_tags.sparse &= index.capabilities.sparse
        return tags

    def fit(
        self, X: Cases, y: Labels | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Find the clusters of X.

        Parameters
        ----------
        X : data of n rows
        y : ignored
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts as two rows, a row of weight 0 as none.
        """
        self.check_parameters()
        distance = self.resolve_slot("distance")
        X = comparable(self, distance, X)
        weights = None if sample_weight is None else ilk.check_weights(self, sample_weight, X)
        near = radius_neighborhoods(self, X, distance, self.resolve_slot("index"), float(self.eps))
        self.distance_ = near.distance
        self.labels_, core = density_clusters(near, int(self.min_samples), weights)
        self.core_sample_indices_ = np.flatnonzero(core)
        self.n_clusters_ = int(self.labels_.max()) + 1
        return self
