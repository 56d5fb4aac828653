"""The matrix of distances as a picture, rows of one class together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.drawing import new_axes, written
from ilk_distances.pictures.matrix import matrix_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def heat_map(distance: Any, X: Any, y: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw the distances of all rows to all rows: dark is near.

    Rows stand by class, in each class those first that are nearest to the class on the whole.
    Where the distance tells the classes apart there are dark squares along the diagonal.

    Parameters
    ----------
    distance : Distance
        Fitted, where it needs that.
    X : data of n rows
        All n x n distances are computed.
    y : array of shape (n,), optional
        Labels; without them rows stay in their order.
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
        If there is not one label for each row, or a distance is not finite.

    Examples
    --------
    >>> import ilk, ilk_distances
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> ax = ilk_distances.pictures.heat_map(ilk.distance("euclidean"), X, y)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['setosa', 'versicolor', 'virginica']
    """
    D, classes, codes = matrix_of(distance, X, y)
    ax = ax or new_axes(6.4, 5.4)
    order = _order(D, codes) if classes is not None else np.arange(len(D))
    image = ax.imshow(D[np.ix_(order, order)], cmap="viridis", interpolation="nearest")
    assert ax.figure is not None
    ax.figure.colorbar(image, ax=ax, label=f"{ilk.display_name(distance)} distance")
    if classes is None:
        ax.set_xlabel("row")
        ax.set_ylabel("row")
    else:
        _mark_classes(ax, [written(name) for name in classes], np.bincount(codes))
    return ax


def _order(D: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Rows by class, then by their mean distance to it, then by index."""
    spread = np.array([D[row, codes == code].mean() for row, code in enumerate(codes)])
    return np.lexsort((spread, codes))


def _mark_classes(ax: Axes, names: list[str], counts: np.ndarray) -> None:
    ends = np.cumsum(counts)
    for border in ends[:-1] - 0.5:
        ax.axhline(border, color="white", linewidth=1)
        ax.axvline(border, color="white", linewidth=1)
    middles = (ends - counts / 2 - 0.5).tolist()
    crowded = len(names) > 5 or max(map(len, names)) > 8
    ax.set_xticks(middles, names, rotation=90 if crowded else 0)
    ax.set_yticks(middles, names)
    ax.tick_params(length=0)
