"""The loss of megm: the squared error of kernel-weighted votes of all or of few neighbours."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

import ilk
from ilk import ArrayLike, RandomState, Seed, check_seed, display_name, param
from ilk_learners.metric_learners.descent import (
    SOLVER,
    Descent,
    DescentLearner,
    Objective,
)
from ilk_learners.metric_learners.linear import INIT
from ilk_learners.metric_learners.soft_votes import (
    Outer,
    SoftVotes,
    softmax,
    squared_bandwidths,
    squared_error,
    votes_of,
)
from ilk_learners.targets import Targets, read_targets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import scipy.sparse as sp

    from ilk import Labels

_NOTHING = 1e-8  # of the size of a start
_SAME = 1e-5  # of a loss: by less differ ends in one minimum, each turned in its own way
_NOISE = 0.5  # of a further start, in units of the typical entry of the first one's rows


class KernelErrorLearner(DescentLearner):
    """A metric learner that minimises the error of the other rows' votes for each row.

    The kernel of row i is ``exp(-w_i |L(x_i - x)|^2)`` with ``w_i = s / sigma_i^2``, where s is
    the mean of sigma_i^2: L contains ``1 / sqrt(2 s)``.

    Attributes
    ----------
    widths_ : ndarray of shape (n,)
        w of each training row.
    """

    n_neighbors: int | Literal["log2"] = param(
        default="log2",
        type=int,
        ge=1,
        choices=("log2",),
        doc='The k of sigma. "log2": floor(log2 n).',
    )
    regularization: float | None = param(
        default=None,
        type=float,
        ge=0,
        le=1000000000000.0,
        doc="Weight of the squares of L, in units of ``1 / sqrt(2 s)``, in the loss. None: 0.1, "
        "or 0 with a `neighborhood` of few rows: if all their votes are correct, the penalty "
        "alone would shrink L to 0.",
    )
    n_restarts: int = param(
        default=0,
        ge=0,
        doc="Further starts, at random near the first; one that ends lower is kept.",
    )
    random_state: RandomState = param(default=None, type=Seed, doc="Seed of the random starts.")
    init: ArrayLike | str = INIT
    max_iter: int = param(
        default=100,
        ge=1,
        doc="Maximal iterations per start; about 20 give most of the accuracy.",
    )
    solver: Literal["lbfgs", "cg"] = SOLVER
    usual_regularization: ClassVar[float] = 0.1

    def _targets(self, X: np.ndarray, y: Labels | None) -> np.ndarray:
        self.targets: Targets
        return read_targets(self, y, X, self.targets)

    def _scale(self, X: np.ndarray) -> float:
        self.bandwidth: Literal["local", "global"]
        squares = squared_bandwidths(self, X, self.n_neighbors)
        typical = squares.mean()
        # the kernel of a row is narrow where its neighbours are near
        widths = typical / squares if self.bandwidth == "local" else np.ones(len(X))
        self.widths_ = widths.astype(X.dtype)
        return float(np.sqrt(2 * typical))

    def _objective(self, X: np.ndarray, y: np.ndarray) -> Objective:
        self.neighborhood: int | Literal["all", "log2"]
        Y = votes_of(y, X.dtype)
        outer = squared_error(y, Y, 0.5)
        if self.neighborhood == "all":
            return SoftVotes(X, Y, outer, widths=self.widths_)

        def among(Z: np.ndarray) -> Objective:
            near = self._nearest(Z)
            return CutVotes(X, Y, outer, near, widths=self.widths_)

        return _Cut(among, X, among(X))

    def _nearest(self, Z: np.ndarray) -> np.ndarray:
        k = np.log2(len(Z)) if self.neighborhood == "log2" else self.neighborhood
        return ilk.nearest(Z, min(int(k), len(Z) - 1))[1]

    def _descend(self, objective: Objective, start: np.ndarray, scale: float) -> Descent:
        """Minimise from several starts and keep the best result."""
        from sklearn.exceptions import ConvergenceWarning

        rng = check_seed(self, self.random_state)
        best = self._descend_once(objective, start, scale)
        for _ in range(self.n_restarts):
            # the size of a coordinate of L x for x of unit variance in each feature
            typical = np.sqrt(np.mean(np.square(start)) * (start.shape[0] if start.ndim > 1 else 1))
            noise = rng.normal(size=start.shape) * _NOISE * typical
            descent = self._descend_once(objective, start + noise, scale)
            lowest = best.curve[-1]
            # ends that differ by rounding count as equal: the first is kept, whatever the machine
            if lowest - descent.curve[-1] > _SAME * abs(lowest):
                best = descent
        if np.abs(best.L).max() < _NOTHING * np.abs(start).max():
            warnings.warn(
                f"{display_name(self)}: nothing to learn: the ridge brings L to 0, as no votes of "
                f"others are worth having; see regularization",
                ConvergenceWarning,
                stacklevel=3,
            )
        return best

    def _descend_once(self, objective: Objective, start: np.ndarray, scale: float) -> Descent:
        """Minimise; optionally update neighbours in the learned space."""
        self.refresh: int | None
        weight = self.regularization
        if weight is None:  # few voters may all be correct: a penalty would shrink L to 0
            weight = 0.0 if isinstance(objective, _Cut) else self.usual_regularization

        def ridge(loss: Objective) -> Objective:
            return _Ridge(loss, weight, scale)

        if isinstance(objective, _Cut) and self.refresh is not None:
            return self._solve_in_rounds(
                lambda L: ridge(objective.anew(L)), start, scale, self.refresh
            )
        return self._solve(ridge(objective), start, scale, self.max_iter)


@dataclass(frozen=True)
class _Ridge:
    """A loss plus a penalty on the squares of L, in units of its scale."""

    loss: Objective
    weight: float
    scale: float

    def __call__(self, L: np.ndarray) -> tuple[float, np.ndarray]:
        loss, gradient = self.loss(L)
        if self.weight == 0:
            return loss, gradient
        # L times scale has no unit, so the penalty does not depend on that of the rows
        weight = self.weight * self.scale**2
        return loss + weight * float(np.sum(L**2)), gradient + 2 * weight * L


@dataclass(frozen=True)
class _Cut:
    """A loss over few neighbours, which can be updated."""

    among: Callable[[np.ndarray], Objective]
    X: np.ndarray
    loss: Objective

    def __call__(self, L: np.ndarray) -> tuple[float, np.ndarray]:
        return self.loss(L)

    def anew(self, L: np.ndarray) -> Objective:
        """The loss over the nearest neighbours under L."""
        L = L.astype(self.X.dtype, copy=False)
        return self.among(self.X * L if L.ndim == 1 else self.X @ L.T)


_NUMBERS = 2**19  # coordinates or votes of neighbours held at once: 4 MiB


@dataclass(frozen=True)
class CutVotes:
    """As `SoftVotes`, but only `neighbors[i]` vote for row i; O(n m) memory.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Centred.
    Y : ndarray of shape (n, C)
    outer : callable
        See `Outer`.
    neighbors : ndarray of int, shape (n, m)
        Rows other than the row itself.
    widths : ndarray of shape (n,), optional
    """

    X: np.ndarray
    Y: np.ndarray
    outer: Outer
    neighbors: np.ndarray
    widths: np.ndarray | None = field(default=None, kw_only=True)

    def __call__(self, L: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss, and gradient of the shape of L: (d, p), or (p,) for a diagonal."""
        L = L.astype(self.X.dtype, copy=False)
        Z = self.X * L if L.ndim == 1 else self.X @ L.T
        loss, S = self._slopes(Z)
        # rows of S sum to 0, because votes are weighted means: only column sums enter the Laplacian
        columns = np.asarray(S.sum(axis=0))
        if L.ndim == 1:
            crossed = np.einsum("ip,ip->p", self.X, S @ self.X, dtype=float)
            return loss, -2 * L * (columns @ np.square(self.X) - 2 * crossed)
        rest = columns[:, None] * Z - S @ Z - S.T @ Z
        return loss, np.asarray(-2 * (rest.T @ self.X), dtype=float)

    def _slopes(self, Z: np.ndarray) -> tuple[float, sp.csr_array]:
        """Loss and S, with the signs and the gradient of `softmax`."""
        import scipy.sparse as sp

        loss, S = 0.0, np.empty(self.neighbors.shape, dtype=Z.dtype)
        for rows in self._blocks(Z.shape[1]):
            near = self.neighbors[rows]
            differences = Z[rows, None] - Z[near]
            scores = -np.einsum("imd,imd->im", differences, differences)
            if self.widths is not None:
                scores *= self.widths[rows, None]
            P = softmax(scores)
            Y = self.Y[near]
            votes = np.einsum("im,imc->ic", P, Y)
            part, slopes = self.outer(votes, rows)
            loss += part
            # the chain rule: scores contain the width of the row
            if self.widths is not None:
                slopes = slopes * self.widths[rows, None]
            S[rows] = P * np.einsum("ic,imc->im", slopes, Y - votes[:, None])
        n, m = S.shape
        indptr = np.arange(0, n * m + 1, m)
        return loss, sp.csr_array((S.ravel(), self.neighbors.ravel(), indptr), shape=(n, n))

    def _blocks(self, d: int) -> Iterator[slice]:
        n, m = self.neighbors.shape
        size = max(1, _NUMBERS // (m * max(d, self.Y.shape[1])))
        for start in range(0, n, size):
            yield slice(start, min(start + size, n))
