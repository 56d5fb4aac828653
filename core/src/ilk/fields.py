"""Fields of a component class, and the constructor and docstring generated from them.

A class in the form of ilk 0.1 is refused; the message has the lines to write instead.
"""

from __future__ import annotations

import copy
import inspect
import keyword
import re
from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import ilk
from ilk.errors import DeclarationError, UnknownParameterError
from ilk.messages import did_you_mean
from ilk.params import MISSING, Param, Seed, is_shared, with_default

if TYPE_CHECKING:
    from collections.abc import Callable

_TAKEN = {"self", "kind", "parameters", "capabilities", "waivers", "relies_on"}
_OWN_SECTION = re.compile(
    r"^Parameters\n-{3,}\s.*?(?=^\S[^\n]*\n-{3,}|\Z)", re.MULTILINE | re.DOTALL
)
_FIRST_SECTION = re.compile(r"^\S[^\n]*\n-{3,}[ \t]*$", re.MULTILINE)
_PLAIN = Param()
_TYPES = (int, float, bool, str)
_KEYS = ("ge", "gt", "le", "lt", "choices", "items", "trusted", "schema", "form", "doc")


def collect_fields(cls: type) -> tuple[Mapping[str, Param], Mapping[str, Param]]:
    """Take the fields off a class; return its own, and all after those it inherits.

    Of bases that have a field of the same name the first decides, as with any attribute. A field
    that a base has keeps its place; a plain value in the subclass is its new default.

    Raises
    ------
    DeclarationError
        If the class is written in the form before 0.2, or a field cannot have its name.
    """
    inherited: dict[str, Param] = {}
    for base in reversed(cls.__mro__[1:]):
        known = vars(base).get("_own_fields")
        inherited.update(_declared(base, inherited) if known is None else known)
    refused = refusal(cls, inherited)
    if refused:
        raise DeclarationError(refused)
    declared_fields = _declared(cls, inherited)
    for name in declared_fields:
        delattr(cls, name)
    fields = {**inherited, **declared_fields}
    for name, declared in fields.items():
        _make_room(cls, name, declared)
    return MappingProxyType(declared_fields), MappingProxyType(fields)


def _declared(cls: type, inherited: Mapping[str, Param]) -> dict[str, Param]:
    """Return the fields in the body of a class, and those it gives a new default."""
    declared_fields = {}
    for name, value in vars(cls).items():
        if isinstance(value, Param):
            _check_name(cls, name)
            if value.default is MISSING:
                raise DeclarationError(
                    f"class {cls.__name__}: the parameter {name} needs a default"
                )
            declared_fields[name] = value
        elif name in inherited:
            declared_fields[name] = _with_default(cls, name, inherited[name], value)
    return declared_fields


def _check_name(cls: type, name: str) -> None:
    if name in _TAKEN:
        why = "it has a meaning of its own"
    elif not name.isidentifier() or keyword.iskeyword(name):
        why = "it is no name in Python"
    elif name.startswith("_") or name.endswith("_") or "__" in name:
        why = (
            "underscores mark private names, fitted attributes, and parameters of nested components"
        )
    else:
        return
    raise DeclarationError(f"class {cls.__name__}: a parameter cannot be called {name!r}: {why}")


def _with_default(cls: type, name: str, declared: Param, value: object) -> Param:
    default = value.__func__ if isinstance(value, staticmethod) else value  # a function
    if isinstance(value, property) or (inspect.isroutine(value) and default is value):
        what = "property" if isinstance(value, property) else "method"
        raise DeclarationError(f"class {cls.__name__}: the {what} {name} hides a parameter")
    try:
        return with_default(declared, default)
    except DeclarationError as error:
        raise DeclarationError(f"class {cls.__name__}: {name}: {error}") from None


def _make_room(cls: type, name: str, declared: Param) -> None:
    """See that instances of a class can have an attribute of a name."""
    inherited = inspect.getattr_static(cls, name, None)
    if inspect.isroutine(inherited):
        raise DeclarationError(
            f"class {cls.__name__}: the parameter {name} has the name of a method"
        )
    if isinstance(inherited, property):  # which would refuse to be set
        setattr(cls, name, declared.default)


def constructor(cls: type, fields: Mapping[str, Param]) -> Callable[..., None]:
    """Return the constructor of a class with these fields: it stores them.

    Of a class with a method ``_check_made`` it then calls this method.
    """
    check_made = getattr(cls, "_check_made", None)
    positional = [name for name, declared in fields.items() if not declared.kw_only]
    defaults = [(name, each.default, is_shared(each.default)) for name, each in fields.items()]

    def __init__(self: Any, *args: Any, **values: Any) -> None:  # noqa: N807
        if len(args) > len(positional):
            raise UnknownParameterError(
                f"{cls.__name__} takes its parameters by keyword: "
                + (f"{', '.join(fields)}" if fields else "it has none")
            )
        for name, value in zip(positional, args, strict=False):
            if name in values:
                raise UnknownParameterError(f"{cls.__name__}: {name} is given twice", argument=name)
            values[name] = value
        for name, default, shared in defaults:
            if name not in values:
                setattr(self, name, copy.deepcopy(default) if shared else default)
            else:
                setattr(self, name, values.pop(name))
        if values:
            raise unknown_parameter(cls.__name__, next(iter(values)), fields)
        if check_made is not None:
            check_made(self)

    function: Any = __init__
    function.__qualname__, function.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    function.__signature__ = signature(fields)
    return __init__


def signature(fields: Mapping[str, Param]) -> inspect.Signature:
    """Return the signature of a constructor with these fields."""
    keyword, both = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    arguments = [inspect.Parameter("self", both)]
    for only in (False, True):
        arguments += [
            inspect.Parameter(
                name, keyword if only else both, default=_as_builtin(declared.default)
            )
            for name, declared in fields.items()
            if declared.kw_only is only
        ]
    return inspect.Signature(arguments, return_annotation=None)


def _as_builtin(default: Any) -> Any:
    return str(default) if isinstance(default, str) else default  # scikit-learn rejects subclasses


def unknown_parameter(label: str, name: str, fields: Mapping[str, Param]) -> UnknownParameterError:
    """Return the error for an unknown parameter, with the closest name."""
    names = ", ".join(fields) or "none"
    hint = did_you_mean(name, fields)
    return UnknownParameterError(
        f"{label} has no parameter {name!r}{hint} (it has: {names})", argument=name
    )


def with_parameters(cls: type, fields: Mapping[str, Param]) -> str | None:
    """Return the docstring of a class with the section *Parameters* made from the fields."""
    doc = vars(cls).get("__doc__")
    if doc is None or not fields:
        return doc
    doc = _OWN_SECTION.sub("", inspect.cleandoc(doc))  # a copied docstring has one
    entries = "\n".join(declared.docstring(name) for name, declared in fields.items())
    section = f"Parameters\n----------\n{entries}\n"
    first = _FIRST_SECTION.search(doc)
    at = first.start() if first else len(doc)
    return f"{doc[:at].rstrip()}\n\n{section}\n{doc[at:]}".rstrip() + "\n"


def refusal(cls: type, inherited: Mapping[str, Param]) -> str | None:
    """Return the error message for a class in the old form, None for any other class."""
    old = [name for name in ("parameters", "__init__") if name in vars(cls)]
    if not old:
        return None
    reason = (
        f"class {cls.__name__}: since ilk 0.2 parameters are fields of the class, and the "
        f"constructor is made from them and only stores. "
    )
    lines = "".join(f"\n    {line}" for line in new_lines(cls, inherited))
    what = " and ".join(old)
    end = "What __init__ computed belongs into fit." if "__init__" in old else ""
    do = f"In place of {what} write{lines}\n" if lines else f"Drop {what}. "
    return (reason + do + end).rstrip()


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
        one = f"ilk.{alias}" if hasattr(ilk, alias) else "Any"
        annotation = {list: f"list[{one}]", dict: f"dict[str, {one}]"}.get(declared.many, one)
    else:
        kinds = declared.types or (type(default),)
        builtin = not declared.choices and all(kind in _TYPES for kind in kinds)
        annotation = " | ".join(kind.__name__ for kind in kinds) if builtin else "Any"
    return f"{annotation} | None" if default is None and annotation != "Any" else annotation


def _field(declared: Param, default: object) -> str:
    arguments = [f"default={_written(default)}"]
    if declared.slot:
        arguments.insert(0, repr(declared.slot))
        arguments += ["many=dict"] if declared.many is dict else []
    elif declared.types and declared.types != (type(default),):
        arguments.append(f"type={_written(declared.type)}")
    if declared.none and default is not None:
        arguments.append("none=True")
    if not declared.none and default is None and not declared.slot and Seed not in declared.types:
        arguments.append("none=False")
    maker = "slots" if declared.many else "slot" if declared.slot else "param"
    return f"ilk.{maker}({', '.join(arguments + _keywords(declared, _KEYS))})"


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
