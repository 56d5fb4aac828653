"""Every error that ilk raises on purpose; each message names what was wrong and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk.spec import Problem


class IlkError(Exception):
    """Base of all errors raised on purpose by ilk and its plugins."""


class ParameterError(IlkError, ValueError):
    """A parameter of a component has a value it cannot take."""

    def __init__(self, message: str, *, argument: str | None = None) -> None:
        super().__init__(message)
        self.argument = argument


class InputError(IlkError, ValueError):
    """Data given to a component has a value, a shape or a label it cannot take."""


class InputTypeError(IlkError, TypeError):
    """Data given to a component is of a type it cannot take."""


class DataError(IlkError, ValueError):
    """A dataset cannot be found or read as it is described."""


class RegistryError(IlkError, LookupError):
    """A name could not be turned into a component."""

    def __str__(self) -> str:
        # LookupError's KeyError-like cousins quote their argument; ours is a sentence.
        return str(self.args[0]) if self.args else ""


class UnknownComponentError(RegistryError):
    """No installed distribution offers a component of that kind and name."""


class BrokenComponentError(RegistryError):
    """A distribution offers the name, but loading it failed or gave the wrong object."""


class AmbiguousComponentError(RegistryError):
    """Two distributions offer the same name for the same kind."""


class SpecError(IlkError, ValueError):
    """A specification has one or more problems; all of them are listed.

    Attributes
    ----------
    problems : list of Problem
        Path, message and, for a file, line of everything that was found wrong.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problems,)
