"""DBSCAN over several views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import Capabilities, DistanceLike, IndexLike, Param, ViewsLike, param, slot, slots
from ilk_ensembles.base.members import failure
from ilk_ensembles.base.views import VIEWS, check_by_view, learn_columns, view_names
from ilk_ensembles.clusterers.density import (
    MIN_SAMPLES,
    MultiViewNeighborhoods,
    RadiusNeighborhoods,
    density_clusters,
    radius_neighborhoods,
)

if TYPE_CHECKING:
    from ilk import ArrayLike, Cases, Labels


class MultiViewDBSCAN(ilk.Clusterer):
    """Density-based clustering over several views, by union or intersection of neighbourhoods.

    Let ``N_i(o) = {p: d_i(o_i, p_i) <= eps_i}`` be the neighbourhood of row o in view i,
    including o. The neighbourhood of o is

    - "union": the rows near it in at least one view. For sparse data, where one view can show
      a similarity that another misses.
    - "intersection": the rows near it in every view. For views in which dissimilar rows can be
      near, too.

    Rows with at least `min_samples` in their neighbourhood are core. Clusters are the rows
    reachable from core rows through neighbourhoods, as in `dbscan`: numbered by their first
    core row, border rows in the first cluster that reaches them, -1 noise. With one view,
    either method is `dbscan`.

    Time: that of `dbscan` for each view; memory as there.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        Cluster of each training row; -1 is noise.
    core_sample_indices_ : ndarray of int, shape (n_core,)
    n_clusters_ : int
    distances_ : dict of str to distance
        The fitted distances, by view.
    columns_ : dict of str to ndarray
        Positions of the columns of each view.
    n_features_in_ : int

    Raises
    ------
    ParameterError
        If a view names no column, `eps` lacks a view, `distances` names an unknown view, or the
        index has no radius search.
    InputError
        If a distance does not accept its view; the error names the view.

    References
    ----------
    .. [1] K. Kailing, H.-P. Kriegel, A. Pryakhin and M. Schubert, "Clustering multi-represented
       objects with noise", PAKDD 2004.
    .. [2] Ntoutsi 2015: Multi-view clustering; Union core objects; Intersection core objects;
       Cluster expansion (the count includes o itself here, as in Ester et al., 1996).

    Examples
    --------
    Rows 0 and 1 are near in the first view, 1 and 2 in the second, 3 and 4 in both:

    >>> import ilk
    >>> X = [[0, 0], [0, 5], [3, 5], [9, 9], [9, 9]]
    >>> views = {"first": [0], "second": [1]}
    >>> union = ilk.clusterer("multiview_dbscan", views=views, eps=1, min_samples=2)
    >>> union.fit(X).labels_
    array([0, 0, 0, 1, 1])
    >>> union.set_params(method="intersection").fit(X).labels_
    array([-1, -1, -1,  0,  0])
    """

    views: ViewsLike | None = VIEWS
    eps: float | Mapping[Any, float] = param(
        default=0.5,
        type=(float, dict),
        ge=0,
        items=Param(float, ge=0),
        form="float or dict of str to float",
        doc="Radius for every view, or for each by name; inclusive.",
    )
    min_samples: int = MIN_SAMPLES
    distance: DistanceLike = slot(
        "distance",
        default="euclidean",
        doc="Distance for every view that `distances` does not name.",
    )
    distances: Mapping[str, DistanceLike] | None = slots(
        "distance",
        default=None,
        many=dict,
        doc="Distances for individual views, by name of the view.",
    )
    method: Literal["union", "intersection"] = param(
        default="union",
        choices=("union", "intersection"),
        doc="Neighbours in any view, or in every view.",
    )
    index: IndexLike = slot(
        "index",
        default="brute",
        doc="An index with ``radius_neighbors``; cloned for each view.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables", "views"), sample_weight=True
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """All columns; views of arrays and tables, one with nominal columns."""
        halves = {"left": [0, 1], "right": [2, 3]}
        columns = {"color": ["color1", "color2"], "shape": ["shape1", "shape2"]}
        mixed = {"form": ["height", "width"], "look": ["color", "size"]}
        by_view = {"look": "heterogeneous"}
        return [
            cls(),
            cls(
                views=halves,
                eps={"left": 2, "right": 1},
                min_samples=4,
                method="intersection",
                index="kd_tree",
            ),
            cls(views=[[0, 1, 2], [2, 3]], eps=1.5, min_samples=3, distance="manhattan"),
            cls(views=columns, eps=2.0, min_samples=3, method="intersection"),
            cls(
                views=mixed,
                eps={"form": 1.5, "look": 0.1},
                min_samples=3,
                distances=by_view,
                method="intersection",
            ),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that radii and distances match the views."""
        super().check_parameters()
        if self.views is not None:
            ilk.check_views(self, self.views)
        check_by_view(self, "distances", self.distances)
        if not isinstance(self.eps, Mapping):
            return
        check_by_view(self, "eps", self.eps)
        known = [] if isinstance(self.views, str) else view_names(self.views)
        lacking = [view for view in known if view not in self.eps]
        if lacking:
            raise self.parameter_error("eps", f"must name every view, lacks {lacking}")

    def fit(
        self, X: Cases, y: Labels | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Find the clusters of X.

        Parameters
        ----------
        X : array or data frame of shape (n, p)
        y : ignored
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts as two rows, a row of weight 0 as none.
        """
        self.columns_: dict[Any, np.ndarray]
        self.check_parameters()
        X = learn_columns(self, X, self.views)
        weights = None if sample_weight is None else ilk.check_weights(self, sample_weight, X)
        views = {view: self._near(view, part) for view, part in ilk.views_of(self, X)}
        self.distances_ = {view: near.distance for view, near in views.items()}
        least = 1 if self.method == "union" else len(views)
        near = MultiViewNeighborhoods(list(views.values()), least)
        self.labels_, core = density_clusters(near, int(self.min_samples), weights)
        self.core_sample_indices_ = np.flatnonzero(core)
        self.n_clusters_ = int(self.labels_.max()) + 1
        return self

    def _near(self, view: object, part: Any) -> RadiusNeighborhoods:
        """Neighbourhoods in one view."""
        by_view = {} if self.distances is None else self.resolve_slot("distances")
        distance = by_view[view] if view in by_view else self.resolve_slot("distance")
        eps = self.eps[view] if isinstance(self.eps, Mapping) else self.eps
        try:
            return radius_neighborhoods(
                self, part, distance, self.resolve_slot("index"), float(eps)
            )
        except (ilk.InputError, ilk.InputTypeError) as error:
            raise failure(self, f"view {view!r}", distance, error) from error
