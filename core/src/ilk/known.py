"""Which distribution offers which component, to name it where it is not installed."""

from __future__ import annotations

_KNOWN: dict[str, dict[str, str]] = {
    "ilk-core": {"classifier": "pipeline"},
    "ilk-distances": {
        "distance": "callable chebyshev euclidean heterogeneous learned manhattan minkowski "
        "precomputed",
        "index": "brute",
        "kernel": "rbf",
    },
    "ilk-learners": {
        "classifier": "knn nearest_mean sklearn",
        "editor": "enn",
        "metric_learner": "pca rca",
        "transformer": "impute minmax one_hot ordinal pca standardize",
    },
    "ilk-ensembles": {
        "classifier": "voting",
        "combiner": "majority product sum",
    },
    "ilk-evaluation": {
        "comparison": "friedman_nemenyi",
        "dataset": "balance_scale breast_cancer csv digits folder iris monks1 monks2 monks3 "
        "tic_tac_toe wine",
        "executor": "loky serial",
        "measure": "accuracy error fit_seconds mean_class_accuracy predict_seconds",
        "resampling": "holdout kfold leave_one_out repeated_kfold sklearn stratified_kfold",
    },
}


def offered_by(kind: str, name: str) -> str | None:
    """Return the distribution known to offer a component, or None."""
    for distribution, components in _KNOWN.items():
        if name in components.get(kind, "").split():
            return distribution
    return None
