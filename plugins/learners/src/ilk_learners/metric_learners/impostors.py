"""Rows of other classes that stand within the margins of a row, as rows move."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import ilk

_ROWS = 256  # of a block
_LANES = 4  # sums of their own, each over some of the blocks: threads change no bit
_SKIN = 0.1  # how much further is looked than the margins reach
_WORTHWHILE = 8  # a list is kept if one pair in so many is on it: longer, it saves no time,
_KEPT = 2**23  # and if all lists together have no more pairs: 32 MiB


class Hinges(NamedTuple):
    """What all open hinges add up to.

    Attributes
    ----------
    loss : float
    opened : ndarray of int, shape (n, k)
        How many hinges of each margin are open.
    laplacian : ndarray of shape (n, d)
        The derivative of the sum for each row, halved, without that of the margins.
    """

    loss: float
    opened: np.ndarray
    laplacian: np.ndarray


class Impostors:
    """Sums ``[m - |z_i - z_l|^2]_+`` over all rows i, margins m of i, and rows l of other classes.

    Pairs of rows that are near, or not much further than that, are found block by block from
    matrix products, and listed. A list serves as long as no row has moved so far that another
    pair could be near: where z moved from what it was by ``a`` at most, its multiple apart,
    distances have changed by ``2 max a`` at most. So no impostor is ever missed.

    Parameters
    ----------
    groups : ndarray of int, shape (n,)
        The class of each row, rising.
    """

    def __init__(self, groups: np.ndarray) -> None:
        n = len(groups)
        edges = np.flatnonzero(np.diff(groups, prepend=-1, append=n + 1))
        self._blocks = [
            (start, min(start + _ROWS, stop), int(stop))
            for first, stop in pairwise(edges)
            for start in range(int(first), int(stop), _ROWS)
            if stop < n
        ]
        self._lists: list[Any] = []
        self._then = np.empty((0, 0))
        self._reached = np.empty(0)
        self.n_searches = 0

    def hinges(self, Z: np.ndarray, margins: np.ndarray) -> Hinges:
        """Sum over all impostors of rows Z, with margins of shape (n, k) that fall in each row."""
        reach = np.maximum(margins[:, 0], 0)  # without target neighbours the margin is -inf
        if not self._serve(Z, reach):
            self._forget(Z, reach)
        lengths = np.einsum("ij,ij->i", Z, Z)
        lanes: list[Any] = [None] * max(min(_LANES, len(self._blocks)), 1)

        def work(lane: int, _stop: int) -> None:
            lanes[lane] = self._lane(lane, Z, margins, lengths, reach)

        ilk.in_blocks(work, len(lanes), 1)
        total: Hinges = lanes[0]
        for one in lanes[1:]:
            total = Hinges(*(a + b for a, b in zip(total, one, strict=True)))
        return total

    def _lane(
        self, lane: int, Z: np.ndarray, margins: np.ndarray, lengths: np.ndarray, reach: np.ndarray
    ) -> Hinges:
        from ilk_learners.metric_learners.hinges import add_hinges

        opened, laplacian = np.zeros(margins.shape, dtype=np.int32), np.zeros_like(Z)
        loss = 0.0
        for number in range(lane, len(self._blocks), _LANES):
            ends, partners = self._near(number, Z, lengths, reach)
            start = self._blocks[number][0]
            loss += add_hinges(Z, start, ends, partners, margins, opened, laplacian)
        return Hinges(loss, opened, laplacian)

    def _near(self, number: int, Z: np.ndarray, lengths: np.ndarray, reach: np.ndarray) -> Any:
        """Pairs of a block that may be near: listed before, or found now."""
        from ilk_learners.metric_learners.hinges import within_reach

        listed = self._lists[number]
        if isinstance(listed, tuple):
            return listed
        start, stop, left = self._blocks[number]
        products = Z[start:stop] @ Z[left:].T
        if listed is _TOO_LONG:
            return within_reach(products, lengths, reach, start, left)
        found = within_reach(products, lengths, self._reached**2, start, left)
        short = len(found[1]) <= min(products.size / _WORTHWHILE, _KEPT / len(self._blocks))
        self._lists[number] = found if short else _TOO_LONG
        return found

    def _serve(self, Z: np.ndarray, reach: np.ndarray) -> bool:
        """Tell whether the lists hold all pairs that are near now."""
        then = self._then
        if then.shape != Z.shape:
            return False
        factor = float(np.vdot(Z, then)) / max(float(np.vdot(then, then)), _TINY)
        if factor <= 0:
            return False
        moved = Z - factor * then
        moved = np.sqrt(np.einsum("ij,ij->i", moved, moved))
        seen = factor * self._reached - moved - moved.max()
        return bool(np.all((seen >= np.sqrt(reach)) | (reach == 0)))

    def _forget(self, Z: np.ndarray, reach: np.ndarray) -> None:
        self._then, self._reached = Z, (1 + _SKIN) * np.sqrt(reach)
        self._lists = [_UNKNOWN] * len(self._blocks)
        self.n_searches += 1


_UNKNOWN, _TOO_LONG = None, False
_TINY = np.finfo(float).tiny
