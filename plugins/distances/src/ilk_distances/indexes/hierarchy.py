"""Training rows as a tree of balls: each has a row in its middle and holds all below it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import ilk


class Branch(NamedTuple):
    """A ball to be: the row in the middle, the rows in it, their distances to the middle.

    Attributes
    ----------
    row : int
    up : float
        Distance to the middle of the ball above.
    rows : ndarray of int
        Without the middle.
    distances : ndarray
    divide : bool
        Whether it may be divided further; else its rows are simply listed.
    """

    row: int
    up: float
    rows: np.ndarray
    distances: np.ndarray
    divide: bool = True


@dataclass(frozen=True)
class Hierarchy:
    """A tree of balls in arrays; the children of a ball are numbered one after another.

    Attributes
    ----------
    rows : ndarray of int, shape (n_balls,)
        Training row in the middle. A child may have the middle of its parent.
    up : ndarray of shape (n_balls,)
        Distance to the middle of the parent.
    radii : ndarray of shape (n_balls,)
        Largest distance of the middle to a row in the ball.
    first, count : ndarrays of int, shape (n_balls,)
        The children are ``first .. first + count - 1``.
    dtype : str
        Of the distances.
    """

    rows: np.ndarray
    up: np.ndarray
    radii: np.ndarray
    first: np.ndarray
    count: np.ndarray
    dtype: str

    def check_loaded(self) -> None:
        """Check that each ball but the first is a child of one before it, once."""
        n = len(self.rows)
        for name in ("rows", "first", "count"):
            ilk.check_stored(self, name, (n,), least=0)
        for name in ("up", "radii"):
            ilk.check_stored(self, name, (n,), kinds="f")
        parents = np.repeat(np.arange(n), np.minimum(self.count, n))
        ends = np.cumsum(self.count)
        children = np.arange(len(parents)) + (self.first - ends + self.count)[parents]
        once = np.array_equal(np.sort(children), np.arange(1, n))
        if not once or not (parents < children).all() or np.dtype(self.dtype).kind != "f":
            raise ilk.stored_fault(self, "balls are not in one another as in a tree")
        own = (self.rows[parents] == self.rows[children]) & (self.count[children] > 0)
        if np.bincount(parents[own]).max(initial=0) > 1:
            raise ilk.stored_fault(self, "a ball has two balls with its own middle in it")


Divide = Callable[[Branch], tuple[list[Branch], np.ndarray]]
"""Returns the balls in a ball, and positions of the rows that are only listed."""


def grow(root: Branch, divide: Divide) -> Hierarchy:
    """Return the tree of balls that comes of dividing a ball, and what comes of it, and so on."""
    room = 2 * len(root.rows) + 1
    rows, up, radii = np.empty(room, np.int64), np.zeros(room), np.zeros(room)
    first, count = np.zeros(room, np.int64), np.zeros(room, np.int64)
    rows[0] = root.row
    size = 1
    waiting = deque([(0, root)])
    while waiting:
        ball, branch = waiting.popleft()
        radii[ball] = branch.distances.max(initial=0.0)
        branches, listed = divide(branch) if branch.divide else ([], np.arange(len(branch.rows)))
        first[ball], count[ball] = size, len(listed) + len(branches)
        here = slice(size, size + len(listed))
        rows[here], up[here] = branch.rows[listed], branch.distances[listed]
        size += len(listed)
        for child in branches:
            rows[size], up[size] = child.row, child.up
            if len(child.rows):
                waiting.append((size, child))
            size += 1
    dtype = root.distances.dtype.str
    return Hierarchy(rows[:size], up[:size], radii[:size], first[:size], count[:size], dtype)
