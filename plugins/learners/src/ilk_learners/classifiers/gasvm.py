"""gasvm: support vector machines whose kernel is a learned metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from ilk import (
    Capabilities,
    check_fitted,
    param,
)
from ilk_learners.classifiers.learned_kernel import LearnedKernelClassifier
from ilk_learners.classifiers.svm import SVM
from ilk_learners.numerics import check_finite_parameters
from ilk_learners.svm.machines import winners

if TYPE_CHECKING:
    import numpy as np

    from ilk import Cases, Labels


class GASVM(LearnedKernelClassifier):
    """Support vector machines with the kernel of a learned metric (GASVM1, GASVM2).

    A metric learner finds L. Then machines are trained, one class against the rest, with

    ``k(x, z) = exp(-|L x - L z|^2)``

    and the machine of the largest value decides. L is learned once for all classes (GASVM1), or
    for each class against the rest (GASVM2, ``per_class=True``): then each machine has its own
    kernel. With two classes both are the same. No bandwidth is tuned.

    The printed kernel has no bandwidth: L was learned with one for each row, whose global form is
    folded into L. megm and related learners fold it in themselves. For other learners it is
    ``sigma^2``, the mean over the training rows of the mean squared distance to the nearer half
    of the ``floor(log2 n)`` nearest others, after L. Then the kernel is
    ``exp(-|L x - L z|^2 / (2 sigma^2))``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    learners_ : list of metric learners
        Fitted: one; with ``per_class`` and more than two classes one per class.
    factors_ : ndarray of shape (len(learners_),)
        Factor of L that folds in the bandwidth: 1 for learners that fold it in themselves.
    svms_ : list of SVM
        Fitted on transformed rows, one per learner.
    n_features_in_ : int

    Raises
    ------
    ParameterError
        If the learner has no transform (is local).
    InputError
        If there are fewer than two classes, or all rows are equal.

    References
    ----------
    .. [1] Zaidi 2011: sections 2.4.3, 7.2; algorithms 6-7; equations 2.26, 7.1.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> svm = ilk.classifier("gasvm").fit(X[::2], y[::2])
    >>> round(svm.score(X[1::2], y[1::2]), 2)
    0.97
    >>> L = svm.learners_[0].components_
    >>> bool(abs(L[:, 2:]).sum() > abs(L[:, :2]).sum())  # petals tell more than sepals
    True
    """

    C: float = param(default=10.0, gt=0, doc="Cost of an error; inf: a hard margin.")
    tol: float = param(
        default=0.001,
        gt=0,
        doc="Tolerated violation of the optimality conditions, for the solver.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities()

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(per_class=True), cls(learner="identity")]

    def check_parameters(self) -> None:
        """Check each parameter, and that the tolerance is finite."""
        super().check_parameters()
        check_finite_parameters(self, "tol")

    def fit(self, X: Any, y: Labels) -> Self:
        """Learn the metric or metrics, then train the machines.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)
        """
        svm = SVM(kernel=self.kernel, C=self.C, tol=self.tol, strategy="ova")
        self.svms_ = self._fit_each(X, y, svm)
        return self

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        best = winners(self.decision_function(X))
        return self.classes_[best]

    def decision_function(self, X: Cases) -> np.ndarray:
        """Decision value of each machine; array of shape (m, n_classes), or (m,) for two."""
        check_fitted(self)
        return self._decisions(X, self.svms_)
