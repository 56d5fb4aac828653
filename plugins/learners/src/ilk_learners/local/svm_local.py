"""svm_local: features count as the nearest boundary of a support vector machine faces them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from ilk import Param
from ilk_learners.local.adaptive import AdaptiveMetric
from ilk_learners.local.boundaries import Boundaries
from ilk_learners.magnitude import check_finite_parameters, common_deviations
from ilk_learners.metric_learners.report import REPORT, Report

_PARTS = 5  # machines for the report, each made without a part of the rows
_FAR = 1e100  # beyond, where the kernel has long been 0


class SVMLocal(AdaptiveMetric):
    """Weigh features by how a support vector machine's boundary near the query faces them.

    A machine with the kernel ``exp(-gamma |x - z|^2)`` is made once (LFM-SVM). With f its decision
    function and n the gradient of f, of length 1, at the point of the boundary f = 0 nearest to
    the query q ::

        R_f = |n_f|,    A = c max(0, 1 - l / D),    w_f = exp(A R_f) / sum_g exp(A R_g)

    where l is the distance of q from that point, and D the mean of that over 100 training rows,
    evenly spread: far from the boundary all features count the same. The metric is
    ``d(x, q)^2 = sum_f w_f (x_f - q_f)^2``. Features should be of comparable spread, as after the
    transformer standardize.

    The nearest point of the boundary is approximated by that on the line from q to the nearest
    training row beyond it. With more than two classes there is a function for each pair of
    them; f is that of the class with most votes (the first of equal ones) and of the class
    for which it is nearest to 0.

    *Small regions.* If no row is beyond the boundary, or the gradient is 0, weights are equal.
    *Ties* go to the lower index.

    Parameters
    ----------
    C : float, default=1
        Price of a row on the wrong side of its margin.
    gamma : "scale" or float, default="scale"
        Of the kernel, in the unit of the data; "scale": one over the number of features and the
        variance of all numbers in X.
    c : float, default=5
        How much the boundary's direction matters; with 0 all weights are equal.
    report : bool, default=True
        Whether `fit` measures the error before and after.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    report_ : Report
        Leave-one-out error of the nearest neighbour, Euclidean and under this metric; the metric
        at a row is that of a machine which a fifth of the rows, and so this one, was kept from.

    Raises
    ------
    InputError
        If y has one class only, or k is larger than the number of training rows.

    References
    ----------
    C. Domeniconi, D. Gunopulos, J. Peng, "Large margin nearest neighbor classifiers", *IEEE
    Transactions on Neural Networks* 16, 2005; "Adaptive nearest neighbor classification using
    support vector machines", NIPS 2001. Zaidi 2011, section 6.1. There A = D - l, which depends
    on the unit; D and l are measured from the nearest support vector, which is 0 for most rows
    where classes overlap; and the boundary is looked for along the axes.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 3], [1, 0], [2, 2], [7, 1], [8, 3], [9, 0]]
    >>> learner = ilk.metric_learner("svm_local").fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> learner.local_metric([2, 1]).round(2)
    array([0.82, 0.18])
    >>> learner.kneighbors([[4, 1]], 3)[1]
    array([[2, 3, 1]])
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "C": Param(float, gt=0, doc="Price of a row on the wrong side of its margin."),
        "gamma": Param(float, choices=("scale",), gt=0, doc="Of the Gaussian kernel."),
        "c": Param(float, ge=0, doc="How much the boundary's direction matters."),
        "report": REPORT,
    }

    def __init__(
        self, C: float = 1.0, gamma: float | str = "scale", c: float = 5.0, report: bool = True
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.c = c
        self.report = report

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(C=10.0, gamma=0.5, c=1.0, report=False)]

    def check_parameters(self) -> None:
        super().check_parameters()
        check_finite_parameters(self, "C", "gamma", "c")

    def _prepare(self) -> None:
        self.mean_, rows, self.unit_ = common_deviations(self.columns_.T)
        self.boundaries_, self.reach_ = self._boundaries(rows, self.codes_)
        part = np.arange(len(rows)) % _PARTS
        parts = range(_PARTS) if self.report else ()
        self.parts_ = [self._boundaries(rows[part != i], self.codes_[part != i]) for i in parts]

    def _boundaries(self, rows: np.ndarray, codes: np.ndarray) -> tuple[Boundaries | None, float]:
        """A machine of some rows and its reach D; none if they are of one class."""
        if len(np.unique(codes)) < 2:
            return None, 0.0
        gamma = self.gamma
        if not isinstance(gamma, str):
            with np.errstate(over="ignore", under="ignore"):
                gamma = float(np.ldexp(float(gamma), 2 * (self.exponent_ + self.unit_)))
            gamma = min(max(gamma, 1e-300), 1e300)
        boundaries = Boundaries.of(rows, codes, float(self.C), gamma)
        return boundaries, boundaries.reach()

    def _report(self, X: np.ndarray) -> Report:
        report = super()._report(X)
        self.parts_ = []
        return report

    def _metrics(self, Q: np.ndarray, left_out: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            points = np.clip(np.ldexp(Q - self.mean_, -self.unit_), -_FAR, _FAR)
        if not (left_out >= 0).any():
            return self._weights(points, self.boundaries_, self.reach_)
        weights = np.empty(points.shape)
        for i, (boundaries, reach) in enumerate(self.parts_):
            own = left_out % _PARTS == i
            weights[own] = self._weights(points[own], boundaries, reach)
        return weights

    def _weights(
        self, points: np.ndarray, boundaries: Boundaries | None, reach: float
    ) -> np.ndarray:
        if boundaries is None or not len(points):
            return np.full(points.shape, 1 / points.shape[1])
        normals, distances = boundaries.normals(points)
        share = np.maximum(0.0, 1 - distances / reach) if reach > 0 else np.zeros(len(points))
        relevances = np.abs(normals)
        grown = relevances - relevances.max(axis=1, keepdims=True)
        weights = np.exp(float(self.c) * share[:, None] * grown)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))
