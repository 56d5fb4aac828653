"""Leaving each case out in turn without fitting anew: who can, and what stands in the way."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from ilk.component import seeded
from ilk.errors import IlkError
from ilk.freezing import is_frozen


def leaves_out(learner: Any) -> bool:
    """Tell whether the `leave_one_out` of a learner gives what refitting without each case does.

    It does where the learner declares `fast_leave_one_out`: as a property, which knows of the
    present parameters, or else as a capability of the class, and then only if no random state is
    left open, as each of many fits would draw its own.
    """
    if not hasattr(learner, "leave_one_out"):
        return False
    own = getattr(learner, "fast_leave_one_out", None)
    if isinstance(own, bool):
        return own
    return _declares(learner, "fast_leave_one_out") and not _is_open(learner)


def learns_nothing(step: Any) -> bool:
    """Tell whether what a step makes of a case is the same, whatever it was fitted to.

    So it is where a transformer declares `stateless`, as a property or as a capability, and
    leaves no random state open; and where a component of ilk's is frozen. An editor always
    depends on the cases it chooses from.
    """
    if hasattr(step, "fit_resample") or not hasattr(step, "transform"):
        return False
    if is_frozen(step):
        return hasattr(step, "parameters")  # of another library's one row may move another
    own = getattr(step, "stateless", None)
    declared = own if isinstance(own, bool) else _declares(step, "stateless")
    return declared and not _is_open(step)


def _declares(component: Any, capability: str) -> bool:
    return bool(getattr(getattr(component, "capabilities", None), capability, False))


def _is_open(component: Any) -> bool:
    """Tell whether a random state, however deep, is still None."""
    try:
        one, other = (_states(seeded(clone(component), seed)) for seed in (0, 1))
    except IlkError:  # said when it is fitted
        return True
    return one != other


def _states(component: Any) -> dict[str, Any]:
    params = component.get_params(deep=True)
    return {name: value for name, value in params.items() if name.endswith("random_state")}
