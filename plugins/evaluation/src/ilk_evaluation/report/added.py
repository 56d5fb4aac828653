"""Sections that plugins add by the event `ilk_report_sections`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk_evaluation.report.markdown import rendered
from ilk_evaluation.report.parts import Figures, Section
from ilk_evaluation.results.sections import sections_of

if TYPE_CHECKING:
    import ilk
    from ilk_evaluation.experiments.results import Results


def added(listeners: ilk.Listeners, results: Results, figures: Figures) -> list[Section]:
    """Return the sections of plugins, their Markdown as HTML."""
    return [
        Section(figures.id_for(f"added-{section.title}"), section.title, rendered(section.text))
        for section in sections_of(listeners, results)
    ]
