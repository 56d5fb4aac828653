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
        "classifier": "conformal_svm decision_stump decision_tree gasvm gp gpml knn lda local_svm "
        "logistic mlp naive_bayes nearest_mean profile_svm qda radius_margin_svm rbf_network "
        "sklearn svm tuned",
        "clusterer": "mag_kmeans",
        "detector": "one_class_svm",
        "editor": "all_knn class_outliers cnn competence enn ib2 ib3 icf reduced_nn renn rt1 rt2 "
        "rt3 snn",
        "metric_learner": "adamenn block_diagonal boostml1 boostml2 dann identity itml lda lfda "
        "lmnn localized machete megm megm_diagonal megm_nca mlkr mmc nca pca rca "
        "relevance scythe svm_local vsm whitening",
        "regressor": "gp knn",
        "relevance": "correlation fisher iterative_relief mutual_information relief relieff simba",
        "transformer": "codebook dense_sift impute minmax one_hot ordinal pca pyramid select "
        "standardize",
    },
    "ilk-ensembles": {
        "classifier": "adaboost bagging cascade co_training concatenated crab ecoc gentleboost "
        "mixture_of_experts multiview random_forest random_subspace stacking voting",
        "clusterer": "dbscan multiview_dbscan",
        "combiner": "bayesian_average borda cascade gating majority max median min product "
        "stacking sum weighted_majority weighted_sum",
        "distance": "forest",
        "regressor": "adaboost_r2 bagging boosted_experts stacking voting",
    },
    "ilk-evaluation": {
        "comparison": "bayesian_signed_rank corrected_resampled_t f_5x2 friedman_nemenyi mcnemar "
        "paired_t_5x2 robustness wilcoxon",
        "dataset": "arff balance_scale breast_cancer csv digits folder images iris monks1 monks2 "
        "monks3 parquet tic_tac_toe waveform wine xor",
        "executor": "dask loky mpi serial",
        "measure": "accuracy brier cost error f1 false_positive_rate fit_seconds log_loss "
        "mean_class_accuracy per_class_error pr_auc precision precision_at_recall predict_seconds "
        "recall reduction reject_rate risk roc_auc specificity squared_error",
        "resampling": "bootstrap bootstrap_632 five_by_two holdout kfold leave_one_out "
        "leave_p_out random_subsampling repeated_kfold resubstitution sklearn stratified_kfold "
        "train_validation_test",
    },
}


def offered_by(kind: str, name: str) -> str | None:
    """Return the distribution known to offer a component, or None."""
    for distribution, components in _KNOWN.items():
        if name in components.get(kind, "").split():
            return distribution
    return None
