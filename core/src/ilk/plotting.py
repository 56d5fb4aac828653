"""Common parts of the plugins' plots: axes, colours of classes, literal labels.

matplotlib (extra ``report`` of ilk) is imported on the first plot.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk._lazy import missing_name
from ilk.errors import IlkError
from ilk.inputs import check_same_length
from ilk.labels import check_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ilk.arrays import Labels

__all__ = ["COLORS", "MARKERS", "class_style", "colorbar", "new_axes", "plot_label", "scatter"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise missing_name(__name__, name, __all__)


# Okabe and Ito's palette, safe for red-green colour blindness; without yellow and black
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#666666")
MARKERS = ("o", "s", "^", "D", "v", "<", ">", "X", "P")

_LONGEST, _ENDING = 60, 16  # maximum length of a label, and of its end after an ellipsis


def new_axes(width: float, height: float, columns: int = 1, *, detached: bool = False) -> Any:
    """Return the axes of a new figure of a size in inches: one, or an array of several.

    The figure is pyplot's own if pyplot is in use, so that notebooks and ``plt.show()`` show it;
    `detached` figures, such as those of files, are not.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise IlkError(
            "drawing needs matplotlib, which is not installed (pip install matplotlib; the "
            "extra 'report' of ilk has it)"
        ) from error
    pyplot = sys.modules.get("matplotlib.pyplot")
    make: Any = Figure if pyplot is None or detached else pyplot.figure
    return make(figsize=(width, height), layout="constrained").subplots(1, columns)


def class_style(number: int) -> dict[str, Any]:
    """Colour and marker of a class: a different pair for each of the first 63."""
    return {"color": COLORS[number % len(COLORS)], "marker": MARKERS[number % len(MARKERS)]}


def scatter(
    ax: Axes,
    points: np.ndarray,
    owner: object,
    y: Labels | None,
    *,
    legend: bool,
    shades: bool = False,
) -> None:
    """Draw points in the plane: a colour and a marker for each class, shades for numbers.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
    owner : Component
        Named in errors.
    y : array of shape (n,), or None
    legend : bool
        Whether to explain the colours.
    shades : bool
        Whether y has numbers, not labels.
    """
    style: dict[str, Any] = {"alpha": 0.8, "edgecolors": "white", "linewidths": 0.4}
    if y is None:
        ax.scatter(points[:, 0], points[:, 1], 22, color=COLORS[0], **style)
        return
    if shades:
        check_same_length(owner, points, y)
        image = ax.scatter(points[:, 0], points[:, 1], 22, c=np.ravel(np.asarray(y)), **style)
        if legend:
            colorbar(ax, image, "y")
        return
    classes, codes = check_labels(owner, y, points)
    for code, name in enumerate(classes):
        mine = points[codes == code]
        look = style | class_style(code)
        ax.scatter(mine[:, 0], mine[:, 1], 22, label=plot_label(name), **look)
    if legend:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1))  # beside, so that it hides nothing


def colorbar(ax: Axes, image: Any, label: str) -> None:
    """Draw a colour bar beside the axes."""
    figure: Any = ax.figure
    figure.colorbar(image, ax=ax, label=label)


def plot_label(name: Any) -> str:
    """Return a name for a plot: on one line, not read as a formula, nor hidden in a legend.

    Unprintable characters are replaced, and a very long name loses its middle.
    """
    text = "".join(letter if letter.isprintable() else "\ufffd" for letter in str(name))
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - _ENDING - 1]}…{text[-_ENDING:]}"
    text = text.replace("$", r"\$")
    return text if text and not text.startswith("_") else f" {text}"
