"""Components of a page: sections, figures with their data, selectable panels, limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ilk_evaluation.report.markup import Html, columns_of, element, html, slug, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk_evaluation.figures.figure_spec import Figure


_WIDE = 3.5
"""Inches; wider figures scroll on a narrow screen instead of shrinking."""


@dataclass(frozen=True)
class Section:
    """A section of the page.

    Attributes
    ----------
    id : str
        Unique within the page.
    title : str
    content : Html
    """

    id: str
    title: str
    content: Html

    def html(self) -> Html:
        """Return it as an element with its heading."""
        heading = element("h2", self.title, id=f"{self.id}-title")
        return element(
            "section", heading, self.content, id=self.id, aria_labelledby=f"{self.id}-title"
        )


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

    def embed(self, figure: Figure, *, data: bool = True) -> Html:
        """Return a figure with its title and its numbers, the latter collapsed.

        If a figure cannot be drawn, its numbers and the reason are returned.
        """
        id_ = self.id_for("figure-" + "-".join(figure.parts))
        drawn = self._drawn(figure)
        behind = _data(figure, id_) if data and len(figure.data) else None
        title = element("figcaption", figure.title)
        return element("figure", title, drawn, paragraphs(figure.note, class_="note"), behind)

    def _drawn(self, figure: Figure) -> Html | None:
        if find_spec("matplotlib") is None:
            self.problem = (
                "Figures are left out: they are drawn by matplotlib, which is not installed (the "
                "extra report of ilk has it). Their numbers are in the tables."
            )
            return None
        from ilk_evaluation.report.svg import svg

        try:
            image = svg(figure, self.id_for("f"))
        except Exception as error:  # noqa: BLE001  # a comparison's plot may raise anything
            why = f"{type(error).__name__}: {error}"
            return element("p", f"This figure could not be drawn ({why}).", class_="note")
        label, wide = figure.text or figure.title, figure.size[0] > _WIDE
        drawing = element("div", image, role="img", aria_label=label)
        if not wide:
            return drawing
        name = f"{figure.title}, may scroll"
        return element(
            "div", drawing, class_="scroll wide", tabindex="0", role="region", aria_label=name
        )


def _data(figure: Figure, id_: str) -> Html:
    rows: Any = figure.data.to_dict("records")
    numbers = table(
        f"Numbers of the figure: {figure.title}",
        columns_of(figure.data),
        rows,
        id_=f"{id_}-data",
    )
    return element("details", element("summary", "Numbers"), numbers, class_="data")


def choice(labels: Sequence[str], panels: Sequence[tuple[Sequence[str], Html]]) -> Html:
    """Return panels that a selector shows one at a time; without scripts all are visible.

    Parameters
    ----------
    labels : sequence of str
        Labels of the selectors: data set, pipeline.
    panels : sequence of (values, Html)
        A value for each label, and the content of the panel.
    """
    written = [
        element(
            "div",
            content,
            class_="panel",
            **{f"data_choice_{at}": value for at, value in enumerate(values)},
        )
        for values, content in panels
    ]
    return element("div", written, class_="choice", data_labels="|".join(labels))


def paragraphs(*texts: str | Html | None, class_: str | None = None) -> Html:
    """Return a paragraph for each non-empty text."""
    return html([element("p", text, class_=class_) for text in texts if text])


def folded(summary: str | Html, *content: Any, open_: bool = False) -> Html:
    """Return collapsed content, which the reader can open."""
    return element("details", element("summary", summary), content, open=open_)


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
"""Pipelines in the figures and confusion matrices of a data set; more are unreadable."""
MOST_CASES = 20_000_000
"""Predicted cases read for curves and confusion matrices: about half a minute."""
MOST_CONFUSED = 40_000
"""Entries of all confusion matrices together, which bounds the size of the page."""
MOST_CLASSES = 40
"""Classes of a confusion matrix; a larger table is unreadable."""
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
