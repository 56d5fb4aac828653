"""decision_tree: a tree of thresholds, by scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from ilk import (
    Capabilities,
    Outputs,
    RandomState,
    Seed,
    case_order,
    check_fitted,
    check_stored,
    encoded_vectors,
    param,
    row_order,
    stored_fault,
)
from ilk_learners.classifiers.training_cases import (
    CLASS_WEIGHT,
    EstimatorClassifier,
    Presorted,
    case_weights,
    labelled,
    midpoint,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sklearn.tree import DecisionTreeClassifier

    from ilk import ArrayLike, Cases, Labels

_BLOCK = 256  # rows that descend together: they, and their nodes, stay in the cache


class DecisionTree(EstimatorClassifier):
    """Split rows recursively at the threshold that separates the classes best.

    A leaf predicts the class of the largest weight; ties go to the first class. A threshold lies
    midway between two values of the cases in its node. The tree is grown by scikit-learn's
    DecisionTreeClassifier (CART). CART reads features in single precision and treats values
    within 1e-7 as equal; so it is given the ranks of the values, and thresholds are then mapped
    back: the tree does not depend on the features' units or origin. Rows and classes are put in
    the order of `ilk.case_order`, so ties between splits depend neither on the order of rows nor
    on the names of classes.

    A nominal column of a data frame is split by one category against all others: the tree is grown
    on its indicators (`one_hot`). A category unseen in training goes with the others; missing
    values are a category of their own if training has some, else they go with the others. Ordered
    categories are split by rank; missing ones come first. Dates are numbers of days.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    depth_, n_leaves_ : int
    encoder_ : OneHot or None
        Encodes the nominal columns, if there are any.
    estimator_ : DecisionTreeClassifier
        Fitted on the ranks of the values of each feature and on class codes 0..n_classes - 1. The
        codes do not follow the order of `classes_`: they do not depend on the names.

    Raises
    ------
    InputError
        If there is only one class.

    Notes
    -----
    Ranks are exact for up to 2^24 distinct values of a feature; they take 4 bytes a cell while
    `fit` runs. A nominal column counts as many columns as it has categories.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen and C. Stone, *Classification and Regression Trees*,
    Wadsworth, 1984.

    Arras: Boosting.

    Ntoutsi 2015: Bias and variance; figure 5.33.

    Examples
    --------
    >>> import ilk
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> tree = ilk.classifier("decision_tree", random_state=0).fit(X, y)
    >>> tree.predict(X).tolist(), tree.depth_, tree.n_leaves_
    (['no', 'yes', 'yes', 'no'], 2, 4)
    """

    criterion: Literal["gini", "entropy"] = param(
        default="gini",
        choices=("gini", "entropy"),
        doc="The impurity that splits reduce.",
    )
    max_depth: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Maximal depth: splits between root and leaf.",
    )
    min_split: int = param(
        default=2,
        ge=2,
        doc="Minimal number of cases in a node to split it; weights do not count.",
    )
    min_leaf: int = param(default=1, ge=1, doc="Minimal number of cases in a leaf.")
    max_leaves: int | None = param(
        default=None,
        type=int,
        ge=2,
        doc="Maximal number of leaves; the best splits then come first.",
    )
    max_features: float | Literal["sqrt", "log2"] | None = param(
        default=None,
        type=(int, float),
        gt=0,
        choices=("sqrt", "log2"),
        doc="Features drawn at random as candidates for each split: a number, a share, a function "
        "of their number, or all.",
    )
    pruning: float = param(
        default=0.0,
        ge=0,
        doc="Cost of a leaf, in impurity, for minimal cost-complexity pruning.",
    )
    class_weight: Mapping[str, Any] | str | None = CLASS_WEIGHT
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="Draws candidate features, and settles ties between features.",
    )
    waivers: ClassVar[Mapping[str, str]] = {
        "sklearn:check_class_weight_classifiers": "a leaf of one class predicts it, whatever its "
        "weight; the check limits leaves by a parameter of another name",
    }
    relies_on: ClassVar[tuple[str, ...]] = ("scikit-learn",)
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables"),
        sample_weight=True,
        probabilistic=True,
        presort=True,
        exact_weights=True,
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(random_state=0),
            cls(criterion="entropy", max_depth=3, class_weight="balanced", random_state=0),
            cls(max_leaves=6, pruning=0.01, random_state=0),
        ]

    @property
    def exact_weights(self) -> bool:
        """Whether whole weights count as copies: no number of cases, nor rounding, decides."""
        counted = self.min_split > 2 or self.min_leaf > 1
        return self.criterion == "gini" and self.class_weight is None and not counted

    def check_parameters(self) -> None:
        """Check each parameter, and that a share of the features is at most 1."""
        super().check_parameters()
        share = self.max_features
        if isinstance(share, float) and share > 1:
            raise self.parameter_error(
                "max_features", f"must be an integer, or a share of at most 1, got {share}"
            )

    def presort(self, X: Cases) -> RankedRows:
        """Rank the cells of each feature once, for any number of fits.

        Parameters
        ----------
        X : array of shape (n, p), or data frame
            Must not be changed while the result is in use.

        Returns
        -------
        RankedRows
            For ``fit(X, y, sample_weight, presorted=)``. It takes 4 bytes per cell.
        """
        from sklearn.base import clone

        return RankedRows.of(clone(self), X).with_row_ranks()

    def fit(
        self,
        X: Cases,
        y: Labels,
        sample_weight: ArrayLike | None = None,
        presorted: RankedRows | None = None,
    ) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array of shape (n, p), or data frame, also with nominal columns
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            A case of weight 2 counts as two, except in `min_split` and `min_leaf`.
        presorted : RankedRows, optional
            Result of `presort` for the same X.
        """
        self.check_parameters()
        self.encoder_: Any = None  # as long as X is not a table with nominal columns
        ranked = RankedRows.given_or_of(self, X, presorted, sample_weight)
        cases = labelled(self, np.arange(len(ranked.X)), y, sample_weight)
        # a canonical order of rows and classes: CART breaks ties by both
        order, classes = case_order(ranked.keys[cases.X], cases.codes, cases.weights)
        cases = cases.taken(order)
        self._places = np.argsort(classes)
        ranks = ranked.ranks[cases.X]
        weights, codes = case_weights(self, cases), self._places[cases.codes]
        self.classes_ = cases.classes
        with self._translated_errors():
            self.estimator_ = self._estimator().fit(ranks, codes, weights, check_input=False)
        self._put_thresholds(ranked.X, cases.X, ranks)
        self.depth_ = int(self.estimator_.get_depth())
        self.n_leaves_ = int(self.estimator_.get_n_leaves())
        return self

    def _put_thresholds(self, X: np.ndarray, rows: np.ndarray, ranks: np.ndarray) -> None:
        """Map thresholds of ranks, those of some rows of X, back to midpoints between values."""
        from ilk_learners.classifiers.classifier_kernels import find_gaps

        tree = self.estimator_.tree_
        gaps = np.full((tree.node_count, 2), -1, dtype=np.int32)
        find_gaps(ranks, _links(tree), tree.threshold.copy(), gaps)
        inner = np.flatnonzero(tree.children_left >= 0)
        low, high = X[rows[gaps[inner].T], tree.feature[inner]].astype(float)
        self._thresholds = np.full(tree.node_count, np.inf)
        self._thresholds[inner] = midpoint(low, high)

    def check_loaded(self) -> None:
        """Check that a stored tree matches the features and classes."""
        tree, n_classes = self.estimator_.tree_, len(self.classes_)
        check_stored(self, "_thresholds", (tree.node_count,), kinds="f")
        check_stored(self, "_places", (n_classes,), least=0, below=n_classes)
        width = self.n_features_in_ if self.encoder_ is None else len(self.encoder_.origins_)
        if tree.n_features != width or tree.value.shape[1:] != (1, n_classes):
            raise stored_fault(self, "estimator_ is of other features or classes")

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,).

        X may be a result of `presort`; its rows are not checked again.
        """
        codes = self.predict_proba(X).argmax(axis=1)
        return self.classes_[codes]

    def outputs(self, X: Cases) -> Outputs:
        """Labels and probabilities, from one walk down the tree."""
        return Outputs.of_largest(self.classes_, self.predict_proba(X))

    def predict_proba(self, X: Cases) -> np.ndarray:
        """Share of each class in the weight of the row's leaf; array of shape (m, n_classes)."""
        from ilk_learners.classifiers.classifier_kernels import find_leaves

        check_fitted(self)
        X = X.X if isinstance(X, RankedRows) else encoded_vectors(self, X, reset=False)
        tree = self.estimator_.tree_
        leaves = np.empty(len(X), dtype=np.intp)
        scratch = np.empty((2, _BLOCK), dtype=np.uint32)
        find_leaves(X, _links(tree), self._thresholds, *scratch, leaves)
        shares = tree.value[leaves, 0][:, self._places]
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _estimator(self) -> DecisionTreeClassifier:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(
            criterion=self.criterion,
            max_depth=self.max_depth,
            min_samples_split=self.min_split,
            min_samples_leaf=self.min_leaf,
            max_leaf_nodes=self.max_leaves,
            max_features=self.max_features,
            ccp_alpha=self.pruning,
            random_state=self._seed(),
        )


def _links(tree: Any) -> np.ndarray:
    """Feature and children of each node of a scikit-learn tree, for compiled descent."""
    nodes = np.column_stack([tree.feature, tree.children_left, tree.children_right])
    leaves = np.flatnonzero(nodes[:, 1] < 0)
    nodes[leaves] = leaves[:, None] * [0, 1, 1]  # a leaf is its own child
    return nodes.astype(np.uint32)


@dataclass(frozen=True)
class RankedRows(Presorted):
    """Ranks of the cells among the distinct values of their features.

    Attributes
    ----------
    ranks : ndarray of float32, shape (n, p)
    keys : ndarray of float32, shape (n, p) or (n, 1)
        Rows of the same order as those of X, and equal where they are.
    """

    ranks: np.ndarray
    keys: np.ndarray

    @classmethod
    def _sorted(cls, X: np.ndarray) -> tuple[np.ndarray, ...]:
        from ilk_learners.classifiers.classifier_kernels import put_ranks

        ranks = np.empty(X.shape, dtype=np.float32)
        for f in range(X.shape[1]):
            column = np.ascontiguousarray(X[:, f])
            put_ranks(column, np.argsort(column), ranks[:, f])
        return ranks, ranks

    def with_row_ranks(self) -> RankedRows:
        """The same with one key for each row, its rank: less to compare in each fit."""
        order = row_order(self.ranks)
        ordered = self.ranks[order]
        keys = np.zeros((len(order), 1), dtype=np.float32)
        keys[order[1:], 0] = np.cumsum((ordered[1:] != ordered[:-1]).any(axis=1))
        return replace(self, keys=keys)
