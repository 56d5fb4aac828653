"""Values of slots: components, given as instances, names or tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ilk.kinds import kind_of
from ilk.messages import short_repr
from ilk.params import Param
from ilk.steps import adapted, step_problem

Key = str | int
At = tuple[Key, ...]  # empty, or the position or key of a component within its slot


class SlotError(ValueError):
    """The value of a slot for several components is not a list or table."""


def map_slot(param: Param, value: object, one: Callable[[Any, str, At], Any]) -> Any:
    """Apply a function to each component in the value of a slot.

    Parameters
    ----------
    param : Param
    value : object
        None, the choices of the slot, and values of other parameters stay unchanged.
    one : callable
        Takes the component (an instance, a name or a table), its kind and its position; its
        result replaces the component. For a step that is a table with one key it takes the value
        and that kind; for any other step, the step and the kind ``"step"``.

    Returns
    -------
    object
        Of the same shape: one component, a list or a dict.

    Raises
    ------
    SlotError
        If the value does not have the shape of the slot.
    """
    if not param.slot or value is None or (isinstance(value, str) and value in param.choices):
        return value
    if param.many is None:
        return _map_one(param.slot, value, one, ())
    if param.many is dict and isinstance(value, Mapping):
        return {key: _map_one(param.slot, item, one, (key,)) for key, item in value.items()}
    if param.many is list and isinstance(value, Sequence) and not isinstance(value, str):
        return [_map_one(param.slot, item, one, (i,)) for i, item in enumerate(value)]
    raise SlotError(f"must be {param.describe()}, got {short_repr(value)}")


def _map_one(slot: str, item: object, one: Callable[[Any, str, At], Any], at: At) -> Any:
    item = adapted(item, slot)
    if slot == "step" and isinstance(item, Mapping) and len(item) == 1:
        ((kind, inner),) = item.items()
        return {kind: one(adapted(inner, kind), kind, at)}
    return one(item, slot, at)


def slot_members(param: Param, value: object) -> list[tuple[Any, str, At]]:
    """List the components in the value of a slot, each with its kind and position.

    A value of the wrong shape has none: it is reported when the component is used.
    """
    members: list[tuple[Any, str, At]] = []
    with suppress(SlotError):
        map_slot(param, value, lambda *member: members.append(member))
    return members


def slot_problem(param: Param, value: object) -> str | None:
    """Return the problem of the value of a slot, without building names and tables."""
    if value is None and not param.none:
        return f"must be {param.describe()}, got None"
    problems: list[str] = []

    def look(item: object, kind: str, at: At) -> None:
        if param.slot == "step":
            problem = step_problem(item if kind == "step" else {kind: item})
        else:
            problem = _member_problem(kind, item)
        if problem:
            problems.append(f"[{at[0]!r}] {problem}" if at else problem)

    try:
        map_slot(param, value, look)
    except SlotError as error:
        return str(error)
    return next(iter(problems), None)


def _member_problem(slot: str, value: object) -> str | None:
    if isinstance(value, str | Mapping) or kind_of(slot).accepts(value):
        return None
    kind = getattr(value, "kind", None)
    what = f"the {kind} {value!r}" if kind and not isinstance(value, type) else short_repr(value)
    return f"must be {Param(slot=slot).describe()}, got {what}"
