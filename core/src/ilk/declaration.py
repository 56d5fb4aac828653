"""Whether a class is declared as a component of its kind must be."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ilk.kinds import Kind


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
    return declaration_problem(cls)


def declaration_problem(cls: Any) -> str | None:
    """Return how a class's `parameters` disagree with its constructor, or None."""
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
        return f"class {cls.__name__} does not declare its parameters {', '.join(undeclared)}"
    phantom = [name for name in cls.parameters if name not in names]
    if phantom:
        return f"class {cls.__name__} declares {', '.join(phantom)}, which its constructor lacks"
    required = [p.name for p in arguments if p.default is p.empty]
    if required:
        return f"class {cls.__name__}: parameters {', '.join(required)} need a default"
    return None
