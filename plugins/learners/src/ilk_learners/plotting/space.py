"""Rows in the plane before and after a metric was learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.drawing import new_axes, scatter
from ilk_learners.linear import fix_signs, spectrum
from ilk_learners.magnitude import common_deviations
from ilk_learners.plotting.metrics import check_learner
from ilk_learners.targets import holds_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def learned_space(
    learner: Any, X: Any, y: Any = None, *, axes: Sequence[Axes] | None = None
) -> tuple[Axes, Axes]:
    """Draw rows side by side as they were and as a metric learner maps them.

    Each side shows the two principal components of its own space, and says how much of the
    variance they have; a plane is shown as it is. The right side is turned (and mirrored, if
    need be) so that rows stay as near as they can to where they were on the left. With a
    report the titles give the nearest neighbour's error, by leaving one training row out.

    Parameters
    ----------
    learner : MetricLearner
        Fitted; a local metric maps no rows.
    X : array or data frame of shape (n, p)
    y : array of shape (n,), optional
        Classes, of which each has a colour and a marker of its own; or numbers, as shades.
    axes : two Axes, optional
        A new figure's if left out (``axes[0].figure`` is the figure).

    Returns
    -------
    before, after : Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError, InputTypeError
        If there is no fitted metric learner that maps rows, or not one y for each row.

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
    """Centred rows in two dimensions, and the share of the variance in these.

    Returns
    -------
    points : ndarray of shape (n, 2)
        In a unit that makes the largest number near 1.
    share : float
    """
    _, rows, _ = common_deviations(X)
    if rows.shape[1] <= 2:
        return np.pad(rows, ((0, 0), (0, 2 - rows.shape[1]))), 1.0
    values, axes = spectrum(rows)
    total = float(values @ values)
    return rows @ fix_signs(axes[:2]).T, float(values[:2] @ values[:2]) / total if total else 1.0


def turned(points: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Turn or mirror points in the plane to where they fit others best (Procrustes)."""
    left, _, right = np.linalg.svd(points.T @ target)
    return np.asarray(points @ (left @ right))


def _title(what: str, share: float, error: float | None) -> str:
    said = [f"{100 * share:.0f} % of the variance"] if share < 1 else []
    said += [] if error is None else [f"nearest neighbour's error {error:.3g}"]
    return "\n".join([what, ", ".join(said)]) if said else what
