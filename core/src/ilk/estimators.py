"""scikit-learn's base classes, with types, which scikit-learn does not declare.

For a type checker, a class with an untyped base has every attribute and takes every parameter;
without these types it would check no call of a component.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import numpy as np

    from ilk.arrays import ArrayLike, Cases, Labels

    class BaseEstimator:
        """As `sklearn.base.BaseEstimator`."""

        n_features_in_: int

        @classmethod
        def _get_param_names(cls) -> list[str]: ...
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def __repr__(self, N_CHAR_MAX: int = 700) -> str: ...
        def __sklearn_clone__(self) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...
        def __getstate__(self) -> Any: ...
        def __setstate__(self, state: object) -> None: ...

    class ClassifierMixin:
        """As `sklearn.base.ClassifierMixin`."""

        classes_: np.ndarray

    class ClusterMixin:
        """As `sklearn.base.ClusterMixin`."""

        labels_: np.ndarray

        def fit_predict(self, X: Cases, y: Labels | None = None) -> Any: ...

    class OutlierMixin:
        """As `sklearn.base.OutlierMixin`."""

        def fit_predict(self, X: Cases, y: Labels | None = None) -> Any: ...

    class RegressorMixin:
        """As `sklearn.base.RegressorMixin`."""

        def score(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> float: ...

    class TransformerMixin:
        """As `sklearn.base.TransformerMixin`."""

        def fit_transform(self, X: Cases, y: Labels | None = None, **keywords: Any) -> Any: ...

else:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        ClusterMixin,
        OutlierMixin,
        RegressorMixin,
        TransformerMixin,
    )

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "ClusterMixin",
    "OutlierMixin",
    "RegressorMixin",
    "TransformerMixin",
]
