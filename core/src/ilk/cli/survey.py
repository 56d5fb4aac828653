"""Import everything that is offered and tell how each fares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ilk.cli import commands
from ilk.discovery import Found, found_in, groups
from ilk.errors import AmbiguousComponentError, IlkError
from ilk.kinds import Kind, kinds
from ilk.registries import registry
from ilk.suggest import did_you_mean

OTHER_GROUPS = ("ilk.functions", "ilk.grammars", "ilk.kinds", "ilk.plugins")

Status = Literal["ok", "broken", "ambiguous"]


@dataclass(frozen=True)
class Tried:
    """An offer, and what came of importing it."""

    found: Found
    status: Status
    problem: str = ""


def survey(chosen: Iterable[Kind]) -> Iterator[Tried]:
    """Try every component of some kinds."""
    for kind in chosen:
        offers = registry(kind.name)
        for found in offers.find():
            yield _try(found, offers.get)


def survey_rest() -> Iterator[Tried]:
    """Try every command, and complain about offers in groups that nothing reads."""
    for found in found_in(commands.GROUP):
        yield _try(found, commands.load)
    read = {kind.group for kind in kinds().values()} | {commands.GROUP, *OTHER_GROUPS}
    for group in sorted(groups() - read):
        problem = f"there is no group {group!r}{did_you_mean(group, read)}"
        yield from (Tried(stray, "broken", problem) for stray in found_in(group))


def _try(found: Found, get: Callable[[str], object]) -> Tried:
    try:
        get(found.qualified)
    except IlkError as error:
        return Tried(found, "broken", str(error))
    try:
        get(found.name)
    except AmbiguousComponentError as error:
        return Tried(found, "ambiguous", str(error))
    return Tried(found, "ok")
