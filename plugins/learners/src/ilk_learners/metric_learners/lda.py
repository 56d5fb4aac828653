"""lda: the directions that separate classes, scaled by the within-class variation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from ilk import InputError, check_labels, check_vectors, display_name, param
from ilk_learners.metric_learners.linear import (
    LinearMetricLearner,
    check_components,
    report_where_known,
)
from ilk_learners.metric_learners.whitening import inverse_root, leading
from ilk_learners.numerics import common_deviations, map_back, rounding, subtract_means

if TYPE_CHECKING:
    from ilk import Cases, Labels


class LDA(LinearMetricLearner):
    """Project on the directions that separate classes best (Fisher's linear discriminants).

    W is the within-class covariance (divided by n - C) and B the covariance of class means, each
    weighted by its share of the rows. The rows of L solve ``B v = r W v``, the largest ratio r
    first, scaled to ``v' W v = 1``: a distance of 1 in the learned space is a within-class standard
    deviation. Class means differ in at most C - 1 directions.

    Neither matrix is formed, and W is not inverted: a singular value decomposition whitens the
    deviations from class means, and another one finds the principal axes of the means. Features
    are first scaled to standard deviation 1. So the metric follows any change of units (and any
    invertible linear map, if W is not singular).

    Prior probabilities enter only as the shares in B. The term ln(prior), missing in the thesis's
    equation (2.4), belongs to the classifier of the same name.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L.
    ratios_ : ndarray of shape (d,)
        Variance of the class means along each direction, in units of the within-class variance.
    rank_ : int
        Rank of W, before shrinkage.
    shrinkage_ : float
        The intensity used.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after; None if not requested.

    Raises
    ------
    InputError
        If there is only one class; if all points equal their class means, or all means are equal;
        if W is singular and ``singular="error"``; if n_components exceeds the number of directions.

    References
    ----------
    Fisher, "The use of multiple measurements in taxonomic problems", *Annals of Eugenics* 7, 1936.
    Belhumeur, Hespanha, Kriegman, "Eigenfaces vs. Fisherfaces", *IEEE PAMI* 19, 1997 (reduction).

    Zaidi 2011: section 2.4.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 0], [2, 2], [0, 2], [2, 0], [10, 0], [12, 2], [10, 2], [12, 0]]
    >>> lda = ilk.metric_learner("lda").fit(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> lda.components_.round(3), lda.ratios_.round(2)
    (array([[0.866, 0.   ]]), array([18.75]))
    """

    n_components: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Number of directions, at most C - 1; None: all in which class means differ.",
    )
    shrinkage: float = param(
        default=0.0,
        ge=0,
        le=1,
        doc="s in 0..1: W becomes (1 - s) W + s trace(W)/p I, for features of standard "
        "deviation 1.",
    )
    singular: Literal["reduce", "shrink", "error"] = param(
        default="reduce",
        choices=("reduce", "shrink", "error"),
        doc='What to do if W has rank below p. "reduce": project on the leading principal '
        "components of all points, as many as the rank of W, without the components that would "
        'make it singular again. "shrink": shrink with the intensity of Ledoit and Wolf. '
        '"error": raise.',
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(n_components=1, report=False),
            cls(shrinkage=0.1, report=False),
            cls(singular="shrink", report=False),
        ]

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn L from rows X and labels y."""
        self.check_parameters()
        X = check_vectors(self, X, reset=True, min_rows=2)
        classes, groups = check_labels(self, y, X, min_classes=2)
        check_components(self, self.n_components, X.shape[1])
        n, n_classes = len(X), len(classes)
        _, inside, exponent = common_deviations(X)
        means = subtract_means(inside, groups, n_classes)
        shares = np.bincount(groups) / n
        # the deviation of all points: variance within the classes plus that of the class means
        scale = np.sqrt(np.einsum("ij,ij->j", inside, inside) / n + shares @ means**2)
        scale[scale == 0] = 1.0
        # now inside' inside is the within-class covariance of standardized features
        degrees = max(n - n_classes, 1)
        inside /= scale * np.sqrt(degrees)
        noise = rounding(X, exponent) / scale
        between = means * (np.sqrt(shares)[:, None] / scale)
        # T'T, of the rows inside * sqrt((n - C) / n) and between, is the total covariance
        components = inverse_root(
            self,
            inside,
            lambda: np.vstack([inside * np.sqrt((n - n_classes) / n), between]),
            what="the covariance inside the classes",
            noise=noise / np.sqrt(degrees),
        )
        # L whitens the space, where directions of largest variance of the means maximise Fisher's
        # ratio
        roots, components = leading(components, between)
        computed = n * float(np.linalg.norm(components)) * float(np.finfo(float).eps)
        least = max(computed, float(np.linalg.norm(components[0] * noise)))
        d = self._n_directions(roots, n_classes, least)
        self.ratios_ = roots[:d] ** 2
        self.components_ = map_back(self, components[:d] / scale, exponent, X.dtype)
        self.report_ = report_where_known(self, X, y)
        return self

    def _n_directions(self, roots: np.ndarray, n_classes: int, least: float) -> int:
        """Number of directions to keep; differences up to `least` are rounding errors of means."""
        # the means of C classes differ in at most C - 1 directions
        differ = int((roots[: n_classes - 1] > least).sum())
        if differ == 0:
            raise InputError(
                f"{display_name(self)}: the classes have the same mean: no direction separates them"
            )
        wanted = differ if self.n_components is None else int(self.n_components)
        if wanted > differ:
            raise InputError(
                f"{display_name(self)}: n_components must be at most {differ}, the directions in "
                f"which the means of {n_classes} classes differ, got {wanted}"
            )
        return wanted
