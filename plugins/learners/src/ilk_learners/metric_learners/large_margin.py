"""The loss of a large margin, as a function of L: near ones are pulled, triplets push."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import ilk
from ilk_learners.metric_learners.impostors import Impostors

_MOST_ROWS, _DISTANCES = 100, 2**21  # looked at to size a start
_FURTHEST = 60
_WORTH, _NEXT_TO_NOTHING = 0.99, 1e-30


class LargeMargin:
    """``sum_ij |L(x_i - x_j)|^2 + c sum_ijl [1 + |L(x_i - x_j)|^2 - |L(x_i - x_l)|^2]_+``.

    j are the target neighbours of i, and l all rows of other classes.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Centred.
    codes : ndarray of int, shape (n,)
    counts : ndarray of int, shape (n_classes,)
        How many target neighbours the members of each class have, fewer than members.
    push : float
        c.
    L : ndarray of shape (d, p), optional
        Under which target neighbours are nearest; as features come if left out.
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
        """The loss with the target neighbours that are nearest under L; there it is no larger."""
        return LargeMargin(*self._original, L)

    def __call__(self, L: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss and gradient."""
        from ilk_learners.metric_learners.hinges import add_laplacian

        Z = self._mapped(L)
        pulled = squared_distances(Z, self.first, self.second)
        margins = np.full(self._shape, -np.inf, dtype=Z.dtype)
        margins[self.first, self.slot] = 1 + pulled
        falling = np.argsort(-margins, axis=1, kind="stable")
        found = self._impostors.hinges(Z, np.take_along_axis(margins, falling, axis=1))
        opened = np.empty_like(found.opened)
        np.put_along_axis(opened, falling, found.opened, axis=1)
        weights = (1 + self.push * opened[self.first, self.slot]).astype(Z.dtype)
        laplacian = Z.dtype.type(self.push) * found.laplacian
        add_laplacian(Z, self.first, self.second, weights, laplacian)
        loss = float(pulled.sum(dtype=float)) + self.push * found.loss
        return loss, np.asarray(2 * (laplacian.T @ self.X), dtype=float)

    def along(self, L: np.ndarray) -> tuple[float, Callable[[float], float]]:
        """Mean of what is pulled, and the loss of each multiple of L'L, of some rows alone."""
        Z = self._mapped(L)
        pulled = squared_distances(Z, self.first, self.second)
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
        """Squared distances of some rows to all of other classes, and to their targets."""
        rows = np.unique(self.first)
        number = max(min(_MOST_ROWS, _DISTANCES // len(Z), len(rows)), 1)
        rows = rows[np.linspace(0, len(rows) - 1, number).astype(int)]
        lengths = np.einsum("ij,ij->i", Z, Z)
        D = lengths[rows, None] + lengths - 2 * (Z[rows] @ Z.T)
        D[self.codes[rows, None] == self.codes] = np.inf
        near = np.full(self._shape, -np.inf, dtype=Z.dtype)
        near[self.first, self.slot] = pulled
        return D, near[rows]

    def _mapped(self, L: np.ndarray) -> np.ndarray:
        return np.asarray(self.X @ L.T.astype(self.X.dtype, copy=False))


class GivenTriplets:
    """The same for given triplets i, j, l; each pair i, j of them is pulled once."""

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
        """Return the loss itself: nothing depends on L."""
        return self

    def __call__(self, L: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss and gradient."""
        from ilk_learners.metric_learners.hinges import add_laplacian

        Z = self._mapped(L)
        pulled, pushed = self._distances(Z)
        hinges = 1 + pulled[self.near] - pushed[self.far]
        opened = hinges > 0
        near = np.bincount(self.near[opened], minlength=self.n_near)
        far = np.bincount(self.far[opened], minlength=self.n_far)
        weights = np.concatenate([1 + self.push * near, -self.push * far]).astype(Z.dtype)
        laplacian = np.zeros_like(Z)
        add_laplacian(Z, self.first, self.second, weights, laplacian)
        loss = pulled.sum(dtype=float) + self.push * hinges[opened].sum(dtype=float)
        return float(loss), np.asarray(2 * (laplacian.T @ self.X), dtype=float)

    def along(self, L: np.ndarray) -> tuple[float, Callable[[float], float]]:
        """Mean of what is pulled, and the loss of each multiple of L'L."""
        pulled, pushed = self._distances(self._mapped(L))
        gaps = pulled[self.near] - pushed[self.far]
        total = float(pulled.sum(dtype=float))

        def loss(multiple: float) -> float:
            hinges = np.maximum(1 + multiple * gaps, 0).sum(dtype=float)
            return multiple * total + self.push * float(hinges)

        return float(pulled.mean(dtype=float)), loss

    def _distances(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        both = squared_distances(Z, self.first, self.second)
        return both[: self.n_near], both[self.n_near :]

    def _mapped(self, L: np.ndarray) -> np.ndarray:
        return np.asarray(self.X @ L.T.astype(self.X.dtype, copy=False))


def best_multiple(objective: LargeMargin | GivenTriplets, L: np.ndarray, scale: float) -> float:
    """By what L is multiplied so that the loss is least along it, to a factor of sqrt(2).

    Along multiples of L'L the loss is convex, so that it is walked by powers of two, from where
    what is pulled has length one (or, if all of it coincides, from the unit of the data). There
    it stays where no multiple is better than 0, at which the gradient vanishes.
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
    return float(np.sqrt(multiple if least < _WORTH * nothing else unit))


def squared_distances(Z: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Squared distance of each pair of rows."""
    from ilk_learners.metric_learners.hinges import squared_lengths

    found = np.empty(len(first), dtype=Z.dtype)
    squared_lengths(Z, first, second, found)
    return found


def _targets(Z: np.ndarray, codes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The nearest rows of the same class, nearest first; -1 where there are no more."""
    found = np.full((len(Z), int(counts.max())), -1)
    for group, k in enumerate(counts):
        members = np.flatnonzero(codes == group)
        if k > 0:
            found[members, :k] = members[ilk.nearest(Z[members], int(k))[1]]
    return found
