"""Growing of forests from weighted bootstrap samples, with trees of scikit-learn or ilk."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_ensembles.base.bootstrap import bootstrap_rows
from ilk_ensembles.base.members import in_threads
from ilk_ensembles.forest.trees import Tree, Trees, standardized

if TYPE_CHECKING:
    from ilk import ArrayLike
    from ilk_ensembles.base.progress import Progress


_DEEP = 2**31 - 1  # no limit of depth: more than there can be rows


@dataclass(frozen=True)
class Settings:
    """Settings of tree growth; counts are numbers of cases, whatever their weights.

    Attributes
    ----------
    criterion : {"gini", "entropy"}
    n_tried : int
        Features, or combinations of features, tried for each split.
    n_combined : int or None
        Number of features in a combination; None: splits on single features.
    max_depth : int or None
    min_split, min_leaf : int
    majority : bool
        Whether a leaf votes for one class.
    """

    criterion: str
    n_tried: int
    n_combined: int | None
    max_depth: int | None
    min_split: int
    min_leaf: int
    majority: bool

    @classmethod
    def of(cls, forest: Any, p: int) -> Settings:
        """Settings from a forest's parameters, for p features."""
        n_tried = _n_features_tried(forest.max_features, p)
        return cls(
            forest.criterion,
            # there are more combinations than features, so their number is not capped
            n_tried if forest.n_combined is not None else min(n_tried, p),
            forest.n_combined,
            forest.max_depth,
            forest.min_split,
            forest.min_leaf,
            forest.vote == "majority",
        )


def _n_features_tried(max_features: float | str | None, p: int) -> int:
    """Number of features tried for each split; at least 1."""
    if max_features is None:
        return p
    if isinstance(max_features, str):
        return max(int(np.sqrt(p) if max_features == "sqrt" else np.log2(p)), 1)
    is_count = isinstance(max_features, int | np.integer)
    return int(max_features) if is_count else max(int(max_features * p), 1)


class Ranks:
    """Cases with features replaced by their ranks, for trees that split on single features.

    scikit-learn's trees read features as float32 and treat values within 1e-7 as equal. Ranks
    are exact up to 2^24 distinct values; thresholds are then put between the original values.
    """

    def __init__(
        self, X: np.ndarray, codes: np.ndarray, n_classes: int, how: Settings, present: np.ndarray
    ) -> None:
        self.how, self.n_classes = how, n_classes
        self.places = _places(codes[present])
        # CART breaks ties by the order of classes, which must not depend on their names
        self.codes = self.places[codes]
        # trees of ranks are those of the values, but scikit-learn compares in float32, which holds
        # whole numbers up to 2^24 exactly
        self.ranks = np.empty(X.shape, dtype=np.float32)
        values = []
        for f in range(X.shape[1]):
            distinct, self.ranks[:, f] = np.unique(X[:, f], return_inverse=True)
            values.append(distinct.astype(float))
        self.values = np.concatenate(values)
        self.starts = np.concatenate([[0], np.cumsum([len(v) for v in values])])

    def grow(self, counts: np.ndarray, seed: int) -> Tree:
        """Grow a tree from cases with the given counts."""
        from sklearn.tree import DecisionTreeClassifier

        how = self.how
        grown = DecisionTreeClassifier(
            criterion=how.criterion,
            max_depth=how.max_depth,
            min_samples_split=how.min_split,
            min_samples_leaf=how.min_leaf,
            max_features=how.n_tried,
            random_state=seed,
        ).fit(self.ranks, self.codes, counts, check_input=False)
        tree = grown.tree_
        left, right = (c.astype(np.int32) for c in (tree.children_left, tree.children_right))
        thresholds = self._thresholds(tree, np.flatnonzero(counts))
        # inner nodes use `right` for a child; leaves store their number in it
        leaves = np.flatnonzero(left < 0)
        right[leaves] = np.arange(len(leaves))
        # from the order of the classes' first cases back to that of the classes
        shares = tree.value[leaves, 0][:, self.places]
        return Tree(
            # scikit-learn marks leaves by the feature -2, which is no column
            np.maximum(tree.feature, 0).astype(np.int32)[:, None],
            np.ones((len(left), 1)),
            thresholds,
            left,
            right,
            shares / shares.sum(axis=1, keepdims=True),
        )

    def _thresholds(self, tree: Any, rows: np.ndarray) -> np.ndarray:
        from ilk_ensembles.forest.tree_kernels import put_thresholds

        thresholds = tree.threshold.copy()
        gap = np.full(tree.node_count, -1), np.full(tree.node_count, len(self.ranks))
        nodes = tree.feature, tree.children_left, tree.children_right
        put_thresholds(self.ranks, rows, self.values, self.starts, *nodes, *gap, thresholds)
        return np.asarray(thresholds)

    def joined(self, trees: list[Tree]) -> Trees:
        return Trees.joined(trees, majority=self.how.majority)


class Combinations:
    """Standardised cases, for trees that split on random combinations of features."""

    def __init__(
        self, X: np.ndarray, codes: np.ndarray, n_classes: int, how: Settings, present: np.ndarray
    ) -> None:
        self.how, self.n_classes = how, n_classes
        self.places = _places(codes[present])
        self.codes = self.places[codes]
        self.location, self.scale = _moments(X[present].astype(float, copy=False))
        self.Z = standardized(X, self.location, self.scale)
        self.n_combined = min(how.n_combined or 1, X.shape[1])

    def grow(self, counts: np.ndarray, seed: int) -> Tree:
        """Grow a tree from cases with the given counts."""
        from ilk_ensembles.forest.tree_kernels import grow

        how = self.how
        rows = np.flatnonzero(counts)
        # a binary tree has one inner node less than leaves
        most = 2 * len(rows) - 1
        features = np.zeros((most, self.n_combined), dtype=np.int32)
        coefficients, thresholds = np.zeros(features.shape), np.zeros(most)
        left, right = np.zeros(most, dtype=np.int32), np.zeros(most, dtype=np.int32)
        shares = np.zeros((len(rows), self.n_classes))
        depth = how.max_depth or _DEEP
        settings = how.criterion == "entropy", how.n_tried, depth, how.min_split, how.min_leaf
        nodes = features, coefficients, thresholds, left, right
        n, leaves = grow(self.Z, rows, self.codes, counts, settings, seed, *nodes, shares)
        return Tree(*[each[:n].copy() for each in nodes] + [shares[:leaves, self.places]])

    def joined(self, trees: list[Tree]) -> Trees:
        return Trees.joined(
            trees, majority=self.how.majority, location=self.location, scale=self.scale
        )


def _places(codes: np.ndarray) -> np.ndarray:
    """Rank of each class by its first case, so that the names of classes have no influence."""
    first = np.unique(codes, return_index=True)[1]
    return np.argsort(np.argsort(first))


def _moments(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each feature (1 if constant), without overflow."""
    largest = np.abs(X).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)
    shares = X / unit
    scale = unit * shares.std(axis=0)
    return unit * shares.mean(axis=0), np.where(scale > 0, scale, 1.0)


def grow_trees(
    cases: Ranks | Combinations,
    weights: np.ndarray | None,
    size: int,
    seeds: np.ndarray,
    n_jobs: int | None,
    progress: Progress,
) -> tuple[list[Tree], np.ndarray]:
    """Grow a tree from each bootstrap sample.

    Parameters
    ----------
    cases : Ranks or Combinations
    weights : ndarray of shape (n,), optional
        Probability weight of each case.
    size : int
        Cases drawn with replacement for each tree.
    seeds : ndarray of int, shape (T,)
    n_jobs : int, optional
    progress : Progress

    Returns
    -------
    trees : list of T trees
    out : ndarray of bool, shape (n, T)
        Whether a case is out of the bag of a tree.
    """
    from sklearn import config_context

    n = len(cases.codes)
    out = np.empty((n, len(seeds)), dtype=bool)

    def one(t: int, seed: int) -> Tree:
        rng = np.random.RandomState(seed)
        rows = bootstrap_rows(rng, n, size, weights=weights)
        # a case drawn several times is one row of that weight
        counts = np.bincount(rows, minlength=n).astype(float)
        out[:, t] = counts == 0
        tree = cases.grow(counts, int(rng.randint(2**31 - 1)))
        progress.step()
        return tree

    # parameters are checked; classes of few cases look like numbers to predict
    with warnings.catch_warnings(), config_context(skip_parameter_validation=True):
        warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%")
        return in_threads(one, seeds.tolist(), n_jobs), out


def bootstrap_weights(
    owner: Any, sample_weight: ArrayLike | None, codes: np.ndarray
) -> np.ndarray | None:
    """Weight of each case times that of its class; None if all cases are equally likely.

    Raises
    ------
    InputError
        If weights are invalid, zero for every case of a class, or name no class.
    """
    weights = None
    if sample_weight is not None:
        weights = ilk.check_weights(owner, sample_weight, codes)
        weights = weights / weights.max()  # so that no sum overflows
        lost = np.flatnonzero(np.bincount(codes, weights) <= 0)
        if len(lost):
            label = owner.classes_.item(lost[0])
            raise ilk.InputError(
                f"{ilk.display_name(owner)}: sample_weight is zero for every case of class "
                f"{label!r}"
            )
    if owner.class_weight is None:
        return weights
    if owner.class_weight == "balanced":
        factors = 1 / np.bincount(codes, weights)
    else:
        factors = _factors(owner, owner.class_weight)
    factors = factors / factors.max()
    return np.asarray(factors[codes] if weights is None else factors[codes] * weights)


def _factors(owner: Any, given: Any) -> np.ndarray:
    """Class weights by label; labels are texts where a spec gives them."""
    labels = owner.classes_.tolist()
    if given and not {*given} & {*labels, *map(str, labels)}:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: class_weight names none of the classes "
            f"({', '.join(map(repr, labels[:5]))}), but {sorted(map(str, given))}"
        )
    return np.array([float(given.get(label, given.get(str(label), 1.0))) for label in labels])
