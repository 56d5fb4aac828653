"""Sums of what leaves say, for all trees and for those that a row is out of the bag of."""

from __future__ import annotations

import numpy as np

from ilk import compiled


@compiled
def add_answers(
    leaves: np.ndarray, first_leaves: np.ndarray, answers: np.ndarray, total: np.ndarray
) -> None:
    """Add what the leaf of each row says, tree after tree."""
    for i in range(leaves.shape[0]):
        for t in range(leaves.shape[1]):
            leaf = first_leaves[t] + leaves[i, t]
            for c in range(answers.shape[1]):
                total[i, c] += answers[leaf, c]


@compiled
def add_out_of_bag(
    leaves: np.ndarray,
    out: np.ndarray,
    first_leaves: np.ndarray,
    answers: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    total: np.ndarray,
    wrong: np.ndarray,
    judged: np.ndarray,
) -> None:
    """Decide on each row by the trees that were grown without it, first by one, then by two ...

    Parameters
    ----------
    out : ndarray of bool, shape (n, T)
        Whether the row is out of the bag of the tree.
    total : ndarray of shape (n, C)
        Zeros at first: then the mean of what these trees say, NaN where there are none.
    wrong, judged : ndarrays of shape (T,)
        Zeros at first: then the weight of the rows that the first 1, 2, ... trees are wrong
        on, and of those that they say something about.
    """
    n_classes = answers.shape[1]
    for i in range(leaves.shape[0]):
        count = 0
        erring = False
        for t in range(leaves.shape[1]):
            if out[i, t]:
                count += 1
                leaf = first_leaves[t] + leaves[i, t]
                best = 0
                for c in range(n_classes):
                    total[i, c] += answers[leaf, c]
                    if total[i, c] / count > total[i, best] / count:
                        best = c
                erring = best != codes[i]
            if count > 0:
                judged[t] += weights[i]
                if erring:
                    wrong[t] += weights[i]
        for c in range(n_classes):
            total[i, c] = total[i, c] / count if count > 0 else np.nan
