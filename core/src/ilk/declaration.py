"""Whether a class is declared as a component of its kind must be."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ilk.capabilities import Capabilities
from ilk.known import as_default
from ilk.params import Param
from ilk.wording import show

if TYPE_CHECKING:
    from ilk.kinds import Kind


def mark_defaults(cls: Any) -> None:
    """Let the names in the defaults of a class's own constructor mean what ships with ilk.

    Its signature shows them as they were written.
    """
    init = cls.__dict__.get("__init__")
    if not inspect.isfunction(init) or not isinstance(cls.parameters, Mapping):
        return
    signature = inspect.signature(init)
    cls.marked_defaults = {
        name: as_default(parameter.default)
        for name, parameter in signature.parameters.items()
        if parameter.default is not parameter.empty
        and (param := cls.parameters.get(name))
        and getattr(param, "slot", None)
        and parameter.default not in param.choices
    }
    own: Any = init
    own.__signature__ = signature
    positional = [*signature.parameters][: init.__code__.co_argcount]
    defaults = init.__defaults__ or ()
    names = positional[len(positional) - len(defaults) :]
    init.__defaults__ = tuple(map(cls.marked_defaults.get, names, defaults)) or None
    if init.__kwdefaults__:
        init.__kwdefaults__ = init.__kwdefaults__ | {
            name: cls.marked_defaults.get(name, value)
            for name, value in init.__kwdefaults__.items()
        }


def class_problem(cls: Any, kind: Kind) -> str | None:
    """Return why an object cannot be registered as a component of a kind."""
    if not isinstance(cls, type):
        return f"it is {type(cls).__name__} {cls!r}, not a class"
    bases = kind.interface_classes()
    if not issubclass(cls, bases):
        names = " or ".join(f"ilk.{base.__name__}" for base in bases)
        return f"class {cls.__name__} is no {kind.name}: it must subclass {names}"
    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    if missing:
        return f"class {cls.__name__} does not define {', '.join(missing)}"
    return declaration_problem(cls) or _default_problem(cls)


def _default_problem(cls: Any) -> str | None:
    """Return how making an instance with the defaults fails, or None."""
    try:
        cls()
    except Exception as error:  # noqa: BLE001  # a constructor may raise anything
        reason = f"{type(error).__name__}: {error}"
        return f"class {cls.__name__}: its constructor fails with the defaults: {reason}"
    return None


def _table_problem(cls: Any) -> str | None:
    """Return what is wrong with the types of what a class declares, or None."""
    table = cls.parameters
    if not isinstance(table, Mapping) or not all(isinstance(p, Param) for p in table.values()):
        return f"class {cls.__name__}: parameters must map names to ilk.Param, got {show(table)}"
    if not isinstance(cls.capabilities, Capabilities):
        own = show(cls.capabilities)
        return f"class {cls.__name__}: capabilities must be ilk.Capabilities, got {own}"
    return None


def declaration_problem(cls: Any) -> str | None:
    """Return how a class's `parameters` disagree with its constructor, or None."""
    problem = _table_problem(cls)
    if problem:
        return problem
    arguments = [
        parameter
        for parameter in inspect.signature(cls.__init__).parameters.values()
        if parameter.name != "self"
    ]
    if cls.__init__ is object.__init__:
        arguments = []
    variable = [p.name for p in arguments if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if variable:
        return f"class {cls.__name__}: the constructor must not take *{variable[0]}"
    names = [p.name for p in arguments]
    undeclared = [name for name in names if name not in cls.parameters]
    if undeclared:
        said = f"class {cls.__name__} does not declare its parameters {', '.join(undeclared)}"
        lines = ", ".join(f'"{name}": ilk.Param(...)' for name in undeclared)
        return f"{said}; write parameters = {{{lines}}}, with the type and bounds of each"
    phantom = [name for name in cls.parameters if name not in names]
    if phantom:
        return f"class {cls.__name__} declares {', '.join(phantom)}, which its constructor lacks"
    required = [p.name for p in arguments if p.default is p.empty]
    if required:
        return f"class {cls.__name__}: parameters {', '.join(required)} need a default"
    return None
