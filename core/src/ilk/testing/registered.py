"""The checks there are: each a small function, registered for kinds and capabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Literal

from sklearn.utils import get_tags

if TYPE_CHECKING:
    from ilk.testing.subject import Subject

On = Literal["class", "first", "examples"]
Function = Callable[["Subject"], None]


@dataclass(frozen=True)
class Check:
    """One thing that is checked.

    Attributes
    ----------
    name : str
        ``"check_symmetric"``; waivers refer to it.
    run : callable
        Takes a `Subject`; raises if the component is wrong.
    kinds : tuple of str
        Kinds it is for; empty: every kind.
    capability : str or None
        Done only where this capability is claimed.
    when : callable or None
        Done only where this is true of the instance (of the class, for ``on="class"``).
    on : {"class", "first", "examples"}
        Done once for the class, on the first example, or on every example.
    slow : bool
        Part of the full battery only.
    """

    name: str
    run: Function
    kinds: tuple[str, ...] = ()
    capability: str | None = None
    when: Callable[[Any], bool] | None = None
    on: On = "examples"
    slow: bool = False

    @property
    def summary(self) -> str:
        """The promise that is checked, in one sentence."""
        return (self.run.__doc__ or "").strip().partition("\n")[0]

    def applies(self, component: Any) -> bool:
        """Tell whether the check is for this instance, or for this class."""
        if self.capability is not None and not claims(component, self.capability):
            return False
        return self.when is None or bool(self.when(component))


def claims(component: Any, capability: str) -> bool:
    """Tell whether an instance or a class claims a capability.

    The instance (``distance.metric``, its scikit-learn tags) knows better than the class.
    """
    if capability in _TAGS and not isinstance(component, type):
        return bool(getattr(get_tags(component).input_tags, _TAGS[capability]))
    own = getattr(component, capability, None)
    return own if isinstance(own, bool) else bool(getattr(component.capabilities, capability))


_TAGS = {"nan": "allow_nan", "sparse": "sparse"}
_CHECKS: dict[str, Check] = {}


def check(
    *kinds: str,
    capability: str | None = None,
    when: Callable[[Any], bool] | None = None,
    on: On = "examples",
    slow: bool = False,
) -> Callable[[Function], Function]:
    """Register a function as a check; its docstring says what is promised.

    Parameters
    ----------
    *kinds : str
        Kinds it is for; none: every kind.
    capability, when, on, slow
        As in `Check`.

    Examples
    --------
    >>> @check("distance", capability="symmetric")
    ... def check_same_both_ways(subject):
    ...     '''d(x, y) = d(y, x).'''
    """

    def register(function: Function) -> Function:
        name = function.__name__
        known = _CHECKS.get(name)
        if known is not None and known.run.__module__ != function.__module__:
            raise ValueError(f"there is a check {name!r} already, in {known.run.__module__}")
        _CHECKS[name] = Check(name, function, kinds, capability, when, on, slow)
        return function

    return register


def all_checks() -> tuple[Check, ...]:
    """Return every registered check."""
    _import_checks()
    return tuple(_CHECKS.values())


def checks_of(kind: str) -> list[Check]:
    """Return the checks that components of a kind can be given."""
    return [each for each in all_checks() if not each.kinds or kind in each.kinds]


@cache
def _import_checks() -> None:
    """Import the modules in which checks are registered."""
    from ilk.testing import checks

    for module in iter_modules(checks.__path__):
        import_module(f"{checks.__name__}.{module.name}")
