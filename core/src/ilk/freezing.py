"""Frozen components: fitted components that slots and pipelines neither clone nor refit."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ilk.arrays import Cases, Labels


def frozen(component: object) -> Any:
    """Return a copy of a fitted component that slots and pipelines keep unchanged.

    It is neither cloned nor fitted again, so a distance learned on one data set can be used on
    another.

    Parameters
    ----------
    component : Component or scikit-learn estimator
        Already fitted.

    Returns
    -------
    Component or FrozenEstimator
        Shares the fitted state of `component`.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> distance = ilk.distance("heterogeneous").fit(X)
    >>> knn = ilk.classifier("knn", distance=ilk.frozen(distance)).fit(X[:100], y[:100])
    >>> knn.distance_.ranges_ is distance.ranges_
    True
    """
    from sklearn.frozen import FrozenEstimator

    if not hasattr(component, "parameters"):  # a scikit-learn estimator
        return FrozenEstimator(component)
    twin = copy.copy(component)
    setattr(twin, _FROZEN, True)
    return twin


_FROZEN = "_frozen"


def is_frozen(component: object) -> bool:
    """Tell whether a component was made by `frozen`."""
    if hasattr(component, "parameters"):
        return bool(getattr(component, _FROZEN, False))
    from sklearn.frozen import FrozenEstimator

    return isinstance(component, FrozenEstimator)


_SINGLE_USE = "_single_use"


def mark_single_use(component: object) -> None:
    """Mark a component that nobody else uses: the first `taken` returns itself."""
    setattr(component, _SINGLE_USE, True)


def taken(component: Any) -> Any:
    """Return a clone of the component of a slot, or itself the first time if it is marked."""
    from sklearn.base import clone

    attributes = getattr(component, "__dict__", {})
    return component if attributes.pop(_SINGLE_USE, False) else clone(component, safe=False)


def fit_component(component: Any, X: Cases, y: Labels | None = None, **keywords: Any) -> Any:
    """Fit a component unless it is frozen; return it."""
    return component if is_frozen(component) else component.fit(X, y, **keywords)
