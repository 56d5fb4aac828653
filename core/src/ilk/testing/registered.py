"""Registry of the checks: functions registered for kinds, and scikit-learn's own checks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Literal

from sklearn.utils import get_tags

from ilk.interfaces.metric_learner import LocalMetric

if TYPE_CHECKING:
    from ilk.arrays import Estimator
    from ilk.testing.subject import Subject


On = Literal["class", "first", "examples"]
Function = Callable[["Subject"], None]
_TAGS = {"nan": "allow_nan", "sparse": "sparse"}
_BATTERY_KINDS = (
    "transformer",
    "metric_learner",
    "classifier",
    "regressor",
    "detector",
    "clusterer",
)


@dataclass(frozen=True)
class Check:
    """One check of a contract.

    Attributes
    ----------
    name : str
        ``"check_symmetric"``; used by waivers.
    run : callable
        Takes a `Subject`; raises if the component violates the contract.
    kinds : tuple of str
        Kinds to which it applies; empty: all kinds.
    capability : str or None
        Runs only if this capability is claimed.
    when : callable or None
        Runs only if this predicate holds for the instance (for the class, if ``on="class"``).
    on : {"class", "first", "examples"}
        Runs once for the class, for the first example, or for every example.
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
        """The contract that is checked, in one sentence."""
        return (self.run.__doc__ or "").strip().partition("\n")[0]

    def applies(self, component: object) -> bool:
        """Tell whether the check applies to this instance, or to this class."""
        if self.capability is not None and not claims(component, self.capability):
            return False
        return self.when is None or bool(self.when(component))


def claims(component: Any, capability: str) -> bool:
    """Tell whether an instance or a class claims a capability.

    The instance (``distance.metric``, its scikit-learn tags) takes precedence over the class.
    """
    if capability in _TAGS and not isinstance(component, type):
        return bool(getattr(get_tags(component).input_tags, _TAGS[capability]))
    claimed = getattr(component, capability, None)
    return (
        claimed if isinstance(claimed, bool) else bool(getattr(component.capabilities, capability))
    )


_CHECKS: dict[str, Check] = {}


def check(
    *kinds: str,
    capability: str | None = None,
    when: Callable[[Any], bool] | None = None,
    on: On = "examples",
    slow: bool = False,
) -> Callable[[Function], Function]:
    """Register a function as a check; its docstring states the contract.

    Parameters
    ----------
    *kinds : str
        Kinds to which it applies; none: all kinds.
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
    """Return the checks that apply to components of a kind."""
    return [each for each in all_checks() if not each.kinds or kind in each.kinds]


@cache
def _import_checks() -> None:
    """Import the modules that register checks."""
    from ilk.testing import checks

    for module in iter_modules(checks.__path__):
        import_module(f"{checks.__name__}.{module.name}")


def battery(kind: str, example: Any) -> Iterator[Check]:
    """Yield scikit-learn's checks of an estimator on vectors, as slow checks.

    Their names have the prefix ``sklearn:``; waivers use these names.
    """
    inputs = example.capabilities.inputs
    if kind not in _BATTERY_KINDS or isinstance(example, LocalMetric) or "vectors" not in inputs:
        return
    try:
        checks = list(_generated(example))
    except Exception as error:  # noqa: BLE001  # reported as a failure when the checks run
        yield Check("sklearn:estimator_checks", _raising(error), (kind,), slow=True)
        return
    for name, run in checks:
        yield Check(name, run, (kind,), slow=True)


def _generated(example: object) -> Iterator[tuple[str, Callable[[Subject], None]]]:
    from sklearn.utils.estimator_checks import estimator_checks_generator

    for estimator, run in estimator_checks_generator(example, legacy=True):
        yield _name(run), _runner(run, estimator)


def _name(run: Any) -> str:
    """Name a check, including the keywords that distinguish it within the same function."""
    if not isinstance(run, partial):
        return f"sklearn:{run.__name__}"
    keywords = ", ".join(f"{key}={value}" for key, value in sorted(run.keywords.items()))
    return f"sklearn:{run.func.__name__}" + (f"({keywords})" if keywords else "")


def _runner(run: Callable[[Any], Any], estimator: Estimator) -> Callable[[Subject], None]:
    def check(_: Subject) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the data of these checks provoke warnings on purpose
            run(estimator)

    check.__doc__ = f"scikit-learn's {_name(run).removeprefix('sklearn:')} passes."
    return check


def _raising(error: Exception) -> Callable[[Subject], None]:
    def check(_: Subject) -> None:
        """scikit-learn can list its checks for the estimator."""
        raise error

    return check
