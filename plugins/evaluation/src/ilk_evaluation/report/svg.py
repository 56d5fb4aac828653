"""Figures as part of a page: matplotlib's SVG with the colours and fonts of the page.

Colours become classes of the style sheet, so figures follow the theme. Styles become attributes,
as the page's policy allows its own style sheet only. Ids get the figure's prefix.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from ilk.plotting import COLORS
from ilk_evaluation.figures.style import rendered
from ilk_evaluation.report.markup import Html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk_evaluation.figures.figure_spec import Figure

_SETTINGS = {
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "legend.facecolor": "white",
    "savefig.facecolor": "none",
    "svg.fonttype": "none",
}
_LINK = "{http://www.w3.org/1999/xlink}href"
_DROPPED = {"metadata", "style"}
_KEPT_STYLES = (
    *("fill", "stroke", "opacity", "fill-opacity", "stroke-opacity", "stroke-width"),
    *("stroke-linecap", "stroke-linejoin", "stroke-dasharray", "stroke-dashoffset"),
    *("text-anchor", "font-size", "font-style", "font-weight"),
)
_NUMBERS = {"x", "y", "width", "height", "transform", "stroke-dasharray", "stroke-width"}
_ROLES = {color.lower(): f"c{number}" for number, color in enumerate(COLORS)}
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def svg(figure: Figure, prefix: str) -> Html:
    """Return a figure as an element, hidden from screen readers, which get its description.

    Parameters
    ----------
    figure : Figure
    prefix : str
        Prefix of its ids, unique on the page.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    """
    content = rendered(figure, "svg", titled=False, settings=_SETTINGS)
    root = ET.fromstring(content)  # noqa: S314  # matplotlib wrote it a moment ago
    width = float(root.attrib["width"].removesuffix("pt"))
    svg_element = _element(root, prefix)
    svg_element.attrib = {
        "viewBox": _rounded(root.attrib["viewBox"]),
        "width": f"{width * 96 / 72:.0f}",
        "class": "plot",
        "aria-hidden": "true",
        "focusable": "false",
    }
    return Html(ET.tostring(svg_element, encoding="unicode"))


def _element(old: ET.Element, prefix: str) -> ET.Element:
    """Convert an element and its children."""
    new = ET.Element(_local(old.tag), dict(_attributes(old, prefix)))
    new.text = old.text if old.text and old.text.strip() else None
    for child in old:
        if _local(child.tag) in _DROPPED:
            continue
        part = _element(child, prefix)
        if part.tag == "g" and not part.attrib:
            new.extend(part)  # the page does not need matplotlib's groups
        elif part.tag != "defs" or len(part):
            new.append(part)
    return new


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _attributes(old: ET.Element, prefix: str) -> Iterator[tuple[str, str]]:
    classes: list[str] = []
    for name, value in _with_styles(old):
        if name == "id":
            if _local(old.tag) != "g":
                yield "id", f"{prefix}-{value}"
        elif name == _LINK:
            yield "href", f"#{prefix}-{value.removeprefix('#')}"
        elif name in {"fill", "stroke"} and _role(value):
            classes.append(f"{name[0]}-{_role(value)}")
        elif name == "clip-path":
            yield name, value.replace("#", f"#{prefix}-")
        elif name == "d":
            yield name, _course(value)
        elif name in _NUMBERS:
            yield name, _rounded(value)
        elif not name.startswith("{"):
            yield name, value
    if classes:
        yield "class", " ".join(classes)


def _with_styles(old: ET.Element) -> Iterator[tuple[str, str]]:
    for name, value in old.attrib.items():
        if name != "style":
            yield name, " ".join(value.split())
            continue
        for part in value.split(";"):
            key, _, setting = (text.strip() for text in part.partition(":"))
            if key in _KEPT_STYLES:
                yield key, setting


def _role(color: str) -> str | None:
    """Class of a colour in the theme: one of the palette, or a grey."""
    color = color.lower()
    if color in _ROLES:
        return _ROLES[color]
    found = re.fullmatch(r"#([0-9a-f]{2})\1\1", color)
    return f"g{round((255 - int(found[1], 16)) / 25.5)}" if found else None


def _rounded(value: str, digits: int = 2) -> str:
    """Round the numbers of a value: hundredths of a point are invisible."""
    return _NUMBER.sub(lambda found: _short(float(found[0]), digits), value)


def _short(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _course(path: str) -> str:
    """Write a path with tenths of a point and without implied letters."""
    parts: list[str] = []
    line: list[tuple[float, float]] = []
    words = iter(path.split())
    for word in words:
        if word not in {"M", "L"}:
            parts += _line(line)
            line = []
            parts.append(word if word.isalpha() else _short(float(word), 1))
            continue
        if word == "M" or not line:
            parts += [*_line(line), word]
            line = []
        _extend(line, (round(float(next(words)), 1), round(float(next(words)), 1)))
    return " ".join([*parts, *_line(line)])


def _line(points: list[tuple[float, float]]) -> list[str]:
    return [_short(number, 1) for point in points for number in point]


def _extend(line: list[tuple[float, float]], point: tuple[float, float]) -> None:
    """Add a point to a line; drop points inside horizontal or vertical pieces."""
    if len(line) > 1:
        before, last = line[-2:]
        for axis, other in ((0, 1), (1, 0)):
            level = before[axis] == last[axis] == point[axis]
            if level and (before[other] - last[other]) * (last[other] - point[other]) >= 0:
                line[-1] = point
                return
    line.append(point)
