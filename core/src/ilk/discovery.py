"""The components of installed distributions, read from metadata without imports."""

from __future__ import annotations

import os
import re
import warnings
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Found:
    """A component of an installed distribution, not yet imported.

    Attributes
    ----------
    kind, name : str
        Kind and name of the component.
    distribution, version : str
        Its distribution; ``"(session)"`` for a class registered by hand.
    value : str
        ``"module:Class"``.
    """

    kind: str
    name: str
    distribution: str
    version: str
    value: str
    entry_point: EntryPoint | None = field(default=None, compare=False, repr=False)

    @property
    def qualified(self) -> str:
        """``"distribution/name"``, which is never ambiguous."""
        return f"{self.distribution}/{self.name}"


def found_in(group: str) -> list[Found]:
    """Return the entry points of any group of ilk's, such as ``"ilk.commands"``."""
    return list(_by_group().get(group, ()))


def groups() -> set[str]:
    """Return all entry-point groups of ilk with entries, including unknown groups."""
    return set(_by_group())


@cache
def offers(group: str, kind: str) -> tuple[Found, ...]:
    """Return the entry points of a group as offers of a kind."""
    return tuple(replace(found, kind=kind) for found in found_in(group))


def installed() -> dict[str, str]:
    """Return name and version of every installed distribution with entry points of ilk."""
    every = (found for group in _by_group().values() for found in group)
    return dict(sorted({found.distribution: found.version for found in every}.items()))


def forget() -> None:
    """Clear the cache, so that metadata are read again."""
    _by_group.cache_clear()
    offers.cache_clear()


def normal(name: str) -> str:
    """Return the normalized name of a distribution, for comparisons."""
    return name.lower().replace("_", "-").replace(".", "-")


def hidden(distribution: str) -> bool:
    """Tell whether the environment variable ILK_PLUGINS excludes a distribution."""
    allowed = os.environ.get("ILK_PLUGINS")
    if not allowed:
        return False
    return normal(distribution) not in {
        "ilk-core",
        *(normal(p.strip()) for p in allowed.split(",")),
    }


@cache
def _by_group() -> dict[str, list[Found]]:
    """Read the entry points of every installed distribution, once."""
    by_group: dict[str, list[Found]] = {}
    for dist, points in _offering_distributions():
        name, version = dist.name, dist.version  # each reading parses all metadata
        if hidden(name):
            continue
        for point in points:
            found = Found(point.group, point.name, name, version, point.value, point)
            by_group.setdefault(point.group, []).append(found)
    return by_group


def _offering_distributions() -> Iterator[tuple[Distribution, list[EntryPoint]]]:
    """Yield the installed distributions with entry points of ilk.

    Names and versions are read only for these few, because parsing metadata is slow. Of two
    copies on the path the first counts, as for imports.
    """
    seen: set[str] = set()
    for dist in distributions():
        points = _points_of(dist)
        if points and normal(dist.name) not in seen:
            seen.add(normal(dist.name))
            yield dist, points


def _points_of(dist: Distribution) -> list[EntryPoint]:
    """Return the entry points of ilk; none, with a warning, if metadata are damaged."""
    try:
        points = [point for point in dist.entry_points if point.group.startswith("ilk.")]
        problem = (
            "" if not points or _is_named(dist) else f"nothing says whose {points[0].value} is"
        )
        problem = problem or next(filter(None, map(_name_problem, points)), "")
    except Exception as error:  # noqa: BLE001  # other distributions remain usable
        points, problem = [], repr(error)
    if problem:
        where = dist.locate_file("")
        warnings.warn(f"a distribution in {where} is left out: {problem}", stacklevel=2)
        return []
    return points


def _is_named(dist: Distribution) -> bool:
    """Tell whether metadata name a distribution; reading a missing name warns, and will raise."""
    return "Name" in dist.metadata and bool(dist.name)


def _name_problem(point: EntryPoint) -> str:
    """Return the problem with the name of an entry point, or an empty text."""
    if re.fullmatch(r"[\w.-]+", point.name):
        return ""
    return f"{point.name!r} in {point.group} is no name (letters, digits, '_', '.' and '-' only)"


def value_problem(value: str) -> str:
    """Return the problem with the value of an entry point, or an empty text."""
    return "" if EntryPoint.pattern.match(value) else f"{value!r} is not of the form module:Class"
