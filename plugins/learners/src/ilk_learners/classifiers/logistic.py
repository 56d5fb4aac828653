"""logistic: logistic regression, by L-BFGS, or by scikit-learn with an l1 penalty."""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from ilk import (
    Capabilities,
    InputTypeError,
    RandomState,
    Seed,
    check_fitted,
    check_vectors,
    display_name,
    is_sparse,
    param,
)
from ilk_learners.classifiers.training_cases import (
    CLASS_WEIGHT,
    EstimatorClassifier,
    TrainingCases,
    case_weights,
    check_cases,
)
from ilk_learners.numerics import finite, single_threaded, softmax

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sklearn.linear_model import LogisticRegression

    from ilk import ArrayLike, Cases, Labels

_SMALL = 100_000
"""Up to so many cells of X one thread is faster than several."""
_FLAT = 64 * np.finfo(float).eps  # relative decrease of the loss that counts as none


class Logistic(EstimatorClassifier):
    """Linear decision functions whose softmax is the probability of each class.

    Minimises over the coefficients B and intercepts b

    ``C sum_i w_i (-ln P(y_i | x_i)) + r(B)``,    ``P(c | x) ~ exp(b_c + B_c x)``,

    by L-BFGS from 0 with the tolerances of scikit-learn's LogisticRegression; with an l1 term, and
    for single precision, by LogisticRegression itself (SAGA; L-BFGS). r(B) is ``|B|^2 / 2``
    ("l2"), the sum of ``|B|`` ("l1"), s times the second plus (1 - s) times the first
    ("elastic_net", s = l1_share), or 0. Two classes share one function. Penalties depend on the
    units of the features: standardize them first.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    coef_ : ndarray of shape (1 or n_classes, p)
        B; one row for two classes.
    intercept_ : ndarray of shape (1 or n_classes,)
        b.
    n_iter_ : int
        Iterations.
    n_parameters_ : int
        Free coefficients and intercepts: p + 1 for two classes, and for each further one.
    vc_dimension_ : int
        Of two classes: p + 1.
    estimator_ : LogisticRegression
        With these coefficients, for 0..n_classes - 1.

    Raises
    ------
    InputError
        If there is only one class, or X is so large that coefficients overflow.

    Warns
    -----
    ConvergenceWarning
        If it has not converged after `max_iter` iterations.

    References
    ----------
    D. R. Cox, "The regression analysis of binary sequences", *Journal of the Royal Statistical
    Society B* 20, 1958.

    Cunningham 2008: section 2.5.2.

    Examples
    --------
    >>> import ilk
    >>> model = ilk.classifier("logistic").fit([[0.0], [1.0], [3.0], [4.0]], ["n", "n", "y", "y"])
    >>> model.predict_proba([[2.0]]).round(3)
    array([[0.5, 0.5]])
    """

    C: float = param(
        default=1.0,
        gt=0,
        doc="Inverse strength of the penalty: weight of the losses.",
    )
    penalty: Literal["l2", "l1", "elastic_net"] | None = param(
        default="l2",
        choices=("l2", "l1", "elastic_net"),
        none=True,
        doc="r.",
    )
    l1_share: float = param(default=0.5, ge=0, le=1, doc="s, for the elastic net.")
    class_weight: Mapping[str, Any] | str | None = CLASS_WEIGHT
    max_iter: int = param(default=1000, ge=1, doc="Most iterations.")
    tol: float = param(default=0.0001, gt=0, doc="Stopping tolerance of the solver.")
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="For SAGA, which visits cases in random order.",
    )
    relies_on: ClassVar[tuple[str, ...]] = ("scikit-learn",)
    capabilities: ClassVar[Capabilities] = Capabilities(
        sample_weight=True, probabilistic=True, sparse=True
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(C=10.0, class_weight="balanced"),
            cls(penalty="l1", tol=1e-5, max_iter=20000, random_state=0),
        ]

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Find coefficients and intercepts.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            A case of weight 2 counts as two.
        """
        self.check_parameters()
        if is_sparse(X) and self.penalty in {"l1", "elastic_net"}:
            raise InputTypeError(
                f"{display_name(self)}: X has sparse rows, on which SAGA, the solver of "
                f"penalty={self.penalty!r}, does not reach the intercept; use penalty='l2', or "
                f"X.toarray() if it is small"
            )
        cases = check_cases(self, X, y, sample_weight)
        with single_threaded(when=cases.X.size <= _SMALL):
            self._fit(cases, case_weights(self, cases))
        self.coef_ = finite(self, self.estimator_.coef_, "X is so large that coef_")
        self.intercept_ = finite(self, self.estimator_.intercept_, "X is so large that intercept_")
        self.n_iter_ = int(np.max(self.estimator_.n_iter_))
        return self

    def _fit(self, cases: TrainingCases, weights: np.ndarray | None) -> Self:
        if self._share():
            return super()._fit(cases, weights)
        from scipy.optimize import minimize
        from sklearn.exceptions import ConvergenceWarning

        self.classes_ = cases.classes
        squares = 0.0 if self.penalty is None else 1 / self.C
        loss = _Loss(cases, weights, squares)
        # the tolerances of scikit-learn
        options: Any = {"maxiter": self.max_iter, "maxls": 50, "gtol": self.tol, "ftol": _FLAT}
        with self._translated_errors():
            solution = minimize(loss, loss.start, jac=True, method="L-BFGS-B", options=options)
            if solution.status:
                warnings.warn("", ConvergenceWarning, stacklevel=2)
        self.estimator_ = estimator = self._estimator()
        linear = solution.x.reshape(loss.shape)
        estimator.classes_ = np.arange(len(cases.classes))
        estimator.coef_, estimator.intercept_ = linear[:, :-1].copy(), linear[:, -1].copy()
        estimator.n_iter_ = np.array([min(solution.nit, self.max_iter)])
        estimator.n_features_in_ = cases.X.shape[1]
        return self

    @property
    def vc_dimension_(self) -> int:
        """VC dimension of hyperplanes: the number of features plus 1."""
        return int(self.coef_.shape[1]) + 1

    @property
    def n_parameters_(self) -> int:
        """Number of free parameters: softmax leaves those of one class open."""
        return (len(self.classes_) - 1) * self.vc_dimension_

    def _share(self) -> float:
        """Share of the l1 term, as scikit-learn mixes both: 1 for the lasso, 0 for ridge."""
        return {"l1": 1.0, "elastic_net": self.l1_share}.get(self.penalty or "", 0.0)

    def _estimator(self) -> LogisticRegression:
        from sklearn.linear_model import LogisticRegression

        share = self._share()
        options: dict[str, Any] = {"C": np.inf if self.penalty is None else self.C}
        if share:
            # the solver that takes an L1 penalty for any number of classes
            options |= {"l1_ratio": share, "solver": "saga", "random_state": self._seed()}
            if _penalty_is_named():
                options["penalty"] = "elasticnet"
        return LogisticRegression(max_iter=self.max_iter, tol=self.tol, **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.penalty in {None, "l2"}
        return tags

    def decision_function(self, X: Cases) -> np.ndarray:
        """``b_c + B_c x``; array of shape (m, n_classes), or (m,) for two classes."""
        return self._values("decision_function", X)

    def _values(self, method: str, X: Cases) -> np.ndarray:
        """As the estimator does it, without its checks."""
        from scipy.special import expit

        check_fitted(self)
        rows = check_vectors(self, X, reset=False, sparse=True)
        with np.errstate(all="ignore"):
            values = rows @ self.coef_.T + self.intercept_
            if values.shape[1] == 1:
                values = values[:, 0]
            if method == "predict":
                values = values > 0 if values.ndim == 1 else values.argmax(axis=1)
                return np.asarray(values, dtype=np.intp)
            if method == "predict_proba" and values.ndim == 1:
                second = expit(values)
                values = np.column_stack([1 - second, second])
            elif method == "predict_proba":
                values = softmax(values)
        return finite(self, values, f"{method}(X)")


class _Loss:
    """The objective divided by C and by the total weight, and its gradient.

    Parameters
    ----------
    cases : TrainingCases
    weights : ndarray of shape (n,), optional
    squares : float
        Factor of ``|B|^2 / 2``, before the division by the total weight.
    """

    def __init__(self, cases: TrainingCases, weights: np.ndarray | None, squares: float) -> None:
        n, p = cases.X.shape
        self.X, self.codes, self.every = (
            cases.X.astype(float, copy=False),
            cases.codes,
            np.arange(n),
        )
        self.total = float(n if weights is None else weights.sum())
        self.weights = 1 / self.total if weights is None else weights / self.total
        self.squares = squares / self.total
        n_classes = len(cases.classes)
        self.shape = (1 if n_classes == 2 else n_classes), p + 1
        self.start = np.zeros(self.shape[0] * (p + 1))

    def __call__(self, at: np.ndarray) -> tuple[float, np.ndarray]:
        linear = at.reshape(self.shape)
        values = linear[:, :-1] @ self.X.T
        values += linear[:, -1:]
        losses, slopes = (self._of_two if len(values) == 1 else self._of_many)(values)
        slopes *= self.weights
        gradient = np.empty(self.shape)
        gradient[:, :-1] = slopes @ self.X + self.squares * linear[:, :-1]
        gradient[:, -1] = slopes.sum(axis=1)
        penalty = self.squares / 2 * float(np.vdot(linear[:, :-1], linear[:, :-1]))
        return float(np.sum(losses * self.weights)) + penalty, gradient.ravel()

    def _of_two(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Loss of each case, and its derivatives by the values, of shape (1, n)."""
        # ln(1 + e^v) = max(v, 0) + ln(1 + e^-|v|)
        small = np.exp(-np.abs(values))
        losses = np.maximum(values, 0) - self.codes * values + np.log1p(small)
        return losses, np.where(values >= 0, 1.0, small) / (1 + small) - self.codes

    def _of_many(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values -= values.max(axis=0)
        own = values[self.codes, self.every]
        slopes = np.exp(values)
        sums = slopes.sum(axis=0)
        slopes /= sums
        slopes[self.codes, self.every] -= 1
        return np.log(sums) - own, slopes


def _penalty_is_named() -> bool:
    """Whether this scikit-learn (before 1.8) needs the penalty's name besides the share."""
    from sklearn.linear_model import LogisticRegression

    return bool(inspect.signature(LogisticRegression).parameters["penalty"].default != "deprecated")
