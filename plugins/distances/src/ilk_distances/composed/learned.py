"""The distance after a metric learner's transform."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import NotFittedError

import ilk
from ilk import Param


class Learned(ilk.Distance):
    """Distance after a metric learner's transform: ``d(x, y) = base(L x, L y)``.

    With the Euclidean base this is ``sqrt((x - y)' L'L (x - y))``. Where L has fewer rows than
    x has features, or not full rank, different objects may be at distance 0: a pseudo-metric.

    `fit` fits the learner, and the base on what it makes of the data. A frozen learner is kept
    as it is; then the distance works without being fitted, if its base does. That is what a
    metric learner's own ``distance()`` returns.

    Parameters
    ----------
    learner : metric_learner, default="rca"
        One that transforms; local ones do not.
    base : distance, default="euclidean"

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
        If it is used before `fit` and learner or base need it.

    References
    ----------
    .. [1] N. A. Zaidi, *Metric Learning and Scale Estimation in High Dimensional Machine Learning
       Problems with an Application to Generic Object Recognition*, thesis, Monash University,
       2011, equation (2.17).

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> d = ilk.distance("learned", learner="rca").fit(X, y)
    >>> L = d.learner_.components_
    >>> round(d.between(X[0], X[1]) - float(((L @ (X[0] - X[1])) ** 2).sum() ** 0.5), 6)
    0.0
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "learner": Param(slot="metric_learner", doc="Makes the vectors that are compared."),
        "base": Param(slot="distance", doc="Compares them."),
    }
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(symmetric=True, needs_fit=True)

    def __init__(self, learner: Any = "rca", base: Any = "euclidean") -> None:
        self.learner = learner
        self.base = base

    @classmethod
    def examples(cls) -> list[Learned]:
        """Return one with a learner that needs no labels, and the default."""
        return [cls("pca"), cls(), cls("pca", "manhattan")]

    @property
    def symmetric(self) -> bool:
        """Whether the base is symmetric."""
        base = self.base_ if hasattr(self, "base_") else self.resolve_slot("base")
        return bool(base.symmetric)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the learner on X and y, then the base on what it makes of X."""
        self.check_parameters()
        learner = self._transforming(self.resolve_slot("learner"))
        self.learner_ = ilk.fit_component(learner, X, y)
        self.base_ = ilk.fit_component(self.resolve_slot("base"), self.learner_.transform(X), y)
        return self

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every row of X to every row of Y (X itself if left out)."""
        learner, base = self._parts()
        after = None if Y is None else learner.transform(Y)
        return np.asarray(base.pairwise(learner.transform(X), after))

    def kneighbors(self, X: Any, Y: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k rows of Y nearest to each row of X, nearest first, ties by lower index."""
        learner, base = self._parts()
        return base.kneighbors(  # type: ignore[no-any-return]  # the slot is Any
            learner.transform(X), learner.transform(Y), k
        )

    def prepare(self, X: Any) -> ilk.Prepared:
        """Return a handle on X that has it transformed."""
        learner, base = self._parts()
        return _PreparedAfter(learner, base.prepare(learner.transform(X)))

    def check_input(self, X: Any, argument: str = "X") -> Any:
        """Return X as it is: the learner looks at it."""
        return X

    def _parts(self) -> tuple[Any, Any]:
        """Return learner and base, ready for use."""
        if hasattr(self, "base_"):
            return self.learner_, self.base_
        learner, base = self.resolve_slot("learner"), self.resolve_slot("base")
        unready = base.capabilities.needs_fit and not ilk.is_frozen(base)
        if not ilk.is_frozen(learner) or unready:
            raise NotFittedError(
                f"{ilk.display_name(self)}: call fit first, or give a frozen learner"
            )
        return self._transforming(learner), base

    def _transforming(self, learner: Any) -> Any:
        if not hasattr(learner, "transform"):
            name = ilk.display_name(learner)
            raise self.parameter_error("learner", f"must be one that transforms, got {name}")
        return learner


class _PreparedAfter(ilk.Prepared):
    """Rows transformed once; queries are transformed on their way."""

    def __init__(self, learner: Any, inner: ilk.Prepared) -> None:
        super().__init__(inner.distance, inner.X)
        self.learner = learner
        self.inner = inner

    def to(self, q: Any, indices: Any = None) -> np.ndarray:
        """Distances from one query to the rows with the given indices (default: all)."""
        return self.inner.to(np.asarray(self.learner.transform(ilk.one_row(q)))[0], indices)
