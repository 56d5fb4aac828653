"""A softmax gate: each row's shares of the experts, fitted to given shares."""

from __future__ import annotations

from dataclasses import dataclass
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
