"""Whether a component learns from the training rows."""

from __future__ import annotations

from typing import Any

from ilk import Capabilities, is_frozen


def learns(component: Any) -> bool:
    """Tell whether fitting a distance, or what stands in its slots, makes it another one.

    What is frozen learns nothing; a distance or kernel learns if it declares `needs_fit`;
    anything else that is not frozen is taken to learn.
    """
    if component is None or is_frozen(component):
        return False
    if getattr(component, "kind", None) not in ("distance", "kernel"):
        return True
    own = getattr(component, "needs_fit", None)
    declared = getattr(component, "capabilities", Capabilities()).needs_fit
    if own if isinstance(own, bool) else declared:
        return True
    return any(map(learns, _in_slots(component)))


def _in_slots(component: Any) -> list[Any]:
    found: list[Any] = []
    for name, param in component.parameters.items():
        if param.slot:
            value = component.resolve_slot(name)
            if param.many is None:
                found.append(value)
            else:
                found += value.values() if isinstance(value, dict) else value or ()
    return [each for each in found if not isinstance(each, str)]
