"""Box plots of the ratios to the best pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.drawing import new_axes, written
from ilk_evaluation.comparisons.robustness import by_robustness

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    import ilk

_WIDE = 10.0  # largest ratio up to which the axis is linear


def draw_boxes(verdict: ilk.Verdict, ax: Axes | None = None) -> Axes:
    """Draw a box for each pipeline, most robust first.

    Boxes are from quartile to quartile with the median, whiskers reach to the furthest ratio
    within one and a half boxes of them, others are points; infinite ones are arrows at the top.
    The axis is logarithmic if a ratio is above ten.

    Parameters
    ----------
    verdict : Verdict
        With ``boxes`` and ``ratios`` among its details.
    ax : Axes, optional
        A new figure's if left out.

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.

    References
    ----------
    Zaidi (2011), figure 4.3.
    """
    boxes, ratios = verdict.details["boxes"], verdict.details["ratios"]
    ax = ax or new_axes(2 + 0.6 * len(boxes), 4)
    ordered = by_robustness(boxes)
    finite = [r for name in ordered for r in ratios[name].values() if np.isfinite(r)]
    largest = max(finite)
    top = 1.1 * largest
    if max(map(_largest, boxes.values())) > largest:  # room for what is infinite
        top = largest**1.2 if largest > _WIDE else 1.3 * largest
    if largest > _WIDE:
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter("{x:g}")
    for place, name in enumerate(ordered, start=1):
        values = np.sort(np.fromiter(ratios[name].values(), float))
        _draw_box(ax, place, boxes[name], values, 2 * top)
    ax.axhline(1, color="0.8", linewidth=0.8, zorder=0)
    crowded = len(ordered) > 5 or max(map(len, ordered)) > 9
    style: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    names = [written(name) for name in ordered]
    ax.set_xticks(range(1, len(ordered) + 1), names, **(style if crowded else {}))
    ax.set_ylim(top=top)
    ax.set_ylabel(written(f"{verdict.measure} / best {verdict.measure}"))
    return ax


def _largest(box: Mapping[str, float]) -> float:
    return box["largest"]


def _draw_box(
    ax: Axes, place: int, box: Mapping[str, float], values: np.ndarray, ceiling: float
) -> None:
    shown = np.minimum(values, ceiling)  # what is infinite ends above the axis
    quartiles = [min(box[k], ceiling) for k in ("lower_quartile", "median", "upper_quartile")]
    reach = 1.5 * (quartiles[2] - quartiles[0])
    inside = (shown >= quartiles[0] - reach) & (shown <= quartiles[2] + reach)
    stats: dict[str, Any] = {
        "q1": quartiles[0],
        "med": quartiles[1],
        "q3": quartiles[2],
        "whislo": shown[inside].min(),
        "whishi": shown[inside].max(),
        "fliers": shown[~inside & np.isfinite(values)],
    }
    ax.bxp([stats], positions=[place], widths=0.5, medianprops={"color": "#D55E00"})
    n_infinite = int(np.isinf(values).sum())
    if n_infinite:
        where: Any = ax.get_xaxis_transform()
        ax.scatter([place], [0.96], marker="^", color="black", transform=where, zorder=3)
        ax.text(place + 0.12, 0.96, f"{n_infinite} x ∞", va="center", transform=where)
