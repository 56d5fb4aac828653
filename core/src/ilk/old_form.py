"""The lines that replace the form of components before ilk 0.2: a table and a constructor."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import ilk
from ilk.params import MISSING, Param, Seed

_PLAIN = Param()
_TYPES = (int, float, bool, str)
_KEYS = ("ge", "gt", "le", "lt", "choices", "items", "trusted", "schema", "form", "doc")


def refusal(cls: type, inherited: Mapping[str, Param]) -> str | None:
    """Return what a class in the old form is told, None if it is not."""
    old = [name for name in ("parameters", "__init__") if name in vars(cls)]
    if not old:
        return None
    said = (
        f"class {cls.__name__}: since ilk 0.2 parameters are fields of the class, and the "
        f"constructor is made from them and only stores. "
    )
    lines = "".join(f"\n    {line}" for line in new_lines(cls, inherited))
    what = " and ".join(old)
    end = "What __init__ computed belongs into fit." if "__init__" in old else ""
    do = f"In place of {what} write{lines}\n" if lines else f"Drop {what}. "
    return (said + do + end).rstrip()


def new_lines(cls: type, inherited: Mapping[str, Param]) -> list[str]:
    """Write the fields of a class that has a table of parameters, a constructor or both."""
    table: Any = vars(cls).get("parameters")
    table = table if isinstance(table, Mapping) else {}
    defaults = _defaults(vars(cls).get("__init__"))
    lines = []
    for name in dict.fromkeys([*table, *defaults]):
        base, declared = inherited.get(name), table.get(name)
        default = defaults.get(name, base.default if base else MISSING)
        if base is None or not (declared is None or declared is base):
            declared = declared if isinstance(declared, Param) else _PLAIN
            lines.append(f"{name}: {_annotation(declared, default)} = {_field(declared, default)}")
        elif repr(default) != repr(base.default):
            lines.append(f"{name} = {_written(default)}")
    return lines


def _defaults(init: Any) -> dict[str, Any]:
    if not inspect.isfunction(init):
        return {}
    _, *taken = inspect.signature(init).parameters.values()
    return {
        each.name: MISSING if each.default is each.empty else each.default
        for each in taken
        if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    }


def _annotation(declared: Param, default: object) -> str:
    if declared.slot:
        alias = declared.slot.title().replace("_", "") + "Like"
        known = f"ilk.{alias}" if hasattr(ilk, alias) else "Any"
        known = {list: f"list[{known}]", dict: f"dict[str, {known}]"}.get(declared.many, known)
    else:
        kinds = declared.types or (type(default),)
        plain = not declared.choices and all(kind in _TYPES for kind in kinds)
        known = " | ".join(kind.__name__ for kind in kinds) if plain else "Any"
    return f"{known} | None" if default is None and known != "Any" else known


def _field(declared: Param, default: object) -> str:
    said = [f"default={_written(default)}"]
    if declared.slot:
        said.insert(0, repr(declared.slot))
        said += ["many=dict"] if declared.many is dict else []
    elif declared.types and declared.types != (type(default),):
        said.append(f"type={_written(declared.type)}")
    if declared.none and default is not None:
        said.append("none=True")
    if not declared.none and default is None and not declared.slot and Seed not in declared.types:
        said.append("none=False")
    maker = "slots" if declared.many else "slot" if declared.slot else "param"
    return f"ilk.{maker}({', '.join(said + _keywords(declared, _KEYS))})"


def _keywords(declared: Param, keys: tuple[str, ...]) -> list[str]:
    return [
        f"{key}={_written(getattr(declared, key))}"
        for key in keys
        if getattr(declared, key) != getattr(_PLAIN, key)
    ]


def _written(value: object) -> str:
    if value is MISSING:
        return "..."
    if isinstance(value, Param):
        return f"ilk.Param({', '.join(_keywords(value, tuple(f.name for f in fields(value))))})"
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_written, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, type):
        return f"ilk.{value.__name__}" if value.__module__ == "ilk.params" else value.__name__
    return value.__name__ if inspect.isroutine(value) else repr(value)
