"""Cover tree: balls in balls, for every metric on objects of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import param
from ilk_distances.indexes.ball_tree_search import BallTreeIndex, Branch, Hierarchy, grow, root_of

if TYPE_CHECKING:
    from ilk_distances.indexes.counted_distances import CountedDistances

MIDDLES = 64  # balls that one ball is divided into, at most
TRIED = 8  # middles before it is asked what they cover
FEW = 8  # rows that are listed rather than divided


class CoverTree(BallTreeIndex):
    """Cover tree: balls of shrinking radius around training rows; exact, for every metric.

    The simplified, nearest-ancestor cover tree. A ball of radius R around a row is divided by
    picking further rows as middles, always the one farthest from all middles so far, until each
    row is within R / base of one; every row belongs to its nearest middle. So the middles in a
    ball are farther apart than R / base (separation), and the balls around them have at most
    that radius (covering), with the levels that a row would only repeat left out. It takes O(n)
    space: every row is a middle once, and repeated as a child of itself at most as often.

    Distances that were needed to build the tree are kept: a query compares itself only with
    rows that the triangle inequality does not rule out by the distance of the row to the middle
    above it. A ball of rows at distance 0 is a list. Where a ball cannot be divided well (no 64
    middles cover it and half the rows remain around one of them, as in very many dimensions)
    its rows are listed too, which costs comparisons but never the answer.

    Takes whatever the distance takes: vectors, texts, tables, sets, signatures.

    Each row that is compared takes 0.1 to 0.2 microseconds beside its distance, in which time
    `brute` computes some fifty Manhattan or Euclidean distances. Of these, the tree is faster
    than `brute` on rows in tight clusters (by up to 3 times) and slower on others; it pays where
    a distance takes about a microsecond or more. Distances that do not come from compiled
    tiles are asked for query by query: there, a call takes longer than many comparisons, and
    `brute`, which asks for a whole block, may be faster until rows are many.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : data of n rows
        Training rows as the distance takes them; float arrays are not copied.
    tree_ : Hierarchy
        The balls, in arrays of at most 2 n entries: middle, distance to the middle above,
        radius, first child, number of children.
    n_build_evaluations_ : int
        How many distances `fit` has computed.
    n_distance_evaluations_ : int
        How many distances have been computed since `fit`.

    Raises
    ------
    InputError
        If the distance is no metric, k is not within 1..n, a radius is negative, or a distance
        is NaN or negative.

    References
    ----------
    .. [1] A. Beygelzimer, S. Kakade and J. Langford, "Cover trees for nearest neighbor", *ICML*,
       2006.
    .. [2] M. Izbicki and C. Shelton, "Faster cover trees", *ICML*, 2015, from which the
       simplified invariants and the nearest ancestor are; here the tree is built from the top,
       with all rows at hand.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [1.0], [5.0], [9.0], [9.5]]
    >>> index = ilk.index("cover_tree").fit(X, distance=ilk.distance("euclidean"))
    >>> distances, indices = index.kneighbors([[1.0]], 2)
    >>> indices
    array([[1, 2]])
    """

    base: float = param(
        default=1.3,
        gt=1,
        doc="By how much the radius shrinks from level to level. More makes shallower trees "
        "with more middles in each ball, and takes more comparisons to build.",
    )

    @classmethod
    def examples(cls) -> list[CoverTree]:
        """Return the default and the base of the original paper."""
        return [cls(), cls(base=2)]

    def _grow(self, counted: CountedDistances, X: Any) -> Hierarchy:
        return grow(root_of(counted, 0), lambda branch: _divide(branch, self.base, counted))


def _divide(
    branch: Branch, base: float, counted: CountedDistances
) -> tuple[list[Branch], np.ndarray]:
    """Divide a ball into balls around rows that cover it; list what is few, equal or too far."""
    D = branch.distances
    if len(D) <= FEW or not D.any():
        return [], np.arange(len(D))
    listed = np.flatnonzero(np.isinf(D))
    if len(listed):
        branch = branch._replace(rows=np.delete(branch.rows, listed), distances=D[np.isfinite(D)])
        if not len(branch.rows):
            return [], listed
    largest = float(branch.distances.max())
    scale = float(D.dtype.type(largest / base))
    if scale >= largest:  # of the smallest numbers
        return [], np.arange(len(D))
    middles, owners, near = _cover(branch, scale, counted)
    order = np.argsort(owners, kind="stable")
    order = order[~np.isin(order, middles)]
    ends = np.searchsorted(owners[order], np.arange(1, len(middles) + 1))
    branches = []
    for middle, inside in zip([-1, *middles], np.split(order, ends), strict=True):
        if middle < 0 and not len(inside):
            continue
        row = branch.row if middle < 0 else int(branch.rows[middle])
        up = 0.0 if middle < 0 else float(branch.distances[middle])
        radius = near[inside].max(initial=0.0)
        divide = bool(radius <= scale) or 2 * len(inside) <= len(D)
        branches.append(Branch(row, up, branch.rows[inside], near[inside], divide))
    return branches, listed


def _cover(
    branch: Branch, scale: float, counted: CountedDistances
) -> tuple[list[int], np.ndarray, np.ndarray]:
    """Pick middles until every row is within a distance of one.

    Returns
    -------
    middles : list of int
        Positions in the branch.
    owners : ndarray of int
        For each row its nearest middle: 0 is that of the branch, i the i-th picked.
    near : ndarray
        Its distance to that.
    """
    D = branch.distances
    near, owners = D.copy(), np.zeros(len(D), np.int64)
    middles: list[int] = []
    while len(middles) < MIDDLES:
        farthest = int(np.argmax(near))
        if near[farthest] <= scale or _is_hopeless(near, len(middles), scale):
            break
        row = int(branch.rows[farthest])
        apart = np.append(D[farthest], counted.within(row, branch.rows[middles]))
        near[farthest] = 0
        # who is no more than half as far from its middle as that is from the new one stays there
        doubtful = (apart[owners] / 2 < near) & (np.abs(D - D[farthest]) < near)
        maybe = np.flatnonzero(doubtful)
        found = counted.within(row, branch.rows[maybe])
        closer = found < near[maybe]
        middles.append(farthest)
        owners[farthest] = len(middles)
        owners[maybe[closer]] = len(middles)
        near[maybe[closer]] = found[closer]
    return middles, owners, near


def _is_hopeless(near: np.ndarray, n_middles: int, scale: float) -> bool:
    """Tell whether the middles cover hardly more than themselves."""
    return n_middles >= TRIED and bool(np.count_nonzero(near <= scale) < 2 * n_middles)
