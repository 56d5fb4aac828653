"""machete and scythe: a region around the query is cut along its relevant features."""

from __future__ import annotations

from typing import ClassVar, Self

from ilk import param
from ilk_learners.local.partition import PartitionMetric


class Machete(PartitionMetric):
    """Cut off, step by step, what is far from the query along the most relevant feature.

    A region holds all training rows at first. In it, each feature f gets the relevance ::

        I_f^2 = sum_c ( P(c) - P(c | near) )^2

    where P(c) is the share of class c in the region, and P(c | near) that among the L of its
    rows nearest to the query along f (and all as near as the last of them): how much better
    the class is known once the query's value of f is. A step keeps that `shrink` of the
    region's K rows, rounded down, which are nearest to the query along the feature with the
    largest relevance (the first of equal ones), until `n_neighbors` are left (k, where more
    are asked for). Units of single features do not change what is kept, as long as one is
    relevant.

    What is returned is no partition: the k nearest rows of the last region under the metric
    ``d(x, q)^2 = sum_f r_f (x_f - q_f)^2`` with the shares ``r_f = I_f^2 / sum I^2`` of the
    last step, which ``local_metric(x)`` gives, in order, with their distances (for k up to
    `n_neighbors`; beyond, of a region of k rows). For this last order features should be of
    comparable spread.

    *Small regions*: of fewer than 2L rows, half are near. A feature that has no row beyond
    has no relevance; if none has any, the rows nearest under the weights of the step before
    are kept, equal ones at the start. *Ties* go to the lower index.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    report_ : Report
        Leave-one-out error of the nearest neighbour, Euclidean and under this metric; a row
        left out does not shape its own region either.

    Raises
    ------
    InputError
        If y has one class only, or k is larger than the number of training rows.

    Notes
    -----
    The default of `n_neighbors`, at which as many rows are beyond as are near, erred a little less
    than Friedman's 1 (mean over 16 sets 17.4%, with 1 17.9%).

    References
    ----------
    J. H. Friedman, "Flexible metric nearest neighbor classification", Stanford University,
    1994. Zaidi 2011, equation (6.1), which has 1/C for the share of each class in the region:
    right only where all classes are as frequent.

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
        doc="Share of a region's rows that each step keeps.",
    )
    logarithmic: ClassVar[bool] = False
    single: ClassVar[bool] = True

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(n_neighbors=1, L=5, shrink=0.5, report=False)]

    def _step(self) -> tuple[float, float]:
        return float(self.shrink), 0.0


class Scythe(Machete):
    """Cut off what is far from the query, each feature counting as much as it is relevant.

    As the machete, but the winner does not take all: with the relevances ``I_f^2`` of the
    features in the region and their shares ``r_f = I_f^2 / sum I^2``, a step keeps that
    `shrink` of the region's rows which are nearest under the metric ::

        d(x, q)^2 = sum_f r_f (x_f - q_f)^2

    so that a feature influences each cut in proportion to its relevance. The k nearest are
    those of the last region under the weights r of the last step, which ``local_metric(x)``
    gives. Features should be of comparable spread, as after the transformer standardize.

    "In proportion" is read so: each difference ``x_f - q_f`` is multiplied by I_f.

    Attributes
    ----------
    classes_, report_
        As with machete.

    Raises
    ------
    InputError
        If y has one class only, or k is larger than the number of training rows.

    References
    ----------
    J. H. Friedman, "Flexible metric nearest neighbor classification", Stanford University,
    1994. Zaidi 2011, sections 6.1 and 6.3.

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

    single: ClassVar[bool] = False
