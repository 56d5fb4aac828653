"""Out-of-bag estimates of a forest: decisions on training cases, and permutation importance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

import ilk
from ilk_ensembles.base.members import jobs_for

if TYPE_CHECKING:
    from ilk_ensembles.forest.trees import Trees


@dataclass(frozen=True)
class Importances:
    """How much accuracy trees lose when a feature is permuted.

    Attributes
    ----------
    mean : ndarray of shape (p,)
        Over trees; 0 for a feature that no tree looks at, below 0 by chance.
    standard_error : ndarray of shape (p,)
        Of the mean: the deviation over trees divided by the square root of their number. NaN
        where fewer than two trees have cases out of their bags.
    by_tree : ndarray of shape (T, p)
        NaN for trees without cases out of their bags.
    """

    mean: np.ndarray
    standard_error: np.ndarray
    by_tree: np.ndarray


def check_truth(
    owner: Any, y: Any, sample_weight: Any, cases: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Codes of labels among the classes of a fitted classifier, and weights (1 if left out).

    Raises
    ------
    InputError
        If a label is no class, or lengths differ from that of `cases`.
    """
    labels, codes = ilk.check_labels(owner, y, cases)
    unknown = labels[~np.isin(labels, owner.classes_)]
    if len(unknown):
        name = ilk.display_name(owner)
        raise ilk.InputError(f"{name}: y has {unknown[0].item()!r}, which is no class")
    codes = np.searchsorted(owner.classes_, labels)[codes]
    if sample_weight is None:
        return codes, np.ones(len(codes))
    return codes, ilk.check_weights(owner, sample_weight, cases)


def importances(
    trees: Trees,
    X: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    out: np.ndarray,
    *,
    n_repeats: int,
    seeds: np.ndarray,
    n_jobs: int | None,
) -> Importances:
    """Permute each feature of the cases out of the bag of each tree, and ask the tree again.

    Parameters
    ----------
    out : ndarray of bool, shape (n, T)
    seeds : ndarray of int, shape (T,)
        For the permutations of each tree.

    Notes
    -----
    Each thread copies the cases out of a bag, and notes as many integers.
    """
    by_tree = np.full((len(trees), X.shape[1]), np.nan)

    def one(t: int) -> None:
        from ilk_ensembles.forest.tree_kernels import losses

        rows = np.flatnonzero(out[:, t] & (weights > 0))
        if len(rows):
            own = slice(trees.first_leaves[t], trees.first_leaves[t + 1])
            votes = trees.answers[own].argmax(axis=1)
            cases = trees.rows(X[rows]), codes[rows], weights[rows]
            grown = trees.roots[t], *trees.nodes, votes
            losses(*cases, *grown, n_repeats, seeds[t], by_tree[t])

    jobs = (delayed(one)(t) for t in range(len(trees)))
    Parallel(n_jobs=jobs_for(len(trees), n_jobs), prefer="threads")(jobs)
    known = by_tree[~np.isnan(by_tree[:, 0])]
    if not len(known):
        nothing = np.full(X.shape[1], np.nan)
        return Importances(nothing, nothing.copy(), by_tree)
    error = np.full(X.shape[1], np.nan)
    if len(known) > 1:
        error = known.std(axis=0, ddof=1) / np.sqrt(len(known))
    return Importances(known.mean(axis=0), error, by_tree)


@dataclass(frozen=True)
class OutOfBag:
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


def oob_decisions(
    trees: Trees, leaves: np.ndarray, out: np.ndarray, codes: np.ndarray, weights: np.ndarray
) -> OutOfBag:
    """Decide on each case by the trees that it is out of the bag of.

    Parameters
    ----------
    trees : Trees
    leaves : ndarray of unsigned int, shape (n, T)
        Of the training cases.
    out : ndarray of bool, shape (n, T)
    codes, weights : ndarrays of shape (n,)
    """
    from ilk_ensembles.forest.tree_kernels import add_out_of_bag

    support = np.zeros((len(codes), trees.answers.shape[1]))
    wrong, judged = np.zeros(len(trees)), np.zeros(len(trees))
    cases = leaves, out, trees.first_leaves, trees.answers, codes, weights
    add_out_of_bag(*cases, support, wrong, judged)
    unknown = np.full(len(trees), np.nan)
    return OutOfBag(support, np.divide(wrong, judged, where=judged > 0, out=unknown))
