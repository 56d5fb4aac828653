"""Cover tree: nested balls, for every metric on objects of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ilk import param
from ilk_distances.indexes.ball_tree_search import BallTreeIndex, Branch, Hierarchy, grow, root_of

if TYPE_CHECKING:
    from ilk import Cases
    from ilk_distances.indexes.candidates import CountedDistances

MIDDLES = 64  # maximum number of children of a ball: bounds the cost of division
TRIED = 8  # middles picked before the first check that division helps
FEW = 8  # rows that form a list, which is cheaper than a division


class CoverTree(BallTreeIndex):
    """Cover tree: balls of shrinking radius around training rows; exact, for every metric.

    The simplified, nearest-ancestor cover tree. A ball of radius R around a row is divided by
    picking further rows as middles, always the row farthest from all middles so far, until each
    row is within R / base of a middle; every row belongs to its nearest middle. The middles in a
    ball are therefore farther apart than R / base (separation), and the balls around them have
    at most that radius (covering). Levels that would only repeat a row are left out. It takes
    O(n) space: every row is a middle once, and repeated as a child of itself at most as often.

    The tree stores the distances computed during its construction: a query is compared with a
    row only if the triangle inequality, with the distance of the row to its parent's middle,
    cannot exclude the row. A ball of rows at distance 0 is a list. If a ball cannot be divided
    well (64 middles do not cover it and half the rows remain around one of them, as in very many
    dimensions), its rows form a list, too; this costs comparisons but changes no answer.

    Takes any data that the distance takes: vectors, texts, tables, sets, signatures.

    Each compared row costs 0.1 to 0.2 microseconds in addition to its distance, in which time
    `brute` computes some fifty Manhattan or Euclidean distances. With these distances, the tree
    is faster than `brute` on rows in tight clusters (by up to 3 times) and slower on others; it
    pays if a distance takes about a microsecond or more. Distances without compiled tiles are
    called query by query: a call then takes longer than many comparisons, and `brute`, which
    compares a whole block, may be faster unless there are many rows.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : data of n rows
        Training rows as the distance takes them; float arrays are not copied.
    tree_ : Hierarchy
        The balls, in arrays of at most 2 n entries: middle, distance to the parent's middle,
        radius, first child, number of children.
    n_build_evaluations_ : int
        Number of distances computed by `fit`.
    n_distance_evaluations_ : int
        Number of distances computed since `fit`.

    Raises
    ------
    InputError
        If the distance is no metric, k is not within 1..n, a radius is negative, or a distance
        is NaN or negative.

    References
    ----------
    .. [1] A. Beygelzimer, S. Kakade and J. Langford, "Cover trees for nearest neighbor", *ICML*,
       2006.
    .. [2] M. Izbicki and C. Shelton, "Faster cover trees", *ICML*, 2015, from which the simplified
       invariants and the nearest ancestor are; here the tree is built from the top, with all rows
       at hand.
    .. [3] Cunningham 2008: section 2.4.3.

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
        doc="Factor by which the radius shrinks from level to level. A larger base gives "
        "shallower trees with more middles in each ball, and takes more comparisons to build.",
    )

    @classmethod
    def examples(cls) -> list[CoverTree]:
        """Return the default and the base of the original paper."""
        return [cls(), cls(base=2)]

    def _grow(self, counted: CountedDistances, X: Cases) -> Hierarchy:
        return grow(root_of(counted, 0), lambda branch: _divide(branch, self.base, counted))


def _divide(
    branch: Branch, base: float, counted: CountedDistances
) -> tuple[list[Branch], np.ndarray]:
    """Divide a ball into covering balls; few, equal or very distant rows form a list."""
    D = branch.distances
    if len(D) <= FEW or not D.any():
        return [], np.arange(len(D))
    # rows at infinite distance have no useful radius: they stay in the list
    listed = np.flatnonzero(np.isinf(D))
    if len(listed):
        branch = branch._replace(rows=np.delete(branch.rows, listed), distances=D[np.isfinite(D)])
        if not len(branch.rows):
            return [], listed
    largest = float(branch.distances.max())
    # rounded to the type of the distances, in which it is compared
    scale = float(D.dtype.type(largest / base))
    if scale >= largest:  # a subnormal radius divided by the base may round to itself
        return [], np.arange(len(D))
    middles, owners, near = _cover(branch, scale, counted)
    # rows by owner; middles are no members of their own balls
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
        # divide again only if the radius shrank or half of the rows left; otherwise the recursion
        # could become as deep as there are rows
        divide = bool(radius <= scale) or 2 * len(inside) <= len(D)
        branches.append(Branch(row, up, branch.rows[inside], near[inside], divide))
    return branches, listed


def _cover(
    branch: Branch, scale: float, counted: CountedDistances
) -> tuple[list[int], np.ndarray, np.ndarray]:
    """Pick middles until every row is within a given distance of a middle.

    Returns
    -------
    middles : list of int
        Positions in the branch.
    owners : ndarray of int
        For each row its nearest middle: 0 is the middle of the branch, i the i-th picked.
    near : ndarray
        Its distance to that.
    """
    D = branch.distances
    near, owners = D.copy(), np.zeros(len(D), np.int64)
    middles: list[int] = []
    while len(middles) < MIDDLES:
        # farthest-first traversal: the new middle is more than `scale` from all others (separation)
        farthest = int(np.argmax(near))
        if near[farthest] <= scale or _is_hopeless(near, len(middles), scale):
            break
        row = int(branch.rows[farthest])
        apart = np.append(D[farthest], counted.within(row, branch.rows[middles]))
        near[farthest] = 0
        # by the triangle inequality, a row at most half as far from its middle as the new middle
        # is keeps its middle: no comparison is needed
        # the second condition: distances to the common middle bound the distance to the new one
        doubtful = (apart[owners] / 2 < near) & (np.abs(D - D[farthest]) < near)
        maybe = np.flatnonzero(doubtful)
        distances = counted.within(row, branch.rows[maybe])
        closer = distances < near[maybe]
        middles.append(farthest)
        owners[farthest] = len(middles)
        owners[maybe[closer]] = len(middles)
        near[maybe[closer]] = distances[closer]
    return middles, owners, near


def _is_hopeless(near: np.ndarray, n_middles: int, scale: float) -> bool:
    """Tell whether the middles cover few other rows."""
    return n_middles >= TRIED and bool(np.count_nonzero(near <= scale) < 2 * n_middles)
