"""Pictures of learned metrics: the space, the weights, A, local ellipses, loss curves; of editors.

They need matplotlib, which the extra ``report`` of ilk has, and draw on axes of their own or on
yours; no global state of matplotlib's is touched.
"""

from ilk_learners.plotting.curves import loss_curves
from ilk_learners.plotting.ellipses import ellipses
from ilk_learners.plotting.heat_map import metric_matrix
from ilk_learners.plotting.selection import selection
from ilk_learners.plotting.space import learned_space
from ilk_learners.plotting.weights import feature_weights

__all__ = [
    "ellipses",
    "feature_weights",
    "learned_space",
    "loss_curves",
    "metric_matrix",
    "selection",
]
