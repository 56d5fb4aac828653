"""Transformer: turns a table into another table."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ilk.component import Component, renew_shortcut
from ilk.estimators import TransformerMixin
from ilk.freezing import fit_component, is_frozen
from ilk.steps import takes_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk.arrays import ArrayLike, Cases, Labels


class Transformer(TransformerMixin, Component):
    """Turns X into another table, as scikit-learn's transformers do.

    Numeric transformers reject nominal columns with an error that names alternatives. A
    transformer that learns nothing from training cases declares the capability `stateless`, or
    has a property of that name if this depends on parameters.
    """

    kind: ClassVar[str] = "transformer"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        renew_shortcut(cls, "_fit_transform", ("fit", "transform"), Transformer._fit_transform)

    @abstractmethod
    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn from training data."""

    @abstractmethod
    def transform(self, X: Cases) -> Any:
        """Return the transformed table, with as many rows as X."""

    def fit_transform(self, X: Cases, y: Labels | None = None, **keywords: Any) -> Any:
        """Fit to X and return it transformed, the same as ``fit(X, y).transform(X)``."""
        if keywords:
            return self.fit(X, y, **keywords).transform(X)
        return self._fit_transform(X, y)

    def _fit_transform(self, X: Cases, y: Labels | None) -> Any:
        """Fit and transform; a subclass that need not check X twice overrides it."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """Names of the features of the output, as an array of strings."""
        raise AttributeError(f"{type(self).__name__} has no get_feature_names_out")


def fit_step(
    component: Any, X: Cases, y: Labels | None, sample_weight: ArrayLike | None, *, last: bool
) -> tuple[Any, Any]:
    """Fit a step; return it with what the next step gets: X for the last one, else its output."""
    if sample_weight is not None and takes_weights(component):
        component = fit_component(component, X, y, sample_weight=sample_weight)
    elif not last and isinstance(component, Transformer) and not is_frozen(component):
        return component, component.fit_transform(X, y)
    else:
        component = fit_component(component, X, y)
    return component, X if last else component.transform(X)
