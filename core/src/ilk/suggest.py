"""Suggestions in error messages: the closest of a set of names."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_LIKE = 0.6
_SURE = 0.7  # below this similarity (`random_state`, `warm_start`) first letters must agree


def closest(word: str, options: Iterable[str]) -> str | None:
    """Return the option closest to `word`, or None if none is close."""
    by_lower = {option.lower(): option for option in options}
    plain = word.lower().replace("-", "_").replace(" ", "_")
    sure = difflib.get_close_matches(plain, by_lower, n=1, cutoff=_SURE)
    akin = [option for option in by_lower if option[:1] == plain[:1]]
    found = sure or difflib.get_close_matches(plain, akin, n=1, cutoff=_LIKE)
    return by_lower[found[0]] if found else None


def did_you_mean(word: object, options: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the option closest to `word`, else ``""``."""
    match = closest(word, options) if isinstance(word, str) else None
    return f"; did you mean {match!r}?" if match else ""


def similar_file(path: Path) -> str:
    """Return ``"; did you mean 'x'?"`` for a file of a similar name beside `path`."""
    try:
        beside = [
            one.stem
            for one in path.parent.iterdir()
            if one.suffix == path.suffix and one.name != path.name  # a link to nowhere
        ]
    except OSError:
        return ""
    match = closest(path.stem, beside) if not path.exists() else None
    return f"; did you mean {match + path.suffix!r}?" if match else ""
