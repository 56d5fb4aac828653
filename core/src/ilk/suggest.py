"""Did-you-mean: the closest of a set of names, for error messages."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def closest(word: str, options: Iterable[str]) -> str | None:
    """Return the option most like `word`, or None if none is close."""
    by_lower = {option.lower(): option for option in options}
    plain = word.lower().replace("-", "_").replace(" ", "_")
    found = difflib.get_close_matches(plain, by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None


def did_you_mean(word: object, options: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the option most like `word`, else ``""``."""
    match = closest(word, options) if isinstance(word, str) else None
    return f"; did you mean {match!r}?" if match else ""
