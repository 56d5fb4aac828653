"""New axes without pyplot, rows in the colours of what y says of them, names as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_learners.targets import holds_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's, which those who see no red or no green tell apart; without yellow and black
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#666666")
MARKERS = ("o", "s", "^", "D", "v", "<", ">", "X", "P")


def new_axes(width: float, height: float, columns: int = 1) -> Any:
    """Return the axes of a new figure of a size in inches: one, or an array of several.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ilk.IlkError(
            "drawing needs matplotlib, which is not installed (the extra 'report' of ilk has it)"
        ) from error
    return Figure(figsize=(width, height), layout="constrained").subplots(1, columns)


def scatter(ax: Axes, points: np.ndarray, owner: object, y: Any, *, legend: bool) -> None:
    """Draw points in the plane: a colour and a marker for each class, shades for numbers.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
    owner : Component
        Named in errors.
    y : array of shape (n,), or None
    legend : bool
        Whether to say what the colours mean.
    """
    style: dict[str, Any] = {"alpha": 0.8, "edgecolors": "white", "linewidths": 0.4}
    if y is None:
        ax.scatter(points[:, 0], points[:, 1], 22, color=COLORS[0], **style)
        return
    if holds_numbers(y):
        ilk.check_same_length(owner, points, y)
        image = ax.scatter(points[:, 0], points[:, 1], 22, c=np.ravel(y), **style)
        if legend:
            colorbar(ax, image, "y")
        return
    classes, codes = ilk.check_labels(owner, y, points)
    for code, name in enumerate(classes):
        mine = points[codes == code]
        look = {"color": COLORS[code % len(COLORS)], "marker": MARKERS[code % len(MARKERS)]}
        ax.scatter(mine[:, 0], mine[:, 1], 22, label=written(name), **(style | look))
    if legend:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1))  # beside, so that it hides nothing


def colorbar(ax: Axes, image: Any, label: str) -> None:
    """Say beside the axes what the colours of an image mean."""
    figure: Any = ax.figure
    figure.colorbar(image, ax=ax, label=label)


def written(name: Any) -> str:
    """Return a name as it is drawn: not as a formula, nor left out of a legend."""
    text = str(name).replace("$", r"\$")
    return text if text and not text.startswith("_") else f" {text}"
