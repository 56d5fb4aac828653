"""Parts of messages: articles, short values on one line, and the closest of a set of names."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_LONGEST = 80  # characters of a value in a message: it fits on a line
_LIKE = 0.6
_SURE = 0.7  # below this similarity (`random_state`, `warm_start`) first letters must agree


def an(noun: str) -> str:
    """Return a noun with its indefinite article.

    Examples
    --------
    >>> an("index"), an("kernel")
    ('an index', 'a kernel')
    """
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def short_repr(value: object) -> str:
    """Write a value for a message: on one line, and shortened if it is long."""
    if isinstance(value, type):
        return f"the class {value.__name__}, not an instance ({value.__name__}())"
    try:
        text = " ".join(repr(value).split())
    except RecursionError:
        text = f"a {type(value).__name__} nested too deeply to be shown"
    except ValueError:  # Python writes no integer of more than 4,300 digits
        text = f"{an(type(value).__name__)} too long to be shown"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def printable(text: str, keep: str = "\n\t") -> str:
    """Replace control characters, which move a terminal's cursor or change its colours."""
    letters = (letter if letter.isprintable() or letter in keep else "\ufffd" for letter in text)
    return "".join(letters)


def closest(word: str, options: Iterable[str]) -> str | None:
    """Return the option closest to `word`, or None if none is close."""
    by_lower = {option.lower(): option for option in options}
    lowered = word.lower().replace("-", "_").replace(" ", "_")
    sure = difflib.get_close_matches(lowered, by_lower, n=1, cutoff=_SURE)
    akin = [option for option in by_lower if option[:1] == lowered[:1]]
    matches = sure or difflib.get_close_matches(lowered, akin, n=1, cutoff=_LIKE)
    return by_lower[matches[0]] if matches else None


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
