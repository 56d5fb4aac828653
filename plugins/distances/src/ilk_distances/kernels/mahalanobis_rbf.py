"""The radial basis function kernel after a metric learner."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import ilk
from ilk import MetricLearnerLike, param, slot
from ilk.neighbors import Euclidean
from ilk_distances.kernels.of_distance import DistanceKernel, mean_local_width
from ilk_distances.vectors.mapped import mapped_by

if TYPE_CHECKING:
    from ilk import Cases


class MahalanobisRBF(DistanceKernel):
    """Radial basis function kernel after L: ``k(x, y) = exp(-|L(x - y)|^2 / (2 sigma^2))``.

    A metric learner fits L to the training data. Positive definite (semi-definite in x if L does
    not have full rank).

    Algorithms 6, 7, 9 and 10 of the thesis print ``exp(-|L(x - y)|^2)``, which is
    ``sigma=0.5 ** 0.5`` here. But their L is learned with a scale for each point, and without
    it the kernel is far too narrow or too wide. The default ``"local"`` is its global form.

    Attributes
    ----------
    sigma_ : float
    learner_ : metric learner
        Fitted.
    distance_ : distance
        Distance of transformed rows.
    width_ : int
        Number of features after L.

    Raises
    ------
    ParameterError
        If sigma is not finite and positive, or the learner has no transform.
    InputError
        If sigma is to be computed from training rows that are all equal (or fewer than two).

    References
    ----------
    .. [1] Zaidi 2011: algorithms 6, 9; equations 2.18, 2.26, 4.10.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> kernel = ilk.kernel("mahalanobis_rbf", learner="rca", sigma=0.5 ** 0.5).fit(X, y)
    >>> L = kernel.learner_.components_
    >>> k = kernel.gram(X[:1], X[1:2])[0, 0]
    >>> bool(abs(k - np.exp(-np.sum((L @ (X[0] - X[1])) ** 2))) < 1e-12)
    True
    """

    learner: MetricLearnerLike = slot(
        "metric_learner",
        default="pca",
        doc="A metric learner with a transform; local ones have none.",
    )
    sigma: float | str = param(
        default="local",
        type=float,
        gt=0,
        choices=("local", "mean_distance", "neighbors"),
        doc='``"local"``: ``sigma^2`` is the mean over the training rows of the mean squared '
        "distance to the nearest ``max(1, floor(k / 2))`` other rows, ``k = floor(log2 "
        "n)``. The other two are as in the kernel rbf. All are computed from distances after "
        "L, so that the kernel does not depend on the unit of X or the length of L.",
    )
    capabilities: ClassVar[ilk.Capabilities] = replace(
        DistanceKernel.capabilities, inputs=("vectors",), sparse=False
    )

    @classmethod
    def examples(cls) -> list[MahalanobisRBF]:
        """Return one for each way to get sigma."""
        return [
            cls(),
            cls(learner="rca", sigma="mean_distance"),
            cls(learner="rca", sigma="neighbors"),
            cls(learner="pca", sigma=2.0),
        ]

    @property
    def needs_fit(self) -> bool:
        """Always true: the learner must be fitted."""
        return True

    def _fit_distance(self, X: Cases, y: Any) -> tuple[Any, Any]:
        learner = self.resolve_slot("learner")
        if not hasattr(learner, "transform"):
            name = ilk.display_name(learner)
            raise self.parameter_error("learner", f"must be one that transforms, got {name}")
        self.learner_: Any = ilk.fit_component(learner, X, y)
        Z = self._mapped(X)
        if self.sigma == "local":
            self.sigma_ = self._local_width(Z)
        return Euclidean(), Z

    def _local_width(self, Z: Cases) -> float:
        Z = ilk.check_vectors(self, Z, min_rows=2)
        sigma = mean_local_width(Euclidean(), Z)
        if not 0 < sigma < np.inf:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: sigma 'local' is {sigma}, as the rows of X are all "
                f"equal or too far apart; give sigma as a number"
            )
        return sigma

    def _sigma(self, given: float | np.ndarray | str, X: Cases | None) -> Any:
        return self.sigma_ if given == "local" else super()._sigma(given, X)

    def _mapped(self, X: Any, argument: str = "X") -> Any:
        return mapped_by(self.learner_, X, argument).rows
