"""scythe: a region around the query is cut along all features, as far as each is relevant."""

from __future__ import annotations

from typing import ClassVar

from ilk_learners.local.machete import Machete


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

    Parameters
    ----------
    n_neighbors : int, default=40
        Rows in the region at which partitioning ends, unless more neighbours are asked for.
    L : int, default=20
        How many rows are near along a feature.
    shrink : float, default=0.8
        Share of a region's rows that each step keeps.
    report : bool, default=True
        Whether `fit` measures the error before and after.

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
