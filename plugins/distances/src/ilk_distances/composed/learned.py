"""The distance after a metric learner's transform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import DistanceLike, MetricLearnerLike, slot
from ilk.neighbors import Norm
from ilk_distances.vectors.mahalanobis import Mahalanobis
from ilk_distances.vectors.mapped import Mapped, mapped_by

if TYPE_CHECKING:
    from ilk import Cases, Estimator, Labels


class Learned(ilk.Distance):
    """Distance after a metric learner's transform: ``d(x, y) = base(L x, L y)``.

    With the Euclidean base this is ``sqrt((x - y)' L'L (x - y))``. Where L has fewer rows than
    x has features, or not full rank, different objects may be at distance 0: a pseudo-metric.
    Each row is mapped independently of the others: equal rows are at distance exactly 0, and
    with the Euclidean base small distances keep all digits.

    `fit` fits the learner, and then the base on the transformed data. With a frozen learner,
    which stays as it is, the distance needs no fit, if its base needs none. A metric learner's
    own ``distance()`` returns such a distance.

    Attributes
    ----------
    learner_ : metric learner
        Fitted.
    base_ : distance
        Fitted on the transformed training data.

    Raises
    ------
    ParameterError
        If the learner has no transform.
    NotFittedError
        Before `fit`, if learner or base need to be fitted.

    References
    ----------
    .. [1] Zaidi 2011: section 2.4; equations 2.15, 2.17.
    .. [2] Arras: Distance Metrics.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> d = ilk.distance("learned", learner="rca").fit(X, y)
    >>> L = d.learner_.components_
    >>> bool(np.isclose(d.between(X[0], X[1]), np.linalg.norm(L @ (X[0] - X[1]))))
    True
    """

    learner: MetricLearnerLike = slot(
        "metric_learner",
        default="rca",
        doc="A metric learner with a transform; local ones have none.",
    )
    base: DistanceLike = slot("distance", default="euclidean", doc="Compares them.")
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(symmetric=True, needs_fit=True)

    @classmethod
    def examples(cls) -> list[Learned]:
        """Return one with a learner that needs no labels, and the default."""
        return [cls(learner="pca"), cls(), cls(learner="pca", base="manhattan")]

    @property
    def symmetric(self) -> bool:
        """Whether the base is symmetric."""
        base = self.base_ if hasattr(self, "base_") else self.resolve_slot("base")
        return bool(base.symmetric)

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Fit the learner on X and y, then the base on the transformed X."""
        self.check_parameters()
        learner = self._transforming(self.resolve_slot("learner"))
        self.learner_ = ilk.fit_component(learner, X, y)
        after = mapped_by(self.learner_, X).rows
        self.base_ = ilk.fit_component(self.resolve_slot("base"), after, y)
        return self

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every row of X to every row of Y (X itself if left out)."""
        _, base = self._learner_and_base()
        X, Y = self.check_pair(X, Y)
        if _is_plain(base):
            # of near rows it maps the difference, which keeps digits that the mapped rows lose
            return Mahalanobis().pairwise(X, Y)
        D = np.asarray(base.pairwise(X.after, None if Y is X else Y.after))
        return D.astype(np.float32) if X.single and Y.single else D

    def kneighbors(self, X: Any, Y: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k rows of Y nearest to each row of X, nearest first, ties by lower index."""
        _, base = self._learner_and_base()
        ilk.check_k(self, k, ilk.n_rows(Y))
        X, Y = self.check_pair(X, Y)
        if _is_plain(base):
            return Mahalanobis().kneighbors(X, Y, k)
        if X.single and Y.single:  # rounding makes ties
            return ilk.nearest_blocked(self, X, Y, k)
        return base.kneighbors(X.after, Y.after, k)  # type: ignore[no-any-return]  # the slot is Any

    def prepare(self, X: Cases) -> ilk.Prepared:
        """Return a handle on X, mapped once."""
        return ilk.Prepared(self, self.check_input(X))

    def check_input(self, X: Cases, argument: str = "X") -> Mapped:
        """Return X before and after the learner's map."""
        return X if isinstance(X, Mapped) else mapped_by(self._learner_and_base()[0], X, argument)

    def _learner_and_base(self) -> tuple[Any, Any]:
        """Return learner and base, ready for use."""
        from sklearn.exceptions import NotFittedError

        if hasattr(self, "base_"):
            return self.learner_, self.base_
        learner, base = self.resolve_slot("learner"), self.resolve_slot("base")
        unready = base.capabilities.needs_fit and not ilk.is_frozen(base)
        if not ilk.is_frozen(learner) or unready:
            raise NotFittedError(
                f"{ilk.display_name(self)}: call fit first, or give a frozen learner"
            )
        return self._transforming(learner), base

    def _transforming(self, learner: Estimator) -> Any:
        if not hasattr(learner, "transform"):
            name = ilk.display_name(learner)
            raise self.parameter_error("learner", f"must be one that transforms, got {name}")
        return learner


def _is_plain(base: Any) -> bool:
    """Tell whether a base is the unweighted Euclidean distance, which can keep all digits."""
    return isinstance(base, Norm) and base.p == 2 and base.weights is None
