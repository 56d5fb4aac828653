"""Write components as specs: the inverse of building."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ilk.errors import Problem, SpecError, Where
from ilk.freezing import is_frozen
from ilk.registries import find_class, registry
from ilk.resolution import defaults_of
from ilk.spec import build

if TYPE_CHECKING:
    from ilk.params import Param


def write_component(obj: Any, kind: str | None, path: Where) -> dict[str, Any]:
    """Write a component; names and tables are brought to the same form."""
    if isinstance(obj, str | Mapping):
        obj = build(obj, kind=kind)
    if is_frozen(obj):
        raise SpecError([Problem(path, f"{obj!r} is frozen: a spec cannot hold what was learned")])
    found = find_class(type(obj))
    if found is None:
        raise SpecError([Problem(path, f"{obj!r} is not registered, so a spec cannot name it")])
    defaults = defaults_of(type(obj))
    table: dict[str, Any] = {"use": registry(found.kind).shortest(found)}
    for name, param in obj.parameters.items():
        own = getattr(obj, name)
        if own is defaults[name]:
            continue
        value = write_value(param, own, (*path, name))
        if value != _default(param, defaults[name]):
            table[name] = value
    return table


def _default(param: Param, value: Any) -> Any:
    """Write a default; None where it names a component that is not installed."""
    try:
        return write_value(param, value, ())
    except SpecError:
        return None


def write_value(param: Param, value: Any, path: Where) -> Any:
    """Write the value of a parameter."""
    if not param.slot or value is None or (isinstance(value, str) and value in param.choices):
        return _plain(value, path)
    if param.many is None:
        return _member(param.slot, value, path)
    if param.many is dict:
        return {key: _member(param.slot, item, (*path, key)) for key, item in value.items()}
    return [_member(param.slot, item, (*path, i)) for i, item in enumerate(value)]


def _member(slot: str, value: Any, path: Where) -> Any:
    if slot != "step":
        return write_component(value, slot, path)
    from ilk.steps import kind_and_component

    kind, component = kind_and_component(value)
    return {kind: write_component(component, kind, (*path, kind))}


def _plain(value: Any, path: Where) -> Any:
    """Bring a value to what TOML and JSON can hold."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if hasattr(value, "tolist"):  # numpy arrays and numbers
        return value.tolist()
    if hasattr(value, "__fspath__"):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item, (*path, str(key))) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, (*path, i)) for i, item in enumerate(value)]
    kind = getattr(type(value), "kind", None)
    if isinstance(kind, str) and hasattr(value, "parameters"):  # a component among plain values
        return write_component(value, kind, path)
    what = "a function" if callable(value) else f"{type(value).__name__} {value!r}"
    raise SpecError([Problem(path, f"{what} cannot be written to a spec")])
