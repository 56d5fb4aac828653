"""Names beside points, where they hide neither points nor lines nor each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT, _WIDTH, _GAP = 11.0, 5.0, 6.0  # of a letter and from the point, in points
_PLACES = (
    *((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)),
    *((1, 2), (1, -2), (-1, 2), (-1, -2), (0, 2), (0, -2), (1, 3), (1, -3)),
)
"""Where a name is tried: steps to the right and up."""

Box = tuple[float, float, float, float]


def put_labels(ax: Axes, x: Any, y: Any, names: Sequence[str], line: Any = ()) -> None:
    """Write a name beside each point, where there is room; else where there is most.

    Parameters
    ----------
    ax : Axes
        With its limits set: what moves them later moves points under names.
    x, y : array of shape (n,)
    names : sequence of str
        An empty one is not written; the place of its point is kept free all the same.
    line : sequence of points, optional
        Corners of a line of level and upright pieces, which is kept free, too.
    """
    figure: Any = ax.figure
    size: Any = figure.get_size_inches() * 72 * 0.85  # most of a figure is its axes
    to_axes: Any = ax.transData + ax.transAxes.inverted()
    points = to_axes.transform(np.column_stack([np.asarray(x, float), np.asarray(y, float)])) * size
    corners = to_axes.transform(np.reshape(np.asarray(line, float), (-1, 2))) * size
    taken: list[Box] = [(px - 3, py - 3, px + 3, py + 3) for px, py in points]
    taken += [(*np.minimum(a, b) - 1, *np.maximum(a, b) + 1) for a, b in pairwise(corners)]
    horizontal: dict[int, Any] = {1: "left", -1: "right", 0: "center"}
    for (px, py), at, name in zip(points, zip(x, y, strict=True), names, strict=True):
        if not name:
            continue
        width = _WIDTH * len(name)
        tried = [(_box(px, py, width, *place), place) for place in _PLACES]
        box, (right, up) = min(tried, key=lambda one: _cost(one[0], taken, size))
        taken.append(box)
        ax.annotate(
            name,
            at,
            (right * _GAP, up * _HEIGHT),
            textcoords="offset points",
            ha=horizontal[right],
            va="center",
            fontsize=8,
        )


def _box(x: float, y: float, width: float, right: int, up: int) -> Box:
    left = x + right * _GAP - {1: 0.0, 0: 0.5, -1: 1.0}[right] * width
    middle = y + up * _HEIGHT
    return left, middle - _HEIGHT / 2, left + width, middle + _HEIGHT / 2


def _cost(box: Box, taken: Sequence[Box], size: Any) -> float:
    """Area of a box that is taken by others or outside of the axes."""
    hidden = sum(_shared(box, other) for other in taken)
    inside = _shared(box, (0.0, 0.0, float(size[0]), float(size[1])))
    return hidden + (box[2] - box[0]) * (box[3] - box[1]) - inside


def _shared(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)
