"""gpml: Gaussian process classification whose kernel is a learned metric."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import (
    Capabilities,
    Outputs,
    check_fitted,
    param,
)
from ilk_learners.classifiers.gp import GP
from ilk_learners.classifiers.learned_kernel import LearnedKernelClassifier
from ilk_learners.numerics import check_finite_parameters

if TYPE_CHECKING:
    from ilk import Cases, Labels


class GPML(LearnedKernelClassifier):
    """Gaussian process classification with the kernel of a learned metric (GPML1, GPML2).

    A metric learner finds L. Then the classifier gp separates each class from the rest with the
    covariance

    ``v exp(-|L x - L z|^2)``.

    L is learned once for all classes (GPML2), or for each class against the rest (GPML1,
    ``per_class=True``): then each has its own kernel. With two classes both are the same. No other
    hyper-parameter is learned.

    The printed kernel has no bandwidth: L was learned with one for each row, whose global form is
    folded into L. megm and related learners fold it in themselves. For other learners it is
    ``sigma^2``, the mean over the training rows of the mean squared distance to the nearer half
    of the ``floor(log2 n)`` nearest others, after L. Then the kernel is
    ``exp(-|L x - L z|^2 / (2 sigma^2))``.

    Memory, as for gp: an n x n matrix for each class.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    learners_ : list of metric learners
        Fitted: one; with ``per_class`` and more than two classes one per class.
    factors_ : ndarray of shape (len(learners_),)
        Factor of L that folds in the bandwidth: 1 for learners that fold it in themselves.
    gps_ : list of GP
        Fitted on transformed rows, one per learner.
    n_iter_ : int
        Matrix factorizations needed to reach a mode, the maximum over problems.
    n_features_in_ : int

    Raises
    ------
    ParameterError
        If the learner has no transform (is local).
    InputError
        If there are fewer than two classes, or all rows are equal.

    References
    ----------
    .. [1] Zaidi 2011: sections 2.4.4, 9.2; algorithms 9-10.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> gp = ilk.classifier("gpml").fit(X[::2], y[::2])
    >>> round(gp.score(X[1::2], y[1::2]), 2)
    0.97
    """

    signal_variance: float = param(default=1.0, gt=0, doc="v, of the latent values.")
    tol: float = param(default=1e-08, gt=0, doc="Newton's decrement at which a mode is reached.")
    max_iter: int = param(default=100, ge=1, doc="Maximal Newton iterations.")
    capabilities: ClassVar[Capabilities] = Capabilities(probabilistic=True)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(per_class=True), cls(learner="identity", signal_variance=10.0)]

    def check_parameters(self) -> None:
        """Check each parameter, and that the numbers are finite."""
        super().check_parameters()
        check_finite_parameters(self, "signal_variance", "tol")

    def fit(self, X: Cases, y: Labels) -> Self:
        """Learn the metric or metrics, then find the modes.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)
        """
        gp = GP(
            kernel=self.kernel,
            signal_variance=self.signal_variance,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self.gps_ = self._fit_each(X, y, gp)
        self.n_iter_ = max(gp.n_iter_ for gp in self.gps_)
        return self

    def predict(self, X: Cases) -> Any:
        """Label of the largest probability for each row; array of shape (m,)."""
        check_fitted(self)
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def outputs(self, X: Cases) -> Outputs:
        """Labels and probabilities from the same latent values; decision values when needed."""
        probabilities = self.predict_proba(X)
        return Outputs.of_largest(self.classes_, probabilities, partial(self.decision_function, X))

    def predict_proba(self, X: Cases) -> np.ndarray:
        """Probability of each class, averaged over latent values; array of shape (m, n_classes).

        With more than two classes: the probabilities of each against the rest, normalized.
        """
        check_fitted(self)
        parts = [gp.predict_proba(rows) for gp, rows in self._mapped(X, self.gps_)]
        if len(parts) == 1:
            return np.asarray(parts[0])
        P = np.stack([each[:, 1] for each in parts], axis=1)
        # relative to the largest, so that no underflow is a divisor
        P = P / np.maximum(P.max(axis=1, keepdims=True), np.finfo(float).tiny)
        return np.asarray(P / P.sum(axis=1, keepdims=True))

    def decision_function(self, X: Cases) -> np.ndarray:
        """Log-odds of each class; array of shape (m, n_classes), with two classes (m,)."""
        check_fitted(self)
        return self._decisions(X, self.gps_)
