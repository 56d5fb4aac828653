"""Parts of messages: articles, and short values on one line."""

from __future__ import annotations

_LONGEST = 80  # characters of a value in a message: it fits on a line


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
    known = (letter if letter.isprintable() or letter in keep else "\ufffd" for letter in text)
    return "".join(known)
