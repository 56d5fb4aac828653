"""Spec files, read with the line of each value."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ilk.errors import Problem, SpecError, Where
from ilk.locate import lines_of, open_at, too_deep
from ilk.messages import similar_file

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST = 10 * 2**20  # maximum bytes of a file: a larger one is data, or a mistake


@dataclass(frozen=True)
class Spec:
    """A spec as written, with the line of each of its values.

    Attributes
    ----------
    data : dict
        Tables, lists and values as in the file.
    path : Path or None
        The file; paths in the spec are relative to its folder.
    lines : mapping of path to int
        Line of each key, table and element.
    """

    data: dict[str, Any]
    path: Path | None = None
    lines: Mapping[Where, int] = field(default_factory=dict, repr=False)

    @property
    def folder(self) -> Path | None:
        """The base folder of relative paths."""
        return self.path.parent if self.path else None

    def locate(self, problem: Problem) -> Problem:
        """Return the problem with file and line."""
        where = problem.path
        while where and where not in self.lines:
            where = where[:-1]
        file = str(self.path) if self.path else None
        return Problem(problem.path, problem.message, file, self.lines.get(where))


def load_spec(path: str | Path) -> Spec:
    """Read a TOML file.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    Spec
        Unchecked; `resolve` checks it.

    Raises
    ------
    SpecError
        If the file cannot be read or is not TOML; names file and line.
    """
    path = Path(path)
    text = _text(path)
    line = too_deep(text)
    if line is not None:
        raise SpecError([Problem((), "is nested too deeply to be read", str(path), line)])
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = _line_in(str(error)) or len(text.splitlines())
        message = f"not valid TOML: {error}{_open_in(text, str(error))}"
        raise SpecError([Problem((), message, str(path), line)]) from None
    except ValueError:  # Python reads no integer of more digits
        digits = re.search(r"\d[\d_]{4299,}", text)
        line = text.count("\n", 0, digits.start()) + 1 if digits else None
        raise SpecError(
            [Problem((), "has an integer of more than 64 bits", str(path), line)]
        ) from None
    return Spec(data, path, lines_of(text))


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:  # a name with a null character is a ValueError
        reason = getattr(error, "strerror", None) or str(error)
        hint = similar_file(path) if isinstance(error, FileNotFoundError) else ""
        raise SpecError([Problem((), f"cannot be read: {reason}{hint}", str(path))]) from None
    if len(raw) > LARGEST:
        message = f"is no specification: it has more than {LARGEST // 2**20} megabytes"
        raise SpecError([Problem((), message, str(path))])
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError([Problem((), f"not UTF-8 text: {error}", str(path))]) from None


def _line_in(message: str) -> int | None:
    _, _, tail = message.partition("at line ")
    digits = tail.partition(",")[0]
    return int(digits) if digits.isdigit() else None


def _open_in(text: str, message: str) -> str:
    """Return a hint about the open table or array at the place of tomllib's error."""
    if not message.startswith(("Invalid initial", "Unclosed", "Expected '='", "Invalid value")):
        return ""
    place = re.search(r"at line (\d+), column (\d+)", message)
    end = len(text)
    if place:
        lines = text.splitlines(keepends=True)
        end = sum(map(len, lines[: int(place[1]) - 1])) + int(place[2]) - 1
    opened = open_at(text, end)
    if opened is None:
        return ""
    if opened[0] == "[":
        return f"; the [ of line {opened[1]} is still open"
    return (
        f"; the {{ of line {opened[1]} is still open: its table ends on that line, and with no "
        f"comma before the }}"
    )
