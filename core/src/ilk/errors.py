"""The errors that ilk raises; each message names the problem and its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ilk.messages import short_repr

if TYPE_CHECKING:
    from collections.abc import Sequence


class IlkError(Exception):
    """Base of all errors that ilk and its plugins raise."""


class ParameterError(IlkError, ValueError):
    """A parameter of a component has a value it cannot take."""

    def __init__(self, message: str, *, argument: str | None = None) -> None:
        super().__init__(message)
        self.argument = argument


class UnknownParameterError(ParameterError, TypeError):
    """A component has no parameter of this name, or takes no parameters by position."""


class DeclarationError(IlkError, TypeError):
    """A class has an invalid declaration of parameters."""


class InputError(IlkError, ValueError):
    """Data given to a component has a value, a shape or a label it cannot take."""


class InputTypeError(IlkError, TypeError):
    """Data given to a component is of a type it cannot take."""


class DataError(IlkError, ValueError):
    """A dataset cannot be found or read as it is described."""


class RegistryError(IlkError, LookupError):
    """A name could not be turned into a component."""

    def __str__(self) -> str:
        # KeyError would show its argument in quotes; ours is a sentence.
        return str(self.args[0]) if self.args else ""


class UnknownComponentError(RegistryError):
    """No installed distribution offers a component of that kind and name."""


class BrokenComponentError(RegistryError):
    """A distribution offers the name, but loading it failed or gave the wrong object."""


class AmbiguousComponentError(RegistryError):
    """Two distributions offer the same name for the same kind."""


Step = str | int
Where = tuple[Step, ...]


@dataclass(frozen=True)
class Problem:
    """One problem of a spec.

    Attributes
    ----------
    path : tuple of str and int
        Place in the spec, ``("pipelines", 0, "steps", 1)``.
    message : str
        The problem, with the value and a suggestion.
    file : str or None
    line : int or None
    """

    path: Where
    message: str
    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        return f"{place}{dotted(self.path)}: {self.message}" if self.path else place + self.message


def dotted(path: Where) -> str:
    """Write a path as ``pipelines[0].steps[1].classifier``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
            continue
        key = step if step.replace("-", "_").isidentifier() else short_repr(step)
        text += f".{key}" if text else key
    return text


class SpecError(IlkError, ValueError):
    """A specification has one or more problems; all of them are listed.

    Attributes
    ----------
    problems : list of Problem
        Path, message and, for a file, line of each problem.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problems,)
