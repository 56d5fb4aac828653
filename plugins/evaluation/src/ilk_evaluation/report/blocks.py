"""Blocks of a page, which the template writes as HTML: texts, lists, figures, panels; limits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple
from xml.etree import ElementTree as ET

from markupsafe import Markup

from ilk_evaluation.figures.style import rendered
from ilk_evaluation.report.report_tables import Table, slug, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ilk_evaluation.figures.figure_spec import Figure


@dataclass(frozen=True)
class Section:
    """A section of the page: its address, unique within the page, its title and its blocks."""

    id: str
    title: str
    blocks: Sequence[Any]


@dataclass(frozen=True)
class Text:
    """A paragraph, which may end in a link or in code."""

    kind: ClassVar[str] = "text"
    text: str
    class_: str = ""
    link: str = ""
    code: str = ""


@dataclass(frozen=True)
class Heading:
    """A heading below that of the section, and the name in a file."""

    kind: ClassVar[str] = "heading"
    text: str
    id: str = ""
    code: str = ""


@dataclass(frozen=True)
class Items:
    """A list."""

    kind: ClassVar[str] = "items"
    items: Sequence[str]


@dataclass(frozen=True)
class Facts:
    """Names and values."""

    kind: ClassVar[str] = "facts"
    facts: Mapping[str, str]


@dataclass(frozen=True)
class Code:
    """Code or a traceback."""

    kind: ClassVar[str] = "code"
    text: str
    language: str = "text"


@dataclass(frozen=True)
class Rendered:
    """HTML of our own making: rendered Markdown."""

    kind: ClassVar[str] = "rendered"
    html: Markup


@dataclass(frozen=True)
class Group:
    """Blocks in an element of a class, such as ``"multiples"``."""

    kind: ClassVar[str] = "group"
    class_: str
    blocks: Sequence[Any]


@dataclass(frozen=True)
class Folded:
    """Collapsed blocks, which the reader can open: a summary, in bold, and further words."""

    kind: ClassVar[str] = "folded"
    summary: str
    blocks: Sequence[Any]
    open: bool = False
    class_: str = ""
    strong: str = ""
    message: str = ""


@dataclass(frozen=True)
class Choice:
    """Panels that a selector shows one at a time; without scripts all are visible.

    Attributes
    ----------
    labels : sequence of str
        Labels of the selectors: data set, pipeline.
    panels : sequence of (values, blocks)
        A value for each label, and the content of the panel.
    """

    kind: ClassVar[str] = "choice"
    labels: Sequence[str]
    panels: Sequence[tuple[Sequence[str], Sequence[Any]]]


class MatrixCell(NamedTuple):
    """A text, the class of its shade, a text below it, and one for screen readers only."""

    text: str
    class_: str = ""
    small: str = ""
    unseen: str = ""


@dataclass(frozen=True)
class Matrix:
    """A table of shaded cells: pipelines by pipelines, or true by predicted classes.

    Attributes
    ----------
    caption, label : str
        The label is read for the region that scrolls.
    class_, corner : str
    heads : sequence of MatrixCell
        Headings of the columns.
    rows : sequence of (str, cells)
        The heading of a row and its cells.
    """

    kind: ClassVar[str] = "matrix"
    caption: str
    label: str
    class_: str
    corner: str
    heads: Sequence[MatrixCell]
    rows: Sequence[tuple[str, Sequence[MatrixCell]]]


@dataclass(frozen=True)
class Drawing:
    """A figure: its SVG, or why there is none, and its numbers."""

    kind: ClassVar[str] = "drawing"
    figure: Figure
    svg: Markup | None
    problem: str
    numbers: Table | None


@dataclass
class Figures:
    """Draws the figures of a page, or reports once why none can be drawn.

    Attributes
    ----------
    problem : str
        Why no figure can be drawn.
    """

    problem: str = ""
    _ids: dict[str, int] = field(default_factory=dict)

    def id_for(self, name: str) -> str:
        """Return a name that is unique among the figures of the page."""
        name = slug(name)
        self._ids[name] = self._ids.get(name, 0) + 1
        return f"{name}-{self._ids[name]}"

    def embed(self, figure: Figure, *, data: bool = True) -> Drawing:
        """Return a figure with its title and its numbers, the latter collapsed.

        If a figure cannot be drawn, its numbers and the reason are returned.
        """
        id_ = self.id_for("figure-" + "-".join(figure.parts))
        numbers = None
        if data and len(figure.data):
            caption = f"Numbers of the figure: {figure.title}"
            numbers = table_of(figure.data, caption, f"{id_}-data")
        svg, problem = self._drawn(figure)
        return Drawing(figure, svg, problem, numbers)

    def _drawn(self, figure: Figure) -> tuple[Markup | None, str]:
        if find_spec("matplotlib") is None:
            self.problem = (
                "Figures are left out: they are drawn by matplotlib, which is not installed (the "
                "extra report of ilk has it). Their numbers are in the tables."
            )
            return None, ""

        try:
            return svg(figure, self.id_for("f")), ""
        except Exception as error:  # noqa: BLE001  # a comparison's plot may raise anything
            why = f"{type(error).__name__}: {error}"
            return None, f"This figure could not be drawn ({why})."


def texts(*texts: str | None, class_: str = "") -> list[Text]:
    """Return a paragraph for each non-empty text."""
    return [Text(text, class_) for text in texts if text]


def count(number: int, noun: str) -> str:
    """Write ``1 cell``, ``2 cells``."""
    return f"{number:,} {noun}" + ("s" if number != 1 else "")


def listed(items: Sequence[str], most: int = 8) -> str:
    """Join items by commas; only the first if there are many."""
    rest = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + rest


def shortened(text: str, most: int = 420) -> str:
    """Shorten a long text, cutting between two of its parts."""
    if len(text) <= most:
        return text
    ends = [text.rfind(mark, 0, most) for mark in ("; ", ". ", ", ")]
    at = max(ends)
    return f"{text[: at if at > 0 else most].rstrip(',;.')} …"


MOST_DATASETS = 24
"""Data sets that get figures; more would make a page of tens of megabytes."""
MOST_PIPELINES = 16
"""Pipelines in the figures and matrices of a data set; more are unreadable."""
MOST_CASES = 20_000_000
"""Predicted cases read for curves and confusion matrices: about half a minute."""
MOST_CONFUSED = 40_000
"""Entries of all confusion matrices together, which bounds the size of the page."""
MOST_CLASSES = 40
"""Classes of a confusion matrix; a larger table is unreadable."""
MOST_SPACES = 3
"""Data sets whose spaces of metric learners are drawn."""
MOST_FITTING = 20.0
"""Seconds of all fits for these pictures together, by the recorded times."""
MOST_TRACEBACKS = 50
"""Groups of failures shown with their tracebacks, which bounds the size of the page."""


def beyond(number: int, noun: str, most: int = MOST_DATASETS) -> str:
    """Note how many things are left out of figures; empty if none."""
    if number <= most:
        return ""
    return (
        f"The first {most} of {number} {noun}s are shown; `ilk plot` draws all of them, and "
        f"`--dataset` chooses which."
    )


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

    The style sheet selects colours by their value, ``[stroke="#0072b2"]``, and replaces them by
    theme. Styles become attributes, as the policy of the page allows its own style sheet only.

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
