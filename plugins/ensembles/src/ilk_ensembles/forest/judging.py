"""What the trees that were grown without a case say of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ilk_ensembles.forest.trees import Trees


@dataclass(frozen=True)
class Judgement:
    """Decisions on training cases by the trees grown without them.

    Attributes
    ----------
    support : ndarray of shape (n, C)
        NaN where there is no such tree.
    errors : ndarray of shape (T,)
        Weighted share of wrong decisions by the first 1, 2, ... trees; NaN where they decide on
        no case.
    """

    support: np.ndarray
    errors: np.ndarray


def judge_out_of_bag(
    trees: Trees, leaves: np.ndarray, out: np.ndarray, codes: np.ndarray, weights: np.ndarray
) -> Judgement:
    """Decide on each case by the trees that it is out of the bag of.

    Parameters
    ----------
    trees : Trees
    leaves : ndarray of unsigned int, shape (n, T)
        Of the training cases.
    out : ndarray of bool, shape (n, T)
    codes, weights : ndarrays of shape (n,)
    """
    from ilk_ensembles.forest.answer_kernels import add_out_of_bag

    support = np.zeros((len(codes), trees.answers.shape[1]))
    wrong, judged = np.zeros(len(trees)), np.zeros(len(trees))
    cases = leaves, out, trees.first_leaves, trees.answers, codes, weights
    add_out_of_bag(*cases, support, wrong, judged)
    unknown = np.full(len(trees), np.nan)
    return Judgement(support, np.divide(wrong, judged, where=judged > 0, out=unknown))
