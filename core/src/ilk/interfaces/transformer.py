"""Transformer: turns a table into another table."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ilk.component import Component, renew_shortcut
from ilk.estimators import TransformerMixin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk.arrays import Cases, Labels


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
