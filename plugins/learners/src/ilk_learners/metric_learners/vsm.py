"""vsm: Lowe's variable-kernel similarity metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

import ilk
from ilk import check_labels, param
from ilk_learners.metric_learners.descent import (
    SOLVER,
    Descent,
    DescentLearner,
    Objective,
)
from ilk_learners.metric_learners.soft_votes import one_column_each, softmax

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ilk import Labels


class VSM(DescentLearner):
    """Variable-kernel similarity metric: feature weights that minimise the error of kernel votes.

    Neighbour j of row i votes for its class with a Gaussian kernel. Its bandwidth adapts to the
    density of rows in the learned space ::

        n_ij = exp(-d_ij^2 / (2 sigma_i^2)),   d_ij^2 = sum_k w_k^2 (x_ik - x_jk)^2,

    where sigma_i is r times the mean of d_ij over the nearer half of i's J neighbours. The squared
    error of the votes of the other rows, plus a prior that keeps the weights of standardised
    features near 1 and r near `width`, is minimised over w and r ::

        sum_i sum_t (s_ti - p_ti)^2 + penalty (sum_k log(w_k)^2 + log(r / width)^2),

    s_ti is 1 for the class of i and else 0; p_ti is the share of the votes of i's neighbours for
    class t. Features are divided by their standard deviation: results do not depend on their units.
    Neighbours are updated after every `refresh` iterations; the loss is that over the current
    neighbours. A mean distance is at least a tenth of the typical one, so that duplicates have a
    kernel too. A constant feature gets weight 0.

    Attributes
    ----------
    components_ : ndarray of shape (p, p)
        Diagonal: the weight of each feature, divided by its standard deviation.
    kernel_width_ : float
        r.
    loss_curve_ : list of float
        The objective at the start, then after each iteration. It decreases while the neighbours
        are the same, and never ends higher than it starts.
    n_iter_ : int
        Iterations.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour ``before`` and ``after``.

    Raises
    ------
    InputError
        If y has only one class.

    Warns
    -----
    ConvergenceWarning
        If the solver has not converged, or the gradient is 0 at the initial weights.
    MetricWarning
        If the nearest neighbour has more errors than with the Euclidean distance.

    References
    ----------
    Lowe, "Similarity metric learning for a variable-kernel classifier", Neural Computation 7, 1995.
    The source does not give the strength of the prior; here it is `penalty`.

    Zaidi 2011: sections 4.1, 5.1; equation 2.21. `megm_diagonal` is a simpler form.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 5], [1, -5], [0, 4], [1, -4], [6, 5], [5, -5], [6, 4], [5, -4]]
    >>> vsm = ilk.metric_learner("vsm").fit(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> weights = vsm.components_.diagonal()
    >>> bool(weights[0] > weights[1])
    True
    """

    n_neighbors: int = param(default=10, ge=1, doc="J, the number of voters; at most all others.")
    width: float = param(
        default=0.6,
        ge=1e-12,
        le=1000000000000.0,
        doc="The initial r, and the centre of its prior.",
    )
    penalty: float = param(default=1.0, ge=0, le=1000000000000.0, doc="Weight of the prior.")
    refresh: int = param(default=10, ge=1, doc="Iterations after which neighbours are found anew.")
    max_iter: int = param(default=100, ge=1, doc="Most iterations in all.")
    solver: Literal["lbfgs", "cg"] = SOLVER

    waivers: ClassVar[Mapping[str, str]] = {
        "sklearn:check_transformer_n_iter": "classes this far apart leave nothing to improve"
    }

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(n_neighbors=4, solver="cg")]

    def _targets(self, X: np.ndarray, y: Labels | None) -> np.ndarray:
        return check_labels(self, y, X, min_classes=2)[1]

    def _objective(self, X: np.ndarray, y: np.ndarray) -> Objective:
        return self._among(X / _divisors(X), one_column_each(y, X.dtype), np.zeros(X.shape[1]))

    def _among(self, X: np.ndarray, Y: np.ndarray, log_weights: np.ndarray) -> VariableKernel:
        """The loss over the nearest neighbours under given weights."""
        Z = (X * np.exp(log_weights)).astype(X.dtype, copy=False)
        number = min(int(self.n_neighbors), len(X) - 1)
        near = ilk.nearest(Z, number)[1]
        return VariableKernel(X, Y, near, _least_distance(Z, near), self.width, self.penalty)

    def _start(
        self, X: np.ndarray, y: np.ndarray, exponent: int, scale: float, noise: np.ndarray
    ) -> np.ndarray:
        """Log weights of standardised features, and log r."""
        p = X.shape[1]
        start = np.append(np.zeros(p), np.log(self.width))
        before: Any = getattr(self, "components_", None) if self.warm_start else None
        if before is not None and before.shape == (p, p):
            weights = np.ldexp(np.diag(before).astype(float), exponent) * _divisors(X)
            # a weight of 0 has no logarithm
            start[:-1] = np.log(np.where(weights > 0, weights, 1.0))
            start[-1] = np.log(self.kernel_width_)
        return start

    def _descend(self, objective: Any, start: np.ndarray, scale: float) -> Descent:
        X, Y = objective.X, objective.Y
        descent = self._solve_in_rounds(
            lambda v: self._among(X, Y, v[:-1]), start, scale, self.refresh
        )
        self.kernel_width_ = float(np.exp(descent.L[-1]))
        return descent

    def _map(self, L: np.ndarray, X: np.ndarray) -> np.ndarray:
        # a constant feature has no scale, and no influence
        return np.diag(np.where(X.any(axis=0), np.exp(L[:-1]) / _divisors(X), 0.0))


def _divisors(X: np.ndarray) -> np.ndarray:
    """Standard deviation of each centred feature; 1 for a constant feature."""
    spread = X.std(axis=0, dtype=float)
    return np.where(spread > 0, spread, 1.0)


_NUMBERS = 2**19  # squared differences held at once: 4 MiB
_LEAST = 0.1  # lower bound relative to the mean neighbour distance, for rows with duplicates


@dataclass(frozen=True)
class VariableKernel:
    """The squared error of votes plus a prior, as a function of log weights and log r.

    Neighbour j of row i votes with ``exp(-d_ij^2 / (2 sigma_i^2))``, where ``d_ij^2 = sum_k
    w_k^2 (x_ik - x_jk)^2`` and sigma_i is r times the mean of the smaller half of row i's d.
    The prior is ``penalty (sum_k log(w_k)^2 + log(r / r0)^2)``.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        In units of each feature's standard deviation.
    Y : ndarray of shape (n, C)
        A column for each class.
    neighbors : ndarray of int, shape (n, m)
        Rows other than the row itself.
    least : float
        Lower bound of the mean distance.
    r0, penalty : float
    """

    X: np.ndarray
    Y: np.ndarray
    neighbors: np.ndarray
    least: float
    r0: float
    penalty: float

    def __call__(self, v: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss and gradient at p log weights followed by log r."""
        loss, gradient = 0.0, np.zeros(len(v))
        squares, r = np.exp(2 * v[:-1]), float(np.exp(v[-1]))
        for rows in self._blocks():
            near = self.neighbors[rows]
            D = np.square(self.X[rows, None] - self.X[near])
            part = _votes(D @ squares.astype(D.dtype), r, self.least, self.Y[rows], self.Y[near])
            loss += part.loss
            # d(w^2) / d log w = 2 w^2; the slopes contain the 2
            gradient[:-1] += squares * np.einsum("im,imp->p", part.slopes, D, dtype=float)
            gradient[-1] += part.slope_r
        # the prior is Gaussian in the logarithms
        away = v - np.append(np.zeros(len(v) - 1), np.log(self.r0))
        return loss + self.penalty * float(away @ away), gradient + 2 * self.penalty * away

    def _blocks(self) -> Iterator[slice]:
        n, m = self.neighbors.shape
        size = max(1, _NUMBERS // (m * max(self.X.shape[1], self.Y.shape[1])))
        for start in range(0, n, size):
            yield slice(start, min(start + size, n))


def _least_distance(X: np.ndarray, neighbors: np.ndarray) -> float:
    """A tenth of the mean distance from rows to the nearer half of their neighbours."""
    half = neighbors[:, : max(1, neighbors.shape[1] // 2)]
    total = sum(float(np.linalg.norm(X - X[column], axis=1).mean()) for column in half.T)
    return _LEAST * total / half.shape[1] or 1.0


class _Part(NamedTuple):
    """Loss of a block of rows; its derivatives by squared distances (times 2) and by log r."""

    loss: float
    slopes: np.ndarray
    slope_r: float


def _votes(d2: np.ndarray, r: float, least: float, Y: np.ndarray, Y_near: np.ndarray) -> _Part:
    d = np.sqrt(d2)
    half = np.argsort(d, axis=1, kind="stable")[:, : max(1, d.shape[1] // 2)]
    nearest = np.take_along_axis(d, half, axis=1)
    means = nearest.mean(axis=1)
    # below the limit sigma is constant, so the loss has no slope by it
    wide = means > least
    sigma = (r * np.maximum(means, least))[:, None]
    s = d2 / (2 * sigma**2)
    P = softmax(-s)
    votes = np.einsum("im,imc->ic", P, Y_near)
    errors = votes - Y
    S = P * np.einsum("ic,imc->im", 2 * errors, Y_near - votes[:, None])
    slopes = -S / sigma**2
    # sigma grows with the distances to the nearer half of the neighbours: the chain rule adds their
    # part
    by_sigma = np.einsum("im,im->i", S, d2) / sigma[:, 0] ** 3 * wide
    inverse = np.divide(1.0, nearest, out=np.zeros_like(nearest), where=nearest > 0)
    shares = by_sigma[:, None] * (r / half.shape[1]) * inverse
    np.put_along_axis(slopes, half, np.take_along_axis(slopes, half, axis=1) + shares, axis=1)
    loss = float(np.sum(np.square(errors), dtype=float))
    # s falls with log r at the rate -2 s
    return _Part(loss, slopes, 2 * float(np.sum(S * s, dtype=float)))
