"""Pictures of pairs: differences with intervals, and posterior probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ilk.drawing import COLORS, new_axes, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    import ilk

_MOST = 40  # pairs that one picture shows
_DIFFERENT, _ALIKE = COLORS[5], COLORS[6]


def draw_differences(verdict: ilk.Verdict, ax: Axes | None = None) -> Axes:
    """Draw the mean difference of each pair, those that differ in another colour.

    With the interval, of the pair alone, or else the single differences. Of many pairs those
    with the smallest p-values are drawn, and the title says how many are not.

    Parameters
    ----------
    verdict : Verdict
        With ``effect``, and perhaps ``interval`` or ``differences``, of each pair.
    ax : Axes, optional
        A new figure's if left out.

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    """
    shown = _first(verdict.pairs)
    ax = ax or new_axes(7, 1.2 + 0.3 * len(shown))
    for row, pair in enumerate(shown):
        color = _DIFFERENT if pair["different"] else _ALIKE
        if "interval" in pair:
            ax.plot(pair["interval"], [row, row], color=color, linewidth=2, solid_capstyle="butt")
        for gap in pair.get("differences", ()):
            ax.plot([gap], [row], marker="|", color=color, alpha=0.6)
        ax.plot([pair["effect"]], [row], marker="o" if pair["different"] else "D", color=color)
    ax.axvline(0, color="0.7", linewidth=0.8, zorder=0)
    _name_rows(ax, shown, len(verdict.pairs))
    inside = f", {100 * (1 - verdict.details['alpha']):g}% interval of each pair alone"
    bars = inside if any("interval" in pair for pair in shown) else ""
    ax.set_xlabel(f"difference of {written(verdict.measure)}{bars}\n(● different, ◆ not)")
    return ax


def draw_probabilities(verdict: ilk.Verdict, ax: Axes | None = None) -> Axes:
    """Draw for each pair how probable it is that either is better, or that they are equivalent.

    Parameters
    ----------
    verdict : Verdict
        With ``p_a_better``, ``p_equivalent`` and ``p_b_better`` of each pair.
    ax : Axes, optional
        A new figure's if left out.

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    """
    shown = _first(verdict.pairs)
    ax = ax or new_axes(7, 1.6 + 0.3 * len(shown))
    parts = {
        "p_a_better": ("first is better", COLORS[0]),
        "p_equivalent": ("practically equivalent", "0.8"),
        "p_b_better": ("second is better", COLORS[1]),
    }
    start = [0.0] * len(shown)
    for key, (label, color) in parts.items():
        widths = [float(pair[key]) for pair in shown]
        ax.barh(range(len(shown)), widths, left=start, color=color, height=0.7, label=label)
        start = [left + width for left, width in zip(start, widths, strict=True)]
    for line in (verdict.details["alpha"], 1 - verdict.details["alpha"]):
        ax.axvline(line, color="black", linewidth=0.8, linestyle=":")
    _name_rows(ax, shown, len(verdict.pairs))
    ax.set_xlim(0, 1)
    ax.set_xlabel("posterior probability")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.02), ncols=3, frameon=False)
    return ax


def _first(pairs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The pairs with the smallest p-values, in the order of the verdict.

    Adjusted ones are often equal, 1 above all: then those before the adjustment and the sizes of
    the effects decide.
    """

    def order(place: int) -> tuple[float, float, float]:
        pair = pairs[place]
        return pair["p_value"], pair.get("raw_p_value", 0.0), -abs(pair["effect"])

    return [pairs[place] for place in sorted(sorted(range(len(pairs)), key=order)[:_MOST])]


def _name_rows(ax: Axes, shown: Sequence[Mapping[str, Any]], n: int) -> None:
    labels = [
        written(
            f"{pair['a']} − {pair['b']}" + (f", {pair['dataset']}" if "dataset" in pair else "")
        )
        for pair in shown
    ]
    ax.set_yticks(range(len(shown)), labels)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    if len(shown) < n:
        ax.set_title(f"{len(shown)} of {n} pairs, those with the smallest p-values", fontsize=9)
