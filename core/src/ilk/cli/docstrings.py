"""Docstrings: their summary, sections, citations of the source texts, and text without markup."""

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

# The texts that ilk implements, and how References cite them. The first word is the key.
TEXTS = {
    "Arras": "K. O. Arras, Human-Oriented Robotics: Supervised Learning, part 3, lecture slides, "
    "University of Freiburg",
    "Cunningham 2008": "P. Cunningham, M. Cord and S. J. Delany, Supervised Learning, chapter 2 of "
    "Machine Learning Techniques for Multimedia, Springer, 2008",
    "Evaluation slides": "System Evaluation, lecture slides after S. Theodoridis and "
    "K. Koutroumbas, A. Moore, and E. Alpaydin",
    "Ntoutsi 2015": "E. Ntoutsi and M. Schubert, Knowledge Discovery in Databases II, lectures 10 "
    "and 11: Multi-view data and ensemble learning, LMU Munich, 2015",
    "Zaidi 2011": "N. A. Zaidi, Metric Learning and Scale Estimation in High Dimensional Machine "
    "Learning Problems with an Application to Generic Object Recognition, PhD thesis, Monash "
    "University, 2011",
}
_CITATION = re.compile(
    rf"^(?:\.\. \[\d+\] )?(?P<text>{'|'.join(TEXTS)}): (?P<places>.+?)\.(?:\s|\Z)",
    re.MULTILINE | re.DOTALL,
)
_UNITS = ("algorithm", "appendix", "chapter", "equation", "figure", "section", "table")
_NUMBER = r"(?:[A-F]|(?:[A-F]\.)?\d+(?:\.\d+)*)"
_NUMBERED = re.compile(
    rf"({'|'.join(_UNITS)})s? ({_NUMBER}(?:-{_NUMBER})?(?:, {_NUMBER}(?:-{_NUMBER})?)*)"
)
_SERIES = re.compile(r"((?:\w+\.)*)(\d+)")


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


def citations(references: str) -> dict[str, str]:
    """Return the places that a section References cites, by the key of the text.

    A citation is ``TEXT: PLACES.``, after it come remarks. Places are separated by semicolons:
    numbered ones, ``equations 4.6-4.14, 5.1``, or titles of slides. Parentheses hold remarks.

    Examples
    --------
    >>> citations("Zaidi 2011: section 4.1; equations 4.2-4.3 (misprinted). See also NIPS 2005.")
    {'zaidi': 'section 4.1; equations 4.2-4.3'}
    """
    found: dict[str, list[str]] = {}
    for citation in _CITATION.finditer(references):
        places = re.sub(r" \([^()]*\)", "", " ".join(citation["places"].split()))
        found.setdefault(key_of(citation["text"]), []).append(places)
    return {key: "; ".join(places) for key, places in found.items()}


def key_of(text: str) -> str:
    """Return the key of a text, the first word of its name."""
    return text.split(maxsplit=1)[0].lower()


def single_places(places: str) -> list[str]:
    """Return each of the places alone, series written out.

    Examples
    --------
    >>> single_places("equations 4.2-4.3, D.1; algorithm 1; ROC Curves")
    ['equation 4.2', 'equation 4.3', 'equation D.1', 'algorithm 1', 'ROC Curves']
    """
    single = []
    for part in filter(None, places.split("; ")):
        numbered = _NUMBERED.fullmatch(part)
        if numbered:
            unit, numbers = numbered.groups()
            single += [f"{unit} {each}" for one in numbers.split(", ") for each in _series(one)]
        else:
            single.append(part)
    return single


def _series(numbers: str) -> list[str]:
    """Write out ``4.2-4.4``; a number or letter stays as it is."""
    first, _, last = numbers.partition("-")
    begin, end = _SERIES.fullmatch(first), _SERIES.fullmatch(last)
    if not begin or not end:
        return [numbers]
    return [f"{begin[1]}{number}" for number in range(int(begin[2]), int(end[2]) + 1)]


def lies_in(place: str, asked: str) -> bool:
    """Tell whether a place is what a reader asks for.

    Numbers stand for themselves and all below them, ``4.7``, ``(4.7)`` or ``equation 4``, series
    as in ``4.8-4.12`` for each of their numbers; other words for titles and units that contain
    them.

    Examples
    --------
    >>> [lies_in("section 4.2.1", asked) for asked in ("4.2", "sec. 4", "equation 4.2", "4.21")]
    [True, True, False, False]
    >>> lies_in("equation 4.9", "eqs. (4.8)-(4.12)")
    True
    """
    asked = re.sub(r"[()]", "", asked).rstrip(".")
    *words, number = asked.split() or [""]
    units = [word.lower().rstrip("s.") for word in words]
    known = all(any(unit.startswith(word) for unit in _UNITS) for word in units)
    first, _, last = number.upper().partition("-")
    if not known or not all(re.fullmatch(_NUMBER, each) for each in (first, last or first)):
        return asked.lower() in place.lower()
    unit, _, label = place.partition(" ")
    there = _between(label, first, last) if last else f"{label}.".startswith(f"{first}.")
    return there and unit in _UNITS and all(unit.startswith(word) for word in units)


def _between(label: str, first: str, last: str) -> bool:
    """Tell whether a number lies in a series, or below one of its numbers."""
    begin, end = _SERIES.fullmatch(first), _SERIES.fullmatch(last)
    if not begin or not end or not label.startswith(begin[1]):
        return False
    number = label[len(begin[1]) :].partition(".")[0]
    return number.isdigit() and int(begin[2]) <= int(number) <= int(end[2])


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
