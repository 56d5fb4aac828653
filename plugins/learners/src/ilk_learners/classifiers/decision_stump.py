"""decision_stump: one threshold on one feature."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from ilk import (
    Capabilities,
    Classifier,
    check_fitted,
    check_labels,
    check_stored,
    check_weights,
    encoded_vectors,
    in_blocks,
    param,
    stored_fault,
)
from ilk_learners.classifiers.training_cases import Presorted, midpoint

if TYPE_CHECKING:
    from ilk import ArrayLike, Cases, Labels

_ROUNDING = 1e-13  # relative rounding of sums of weights: smaller differences are ties
_CELLS = 2**17  # cells searched per block: enough work for one task of a thread
_SAFE = 500  # exponents below this neither overflow nor underflow in sums and squares


class DecisionStump(Classifier):
    """Split at the threshold on one feature with the least error (a tree of depth one).

    Each side of the threshold, ``x_f <= threshold`` and above, predicts the class of the largest
    weight among its training cases. Feature f and threshold minimise the weight of the
    misclassified cases. For two classes the minimum is at an extremum of the cumulative sum of
    w_i y_i along the sorted feature. The search is exhaustive. Sorting takes O(p n log n), once
    for all fits with the same `presort`; each fit takes O(p n). Of many rows of two classes,
    such a fit sums the weights of buckets of neighbours along each feature, and then looks at the
    thresholds in those buckets that can hold the best one; the result is the same.

    A threshold lies midway between two distinct values of positive weight. Ties, up to rounding,
    go to the lowest feature, then the lowest threshold, and in a leaf to the first class. If no
    feature has two values, every row gets the class of the largest weight.

    Weights are rounded to integer multiples of at most 2^-58 of their sum, so sums are exact: ties
    between thresholds depend neither on the order of the rows nor on the names of the classes.

    A nominal column of a data frame is split by one category (above the threshold) against all
    others, as by `decision_tree`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted; including classes whose cases all have weight 0.
    feature_ : int
        -1 if there is no split.
    category_ : object
        Category that a nominal feature is split by; None for a numeric one (and for missing values,
        which may be a category).
    threshold_ : float
        Infinite if there is no split.
    leaf_weights_ : ndarray of shape (2, n_classes)
        Share of each class at or below the threshold, and above it, in the weight of all cases.
    encoder_ : OneHot or None
        Encodes the nominal columns, if there are any.
    error_ : float
        Misclassified share of the training cases' weight.
    n_features_in_ : int

    Raises
    ------
    InputError
        If there is only one class, if a weight is negative or all weights are 0, or if
        `presorted` was made from another X.

    References
    ----------
    .. [1] Arras: Decision Stump (the threshold is said to be "at" the extremum).
    .. [2] Y. Freund and R. E. Schapire, "A decision-theoretic generalization of on-line learning
       and an application to boosting", *Journal of Computer and System Sciences* 55, 1997.

    Examples
    --------
    >>> import ilk
    >>> X, y = [[1, 5], [2, 1], [4, 6], [5, 2]], ["a", "a", "b", "b"]
    >>> stump = ilk.classifier("decision_stump").fit(X, y)
    >>> stump.feature_, stump.threshold_, stump.predict([[3, 0], [3.1, 0]]).tolist()
    (0, 3.0, ['a', 'b'])

    Many fits to the same rows sort them once:

    >>> handle = stump.presort(X)
    >>> stump.fit(X, y, sample_weight=[3, 0, 1, 2], presorted=handle).threshold_
    2.5
    """

    criterion: Literal["error", "gini"] = param(
        default="error",
        choices=("error", "gini"),
        doc="Criterion to minimise: the weight of errors, or the Gini impurity ``sum over leaves "
        "of W (1 - sum_c (W_c / W)^2)``, which distinguishes thresholds of equal error.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables"),
        sample_weight=True,
        probabilistic=True,
        presort=True,
        one_threshold=True,
        exact_weights=True,
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(criterion="gini")]

    def presort(self, X: Cases) -> SortedRows:
        """Sort the rows along each feature once, for any number of fits.

        Parameters
        ----------
        X : array of shape (n, p)
            Must not be changed while the result is in use.

        Returns
        -------
        SortedRows
            For ``fit(X, y, sample_weight, presorted=)``. It takes 3 bytes per cell; 5 bytes from
            65,537 rows on; and 2 more once it serves two classes of at least 65,536 rows.
        """
        from sklearn.base import clone

        return SortedRows.of(clone(self), X)

    def fit(
        self,
        X: Cases,
        y: Labels,
        sample_weight: ArrayLike | None = None,
        presorted: SortedRows | None = None,
    ) -> Self:
        """Find the feature and the threshold.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            A case of weight 2 counts as two.
        presorted : SortedRows, optional
            Result of `presort` for the same X.
        """
        self.check_parameters()
        again = presorted is not None
        self.encoder_: Any = None  # as long as X is not a table with nominal columns
        presorted = SortedRows.given_or_of(self, X, presorted, sample_weight)
        self.classes_, codes = presorted.labels(self, y)
        if sample_weight is None:
            weights = np.ones(len(codes))
        else:
            weights = check_weights(self, sample_weight, presorted.X)
            exponent = int(np.frexp(weights.max())[1])
            if abs(exponent) > _SAFE:
                # an exact factor: shares do not change, and sums of weights stay in range
                weights = np.ldexp(weights, -exponent)
        self._split(presorted, codes, weights, again)
        return self

    def _split(
        self, presorted: SortedRows, codes: np.ndarray, weights: np.ndarray, again: bool
    ) -> None:
        from ilk_learners.classifiers.classifier_kernels import leaf_weights

        n_classes = len(self.classes_)
        feature, place = self._search(presorted, codes, weights, again)
        self._column, self.threshold_ = feature, np.inf
        self.feature_, self.category_ = feature, None
        if self.encoder_ is not None and feature >= 0:
            self.feature_ = int(self.encoder_.origins_[feature])
            self.category_ = _category(self.encoder_, feature, self.feature_)
        below = np.ones(len(codes), dtype=bool)
        if feature >= 0:
            order = presorted.order[feature]
            self.threshold_ = _threshold(presorted.X[:, feature], order, weights, place)
            below[order[place + 1 :]] = False
        # rows in their own order are read faster than in that of a feature
        sides = np.flatnonzero(below), np.flatnonzero(~below)
        leaves = np.array([leaf_weights(codes[s], weights[s], n_classes) for s in sides])
        leaves /= leaves.sum()
        most = leaves.max(axis=1, keepdims=True)
        # classes within rounding of the most count as tied, and the first of them wins
        self.leaf_weights_ = np.where(leaves >= most * (1 - _ROUNDING), most, leaves)
        self._leaves = self.leaf_weights_.argmax(axis=1)
        self.error_ = float((self.leaf_weights_.sum(axis=1) - most[:, 0]).sum())

    def _search(
        self, presorted: SortedRows, codes: np.ndarray, weights: np.ndarray, again: bool
    ) -> tuple[int, int]:
        """Feature, and position in its order of the last row below the threshold; or -1.

        `again`: the rows serve many fits.
        """
        from ilk_learners.classifiers import classifier_kernels as kernels
        from ilk_learners.classifiers.classifier_kernels import convert

        p, n = presorted.order.shape
        badness, places = np.empty(p), np.empty(p, dtype=np.int64)
        units, totals = np.empty(n, dtype=np.int64), np.zeros(len(self.classes_), dtype=np.int64)
        # whole numbers: sums do not depend on the order of the rows, so neither do ties
        convert(weights, units)
        kernels.class_weights(codes, units, totals)
        rounding = int(_ROUNDING * float(totals.sum()))
        two = len(totals) == 2 and self.criterion == "error"
        many = kernels.search_gini if self.criterion == "gini" else kernels.search_many
        signed = np.where(codes == 0, -units, units) if two else units

        def work(start: int, stop: int) -> None:
            those = slice(start, stop)
            sorted_ = presorted.order[those], presorted.last[those], weights
            outputs = rounding, badness[those], places[those]
            if two:
                kernels.search_two(*sorted_, signed, totals, *outputs)
            else:
                many(*sorted_, units, codes, len(totals), *outputs)

        if two and again and n >= _MANY and weights.all():
            buckets = presorted.buckets(codes)
            buckets.search(presorted, units, signed, totals, rounding, badness, places)
            for f in np.flatnonzero(places == _UNSURE).tolist():
                work(f, f + 1)
        else:
            in_blocks(work, p, max(_CELLS // n, 1))
        # the first of the features that tie up to rounding
        feature = int((badness <= badness.min() + rounding).argmax())
        return (feature, int(places[feature])) if places[feature] >= 0 else (-1, -1)

    def check_loaded(self) -> None:
        """Check that a stored model's feature and classes exist."""
        n_classes = len(self.classes_)
        width = self.n_features_in_ if self.encoder_ is None else len(self.encoder_.origins_)
        check_stored(self, "leaf_weights_", (2, n_classes), kinds="f")
        check_stored(self, "_leaves", (2,), least=0, below=n_classes)
        if not -1 <= self._column < width or not -1 <= self.feature_ < self.n_features_in_:
            raise stored_fault(self, f"feature_ must be a feature, got {self.feature_}")

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,).

        X may be a result of `presort`; its rows are not checked again.
        """
        sides = self._sides(X)
        return self.classes_[self._leaves[sides]]

    def predict_proba(self, X: Cases) -> np.ndarray:
        """Share of each class in the weight of the row's leaf; array of shape (m, n_classes)."""
        sides = self._sides(X)
        totals = self.leaf_weights_.sum(axis=1, keepdims=True)
        return np.asarray((self.leaf_weights_ / np.where(totals > 0, totals, 1))[sides])

    def _sides(self, X: Cases) -> np.ndarray:
        """0 for rows at or below the threshold, else 1."""
        check_fitted(self)
        X = X.X if isinstance(X, Presorted) else encoded_vectors(self, X, reset=False)
        if self._column < 0:
            return np.zeros(len(X), dtype=np.intp)
        # in double precision: a threshold between two float32 values may be none
        return np.asarray(X[:, self._column] > np.float64(self.threshold_)).astype(np.intp)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # two leaves predict at most two classes
        return tags


def _category(encoder: Any, column: int, feature: int) -> Any:
    """Category whose indicator is an encoded column; None if the feature has an order."""
    if feature in encoder.ranked_:
        return None
    categories = encoder.categories_.get(feature)
    first = int(np.searchsorted(encoder.origins_, feature))
    return None if categories is None else categories[column - first]


def _threshold(column: np.ndarray, order: np.ndarray, weights: np.ndarray, place: int) -> float:
    """Midpoint of the nearest values of positive weight at and after a position."""
    below, above = place, place + 1
    # cases of weight 0 must not move the threshold
    while weights[order[below]] == 0:
        below -= 1
    while weights[order[above]] == 0:
        above += 1
    return float(midpoint(float(column[order[below]]), float(column[order[above]])))


_SMALL = 2**16  # up to so many rows, row numbers fit in two bytes
_SHARE = 2**13  # fewest numbers per thread for which starting it pays when sorting
_MANY = 2**16  # fewest rows for which buckets pay: weights of fewer stay in the cache
_BUCKET = 64  # rows in a bucket, unless there are many
_BUCKETS = 2**12  # most buckets: their sums stay in the cache
_UNSURE = -2  # place in a feature whose ties buckets cannot settle


@dataclass(frozen=True)
class Buckets:
    """Neighbours along each feature, in buckets whose sums tell which of them can win.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        The classes, 0 and 1, that they were made for.
    rows : ndarray of int, shape (n,)
        Rows of the first class, `n_first` of them, before those of the second.
    bins : ndarray of uint16, shape (p, n)
        Bucket of each of these rows. Equal values are in one bucket.
    starts : ndarray of uint32, shape (p, n_buckets + 1)
        Position of the first row of each bucket along the feature.
    single : ndarray of bool, shape (p, n_buckets)
        Whether all values in a bucket are equal.
    """

    codes: np.ndarray
    rows: np.ndarray
    n_first: int
    bins: np.ndarray
    starts: np.ndarray
    single: np.ndarray

    @classmethod
    def of(cls, order: np.ndarray, last: np.ndarray, codes: np.ndarray) -> Self:
        """Divide the rows along each feature into buckets of about equal size."""
        p, n = order.shape
        size = min(n // _BUCKET, _BUCKETS)
        rows = np.argsort(codes, kind="stable")
        bins = np.empty((p, n), dtype=np.uint16)
        starts = np.empty((p, size + 1), dtype=np.uint32)
        single = np.empty((p, size), dtype=bool)

        def work(start: int, stop: int) -> None:
            places, own = np.arange(n), np.empty(n, dtype=np.uint16)
            for f in range(start, stop):
                first = np.where(np.concatenate([[True], last[f, :-1]]), places, 0)
                buckets = np.maximum.accumulate(first) * size // n
                starts[f] = np.searchsorted(buckets, np.arange(size + 1))
                changes = np.concatenate([[0], np.cumsum(last[f])])
                # the last row of a bucket may differ from the next one, which is in another
                single[f] = (
                    changes[np.maximum(starts[f, 1:].astype(int) - 1, 0)] <= changes[starts[f, :-1]]
                )
                own[order[f]] = buckets
                bins[f] = own[rows]

        in_blocks(work, p, max(_SHARE // n, 1))
        return cls(codes, rows, int((codes == 0).sum()), bins, starts, single)

    def search(
        self,
        presorted: SortedRows,
        units: np.ndarray,
        signed: np.ndarray,
        totals: np.ndarray,
        rounding: int,
        badness: np.ndarray,
        places: np.ndarray,
    ) -> None:
        """Write the best threshold of each feature that can win; arrays as in `search_two`."""
        from ilk_learners.classifiers.classifier_kernels import fill_buckets, search_buckets

        p, size = self.single.shape
        sums, grouped = np.empty((p, 2, size), dtype=np.int64), units[self.rows]
        least: list[int] = []

        def fill(start: int, stop: int) -> None:
            part = self.bins[start:stop], grouped, self.n_first, totals, sums[start:stop]
            least.append(fill_buckets(*part))

        def search(start: int, stop: int) -> None:
            those = slice(start, stop)
            sorted_ = presorted.order[those], presorted.last[those], signed
            parts = sums[those], self.starts[those], self.single[those], totals, rounding
            search_buckets(*sorted_, *parts, min(least), badness[those], places[those])

        in_blocks(fill, p, max(_CELLS // len(units), 1))
        in_blocks(search, p, p // 8 + 1)


@dataclass(frozen=True)
class SortedRows(Presorted):
    """Rows in ascending order along each feature.

    Beyond X it takes 3 bytes per cell; 5 bytes from 65,537 rows on. It caches the codes of the
    last labels, and for two classes of many rows their `Buckets`, of 2 bytes per cell.

    Attributes
    ----------
    order : ndarray of uint16 or uint32, shape (p, n)
        Row numbers, ascending along each feature; equal values in the order of the rows.
    last : ndarray of bool, shape (p, n)
        Whether the value at that position differs from the next one; False at the end.
    """

    order: np.ndarray
    last: np.ndarray
    _known: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = field(
        default_factory=list, repr=False, compare=False
    )
    _buckets: list[Buckets] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def _sorted(cls, X: np.ndarray) -> tuple[np.ndarray, ...]:
        n, p = X.shape
        order = np.empty((p, n), dtype=np.uint16 if n <= _SMALL else np.uint32)
        last = np.zeros((p, n), dtype=bool)

        def work(start: int, stop: int) -> None:
            for f in range(start, stop):
                column = np.ascontiguousarray(X[:, f])
                rows = np.argsort(column)
                values = column[rows]
                np.not_equal(values[1:], values[:-1], out=last[f, :-1])
                if not last[f, :-1].all():  # ties: only then must the sort be stable
                    rows = np.argsort(column, kind="stable")
                order[f] = rows

        in_blocks(work, p, max(_SHARE // n, 1))
        return order, last

    def buckets(self, codes: np.ndarray) -> Buckets:
        """Buckets for two classes, cached for consecutive fits with the same labels."""
        if not self._buckets or self._buckets[0].codes is not codes:
            self._buckets[:] = [Buckets.of(self.order, self.last, codes)]
        return self._buckets[0]

    def labels(self, owner: object, y: Labels) -> tuple[np.ndarray, np.ndarray]:
        """Classes and codes of labels, cached for consecutive fits with the same labels."""
        given = y if isinstance(y, np.ndarray) and y.dtype != object else None
        for known, classes, codes in self._known:
            if given is not None and known.dtype == given.dtype and np.array_equal(known, given):
                return classes, codes
        classes, codes = check_labels(owner, y, self.X, min_classes=2)
        codes = codes.astype(np.int32)
        if given is not None:
            self._known[:] = [(given.copy(), classes, codes)]
        return classes, codes
