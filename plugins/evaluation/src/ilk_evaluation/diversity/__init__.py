"""Diversity of the members of an ensemble: how much their predictions differ.

Predictions are an array of shape (L, n): the label of each of L members for each of n cases, as
`member_labels` returns it from a fitted ensemble or from stored predictions. Pairwise measures
return a matrix; `mean_of_pairs` averages it.
"""

from ilk_evaluation.diversity.diversity_measures import (
    AmbiguityDecomposition,
    ambiguity,
    ambiguity_decomposition,
    double_fault,
    entropy,
    fail_disagreement,
    kappa,
    mean_of_pairs,
    plain_disagreement,
    q_statistic,
)
from ilk_evaluation.diversity.members import MemberLabels, member_labels

__all__ = [
    "AmbiguityDecomposition",
    "MemberLabels",
    "ambiguity",
    "ambiguity_decomposition",
    "double_fault",
    "entropy",
    "fail_disagreement",
    "kappa",
    "mean_of_pairs",
    "member_labels",
    "plain_disagreement",
    "q_statistic",
]
