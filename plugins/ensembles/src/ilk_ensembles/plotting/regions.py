"""Where in the plane which class is predicted, as an ensemble grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk.drawing import COLORS, look_of, new_axes, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARGIN = 0.08  # of the range of a feature, beyond the data on each side


def decision_regions(
    model: Any,
    X: Any,
    y: Any,
    *,
    rounds: Sequence[int] | None = None,
    resolution: int = 200,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw the regions of the classes after some rounds, with the data.

    Parameters
    ----------
    model : classifier
        Fitted on two features; with ``staged_predict`` where `rounds` are given.
    X : array of shape (n, 2)
    y : array of shape (n,)
    rounds : sequence of int, optional
        How many members are asked in each panel, in ascending order, such as ``(1, 3, 5)``.
        If left out there is one panel, of the whole model.
    resolution : int, default=200
        Points along each axis that the model is asked about.
    axes : sequence of Axes, optional
        One for each panel; those of a new figure if left out.

    Returns
    -------
    list of Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If X has not two features, or the model has fewer rounds.

    References
    ----------
    Zaidi (2011), figure 10.1.

    Examples
    --------
    >>> import ilk, ilk_ensembles, numpy as np
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "a", "b")
    >>> model = ilk.classifier("crab", n_rounds=5).fit(X, y)
    >>> panels = ilk_ensembles.plotting.decision_regions(model, X, y, rounds=(1, 3, 5))
    >>> [panel.get_title() for panel in panels]
    ['1 round', '3 rounds', '5 rounds']
    """
    name = ilk.display_name(model)
    check_is_fitted(model)
    rows = np.asarray(ilk.check_vectors(model, X), dtype=float)
    if rows.shape[1] != 2:
        raise ilk.InputError(f"{name}: X must have two features to be drawn, got {rows.shape[1]}")
    _, codes = ilk.check_labels(model, y, rows)
    if resolution < 2:
        raise ilk.ParameterError(f"decision_regions: resolution must be >= 2, got {resolution!r}")
    spread = _MARGIN * np.ptp(rows, axis=0)
    low, high = rows.min(axis=0) - spread, rows.max(axis=0) + spread
    grid = np.meshgrid(*np.linspace(low, high, resolution).T)
    places = np.column_stack([axis.ravel() for axis in grid])
    predicted = _predictions(model, name, places, rounds)
    panels = _panels(axes, len(predicted))
    for ax, (title, labels) in zip(panels, predicted, strict=True):
        own = np.searchsorted(model.classes_, labels).reshape(resolution, resolution)
        _draw(ax, own, (low, high), model.classes_, rows, codes)
        ax.set_title(title)
    return panels


def _predictions(
    model: Any, name: str, places: np.ndarray, rounds: Sequence[int] | None
) -> list[tuple[str, np.ndarray]]:
    """Title and predicted labels of each panel."""
    if rounds is None:
        return [(written(name), np.asarray(model.predict(places)))]
    if not hasattr(model, "staged_predict"):
        raise ilk.InputError(f"{name}: has no staged_predict, so rounds must be left out")
    wanted = sorted(set(rounds))
    if not wanted or wanted[0] < 1:
        raise ilk.ParameterError(f"decision_regions: rounds must be >= 1, got {list(rounds)!r}")
    found = []
    last = 0
    for last, labels in enumerate(model.staged_predict(places), start=1):
        if last in wanted:
            found.append((f"{last} round{'s' * (last > 1)}", np.array(labels)))
        if last == wanted[-1]:
            return found
    raise ilk.InputError(f"{name}: has {last} rounds, but {wanted[-1]} are to be drawn")


def _panels(axes: Sequence[Axes] | None, count: int) -> list[Any]:
    if axes is None:
        return list(np.atleast_1d(new_axes(3.6 * count, 3.6, count)))
    if len(axes) != count:
        raise ilk.InputError(f"decision_regions: axes must be {count}, got {len(axes)}")
    return list(axes)


def _draw(
    ax: Axes,
    regions: np.ndarray,
    corners: tuple[np.ndarray, np.ndarray],
    classes: np.ndarray,
    rows: np.ndarray,
    codes: np.ndarray,
) -> None:
    from matplotlib.colors import ListedColormap

    (left, bottom), (right, top) = corners
    colors = [COLORS[code % len(COLORS)] for code in range(len(classes))]
    ax.imshow(
        regions,
        origin="lower",
        extent=(left, right, bottom, top),
        aspect="auto",
        cmap=ListedColormap(colors),
        vmin=-0.5,
        vmax=len(classes) - 0.5,
        alpha=0.3,
        interpolation="nearest",
    )
    for code, label in enumerate(classes):
        own = rows[codes == code]
        ax.scatter(own[:, 0], own[:, 1], 8, label=written(label), linewidths=0, **look_of(code))
    ax.set(xticks=[], yticks=[])
