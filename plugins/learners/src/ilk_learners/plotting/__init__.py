"""Pictures of learned metrics: the space, the weights, A, local ellipses, loss curves; of editors.

They need matplotlib, which the extra ``report`` of ilk has, and draw on axes of their own or on
yours; no global state of matplotlib's is touched.
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
