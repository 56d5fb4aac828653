"""Plots of learned metrics, of cases kept by editors, and of classifiers and regressors.

They need matplotlib (the extra ``report`` of ilk) and draw on new or given axes. They do not
change matplotlib's global state.
"""

from ilk_learners.plotting.metrics import (
    feature_weights,
    learned_margin,
    loss_curves,
    metric_matrix,
)
from ilk_learners.plotting.models import (
    editing,
    gp_posteriors,
    mean_borders,
    pruning_curves,
    pyramid_levels,
    xor_map,
)
from ilk_learners.plotting.regions import (
    feature_scaling,
    knn_regions,
    knn_ties,
    knn_votes,
    regions,
    svm_cost,
    svm_margins,
    svm_width,
)
from ilk_learners.plotting.space import (
    ellipses,
    learned_space,
    local_ellipses,
    neighborhoods,
    selection,
)

__all__ = [
    "editing",
    "ellipses",
    "feature_scaling",
    "feature_weights",
    "gp_posteriors",
    "knn_regions",
    "knn_ties",
    "knn_votes",
    "learned_margin",
    "learned_space",
    "local_ellipses",
    "loss_curves",
    "mean_borders",
    "metric_matrix",
    "neighborhoods",
    "pruning_curves",
    "pyramid_levels",
    "regions",
    "selection",
    "svm_cost",
    "svm_margins",
    "svm_width",
    "xor_map",
]
