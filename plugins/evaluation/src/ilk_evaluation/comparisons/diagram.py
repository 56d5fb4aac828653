"""The critical difference diagram of average ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ilk.drawing import new_axes, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    import ilk

_ROW = 0.6  # height of a label's row, in rows of text
_BAR = 0.3


def draw_ranks(verdict: ilk.Verdict, ax: Axes | None = None) -> Axes:
    """Draw average ranks on a line, bars joining the pipelines that do not differ.

    Parameters
    ----------
    verdict : Verdict
        With ``critical_difference`` among its details.
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
    """Best and worst of each largest run of pipelines of which no two differ."""
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
    for rank in range(1, n + 1):
        ax.plot([rank, rank], [0, 0.15], color="black", linewidth=1)
        if (rank - 1) % math.ceil(n / 20) == 0:
            ax.text(rank, 0.25, str(rank), ha="center", va="bottom")


def _draw_distance(ax: Axes, distance: float) -> None:
    ax.plot([1, 1 + distance], [1.1, 1.1], color="black", linewidth=1, marker="|")
    ax.text(1 + distance / 2, 1.2, f"CD = {distance:.2f}", ha="center", va="bottom")


def _draw_labels(ax: Axes, ordered: Sequence[str], ranks: Mapping[str, float], top: float) -> None:
    """Write the better half on the left, the worse on the right."""
    half = math.ceil(len(ordered) / 2)
    for place, name in enumerate(ordered):
        left = place < half
        row = place if left else len(ordered) - 1 - place
        height = -top - _ROW * row
        edge = 0.9 if left else len(ordered) + 0.1
        line: Any = ([ranks[name], ranks[name], edge], [0, height, height])
        ax.plot(*line, color="black", linewidth=0.8)
        label = written(f"{name} ({ranks[name]:.2f})")
        ax.text(edge, height, label, ha="right" if left else "left", va="center")
