"""Decision regions side by side: neighbours, ties, scaling, margins of support vector machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.plotting import (
    class_legend,
    class_regions,
    class_style,
    grid_places,
    new_axes,
    plot_label,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from ilk import FittedClassifier, Labels, Matrix
    from ilk_learners.classifiers.svm import SVM

_MARGIN = 0.08  # space beyond the data on each side, as a share of the feature's range


def regions(
    models: Mapping[str, FittedClassifier],
    X: Matrix,
    y: Labels,
    *,
    resolution: int = 150,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw the decision regions of several classifiers side by side, with the data.

    Parameters
    ----------
    models : mapping of str to classifier
        Fitted on two features, by the title of their panel. Places that a model rejects, with an
        answer that is no class, are white.
    X : array of shape (n, 2)
    y : array of shape (n,)
    resolution : int, default=150
        Points along each side at which the models predict.
    axes : sequence of Axes, optional
        One for each model; None: those of a new figure.

    Returns
    -------
    list of Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If there is no model, X has not two features, or there are more or fewer axes than models.

    Examples
    --------
    >>> import ilk, ilk_learners
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> models = {f"k = {k}": ilk.classifier("knn", k=k).fit(X[:, :2], y) for k in (1, 15)}
    >>> panels = ilk_learners.plotting.regions(models, X[:, :2], y)
    >>> [panel.get_title() for panel in panels]
    ['k = 1', 'k = 15']
    """
    rows, classes, codes = plane_cases("regions", X, y)
    panels = side_by_side("regions", axes, len(models))
    low, high = corners(rows)
    places, rejected = grid_places(low, high, resolution), False
    for ax, (title, model) in zip(panels, models.items(), strict=True):
        rejected |= class_regions(ax, model.predict(places), model.classes_, low, high)
        draw_cases(ax, rows, classes, codes)
        ax.set(xticks=[], yticks=[], title=plot_label(title))
    class_legend(panels[-1], rejected=rejected)
    return panels


def plane_cases(
    function: str, X: Matrix, y: Labels | None, n_classes: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Check cases with two features; return them, their classes and the class codes."""
    rows = np.asarray(X, dtype=float)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise ilk.InputError(f"{function}: X must have two features, got shape {rows.shape}")
    if y is None:
        raise ilk.InputError(f"{function}: y must be given with X")
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if len(codes) != len(rows):
        raise ilk.InputError(f"{function}: y must have {len(rows)} labels, got {len(codes)}")
    if n_classes is not None and len(classes) != n_classes:
        raise ilk.InputError(f"{function}: y must have {n_classes} classes, got {len(classes)}")
    return rows, classes, codes


def side_by_side(function: str, axes: Sequence[Axes] | None, count: int) -> list[Any]:
    """The given axes, or new ones, one for each panel."""
    if not count:
        raise ilk.InputError(f"{function}: there is nothing to draw")
    if axes is None:
        return list(np.atleast_1d(new_axes(3.3 * count + 0.9, 3.4, count)))
    if len(axes) != count:
        raise ilk.InputError(f"{function}: axes must be {count}, got {len(axes)}")
    return list(axes)


def corners(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Opposite corners of the plane about some points."""
    extent = np.ptp(rows, axis=0)
    space = _MARGIN * np.where(extent > 0, extent, 1)
    return rows.min(axis=0) - space, rows.max(axis=0) + space


def draw_cases(
    ax: Axes, rows: np.ndarray, classes: np.ndarray, codes: np.ndarray, size: float = 16
) -> None:
    """Draw points, with a colour and marker for each class."""
    edge: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.4}
    for code, label in enumerate(classes):
        look = class_style(code) | edge
        x, y = rows[codes == code].T
        ax.scatter(x, y, size, label=plot_label(label), **look)


def clouds(
    means: Sequence[Sequence[float]], n: int, spread: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian clouds of n points each; those of means i, i + 3, ... are of class i."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(mean, spread, (n, 2)) for mean in means])
    return X, np.repeat(np.array(["A", "B", "C"])[np.arange(len(means)) % 3], n)


def knn_regions(
    X: Matrix | None = None,
    y: Labels | None = None,
    k: Sequence[int] = (1, 5, 19),
    *,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw the regions of k-nearest-neighbour classifiers for several k.

    One neighbour follows each noisy case; many blur the borders.

    Parameters
    ----------
    X : array of shape (n, 2), optional
        None: three overlapping classes, each in two clouds.
    y : array of shape (n,), optional
    k : sequence of int, default=(1, 5, 19)
    axes : sequence of Axes, optional
        One for each k; None: those of a new figure.

    Returns
    -------
    list of Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        As by `regions`.

    References
    ----------
    Arras: Parameter k.

    Examples
    --------
    >>> import ilk_learners
    >>> panels = ilk_learners.plotting.knn_regions(k=(1, 5))
    >>> [panel.get_title() for panel in panels]
    ['1-NN', '5-NN']
    """
    X, y = _given(X, y)
    rows, _, _ = plane_cases("knn_regions", X, y)
    models = {f"{n}-NN": ilk.classifier("knn", k=n).fit(rows, y) for n in k}
    return regions(models, rows, y, axes=axes)


def knn_ties(
    X: Matrix | None = None,
    y: Labels | None = None,
    k: Sequence[int] = (1, 5),
    *,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw the regions of k-nearest-neighbour classifiers with ties between classes left white.

    Parameters
    ----------
    X : array of shape (n, 2), optional
        None: three overlapping classes.
    y : array of shape (n,), optional
    k : sequence of int, default=(1, 5)
    axes : sequence of Axes, optional
        One for each k; None: those of a new figure.

    Returns
    -------
    list of Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        As by `regions`.

    References
    ----------
    Arras: K-NN Example.

    Examples
    --------
    >>> import ilk_learners
    >>> left, right = ilk_learners.plotting.knn_ties()
    >>> bool(left.images[0].get_array().mask.any()), bool(right.images[0].get_array().mask.any())
    (False, True)
    """
    X, y = _given(X, y)
    rows, _, _ = plane_cases("knn_ties", X, y)
    models = {}
    for n in k:
        knn = ilk.classifier("knn", k=n, vote="majority", ties="reject", reject_label=None)
        models[f"{n}-NN"] = knn.fit(rows, y)
    return regions(models, rows, y, axes=axes)


def knn_votes(
    X: Matrix | None = None,
    y: Labels | None = None,
    queries: Matrix | None = None,
    k: int = 3,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the k nearest neighbours of queries, and the votes that they give.

    Parameters
    ----------
    X : array of shape (n, 2), optional
        None: twelve cases of two classes.
    y : array of shape (n,), optional
    queries : array of shape (m, 2), optional
        None: with the default data one whose neighbours agree, and one whose neighbours do not.
    k : int, default=3
    ax : Axes, optional
        None: a new figure (``ax.figure``).

    Returns
    -------
    Axes
        The text beside a query has its number and the votes of each class.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If X has not two features, there are no queries, or k is not within 1..n.

    References
    ----------
    Cunningham 2008: figure 2.1.

    Zaidi 2011: figure 2.2.

    Examples
    --------
    >>> import ilk_learners
    >>> ax = ilk_learners.plotting.knn_votes()
    >>> [text.get_text() for text in ax.texts]
    ['q1: O 3', 'q2: O 1, X 2']
    """
    if X is None:
        X, y = np.array(_TWELVE), np.repeat(["O", "X"], 6)
        queries = np.array([[1.6, 2.5], [3.2, 1.9]]) if queries is None else queries
    rows, classes, codes = plane_cases("knn_votes", X, y)
    places = np.atleast_2d(np.asarray([] if queries is None else queries, dtype=float))
    if places.shape[1] != 2:
        raise ilk.InputError("knn_votes: queries must be points with two features, got none")
    distances, nearest = ilk.nearest(rows, k, places)
    ax = new_axes(5.4, 4.4) if ax is None else ax
    draw_cases(ax, rows, classes, codes, size=45)
    for number, (place, far, near) in enumerate(zip(places, distances, nearest, strict=True), 1):
        for case in near:
            ax.plot(*np.stack([place, rows[case]]).T, color="0.5", linewidth=0.9, zorder=0)
        turn = np.linspace(0, 2 * np.pi, 181)
        ring = place[:, None] + far[-1] * np.stack([np.cos(turn), np.sin(turn)])
        ax.plot(*ring, "--", color="0.5", linewidth=0.9)
        ax.plot(*place, "*", color="black", markersize=12)
        counts = np.bincount(codes[near], minlength=len(classes))
        votes = ", ".join(f"{classes[c]} {counts[c]}" for c in np.flatnonzero(counts))
        below: Any = {"xytext": (0, -18), "textcoords": "offset points", "ha": "center"}
        ax.annotate(f"q{number}: {votes}", place, **below)
    ax.set(xlabel="first feature", ylabel="second feature")
    ax.set_aspect("equal", adjustable="datalim")
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1))
    return ax


_TWELVE = [
    *[(0.8, 2.2), (1.5, 3.4), (2.2, 2.8), (0.5, 3.3), (2.6, 2.2), (1.1, 1.2)],
    *[(3.7, 1.5), (3.9, 2.4), (4.4, 1.0), (3.3, 0.7), (4.6, 2.0), (4.2, 3.2)],
]


def _given(X: Matrix | None, y: Labels | None) -> tuple[Any, Any]:
    means = [(0.0, 0.0), (2.2, 0.2), (1.0, 1.9), (3.1, 2.0), (-0.9, 1.9), (1.2, -1.5)]
    return clouds(means, 18, 0.65, seed=3) if X is None else (X, y)


def feature_scaling(
    X: Matrix | None = None,
    y: Labels | None = None,
    factor: float = 100.0,
    k: int = 5,
    *,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    r"""Draw the regions of k-NN before and after the second feature is multiplied.

    With a broad second feature, it alone decides which cases are near.

    Parameters
    ----------
    X : array of shape (n, 2), optional
        None: 100 cases of two classes that differ in the first feature only, in which they overlap.
    y : array of shape (n,), optional
    factor : float, default=100
    k : int, default=5
    axes : sequence of two Axes, optional
        None: those of a new figure.

    Returns
    -------
    list of Axes
        Titles give the leave-one-out error.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        As by `regions`.

    References
    ----------
    Arras: Feature Scaling.

    Examples
    --------
    >>> import ilk_learners
    >>> before, after = ilk_learners.plotting.feature_scaling()
    >>> before.get_title()
    'equal scales\nerror 0.04'
    >>> after.get_title()
    'second feature x 100\nerror 0.54'
    """
    if X is None:
        X, y = clouds([(-1.0, 0.0), (1.0, 0.0)], 50, 0.65, seed=1)
    rows, classes, codes = plane_cases("feature_scaling", X, y)
    panels = side_by_side("feature_scaling", axes, 2)
    titles = ("equal scales", f"second feature x {factor:g}")
    for ax, scale, title in zip(panels, (1.0, factor), titles, strict=True):
        scaled = rows * [1.0, scale]
        knn: Any = ilk.classifier("knn", k=k).fit(scaled, codes)
        error = np.mean(knn.leave_one_out(scaled, codes).labels != codes)
        low, high = corners(scaled)
        class_regions(ax, knn.predict(grid_places(low, high)), knn.classes_, low, high)
        draw_cases(ax, scaled, classes, codes)
        ax.set(xlabel="first feature", ylabel="second feature")
        ax.set_title(f"{title}\nerror {error:.2f}")
    class_legend(panels[-1])
    return panels


def svm_cost(
    X: Matrix | None = None,
    y: Labels | None = None,
    C: Sequence[float] = (0.1, 1.0, 100.0),
    *,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw the margin and the support vectors of a linear SVM for several costs C.

    A large C buys few violations with a narrow margin.

    Parameters
    ----------
    X : array of shape (n, 2), optional
        None: two classes that overlap a little.
    y : array of shape (n,), optional
        Two classes.
    C : sequence of float, default=(0.1, 1, 100)
    axes : sequence of Axes, optional
        One for each C; None: those of a new figure.

    Returns
    -------
    list of Axes
        See `svm_margins`.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If X has not two features, or y not two classes.

    References
    ----------
    Evaluation slides: Effect of C.

    Examples
    --------
    >>> import ilk_learners
    >>> panels = ilk_learners.plotting.svm_cost(C=(0.1, 100))
    >>> panels[0].get_title().splitlines()[0]
    'C = 0.1'
    """
    machines = {f"C = {cost:g}": ilk.classifier("svm", kernel="linear", C=cost) for cost in C}
    return _machines("svm_cost", machines, X, y, axes)


def svm_width(
    X: Matrix | None = None,
    y: Labels | None = None,
    sigma: Sequence[float] = (0.2, 0.5, 1.0, 3.0),
    C: float = 10.0,
    *,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw the boundary and the support vectors of a Gaussian SVM for several kernel widths.

    A narrow kernel surrounds each case, a wide one is nearly linear.

    Parameters
    ----------
    X : array of shape (n, 2), optional
        None: two classes that overlap a little.
    y : array of shape (n,), optional
        Two classes.
    sigma : sequence of float, default=(0.2, 0.5, 1, 3)
        Width of the kernel, in units of X.
    C : float, default=10
    axes : sequence of Axes, optional
        One for each sigma; None: those of a new figure.

    Returns
    -------
    list of Axes
        See `svm_margins`.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If X has not two features, or y not two classes.

    References
    ----------
    Zaidi 2011: figures 2.4-2.5.

    Examples
    --------
    >>> import ilk_learners
    >>> panels = ilk_learners.plotting.svm_width(sigma=(0.2, 3))
    >>> [int(panel.get_title().split()[3]) for panel in panels]  # support vectors
    [48, 16]
    """
    machines = {}
    for width in sigma:
        kernel = {"use": "rbf", "sigma": width}
        machines[f"sigma = {width:g}"] = ilk.classifier("svm", kernel=kernel, C=C)
    return _machines("svm_width", machines, X, y, axes)


def _machines(
    function: str,
    machines: Mapping[str, Any],
    X: Matrix | None,
    y: Labels | None,
    axes: Sequence[Axes] | None,
) -> list[Axes]:
    """Fit machines, and draw each."""
    if X is None:
        X, y = clouds([(-1.0, 0.3), (0.6, -0.3)], 30, 0.6, seed=4)
    rows, classes, codes = plane_cases(function, X, y, 2)
    labels = classes[codes]
    panels = side_by_side(function, axes, len(machines))
    for ax, (title, machine) in zip(panels, machines.items(), strict=True):
        svm_margins(machine.fit(rows, labels), rows, labels, ax=ax)
        ax.set_title(f"{title}\n{ax.get_title()}")
    class_legend(panels[-1])
    return panels


def svm_margins(machine: SVM, X: Matrix, y: Labels, *, ax: Axes | None = None) -> Axes:
    """Draw a support vector machine: its boundary, its margin and its support vectors.

    The boundary is solid; on the dashed lines the decision value is -1 and 1. Support vectors are
    circled. The title has their number and the distance of the dashed lines, ``2 / |w|``, in the
    space of the kernel.

    Parameters
    ----------
    machine : svm
        Fitted to X and y.
    X : array of shape (n, 2)
    y : array of shape (n,)
        Two classes.
    ax : Axes, optional
        None: a new figure (``ax.figure``).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If X has not two features, y not two classes, or the machine no support vectors.

    References
    ----------
    Zaidi 2011: figure D.3.

    Cunningham 2008: sections 2.3.1-2.3.2.

    Examples
    --------
    >>> import ilk, ilk_learners
    >>> X, y = [[0, 0], [-1, 1], [2, 0], [3, 1]], ["a", "a", "b", "b"]
    >>> machine = ilk.classifier("svm", kernel="linear", C=float("inf")).fit(X, y)
    >>> ilk_learners.plotting.svm_margins(machine, X, y).get_title()
    '2 support vectors, margin 2'
    """
    rows, classes, codes = plane_cases("svm_margins", X, y, 2)
    support = getattr(machine, "support_", None)
    if support is None or not hasattr(machine, "margin_"):
        raise ilk.InputError(
            f"{ilk.display_name(machine)}: it has no support vectors to draw; fit an svm first"
        )
    ax = new_axes(4.4, 3.6) if ax is None else ax
    low, high = corners(rows)
    places = grid_places(low, high)
    class_regions(ax, machine.predict(places), classes, low, high)
    values = np.asarray(machine.decision_function(places)).reshape(150, 150)
    x, z = places.reshape(150, 150, 2).transpose(2, 0, 1)
    for level, style in ((-1, "--"), (0, "-"), (1, "--")):
        if values.min() < level < values.max():
            ax.contour(x, z, values, [level], colors="black", linestyles=style, linewidths=1.2)
    draw_cases(ax, rows, classes, codes)
    ring: dict[str, Any] = {"facecolors": "none", "edgecolors": "black", "linewidths": 0.9}
    ax.scatter(rows[support, 0], rows[support, 1], 60, label="support vector", zorder=3, **ring)
    margin = 2 * float(np.ravel(machine.margin_)[0])
    ax.set(xticks=[], yticks=[])
    ax.set_title(f"{len(support)} support vectors, margin {margin:.3g}")
    return ax
