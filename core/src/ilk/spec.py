"""Specs: load a file, resolve it with all errors at once, build objects, and back."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ilk.errors import ParameterError, Problem, SpecError, Where
from ilk.kinds import kinds
from ilk.slots import open_value
from ilk.suggest import file_like
from ilk.wording import show

if TYPE_CHECKING:
    from ilk.grammar import Table
    from ilk.params import Param

LARGEST = 10 * 2**20  # bytes of a file: a larger one is data, or a mistake
_SHOWN = 4  # steps of the path of what is nested too deeply


@dataclass(frozen=True)
class Spec:
    """A spec as written, with the line of each of its values.

    Attributes
    ----------
    data : dict
        Tables, lists and values as in the file.
    path : Path or None
        The file it came from; relative paths inside it are relative to its folder.
    lines : mapping of path to int
        Line of each key, table and element.
    """

    data: dict[str, Any]
    path: Path | None = None
    lines: Mapping[Where, int] = field(default_factory=dict, repr=False)

    @property
    def folder(self) -> Path | None:
        """The folder that relative paths start from."""
        return self.path.parent if self.path else None

    def locate(self, problem: Problem) -> Problem:
        """Return the problem with file and line."""
        where = problem.path
        while where and where not in self.lines:
            where = where[:-1]
        file = str(self.path) if self.path else None
        return Problem(problem.path, problem.message, file, self.lines.get(where))


def load(path: str | Path) -> Spec:
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
    from ilk.locate import lines_of, too_deep

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
        hint = file_like(path) if isinstance(error, FileNotFoundError) else ""
        raise SpecError([Problem((), f"cannot be read: {reason}{hint}", str(path))]) from None
    if len(raw) > LARGEST:
        said = f"is no specification: it has more than {LARGEST // 2**20} megabytes"
        raise SpecError([Problem((), said, str(path))])
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError([Problem((), f"not UTF-8 text: {error}", str(path))]) from None


def _line_in(message: str) -> int | None:
    _, _, tail = message.partition("at line ")
    digits = tail.partition(",")[0]
    return int(digits) if digits.isdigit() else None


def _open_in(text: str, message: str) -> str:
    """Say which table or array is open where tomllib found something that is no part of it."""
    from ilk.locate import open_at

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


def _unusable(data: Any) -> Iterator[Problem]:
    """Find what TOML cannot say, or nobody can show: integers too large, tables too deep."""
    from ilk.locate import DEEPEST

    stack: list[tuple[Where, Any]] = [((), data)]
    while stack:
        path, value = stack.pop()
        if type(value) is int and not -(2**63) <= value < 2**63:
            yield Problem(path, f"must be an integer of at most 64 bits, got {show(value)}")
        elif len(path) > 2 * DEEPEST and isinstance(value, Mapping | list | tuple):
            yield Problem(path[:_SHOWN], "is nested too deeply to be read")
        elif isinstance(value, Mapping):
            stack += [((*path, key), item) for key, item in reversed([*value.items()])]
        elif isinstance(value, list | tuple):
            stack += [((*path, i), value[i]) for i in reversed(range(len(value)))]


@dataclass(frozen=True)
class Resolved:
    """A spec with every name found, every default filled in and every value checked.

    Attributes
    ----------
    data : Any
        Canonical: a component is a table with ``use`` and all its parameters.
    versions : dict of str to str
        Version of every distribution whose components it names.
    """

    data: Any
    versions: dict[str, str]


def resolve(
    spec: Spec | Mapping[str, Any] | str,
    *,
    kind: str | None = None,
    grammar: Table | None = None,
    trust: bool = True,
) -> Resolved:
    """Find every name, fill in every default and check every value.

    Parameters
    ----------
    spec : Spec, table or str
        A component's name or table (give `kind`), or a whole file (give `grammar`).
    kind : str, optional
        The kind of the component.
    grammar : Table, optional
        The tables and keys a file may have.
    trust : bool, default=True
        Whether parameters are taken that a stranger must not decide (`Param.trusted`).

    Raises
    ------
    SpecError
        With all problems at once, each with its path and, for a file, its line.

    Examples
    --------
    >>> resolve({"use": "minkowski", "p": 1}, kind="distance").data
    {'use': 'minkowski', 'p': 1.0, 'weights': None}
    """
    from ilk.resolution import Resolution

    source = spec if isinstance(spec, Spec) else None
    data = spec.data if isinstance(spec, Spec) else spec
    resolution = Resolution(source.folder if source else None, trust=trust)
    resolution.problems += _unusable(data)
    if resolution.problems:
        result = None
    elif grammar is not None:
        result = resolution.table(grammar, data, ())
    else:
        result = resolution.component(data, kind or _kind_from(data), ())
    if resolution.problems:
        found = resolution.problems
        raise SpecError([source.locate(p) for p in found] if source else found)
    return Resolved(result, dict(sorted(resolution.versions.items())))


def _kind_from(data: Any) -> str:
    """The kind of a component given without one: allowed where only one kind has the name."""
    from ilk.registries import registry

    name = data.get("use") if isinstance(data, Mapping) else data
    if isinstance(data, Mapping) and name is None and "steps" in data:
        return "classifier"
    if not isinstance(name, str):
        raise SpecError([Problem((), f"expected a component's name or table, got {data!r}")])
    plain = name.rpartition("/")[2]
    having = [kind for kind in kinds() if plain in registry(kind)]
    if len(having) != 1:
        what = f"is a {' and a '.join(having)}" if having else "is unknown"
        raise SpecError([Problem((), f"{name!r} {what}: say which with kind=")])
    return having[0]


def build(spec: Any, *, kind: str | None = None) -> Any:
    """Turn a spec into an object, with every component inside it built as well.

    Parameters
    ----------
    spec : str or table
        ``"euclidean"``, ``{"use": "knn", "k": 3}``, or a pipeline ``{"steps": [...]}``.
    kind : str, optional
        May be left out where only one kind has the name.

    Raises
    ------
    SpecError
        With all problems at once.

    Examples
    --------
    >>> build({"use": "knn", "k": 3}, kind="classifier").k
    3
    """
    data = spec.data if isinstance(spec, Spec) else spec
    if kind is None:
        kind = _kind_from(data)
    resolved = resolve(spec, kind=kind)
    # only a file has relative paths, which resolving has completed
    return _construct(resolved.data if isinstance(spec, Spec) else data, kind)


def _construct(spec: Any, kind: str) -> Any:
    """Build from a spec known to be right."""
    from ilk.registries import registry

    if not isinstance(spec, str | Mapping):
        return spec
    table = {"use": spec} if isinstance(spec, str) else dict(spec)
    if "steps" in table:
        table.setdefault("use", "pipeline")
    cls = registry(kind).get(table.pop("use"))
    params: Mapping[str, Param] = getattr(cls, "parameters", {})
    opened = {key: open_value(params[key], value, _construct) for key, value in table.items()}
    return cls(**opened)


def to_spec(obj: Any, *, kind: str | None = None) -> dict[str, Any]:
    """Write an object as a spec: parameters at their default are left out.

    ``build(to_spec(x))`` has the same spec, and two components are equal exactly when
    their specs are.

    Parameters
    ----------
    obj : Component, name or table
    kind : str, optional
        For a name or a table: the kind of the component.

    Returns
    -------
    dict
        ``{"use": name, ...}`` of strings, numbers, lists and tables.

    Raises
    ------
    SpecError
        If it holds something that a spec cannot say: a function, a fitted (frozen)
        component, an object that no installed distribution has registered.

    Examples
    --------
    >>> import ilk
    >>> to_spec(ilk.classifier("knn", k=3, distance=ilk.distance("minkowski", p=1)))
    {'use': 'knn', 'k': 3, 'distance': {'use': 'minkowski', 'p': 1}}
    """
    from ilk.writing import write_component

    try:
        return write_component(obj, kind, ())
    except ParameterError as error:
        raise SpecError([Problem((), str(error))]) from error
