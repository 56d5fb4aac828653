"""Figures of comparisons: the critical difference diagram, box plots of ratios, and others'."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

import ilk
from ilk_evaluation.figures.offer import Offer
from ilk_evaluation.figures.picture import Picture

if TYPE_CHECKING:
    from ilk_evaluation.figures.material import Material

NAMES = {"friedman_nemenyi": "critical_difference"}
TITLES = {
    "critical_difference": "Critical difference diagram of the mean ranks",
    "robustness": "How far behind the best pipeline of each data set",
}


def offers(material: Material) -> Iterator[Offer]:
    """Offer the figure of each comparison that has one."""
    done = {label: (comparison, verdict) for label, comparison, verdict in material.comparisons()}
    for label, comparison in material.results.design.comparisons.items():
        name = label.replace(use_of(comparison), name_of(comparison), 1)
        if type(comparison).plot is ilk.Comparison.plot:
            continue
        lacking = "" if label in done else reason(material, label)
        yield Offer(
            name,
            TITLES.get(name_of(comparison), f"What {label} found"),
            lambda label=label, name=name: picture(name, *done[label]),
            lacking=lacking,
        )
    for use, name in {**NAMES, "robustness": "robustness"}.items():
        if use not in material.results.design.comparisons:
            yield Offer(name, TITLES[name], lacking=f"the experiment has no comparison {use}")


def use_of(comparison: ilk.Comparison) -> str:
    """Return the registered name of a comparison."""
    return ilk.display_name(comparison)


def name_of(comparison: ilk.Comparison) -> str:
    """Return the name of the figure of a comparison."""
    return NAMES.get(use_of(comparison), use_of(comparison))


def reason(material: Material, label: str) -> str:
    """Say why a comparison found nothing."""
    said = [note for note in material.results.notes if note.startswith(f"{label} ")]
    return said[0] if said else f"{label} was not computed"


def picture(name: str, comparison: ilk.Comparison, verdict: ilk.Verdict) -> Picture:
    """Return the figure of a comparison."""
    n = len(verdict.ranks) or 2
    use = name_of(comparison)
    sizes = {
        "critical_difference": (min(max(4.2, 0.2 * n), 8.0), 0.9 + 0.17 * n),
        "robustness": (min(max(3.5, 0.55 * n), 14.0), 2.8),
    }
    return Picture(
        name,
        TITLES.get(use, f"What {use_of(comparison)} found"),
        verdict.text,
        numbers(verdict),
        lambda ax: comparison.plot(verdict, ax),
        sizes.get(use, (5.0, min(max(1.0, 0.25 * len(verdict.pairs)), 12.0))),
    )


def numbers(verdict: ilk.Verdict) -> pd.DataFrame:
    """Return what a verdict's figure shows: mean ranks, and the boxes of ratios."""
    boxes: Any = verdict.details.get("boxes", {})
    rows = [
        {"pipeline": name, "mean rank": rank, **boxes.get(name, {})}
        for name, rank in verdict.ranks.items()
    ]
    frame = pd.DataFrame(rows)
    return frame.sort_values("mean rank", kind="stable") if len(frame) else frame
