"""Methods that a component has only under a condition."""

from __future__ import annotations

from functools import update_wrapper, wraps
from types import MethodType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


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
        update_wrapper(self, function)

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
