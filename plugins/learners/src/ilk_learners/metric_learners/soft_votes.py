"""Losses of soft votes of all other rows, and their gradients as matrix products.

Row i gives row j != i the weight ``P_ij = exp(-w_i |L(x_i - x_j)|^2) / sum_k exp(-w_i |L(x_i -
x_k)|^2)`` and receives the vote ``v_i = sum_j P_ij y_j``. A loss is a sum over rows of a function
of v_i. With its derivative a_i and ``S_ij = w_i P_ij a_i'(y_j - v_i)``, whose rows sum to 0,

    dE/dL = -2 L M,    M = X' (diag(S' 1) - S - S') X.

Rows are processed in blocks: no array of all pairs is ever held.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

import ilk
from ilk import InputError, display_name
from ilk.neighbors import Euclidean
from ilk_learners.numerics import common_deviations

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

Outer = Callable[[np.ndarray, slice], tuple[float, np.ndarray]]
"""Maps the votes of a block of rows, shape (b, C), and their slice of all rows to the sum of
their losses and its derivative by each vote."""
_NUMBERS = 2**21  # weights per block: 16 MiB
# products of few rows are slow, and many rows do not fit into the cache
_LEAST_ROWS, _MOST_ROWS = 16, 256
_WAVE = 64  # blocks whose partial gradients are held at once


@dataclass(frozen=True)
class Softmax(ABC):
    """A loss that depends on the weights P, as a function of L.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Centred; float32 halves time and memory.
    widths : ndarray of shape (n,), optional
        The w of each row; None: 1.
    """

    X: np.ndarray
    widths: np.ndarray | None = field(default=None, kw_only=True)

    def __call__(self, L: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss, and gradient of the shape of L.

        Parameters
        ----------
        L : ndarray of shape (d, p), or (p,)
            A vector is the diagonal of a matrix; the gradient has the same shape.
        """
        if L.ndim == 1:
            return self._sum(L, _Diagonal)
        # the cheaper way: through a matrix of p x p, or through the n x d transformed rows
        return self._sum(L, _LowRank if 2 * len(L) <= L.shape[1] else _Full)

    def _sum(self, L: np.ndarray, kind: type[_Gradient]) -> tuple[float, np.ndarray]:
        Z, right = self._mapped(L)
        blocks = self._blocks()
        total, loss = kind(self.X, Z), 0.0
        for first in range(0, len(blocks), _WAVE):
            wave = blocks[first : first + _WAVE]
            for rows, (part_loss, part) in zip(
                wave, self._parts(wave, Z, right, kind), strict=True
            ):
                loss += float(part_loss)
                total.add(rows, part)  # in fixed order: results do not depend on threads
        return loss, total.gradient(L)

    def _parts(
        self, blocks: list[slice], Z: np.ndarray, right: np.ndarray, kind: type[_Gradient]
    ) -> list[Any]:
        """Yield the loss of each block and its part of the gradient."""
        parts: list[Any] = [None] * len(blocks)
        shape = (2, blocks[0].stop - blocks[0].start, len(self.X))
        idle: list[np.ndarray] = []  # buffers, each used by one thread at a time

        def work(start: int, stop: int) -> None:
            room = idle.pop() if idle else np.empty(shape, dtype=Z.dtype)
            for number in range(start, stop):
                rows = blocks[number]
                scores, S = room[:, : rows.stop - rows.start]
                loss = self._slopes(rows, self._scores(rows, right, scores), S)
                parts[number] = loss, kind.part(S, _Block(rows, self.X, Z))
            idle.append(room)

        ilk.in_blocks(work, len(blocks), 1)
        return parts

    def _mapped(self, L: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Transformed rows, and these with their squared lengths as an additional column."""
        L = L.astype(self.X.dtype, copy=False)
        Z = self.X * L if L.ndim == 1 else self.X @ L.T
        return Z, np.column_stack([Z, np.einsum("ij,ij->i", Z, Z)])

    def _blocks(self) -> list[slice]:
        n = len(self.X)
        size = min(max(_NUMBERS // n, _LEAST_ROWS), _MOST_ROWS)
        return [slice(start, min(start + size, n)) for start in range(0, n, size)]

    def _scores(self, rows: slice, right: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """``-w_i |z_i - z_j|^2`` of a block of rows, up to a constant per row."""
        # left_i right_j' = 2 z_i'z_j - |z_j|^2 = -|z_i - z_j|^2 + |z_i|^2; the softmax ignores
        # |z_i|^2
        left = 2 * right[rows]
        left[:, -1] = -1
        if self.widths is not None:
            left *= self.widths[rows, None]
        scores = np.asarray(np.matmul(left, right.T, out=out))
        # no row votes for itself
        scores[np.arange(len(scores)), np.arange(rows.start, rows.stop)] = -np.inf
        return scores

    @abstractmethod
    def _slopes(self, rows: slice, scores: np.ndarray, S: np.ndarray) -> float:
        """Loss of a block of rows, and S, written in place; `scores` may be overwritten."""


@dataclass(frozen=True)
class SoftVotes(Softmax):
    """A loss of soft votes, as a function of L.

    Parameters
    ----------
    Y : ndarray of shape (n, C)
        Targets of the votes: one-hot classes, or numbers.
    outer : callable
        See `Outer`.
    """

    Y: np.ndarray
    outer: Outer

    def votes(self, L: np.ndarray) -> np.ndarray:
        """Leave-one-out votes for each row; array of shape (n, C)."""
        _, right = self._mapped(L)
        blocks = self._blocks()
        return np.concatenate([softmax(self._scores(b, right)) @ self.Y for b in blocks])

    @cached_property
    def _Y1(self) -> np.ndarray:
        """Y with a column of ones: one product gives votes and sums."""
        return np.column_stack([self.Y, np.ones(len(self.Y), dtype=self.Y.dtype)])

    def _slopes(self, rows: slice, scores: np.ndarray, S: np.ndarray) -> float:
        weights = exponentials(scores)
        votes = weights @ self._Y1
        sums = votes[:, -1:]
        votes = votes[:, :-1] / sums
        loss, slopes = self.outer(votes, rows)
        # P_ij = weights_ij / sums_i: the division is done on the narrow arrays
        slopes = slopes.astype(weights.dtype, copy=False) / sums
        if self.widths is not None:
            slopes *= self.widths[rows, None]
        means = np.einsum("ic,ic->i", slopes, votes)
        # slopes_i'(y_j - v_i), as one product with the column of ones
        np.matmul(np.column_stack([slopes, -means]), self._Y1.T, out=S)
        S *= weights
        return loss


def softmax(scores: np.ndarray) -> np.ndarray:
    """Softmax of the scores along each row, in place."""
    weights = exponentials(scores)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def exponentials(scores: np.ndarray) -> np.ndarray:
    """Exponentials of the scores, scaled to a maximum of 1 along each row, in place.

    Values below the square of the precision are raised to it: they are negligible, and denormal
    numbers would be slow.
    """
    scores -= scores.max(axis=1, keepdims=True)
    np.maximum(scores, 2 * np.log(np.finfo(scores.dtype).eps), out=scores)
    return np.asarray(np.exp(scores, out=scores))


class _Block(NamedTuple):
    rows: slice
    X: np.ndarray
    Z: np.ndarray


class _Gradient(ABC):
    """Sums the parts of blocks of S in the gradient."""

    def __init__(self, X: np.ndarray, Z: np.ndarray) -> None:
        self.X, self.Z = X, Z
        self.columns = np.zeros(len(X))  # S' 1

    @staticmethod
    @abstractmethod
    def part(S: np.ndarray, of: _Block) -> tuple[Any, ...]:
        """The part of a block; the column sums of S come last."""

    def add(self, rows: slice, part: tuple[Any, ...]) -> None:
        """Add the part of a block."""
        self.columns += part[-1]

    @abstractmethod
    def gradient(self, L: np.ndarray) -> np.ndarray:
        """Return dE/dL."""


class _Full(_Gradient):
    """Computes M: one large product per block."""

    def __init__(self, X: np.ndarray, Z: np.ndarray) -> None:
        super().__init__(X, Z)
        self.mixed = np.zeros((X.shape[1], X.shape[1]))

    @staticmethod
    def part(S: np.ndarray, of: _Block) -> tuple[Any, ...]:
        return of.X[of.rows].T @ (S @ of.X), S.sum(axis=0)

    def add(self, rows: slice, part: tuple[Any, ...]) -> None:
        super().add(rows, part)
        self.mixed += part[0]

    def gradient(self, L: np.ndarray) -> np.ndarray:
        weighted = self.X * self.columns[:, None].astype(self.X.dtype)
        # X'(diag(c) - S - S')X; X'S'X is the transpose of X'SX
        M = weighted.T @ self.X - self.mixed - self.mixed.T
        return np.asarray(-2 * L @ M)


class _LowRank(_Gradient):
    """Avoids M if L has few rows: ``L M = (diag(S' 1) Z - S Z - S' Z)' X``."""

    def __init__(self, X: np.ndarray, Z: np.ndarray) -> None:
        super().__init__(X, Z)
        self.mixed = np.zeros(Z.shape)

    @staticmethod
    def part(S: np.ndarray, of: _Block) -> tuple[Any, ...]:
        return S @ of.Z, S.T @ of.Z[of.rows], S.sum(axis=0)

    def add(self, rows: slice, part: tuple[Any, ...]) -> None:
        super().add(rows, part)
        self.mixed[rows] += part[0]
        self.mixed += part[1]

    def gradient(self, L: np.ndarray) -> np.ndarray:
        # L X'(diag(c) - S - S')X = Z'(diag(c) - S - S')X, with Z = X L'
        rest = (self.columns[:, None] * self.Z - self.mixed).astype(self.X.dtype)
        return np.asarray(-2 * (rest.T @ self.X), dtype=float)


class _Diagonal(_Gradient):
    """Computes only the diagonal of M."""

    def __init__(self, X: np.ndarray, Z: np.ndarray) -> None:
        super().__init__(X, Z)
        self.mixed = np.zeros(X.shape[1])

    @staticmethod
    def part(S: np.ndarray, of: _Block) -> tuple[Any, ...]:
        return np.einsum("ip,ip->p", of.X[of.rows], S @ of.X), S.sum(axis=0)

    def add(self, rows: slice, part: tuple[Any, ...]) -> None:
        super().add(rows, part)
        self.mixed += part[0]

    def gradient(self, L: np.ndarray) -> np.ndarray:
        # the diagonal of X'(diag(c) - S - S')X
        M = self.columns @ np.square(self.X) - 2 * self.mixed
        return np.asarray(-2 * L * M)


def one_column_each(codes: np.ndarray, dtype: DTypeLike) -> np.ndarray:
    """One-hot encoding of class codes."""
    return np.asarray(codes[:, None] == np.arange(codes.max() + 1), dtype=dtype)


def votes_of(targets: np.ndarray, dtype: DTypeLike) -> np.ndarray:
    """Target columns of the votes; array of shape (n, C).

    Class codes are one-hot encoded; numbers become one column of mean 0 and variance 1.
    """
    if targets.dtype.kind in "iu":
        return one_column_each(targets, dtype)
    _, deviations, _ = common_deviations(targets[:, None])
    return np.asarray(deviations / deviations.std(), dtype=dtype)


def squared_error(targets: np.ndarray, Y: np.ndarray, factor: float) -> Outer:
    """``factor`` times the sum of squared differences between votes and the targets Y."""
    classes = targets.dtype.kind in "iu"

    def outer(votes: np.ndarray, rows: slice) -> tuple[float, np.ndarray]:
        errors = _class_errors(votes, Y[rows]) if classes else votes - Y[rows]
        return factor * float(np.sum(np.square(errors), dtype=float)), 2 * factor * errors

    return outer


def expected_errors(Y: np.ndarray) -> Outer:
    """The sum of votes for other classes than a row's own."""

    def outer(votes: np.ndarray, rows: slice) -> tuple[float, np.ndarray]:
        others = 1 - Y[rows]
        return float(np.sum(votes * others, dtype=float)), others

    return outer


def _class_errors(votes: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """``votes - truth``, exact even if nearly all votes are correct, as votes sum to 1."""
    wrong = votes * (1 - truth)
    return np.asarray(wrong - truth * wrong.sum(axis=1, keepdims=True))


_LEAST = 1e-2  # of the mean; what rows get that are equal to their neighbours


def squared_bandwidths(
    owner: object, X: np.ndarray, n_neighbors: int | Literal["log2"] = "log2"
) -> np.ndarray:
    """Mean squared distance of each row to the nearer half of its k nearest others.

    It is at least a hundredth of the mean over all rows, so that duplicates have a kernel too. If
    all rows have k/2 duplicates, it is at least a hundredth of the mean squared distance of rows.

    Parameters
    ----------
    owner : Component
        Named in errors.
    X : ndarray of shape (n, p)
    n_neighbors : int or "log2"
        k; "log2": floor(log2 n). The nearest max(1, floor(k/2)) are used.

    Returns
    -------
    ndarray of shape (n,), float64
        Positive.

    Raises
    ------
    InputError
        If there are fewer than k other rows.
    """
    n = len(X)
    k = int(np.log2(n)) if isinstance(n_neighbors, str) else int(n_neighbors)
    if k > n - 1:
        raise InputError(
            f"{display_name(owner)}: n_neighbors must be at most {n - 1}, the number of other "
            f"rows, got {k}"
        )
    distances, _ = ilk.without_itself(*Euclidean().nearest(X, X, max(1, k // 2) + 1))
    squares = np.square(distances, dtype=float).mean(axis=1)
    # if all rows equal their neighbours: the mean squared distance of all rows
    typical = float(squares.mean()) or 2 * float(np.var(X, axis=0, dtype=float).sum()) or 1.0
    return np.asarray(np.maximum(squares, _LEAST * typical))
