"""Figures of scores: ROC, precision and recall of the pipelines on a data set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ilk.drawing import written as as_is
from ilk_evaluation.figures.material import Material, signed
from ilk_evaluation.figures.offer import Offer
from ilk_evaluation.figures.picture import Picture
from ilk_evaluation.figures.style import line_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ilk_evaluation.curves import Band
    from ilk_evaluation.figures.predicted import Predicted

MOST_LINES = 6
"""Pipelines with the largest areas that are drawn in colour; others are thin and grey."""
_STEPS = np.linspace(0, 1, 11)


@dataclass(frozen=True)
class _Sort:
    """One of the two sorts of curves."""

    name: str
    title: str
    x: str
    y: str
    area: str
    joined: str


ROC = _Sort("roc", "ROC", "false positive rate", "true positive rate", "area", "default")
PRECISION_RECALL = _Sort(
    "precision_recall",
    "Precision and recall",
    "recall",
    "precision",
    "average precision",
    "steps-pre",
)


def offers(material: Material) -> Iterator[Offer]:
    """Offer the curves of each data set of two classes."""
    binary = [name for name in material.datasets if material.n_classes[name] == 2]
    lacking = "" if binary else "no data set has two classes"
    for sort in (ROC, PRECISION_RECALL):
        yield Offer(
            sort.name,
            f"{sort.title} of the pipelines on a data set of two classes",
            partial(picture, material, sort),
            datasets=binary,
            lacking=lacking,
        )


def bands(material: Material, dataset: str, sort: _Sort) -> dict[str, Band]:
    """Return the averaged curves of the pipelines that have one, the largest area first."""
    found = {}
    for pipeline in material.shown:
        one = material.predicted(dataset, pipeline)
        band = getattr(one, sort.name) if one is not None else None
        if band is not None:
            found[pipeline] = band
    return dict(sorted(found.items(), key=lambda item: -item[1].area))


def picture(material: Material, sort: _Sort, dataset: str) -> Picture:
    """Return the curves of a data set."""
    found = bands(material, dataset, sort)
    areas = some_of([f"{p} {signed(b.area, b.area_sd)}" for p, b in found.items()])
    against = next((band.name for band in found.values()), "")
    text = f"{sort.title} on {dataset} ({against}), mean over the splits. "
    text += f"{sort.area[0].upper()}{sort.area[1:]}: {areas or 'no pipeline gives scores'}."
    return Picture(
        sort.name,
        f"{sort.title} on {dataset}",
        text,
        numbers(found, sort),
        lambda ax: paint(ax, found, sort, material.order),
        (2.9, 2.6),
        dataset,
        note=" ".join(_notes(material, dataset, found)),
    )


def some_of(items: list[str]) -> str:
    """Join the first ones, as many as are drawn in colour."""
    rest = len(items) - MOST_LINES
    return "; ".join(items[:MOST_LINES]) + (f"; and {rest} more" if rest > 0 else "")


def numbers(found: dict[str, Band], sort: _Sort) -> pd.DataFrame:
    """Areas, and heights of the curves at eleven places."""
    rows = []
    for pipeline, band in found.items():
        heights = np.interp(_STEPS, band.x, band.mean)
        at = {f"{sort.y} at {x:.1f}": y for x, y in zip(_STEPS, heights, strict=True)}
        rows.append({"pipeline": pipeline, sort.area: band.area, "±": band.area_sd, **at})
    return pd.DataFrame(rows)


def _notes(material: Material, dataset: str, found: dict[str, Band]) -> Iterator[str]:
    """Say what is not shown, or not as one would think."""
    all_ = {p: material.predicted(dataset, p) for p in material.shown}
    seen: dict[str, Predicted] = {p: one for p, one in all_.items() if one is not None}
    without = [p for p in material.shown if p not in found]
    if without:
        yield f"No scores: {', '.join(without)}."
    partly = material.partly(dataset)
    if partly:
        yield partly
    n_left_out = max((one.n_left_out for one in seen.values()), default=0)
    if n_left_out:
        yield f"{n_left_out} splits whose test cases are all of one class have no curve."
    if any(one.pooled for one in seen.values()):
        yield "No split has test cases of both classes: curves are of all splits of a repeat."
    if len(found) > MOST_LINES:
        yield f"The {MOST_LINES} largest areas are in colour."


def paint(ax: Axes, found: dict[str, Band], sort: _Sort, order: Sequence[str]) -> None:
    """Draw the curves: the best in colour with their bands, others in grey.

    A pipeline has the colour of its place in the order, the same in all figures.
    """
    for number, (name, band) in reversed(list(enumerate(found.items()))):
        if number >= MOST_LINES:
            ax.plot(band.x, band.mean, color="0.75", linewidth=0.8, drawstyle=sort.joined)
            continue
        look: Any = line_of(order.index(name))
        label = f"{as_is(name)} {band.area:.3f}"
        ax.plot(band.x, band.mean, label=label, zorder=3, drawstyle=sort.joined, **look)
        if not np.isnan(band.lower).any():
            step: Any = {"step": "pre"} if sort.joined == "steps-pre" else {}
            shade: Any = {"color": look["color"], "alpha": 0.1, "linewidth": 0, **step}
            ax.fill_between(band.x, band.lower, band.upper, **shade)
    if sort is ROC:
        ax.plot([0, 1], [0, 1], color="0.8", linewidth=0.8, zorder=0)
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.01)
    ax.grid(axis="both")
    ax.set_xlabel(sort.x)
    ax.set_ylabel(sort.y)
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        legend_below(ax, handles[::-1], labels[::-1])


def legend_below(ax: Axes, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """Say what the lines are below the axes, where it hides none."""
    place: Any = {"loc": "upper left", "bbox_to_anchor": (-0.02, -0.16), "handlelength": 2.8}
    ax.legend(handles, labels, borderaxespad=0, **place)
