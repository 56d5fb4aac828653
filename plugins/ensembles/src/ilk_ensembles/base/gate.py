"""Softmax gates: each row's shares of the experts, fitted to given shares."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

_ITERATIONS = 200  # limit of L-BFGS iterations; each fit starts from the last one


@dataclass
class Gate:
    """``g_j(x) = exp(a_j + b_j z) / sum_l exp(a_l + b_l z)``, where z is the standardised x.

    Attributes
    ----------
    center_, scale_ : ndarray of shape (p,)
        Weighted mean and standard deviation of the training rows; infinite for constant columns.
    penalty : float
        L2 penalty: the factor of half the sum of squares of b.
    coef_ : ndarray of shape (L, p + 1)
        a, then b.
    """

    center_: np.ndarray
    scale_: np.ndarray
    penalty: float
    coef_: np.ndarray

    @property
    def loss(self) -> float:
        """The penalty, times half the sum of squares of b."""
        return float(self.penalty / 2 * (self.coef_[:, 1:] ** 2).sum())

    def randomize(self, rng: np.random.RandomState, spread: float) -> None:
        """Draw b, so that ``b z`` has this standard deviation if features are uncorrelated."""
        width = self.coef_.shape[1] - 1
        # for p standardised features the variance of b z is |b|^2: p terms of 1 / p
        self.coef_[:, 1:] = spread * rng.normal(size=(len(self.coef_), width)) / np.sqrt(width)

    def keep(self, positions: list[int]) -> None:
        """Drop the other experts."""
        self.coef_ = self.coef_[positions]

    @classmethod
    def of(cls, X: np.ndarray, weights: np.ndarray, n_experts: int, penalty: float) -> Self:
        """A gate that gives all experts equal shares; weights of the rows sum to 1."""
        X = X.astype(np.float64, copy=False)
        center = weights @ X
        apart = X - center
        most = np.abs(apart).max(axis=0)
        # relative to the largest deviation, so that no square overflows
        spread = most * np.sqrt(weights @ (apart / np.where(most > 0, most, 1)) ** 2)
        varied = spread > 1e-12 * np.abs(X).max(axis=0)  # below, the spread is rounding
        coef = np.zeros((n_experts, X.shape[1] + 1))
        return cls(center, np.where(varied, spread, np.inf), penalty, coef)

    def rows(self, X: np.ndarray) -> np.ndarray:
        """Standardised rows with a leading column of ones; array of shape (m, p + 1)."""
        standard = (X.astype(np.float64, copy=False) - self.center_) / self.scale_
        return np.hstack([np.ones((len(X), 1)), standard])

    def fit(self, rows: np.ndarray, shares: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Maximise ``sum_i w_i sum_j h_ij ln g_j(x_i)`` minus the penalty, from a warm start.

        Parameters
        ----------
        rows : ndarray of shape (n, p + 1)
            As returned by `rows`.
        shares : ndarray of shape (n, L)
            h; each row sums to 1.
        weights : ndarray of shape (n,)
            w; they sum to 1.

        Returns
        -------
        ndarray of shape (n, L)
            Logarithms of g.
        """
        from scipy.optimize import minimize
        from scipy.special import log_softmax

        size = self.coef_.shape
        target = weights[:, None] * shares

        def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
            coef = flat.reshape(size)
            logs = log_softmax(rows @ coef.T, axis=1)
            # the gradient of the cross-entropy, sum_i w_i (g_j(x_i) - h_ij) z_i
            slope = (weights[:, None] * np.exp(logs) - target).T @ rows
            # the intercepts a are not penalised
            slope[:, 1:] += self.penalty * coef[:, 1:]
            value = self.penalty / 2 * (coef[:, 1:] ** 2).sum() - (target * logs).sum()
            return float(value), slope.ravel()

        options: Any = {"maxiter": _ITERATIONS}
        result = minimize(loss, self.coef_.ravel(), jac=True, method="L-BFGS-B", options=options)
        self.coef_ = result.x.reshape(size)
        return np.asarray(log_softmax(rows @ self.coef_.T, axis=1))

    def shares(self, X: np.ndarray) -> np.ndarray:
        """The shares g_j of each row; array of shape (m, L)."""
        from scipy.special import softmax

        return np.asarray(softmax(self.rows(X) @ self.coef_.T, axis=1))


@dataclass
class GateTree:
    """Two levels of gates: ``g_ij(x) = g_i(x) g_j|i(x)`` for expert j of branch i.

    Attributes
    ----------
    top : Gate
        Shares of the branches, g_i.
    branches : list of Gate
        Shares of the experts of each branch, g_j|i.
    """

    top: Gate
    branches: list[Gate]

    @classmethod
    def of(
        cls, X: np.ndarray, weights: np.ndarray, n_experts: int, penalty: float, n_branches: int
    ) -> Self:
        """Gates of equal shares; the experts are divided into branches of nearly equal size."""
        sizes = [len(part) for part in np.array_split(np.arange(n_experts), n_branches)]
        top, *branches = (Gate.of(X, weights, size, penalty) for size in (n_branches, *sizes))
        return cls(top, branches)

    @property
    def loss(self) -> float:
        """Sum of the penalties of all gates."""
        return sum(gate.loss for gate in (self.top, *self.branches))

    def randomize(self, rng: np.random.RandomState, spread: float) -> None:
        """Draw the coefficients b of each gate; those of a single expert have no effect."""
        for gate in (self.top, *self.branches):
            if len(gate.coef_) > 1:
                gate.randomize(rng, spread)

    def keep(self, positions: list[int]) -> None:
        """Drop the other experts, and branches without any."""
        kept = [[at - part.start for at in positions if at in part] for part in self._parts()]
        self.top.keep([i for i, inside in enumerate(kept) if inside])
        both = zip(self.branches, kept, strict=True)
        self.branches = [gate for gate, inside in both if inside]
        for gate, inside in zip(self.branches, filter(None, kept), strict=True):
            gate.keep(inside)

    def _parts(self) -> list[range]:
        """Positions of the experts of each branch."""
        ends = np.cumsum([0, *(len(gate.coef_) for gate in self.branches)]).tolist()
        return [range(*both) for both in pairwise(ends)]

    def rows(self, X: np.ndarray) -> np.ndarray:
        """Standardised rows, as of each gate."""
        return self.top.rows(X)

    def fit(self, rows: np.ndarray, shares: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Fit the top to the shares of branches, then each branch to the shares within it.

        Their terms of ``sum_i w_i sum_j h_ij ln g_j(x_i)`` are separate, so this maximises it.
        """
        mass = np.column_stack([shares[:, part].sum(axis=1) for part in self._parts()])
        logs = self.top.fit(rows, mass, weights)
        within = []
        for at, (gate, part) in enumerate(zip(self.branches, self._parts(), strict=True)):
            whole = mass[:, [at]]
            some = np.divide(
                shares[:, part], whole, out=np.zeros((len(rows), len(part))), where=whole > 0
            )
            within.append(logs[:, [at]] + gate.fit(rows, some, weights * mass[:, at]))
        return np.hstack(within)

    def shares(self, X: np.ndarray) -> np.ndarray:
        """The shares g_ij of each row; array of shape (m, L)."""
        top = self.top.shares(X)
        parts = [top[:, [at]] * gate.shares(X) for at, gate in enumerate(self.branches)]
        return np.hstack(parts)
