"""Ball tree: balls around vectors, halved along the widest feature, for every metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import ilk
from ilk import param
from ilk_distances.indexes.ball_tree_search import BallTreeIndex, Branch, Hierarchy, grow, root_of
from ilk_distances.indexes.candidates import CountedDistances, rows_at_once

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk import Cases

HALVINGS = 3  # levels merged into one: up to 8 children, compared with a query in one call


class BallTree(BallTreeIndex):
    """Ball tree: halves vectors along their widest feature, a ball around each half; exact.

    The middle of a ball is the row nearest to the mean of its rows. A query skips balls that the
    triangle inequality shows to be too far, and likewise rows in a ball by their distance to
    the middle. Takes every metric on vectors; the halving uses only the numbers, so that
    building takes one comparison for each row and level.

    Answers are those of `brute` to the last bit, ties by lower training index included.

    Each compared row costs 0.1 to 0.2 microseconds in addition to its distance, in which time
    `brute` computes some fifty Manhattan or Euclidean distances. With these distances, the tree
    is about as fast as `brute` on rows in tight clusters and slower on others (`kd_tree` is
    faster than both in few dimensions). It pays if a distance takes about a microsecond or more.
    `cover_tree` needs half as many comparisons, and takes longer to build.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : ndarray of shape (n, p)
        Training rows; not copied.
    tree_ : Hierarchy
        The balls, in arrays of n entries: middle, distance to the parent's middle, radius, first
        child, number of children.
    n_build_evaluations_ : int
        Number of distances computed by `fit`.
    n_distance_evaluations_ : int
        Number of distances computed since `fit`.

    Raises
    ------
    InputError
        If the distance is no metric or takes no vectors, k is not within 1..n, a radius is
        negative, or a distance is NaN or negative.

    References
    ----------
    .. [1] S. M. Omohundro, "Five balltree construction algorithms", International Computer
       Science Institute, 1989: the k-d construction, with rows as middles.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [5.0, 5.0]]
    >>> index = ilk.index("ball_tree").fit(X, distance=ilk.distance("euclidean"))
    >>> index.kneighbors([[1.0, 0.5]], 1)
    (array([[0.5]]), array([[1]]))
    """

    leaf_size: int = param(
        default=10,
        ge=1,
        doc="Maximum number of rows in a leaf.",
    )

    @classmethod
    def examples(cls) -> list[BallTree]:
        """Return the default and a tree halved to single rows."""
        return [cls(), cls(leaf_size=1)]

    def _grow(self, counted: CountedDistances, X: Cases) -> Hierarchy:
        vectors = self._vectors(X)
        root = root_of(counted, _middle(vectors, np.arange(len(vectors))))
        return grow(root, lambda branch: _divide(branch, vectors, self.leaf_size, counted))

    def _vectors(self, X: Cases) -> np.ndarray:
        """Return the training rows as numbers, for the halving."""
        if (
            isinstance(self.X_, np.ndarray) and self.X_.ndim == 2 and self.X_.dtype.kind == "f"
        ):  # a matrix
            return self.X_
        try:
            return np.asarray(ilk.check_vectors(self, X))
        except (ilk.InputError, ilk.InputTypeError) as error:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: X must be vectors, which are halved along a feature; "
                f"cover_tree takes any data that {ilk.display_name(self.distance_)} takes ({error})"
            ) from error


def _divide(
    branch: Branch, X: np.ndarray, leaf_size: int, counted: CountedDistances
) -> tuple[list[Branch], np.ndarray]:
    """Divide a ball by halving it a few times; few or equal rows become a list."""
    n = len(branch.rows)
    if n <= leaf_size or not branch.distances.any():
        return [], np.arange(n)
    parts = [np.arange(n)]
    for _ in range(HALVINGS):
        parts = [
            half
            for part in parts
            for half in (_halves(X, branch.rows, part) if len(part) > leaf_size else [part])
        ]
    if len(parts) == 1:  # equal rows
        return [], np.arange(n)
    branches = []
    for part in parts:
        middle = _middle(X, branch.rows[part])
        up, others = branch.distances[part[middle]], np.delete(part, middle)
        row = int(branch.rows[part[middle]])
        distances = counted.within(row, branch.rows[others])
        branches.append(Branch(row, float(up), branch.rows[others], distances))
    return branches, np.arange(0)


def _halves(X: np.ndarray, rows: np.ndarray, part: np.ndarray) -> list[np.ndarray]:
    """Halve some rows along their widest feature, unless they are equal."""
    widest = _widest(X, rows[part])
    if widest is None:
        return [part]
    # the median by partial sorting: linear time, and halves of equal size whatever the values
    order = np.argpartition(X[rows[part], widest], len(part) // 2)
    return [part[order[: len(part) // 2]], part[order[len(part) // 2 :]]]


def _widest(X: np.ndarray, rows: np.ndarray) -> int | None:
    """The feature of the widest range; None if all rows are equal."""
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    for part in _row_blocks(X, rows):
        np.minimum(low, part.min(axis=0), out=low)
        np.maximum(high, part.max(axis=0), out=high)
    # halved before subtraction: the range of huge numbers could overflow
    return int(np.argmax(high / 2 - low / 2)) if (low < high).any() else None


def _middle(X: np.ndarray, rows: np.ndarray) -> int:
    """Position of the row nearest to the mean of some rows."""
    with np.errstate(over="ignore", invalid="ignore"):  # after overflow any row is a valid middle
        mean = sum(part.sum(axis=0, dtype=float) for part in _row_blocks(X, rows)) / len(rows)
        far = [((part - mean) ** 2).sum(axis=1) for part in _row_blocks(X, rows)]
    return int(np.argmin(np.concatenate(far)))


def _row_blocks(X: np.ndarray, rows: np.ndarray) -> Iterator[np.ndarray]:
    step = rows_at_once(X)
    for start in range(0, len(rows), step):
        yield X[rows[start : start + step]]
