"""How much each feature counts in a learned metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.drawing import COLORS, new_axes
from ilk_learners.plotting.metrics import matrix_of, names_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def feature_weights(
    learner: Any,
    *,
    at: Any = None,
    names: Sequence[str] | None = None,
    most: int = 30,
    ax: Axes | None = None,
) -> Axes:
    """Draw the weights of features in a learned metric as bars, the largest first.

    The weight of a feature is its entry on the diagonal of A: the squared distance of two
    points that differ by 1 in it and in nothing else. Weights are comparable where the
    features are on one scale.

    Parameters
    ----------
    learner : MetricLearner or LocalMetric
        Fitted.
    at : array of shape (p,), optional
        Where, for a local metric.
    names : sequence of str, optional
        Names of the features; those of the training table if left out.
    most : int
        How many bars are drawn.
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
    >>> data = ilk.dataset("iris").load()
    >>> learner = ilk.metric_learner("relevance", report=False).fit(*data.Xy)
    >>> ax = ilk_learners.plotting.feature_weights(learner)
    >>> len(ax.patches)
    4
    """
    problem = ilk.Param(int, ge=1).problem(most)
    if problem:
        raise ilk.InputError(f"feature_weights: most {problem}")
    weights = np.diag(matrix_of(learner, at))
    labels = names_of(learner, names, len(weights))
    order = np.argsort(-weights, kind="stable")[:most]
    if ax is None:
        ax = new_axes(6.4, 1.2 + 0.25 * len(order))
    assert ax is not None
    ax.barh(range(len(order)), weights[order], color=COLORS[0])
    ax.set_yticks(range(len(order)), [labels[i] for i in order])
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.set_xlim(left=0)
    ax.set_xlabel("weight in the squared distance")
    rest = len(weights) - len(order)
    beyond = f", the largest {len(order)} of {len(weights)}" if rest else ""
    ax.set_title(f"features by {ilk.display_name(learner)}{beyond}")
    return ax
