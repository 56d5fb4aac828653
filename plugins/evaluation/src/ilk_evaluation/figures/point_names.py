"""Names beside the points of a figure, placed where they overlap least."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

_HEIGHT, _WIDTH, _GAP = 11.0, 5.0, 6.0  # size of a letter and distance from the point, in points
_PLACES = (
    *((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)),
    *((1, 2), (1, -2), (-1, 2), (-1, -2), (0, 2), (0, -2), (1, 3), (1, -3)),
)
"""Candidate positions of a name: steps to the right and up."""
_SWEEPS = 4
"""Times that each name is placed; further ones rarely move a name."""
Box = tuple[float, float, float, float]


def put_labels(ax: Axes, x: Any, y: Any, names: Sequence[str], line: Any = ()) -> None:
    """Write a name beside each point, at the position with the least overlap.

    Parameters
    ----------
    ax : Axes
        With final limits: later changes would move points under names.
    x, y : array of shape (n,)
    names : sequence of str
        An empty name is not written, but its point is still kept free.
    line : sequence of points, optional
        Corners of a line of horizontal and vertical pieces, which is kept free, too.
    """
    drawn: Any = ax.figure
    size: Any = drawn.get_size_inches() * 72 * 0.85  # most of a figure is its axes
    to_axes: Any = ax.transData + ax.transAxes.inverted()
    points = to_axes.transform(np.column_stack([np.asarray(x, float), np.asarray(y, float)])) * size
    corners = to_axes.transform(np.reshape(np.asarray(line, float), (-1, 2))) * size
    taken: list[Box] = [(px - 3, py - 3, px + 3, py + 3) for px, py in points]
    taken += [(*np.minimum(a, b) - 1, *np.maximum(a, b) + 1) for a, b in pairwise(corners)]
    places = _places(points, names, taken, size)
    horizontal: dict[int, Any] = {1: "left", -1: "right", 0: "center"}
    for i, (right, up) in places.items():
        far = abs(up) > 1  # joined to its point, which may not be the nearest
        join = {"arrowstyle": "-", "color": "0.7", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3}
        ax.annotate(
            names[i],
            (x[i], y[i]),
            (right * _GAP, up * _HEIGHT),
            textcoords="offset points",
            ha=horizontal[right],
            va="center",
            fontsize=8,
            arrowprops=join if far else None,
        )


def _places(
    points: Any, names: Sequence[str], taken: Sequence[Box], size: Any
) -> dict[int, tuple[int, int]]:
    """Place each name where it overlaps least, then again with the other names in place."""
    boxes: dict[int, Box] = {}
    places: dict[int, tuple[int, int]] = {}
    for i in [i for i, name in enumerate(names) if name] * _SWEEPS:
        others = [*taken, *(box for j, box in boxes.items() if j != i)]
        boxes[i], places[i] = _freest(points[i], _WIDTH * len(names[i]), others, size)
    return places


def _freest(
    point: Any, width: float, taken: Sequence[Box], size: Any
) -> tuple[Box, tuple[int, int]]:
    """Return the box of a name that overlaps least, and its place; near ones come first."""
    x, y = point
    tried = [(_box(x, y, width, *place), place) for place in _PLACES]
    return min(tried, key=lambda one: _cost(one[0], taken, size))


def _box(x: float, y: float, width: float, right: int, up: int) -> Box:
    left = x + right * _GAP - {1: 0.0, 0: 0.5, -1: 1.0}[right] * width
    middle = y + up * _HEIGHT
    return left, middle - _HEIGHT / 2, left + width, middle + _HEIGHT / 2


def _cost(box: Box, taken: Sequence[Box], size: Any) -> float:
    """Area of a box that overlaps others or lies outside the axes."""
    hidden = sum(_shared(box, other) for other in taken)
    inside = _shared(box, (0.0, 0.0, float(size[0]), float(size[1])))
    return hidden + (box[2] - box[0]) * (box[3] - box[1]) - inside


def _shared(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)
