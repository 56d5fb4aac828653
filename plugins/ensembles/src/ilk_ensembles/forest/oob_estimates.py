"""Out-of-bag estimates of a forest: predictions for training cases, permutation importance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_ensembles.base.members import in_threads

if TYPE_CHECKING:
    from ilk import ArrayLike, Labels
    from ilk_ensembles.forest.trees import Trees


@dataclass(frozen=True)
class Importances:
    """Loss of accuracy when a feature is permuted.

    Attributes
    ----------
    mean : ndarray of shape (p,)
        Mean over trees; 0 for a feature that no tree splits on; may be negative by chance.
    standard_error : ndarray of shape (p,)
        Of the mean: the standard deviation over trees divided by the square root of their
        number. NaN if fewer than two trees have out-of-bag cases.
    by_tree : ndarray of shape (T, p)
        NaN for trees without out-of-bag cases.
    """

    mean: np.ndarray
    standard_error: np.ndarray
    by_tree: np.ndarray


def check_truth(
    owner: Any, y: Labels | None, sample_weight: ArrayLike | None, cases: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Codes of labels among the classes of a fitted classifier, and weights (1 if None).

    Raises
    ------
    InputError
        If a label is not a class, or the length differs from that of `cases`.
    """
    labels, codes = ilk.check_labels(owner, y, cases)
    unknown = labels[~np.isin(labels, owner.classes_)]
    if len(unknown):
        name = ilk.display_name(owner)
        raise ilk.InputError(f"{name}: y has {unknown.item(0)!r}, which is no class")
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
    """Permute each feature of the out-of-bag cases of each tree, and predict again.

    Parameters
    ----------
    out : ndarray of bool, shape (n, T)
    seeds : ndarray of int, shape (T,)
        Seeds of the permutations of each tree.

    Notes
    -----
    Memory: each thread copies the out-of-bag cases of a tree, and as many integers.
    """
    by_tree = np.full((len(trees), X.shape[1]), np.nan)

    def one(t: int, seed: int) -> None:
        from ilk_ensembles.forest.tree_kernels import losses

        # a tree knows the cases that it was grown from: only the others can show a loss
        rows = np.flatnonzero(out[:, t] & (weights > 0))
        if len(rows):
            tree_leaves = slice(trees.first_leaves[t], trees.first_leaves[t + 1])
            # a leaf votes for one class here, whatever the forest's rule
            votes = trees.answers[tree_leaves].argmax(axis=1)
            cases = trees.rows(X[rows]), codes[rows], weights[rows]
            grown = trees.roots[t], *trees.nodes, votes
            losses(*cases, *grown, n_repeats, seed, by_tree[t])

    in_threads(one, seeds.tolist(), n_jobs)
    # NaN: trees without out-of-bag cases
    known = by_tree[~np.isnan(by_tree[:, 0])]
    if not len(known):
        nothing = np.full(X.shape[1], np.nan)
        return Importances(nothing, nothing.copy(), by_tree)
    error = np.full(X.shape[1], np.nan)
    # the trees are independent draws: the standard error of their mean
    if len(known) > 1:
        error = known.std(axis=0, ddof=1) / np.sqrt(len(known))
    return Importances(known.mean(axis=0), error, by_tree)


@dataclass(frozen=True)
class OutOfBag:
    """Predictions for training cases by the trees grown without them.

    Attributes
    ----------
    support : ndarray of shape (n, C)
        NaN for cases in every bag.
    errors : ndarray of shape (T,)
        Weighted error rate of the first 1, 2, ... trees; NaN while they have no out-of-bag
        case.
    """

    support: np.ndarray
    errors: np.ndarray


def oob_decisions(
    trees: Trees, leaves: np.ndarray, out: np.ndarray, codes: np.ndarray, weights: np.ndarray
) -> OutOfBag:
    """Predict each case by the trees whose bag does not contain it.

    Parameters
    ----------
    trees : Trees
    leaves : ndarray of unsigned int, shape (n, T)
        Leaves of the training cases.
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
