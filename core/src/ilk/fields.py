"""Fields of a component class, and the constructor and docstring generated from them."""

from __future__ import annotations

import copy
import inspect
import keyword
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ilk.errors import DeclarationError, UnknownParameterError
from ilk.old_form import refusal
from ilk.params import MISSING, Param, is_shared, with_default
from ilk.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_TAKEN = {"self", "kind", "parameters", "capabilities", "waivers", "relies_on"}
_OWN_SECTION = re.compile(
    r"^Parameters\n-{3,}\s.*?(?=^\S[^\n]*\n-{3,}|\Z)", re.MULTILINE | re.DOTALL
)
_FIRST_SECTION = re.compile(r"^\S[^\n]*\n-{3,}[ \t]*$", re.MULTILINE)


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
    own = _declared(cls, inherited)
    for name in own:
        delattr(cls, name)
    fields = {**inherited, **own}
    for name, declared in fields.items():
        _make_room(cls, name, declared)
    return MappingProxyType(own), MappingProxyType(fields)


def _declared(cls: type, inherited: Mapping[str, Param]) -> dict[str, Param]:
    """Return the fields in the body of a class, and those it gives a new default."""
    own = {}
    for name, value in vars(cls).items():
        if isinstance(value, Param):
            _check_name(cls, name)
            if value.default is MISSING:
                raise DeclarationError(
                    f"class {cls.__name__}: the parameter {name} needs a default"
                )
            own[name] = value
        elif name in inherited:
            own[name] = _with_default(cls, name, inherited[name], value)
    return own


def _check_name(cls: type, name: str) -> None:
    if name in _TAKEN:
        why = "it has a meaning of its own"
    elif not name.isidentifier() or keyword.iskeyword(name):
        why = "it is no name in Python"
    elif name.startswith("_") or name.endswith("_") or "__" in name:
        why = "underscores mark what is private, what is fitted, and what is inside"
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
