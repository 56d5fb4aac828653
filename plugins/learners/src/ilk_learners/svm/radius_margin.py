"""The radius-margin bound of a machine with squared slack, as a function of scales and C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_learners.svm.gram import gram_matrix
from ilk_learners.svm.libsvm import solve
from ilk_learners.svm.sphere import enclosing_sphere

if TYPE_CHECKING:
    from ilk_learners.svm.machine import Machine

_ITERATIONS = 1_000_000
_FREE = 1e12  # bound of coefficients that no solution comes near: squared slack needs none


@dataclass(frozen=True)
class Bound:
    """The bound at one place.

    Attributes
    ----------
    value : float
        ``R^2 sum_c |w_c|^2``.
    gradient : ndarray of shape (p + 1,)
        Of the logarithm of the value, for the logarithm of each scale, then that of C.
    squared_radius : float
    machines : tuple of Machine
        Solutions with ``K + I / C``.
    """

    value: float
    gradient: np.ndarray
    squared_radius: float
    machines: tuple[Machine, ...]


class RadiusMargin:
    """The bound for rows Z with the kernel ``exp(-|s * (z - z')|^2 / 2)`` for scales s.

    Slack is squared: ``|w|^2 / 2 + (C / 2) sum_i xi_i^2`` is that of a hard margin under
    ``K~ = K + I / C``, which is what radius and margin are measured under. With the solutions a
    of the machine (signs included) and b of the sphere

        d|w|^2 = -sum_ij a_i a_j dK~_ij,    dR^2 = sum_i b_i dK~_ii - sum_ij b_i b_j dK~_ij

    Parameters
    ----------
    Z : ndarray of shape (n, p)
    signs : sequence of ndarray of shape (n,)
        -1 or 1, one for each machine.
    tol : float
        Of libsvm.
    """

    def __init__(self, Z: np.ndarray, signs: Sequence[np.ndarray], tol: float) -> None:
        self.Z = Z
        self.signs = signs
        self.tol = tol

    def __call__(self, scales: np.ndarray, C: float) -> Bound:
        """The bound and its gradient."""
        Z = self.Z * scales
        K = gram_matrix(unit_kernel(Z), Z)
        K.flat[:: len(K) + 1] += 1 / C
        free = np.full(len(K), _FREE)
        machines = tuple(solve(K, signs, free, tol=self.tol, max_iter=None) for signs in self.signs)
        squares = 2 * sum(machine.objective for machine in machines)
        squared_radius, weights = enclosing_sphere(K, tol=self.tol)
        K.flat[:: len(K) + 1] -= 1 / C
        of_margin, of_radius = np.zeros(Z.shape[1] + 1), np.zeros(Z.shape[1] + 1)
        for machine in machines:
            of_margin -= _slopes(K, Z, machine.rows, machine.coef, C)
        some = np.flatnonzero(weights)
        of_radius -= _slopes(K, Z, some, weights[some], C)
        of_radius[-1] -= 1 / C
        gradient = of_margin / squares + of_radius / squared_radius
        return Bound(squares * squared_radius, gradient, squared_radius, machines)


def unit_kernel(Z: np.ndarray) -> Any:
    """The kernel of rows that are scaled already."""
    return ilk.kernel("ilk-distances/rbf", sigma=1.0).fit(Z[:1])


def _slopes(K: np.ndarray, Z: np.ndarray, rows: np.ndarray, v: np.ndarray, C: float) -> np.ndarray:
    """``sum_ij v_i v_j dK~_ij`` for the logarithm of each scale, then that of C.

    Along a scale ``dK_ij = -K_ij (z_i - z_j)^2``; along C it is ``-I / C``.
    """
    Z = Z[rows] - Z[rows].mean(axis=0)
    P = K[np.ix_(rows, rows)] * np.outer(v, v)
    of_scales = 2 * (np.einsum("if,if->f", Z, P @ Z) - P.sum(axis=1) @ np.square(Z))
    return np.append(of_scales, -float(v @ v) / C)
