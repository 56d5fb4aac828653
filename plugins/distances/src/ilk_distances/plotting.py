"""Plots of distances: heat map, embedding in the plane, flow between signatures; recall of indexes.

They need matplotlib (extra ``report`` of ilk), and draw on new axes or on given ones, without
matplotlib's global state.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.plotting import COLORS, class_style, colorbar, new_axes, plot_label
from ilk_distances.indexes.approximate import Sample

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from ilk import Cases, Distance, Index, Labels, Matrix


__all__ = ["embedding", "flow", "heat_map", "recall_curve"]

_REPEATS = 3  # of a timed search; the fastest counts


def heat_map(
    distance: Distance, X: Cases, y: Labels | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the distances of all rows to all rows: dark is near.

    Rows are sorted by class, and within a class by their mean distance to the class. If the
    distance separates the classes, dark squares appear along the diagonal.

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
    >>> ax = ilk_distances.plotting.heat_map(ilk.distance("euclidean"), X, y)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['setosa', 'versicolor', 'virginica']
    """
    D, classes, codes = _matrix_of(distance, X, y)
    ax = ax or new_axes(6.4, 5.4)
    order = _order(D, codes) if classes is not None else np.arange(len(D))
    image = ax.imshow(D[np.ix_(order, order)], cmap="viridis", interpolation="nearest")
    colorbar(ax, image, f"{ilk.display_name(distance)} distance")
    if classes is None:
        ax.set_xlabel("row")
        ax.set_ylabel("row")
    else:
        _mark_classes(ax, [plot_label(name) for name in classes], np.bincount(codes))
    return ax


def embedding(
    distance: Distance | None, X: Matrix, y: Labels | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw rows as points of the plane whose Euclidean distances approximate the given ones.

    Classical multidimensional scaling: with J the centring matrix, the coordinates are the first
    two eigenvectors of ``-J D^2 J / 2`` (D^2 the matrix of squared distances), each times the
    root of its eigenvalue. The title has the share of these two in the sum of absolute
    eigenvalues: 100 % if the distances are those of points in a plane. For an asymmetric
    distance the mean of both directions is used.

    Parameters
    ----------
    distance : Distance
        Fitted, where it needs that.
    X : data of n rows
        All n x n distances are computed.
    y : array of shape (n,), optional
        Labels; each class has its own colour and marker.
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

    References
    ----------
    .. [1] W. S. Torgerson, "Multidimensional scaling: I. Theory and method", *Psychometrika* 17,
       1952.

    Examples
    --------
    >>> import ilk, ilk_distances
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> ax = ilk_distances.plotting.embedding(ilk.distance("euclidean"), X, y)
    >>> ax.get_title()
    'euclidean distance in the plane (98 % of it)'
    """
    D, classes, codes = _matrix_of(distance, X, y)
    ax = ax or new_axes(6.4, 5.4)
    points, share = scaled(D)
    for code in np.unique(codes).tolist():
        mine = points[codes == code]
        label = None if classes is None else plot_label(classes[code])
        style = {"alpha": 0.8, "edgecolors": "white", "linewidths": 0.5, **class_style(code)}
        ax.scatter(mine[:, 0], mine[:, 1], 28, label=label, **style)
    if classes is not None:
        outside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1)} if len(classes) > 6 else {}
        ax.legend(**outside)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_title(f"{ilk.display_name(distance)} distance in the plane ({100 * share:.0f} % of it)")
    return ax


def flow(distance: Distance, x: Any, y: Labels, *, ax: Axes | None = None) -> Axes:
    """Draw two signatures and the flow of the earth mover's distance between them.

    Points of x are circles, points of y squares; their area grows with their weight. An arrow
    leads from the source of moved mass to its destination; its width grows with the mass. With
    at most eight points in total, weights and masses are written on them. Points on a line are
    drawn on two parallel lines; points in space by their first two principal components.

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
    .. [1] Cunningham 2008: figure 2.2.

    Examples
    --------
    >>> import ilk, ilk_distances
    >>> source = [[0.0, 0.0], [4.0, 0.0]], [0.6, 0.4]
    >>> target = [[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]], [0.5, 0.3, 0.2]
    >>> ax = ilk_distances.plotting.flow(ilk.distance("emd"), source, target)
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
    # smaller masses are rounding
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


def recall_curve(
    indexes: Mapping[str, Sequence[Index]], Q: Cases, k: int = 10, *, ax: Axes | None = None
) -> Axes:
    """Draw the speed of indexes against their recall: right and up is better.

    Each line is an index, each of its points a setting. The speed is that of the fastest of three
    searches for all queries, after one that does not count.

    Parameters
    ----------
    indexes : dict of lists of Index
        Fitted on the same rows and distance, by the label of their line.
    Q : data of m rows
        Queries, preferably not training rows.
    k : int, default=10
    ax : Axes, optional
        A new figure's if left out (``ax.figure`` is the figure).

    Returns
    -------
    Axes
        The lines have recalls from 0 to 1, and queries a second.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If there is no index, or k is not within 1..n.
    NotFittedError

    Examples
    --------
    >>> import ilk, ilk_distances, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, Q, distance = rng.random((2000, 4)), rng.random((50, 4)), ilk.distance("euclidean")
    >>> lsh = [ilk.index("lsh", n_tables=n, n_bits=4, random_state=0) for n in (4, 16)]
    >>> fitted = [index.fit(X, distance=distance) for index in lsh]
    >>> ax = ilk_distances.plotting.recall_curve({"lsh": fitted}, Q)
    >>> recalls = ax.get_lines()[0].get_xdata()
    >>> bool(recalls[0] < recalls[1])
    True
    """
    fitted: list[Any] = [index for line in indexes.values() for index in line]
    if not fitted:
        raise ilk.InputError("recall_curve: indexes must have a fitted index, got none")
    for index in fitted:
        ilk.check_fitted(index)
    fitted[0].check_k(k, ilk.n_rows(fitted[0].X_))
    sample = Sample.of(fitted[0], fitted[0].distance_.check_input(Q, "Q"), int(k))
    ax = ax or new_axes(6.4, 4.8)
    for number, (label, line) in enumerate(indexes.items()):
        points = sorted((float(sample.shares(one).mean()), _speed(one, Q, k)) for one in line)
        style: dict[str, Any] = {"markeredgecolor": "white", "color": COLORS[number % len(COLORS)]}
        recalls, speeds = zip(*points, strict=True)
        ax.plot(recalls, speeds, "o-", label=plot_label(label), **style)
    ax.set_yscale("log")
    ax.set_xlabel(f"recall of {k} neighbours")
    ax.set_ylabel("queries a second")
    ax.grid(visible=True, alpha=0.3)
    ax.legend()
    return ax


def _speed(index: Index, Q: Cases, k: int) -> float:
    """Queries that an index answers in a second."""
    seconds = []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        index.kneighbors(Q, k)
        seconds.append(time.perf_counter() - start)
    return ilk.n_rows(Q) / max(min(seconds), 1e-9)


def scaled(D: np.ndarray) -> tuple[np.ndarray, float]:
    """Classical scaling to two dimensions, and the share of the eigenvalues in these.

    Parameters
    ----------
    D : ndarray of shape (n, n)

    Returns
    -------
    points : ndarray of shape (n, 2)
        Centred; the number of largest absolute value in each coordinate is positive.
    share : float
    """
    from scipy.linalg import eigh

    n = len(D)
    largest = D.max() or 1.0  # its square may overflow
    squares = ((D + D.T) / 2 / largest) ** 2
    means = squares.mean(axis=0)
    # double centring turns squared distances into inner products about the mean
    B = -(squares - means[:, None] - means + means.mean()) / 2
    # eigenvalues ascend; negative ones, of distances that are not Euclidean, have no coordinates
    values, vectors = eigh(B)
    top = np.maximum(values[::-1][:2], 0)
    points = np.zeros((n, 2))
    points[:, : len(top)] = vectors[:, ::-1][:, :2] * np.sqrt(top)
    # eigenvectors have no sign: the largest coordinate on each axis shall be positive
    peaks = points[np.abs(points).argmax(axis=0), [0, 1]]
    total = np.abs(values).sum()
    return points * np.where(peaks < 0, -1, 1) * largest, float(top.sum() / total) if total else 1.0


def _matrix_of(
    distance: Any, X: Cases, y: Labels | None
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
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
            f"a plot needs a fitted distance, got {type(distance).__name__}; use 'precomputed' for "
            f"a matrix of distances"
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


_SMALLEST, _LARGEST = 260, 1600  # area of a point, in square points
_LEGIBLE = 8  # maximum number of points with legible labels
_LOOKS = (("o", COLORS[0], "white"), ("s", COLORS[1], "black"))


def _places(distance: Distance | None, *signatures: Any) -> list[np.ndarray]:
    """Positions of the points of both signatures in the plot."""
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
    if all(np.ptp(each[:, 1]) == 0 for each in places):  # one-dimensional: draw two lines
        ax.set_yticks([])
