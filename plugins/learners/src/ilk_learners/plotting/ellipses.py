"""What is as near to a query as another: ellipses of a metric at points of the plane."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.drawing import new_axes, scatter
from ilk_learners.plotting.metrics import matrix_of, names_of
from ilk_learners.targets import holds_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST = 6.0  # an axis of an ellipse, in radii of the circle of its area
_COLOR = "#222222"


def ellipses(
    learner: Any,
    X: Any,
    y: Any = None,
    queries: Any = None,
    *,
    features: tuple[int, int] = (0, 1),
    size: float = 0.05,
    ax: Axes | None = None,
) -> Axes:
    """Draw rows in two features, and at queries the ellipse of points that are equally near.

    An ellipse is long where the metric counts differences little. All have the same area, as
    only the shape tells anything: each local metric has a scale of its own. An axis is at most
    six times the radius of a circle of that area, also where a feature does not count at
    all; where none of the two counts, a dashed circle is drawn. With more than two features
    an ellipse is the section of points that do not differ in the others.

    Parameters
    ----------
    learner : LocalMetric or MetricLearner
        Fitted. A global metric has the same ellipse everywhere.
    X : array or data frame of shape (n, p)
    y : array of shape (n,), optional
        Classes or numbers.
    queries : array of shape (m, p), optional
        Twelve rows of X, evenly spread over them, if left out.
    features : pair of int
        Positions of the two features that are drawn.
    size : float
        Radius of a circle of the ellipses' area, as a share of the larger extent of the data.
    ax : Axes, optional
        A new figure's if left out (``ax.figure`` is the figure).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError, InputTypeError
        If there is no fitted metric learner, or the features are none of X.

    References
    ----------
    Zaidi 2011, figure 6.1.

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
        Unit vectors, one a row.
    """
    values, vectors = np.linalg.eigh((A + A.T) / 2)
    values = np.maximum(values / values[1], _LONGEST**-4)  # whose axes are in proportion 36 to 1
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


def _queries(learner: Any, queries: Any) -> np.ndarray:
    return np.asarray(ilk.check_vectors(learner, queries, argument="queries"), dtype=float)


def _spread(n: int, most: int) -> np.ndarray:
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(int))
