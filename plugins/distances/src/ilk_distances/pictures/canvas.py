"""New axes without pyplot, and the colours and markers of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's, which those who see no red or no green tell apart; without yellow and black
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#666666")
MARKERS = ("o", "s", "^", "D", "v", "<", ">", "X", "P")


def new_axes(width: float, height: float) -> Axes:
    """Return the axes of a new figure of a size in inches.

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
    return Figure(figsize=(width, height), layout="constrained").subplots()


def look_of(number: int) -> dict[str, Any]:
    """Colour and marker of a class: no two of the first 63 share both."""
    return {
        "color": COLORS[number % len(COLORS)],
        "marker": MARKERS[number % len(MARKERS)],
    }


def written(name: Any) -> str:
    """Return the name of a class as it is drawn: not as a formula, nor left out of a legend."""
    text = str(name).replace("$", r"\$")
    return text if text and not text.startswith("_") else f" {text}"


def matrix_of(distance: Any, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    """All distances of some rows, their classes (None without labels), and the class of each.

    Raises
    ------
    InputError
        If there is not one label for each row, or a distance is not finite.
    InputTypeError
        If there is no distance.
    """
    if getattr(distance, "kind", None) != "distance":
        raise ilk.InputTypeError(
            f"a picture needs a fitted distance, got {type(distance).__name__}; a matrix of "
            f"distances is drawn by 'precomputed'"
        )
    D = np.asarray(distance.pairwise(X), dtype=float)
    if not np.isfinite(D).all():
        row, column = (int(i) for i in np.argwhere(~np.isfinite(D))[0])
        raise ilk.InputError(
            f"{ilk.display_name(distance)}: the distance of rows {row} and {column} of X is "
            f"{D[row, column]}, which cannot be drawn"
        )
    if y is None:
        return D, None, np.zeros(len(D), dtype=int)
    classes, codes = ilk.check_labels(distance, y, X)
    return D, classes, codes
