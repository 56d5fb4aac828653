"""random_forest: randomised trees grown from bootstrap samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import Capabilities, Param, RandomState, Seed, check_fitted, param
from ilk_ensembles.base.bootstrap import check_share, how_many
from ilk_ensembles.base.combined_classifier import check_n_jobs
from ilk_ensembles.base.out_of_bag import PATIENCE, out_of_bag_error, stopped_at
from ilk_ensembles.base.progress import VERBOSE, Progress
from ilk_ensembles.base.validation import n_encoded
from ilk_ensembles.forest.induction import (
    Combinations,
    Ranks,
    Settings,
    bootstrap_weights,
    grow_trees,
)
from ilk_ensembles.forest.oob_estimates import Importances, check_truth, importances, oob_decisions
from ilk_ensembles.forest.proximities import dense_proximities, largest_proximities, sparse_rows
from ilk_ensembles.forest.trees import Tree, TreeMember, Trees

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ilk import ArrayLike, Cases, Labels


class RandomForest(ilk.Classifier):
    """Combines many trees, each grown from a bootstrap sample with random choices at each split.

    Each tree is grown from n cases drawn with replacement, without pruning. Each node takes the
    best split of a few randomly drawn features or, with `n_combined`, of a few random
    combinations of features. A case is *out of the bag* of about a third of the trees: those
    for which it was not drawn. Their predictions for it estimate the error, and the effect of
    permuting a feature on them estimates its importance. The proximity of two cases is the share
    of trees in which they end in the same leaf.

    With ``n_combined=L`` (Breiman's Forest-RC) each of `max_features` combinations at a node is
    ``sum_k u_k z_k`` over L randomly drawn features, with u_k uniform on [-1, 1]; z are the
    features divided by their standard deviation, so that units do not matter. If no combination
    separates the cases, as many are drawn again among the features that vary at the node.

    Probabilities are the mean over trees of the class shares in a case's leaf or, with
    ``vote="majority"``, the share of trees that vote for each class. The two agree for pure
    leaves, the default unless equal rows have different classes. The class of the highest
    probability is predicted; ties go to the first class, in a leaf and in the forest.

    A nominal column of a data frame is split by one category against all others: trees are grown
    on its indicators (`one_hot`), which count as features in `max_features`. A category unseen in
    training goes with the others; missing values are a category of their own if training has some.
    Ordered categories are split by rank; missing ones come first.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Sorted.
    encoder_ : OneHot or None
        Encodes the nominal columns, if there are any.
    trees_ : Trees
        Flat arrays of all nodes.
    estimators_ : list of TreeMember
        Each tree as a classifier of encoded rows, without copies of the arrays.
    oob_error_ : float
        Weighted error rate on the training cases, each predicted by its out-of-bag trees. NaN
        if every case is in every bag.
    oob_errors_ : ndarray of shape (n_trees,)
        The same for the first 1, 2, ... trees.
    oob_decision_function_ : ndarray of shape (n, C)
        Probabilities by the out-of-bag trees of a case; NaN where there are none.
    n_never_out_of_bag_ : int
        Number of cases in every bag: `oob_error_` ignores them.
    leaves_ : ndarray of unsigned int, shape (n, n_trees)
        Leaf number of each training case in each tree.
    out_of_bag_ : ndarray of bool, shape (n, n_trees)
        Whether a case is out of the bag of a tree.
    n_features_in_ : int

    Raises
    ------
    InputError
        If there is one class, or X contains NaN.

    Notes
    -----
    Trees with splits on single features are grown by scikit-learn's DecisionTreeClassifier, from
    ranks of the values (exact up to 2^24 distinct ones). Thresholds are put midway between the
    values that they separate, so nothing depends on the features' units or origin. Trees of
    combinations are grown by compiled code of ilk. A class missing in a bootstrap sample gets
    probability 0 from its tree.

    The probability of drawing a case is proportional to its sample weight: a case of weight 2 is
    drawn as often as two cases, a case of weight 0 never. Draws use row numbers, so the order of
    the rows matters; the names of the classes do not.

    With `patience` trees are grown in blocks of so many, and the forest ends where the rule says:
    its trees are the first ones of a forest that does not stop.

    Memory for growing: at most 12 bytes a cell of X (8 with `n_combined`) besides the trees. The
    fitted forest keeps 2 to 5 bytes for each case and tree. Prediction works in blocks of rows.

    References
    ----------
    L. Breiman, "Random forests", *Machine Learning* 45, 2001.

    Cunningham 2008: section 2.5.4.

    Ntoutsi 2015: Random forests; figure 5.40 (combinations of input features).

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("wine").load().Xy
    >>> forest = ilk.classifier("random_forest", random_state=0).fit(X, y)
    >>> forest.oob_error_ < 0.05, forest.n_never_out_of_bag_
    (True, 0)
    >>> P = forest.proximities(X[:3])
    >>> P.shape, float(P[0, 0])
    ((3, 3), 1.0)
    >>> int(forest.importances(X, y).mean.argmax()) in (0, 6, 9, 12)
    True
    """

    n_members: int = param(default=100, ge=1, doc="Number of trees.")
    criterion: Literal["gini", "entropy"] = param(
        default="gini",
        choices=("gini", "entropy"),
        doc="Impurity criterion of the splits.",
    )
    max_features: float | Literal["sqrt", "log2"] | None = param(
        default="sqrt",
        type=(int, float),
        gt=0,
        choices=("sqrt", "log2"),
        none=True,
        doc="Number of features, or combinations of features, tried for each split: a number, a "
        "share, a function of the number of features, or None for as many as there are "
        "features.",
    )
    n_combined: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Number of features in a combination (capped at p); if left out, single features are "
        "used. Breiman combines 3.",
    )
    max_depth: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Maximum depth: splits from root to leaf.",
    )
    min_split: int = param(
        default=2,
        ge=2,
        doc="Minimum number of cases to split a node; a case drawn twice is one case.",
    )
    min_leaf: int = param(default=1, ge=1, doc="Minimum number of cases in a leaf, so counted.")
    max_samples: float = param(
        default=1.0,
        type=(float, int),
        gt=0,
        doc="Cases drawn for each tree: a share of those of positive weight, or their number.",
    )
    vote: Literal["shares", "majority"] = param(
        default="shares",
        choices=("shares", "majority"),
        doc="Whether leaves output class shares, or vote for one class.",
    )
    class_weight: Mapping[str, Any] | str | None = param(
        default=None,
        type=dict,
        choices=("balanced",),
        items=Param(float, gt=0),
        form='"balanced", dict of label to number, or None',
        doc='Class weights for drawing cases, besides `sample_weight`; "balanced": all classes '
        "are drawn equally often.",
    )
    patience: int | None = PATIENCE
    n_jobs: int | None = param(
        default=None,
        type=int,
        doc="Number of trees grown in parallel threads; -1: one per processor. Does not change "
        "the forest.",
    )
    verbose: int = VERBOSE
    random_state: RandomState = param(default=None, type=Seed, doc="For samples and splits.")
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables"), sample_weight=True, probabilistic=True
    )
    relies_on: ClassVar[tuple[str, ...]] = ("scikit-learn",)
    waivers: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("check_weights_repeat", "sklearn:check_sample_weight_equivalence_on_dense_data"),
        "cases are drawn at random by their weights: two equal rows are drawn as often as one of "
        "weight 2, but not by the same random numbers",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Single features, combinations, and votes of small trees."""
        return [
            cls(n_members=10, random_state=0),
            cls(n_members=8, criterion="entropy", max_features=2, n_combined=3, random_state=0),
            cls(
                n_members=8,
                min_leaf=3,
                vote="majority",
                class_weight="balanced",
                n_jobs=2,
                random_state=0,
            ),
            cls(n_members=20, patience=4, random_state=0),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that shares are at most 1."""
        super().check_parameters()
        check_n_jobs(self)
        check_share(self, "max_samples", self.max_samples)
        if isinstance(self.max_features, float):
            check_share(self, "max_features", self.max_features)

    def fit(self, X: Cases, y: Labels | None, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array of shape (n, p), or data frame, also with nominal columns
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Probability weight of each case in the draws, and its weight in `oob_error_`.
        """
        self.check_parameters()
        X = ilk.encoded_vectors(self, X, reset=True, sample_weight=sample_weight)
        self.classes_, codes = ilk.check_labels(self, y, X, min_classes=2)
        rng = ilk.check_seed(self, self.random_state)
        weights = bootstrap_weights(self, sample_weight, codes)
        # one seed for each tree: the forest does not depend on the number of threads
        seeds = rng.randint(2**31 - 1, size=self.n_members)
        how = Settings.of(self, X.shape[1])
        grower = Ranks if self.n_combined is None else Combinations
        counted = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
        cases = grower(X, codes, len(self.classes_), how, counted > 0)
        # rows of weight 0 are never drawn
        drawable = len(X) if weights is None else int(np.count_nonzero(weights))
        size = how_many(self.max_samples, drawable)
        progress = Progress(self, self.n_members, self.verbose, "trees")

        def grow(some: np.ndarray) -> tuple[list[Tree], np.ndarray]:
            return grow_trees(cases, weights, size, some, self.n_jobs, progress)

        # relative to the largest weight, so that no sum overflows
        self._grow(X, cases, seeds, grow, codes, counted / counted.max())
        return self

    def _grow(
        self,
        X: np.ndarray,
        cases: Ranks | Combinations,
        seeds: np.ndarray,
        grow: Callable[[np.ndarray], tuple[list[Tree], np.ndarray]],
        codes: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        """Grow blocks of trees, one or as many as it takes, and estimate their error."""
        trees: list[Tree] = []
        leaves: list[np.ndarray] = []
        out: list[np.ndarray] = []
        step = self.patience or len(seeds)
        for start in range(0, len(seeds), step):
            some, left_out = grow(seeds[start : start + step])
            block = cases.joined(some)
            trees += some
            leaves.append(block.apply(X))
            out.append(left_out)
            whole = cases.joined(trees) if start else block
            self._keep(whole, _beside(leaves), _beside(out), codes, weights)
            end = stopped_at(self.oob_errors_, self.patience) if self.patience else None
            if end is not None:
                kept = self.leaves_[:, :end].copy(), self.out_of_bag_[:, :end].copy()
                self._keep(cases.joined(trees[:end]), *kept, codes, weights)
                return

    def _keep(
        self,
        trees: Trees,
        leaves: np.ndarray,
        out: np.ndarray,
        codes: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        self.trees_, self.leaves_, self.out_of_bag_ = trees, leaves, out
        self._set_out_of_bag(codes, weights)

    def _set_out_of_bag(self, codes: np.ndarray, weights: np.ndarray) -> None:
        decisions = oob_decisions(self.trees_, self.leaves_, self.out_of_bag_, codes, weights)
        self.oob_decision_function_, self.oob_errors_ = decisions.support, decisions.errors
        wrong = decisions.support.argmax(axis=1) != codes
        estimate = out_of_bag_error(wrong, decisions.support, weights)
        self.oob_error_, self.n_never_out_of_bag_ = estimate

    def check_loaded(self) -> None:
        """Check that the trees refer to existing features, and give answers for the classes."""
        trees, p = self.trees_, n_encoded(self)
        ilk.check_stored(trees, "features", (None, None), below=p)
        ilk.check_stored(trees, "answers", (None, len(self.classes_)), kinds="f")
        for name in ("location", "scale"):
            if getattr(trees, name) is not None:
                ilk.check_stored(trees, name, (p,), kinds="f")
        shape = (None, len(trees))
        leaves = ilk.check_stored(self, "leaves_", shape, kinds="u")
        ilk.check_stored(self, "out_of_bag_", leaves.shape, kinds="b")
        if (leaves >= np.diff(trees.first_leaves)).any():
            raise ilk.stored_fault(self, "leaves_ has leaves that there are not")

    @property
    def estimators_(self) -> list[TreeMember]:
        """Each tree as a classifier."""
        return [
            TreeMember(self.trees_[t : t + 1], self.classes_, n_encoded(self))
            for t in range(len(self.trees_))
        ]

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (n,)."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def outputs(self, X: Cases) -> ilk.Outputs:
        """Labels and probabilities; each tree is asked once."""
        return ilk.Outputs.of_largest(self.classes_, self.predict_proba(X))

    def predict_proba(self, X: Cases) -> np.ndarray:
        """Mean output of the trees; array of shape (n, C)."""
        X = self._checked(X)
        return self.trees_.mean(X)

    def staged_predict_proba(self, X: Cases) -> Iterator[np.ndarray]:
        """Yield the probabilities of the first 1, 2, ... trees."""
        leaves = self.apply(X)
        yield from self.trees_.staged(leaves)

    def staged_predict(self, X: Cases) -> Iterator[np.ndarray]:
        """Yield the labels predicted by the first 1, 2, ... trees."""
        for probabilities in self.staged_predict_proba(X):
            yield self.classes_[probabilities.argmax(axis=1)]

    def apply(self, X: Cases) -> np.ndarray:
        """Leaf number of each row in each tree; unsigned array of shape (n, n_members)."""
        X = self._checked(X)
        return self.trees_.apply(X)

    def proximities(
        self,
        X: Cases | None = None,
        Y: Cases | None = None,
        *,
        top_k: int | None = None,
        out_of_bag: bool = False,
    ) -> Any:
        """Share of the trees in which two cases end in the same leaf.

        Parameters
        ----------
        X : array of shape (n, p), optional
            Default: the training cases.
        Y : array of shape (m, p), optional
            Default: X.
        top_k : int, optional
            Only the largest entries of each row, ties by lower column; zeros are dropped. The
            time then grows with the number of pairs that share leaves, and no n x m matrix is
            allocated.
        out_of_bag : bool, default=False
            For training cases: the share over the trees whose bags contain neither of the two;
            NaN where there is no such tree.

        Returns
        -------
        ndarray of shape (n, m)
            float32 if X and Y are, else float64.
        csr_matrix of shape (n, m)
            If `top_k` is given; columns ascending in each row.

        Notes
        -----
        Besides the result, leaves take 1 to 4 bytes for each case and tree, and a copy for Y; with
        `top_k`, 4 more bytes for each case of Y and tree, and 20 for each entry of the result.
        """
        check_fitted(self)
        if X is None and Y is not None:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: Y is compared with X, which is missing"
            )
        if out_of_bag and X is not None:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: only training cases are out of bags; leave X out"
            )
        singles = [
            getattr(each, "dtype", None) == np.float32 for each in (X, Y) if each is not None
        ]
        leaves = self.leaves_ if X is None else self.apply(X)
        others = leaves if Y is None else self.apply(Y)
        out = self.out_of_bag_ if out_of_bag else None
        if top_k is None:
            dtype = np.float32 if singles and all(singles) else np.float64
            return dense_proximities(leaves, others, out, dtype=dtype)
        ilk.check_k(self, top_k, len(others))
        return sparse_rows(*largest_proximities(leaves, others, int(top_k), out), len(others))

    def importances(
        self,
        X: Cases,
        y: Labels,
        sample_weight: ArrayLike | None = None,
        *,
        n_repeats: int = 1,
        random_state: RandomState | None = None,
    ) -> Importances:
        """Permutation importance: loss of out-of-bag accuracy when a feature is permuted.

        For each tree and feature, the values of the feature are permuted among the out-of-bag cases
        of the tree, and the tree predicts again. The loss is the accuracy before minus the accuracy
        after. Its mean over trees is the importance, and its standard deviation over trees gives
        the standard error (Breiman 2001, sec. 10; Cunningham et al., 2.5.4).

        Parameters
        ----------
        X : array of shape (n, p)
            The training cases.
        y : array of shape (n,)
            Their labels.
        sample_weight : array of shape (n,), optional
        n_repeats : int, default=1
            Permutations for each tree and feature.
        random_state : int, generator or None, default=None
            Seed of the permutations; None: that of the forest.

        Returns
        -------
        Importances
            ``mean``, ``standard_error``, ``by_tree``; independent of `n_jobs`. With nominal
            columns an entry for each of ``encoder_.get_feature_names_out()``.

        Raises
        ------
        InputError
            If X are not the training cases, or y has an unknown class.
        """
        leaves = self.apply(X)
        # out-of-bag flags belong to the training cases, which have these leaves
        if not np.array_equal(leaves, self.leaves_):
            name = ilk.display_name(self)
            raise ilk.InputError(f"{name}: X must be the cases that the forest was fitted to")
        if Param(int, ge=1).problem(n_repeats):
            raise self.parameter_error("n_repeats", f"must be an integer >= 1, got {n_repeats!r}")
        chance = self.random_state if random_state is None else random_state
        return importances(
            self.trees_,
            self._checked(X),
            *check_truth(self, y, sample_weight, leaves),
            self.out_of_bag_,
            n_repeats=int(n_repeats),
            seeds=ilk.check_seed(self, chance).randint(2**31 - 1, size=len(self.trees_)),
            n_jobs=self.n_jobs,
        )

    def _checked(self, X: Cases) -> np.ndarray:
        check_fitted(self)
        return ilk.encoded_vectors(self, X, reset=False)


def _beside(blocks: list[np.ndarray]) -> np.ndarray:
    return blocks[0] if len(blocks) == 1 else np.hstack(blocks)
