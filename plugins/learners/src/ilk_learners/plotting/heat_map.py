"""The matrix of a learned metric as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.drawing import colorbar, new_axes
from ilk_learners.plotting.metrics import matrix_of, names_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEGIBLE = 40  # names on an axis


def metric_matrix(
    learner: Any, *, at: Any = None, names: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw A of a learned metric: red where features add to the distance, blue where they cancel.

    The squared distance is the sum over pairs of features of A_pq times both differences. An
    entry on the diagonal is the weight of one feature; another is positive where two that differ
    alike are further apart than each alone makes them, negative where they make up for each other.

    Parameters
    ----------
    learner : MetricLearner or LocalMetric
        Fitted.
    at : array of shape (p,), optional
        Where, for a local metric.
    names : sequence of str, optional
        Names of the features; those of the training table if left out.
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
        If there is no fitted metric learner, or names do not fit.

    Examples
    --------
    >>> import ilk, ilk_learners
    >>> learner = ilk.metric_learner("rca").fit(*ilk.dataset("iris").load().Xy)
    >>> ax = ilk_learners.plotting.metric_matrix(learner)
    >>> ax.images[0].get_array().shape
    (4, 4)
    """
    A = matrix_of(learner, at)
    labels = names_of(learner, names, len(A))
    if ax is None:
        ax = new_axes(6.0, 5.0)
    assert ax is not None
    largest = float(np.abs(A).max()) or 1.0
    image = ax.imshow(A, cmap="RdBu_r", vmin=-largest, vmax=largest, interpolation="nearest")
    colorbar(ax, image, "A")
    if len(A) <= _LEGIBLE:
        long = max(map(len, labels)) * len(A) > 40
        ax.set_xticks(range(len(A)), labels, rotation=90 if long else 0)
        ax.set_yticks(range(len(A)), labels)
    ax.set_title(f"metric of {ilk.display_name(learner)}")
    return ax
