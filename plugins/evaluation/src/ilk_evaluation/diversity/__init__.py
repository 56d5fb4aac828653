"""Diversity of the members of an ensemble: how much their answers differ.

Answers are an array of shape (L, n): the label that each of L members predicts for each of n
cases, as `member_labels` reads it from a fitted ensemble or from stored predictions. The measures
of pairs give a matrix; `mean_of_pairs` makes one number of it.
"""

from ilk_evaluation.diversity.diversity_measures import (
    AmbiguityDecomposition,
    ambiguity,
    ambiguity_decomposition,
    entropy,
    fail_disagreement,
    mean_of_pairs,
    plain_disagreement,
)
from ilk_evaluation.diversity.members import MemberLabels, member_labels

__all__ = [
    "AmbiguityDecomposition",
    "MemberLabels",
    "ambiguity",
    "ambiguity_decomposition",
    "entropy",
    "fail_disagreement",
    "mean_of_pairs",
    "member_labels",
    "plain_disagreement",
]
