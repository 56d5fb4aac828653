"""Which distribution offers which component, to name it where it is not installed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from ilk.discovery import normal

# Written by tests/helpers/shipped.py from the entry points of ilk's members.
_SHIPPED = """
ilk-core/classifier:
    pipeline
ilk-core/distance:
    euclidean
ilk-core/index:
    brute
ilk-distances/distance:
    bray_curtis callable canberra chebyshev chi2 combined compression correlation cosine emd hamming
    hausdorff hellinger heterogeneous histogram_intersection jaccard jeffrey jensen_shannon kernel
    kullback_leibler learned levenshtein mahalanobis manhattan minkowski ncd pair_classifier
    precomputed sum_of_minima symmetric_kl
ilk-distances/index:
    ball_tree case_retrieval_net cover_tree fish_and_shrink footprint hnsw kd_tree lsh
ilk-distances/kernel:
    conformal exponential_chi2 linear mahalanobis_rbf polynomial rational rbf sigmoid substitution
    weighted_sum
ilk-ensembles/classifier:
    adaboost bagging cascade co_training concatenated crab ecoc gentleboost mixture_of_experts
    multiview random_forest random_subspace stacking voting
ilk-ensembles/clusterer:
    dbscan multiview_dbscan
ilk-ensembles/combiner:
    bayesian_average borda cascade gating majority max median min product stacking sum
    weighted_majority weighted_sum
ilk-ensembles/distance:
    forest
ilk-ensembles/regressor:
    adaboost_r2 bagging boosted_experts stacking voting
ilk-evaluation/comparison:
    bayesian_signed_rank corrected_resampled_t f_5x2 friedman_nemenyi mcnemar paired_t_5x2
    robustness wilcoxon
ilk-evaluation/dataset:
    arff balance_scale breast_cancer csv digits folder images iris monks1 monks2 monks3 parquet
    tic_tac_toe waveform wine xor
ilk-evaluation/executor:
    dask loky mpi serial
ilk-evaluation/measure:
    accuracy brier cost error f1 false_positive_rate fit_seconds log_loss mean_class_accuracy
    per_class_error pr_auc precision precision_at_recall predict_seconds recall reduction
    reject_rate risk roc_auc specificity squared_error
ilk-evaluation/resampling:
    bootstrap bootstrap_632 five_by_two holdout kfold leave_one_out leave_p_out random_subsampling
    repeated_kfold resubstitution sklearn stratified_kfold train_validation_test
ilk-learners/classifier:
    conformal_svm decision_stump decision_tree gasvm gp gpml knn lda local_svm logistic mlp
    naive_bayes nearest_mean profile_svm qda radius_margin_svm rbf_network sklearn svm tuned
ilk-learners/clusterer:
    mag_kmeans
ilk-learners/detector:
    one_class_svm
ilk-learners/editor:
    all_knn class_outliers cnn competence enn ib2 ib3 icf reduced_nn renn rt1 rt2 rt3 snn
ilk-learners/metric_learner:
    adamenn block_diagonal boostml1 boostml2 dann identity itml lda lfda lmnn localized machete megm
    megm_diagonal megm_nca mlkr mmc nca pca rca relevance scythe svm_local vsm whitening
ilk-learners/regressor:
    gp knn
ilk-learners/relevance:
    correlation fisher iterative_relief mutual_information relief relieff simba
ilk-learners/transformer:
    codebook dense_sift impute minmax one_hot ordinal pca pyramid select standardize
"""

_MOVED = {
    ("distance", "ilk-distances/euclidean"): "ilk-core/euclidean",
    ("index", "ilk-distances/brute"): "ilk-core/brute",
}


class DefaultName(str):
    """A component's name that is the default of a slot.

    It means what ships with ilk under that name, whatever else is registered under it.
    """

    __slots__ = ()

    def __deepcopy__(self, _: Any) -> DefaultName:
        return self  # as quick as for any other text


def as_default(value: Any) -> Any:
    """Mark the names of components in the default of a slot."""
    if isinstance(value, str):
        return DefaultName(value)
    if isinstance(value, Mapping):
        names = value.keys() & {"use"} or value.keys()
        return {key: as_default(item) if key in names else item for key, item in value.items()}
    return type(value)(map(as_default, value)) if isinstance(value, list | tuple) else value


def meant_by(kind: str, name: str) -> str:
    """Return the qualified name for a default and for what has moved, else the name itself."""
    if isinstance(name, DefaultName):
        known = offered_by(kind, name)
        return f"{known}/{name}" if known else name
    distribution, _, plain = name.rpartition("/")
    return _MOVED.get((kind, f"{normal(distribution)}/{plain}"), name)


def plain_name(name: str) -> str:
    """Return the name of what ships with ilk without its distribution, else the name itself."""
    distribution, _, plain = name.rpartition("/")
    ours = ((known_as, whose) for (_, known_as), whose in known().items())
    return plain if (plain, normal(distribution)) in ours else name


def offered_by(kind: str, name: str) -> str | None:
    """Return the distribution known to offer a component, or None."""
    return known().get((kind, name))


@cache
def known() -> dict[tuple[str, str], str]:
    """Return the distribution of each component that ships with ilk, by kind and name."""
    found, distribution, kind = {}, "", ""
    for word in _SHIPPED.split():
        if word.endswith(":"):
            distribution, _, kind = word.removesuffix(":").partition("/")
        else:
            found[kind, word] = distribution
    return found
