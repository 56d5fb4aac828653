"""The large-margin loss as a function of L: target neighbours are pulled, impostors pushed.

Impostors, the rows of other classes within the margins, are listed; lists are updated as rows move.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_ROWS, _DISTANCES = 100, 2**21  # rows and distances used to scale a start
_FURTHEST = 60  # most powers of two walked when scaling a start
_WORTH, _NEXT_TO_NOTHING = 0.99, 1e-30  # a multiple must gain 1 % over (nearly) zero


class LargeMargin:
    """``sum_ij |L(x_i - x_j)|^2 + c sum_ijl [1 + |L(x_i - x_j)|^2 - |L(x_i - x_l)|^2]_+``.

    The sum is over the target neighbours j of i and all rows l of other classes.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Centred.
    codes : ndarray of int, shape (n,)
    counts : ndarray of int, shape (n_classes,)
        Number of target neighbours of the members of each class, below the class size.
    push : float
        c.
    L : ndarray of shape (d, p), optional
        Map under which target neighbours are nearest; None: the Euclidean distance.
    """

    def __init__(
        self,
        X: np.ndarray,
        codes: np.ndarray,
        counts: np.ndarray,
        push: float,
        L: np.ndarray | None = None,
    ) -> None:
        self._original = X, codes, counts, push
        order = np.argsort(codes, kind="stable")
        self.X, self.codes, self.push = np.ascontiguousarray(X[order]), codes[order], push
        targets = _targets(self.X if L is None else self._mapped(L), self.codes, counts)
        self.first, self.slot = np.nonzero(targets >= 0)
        self.second = targets[self.first, self.slot]
        self._shape = targets.shape
        self._impostors = Impostors(self.codes)

    @property
    def at_zero(self) -> float:
        """The loss of L = 0."""
        others = len(self.codes) - np.bincount(self.codes)
        return self.push * float(others[self.codes[self.first]].sum())

    def anew(self, L: np.ndarray) -> LargeMargin:
        """The loss with target neighbours updated under L; at L it is no larger."""
        return LargeMargin(*self._original, L)

    def __call__(self, L: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss and gradient."""
        Z = self._mapped(L)
        pulled = _squared_distances(Z, self.first, self.second)
        margins = np.full(self._shape, -np.inf, dtype=Z.dtype)
        margins[self.first, self.slot] = 1 + pulled
        # the kernel stops at the first closed margin, so they come in descending order
        falling = np.argsort(-margins, axis=1, kind="stable")
        hinges = self._impostors.hinges(Z, np.take_along_axis(margins, falling, axis=1))
        opened = np.empty_like(hinges.opened)
        # back to the order of the target neighbours
        np.put_along_axis(opened, falling, hinges.opened, axis=1)
        # the pull of a pair counts once, and once more (times c) for each impostor within its
        # margin
        weights = (1 + self.push * opened[self.first, self.slot]).astype(Z.dtype)
        laplacian = Z.dtype.type(self.push) * hinges.laplacian
        _add_laplacian(Z, self.first, self.second, weights, laplacian)
        loss = float(pulled.sum(dtype=float)) + self.push * hinges.loss
        # the loss is sum_ij w_ij |z_i - z_j|^2 locally; its gradient is 2 (Laplacian Z)' X
        return loss, np.asarray(2 * (laplacian.T @ self.X), dtype=float)

    def along(self, L: np.ndarray) -> tuple[float, Callable[[float], float]]:
        """Mean pulled distance, and the loss as a function of multiples of L'L, on some rows."""
        Z = self._mapped(L)
        pulled = _squared_distances(Z, self.first, self.second)
        D, margins = self._sample(Z, pulled)

        def loss(multiple: float) -> float:
            hinges = sum(
                float(np.maximum(1 + multiple * (column[:, None] - D), 0).sum(dtype=float))
                for column in margins.T
            )
            near = margins[np.isfinite(margins)].sum(dtype=float)
            return multiple * float(near) + self.push * hinges

        return float(pulled.mean(dtype=float)), loss

    def _sample(self, Z: np.ndarray, pulled: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Squared distances of selected rows to rows of other classes, and to their targets."""
        rows = np.unique(self.first)
        number = max(min(_MOST_ROWS, _DISTANCES // len(Z), len(rows)), 1)
        rows = rows[np.linspace(0, len(rows) - 1, number).astype(int)]
        lengths = np.einsum("ij,ij->i", Z, Z)
        D = lengths[rows, None] + lengths - 2 * (Z[rows] @ Z.T)
        # rows of the same class are no impostors
        D[self.codes[rows, None] == self.codes] = np.inf
        near = np.full(self._shape, -np.inf, dtype=Z.dtype)
        near[self.first, self.slot] = pulled
        return D, near[rows]

    def _mapped(self, L: np.ndarray) -> np.ndarray:
        return np.asarray(self.X @ L.T.astype(self.X.dtype, copy=False))


class GivenTriplets:
    """The loss for given triplets i, j, l; each pair i, j is pulled once."""

    def __init__(self, X: np.ndarray, triplets: np.ndarray, push: float) -> None:
        self.X, self.push = X, push
        near, self.near = np.unique(triplets[:, :2], axis=0, return_inverse=True)
        far, self.far = np.unique(triplets[:, [0, 2]], axis=0, return_inverse=True)
        self.n_near, self.n_far = len(near), len(far)
        self.first, self.second = np.ascontiguousarray(np.vstack([near, far]).T)

    @property
    def at_zero(self) -> float:
        """The loss of L = 0."""
        return self.push * len(self.near)

    def anew(self, L: np.ndarray) -> GivenTriplets:
        """Return the loss itself: triplets do not depend on L."""
        return self

    def __call__(self, L: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss and gradient."""
        Z = self._mapped(L)
        pulled, pushed = self._distances(Z)
        hinges = 1 + pulled[self.near] - pushed[self.far]
        opened = hinges > 0
        near = np.bincount(self.near[opened], minlength=self.n_near)
        far = np.bincount(self.far[opened], minlength=self.n_far)
        weights = np.concatenate([1 + self.push * near, -self.push * far]).astype(Z.dtype)
        laplacian = np.zeros_like(Z)
        _add_laplacian(Z, self.first, self.second, weights, laplacian)
        loss = pulled.sum(dtype=float) + self.push * hinges[opened].sum(dtype=float)
        return float(loss), np.asarray(2 * (laplacian.T @ self.X), dtype=float)

    def along(self, L: np.ndarray) -> tuple[float, Callable[[float], float]]:
        """Mean pulled distance, and the loss as a function of multiples of L'L."""
        pulled, pushed = self._distances(self._mapped(L))
        gaps = pulled[self.near] - pushed[self.far]
        total = float(pulled.sum(dtype=float))

        def loss(multiple: float) -> float:
            hinges = np.maximum(1 + multiple * gaps, 0).sum(dtype=float)
            return multiple * total + self.push * float(hinges)

        return float(pulled.mean(dtype=float)), loss

    def _distances(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        both = _squared_distances(Z, self.first, self.second)
        return both[: self.n_near], both[self.n_near :]

    def _mapped(self, L: np.ndarray) -> np.ndarray:
        return np.asarray(self.X @ L.T.astype(self.X.dtype, copy=False))


def best_multiple(objective: LargeMargin | GivenTriplets, L: np.ndarray, scale: float) -> float:
    """Factor of L that minimises the loss along its multiples, up to a factor of sqrt(2).

    The loss is convex along multiples of L'L, so the search walks by powers of two. It starts where
    pulled pairs have mean length one (if all coincide, at the unit of the data). It stays there if
    no multiple is better than 0, where the gradient vanishes.
    """
    typical, loss = objective.along(L)
    unit = multiple = 1 / (typical if typical > 0 else scale**2)
    least = loss(multiple)
    for step in (2.0, 0.5):
        for _ in range(_FURTHEST):
            there = loss(multiple * step)
            if there >= least:
                break
            multiple, least = multiple * step, there
    nothing = loss(unit * _NEXT_TO_NOTHING)
    # too little gain over L = 0: the multiple would start where the gradient vanishes
    return float(np.sqrt(multiple if least < _WORTH * nothing else unit))


def _squared_distances(Z: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Squared distance of each pair of rows."""
    squares = np.empty(len(first), dtype=Z.dtype)
    _squared_lengths(Z, first, second, squares)
    return squares


def _targets(Z: np.ndarray, codes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The nearest rows of the same class, nearest first; padded with -1."""
    targets = np.full((len(Z), int(counts.max())), -1)
    for group, k in enumerate(counts):
        members = np.flatnonzero(codes == group)
        if k > 0:
            targets[members, :k] = members[ilk.nearest(Z[members], int(k))[1]]
    return targets


_ROWS = 256  # rows per block
_LANES = 4  # fixed partial sums over blocks: results do not depend on the number of threads
_SKIN = 0.1  # lists reach this share beyond the margins, so that they stay valid for a while
_WORTHWHILE = 8  # keep a list with at most one in so many pairs: longer ones save no time
_KEPT = 2**23  # most pairs on all kept lists together: 32 MiB


class HingeLoss(NamedTuple):
    """Sums over all open hinges.

    Attributes
    ----------
    loss : float
    opened : ndarray of int, shape (n, k)
        Number of open hinges of each margin.
    laplacian : ndarray of shape (n, d)
        Half the derivative of the sum by each row, with fixed margins.
    """

    loss: float
    opened: np.ndarray
    laplacian: np.ndarray


class Impostors:
    """Sums ``[m - |z_i - z_l|^2]_+`` over all rows i, margins m of i, and rows l of other classes.

    Pairs of rows within the margins plus a skin are found block by block from matrix products, and
    listed (a Verlet list). A list is valid while no other pair can have come within the margins: if
    rows moved by at most ``a``, apart from a common factor, distances have changed by at most
    ``2 max a``. So no impostor is missed.

    Parameters
    ----------
    groups : ndarray of int, shape (n,)
        The class of each row, ascending.
    """

    def __init__(self, groups: np.ndarray) -> None:
        n = len(groups)
        edges = np.flatnonzero(np.diff(groups, prepend=-1, append=n + 1))
        # classes are contiguous: a block meets only rows of later classes, so each pair comes once
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

    def hinges(self, Z: np.ndarray, margins: np.ndarray) -> HingeLoss:
        """Sum over all impostors of rows Z; margins of shape (n, k), descending in each row."""
        reach = np.maximum(margins[:, 0], 0)  # -inf without target neighbours
        if not self._serve(Z, reach):
            self._forget(Z, reach)
        lengths = np.einsum("ij,ij->i", Z, Z)
        lanes: list[Any] = [None] * max(min(_LANES, len(self._blocks)), 1)

        def work(lane: int, _stop: int) -> None:
            lanes[lane] = self._lane(lane, Z, margins, lengths, reach)

        ilk.in_blocks(work, len(lanes), 1)
        total: HingeLoss = lanes[0]
        for one in lanes[1:]:
            # a fixed order of summation, whatever the number of threads
            total = HingeLoss(*(a + b for a, b in zip(total, one, strict=True)))
        return total

    def _lane(
        self, lane: int, Z: np.ndarray, margins: np.ndarray, lengths: np.ndarray, reach: np.ndarray
    ) -> HingeLoss:
        opened, laplacian = np.zeros(margins.shape, dtype=np.int32), np.zeros_like(Z)
        loss = 0.0
        for number in range(lane, len(self._blocks), _LANES):
            ends, partners = self._near(number, Z, lengths, reach)
            start = self._blocks[number][0]
            loss += _add_hinge_loss(Z, start, ends, partners, margins, opened, laplacian)
        return HingeLoss(loss, opened, laplacian)

    def _near(self, number: int, Z: np.ndarray, lengths: np.ndarray, reach: np.ndarray) -> Any:
        """Candidate pairs of a block: from its list, or by a new search."""
        listed = self._lists[number]
        if isinstance(listed, tuple):
            return listed
        start, stop, left = self._blocks[number]
        products = Z[start:stop] @ Z[left:].T
        if listed is _TOO_LONG:
            return _within_reach(products, lengths, reach, start, left)
        pairs = _within_reach(products, lengths, self._reached**2, start, left)
        short = len(pairs[1]) <= min(products.size / _WORTHWHILE, _KEPT / len(self._blocks))
        self._lists[number] = pairs if short else _TOO_LONG
        return pairs

    def _serve(self, Z: np.ndarray, reach: np.ndarray) -> bool:
        """Whether the lists hold all pairs within the current margins."""
        then = self._then
        if then.shape != Z.shape:
            return False
        # least squares: a common factor changes all distances alike and is no movement
        factor = float(np.vdot(Z, then)) / max(float(np.vdot(then, then)), _TINY)
        if factor <= 0:
            return False
        moved = Z - factor * then
        moved = np.sqrt(np.einsum("ij,ij->i", moved, moved))
        # a pair beyond the list's reach is still at least this far apart
        seen = factor * self._reached - moved - moved.max()
        return bool(np.all((seen >= np.sqrt(reach)) | (reach == 0)))

    def _forget(self, Z: np.ndarray, reach: np.ndarray) -> None:
        self._then, self._reached = Z, (1 + _SKIN) * np.sqrt(reach)
        self._lists = [_UNKNOWN] * len(self._blocks)
        self.n_searches += 1


_UNKNOWN, _TOO_LONG = None, False
_TINY = np.finfo(float).tiny  # avoids a division by 0
_FAST = {"contract", "nsz", "reassoc"}  # allow SIMD sums, but keep NaN and infinity exact


@ilk.compiled(fastmath=_FAST)
def _squared_lengths(Z: np.ndarray, first: np.ndarray, second: np.ndarray, out: np.ndarray) -> None:
    """Write ``|z_a - z_b|^2`` of each pair of rows a, b.

    Shapes: `Z` (n, d), `first`, `second` and `out` (m,).
    """
    for e in range(len(first)):
        a, b = first[e], second[e]
        total = Z.dtype.type(0)
        for f in range(Z.shape[1]):
            step = Z[a, f] - Z[b, f]
            total += step * step
        out[e] = total


@ilk.compiled(fastmath=_FAST)
def _add_laplacian(
    Z: np.ndarray, first: np.ndarray, second: np.ndarray, weights: np.ndarray, out: np.ndarray
) -> None:
    """Add ``w (e_a - e_b) (z_a - z_b)'`` for each pair a, b with its weight w.

    Shapes: `Z` and `out` (n, d), `first`, `second` and `weights` (m,).
    """
    for e in range(len(first)):
        a, b, w = first[e], second[e], weights[e]
        if w != 0:
            for f in range(Z.shape[1]):
                step = w * (Z[a, f] - Z[b, f])
                out[a, f] += step
                out[b, f] -= step


def _within_reach(
    products: np.ndarray, lengths: np.ndarray, reach: np.ndarray, start: int, left: int
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of rows whose squared distance is below the reach of either.

    Parameters
    ----------
    products : ndarray of shape (b, m)
        Inner products of b rows, from `start` on, with m rows, from `left` on.
    lengths, reach : ndarray of shape (n,)
        Squared lengths and squared reaches of all rows.

    Returns
    -------
    ends : ndarray of int, shape (b + 1,)
        Start of the partners of each of the b rows in `partners`, and the end of the last.
    partners : ndarray of int32
        Row numbers.
    """
    b, m = products.shape
    # compiled code that allocates arrays takes longer to compile
    ends, near = np.zeros(b + 1, dtype=np.int64), np.empty(m, dtype=bool)
    return ends, _partners(products, lengths, reach, start, left, ends, near)


@ilk.compiled
def _partners(
    products: np.ndarray,
    lengths: np.ndarray,
    reach: np.ndarray,
    start: int,
    left: int,
    ends: np.ndarray,
    near: np.ndarray,
) -> np.ndarray:
    """Return the partners that `_within_reach` finds and fill `ends`; `near`: scratch, (m,)."""
    b, m = products.shape
    theirs, far = lengths[left : left + m], reach[left : left + m]
    for r in range(b):
        length, limit, row = lengths[start + r], reach[start + r], products[r]
        count = 0
        for c in range(m):
            count += length + theirs[c] - row[c] - row[c] < max(limit, far[c])
        ends[r + 1] = ends[r] + count
    partners = np.empty(ends[b] + 1, dtype=np.int32)  # one spare place for discarded candidates
    for r in range(b):
        length, limit, row = lengths[start + r], reach[start + r], products[r]
        at = ends[r]
        if at == ends[r + 1]:
            continue
        for c in range(m):
            near[c] = length + theirs[c] - row[c] - row[c] < max(limit, far[c])
        for c in range(m):
            partners[at] = left + c
            at += near[c]
    return partners[: ends[b]]


@ilk.compiled(fastmath=_FAST)
def _add_hinge_loss(
    Z: np.ndarray,
    start: int,
    ends: np.ndarray,
    partners: np.ndarray,
    margins: np.ndarray,
    opened: np.ndarray,
    out: np.ndarray,
) -> float:
    """Sum ``[m - |z_i - z_l|^2]_+`` over the pairs i, l and the margins m of both.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
    start, ends, partners
        See `_within_reach`.
    margins : ndarray of shape (n, k)
        Margins of each row, descending.
    opened : ndarray of int, shape (n, k)
        The number of positive terms of each margin is added.
    out : ndarray of shape (n, d)
        ``(e_i - e_l) (z_i - z_l)'`` is subtracted for each positive term.
    """
    loss = 0.0
    for r in range(len(ends) - 1):
        i = start + r
        for e in range(ends[r], ends[r + 1]):
            l = np.int64(partners[e])  # noqa: E741  # as in the formula
            length = Z.dtype.type(0)
            for f in range(Z.shape[1]):
                step = Z[i, f] - Z[l, f]
                length += step * step
            # both rows of the pair may have margins that the other one violates
            weight = 0
            for row in (i, l):
                for j in range(margins.shape[1]):
                    if length >= margins[row, j]:  # margins descend: the rest is closed too
                        break
                    loss += margins[row, j] - length
                    opened[row, j] += 1
                    weight += 1
            if weight:
                factor = Z.dtype.type(weight)
                for f in range(Z.shape[1]):
                    step = factor * (Z[i, f] - Z[l, f])
                    out[i, f] -= step
                    out[l, f] += step
    return loss
