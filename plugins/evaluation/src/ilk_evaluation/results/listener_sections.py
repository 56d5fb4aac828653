"""Sections that listeners add to the results, for the terminal and the report."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk_evaluation.results.experiment_results import Results


def sections_of(listeners: ilk.Listeners, results: Results) -> Iterator[ilk.Section]:
    """Yield the sections of listeners; warn of other values."""
    for answer in listeners.tell("ilk_report_sections", results=results):
        for section in answer if isinstance(answer, list | tuple) else [answer]:
            if _is_section(section):
                yield section
            else:
                what = f"ilk_report_sections must return ilk.Section, got {section!r}"
                warnings.warn(what, ilk.HookWarning, stacklevel=2)


def _is_section(section: Any) -> bool:
    return (
        isinstance(section, ilk.Section)
        and isinstance(section.title, str)
        and isinstance(section.text, str)
    )
