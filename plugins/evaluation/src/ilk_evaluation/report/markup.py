"""HTML that cannot be broken by what it shows: all text is escaped unless it is marked as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Any

# What HTML has no place for: control characters, and halves of characters, which have no UTF-8.
# And marks that turn the direction of all that follows, not only of the name they are in.
_NO_TEXT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_VOID = {"br", "hr", "input", "link", "meta"}


class Html(str):
    """Text that is HTML: put into a page as it is."""

    __slots__ = ()


def html(content: Any) -> Html:
    """Return what is shown as HTML: escaped, unless it is HTML; items of a list one by one.

    Examples
    --------
    >>> html("a < b")
    'a &lt; b'
    >>> html([element("b", "a < b"), None, 1])
    '<b>a &lt; b</b>1'
    """
    if isinstance(content, Html):
        return content
    if content is None:
        return Html()
    if isinstance(content, Iterable) and not isinstance(content, str):
        return Html("".join(map(html, content)))
    return Html(escape(_NO_TEXT.sub("\ufffd", str(content))))


def element(tag: str, *content: Any, **attributes: Any) -> Html:
    """Return an element.

    Parameters
    ----------
    tag : str
    *content : Html, str, number, None or iterable of these
        What is no `Html` is escaped.
    **attributes : str, number, bool or None
        Left out where None or False, without a value where True. A trailing underscore is
        dropped (``class_``), others become hyphens (``aria_label``).

    Examples
    --------
    >>> element("a", "R&D", href='?q="', class_="x", hidden=True)
    '<a href="?q=&quot;" class="x" hidden>R&amp;D</a>'
    """
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    opening = f"<{tag}{written}>"
    return Html(opening if tag in _VOID else f"{opening}{html(content)}</{tag}>")


def _attribute(name: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html(str(value))}"'


def slug(text: str) -> str:
    """Return a text as part of an address: lower case, hyphens for what is no letter or digit."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"
