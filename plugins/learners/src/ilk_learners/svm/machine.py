"""One binary support vector machine: what solving its dual gave, and how good that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROUNDING = 1e-12  # of a bound


@dataclass(frozen=True)
class Machine:
    """The solution of one dual problem.

    ``maximise sum_i a_i - 1/2 sum_ij a_i a_j s_i s_j k(x_i, x_j)`` over ``0 <= a_i <= C_i`` with
    ``sum_i a_i s_i = 0``, for signs s.

    Attributes
    ----------
    rows : ndarray of int, shape (n_support,)
        Support vectors among the rows of the problem, ascending.
    coef : ndarray of shape (n_support,)
        ``a_i s_i`` of each.
    intercept : float
        From the free support vectors, ``0 < a_i < C_i``; without any, the middle of what the
        conditions leave open.
    objective : float
        Of the dual.
    margin : float
        ``1 / |w|``; infinity where w is 0.
    violation : float
        How far apart the bounds are that the conditions of Karush, Kuhn and Tucker set to the
        intercept from below and from above, where they cross: 0 if all hold.
    n_iter : int
    converged : bool
    """

    rows: np.ndarray
    coef: np.ndarray
    intercept: float
    objective: float
    margin: float
    violation: float
    n_iter: int
    converged: bool


def machine(
    coef: np.ndarray,
    outputs: np.ndarray,
    signs: np.ndarray,
    C: np.ndarray,
    *,
    n_iter: int,
    converged: bool,
) -> Machine:
    """Make a machine of the dual coefficients of all rows.

    Parameters
    ----------
    coef : ndarray of shape (n,)
        ``a_i s_i``; those of no weight are exactly 0. Those at a bound up to rounding are put
        there: as free ones they would set the intercept.
    outputs : ndarray of shape (n,)
        Decision of each row without the intercept: the Gram matrix times `coef`.
    signs : ndarray of shape (n,)
        -1 or 1.
    C : ndarray of shape (n,)
        Bounds.
    n_iter, converged
        As the solver says.
    """
    rows = np.flatnonzero(coef)
    coef = np.where(np.abs(coef) > C * (1 - _ROUNDING), signs * C, coef)
    low, high = np.where(signs > 0, 0.0, -C), np.where(signs > 0, C, 0.0)
    bias, violation = intercept(signs - outputs, coef, low, high)
    square = float(coef[rows] @ outputs[rows])
    return Machine(
        rows,
        coef[rows],
        bias,
        float(np.abs(coef).sum()) - square / 2,
        1 / float(np.sqrt(square)) if square > 0 else np.inf,
        violation,
        n_iter,
        converged,
    )


def dense_coefficients(machines: Sequence[Machine], n: int) -> np.ndarray:
    """Coefficients of all n training rows in each machine; array of shape (n_machines, n)."""
    dense = np.zeros((len(machines), n))
    for line, solved in zip(dense, machines, strict=True):
        line[solved.rows] = solved.coef
    return dense


def intercept(
    wanted: np.ndarray, coef: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[float, float]:
    """Intercept, and the violation of the conditions.

    A row whose coefficient may still grow bounds the intercept from below by what it wants, one
    whose coefficient may shrink from above. Rows of no weight are none.

    Parameters
    ----------
    wanted : ndarray of shape (n,)
        The intercept at which a row's condition is just met, whatever its coefficient.
    coef, low, high : ndarray of shape (n,)
        Coefficients and their bounds.
    """
    least = float(np.max(wanted[coef < high], initial=-np.inf))
    most = float(np.min(wanted[coef > low], initial=np.inf))
    free = (coef > low) & (coef < high)
    if free.any():
        middle = float(wanted[free].mean())
    elif np.isfinite(least) and np.isfinite(most):
        middle = least / 2 + most / 2
    else:
        middle = least if np.isfinite(least) else most
    return middle, max(least - most, 0.0)
