"""Figure of time against the measure that ranks: which pipelines are worth their seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.drawing import COLORS
from ilk.drawing import written as as_is
from ilk_evaluation.figures.labels import put_labels
from ilk_evaluation.figures.material import Material, direction
from ilk_evaluation.figures.offer import Offer
from ilk_evaluation.figures.picture import Picture

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_LABELS = 20
"""Beyond, only pipelines that no other one beats in both are named in the figure."""
UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))


def offers(material: Material) -> Iterator[Offer]:
    """Offer the figure of time against the measure that ranks."""
    lacking = ""
    if material.results.design.measures[material.measure].needs == "seconds":
        lacking = "the measure that ranks is a time itself"
    elif not material.complete:
        lacking = "there is no data set that every pipeline finished"
    yield Offer(
        "time",
        f"Seconds of fitting and predicting against {material.measure}",
        lambda: picture(material),
        lacking=lacking,
    )


def picture(material: Material) -> Picture:
    """Return the figure, of the data sets that every pipeline finished."""
    data = costs(material)
    front = data[data["unbeaten"]]
    rows: Any = list(front.itertuples())
    infinite = data.loc[np.isinf(data[material.measure]), "pipeline"]
    n = len(material.complete)
    over = f"{n} data set{'s' if n != 1 else ''} that every pipeline finished"
    text = (
        f"Mean seconds a split takes against mean {material.measure} ({direction(material)}), over "
        f"the {over}. No other pipeline is both faster and better than: "
        f"{', '.join(f'{row.pipeline} ({said(row.seconds)})' for row in rows)}."
    )
    return Picture(
        "time",
        f"Time against {material.measure}",
        text,
        data,
        lambda ax: paint(ax, data, material.measure),
        (5.6, 3.2),
        note=f"Infinite, and not drawn: {', '.join(infinite)}." if len(infinite) else "",
    )


def costs(material: Material) -> pd.DataFrame:
    """Mean seconds and scores of pipelines, the fastest first, and whether one is unbeaten."""
    results, measure = material.results, material.measure
    table = material.table[material.table["dataset"].isin(material.complete)]
    times = [name for name in ("fit_seconds", "predict_seconds") if name in table]
    means = table.groupby("pipeline", sort=False)[[measure, *times]].mean()
    means = means.dropna(subset=[measure])  # those that finished nothing
    means["seconds"] = means[times].sum(axis=1)
    means = means.sort_values("seconds", kind="stable").reset_index()
    sign = -1.0 if results.design.measures[measure].greater_is_better else 1.0
    scores = sign * means[measure].to_numpy(float)
    best_so_far = np.minimum.accumulate(np.append(np.inf, scores[:-1]))
    return means.assign(unbeaten=scores < best_so_far)


def paint(ax: Axes, data: pd.DataFrame, measure: str) -> None:
    """Draw a point for each pipeline and a line along those that no other one beats."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    data = data[np.isfinite(data[measure])]
    if not len(data):
        return
    front = data[data["unbeaten"]]
    ax.set_xscale("log")
    line = np.repeat(front[["seconds", measure]].to_numpy(float), 2, axis=0)
    line = np.column_stack([line[1:, 0], line[:-1, 1]])  # at each step on, then down
    ax.plot(*line.T, color="0.7", linewidth=1)
    for unbeaten, color in ((False, "0.35"), (True, COLORS[0])):
        part = data[data["unbeaten"] == unbeaten]
        ax.plot(part["seconds"], part[measure], "o", color=color, markersize=5.5)
    seconds: Any = data["seconds"]
    low, high = float(seconds.min()), float(seconds.max())
    ax.set_xlim(low / 1.6, high * 1.6 * (high / low) ** 0.15)
    ax.margins(y=0.12)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: said(value)))
    few = high / low < 12
    ax.xaxis.set_minor_formatter(
        FuncFormatter(lambda value, _: said(value) if f"{value:e}"[0] in "25" else "")
        if few
        else NullFormatter()
    )
    ax.grid(axis="both")
    ax.set_xlabel("time a split takes (fitting and predicting)")
    ax.set_ylabel(as_is(measure))
    wanted = data["unbeaten"] | (len(data) <= MOST_LABELS)
    names = data["pipeline"].where(wanted, "")
    written = [as_is(name) if name else "" for name in names]
    put_labels(ax, data["seconds"], data[measure], written, line)


def said(seconds: float) -> str:
    """Write seconds with a unit: ``1.5 ms``, ``2 s``."""
    if np.isnan(seconds):
        return "-"
    unit, size = next((u for u in UNITS if seconds >= u[1]), UNITS[-1])
    return f"{seconds / size:.3g} {unit}"
