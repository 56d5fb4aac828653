"""Conditions for fast leave-one-out cross-validation, without a fit for each case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from ilk.component import seeded
from ilk.errors import IlkError
from ilk.freezing import is_frozen

if TYPE_CHECKING:
    from ilk.arrays import Estimator


def leaves_out(learner: Estimator) -> bool:
    """Tell whether a learner's `leave_one_out` equals refitting without each case.

    It does if the learner declares `fast_leave_one_out`: as a property, which depends on the
    present parameters, or as a capability of the class, and then only if no random state is
    open, because each of many fits would draw a different one.
    """
    if not hasattr(learner, "leave_one_out"):
        return False
    declared = getattr(learner, "fast_leave_one_out", None)
    if isinstance(declared, bool):
        return declared
    return _declares(learner, "fast_leave_one_out") and not _is_open(learner)


def learns_nothing(step: object) -> bool:
    """Tell whether the output of a step for a case does not depend on its training data.

    This holds for a transformer that declares `stateless`, as a property or as a capability, and
    has no open random state; and for a frozen component of ilk. An editor always depends on the
    cases it selects from.
    """
    if hasattr(step, "fit_resample") or not hasattr(step, "transform"):
        return False
    if is_frozen(step):
        return hasattr(step, "parameters")  # another library's transform may mix rows
    stateless = getattr(step, "stateless", None)
    declared = stateless if isinstance(stateless, bool) else _declares(step, "stateless")
    return declared and not _is_open(step)


def _declares(component: object, capability: str) -> bool:
    return bool(getattr(getattr(component, "capabilities", None), capability, False))


def _is_open(component: object) -> bool:
    """Tell whether any random state, at any depth, is None."""
    try:
        one, other = (_states(seeded(clone(component), seed)) for seed in (0, 1))
    except IlkError:  # reported by fit
        return True
    return one != other


def _states(component: Any) -> dict[str, Any]:
    params = component.get_params(deep=True)
    return {name: value for name, value in params.items() if name.endswith("random_state")}
