"""Fields of a component class, and the constructor and docstring generated from them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ilk.errors import DeclarationError, UnknownParameterError
from ilk.params import MISSING, Param
from ilk.suggest import did_you_mean

_FIRST_SECTION = re.compile(r"^\S[^\n]*\n-{3,}[ \t]*$", re.MULTILINE)


def collect_fields(cls: type) -> Mapping[str, Param]:
    """Remove the fields from a class and return them, after the inherited fields.

    An inherited field keeps its position; a plain value in the subclass is its new default.

    Raises
    ------
    DeclarationError
        If the class is written in the form before 0.2, or a field hides a method.
    """
    _refuse_old_form(cls)
    fields: dict[str, Param] = {}
    for base in reversed(cls.__mro__[1:]):
        fields.update(vars(base).get("parameters", {}))
    for name, value in list(vars(cls).items()):
        if isinstance(value, Param):
            fields[name] = value
        elif name in fields and isinstance(value, staticmethod):  # a function is the new default
            fields[name] = _with_default(cls, name, fields[name], value.__func__)
        elif name in fields and not isinstance(value, property) and not inspect.isroutine(value):
            fields[name] = _with_default(cls, name, fields[name], value)
        else:
            continue
        delattr(cls, name)
    for name, declared in fields.items():
        inherited = inspect.getattr_static(cls, name, MISSING)
        if inspect.isroutine(inherited):
            raise DeclarationError(
                f"class {cls.__name__}: the parameter {name} has the name of a method"
            )
        if isinstance(inherited, property):  # a property could not be set
            setattr(cls, name, declared.default)
        if declared.default is MISSING:
            raise DeclarationError(f"class {cls.__name__}: the parameter {name} needs a default")
    return MappingProxyType(fields)


def _with_default(cls: type, name: str, declared: Param, default: Any) -> Param:
    problem = None if declared.slot else declared.problem(default)
    if problem:
        raise DeclarationError(f"class {cls.__name__}: the default of {name} {problem}")
    return replace(declared, default=default)


def _refuse_old_form(cls: type) -> None:
    namespace = vars(cls)
    if "parameters" in namespace:
        table = namespace["parameters"]
        names = list(table) if isinstance(table, Mapping) else []
        lines = "".join(f"\n    {name}: ... = ilk.param(default=..., doc=...)" for name in names)
        raise DeclarationError(
            f"class {cls.__name__}: since ilk 0.2 parameters are fields of the class, and the "
            f"constructor is made from them. In place of parameters = {{...}} and __init__ write"
            f"{lines or ' k: int = ilk.param(default=5, ge=1, doc=...)'}"
        )
    if "__init__" in namespace:
        raise DeclarationError(
            f"class {cls.__name__}: the constructor is made from the fields (k: int = "
            f"ilk.param(default=5, ge=1, doc=...)) and only stores; drop __init__, and compute "
            f"in fit"
        )


def constructor(cls: type, fields: Mapping[str, Param]) -> Callable[..., None]:
    """Return the constructor of a class with these fields: it only stores them."""
    positional = [name for name, declared in fields.items() if not declared.kw_only]

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
        for name, declared in fields.items():
            setattr(self, name, values.pop(name, declared.default))
        if values:
            raise unknown_parameter(cls.__name__, next(iter(values)), fields)

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
            inspect.Parameter(name, keyword if only else both, default=_plain(declared.default))
            for name, declared in fields.items()
            if declared.kw_only is only
        ]
    return inspect.Signature(arguments, return_annotation=None)


def _plain(default: Any) -> Any:
    return str(default) if isinstance(default, str) else default  # scikit-learn rejects subclasses


def unknown_parameter(label: str, name: str, fields: Mapping[str, Param]) -> UnknownParameterError:
    """Return the error for an unknown parameter, with the closest name."""
    known = ", ".join(fields) or "none"
    hint = did_you_mean(name, fields)
    return UnknownParameterError(
        f"{label} has no parameter {name!r}{hint} (it has: {known})", argument=name
    )


def with_parameters(doc: str | None, fields: Mapping[str, Param]) -> str | None:
    """Return a docstring with the section *Parameters* generated from the fields."""
    if doc is None or not fields:
        return doc
    doc = inspect.cleandoc(doc)
    entries = "\n".join(declared.docstring(name) for name, declared in fields.items())
    section = f"Parameters\n----------\n{entries}\n"
    first = _FIRST_SECTION.search(doc)
    at = first.start() if first else len(doc)
    return f"{doc[:at].rstrip()}\n\n{section}\n{doc[at:]}".rstrip() + "\n"
