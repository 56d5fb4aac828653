"""Docstrings: their summary, description and sections, and their text without markup."""

from __future__ import annotations

import inspect
import re
import textwrap
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from ilk.cli.layout import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ilk.discovery import Found


_HEADING = re.compile(r"^(\S[^\n]*)\n-{3,}[ \t]*(?:\n|\Z)", re.MULTILINE)
_MARKUP = re.compile(
    r"``(?P<literal>.+?)``"
    r"|(?::[\w:.+-]+:)?`(?P<name>[^`]+)`_{0,2}"
    r"|(?<![\w*])(?P<stars>\*{1,2})(?P<stressed>[^\s*](?:[^*]*[^\s*])?)(?P=stars)(?![\w*])",
    re.DOTALL,
)
_ITEM = re.compile(r"^(?:\.\. )?(\[\w+\]|[-*]|\d+\.) ", re.MULTILINE)
_INDENTED = re.compile(r"^[ \t]+\S", re.MULTILINE)


@dataclass(frozen=True)
class Docstring:
    """A docstring in parts.

    Attributes
    ----------
    summary : str
        The first line.
    description : str
        The text between the summary and the first section.
    sections : mapping of str to str
    """

    summary: str
    description: str
    sections: Mapping[str, str]

    def section(self, title: str) -> str:
        """Text of a section, empty if there is none."""
        return self.sections.get(title, "")


def read_docstring(obj: object) -> Docstring:
    """Parse the docstring of a class or function.

    Examples
    --------
    >>> read_docstring(read_docstring).summary
    'Parse the docstring of a class or function.'
    """
    inherits = not isinstance(obj, type)  # a class does not do what its base says
    text = (inspect.getdoc(obj) if inherits or obj.__doc__ else "") or ""
    head, *rest = _HEADING.split(text)
    titles, bodies = rest[::2], rest[1::2]
    summary, _, description = head.strip().partition("\n")
    sections = {title: body.strip("\n") for title, body in zip(titles, bodies, strict=True)}
    return Docstring(summary, description.strip(), sections)


def summary_of(found: Found) -> str:
    """First line of a class's docstring, read from its source so that nothing is imported.

    Empty if the module of the entry point does not define the class directly.
    """
    module, _, name = found.value.partition(":")
    source = _source_of(module.strip())
    pattern = rf'^class {re.escape(name.strip())}\s*(?:\([^)]*\))?\s*:\s*[rR]?"""\s*([^\n]*)'
    match = re.search(pattern, source, re.MULTILINE)
    return match.group(1).partition('"""')[0].strip() if match else ""


def _source_of(module: str) -> str:
    """Source of a module; only the top-level package is located, without imports."""
    top, *inner = module.split(".")
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        return ""
    if spec is None:
        return ""
    candidates = [Path(spec.origin)] if spec.origin and not inner else []
    for folder in spec.submodule_search_locations or () if inner else ():
        path = Path(folder).joinpath(*inner)
        candidates += [path.with_suffix(".py"), path / "__init__.py"]
    for path in candidates:
        if path.suffix == ".py" and path.is_file():
            return path.read_text(encoding="utf-8", errors="replace")
    return ""


def without_markup(text: str) -> str:
    """Return text without reStructuredText's inline markup.

    Examples
    --------
    >>> without_markup("``d(x, y) = x * y``, see *On distances* and `fit`")
    'd(x, y) = x * y, see On distances and fit'
    """
    return _MARKUP.sub(lambda m: m["literal"] or m["name"] or m["stressed"], text)


def paragraphs(text: str, indent: int = 0) -> list[str]:
    """Wrapped lines of a part of a docstring; indented text (formulas) keeps its lines."""
    lines: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines += [""] if lines else []
        for item in _items(block):
            lines += _item_lines(item, indent)
    return lines


def _items(block: str) -> Iterator[str]:
    """The items of a list, or the block itself if it is none."""
    starts = [match.start() for match in _ITEM.finditer(block)] if _ITEM.match(block) else [0]
    for start, end in pairwise([*starts, len(block)]):
        yield block[start:end]


def _item_lines(item: str, indent: int) -> list[str]:
    marker = _ITEM.match(item)
    if not marker and _INDENTED.search(item):
        return textwrap.indent(item, " " * indent).splitlines()
    label = marker.group(1) + " " if marker else ""
    text = " ".join(without_markup(_ITEM.sub("", item, count=1) if marker else item).split())
    return wrapped(re.sub(r"::\Z", ":", text), " " * indent + label, indent + len(label))
