"""svm_local: features weighted by the normal of the nearest decision boundary of an SVM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import param
from ilk_learners.local.adaptive import AdaptiveMetric
from ilk_learners.numerics import check_finite_parameters, common_deviations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sklearn.svm import SVC

    from ilk_learners.metric_learners.linear import Report

_PARTS = 5  # machines for the report: 5-fold cross-validation
_FAR = 1e100  # farther queries are moved here: the kernel is 0 anyway


class SVMLocal(AdaptiveMetric):
    """Weight features by the normal of an SVM's decision boundary near the query (LFM-SVM).

    `fit` trains one machine with the kernel ``exp(-gamma |x - z|^2)``. With f its decision function
    and n the unit gradient of f at the point of the boundary f = 0 nearest to the query q ::

        R_f = |n_f|,    A = c max(0, 1 - l / D),    w_f = exp(A R_f) / sum_g exp(A R_g)

    where l is the distance of q from that point, and D the mean distance of 100 evenly chosen
    training rows: far from the boundary all weights are equal. The metric is
    ``d(x, q)^2 = sum_f w_f (x_f - q_f)^2``. Features should have comparable spread, as after the
    transformer standardize.

    The nearest point of the boundary is approximated on the line from q to the nearest training row
    beyond it. With more than two classes there is a function for each pair of classes. f is then
    the function closest to 0 among the pairs with the class of most votes (the first, in ties).

    *Small regions.* If no row is beyond the boundary, or the gradient is 0, weights are equal.
    *Ties* go to the lower index.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    report_ : Report
        Leave-one-out error of the nearest neighbour, Euclidean and under this metric. The metric at
        a row uses a machine trained without the fold of this row (5-fold cross-validation).

    Raises
    ------
    InputError
        If y has only one class, or k is larger than the number of training rows.

    References
    ----------
    C. Domeniconi, D. Gunopulos, J. Peng, "Large margin nearest neighbor classifiers", *IEEE
    Transactions on Neural Networks* 16, 2005; "Adaptive nearest neighbor classification using
    support vector machines", NIPS 2001. There A = D - l, which depends on the unit; D and l are
    measured from the nearest support vector, which is 0 for most rows if classes overlap; and the
    boundary is searched along the axes.

    Zaidi 2011: section 6.1.

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

    C: float = param(default=1.0, gt=0, doc="Cost of a violated margin.")
    gamma: float | str = param(
        default="scale",
        type=float,
        gt=0,
        choices=("scale",),
        doc='Gamma of the kernel, in the unit of the data; "scale": one over the product of the '
        "number of features and the variance of all numbers in X.",
    )
    c: float = param(
        default=5.0,
        ge=0,
        doc="Influence of the boundary's normal; 0: equal weights.",
    )

    waivers: ClassVar[Mapping[str, str]] = {
        "check_invariant#1": "gamma is given, in the unit of X",
    }

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(C=10.0, gamma=0.5, c=1.0, report=False)]

    def check_parameters(self) -> None:
        super().check_parameters()
        check_finite_parameters(self, "C", "gamma", "c")

    def _prepare(self) -> None:
        self.mean_, rows, self.unit_ = common_deviations(self.columns_.T)
        self.boundaries_, self.reach_ = self._boundaries(rows, self.codes_)
        # for the report a row is judged by a machine that was trained without it
        part = np.arange(len(rows)) % _PARTS
        parts = range(_PARTS) if self.report else ()
        self.parts_ = [self._boundaries(rows[part != i], self.codes_[part != i]) for i in parts]

    def _boundaries(self, rows: np.ndarray, codes: np.ndarray) -> tuple[Boundaries | None, float]:
        """A machine trained on the rows and its reach D; None if they are of one class."""
        if len(np.unique(codes)) < 2:
            return None, 0.0
        gamma = self.gamma
        if not isinstance(gamma, str):
            with np.errstate(over="ignore", under="ignore"):
                # gamma in the unit of the scaled rows
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
            members = left_out % _PARTS == i
            weights[members] = self._weights(points[members], boundaries, reach)
        return weights

    def _weights(
        self, points: np.ndarray, boundaries: Boundaries | None, reach: float
    ) -> np.ndarray:
        if boundaries is None or not len(points):
            return np.full(points.shape, 1 / points.shape[1])
        normals, distances = boundaries.normals(points)
        share = np.maximum(0.0, 1 - distances / reach) if reach > 0 else np.zeros(len(points))
        relevances = np.abs(normals)
        # the largest exponent is 0, so nothing overflows; a common factor of the weights cancels
        grown = relevances - relevances.max(axis=1, keepdims=True)
        weights = np.exp(float(self.c) * share[:, None] * grown)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


_HALVINGS = 20  # bisections between a query and a row beyond the boundary: 1e-6 of the way
_MOST = 100  # rows whose distances from the boundary are averaged: enough for a mean
_QUERIES = 32  # queries per block


@dataclass(frozen=True)
class Boundaries:
    """Machines with the Gaussian kernel for each pair of classes, and their training rows.

    Attributes
    ----------
    machine : SVC
    rows : ndarray of shape (n, p)
    beyond : ndarray of bool, shape (n, n_pairs)
        Side of each pair's boundary on which a row lies.
    """

    machine: SVC
    rows: np.ndarray
    codes: np.ndarray
    beyond: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray, codes: np.ndarray, C: float, gamma: float | str) -> Self:
        """Fit the machine to rows of at least two classes."""
        from sklearn.svm import SVC

        variance = float(rows.var())
        if isinstance(gamma, str):
            gamma = 1 / (rows.shape[1] * variance) if variance > 0 else 1.0
        machine = SVC(C=C, gamma=gamma, decision_function_shape="ovo").fit(rows, codes)
        beyond = _pairwise(machine, rows) > 0
        return cls(machine, rows, codes, beyond)

    def reach(self) -> float:
        """Mean distance of evenly chosen rows from the boundary; 0 if there is none."""
        n = len(self.rows)
        some = self.rows[np.unique(np.linspace(0, n - 1, min(n, _MOST)).astype(int))]
        distances = np.empty(len(some))

        def work(start: int, stop: int) -> None:
            distances[start:stop] = self.normals(some[start:stop])[1]

        ilk.in_blocks(work, len(some), _QUERIES)
        known = distances[np.isfinite(distances)]
        return float(known.mean()) if known.size else 0.0

    def normals(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Unit gradients at the nearest boundary of the predicted class.

        Returns
        -------
        normals : ndarray of shape (m, p)
            0 if the gradient is 0.
        distances : ndarray of shape (m,)
            Distance from that point of the boundary; infinite if no row is beyond it.
        """
        values = _pairwise(self.machine, points)
        pairs = self._nearest_boundary(values)
        coef, bias = self._functions(pairs)
        far, known = self._other_side(points, pairs, values[np.arange(len(points)), pairs] > 0)
        near, side = points, self._values(points, coef, bias) > 0
        # bisection: `near` stays on the query's side, `far` on the other one
        for _ in range(_HALVINGS):
            middle = near + (far - near) / 2
            same = ((self._values(middle, coef, bias) > 0) == side)[:, None]
            near, far = np.where(same, middle, near), np.where(same, far, middle)
        gradient = self._gradients(near, coef)
        largest = np.abs(gradient).max(axis=1, keepdims=True)
        # by the largest entry first, so that squares neither overflow nor vanish
        gradient /= np.where(largest > 0, largest, 1)
        length = np.sqrt(np.sum(gradient**2, axis=1, keepdims=True))
        distances = np.sqrt(np.sum((near - points) ** 2, axis=1))
        return gradient / np.where(length > 0, length, 1), np.where(known, distances, np.inf)

    def _nearest_boundary(self, values: np.ndarray) -> np.ndarray:
        """Among the pairs with the class of most votes, the one with the function closest to 0."""
        classes = len(self.machine.classes_)
        first, second = np.triu_indices(classes, 1)
        votes = np.zeros((len(values), classes), dtype=int)
        for pair, (a, b) in enumerate(zip(first, second, strict=True)):
            votes[:, a] += values[:, pair] > 0
            votes[:, b] += values[:, pair] <= 0
        winner = votes.argmax(axis=1)[:, None]
        involved = (first == winner) | (second == winner)
        return np.asarray(np.where(involved, np.abs(values), np.inf).argmin(axis=1))

    def _functions(self, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (m, n_support) and constants (m,) of the functions of given pairs."""
        first, second = (each[pairs] for each in np.triu_indices(len(self.machine.classes_), 1))
        owner = np.repeat(np.arange(len(self.machine.classes_)), self.machine.n_support_)
        dual, m = self.machine.dual_coef_, len(pairs)
        coef = np.zeros((m, len(owner)))
        for i in range(m):
            a, b = owner == first[i], owner == second[i]
            # scikit-learn's layout: of a row of class a, the coefficient against b is in line b - 1
            # if a < b, else in line b
            coef[i, a] = dual[second[i] - 1, a]
            coef[i, b] = dual[first[i], b]
        return coef, self.machine.intercept_[pairs]

    def _other_side(
        self, points: np.ndarray, pairs: np.ndarray, side: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The nearest row of the pair's classes beyond the boundary, and whether there is one."""
        first, second = (each[pairs] for each in np.triu_indices(len(self.machine.classes_), 1))
        names = self.machine.classes_
        opposite = (self.codes == names[first][:, None]) | (self.codes == names[second][:, None])
        # rows on the other side of the boundary than the query
        opposite &= side[:, None] != self.beyond[:, pairs].T
        squares = np.where(opposite, _squares(points, self.rows), np.inf)
        return np.asarray(self.rows[squares.argmin(axis=1)]), opposite.any(axis=1)

    def _kernel(self, points: np.ndarray) -> np.ndarray:
        return np.exp(-float(self.machine.gamma) * _squares(points, self.machine.support_vectors_))

    def _values(self, points: np.ndarray, coef: np.ndarray, bias: np.ndarray) -> np.ndarray:
        return np.asarray(np.sum(coef * self._kernel(points), axis=1) + bias)

    def _gradients(self, points: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """Gradients of the functions, without the factor -2 gamma."""
        # the gradient of exp(-gamma |x - s|^2) is -2 gamma (x - s) times the kernel
        shares = coef * self._kernel(points)
        mean = np.matmul(shares[:, None, :], self.machine.support_vectors_)[:, 0]
        return np.asarray(shares.sum(axis=1, keepdims=True) * points - mean)


def _pairwise(machine: SVC, points: np.ndarray) -> np.ndarray:
    values: Any = machine.decision_function(points)
    return np.asarray(values).reshape(len(points), -1)


def _squares(points: np.ndarray, rows: np.ndarray) -> np.ndarray:
    from ilk_learners.local.distance_kernels import weighted

    squares = np.empty((len(points), len(rows)))
    columns = np.ascontiguousarray(rows.T)
    weighted(columns, np.ascontiguousarray(points), np.ones(points.shape), squares)
    return squares
