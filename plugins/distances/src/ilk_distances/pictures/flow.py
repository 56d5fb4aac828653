"""What is moved from the points of one signature to those of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.drawing import COLORS, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SMALLEST, _LARGEST = 260, 1600  # area of a point, in square points
_LEGIBLE = 8  # points of both signatures of which numbers can still be read
_LOOKS = (("o", COLORS[0], "white"), ("s", COLORS[1], "black"))


def flow(distance: Any, x: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw two signatures and what the earth mover's distance moves from one to the other.

    Points of x are circles, those of y squares, of an area that grows with their weight. An arrow,
    the thicker the more is moved, leads from where mass is taken to where it is put. With at
    most eight points in all, weights and amounts are written on them. Points on a line are drawn
    on two lines, one above the other; points in space as their first two principal components
    show them.

    Parameters
    ----------
    distance : Distance
        With a method ``flow(x, y)`` that gives an array of shape (len(x's), len(y's)), such as
        the distance emd.
    x, y : (positions, weights)
        Signatures: arrays of shapes (m, d) and (m,).
    ax : Axes, optional
        A new figure's if left out (``ax.figure`` is the figure).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If the distance has no flow, or positions are no vectors.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, figure 2.2.

    Examples
    --------
    >>> import ilk, ilk_distances
    >>> source = [[0.0, 0.0], [4.0, 0.0]], [0.6, 0.4]
    >>> target = [[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]], [0.5, 0.3, 0.2]
    >>> ax = ilk_distances.pictures.flow(ilk.distance("emd"), source, target)
    >>> sorted(text.get_text() for text in ax.texts if text.get_gid() == "moved")
    ['0.1', '0.2', '0.2', '0.5']
    """
    if not hasattr(distance, "flow"):
        raise ilk.InputError(f"{ilk.display_name(distance)} has no flow to draw; emd has")
    moved = np.asarray(distance.flow(x, y))
    places = _places(distance, x, y)
    weights = [np.asarray(x[1], float), np.asarray(y[1], float)]
    ax = ax or new_axes(6.4, 4.8)
    heaviest = max(each.max() for each in weights)
    sizes = [_SMALLEST + (_LARGEST - _SMALLEST) * each / heaviest for each in weights]
    written = sum(map(len, places)) <= _LEGIBLE
    for i, j in np.argwhere(moved > 1e-9 * moved.max()).tolist():
        size = sizes[0][i], sizes[1][j]
        text = f"{moved[i, j]:.2g}" if written else ""
        _draw_arrow(ax, (places[0][i], places[1][j]), size, moved[i, j] / moved.max(), text)
    for side, (marker, color, ink) in enumerate(_LOOKS):
        style: Any = {"marker": marker, "color": color, "edgecolors": "black", "zorder": 2}
        label = ("from", "to")[side]
        ax.scatter(places[side][:, 0], places[side][:, 1], sizes[side], label=label, **style)
        if written:
            for place, weight in zip(places[side], weights[side], strict=True):
                ax.text(
                    place[0],
                    place[1],
                    f"{weight:.2g}",
                    ha="center",
                    va="center",
                    color=ink,
                    zorder=4,
                )
    _finish(ax, f"{ilk.display_name(distance)} = {distance.between(x, y):.4g}", places)
    return ax


def _places(distance: Any, *signatures: Any) -> list[np.ndarray]:
    """Where the points of both signatures are drawn."""
    try:
        sets = [np.asarray(positions, dtype=float) for positions, _ in signatures]
    except (TypeError, ValueError):
        raise ilk.InputError(
            f"{ilk.display_name(distance)}: only signatures whose positions are vectors can be "
            f"drawn: (positions, weights), got {signatures[0]!r}"
        ) from None
    if sets[0].ndim == 1 or sets[0].shape[1] == 1:
        return [
            np.column_stack([points.ravel(), np.full(len(points), 1 - side)])
            for side, points in enumerate(sets)
        ]
    if sets[0].shape[1] == 2:
        return sets
    every = np.concatenate(sets)
    center = every.mean(axis=0)
    axes = np.linalg.svd(every - center, full_matrices=False)[2][:2]
    return [(points - center) @ axes.T for points in sets]


def _draw_arrow(
    ax: Axes,
    ends: tuple[np.ndarray, np.ndarray],
    sizes: tuple[float, float],
    share: float,
    text: str,
) -> None:
    start, end = ends
    style = {
        "arrowstyle": "-|>",
        "color": "black",
        "linewidth": 0.8 + 3 * share,
        "mutation_scale": 14,
        "shrinkA": np.sqrt(sizes[0]) / 2,
        "shrinkB": np.sqrt(sizes[1]) / 2 + 2,
    }
    ax.annotate("", xy=tuple(end), xytext=tuple(start), zorder=3, arrowprops=style)
    if text:
        box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
        middle = start + 0.45 * (end - start)
        ax.text(
            middle[0], middle[1], text, ha="center", va="center", zorder=5, bbox=box, gid="moved"
        )


def _finish(ax: Axes, title: str, places: list[np.ndarray]) -> None:
    ax.set_title(title)
    ax.margins(0.18)
    ax.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1), markerscale=0.5, borderpad=0.8, labelspacing=1
    )
    if all(np.ptp(each[:, 1]) == 0 for each in places):  # on two lines
        ax.set_yticks([])
