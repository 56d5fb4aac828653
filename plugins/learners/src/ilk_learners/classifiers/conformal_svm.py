"""conformal_svm: a second support vector machine with more resolution at the first one's border."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import (
    Capabilities,
    Classifier,
    DistanceLike,
    InputError,
    InputTypeError,
    KernelLike,
    check_fitted,
    check_labels,
    display_name,
    fit_component,
    n_rows,
    param,
    slot,
    take,
)
from ilk_learners.numerics import check_finite_parameters
from ilk_learners.svm.dual import Dual
from ilk_learners.svm.gram import MAX_ITER, checked_gram, precomputed
from ilk_learners.svm.machines import class_scores, dense_coefficients, problems, winners
from ilk_learners.validation import read_rows, with_input_tags

if TYPE_CHECKING:
    from ilk import Cases, Distance, Labels
    from ilk_learners.svm.machines import Machine


_CELLS = 2**22  # kernel values at a time when predicting


class ConformalSVM(Classifier):
    """Support vector machine in two passes, the second with more resolution near the border.

    Support vectors lie near the decision border. So a first machine is trained with the kernel k
    and a second one with

        k'(x, z) = c(x) c(z) k(x, z),    c(x) = sum_i a_i exp(-d(x, x_i)^2 / (2 tau^2))

    where the sum is over the support vectors x_i of the first machine and a_i are their
    multipliers. The factor c is large near the border: it enlarges the space there and moves the
    classes apart.

    As c is of order C, k' would be about C^2 times k and the second margin almost hard. So c is
    divided by its root mean square over the training rows (``normalize=True``; the printed
    equation does not). Then C means the same in both passes. With ``C=inf`` that changes nothing.

    More than two classes: one machine for each class against the rest, each with a factor c of its
    own. They share the Gram matrix of k.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    kernel_, distance_ : components
        Fitted.
    taus_ : ndarray of shape (n_machines,)
    factors_ : list of Factor
        The function c of each machine.
    support_ : ndarray of int, shape (n_support,)
        Support vectors of any machine of the second pass.
    support_vectors_ : data of n_support rows
    dual_coef_ : ndarray of shape (n_machines, n_support)
        With two classes there is one machine.
    intercept_, margin_ : ndarray of shape (n_machines,)
    n_iter_ : ndarray of int, shape (n_machines,)
        Iterations of libsvm, in both passes.
    first_support_ : list of ndarray of int
        Support vectors of each machine of the first pass.
    n_features_in_ : int
        Where the rows are vectors or tables.

    Raises
    ------
    InputError
        If there are fewer than two classes, if all support vectors are equal (tau is undefined),
        or if c is 0 on all training rows; also for the reasons of `svm`.

    Warns
    -----
    ConvergenceWarning
        If a machine has not converged after max_iter iterations.

    References
    ----------
    .. [1] S. Amari and S. Wu, "Improving support vector machine classifiers by modifying kernel
       functions", *Neural Networks* 12 (6), 1999.
    .. [2] Zaidi 2011: section 7.1; equations 7.4-7.5.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> svm = ilk.classifier("conformal_svm").fit(X[::2], y[::2])
    >>> round(svm.score(X[1::2], y[1::2]), 2)
    0.97
    >>> len(svm.taus_)
    3
    """

    kernel: KernelLike = slot("kernel", default="rbf", doc="Any.")
    C: float = param(
        default=10.0,
        gt=0,
        doc="Cost of a violated margin, in both passes; inf: a hard margin.",
    )
    tau: float | str = param(
        default="neighbors",
        type=float,
        gt=0,
        choices=("neighbors",),
        doc='Range of a support vector. "neighbors": tau^2 is the mean '
        "squared distance of a machine's support vectors to their `n_neighbors` nearest others, "
        "distances of 0 left out.",
    )
    n_neighbors: int = param(default=8, ge=1, doc="At most; there may be fewer.")
    distance: DistanceLike = slot(
        "distance",
        default="euclidean",
        doc="The distance d; it must accept the kernel's input.",
    )
    normalize: bool = param(default=True, doc="Whether to scale c to a root mean square of 1.")
    tol: float = param(
        default=0.001,
        gt=0,
        doc="Violation of the optimality conditions at which libsvm stops.",
    )
    max_iter: int | None = MAX_ITER
    memory: float = param(
        default=1024,
        type=float,
        gt=0,
        doc="Limit of one Gram matrix, in mebibytes; there are two.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "histograms", "tables", "strings", "signatures", "sets", "views"),
        sparse=True,
    )
    solver: ClassVar[str] = "libsvm"

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(kernel="linear", C=1.0, tau=3.0, normalize=False)]

    def check_parameters(self) -> None:
        """Check each parameter, that all numbers except C are finite, and that `tol` <= 2."""
        super().check_parameters()
        check_finite_parameters(self, "tau", "tol")
        if self.tol > 2:
            raise self.parameter_error("tol", f"must be at most 2, libsvm's start, got {self.tol}")

    def fit(self, X: Cases, y: Labels) -> Self:
        """Train each machine twice.

        Parameters
        ----------
        X : data of n rows, of any kind that kernel and distance take
        y : array of shape (n,)
        """
        self.check_parameters()
        kernel: Any = self.resolve_slot("kernel")
        X = read_rows(self, kernel, X, reset=True)
        self.classes_, codes = check_labels(self, y, X, min_classes=2)
        labels = self.classes_[codes]
        self.kernel_ = fit_component(kernel, X, labels)
        self.distance_ = self._fitted_distance(X, labels)
        K = checked_gram(self, self.kernel_, X)
        signs = [s for _, s in problems(codes, len(self.classes_), "ova")]
        first = [self._solved(K, each) for each in signs]
        # the factor is large near the first machine's support vectors, so it magnifies the border
        self.factors_ = [self._factor(X, machine) for machine in first]
        second = []
        for factor, each in zip(self.factors_, signs, strict=True):
            c = factor(X)
            # k'(x, z) = c(x) c(z) k(x, z), the conformal transformation of Amari and Wu
            second.append(self._solved(K * c * c[:, None], each))
        self.taus_ = np.array([factor.tau for factor in self.factors_])
        self.first_support_ = [machine.rows for machine in first]
        self.n_iter_ = np.array([a.n_iter + b.n_iter for a, b in zip(first, second, strict=True)])
        self._collect(X, second)
        self._warn([*first, *second])
        return self

    def _fitted_distance(self, X: Cases, labels: np.ndarray) -> Any:
        """Fit the distance on all rows; raise if it does not accept them."""
        try:
            distance = fit_component(self.resolve_slot("distance"), X, labels)
            distance.check_input(X)
        except (InputError, InputTypeError) as error:
            raise type(error)(
                f"{display_name(self)}: distance must take the rows that the kernel takes, got "
                f"{self.distance!r}: {error}"
            ) from error
        return distance

    def _solved(self, K: np.ndarray, signs: np.ndarray) -> Machine:
        dual = Dual(self, precomputed(K), np.arange(len(K)))
        return dual.solve(None, signs, np.full(len(K), float(self.C)))

    def _factor(self, X: Cases, machine: Machine) -> Factor:
        centers = take(X, machine.rows)
        tau = self.tau
        if tau == "neighbors":
            tau = reach(self, self.distance_, centers, int(self.n_neighbors), X)
        factor = Factor(centers, np.abs(machine.coef), float(tau), self.distance_)
        return factor.normalized(self, X) if self.normalize else factor

    def _collect(self, X: Cases, machines: list[Machine]) -> None:
        """Combine the machines: the union of their support vectors, coefficients of each."""
        dense = dense_coefficients(machines, n_rows(X))
        self.support_ = np.flatnonzero(dense.any(axis=0))
        self.support_vectors_ = take(X, self.support_)
        self.dual_coef_ = dense[:, self.support_]
        self.intercept_ = np.array([machine.intercept for machine in machines])
        self.margin_ = np.array([machine.margin for machine in machines])
        at_support = [factor(self.support_vectors_) for factor in self.factors_]
        # the factor of a support vector is constant, so it becomes part of the coefficient
        self._coef = self.dual_coef_ * np.array(at_support)

    def _warn(self, machines: list[Machine]) -> None:
        from sklearn.exceptions import ConvergenceWarning

        if not all(machine.converged for machine in machines):
            warnings.warn(
                f"{display_name(self)}: a machine has not converged; raise max_iter, or lower C",
                ConvergenceWarning,
                stacklevel=3,
            )

    def decision_function(self, X: Cases) -> np.ndarray:
        """Decision values of the machines; array of shape (m, n_classes), or (m,) for two."""
        check_fitted(self)
        X = read_rows(self, self.kernel_, X, reset=False)
        step, m = max(_CELLS // max(len(self.support_), 1), 1), n_rows(X)
        values = np.tile(self.intercept_, (m, 1))
        for start in range(0, m if len(self.support_) else 0, step):
            rows = np.arange(start, min(start + step, m))
            part = take(X, rows)
            K = np.asarray(self.kernel_.gram(part, self.support_vectors_), dtype=float)
            c = np.column_stack([factor(part) for factor in self.factors_])
            # c(x) c(z) k(x, z), where the coefficients contain c(z)
            values[rows] += (K @ self._coef.T) * c
        return class_scores(values, len(self.classes_), "ova")

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        best = winners(self.decision_function(X))
        return self.classes_[best]

    def __sklearn_tags__(self) -> Any:
        """Intersect the input tags of kernel and distance."""
        tags = with_input_tags(self, "kernel", super().__sklearn_tags__())
        other = with_input_tags(self, "distance", super().__sklearn_tags__()).input_tags
        tags.input_tags.sparse &= other.sparse
        tags.input_tags.allow_nan &= other.allow_nan
        return tags


_FACTOR_CELLS = 2**22  # distances at a time


@dataclass(frozen=True)
class Factor:
    """The function ``c(x) = sum_i a_i exp(-d(x, x_i)^2 / (2 tau^2))`` of rows.

    Attributes
    ----------
    centers : data of m rows
        The x_i.
    weights : ndarray of shape (m,)
        The a_i.
    tau : float
    distance : distance
        Fitted.
    """

    centers: Any
    weights: np.ndarray
    tau: float
    distance: Any

    def __call__(self, X: Cases | None) -> np.ndarray:
        """Factor of each row; float64 array of shape (n,)."""
        n, step = n_rows(X), max(_FACTOR_CELLS // max(len(self.weights), 1), 1)
        values = np.empty(n)
        for start in range(0, n, step):
            rows = np.arange(start, min(start + step, n))
            D = np.asarray(self.distance.pairwise(take(X, rows), self.centers), dtype=float)
            with np.errstate(over="ignore", under="ignore"):
                values[rows] = np.exp(-np.square(D / self.tau) / 2) @ self.weights
        return values

    def normalized(self, owner: object, X: Cases) -> Factor:
        """The factor divided by its root mean square over rows.

        Raises
        ------
        InputError
            If the factor is 0 for all rows.
        """
        size = float(np.sqrt(np.mean(np.square(self(X)))))
        if not size > 0:
            raise InputError(
                f"{display_name(owner)}: there is no support vector, or its coefficient is lost "
                f"in rounding, so the border is unknown; raise C"
            )
        return replace(self, weights=self.weights / size)


def reach(owner: object, distance: Distance, centers: Any, k: int, X: Cases | None = None) -> float:
    """Root mean squared distance of rows to their k nearest others at a positive distance.

    If no such neighbour exists, use the rows of X instead, if given.

    Raises
    ------
    InputError
        If the rows are all equal, or infinitely far apart.
    """
    m = n_rows(centers)
    step = max(_FACTOR_CELLS // m, 1)
    near: list[np.ndarray] = []
    for start in range(0, m, step):
        rows = np.arange(start, min(start + step, m))
        D = np.asarray(distance.pairwise(take(centers, rows), centers), dtype=float)
        # equal rows say nothing about the density of the border
        D[D == 0] = np.inf
        D = np.sort(np.partition(D, min(k, m) - 1, axis=1)[:, :k], axis=1)
        near.append(D[np.isfinite(D)])
    every = np.concatenate(near)
    # equal support vectors have no distances: take those of all rows
    if not every.size and X is not None:
        return reach(owner, distance, X, k)
    if not every.size:
        raise InputError(
            f"{display_name(owner)}: the support vectors are all equal, or infinitely far apart, "
            f"so tau='neighbors' is undefined; give tau"
        )
    unit = float(every.max())  # scaled, so that squares stay in range
    return unit * float(np.sqrt(np.mean(np.square(every / unit))))
