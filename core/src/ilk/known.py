"""Which distribution offers which component, to name it where it is not installed."""

from __future__ import annotations

_KNOWN: dict[str, dict[str, str]] = {
    "ilk-core": {"classifier": "pipeline"},
    "ilk-distances": {
        "distance": "bray_curtis callable canberra chebyshev chi2 combined compression "
        "correlation cosine emd euclidean hamming hausdorff hellinger heterogeneous"
        " histogram_intersection jaccard jeffrey jensen_shannon kernel "
        "kullback_leibler learned levenshtein mahalanobis manhattan minkowski ncd "
        "pair_classifier precomputed sum_of_minima symmetric_kl",
        "index": "ball_tree brute case_retrieval_net cover_tree fish_and_shrink footprint "
        "hnsw kd_tree lsh",
        "kernel": "conformal exponential_chi2 linear mahalanobis_rbf polynomial rational rbf "
        "sigmoid substitution weighted_sum",
    },
    "ilk-learners": {
        "classifier": "knn nearest_mean sklearn",
        "editor": "enn",
        "metric_learner": "adamenn block_diagonal boostml1 boostml2 dann identity itml lda lfda "
        "lmnn localized machete megm megm_diagonal megm_nca mlkr mmc nca pca rca "
        "relevance scythe svm_local vsm whitening",
        "relevance": "correlation fisher iterative_relief mutual_information relief relieff simba",
        "transformer": "impute minmax one_hot ordinal pca standardize",
    },
    "ilk-ensembles": {
        "classifier": "voting",
        "combiner": "majority product sum",
    },
    "ilk-evaluation": {
        "comparison": "friedman_nemenyi robustness",
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
