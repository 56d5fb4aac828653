"""The distances of rows, and the classes of the rows, for a picture of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import ilk


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
