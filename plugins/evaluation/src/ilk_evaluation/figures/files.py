"""Figures as files, each named for what it shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.figures.style import written
from ilk_evaluation.whole import check_no_link, replace_file

if TYPE_CHECKING:
    from ilk_evaluation.figures.offer import Offer


def chosen(offers: Mapping[str, Offer], names: Sequence[str]) -> list[Offer]:
    """Return the figures of some names; without names all there are, but not one per pipeline.

    Raises
    ------
    InputError
        If there is no such figure; says why, or names the nearest.
    """
    if not names:
        return [offer for offer in offers.values() if offer.places and not offer.pipelines]
    for name in names:
        if name not in offers:
            hint = ilk.did_you_mean(name, offers)
            known = ", ".join(offers)
            raise ilk.InputError(f"there is no figure {name!r}{hint} (there are: {known})")
        if offers[name].lacking:
            raise ilk.InputError(f"there is no figure {name}: {offers[name].lacking}")
    return [offers[name] for name in dict.fromkeys(names)]


def write_figures(offers: Iterable[Offer], folder: Path, format_: str) -> Iterator[Path]:
    """Draw figures into files, one after the other; yield the path of each.

    One in which nothing would be seen has no file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    for offer in offers:
        for place in offer.places:
            picture = offer.picture(*place)
            if not len(picture.data):
                continue
            content = written(picture, format_)
            path = folder / f"{_distinct('-'.join([offer.name, *place]), taken)}.{format_}"
            check_no_link(path)
            replace_file(path, content)
            yield path


def _distinct(name: str, taken: set[str]) -> str:
    """Return a name that is one of a file everywhere, and that no other figure has."""
    plain = re.sub(r"[^\w.-]+", "_", name).strip("._")[:100] or "figure"
    number, free = 1, plain
    while free.lower() in taken:  # some systems do not tell capitals apart
        number += 1
        free = f"{plain}_{number}"
    taken.add(free.lower())
    return free
