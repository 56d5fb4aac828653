"""forest: distance by the share of trees in which two cases end in different leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Capabilities, ClassifierLike, slot
from ilk_ensembles.forest.proximities import largest_proximities, shared_counts

if TYPE_CHECKING:
    from ilk import Cases, Labels


@dataclass(frozen=True)
class Leaves:
    """Rows as the distance compares them: the leaf of each row in each tree.

    Attributes
    ----------
    leaves : ndarray of unsigned int, shape (n, T)
    single : bool
        Whether the rows were float32.
    """

    leaves: np.ndarray
    single: bool

    def check_loaded(self) -> None:
        """Check that there is a number for each row and tree."""
        ilk.check_stored(self, "leaves", (None, None), kinds="u")

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and trees."""
        return self.leaves.shape

    def __len__(self) -> int:
        return len(self.leaves)

    def __getitem__(self, rows: np.ndarray) -> Leaves:
        return Leaves(self.leaves[rows], self.single)


class ForestDistance(ilk.Distance):
    """Share of the trees of a forest in which two cases end in different leaves.

    ``d(x, y) = 1 - p(x, y)``, with the proximity p: the share of the trees in which both end in
    the same leaf. As an average of distances that are 0 within a leaf and 1 between leaves, d
    is symmetric, from 0 to 1, and satisfies the triangle inequality. It is a pseudo-metric:
    different cases that no tree separates are at distance 0. It learns from labels which
    differences matter, needs no scaling of features, and ignores features without splits.

    A frozen, fitted forest is not refitted; the distance can then be used without `fit`.

    Attributes
    ----------
    forest_ : classifier
        Fitted.

    Raises
    ------
    ParameterError
        If the classifier has no ``apply``.
    NotFittedError
        If it is used before `fit`, and the forest is not frozen.

    Notes
    -----
    Each row is sent down the trees once. Distances of n rows to m take O(n m T) comparisons of
    bytes, vectorised, and a copy of m T small integers. A search for nearest rows compares only
    rows that share leaves, in O(m T) memory, without a matrix of n x m.

    References
    ----------
    Cunningham 2008: section 2.5.4 (case proximities).

    L. Breiman, "Random forests", *Machine Learning* 45, 2001.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> forest = ilk.classifier("random_forest", random_state=0)
    >>> d = ilk.distance("forest", forest=forest).fit(X, y)
    >>> d.between(X[0], X[1]) < d.between(X[0], X[70]), d.between(X[0], X[0])
    (True, 0.0)
    >>> knn = ilk.classifier("knn", distance=d).fit(X, y)
    >>> float(knn.score(X, y)) > 0.9
    True
    """

    forest: ClassifierLike = slot(
        "classifier",
        default="random_forest",
        doc="Classifier whose ``apply(X)`` returns the leaf of each row in each tree, an array of "
        "shape (n, T): `random_forest`, or a forest of scikit-learn's.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables"), symmetric=True, needs_fit=True
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """A forest of single features, and one of combinations."""
        return [
            cls(forest={"use": "random_forest", "n_members": 15, "random_state": 0}),
            cls(
                forest={"use": "random_forest", "n_members": 10, "n_combined": 2, "random_state": 0}
            ),
        ]

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Fit the forest to X and y, unless it is frozen."""
        self.check_parameters()
        self.forest_ = self._with_leaves(ilk.fit_component(self.resolve_slot("forest"), X, y))
        return self

    def pairwise(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Distances of every row of X to every row of Y (X itself if left out)."""
        X, Y = self.check_pair(X, Y)
        n_trees = X.shape[1]
        D = shared_counts(X.leaves, Y.leaves, dtype=_dtype(X, Y))
        # whole numbers before the division: equal counts give equal distances
        np.subtract(n_trees, D, out=D)
        D /= n_trees
        return D

    def kneighbors(self, X: Cases, Y: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k rows of Y nearest to each row of X, nearest first, ties by lower index."""
        ilk.check_k(self, k, ilk.n_rows(Y))
        X, Y = self.check_pair(X, Y)
        shares, columns = largest_proximities(X.leaves, Y.leaves, int(k))
        n_trees = X.shape[1]
        # back to the whole number of trees, so that distances equal those of `pairwise` to the last
        # bit
        differ = n_trees - np.rint(shares * n_trees)
        return (differ / n_trees).astype(_dtype(X, Y), copy=False), columns

    def prepare(self, X: Cases) -> ilk.Prepared:
        """Return a handle on X with its leaves precomputed."""
        return ilk.Prepared(self, self.check_input(X))

    def check_input(self, X: Cases, argument: str = "X") -> Leaves:
        """Return the leaves of X, or X if it already is `Leaves`."""
        if isinstance(X, Leaves):
            return X
        forest = self._forest()
        X = ilk.as_table(X)
        mixed = ilk.is_table(X) and len(ilk.nominal_columns(X)) > 0  # the forest checks it
        single = not mixed and ilk.check_vectors(self, X, argument=argument).dtype == np.float32
        leaves = np.asarray(forest.apply(X))  # keeps the column names
        return Leaves(_narrow(leaves), single)

    def check_pair(self, X: Cases, Y: Cases | None = None) -> tuple[Leaves, Leaves]:
        """Return the leaves of X and Y (X if None), as integers of the same type."""
        X = self.check_input(X)
        if Y is None:
            return X, X
        Y = self.check_input(Y, "Y")
        if X.shape[1] != Y.shape[1]:  # compiled loops would read out of bounds
            name = ilk.display_name(self)
            raise ilk.InputError(f"{name}: X has leaves of {X.shape[1]} trees, Y of {Y.shape[1]}")
        dtype = np.promote_types(X.leaves.dtype, Y.leaves.dtype)
        return tuple(Leaves(each.leaves.astype(dtype, copy=False), each.single) for each in (X, Y))  # type: ignore[return-value]  # there are two

    def _forest(self) -> Any:
        from sklearn.exceptions import NotFittedError

        if hasattr(self, "forest_"):
            return self.forest_
        if not ilk.is_frozen(self.forest):
            raise NotFittedError(f"{ilk.display_name(self)}: call fit with training data first")
        return self._with_leaves(self.forest)

    def _with_leaves(self, forest: Any) -> Any:
        if not hasattr(forest, "apply"):
            name = ilk.display_name(forest)
            raise self.parameter_error(
                "forest", f"must have trees, as random_forest; {name} has none"
            )
        return forest


def _narrow(leaves: np.ndarray) -> np.ndarray:
    """Leaves as the smallest unsigned type that also holds the largest leaf plus 1."""
    if leaves.dtype.kind == "u" or not leaves.size:
        return leaves
    return leaves.astype(np.min_scalar_type(int(leaves.max()) + 1))


def _dtype(X: Leaves, Y: Leaves) -> Any:
    return np.float32 if X.single and Y.single else np.float64
