"""Docstrings taken apart: summary, description and the sections numpydoc knows."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass

_HEADING = re.compile(r"^(\S[^\n]*)\n-{3,}[ \t]*(?:\n|\Z)", re.MULTILINE)


@dataclass(frozen=True)
class Docstring:
    """A docstring in parts.

    Attributes
    ----------
    summary : str
        The first line.
    description : str
        What stands between the summary and the first section.
    sections : mapping of str to str
    """

    summary: str
    description: str
    sections: Mapping[str, str]

    def section(self, title: str) -> str:
        """Text of a section, empty where there is none."""
        return self.sections.get(title, "")


def read_docstring(obj: object) -> Docstring:
    """Take the docstring of a class or function apart.

    Examples
    --------
    >>> read_docstring(read_docstring).summary
    'Take the docstring of a class or function apart.'
    """
    text = inspect.getdoc(obj) or ""
    head, *rest = _HEADING.split(text)
    titles, bodies = rest[::2], rest[1::2]
    summary, _, description = head.strip().partition("\n")
    sections = {title: body.strip("\n") for title, body in zip(titles, bodies, strict=True)}
    return Docstring(summary, description.strip(), sections)
