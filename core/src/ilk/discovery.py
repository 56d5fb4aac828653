"""What installed distributions offer, read from their metadata; nothing is imported."""

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
    """A component that an installed distribution offers; nothing of it is imported yet.

    Attributes
    ----------
    kind, name : str
        What it is and what it is called.
    distribution, version : str
        Who offers it; ``"(session)"`` for a class registered by hand.
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
    """Return the groups in which anything is offered to ilk, also those that nothing reads."""
    return set(_by_group())


@cache
def offers(group: str, kind: str) -> tuple[Found, ...]:
    """Return the entry points of a group as offers of a kind."""
    return tuple(replace(found, kind=kind) for found in found_in(group))


def installed() -> dict[str, str]:
    """Return name and version of every installed distribution that offers something to ilk."""
    every = (found for group in _by_group().values() for found in group)
    return dict(sorted({found.distribution: found.version for found in every}.items()))


def forget() -> None:
    """Forget what was read, so that it is read again."""
    _by_group.cache_clear()
    offers.cache_clear()


def normal(name: str) -> str:
    """Return the name of a distribution in the one form that names are compared in."""
    return name.lower().replace("_", "-").replace(".", "-")


def hidden(distribution: str) -> bool:
    """Tell whether the environment variable ILK_PLUGINS leaves a distribution out."""
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
        if hidden(dist.name):
            continue
        for point in points:
            found = Found(point.group, point.name, dist.name, dist.version, point.value, point)
            by_group.setdefault(point.group, []).append(found)
    return by_group


def _offering_distributions() -> Iterator[tuple[Distribution, list[EntryPoint]]]:
    """Yield the installed distributions with entry points of ilk's.

    Names and versions are read for these few only: parsing metadata is what is slow. Of two
    copies on the path the first counts, as it does for imports.
    """
    seen: set[str] = set()
    for dist in distributions():
        points = _points_of(dist)
        if points and normal(dist.name) not in seen:
            seen.add(normal(dist.name))
            yield dist, points


def _points_of(dist: Distribution) -> list[EntryPoint]:
    """Return the entry points of ilk's; none, with a warning, where metadata is spoiled."""
    try:
        points = [point for point in dist.entry_points if point.group.startswith("ilk.")]
        problem = "" if not points or dist.name else f"nothing says whose {points[0].value} is"
        problem = problem or next(filter(None, map(_name_problem, points)), "")
    except Exception as error:  # noqa: BLE001  # whatever is wrong, the others go on
        points, problem = [], repr(error)
    if problem:
        where = dist.locate_file("")
        warnings.warn(f"a distribution in {where} is left out: {problem}", stacklevel=2)
        return []
    return points


def _name_problem(point: EntryPoint) -> str:
    """Return what is wrong with the name of an entry point, or nothing."""
    if re.fullmatch(r"[\w.-]+", point.name):
        return ""
    return f"{point.name!r} in {point.group} is no name (letters, digits, '_', '.' and '-' only)"


def value_problem(value: str) -> str:
    """Return what is wrong with the value of an entry point, or nothing."""
    return "" if EntryPoint.pattern.match(value) else f"{value!r} is not of the form module:Class"
