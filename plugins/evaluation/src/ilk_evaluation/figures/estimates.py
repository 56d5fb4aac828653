"""Figures of estimates: each pipeline on a data set, with how much its splits spread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ilk.drawing import COLORS
from ilk.drawing import written as as_is
from ilk_evaluation.figures.material import Material, direction, signed
from ilk_evaluation.figures.offer import Offer
from ilk_evaluation.figures.picture import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def offers(material: Material) -> Iterator[Offer]:
    """Offer a figure of each data set on which a pipeline has an estimate."""
    grid = material.results.pivot()
    there = [str(name) for name in grid.index[grid.notna().any(axis=1)]]
    yield Offer(
        "estimates",
        f"{material.measure} of each pipeline on a data set, with its spread over the splits",
        lambda dataset: picture(material, dataset),
        datasets=there,
        lacking="" if there else "no pipeline has an estimate yet",
    )


def picture(material: Material, dataset: str) -> Picture:
    """Return the figure of a data set."""
    table = material.table
    rows = table[table["dataset"] == dataset].set_index("pipeline").reindex(material.shown)
    name = material.measure
    values, spreads = rows[name].to_numpy(float), rows[f"{name}_spread"].to_numpy(float)
    data = pd.DataFrame(
        {"pipeline": material.shown, name: values, "±": spreads, "rank": rows["rank"].to_numpy()}
    )
    lacking = [p for p, value in zip(material.shown, values, strict=True) if np.isnan(value)]
    infinite = [p for p, value in zip(material.shown, values, strict=True) if np.isinf(value)]
    notes = [f"No estimate: {', '.join(lacking)}."] if lacking else []
    notes += [f"Infinite, and not drawn: {', '.join(infinite)}."] if infinite else []
    return Picture(
        "estimates",
        dataset,
        f"{name} on {dataset}, {direction(material)}. {_best(data, name)}",
        data,
        lambda ax: paint(ax, data, name),
        (1.9, 0.1 + 0.19 * len(data)),
        dataset,
        note=" ".join(notes),
    )


def _best(data: pd.DataFrame, measure: str) -> str:
    there = data.dropna(subset=["rank"]).sort_values("rank", kind="stable")
    if not len(there):
        return "No pipeline has an estimate."
    best, worst = there.iloc[0], there.iloc[-1]
    said = f"Best: {best['pipeline']}, {signed(best[measure], best['±'])}."
    if len(there) > 1:
        said += f" Last: {worst['pipeline']}, {signed(worst[measure], worst['±'])}."
    return said


def paint(ax: Axes, data: pd.DataFrame, measure: str) -> None:
    """Draw a dot with a bar for each pipeline, the first one on top; the best in colour."""
    places = np.arange(len(data))[::-1]
    values, spreads = data[measure].to_numpy(float), data["±"].to_numpy(float)
    for place, value, spread, rank in zip(places, values, spreads, data["rank"], strict=True):
        color = COLORS[0] if rank == data["rank"].min() else "0.35"
        if np.isfinite(spread):
            ax.plot([value - spread, value + spread], [place, place], color=color, linewidth=1.2)
        ax.plot([value], [place], "o", color=color, markersize=4.5)
    style: Any = {"length": 0}
    ax.tick_params(axis="y", **style)
    ax.set_yticks(places, [as_is(name) for name in data["pipeline"]])
    ax.set_ylim(-0.6, len(data) - 0.4)
    ax.locator_params(axis="x", nbins=4)
    ax.grid(axis="x")
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(as_is(measure))
