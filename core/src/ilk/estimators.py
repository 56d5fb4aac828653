"""scikit-learn's base classes, with types, which scikit-learn does not declare; its `available_if`.

For a type checker, a class with an untyped base has every attribute and takes every parameter;
without these types it would check no call of a component.
"""

from __future__ import annotations

from functools import update_wrapper, wraps
from types import MethodType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable

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
    "available_if",
]


def available_if(check: Callable[[Any], bool]) -> Callable[[Callable[..., Any]], Any]:
    """Make a method available only where a check passes.

    As the decorator of scikit-learn, but the message of the check's own AttributeError is that of
    the method: it can name the parameter that provides it.

    Parameters
    ----------
    check : callable
        Takes the component; returns whether it has the method, or raises AttributeError.

    Examples
    --------
    >>> class Doubtful:
    ...     sure = False
    ...
    ...     def _is_sure(self):
    ...         if not self.sure:
    ...             raise AttributeError("predict needs sure=True")
    ...         return True
    ...
    ...     @available_if(_is_sure)
    ...     def predict(self, X):
    ...         return X
    >>> hasattr(Doubtful(), "predict")
    False
    >>> Doubtful().predict([1])
    Traceback (most recent call last):
    AttributeError: predict needs sure=True
    """
    return lambda function: _Available(function, check)


class _Available:
    def __init__(self, function: Callable[..., Any], check: Callable[[Any], bool]) -> None:
        self.function = function
        self.check = check
        update_wrapper(self, function)  # type: ignore[arg-type]  # no function itself

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is not None:
            self._require(instance)
            return MethodType(self.function, instance)

        @wraps(self.function)
        def unbound(instance: Any, *arguments: Any, **keywords: Any) -> Any:
            self._require(instance)
            return self.function(instance, *arguments, **keywords)

        return unbound

    def _require(self, instance: Any) -> None:
        if not self.check(instance):
            name = self.function.__name__
            raise AttributeError(f"{type(instance).__name__} has no {name} with these parameters")
