"""Slots: parameters that hold components, given as instances, names or tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ilk.errors import RegistryError, SpecError
from ilk.kinds import kind_of
from ilk.params import Param

if TYPE_CHECKING:
    from ilk.component import Component

Maker = Callable[[Any, str], Any]  # turns the name or table of a component of a kind into it


def open_value(param: Param, value: Any, make: Maker) -> Any:
    """Replace names and tables in the value of a slot by components; instances stay."""
    if not param.slot or value is None or _is_choice(param, value):
        return value
    slot = param.slot
    if param.many is None:
        return _open_one(slot, value, make)
    if param.many is dict:
        return {key: _open_one(slot, item, make) for key, item in value.items()}
    return [_open_one(slot, item, make) for item in value]


def _is_choice(param: Param, value: Any) -> bool:
    return isinstance(value, str) and value in param.choices


def _open_one(slot: str, value: Any, make: Maker) -> Any:
    if slot == "step" and isinstance(value, Mapping):
        return {kind: _open_one(kind, item, make) for kind, item in value.items()}
    return make(value, slot) if isinstance(value, str | Mapping) else value


def maker_for(owner: Component, name: str) -> Maker:
    """Return a maker whose errors name the component and the parameter it makes things for."""
    from ilk.registries import registry
    from ilk.spec import build

    def make(value: Any, kind: str) -> Any:
        try:
            return (
                registry(kind).get(value)() if isinstance(value, str) else build(value, kind=kind)
            )
        except (RegistryError, SpecError) as error:
            raise owner.parameter_error(name, f"cannot be built: {error}") from error

    return make


def build_slot(param: Param, value: Any, owner: Component, name: str) -> Any:
    """Return fresh components for the value of a slot: built, or cloned if instances."""
    from sklearn.base import clone

    problem = slot_problem(param, value)
    if problem:
        raise owner.parameter_error(name, problem)
    make = maker_for(owner, name)

    def fresh(item: Any, kind: str) -> Any:
        """Build a name or table, clone an instance."""
        return make(item, kind) if isinstance(item, str | Mapping) else clone(item, safe=False)

    if param.many is None:
        return _fresh_one(param, value, fresh)
    if param.many is dict:
        return {key: _fresh_one(param, item, fresh) for key, item in value.items()}
    return [_fresh_one(param, item, fresh) for item in value]


def _fresh_one(param: Param, item: Any, fresh: Maker) -> Any:
    if item is None or _is_choice(param, item):
        return item
    assert param.slot is not None
    if param.slot == "step" and isinstance(item, Mapping):
        return {kind: fresh(inner, kind) for kind, inner in item.items()}
    return fresh(item, param.slot)


def slot_problem(param: Param, value: Any) -> str | None:
    """Return what is wrong with the value of a slot, without building names and tables."""
    if (value is None and param.none) or _is_choice(param, value):
        return None
    assert param.slot is not None
    if param.many is None:
        return _member_problem(param.slot, value)
    if param.many is dict and isinstance(value, Mapping):
        pairs: Any = value.items()
    elif param.many is list and isinstance(value, Sequence) and not isinstance(value, str):
        pairs = enumerate(value)
    else:
        return f"must be {param.describe()}, got {value!r}"
    problems = (
        f"[{key!r}] {problem}"
        for key, item in pairs
        if (problem := _member_problem(param.slot, item))
    )
    return next(problems, None)


def _member_problem(slot: str, value: Any) -> str | None:
    if slot == "step":
        from ilk.steps import step_problem

        return step_problem(value)
    if isinstance(value, str | Mapping) or kind_of(slot).accepts(value):
        return None
    own = getattr(value, "kind", None)
    what = f"the {own} {value!r}" if own else repr(value)
    return f"must be {Param(slot=slot).describe()}, got {what}"
