"""machete and scythe: cut a region around the query along its relevant features."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from ilk import param
from ilk_learners.local.adaptive import PartitionMetric

if TYPE_CHECKING:
    from collections.abc import Mapping


class Machete(PartitionMetric):
    """Cut off, step by step, rows far from the query along the most relevant feature.

    The region holds all training rows at first. In it, each feature f has the relevance ::

        I_f^2 = sum_c ( P(c) - P(c | near) )^2

    where P(c) is the share of class c in the region, and P(c | near) its share among the L rows of
    the region nearest to the query along f (and ties of the last). It measures how well the query's
    value of f predicts the class. A step keeps the share `shrink` of the region's K rows, rounded
    down, nearest to the query along the feature of the largest relevance (the first, in ties),
    until `n_neighbors` remain (k, if more are requested). The units of features do not matter while
    one is relevant.

    The result is not the partition but the k nearest rows of the last region, ordered under the
    metric ``d(x, q)^2 = sum_f r_f (x_f - q_f)^2``, and their distances (for k up to `n_neighbors`;
    for larger k, of a region of k rows). The shares ``r_f = I_f^2 / sum I^2`` are those of the last
    step, also given by ``local_metric(x)``. For this order features should have comparable spread.

    *Small regions*: of fewer than 2L rows, half are near. A feature without rows beyond has
    relevance 0; if all have, the nearest rows under the previous weights are kept (equal at the
    start). *Ties* go to the lower index.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    report_ : Report
        Leave-one-out error of the nearest neighbour, Euclidean and under this metric. A left-out
        row does not influence its own region.

    Raises
    ------
    InputError
        If y has only one class, or k is larger than the number of training rows.

    Notes
    -----
    The default of `n_neighbors`, at which as many rows are beyond as are near, erred a little less
    than Friedman's 1 (mean over 16 sets 17.4%, with 1 17.9%).

    References
    ----------
    J. H. Friedman, "Flexible metric nearest neighbor classification", Stanford University, 1994.

    Zaidi 2011: section 6.1; equation 6.1 (which has 1/C for the share of each class in the region:
    correct only if all classes are equally frequent).

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 3], [1, 0], [2, 2], [7, 1], [8, 3], [9, 0]]
    >>> learner = ilk.metric_learner("machete", n_neighbors=3)
    >>> learner.fit(X, ["a", "a", "a", "b", "b", "b"]).kneighbors([[4, 1]], 3)[1]
    array([[2, 3, 1]])
    """

    shrink: float = param(
        default=0.8,
        gt=0,
        lt=1,
        doc="Share of the region's rows kept by each step.",
    )
    logarithmic: ClassVar[bool] = False
    single: ClassVar[bool] = True

    waivers: ClassVar[Mapping[str, str]] = {
        "check_invariant": "equally relevant features are cut in their order",
    }

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(n_neighbors=1, L=5, shrink=0.5, report=False)]

    def _step(self) -> tuple[float, float]:
        return float(self.shrink), 0.0


class Scythe(Machete):
    """Cut off rows far from the query, with features weighted by relevance.

    Like the machete, but with all features: with the relevances ``I_f^2`` of the features in the
    region and their shares ``r_f = I_f^2 / sum I^2``, a step keeps the share `shrink` of the
    region's rows nearest under the metric ::

        d(x, q)^2 = sum_f r_f (x_f - q_f)^2

    so that a feature influences each cut in proportion to its relevance. The k nearest rows are
    those of the last region under the weights r of the last step, also given by
    ``local_metric(x)``. Features should have comparable spread, as after the transformer
    standardize. "In proportion" means that each difference ``x_f - q_f`` is multiplied by I_f.

    Attributes
    ----------
    classes_, report_
        As in machete.

    Raises
    ------
    InputError
        If y has only one class, or k is larger than the number of training rows.

    References
    ----------
    J. H. Friedman, "Flexible metric nearest neighbor classification", Stanford University, 1994.

    Zaidi 2011: sections 6.1, 6.3.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 3], [1, 0], [2, 2], [7, 1], [8, 3], [9, 0]]
    >>> learner = ilk.metric_learner("scythe").fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> learner.local_metric([1, 0]).round(2)
    array([0.9, 0.1])
    >>> learner.kneighbors([[1, 0]], 3)[1]
    array([[1, 2, 0]])
    """

    waivers: ClassVar[Mapping[str, str]] = {}
    single: ClassVar[bool] = False
