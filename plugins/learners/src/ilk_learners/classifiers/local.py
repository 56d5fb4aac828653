"""A local metric finds the neighbours itself: what may stand beside it, and what may not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ilk import IlkError, LocalMetric, build, display_name, registry, shipped_name, to_spec


def is_local(learner: Any) -> bool:
    """Tell whether what stands in the slot of a metric learner is, or names, a local one."""
    name = learner.get("use") if isinstance(learner, Mapping) else learner
    if not isinstance(name, str):
        return isinstance(name, LocalMetric)
    try:
        return issubclass(registry("metric_learner").get(name), LocalMetric)
    except IlkError:  # said when it is built
        return False


def is_default(component: Any, kind: str, default: str) -> bool:
    """Tell whether a component is the default one, as a name, a table or an instance."""
    try:
        if isinstance(component, str | Mapping):
            component = build(component, kind=kind)
        plain = to_spec(component, kind=kind).keys() == {"use"}
    except IlkError:  # what no spec can name is no default
        return False
    return plain and shipped_name(component) == default


def name_of(learner: Any) -> str:
    """Name of what stands in a slot."""
    if isinstance(learner, Mapping):
        return str(learner["use"])
    return learner if isinstance(learner, str) else display_name(learner)
