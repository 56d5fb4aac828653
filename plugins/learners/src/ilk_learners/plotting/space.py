"""Plots in the plane: rows before and after metric learning, ellipses, kept cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.plotting import COLORS, MARKERS, new_axes, plot_label, scatter
from ilk_learners.numerics import common_deviations, fix_signs, holds_numbers, spectrum
from ilk_learners.plotting.metrics import check_learner, matrix_of, names_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ilk import (
        Cases,
        Editor,
        Estimator,
        Labels,
        LocalMetric,
        Matrix,
        MetricLearner,
        MetricLearnerLike,
    )


def learned_space(
    learner: MetricLearner | LocalMetric,
    X: Matrix,
    y: Labels | None = None,
    *,
    axes: Sequence[Axes] | None = None,
) -> tuple[Axes, Axes]:
    """Draw rows side by side, before and after the map of a metric learner.

    Each side shows the two principal components of its space and their share of the variance; a
    two-dimensional space is shown unchanged. The right side is rotated (and mirrored) to match the
    left one as closely as possible. With a report, the titles give the nearest neighbour's
    leave-one-out error on the training rows.

    Parameters
    ----------
    learner : MetricLearner
        Fitted; not a local metric, which has no transform.
    X : array or data frame of shape (n, p)
    y : array of shape (n,), optional
        Classes, each with its colour and marker; or numbers, as shades.
    axes : two Axes, optional
        None: a new figure (``axes[0].figure``).

    Returns
    -------
    before, after : Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError, InputTypeError
        If there is no fitted metric learner with a transform, or y has another length than X.

    Examples
    --------
    >>> import ilk, ilk_learners
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> learner = ilk.metric_learner("rca").fit(X, y)
    >>> before, after = ilk_learners.plotting.learned_space(learner, X, y)
    >>> before.get_title().splitlines()[0], after.get_title().splitlines()[0]
    ('before', 'after rca')
    """
    check_learner(learner)
    if not hasattr(learner, "transform"):
        raise ilk.InputError(
            f"{ilk.display_name(learner)}: it maps no rows, as it adapts to each query; ellipses "
            f"shows it"
        )
    mapped = np.asarray(learner.transform(X), dtype=float)
    rows = np.asarray(ilk.check_vectors(learner, X), dtype=float)
    pair = new_axes(10, 4.4, 2) if axes is None else axes
    (before, share), (after, share_after) = plane(rows), plane(mapped)
    report = getattr(learner, "report_", None)
    errors = (None, None) if report is None else (report.before, report.after)
    for ax, points, last in ((pair[0], before, False), (pair[1], turned(after, before), True)):
        scatter(ax, points, learner, y, legend=last, shades=holds_numbers(y))
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xticks([])
        ax.set_yticks([])
    pair[0].set_title(_title("before", share, errors[0]))
    pair[1].set_title(_title(f"after {ilk.display_name(learner)}", share_after, errors[1]))
    return pair[0], pair[1]


def plane(X: np.ndarray) -> tuple[np.ndarray, float]:
    """Centred rows in two dimensions, and their share of the variance.

    Returns
    -------
    points : ndarray of shape (n, 2)
        Scaled so that the largest number is near 1.
    share : float
    """
    _, rows, _ = common_deviations(X)
    if rows.shape[1] <= 2:
        return np.pad(rows, ((0, 0), (0, 2 - rows.shape[1]))), 1.0
    values, axes = spectrum(rows)
    # squared singular values are the variances along the axes, up to a factor
    total = float(values @ values)
    return rows @ fix_signs(axes[:2]).T, float(values[:2] @ values[:2]) / total if total else 1.0


def turned(points: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Rotate or mirror points in the plane to fit others best (Procrustes)."""
    # the orthogonal map nearest to points' target: both sides of its singular value decomposition
    left, _, right = np.linalg.svd(points.T @ target)
    return np.asarray(points @ (left @ right))


def _title(what: str, share: float, error: float | None) -> str:
    notes = [f"{100 * share:.0f} % of the variance"] if share < 1 else []
    notes += [] if error is None else [f"nearest neighbour's error {error:.3g}"]
    return "\n".join([what, ", ".join(notes)]) if notes else what


_LONGEST = 6.0  # longest half axis, in radii of a circle of equal area, to fit in the plot
_COLOR = "#222222"


def ellipses(
    learner: MetricLearner | LocalMetric,
    X: Matrix,
    y: Labels | None = None,
    queries: Cases | None = None,
    *,
    features: tuple[int, int] = (0, 1),
    size: float = 0.05,
    ax: Axes | None = None,
) -> Axes:
    """Draw rows in two features, and at queries the ellipse of equally near points.

    An ellipse is long in directions of small weight. All have the same area, as only their shape is
    informative: each local metric has its own scale. A half axis is at most six times the radius of
    a circle of that area, even for a feature of weight 0. If both weights are 0, a dashed circle is
    drawn. With more than two features an ellipse is the section with equal values in the others.

    Parameters
    ----------
    learner : LocalMetric or MetricLearner
        Fitted. A global metric has the same ellipse everywhere.
    X : array or data frame of shape (n, p)
    y : array of shape (n,), optional
        Classes or numbers.
    queries : array of shape (m, p), optional
        None: twelve rows of X, evenly spread.
    features : pair of int
        Positions of the two features to draw.
    size : float
        Radius of a circle of the ellipses' area, as a share of the larger extent of the data.
    ax : Axes, optional
        None: a new figure (``ax.figure``).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError, InputTypeError
        If there is no fitted metric learner, or the features are not in X.

    References
    ----------
    Zaidi 2011: figure 6.1.

    Examples
    --------
    >>> import ilk, ilk_learners
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> learner = ilk.metric_learner("rca").fit(X, y)
    >>> ax = ilk_learners.plotting.ellipses(learner, X, y, X[::50], features=(2, 3))
    >>> len(ax.patches)
    3
    """
    rows = np.asarray(ilk.check_vectors(learner, X), dtype=float)
    where = _checked(features, rows.shape[1])
    problem = ilk.Param(float, gt=0, le=1e3).problem(size)
    if problem:
        raise ilk.InputError(f"ellipses: size {problem}")
    places = rows[_spread(len(rows), 12)] if queries is None else _queries(learner, queries)
    metrics = [matrix_of(learner, place) for place in places]
    names = names_of(learner, None, rows.shape[1])
    if ax is None:
        ax = new_axes(6.4, 5.4)
    assert ax is not None
    scatter(ax, rows[:, where], learner, y, legend=True, shades=holds_numbers(y))
    radius = size * float(np.ptp(rows[:, where], axis=0).max())
    for place, A in zip(places, metrics, strict=True):
        ax.add_patch(_ellipse(place[where], A[np.ix_(where, where)], radius))
    ax.plot(*places[:, where].T, linestyle="", marker="+", color=_COLOR)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel(names[where[0]])
    ax.set_ylabel(names[where[1]])
    ax.set_title(f"where {ilk.display_name(learner)} finds points equally near")
    return ax


def local_ellipses(
    learner: MetricLearnerLike = "boostml1",
    X: Matrix | None = None,
    y: Labels | None = None,
    queries: Cases | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the ellipses that a local metric learns at points of the plane.

    Near a border between classes they are long in its direction.

    Parameters
    ----------
    learner : metric learner, default="boostml1"
        Not fitted, as it is fitted here.
    X : array of shape (n, 2), optional
        None: two classes; the border is a corner.
    y : array of shape (n,), optional
    queries : array of shape (m, 2), optional
        None: points near to and far from the border of the default data, or twelve rows.
    ax : Axes, optional
        None: a new figure (``ax.figure``).

    Returns
    -------
    Axes
        See `ellipses`.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError, InputTypeError
        As by `ellipses`.

    References
    ----------
    Zaidi 2011: figure 6.1.

    Examples
    --------
    >>> import ilk_learners
    >>> ax = ilk_learners.plotting.local_ellipses("dann", queries=[[0.0, 1.0], [0.0, -1.0]])
    >>> len(ax.patches)
    2
    """
    if X is None:
        X, y = _corner()
        if queries is None:
            queries = np.array(_NEAR_AND_FAR)
    fitted = ilk.build(learner, kind="metric_learner").fit(X, y)
    return ellipses(fitted, X, y, queries, size=0.06, ax=ax)


_NEAR_AND_FAR = [
    *[(-0.3, -1.6), (0.35, -1.1), (-0.35, -0.5), (0.4, 0.4), (0.9, -0.35), (1.6, 0.35)],
    *[(1.4, -1.4), (-1.3, 1.2), (-1.4, -1.0)],
]


def _corner() -> tuple[np.ndarray, np.ndarray]:
    """Cases in a square; one quarter is of another class."""
    X = np.random.default_rng(0).uniform(-2, 2, (400, 2))
    return X, np.where((X[:, 0] < 0) | (X[:, 1] > 0), "A", "B")


def neighborhoods(
    learner: MetricLearnerLike = "dann",
    X: Matrix | None = None,
    y: Labels | None = None,
    queries: Cases | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw Euclidean neighbourhoods, dashed circles, and neighbourhoods of a local metric.

    Near a border between classes the adapted ones are long in its direction; far from it they are
    nearly round.

    Parameters
    ----------
    learner : metric learner, default="dann"
        Not fitted, as it is fitted here.
    X : array of shape (n, 2), optional
        None: two classes with a vertical border.
    y : array of shape (n,), optional
    queries : array of shape (m, 2), optional
        None: points of the default data at several distances from the border, or twelve rows.
    ax : Axes, optional
        None: a new figure (``ax.figure``).

    Returns
    -------
    Axes
        See `ellipses`.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError, InputTypeError
        As by `ellipses`.

    References
    ----------
    Zaidi 2011: figure 2.6.

    Examples
    --------
    >>> import ilk_learners
    >>> ax = ilk_learners.plotting.neighborhoods()
    >>> [round(float(patch.width / patch.height), 1) for patch in ax.patches[:4]]
    [1.4, 2.5, 2.8, 1.2]
    """
    from matplotlib.patches import Ellipse

    default = X is None
    if X is None:
        X = np.random.default_rng(1).uniform(-2, 2, (400, 2))
        y = np.where(X[:, 0] > 0, "B", "A")
        if queries is None:
            queries = np.array([[-1.5, 0.9], [-0.25, -0.9], [0.25, 0.9], [1.5, -0.9]])
    fitted = ilk.build(learner, kind="metric_learner").fit(X, y)
    ax = ellipses(fitted, X, y, queries, size=0.1, ax=ax)
    for adapted in list(ax.patches):
        assert isinstance(adapted, Ellipse)
        size = float(np.sqrt(adapted.width * adapted.height))
        circle: dict[str, Any] = {
            "fill": False,
            "edgecolor": COLORS[5],
            "linestyle": "--",
            "zorder": 3,
        }
        ax.add_patch(Ellipse(adapted.center, size, size, **circle))
    if default:
        ax.axvline(0, color=_COLOR, linewidth=1)
    ax.set_title(f"neighbourhoods: {ilk.display_name(fitted)}, and Euclidean (dashed)")
    return ax


def half_axes(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of the half axes of {z : z'Az = const}, of area pi unless cut, and directions.

    Parameters
    ----------
    A : ndarray of shape (2, 2)
        Positive semi-definite, not 0.

    Returns
    -------
    lengths : ndarray of shape (2,)
        Descending.
    directions : ndarray of shape (2, 2)
        Unit vectors, one per row.
    """
    values, vectors = np.linalg.eigh((A + A.T) / 2)
    values = np.maximum(values / values[1], _LONGEST**-4)  # axes in proportion 36 to 1
    # half axes are proportional to 1 / sqrt(values); those of area pi have the product 1
    return (values.prod() ** 0.25) / np.sqrt(values), vectors.T


def _ellipse(center: np.ndarray, A: np.ndarray, radius: float) -> Any:
    from matplotlib.patches import Ellipse

    style: dict[str, Any] = {"fill": False, "edgecolor": _COLOR, "linewidth": 1.2, "zorder": 3}
    if not A.any():
        return Ellipse(tuple(center), 2 * radius, 2 * radius, linestyle="dashed", **style)
    lengths, directions = half_axes(A)
    angle = float(np.degrees(np.arctan2(directions[0, 1], directions[0, 0])))
    width, height = (2 * radius * lengths).tolist()
    return Ellipse(tuple(center), width, height, angle=angle, **style)


def _checked(features: tuple[int, int], p: int) -> list[int]:
    where = list(features) if isinstance(features, Iterable) else []
    known = all(ilk.Param(int, ge=0, lt=p).problem(i) is None for i in where)
    if not known or len(where) != 2 or where[0] == where[1]:
        raise ilk.InputError(
            f"ellipses: features must be two different ones of the {p}, from 0, got {features!r}"
        )
    return [int(i) for i in where]


def _queries(learner: Estimator, queries: Cases) -> np.ndarray:
    return np.asarray(ilk.check_vectors(learner, queries, argument="queries"), dtype=float)


def _spread(n: int, most: int) -> np.ndarray:
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(int))


_KEPT = {"s": 34, "edgecolors": "black", "linewidths": 0.8, "zorder": 3}
_REMOVED = {"s": 14, "alpha": 0.35, "linewidths": 0, "zorder": 2}


def selection(
    editor: Editor,
    X: Matrix,
    y: Labels,
    *,
    features: tuple[int, int] = (0, 1),
    axes: Axes | None = None,
) -> Axes:
    """Draw the cases kept by an editor, and faintly the removed ones.

    Each class has its colour and marker; kept cases are large and outlined.

    Parameters
    ----------
    editor : Editor
        After `fit_resample`: its `sample_indices_` are read, ours or imbalanced-learn's.
    X : array or data frame of shape (n, p)
        The input cases of the editor.
    y : array of shape (n,)
    features : (int, int), default=(0, 1)
        The two features to draw.
    axes : Axes, optional
        None: a new figure (``axes.figure``).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If it is not an editor, has not been applied or was applied to other cases, or X lacks a
        feature.

    Examples
    --------
    >>> import ilk, ilk_learners
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> editor = ilk.editor("cnn")
    >>> kept = editor.fit_resample(X, y)
    >>> ax = ilk_learners.plotting.selection(editor, X, y, features=(2, 3))
    >>> ax.get_title()
    'cnn kept 24 of 150 cases'
    """
    name = ilk.display_name(editor)
    kept = getattr(editor, "sample_indices_", None)
    if not hasattr(editor, "fit_resample"):
        raise ilk.InputError(f"selection: editor must be an editor, got {editor!r}")
    if kept is None:
        raise ilk.InputError(f"{name}: has chosen no cases yet; call fit_resample first")
    names = [str(column) for column in getattr(X, "columns", [])]
    rows = np.asarray(ilk.check_vectors(editor, X), dtype=float)
    classes, codes = ilk.check_labels(editor, y, rows)
    n, p = rows.shape
    if n != getattr(editor, "n_cases_", n) or (len(kept) and max(kept) >= n):
        chosen = getattr(editor, "n_cases_", max(kept) + 1)
        raise ilk.InputError(f"{name}: X has {n} rows, but it chose from {chosen}")
    first, second = _checked_features(name, features, p)
    there = np.zeros(n, dtype=bool)
    there[kept] = True
    ax = new_axes(6, 4.4) if axes is None else axes
    for code, label in enumerate(classes):
        look = {"color": COLORS[code % len(COLORS)], "marker": MARKERS[code % len(MARKERS)]}
        for mask, style in ((~there, _REMOVED), (there, _KEPT)):
            members = rows[(codes == code) & mask]
            legend = {"label": plot_label(label)} if style is _KEPT else {}
            ax.scatter(members[:, first], members[:, second], **(style | look | legend))
    ax.set_xlabel(plot_label(names[first]) if names else f"feature {first}")
    ax.set_ylabel(plot_label(names[second]) if names else f"feature {second}")
    ax.set_title(f"{name} kept {len(kept)} of {n} cases")
    ax.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1)
    )  # beside the axes, so that it hides no points
    return ax


def _checked_features(name: str, features: Any, p: int) -> tuple[int, int]:
    """Check the numbers of two features out of p."""
    if p < 2:
        raise ilk.InputError(f"{name}: X must have two features to be drawn, got {p}")
    pair = list(features) if isinstance(features, tuple | list) else []
    if len(pair) != 2 or not all(isinstance(feature, Integral) for feature in pair):
        raise ilk.InputError(f"{name}: features must be the numbers of two, got {features!r}")
    for feature in pair:
        if not 0 <= feature < p:
            raise ilk.InputError(f"{name}: features must be within 0..{p - 1}, got {feature}")
    return int(pair[0]), int(pair[1])
