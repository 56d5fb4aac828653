"""JSON Schema of components and of files, made from the declared parameters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ilk.discovery import found_in
from ilk.errors import RegistryError, UnknownComponentError
from ilk.grammar import Many, Table
from ilk.kinds import kinds
from ilk.params import DATA_VIEWS, LARGEST_SEED, Array, FilePath, Function, Param, Seed, Views
from ilk.registries import registry
from ilk.resolution import defaults_of

if TYPE_CHECKING:
    from collections.abc import Iterable

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_TYPES: dict[Any, Schema] = {
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    str: {"type": "string"},
    list: {"type": "array"},
    dict: {"type": "object"},
    Array: {"$ref": "#/$defs/array"},
    Seed: {"type": "integer", "minimum": 0, "maximum": LARGEST_SEED},
    FilePath: {"type": "string"},
    Views: {"$ref": "#/$defs/views"},
}
_BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_ARRAY: Schema = {
    "type": "array",
    "items": {"anyOf": [{"type": "number"}, {"$ref": "#/$defs/array"}]},
}
_TITLE: Schema = {"description": "Name in the tables.", "type": "string", "minLength": 1}
_COLUMNS: Schema = {"type": "array", "items": {"type": ["string", "integer"]}, "minItems": 1}
_VIEWS: Schema = {
    "anyOf": [
        {"const": DATA_VIEWS},
        {"type": "object", "additionalProperties": _COLUMNS, "minProperties": 1},
        {"type": "array", "items": _COLUMNS, "minItems": 1},
    ]
}


def component_schema(kind: str, name: str) -> Schema:
    """Return the JSON Schema of a component's table.

    Parameters
    ----------
    kind, name : str

    Returns
    -------
    dict
        A complete schema, with the schemas of its slots under ``$defs``.

    Raises
    ------
    RegistryError
        If there is no such component, or it cannot be imported.

    Examples
    --------
    >>> component_schema("distance", "minkowski")["properties"]["p"]["exclusiveMinimum"]
    0
    """
    table = _table_of(kind, name)
    return {"$schema": DIALECT, "title": f"{kind} {name}", **table, "$defs": _definitions()}


def file_schema(grammar: Table, title: str) -> Schema:
    """Return the JSON Schema of a file with the given grammar.

    It contains every installed component that can be imported, and ignores broken ones.
    """
    return {"$schema": DIALECT, "title": title, **_table(grammar), "$defs": _definitions()}


def installed_file_schema(name: str) -> Schema:
    """Return the JSON Schema of a type of files, such as ``"experiment"``, that a plugin reads.

    Raises
    ------
    UnknownComponentError
        If no installed distribution reads such files.
    """
    offers = [found for found in found_in("ilk.grammars") if found.name == name]
    if not offers or offers[0].entry_point is None:
        raise UnknownComponentError(
            f"no installed distribution reads {name} files (ilk-evaluation does)"
        )
    return file_schema(offers[0].entry_point.load(), f"ilk {name}")


def _table(grammar: Table) -> Schema:
    return {
        "type": "object",
        "properties": {key: _field(value) for key, value in grammar.fields.items()},
        "required": list(grammar.required),
        "additionalProperties": grammar.others,
    }


def _field(grammar: Param | Table | Many) -> Schema:
    if isinstance(grammar, Table):
        return _table(grammar)
    if isinstance(grammar, Many):
        return {"type": "array", "minItems": grammar.at_least, "items": _table(grammar.table)}
    return param_schema(grammar)


def param_schema(param: Param) -> Schema:
    """Return the JSON Schema of the values of a parameter."""
    options = [_typed(kind, param) for kind in param.types if kind is not Function]
    if param.choices:
        options.append({"enum": list(param.choices)})
    if param.slot:
        options.append(_slot(param))
    if param.none or Seed in param.types:
        options.append({"type": "null"})
    schema: Schema = {"anyOf": options} if options else {"not": {}}
    if len(options) == 1:
        schema = options[0]
    about = {"description": param.doc} if param.doc else {}
    return {**about, **schema, **param.schema}


def _typed(kind: Any, param: Param) -> Schema:
    schema = dict(_TYPES[kind])
    if kind in (int, float):
        bounds = ((name, getattr(param, name)) for name in _BOUNDS)
        # JSON has no infinity
        schema |= {_BOUNDS[name]: b for name, b in bounds if b is not None and math.isfinite(b)}
    if param.items is not None and kind in (list, dict):
        schema["items" if kind is list else "additionalProperties"] = param_schema(param.items)
    return schema


def _slot(param: Param) -> Schema:
    one: Schema = {"$ref": f"#/$defs/{param.slot}"}
    if param.many is list:
        return {"type": "array", "items": one}
    if param.many is dict:
        return {"type": "object", "additionalProperties": one}
    return one


def _definitions() -> Schema:
    """Referenced schemas: one for each kind, for steps and for arrays."""
    steps = {kind.name: {"$ref": f"#/$defs/{kind.name}"} for kind in kinds().values() if kind.role}
    step = {
        "description": "A table with one key, the kind of the step.",
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "properties": steps,
        "additionalProperties": False,
    }
    return {
        "array": _ARRAY,
        "views": _VIEWS,
        "step": step,
        **{kind: _kind(kind) for kind in kinds()},
    }


def _kind(kind: str) -> Schema:
    """A component of a kind: its name, or its table, with the name under ``use``."""
    tables = {name: _table_of(kind, name) for name in _usable(kind)}
    if kind == "dataset":  # in a file, a title may stand beside the parameters
        for table in tables.values():
            table["properties"]["title"] = _TITLE
    names = sorted({use for table in tables.values() for use in table["properties"]["use"]["enum"]})
    branches = [{"if": _uses(table), "then": table} for table in tables.values()]
    if "pipeline" in tables:  # its table may omit ``use``
        branches.append({"if": {"not": {"required": ["use"]}}, "then": tables["pipeline"]})
        required = [{"required": ["use"]}, {"required": ["steps"]}]
    else:
        required = [{"required": ["use"]}]
    return {
        "description": kinds()[kind].summary,
        "type": ["string", "object"],
        "if": {"type": "string"},
        "then": {"enum": names},
        "else": {
            "properties": {"use": {"enum": names}},
            "anyOf": required,
            **({"allOf": branches} if branches else {}),
        },
    }


def _uses(table: Schema) -> Schema:
    return {"required": ["use"], "properties": {"use": table["properties"]["use"]}}


def _usable(kind: str) -> Iterable[str]:
    """Names of a kind whose classes can be imported; an ambiguous one is qualified."""
    for name in map(registry(kind).shortest, registry(kind).find()):
        try:
            registry(kind).get(name)
        except RegistryError:
            continue
        yield name


def _table_of(kind: str, name: str) -> Schema:
    found = registry(kind).lookup(name)
    cls: Any = registry(kind).get(name)
    defaults = defaults_of(cls)
    names = dict.fromkeys([registry(kind).shortest(found), found.qualified])
    properties: Schema = {"use": {"enum": list(names)}}
    for key, param in cls.parameters.items():
        properties[key] = param_schema(param) | _default(defaults[key])
    return {
        "description": _summary(cls),
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


def _default(value: object) -> Schema:
    """The ``default`` keyword, if JSON can represent the value."""
    if isinstance(value, float) and not math.isfinite(value):
        return {}
    plain = isinstance(value, str | bool | int | float | list | dict | type(None))
    return {"default": value} if plain else {}


def _summary(cls: type) -> str:
    return (cls.__doc__ or "").strip().partition("\n")[0]
