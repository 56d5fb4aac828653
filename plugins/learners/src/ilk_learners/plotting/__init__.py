"""Plots of learned metrics (space, weights, A, local ellipses, loss curves) and of editors.

They need matplotlib (the extra ``report`` of ilk) and draw on new or given axes. They do not
change matplotlib's global state.
"""

from ilk_learners.plotting.metrics import feature_weights, loss_curves, metric_matrix
from ilk_learners.plotting.space import ellipses, learned_space, selection

__all__ = [
    "ellipses",
    "feature_weights",
    "learned_space",
    "loss_curves",
    "metric_matrix",
    "selection",
]
