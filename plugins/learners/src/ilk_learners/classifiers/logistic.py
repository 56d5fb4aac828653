"""logistic: logistic regression, by scikit-learn."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.linear_model import LogisticRegression

from ilk import Capabilities, InputTypeError, RandomState, Seed, display_name, is_sparse, param
from ilk_learners.classifiers.training_cases import (
    CLASS_WEIGHT,
    EstimatorClassifier,
    case_weights,
    check_cases,
)
from ilk_learners.numerics import finite, single_threaded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ilk import ArrayLike, Cases, Labels

_SMALL = 100_000
"""Up to so many cells of X one thread is faster than several."""


class Logistic(EstimatorClassifier):
    """Linear decision functions whose softmax is the probability of each class.

    Minimises over the coefficients B and intercepts b

    ``C sum_i w_i (-ln P(y_i | x_i)) + r(B)``,    ``P(c | x) ~ exp(b_c + B_c x)``,

    by scikit-learn's LogisticRegression (L-BFGS; SAGA with an l1 term). r(B) is ``|B|^2 / 2``
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
    estimator_ : LogisticRegression
        Fitted on 0..n_classes - 1.

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

    def _estimator(self) -> LogisticRegression:
        # scikit-learn mixes both penalties: the share of L1 is 1 for the lasso, 0 for ridge
        share = {"l1": 1.0, "elastic_net": self.l1_share}.get(self.penalty or "", 0.0)
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


def _penalty_is_named() -> bool:
    """Whether this scikit-learn (before 1.8) needs the penalty's name besides the share."""
    return bool(inspect.signature(LogisticRegression).parameters["penalty"].default != "deprecated")
