"""Figures as part of a page: matplotlib's SVG, whose colours the style sheet replaces by theme.

The style sheet selects colours by their value, ``[stroke="#0072b2"]``. Styles become attributes,
as the policy of the page allows its own style sheet only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from markupsafe import Markup

from ilk_evaluation.figures.style import rendered

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
_DROPPED = {"metadata", "style"}
_DIGITS = re.compile(r"(\.\d\d)\d+")
"""Digits below a hundredth of a point, which are invisible."""


def svg(figure: Figure, prefix: str) -> Markup:
    """Return a figure as an element, hidden from screen readers, which get its description.

    Parameters
    ----------
    figure : Figure
    prefix : str
        Salt of its ids, unique on the page.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    """
    settings = _SETTINGS | {"svg.hashsalt": prefix}
    root = ET.fromstring(rendered(figure, "svg", titled=False, settings=settings))  # noqa: S314  # ours
    for element in list(root.iter()):
        element.tag = _local(element.tag)
        element.attrib = dict(_attributes(element))
        element[:] = [child for child in element if _local(child.tag) not in _DROPPED]
    points = float(root.attrib["width"].removesuffix("pt"))
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "width": f"{points * 96 / 72:.0f}",
        "class": "plot",
        "aria-hidden": "true",
        "focusable": "false",
    }
    return Markup(ET.tostring(root, encoding="unicode"))  # noqa: S704  # serialized, so escaped


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _attributes(element: ET.Element) -> Iterator[tuple[str, str]]:
    """Yield the attributes and styles of an element, without ids of groups, which repeat."""
    for name, value in element.attrib.items():
        if name == "style":
            for part in value.split(";"):
                key, _, setting = part.partition(":")
                if key.strip() and key.strip() != "font-family":
                    yield key.strip(), _DIGITS.sub(r"\1", setting.strip())
        elif name != "id" or element.tag != "g":
            yield _local(name), _DIGITS.sub(r"\1", " ".join(value.split()))
