"""scikit-learn's base classes: typed, and imported late; its `available_if`.

For a type checker, a class with an untyped base has every attribute and takes every parameter;
without these types it would check no call of a component.

Importing scikit-learn takes longer than most commands of ilk, which read the parameters of classes
and fit nothing. So a component has bases of ilk's own. As soon as anybody imports `sklearn.base`,
scikit-learn's classes become the bases of those: then components are its estimators in every way.
"""

from __future__ import annotations

import sys
from functools import update_wrapper, wraps
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from types import MethodType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

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

    class OneToOneFeatureMixin:
        """As `sklearn.base.OneToOneFeatureMixin`."""

        def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any: ...

else:

    def _later(name: str, **methods: Any) -> type:
        """Return a class whose base is an empty one, which `_adopt` replaces by scikit-learn's."""
        text = f"As `sklearn.base.{name}`."
        return type(
            name, (type(name, (), {}),), {"__module__": __name__, "__doc__": text, **methods}
        )

    def _keep_options(cls: type, **options: Any) -> None:
        cls._sklearn_options = options

    def _missing(self: Any, name: str) -> Any:
        # fitted attributes are not scikit-learn's, and it uses private ones after its import only
        own = (name.startswith("_") or name.endswith("_")) and not name.startswith("_repr_")
        if own or "sklearn.base" in sys.modules:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        import_module("sklearn.base")
        return getattr(self, name)

    BaseEstimator = _later(
        "BaseEstimator", __init_subclass__=classmethod(_keep_options), __getattr__=_missing
    )
    ClassifierMixin = _later("ClassifierMixin")
    ClusterMixin = _later("ClusterMixin")
    OneToOneFeatureMixin = _later("OneToOneFeatureMixin")
    OutlierMixin = _later("OutlierMixin")
    RegressorMixin = _later("RegressorMixin")
    TransformerMixin = _later("TransformerMixin")


__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "ClusterMixin",
    "OneToOneFeatureMixin",
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


_BASES = (
    BaseEstimator,
    ClassifierMixin,
    ClusterMixin,
    OneToOneFeatureMixin,
    OutlierMixin,
    RegressorMixin,
    TransformerMixin,
)


def _adopt(module: ModuleType) -> None:
    """Make scikit-learn's classes the bases of ilk's, and prepare the subclasses for them."""
    for name in ("__init_subclass__", "__getattr__"):
        delattr(BaseEstimator, name)
    for base in _BASES:
        base.__bases__ = (getattr(module, base.__name__),)
    for cls in dict.fromkeys(each for base in _BASES for each in _below(base)):
        options = vars(cls).get("_sklearn_options", {})
        super(cls, cls).__init_subclass__(**options)  # as if the class were made now


def _below(cls: Any) -> Iterator[Any]:
    """Yield the subclasses of a class, each before its own."""
    for each in cls.__subclasses__():
        yield each
        yield from _below(each)


class _Watch(MetaPathFinder):
    """Calls `_adopt` after the import of ``sklearn.base``, whoever imports it."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """Let others find the module; adopt its classes when it has been executed."""
        if name != "sklearn.base":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        loader: Any = spec and spec.loader
        if loader is None:
            return spec
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            _adopt(module)

        loader.exec_module = exec_module
        return spec


if "sklearn.base" in sys.modules:
    _adopt(sys.modules["sklearn.base"])
else:
    sys.meta_path.insert(0, _Watch())
