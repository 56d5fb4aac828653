"""The section of time against the measure that ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk_evaluation.figures import times as figure
from ilk_evaluation.report.markup import Html
from ilk_evaluation.report.parts import Figures, Section, paragraphs

if TYPE_CHECKING:
    from ilk_evaluation.figures.material import Material


def times(material: Material, figures: Figures) -> Section:
    """Return the figure of seconds against the measure that ranks, or why there is none."""
    offer = next(figure.offers(material))
    if offer.lacking:
        content = paragraphs(f"There is no such figure: {offer.lacking}.")
    else:
        picture = offer.picture()
        told = paragraphs(
            "The line joins the pipelines that no other one beats in both; they are in colour.",
            class_="note",
        )
        content = Html(told + paragraphs(picture.text) + figures.figure(picture))
    return Section("time", f"Time against {material.measure}", content)
