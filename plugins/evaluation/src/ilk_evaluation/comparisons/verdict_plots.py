"""Plots of verdicts: critical differences, box plots, differences, posterior probabilities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.plotting import COLORS, new_axes, plot_label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    import ilk

_ROW = 0.6  # height of a label's row, in lines of text
_BAR = 0.3  # distance of the bars, in lines of text
_TICK = 0.25  # room of a rank on the axis, in inches
_WIDE = 10.0  # largest ratio drawn on a linear axis
_ABOVE = 0.2  # distance of a pair's name from its mark, in rows
_MOST = 40  # pairs shown in one figure: more rows are unreadable


def draw_critical_difference_diagram(verdict: ilk.Verdict, ax: Axes | None = None) -> Axes:
    """Draw average ranks on a line, with bars that join pipelines without a difference.

    Parameters
    ----------
    verdict : Verdict
        With ``critical_difference`` in its details.
    ax : Axes, optional
        Default: those of a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.

    References
    ----------
    Demšar (2006), Figure 1.
    """
    ax = ax or new_axes(7, 1.5 + 0.2 * len(verdict.ranks))
    ordered = sorted(verdict.ranks, key=lambda name: verdict.ranks[name])
    groups = cliques(ordered, verdict)
    top, depth = _BAR * (len(groups) + 1), math.ceil(len(ordered) / 2)
    _draw_axis(ax, len(ordered))
    _draw_distance(ax, verdict.details["critical_difference"])
    _draw_labels(ax, ordered, verdict.ranks, top)
    for level, (best, worst) in enumerate(groups, start=1):
        ends = [verdict.ranks[best] - 0.03, verdict.ranks[worst] + 0.03]
        ax.plot(ends, [-_BAR * level] * 2, color="black", linewidth=4, solid_capstyle="butt")
    ax.set_xlim(0.5, len(ordered) + 0.5)
    ax.set_ylim(-top - _ROW * depth, 1.6)
    ax.set_axis_off()
    return ax


def cliques(ordered: Sequence[str], verdict: ilk.Verdict) -> list[tuple[str, str]]:
    """Best and worst pipeline of each maximal run without a difference."""
    different = {frozenset((p["a"], p["b"])) for p in verdict.pairs if p["different"]}
    runs: list[tuple[int, int]] = []
    for start, best in enumerate(ordered):
        end = start
        while end + 1 < len(ordered) and {best, ordered[end + 1]} not in different:
            end += 1
        if end > start and (not runs or end > runs[-1][1]):
            runs.append((start, end))
    return [(ordered[start], ordered[end]) for start, end in runs]


def _draw_axis(ax: Axes, n: int) -> None:
    ax.plot([1, n], [0, 0], color="black", linewidth=1)
    drawn: Any = ax.figure
    step = math.ceil(n * _TICK / drawn.get_figwidth())
    for rank in range(1, n + 1):
        ax.plot([rank, rank], [0, 0.15], color="black", linewidth=1)
        if (rank - 1) % step == 0:
            ax.text(rank, 0.25, str(rank), ha="center", va="bottom")


def _draw_distance(ax: Axes, distance: float) -> None:
    ax.plot([1, 1 + distance], [1.1, 1.1], color="black", linewidth=1, marker="|")
    ax.text(1 + distance / 2, 1.2, f"CD = {distance:.2f}", ha="center", va="bottom")


def _draw_labels(ax: Axes, ordered: Sequence[str], ranks: Mapping[str, float], top: float) -> None:
    """Write the better half of the labels on the left, the worse on the right."""
    half = math.ceil(len(ordered) / 2)
    for place, name in enumerate(ordered):
        left = place < half
        row = place if left else len(ordered) - 1 - place
        height = -top - _ROW * row
        edge = 0.9 if left else len(ordered) + 0.1
        line: Any = ([ranks[name], ranks[name], edge], [0, height, height])
        ax.plot(*line, color="black", linewidth=0.8)
        label = plot_label(f"{name} ({ranks[name]:.2f})")
        ax.text(edge, height, label, ha="right" if left else "left", va="center")


def draw_box_plots(verdict: ilk.Verdict, ordered: Sequence[str], ax: Axes | None = None) -> Axes:
    """Draw a box for each pipeline, in the given order.

    Boxes span the quartiles, with the median; whiskers reach to the furthest ratio within 1.5
    box lengths, further ratios are points, and infinite ones arrows at the right. The axis is
    logarithmic if a ratio is above ten.

    Parameters
    ----------
    verdict : Verdict
        With ``boxes`` and ``ratios`` in its details.
    ordered : sequence of str
        The pipelines from top to bottom.
    ax : Axes, optional
        Default: those of a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.

    References
    ----------
    Zaidi 2011: figures 4.3, 6.2.
    """
    boxes, ratios = verdict.details["boxes"], verdict.details["ratios"]
    ax = ax or new_axes(6, 1.2 + 0.3 * len(boxes))
    finite = [r for name in ordered for r in ratios[name].values() if np.isfinite(r)]
    largest = max(finite)
    top = 1.1 * largest
    if max(map(_largest, boxes.values())) > largest:  # room for infinite ratios
        top = largest**1.2 if largest > _WIDE else 1.3 * largest
    if largest > _WIDE:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
    for place, name in enumerate(ordered, start=1):
        values = np.sort(np.fromiter(ratios[name].values(), float))
        _draw_box(ax, place, boxes[name], values, 2 * top)
    ax.axvline(1, color="0.8", linewidth=0.8, zorder=0)
    ax.set_yticks(range(1, len(ordered) + 1), [plot_label(name) for name in ordered])
    ax.set_ylim(len(ordered) + 0.6, 0.4)
    ax.set_xlim(right=top)
    ax.set_xlabel(plot_label(f"{verdict.measure} / best {verdict.measure}"))
    return ax


def _largest(box: Mapping[str, float]) -> float:
    return box["largest"]


def _draw_box(
    ax: Axes, place: int, box: Mapping[str, float], values: np.ndarray, ceiling: float
) -> None:
    shown = np.minimum(values, ceiling)  # infinite ratios end above the axis
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
    style: Any = {"orientation": "horizontal", "medianprops": {"color": COLORS[5]}}
    ax.bxp([stats], positions=[place], widths=0.5, flierprops={"markersize": 4}, **style)
    n_infinite = int(np.isinf(values).sum())
    if n_infinite:
        where: Any = ax.get_yaxis_transform()
        ax.scatter([0.96], [place], marker=">", color="black", transform=where, zorder=3)
        ax.text(0.92, place, f"{n_infinite} x ∞", va="center", ha="right", transform=where)


_DIFFERENT, _ALIKE = COLORS[5], COLORS[6]


def draw_differences(verdict: ilk.Verdict, ax: Axes | None = None) -> Axes:
    """Draw the mean difference of each pair; significant ones have another colour.

    Drawn with the interval of each pair alone, or else the single differences. If there are
    many pairs, the most significant are drawn, and the title gives the number of all pairs.

    Parameters
    ----------
    verdict : Verdict
        Each pair has ``effect``, and optionally ``interval`` or ``differences``.
    ax : Axes, optional
        Default: those of a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    """
    shown = _most_significant(verdict.pairs)
    ax = ax or new_axes(5, 1.2 + 0.4 * len(shown))
    for row, pair in enumerate(shown):
        color = _DIFFERENT if pair["different"] else _ALIKE
        if "interval" in pair:
            ax.plot(pair["interval"], [row, row], color=color, linewidth=2, solid_capstyle="butt")
        for gap in pair.get("differences", ()):
            ax.plot([gap], [row], marker="|", color=color, alpha=0.6)
        ax.plot(
            [pair["effect"]],
            [row],
            markersize=5,
            marker="o" if pair["different"] else "D",
            color=color,
        )
    ax.axvline(0, color="0.7", linewidth=0.8, zorder=0)
    ax.margins(x=0.03)
    _name_rows(ax, shown, len(verdict.pairs))
    inside = f"; bars: {100 * (1 - verdict.details['alpha']):g}% interval of each pair alone"
    bars = inside if any("interval" in pair for pair in shown) else ""
    sides = _better_sides(verdict.pairs)
    what = f"difference of {plot_label(verdict.measure)}"
    ax.set_xlabel(f"{sides}{what}\n● different, ◆ not{bars}")
    return ax


def _better_sides(pairs: Sequence[Mapping[str, Any]]) -> str:
    """Say on which side of zero the first of a pair is better, as far as the pairs tell."""
    known = (pair for pair in pairs if pair.get("better") is not None and pair["effect"])
    pair = next(known, None)
    if pair is None:
        return ""
    left = (pair["better"] == pair["a"]) == (pair["effect"] < 0)
    names = ("first", "second") if left else ("second", "first")
    return f"← the {names[0]} is better | the {names[1]} is better →\n"


def draw_probabilities(verdict: ilk.Verdict, ax: Axes | None = None) -> Axes:
    """Draw for each pair the probabilities that either is better, or both are equivalent.

    Parameters
    ----------
    verdict : Verdict
        Each pair has ``p_a_better``, ``p_equivalent`` and ``p_b_better``.
    ax : Axes, optional
        Default: those of a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    """
    shown = _most_significant(verdict.pairs)
    ax = ax or new_axes(5, 1.6 + 0.4 * len(shown))
    parts = {
        "p_a_better": ("first is better", COLORS[0]),
        "p_equivalent": ("practically equivalent", "0.8"),
        "p_b_better": ("second is better", COLORS[1]),
    }
    start = [0.0] * len(shown)
    for key, (label, color) in parts.items():
        widths = [float(pair[key]) for pair in shown]
        ax.barh(range(len(shown)), widths, left=start, color=color, height=0.4, label=label)
        start = [left + width for left, width in zip(start, widths, strict=True)]
    for line in (verdict.details["alpha"], 1 - verdict.details["alpha"]):
        ax.axvline(line, color="black", linewidth=0.8, linestyle=":")
    _name_rows(ax, shown, len(verdict.pairs))
    ax.set_xlim(0, 1)
    ax.set_xlabel("posterior probability")
    room: Any = ax.figure
    below = -0.5 / room.get_figheight()  # inches, under the label of the axis
    ax.legend(loc="upper left", bbox_to_anchor=(0, below), frameon=False)
    return ax


def _most_significant(pairs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The pairs with the smallest p-values, in the order of the verdict.

    Adjusted p-values often tie, above all at 1: then the unadjusted ones and the effect sizes
    decide.
    """

    def order(place: int) -> tuple[float, float, float]:
        pair = pairs[place]
        return pair["p_value"], pair.get("raw_p_value", 0.0), -abs(pair["effect"])

    return [pairs[place] for place in sorted(sorted(range(len(pairs)), key=order)[:_MOST])]


def _name_rows(ax: Axes, shown: Sequence[Mapping[str, Any]], n: int) -> None:
    """Write the names of each pair above its mark."""
    labels = [
        plot_label(
            f"{pair['a']} − {pair['b']}" + (f", {pair['dataset']}" if "dataset" in pair else "")
        )
        for pair in shown
    ]
    ax.set_yticks([row - _ABOVE for row in range(len(shown))], labels)
    ax.tick_params(axis="y", length=0, pad=-2)
    for label in ax.get_yticklabels():  # within the axes: labels are longer than a phone is wide
        label.set(ha="left", va="bottom", fontsize=8)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(len(shown) - 0.4, -0.9)
    if len(shown) < n:
        ax.set_title(f"{len(shown)} of {n} pairs, those with the smallest p-values", fontsize=9)
