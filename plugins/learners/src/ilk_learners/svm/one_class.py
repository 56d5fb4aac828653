"""The dual of one class, by libsvm or as a quadratic program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.svm import OneClassSVM

from ilk import InputError, display_name, take
from ilk_learners.svm import libsvm
from ilk_learners.svm.gram import checked_gram, exceeds_memory, products
from ilk_learners.svm.known import known_kernel
from ilk_learners.svm.machine import intercept
from ilk_learners.svm.quadratic import check_few, minimum, settled

if TYPE_CHECKING:
    from ilk_learners.svm.known import KnownKernel

Found = tuple[np.ndarray, int, bool]  # coefficients, iterations, whether they sufficed

_ROUNDING = 1e-12  # of the largest output
_SOME = 1000  # rows that tell the size of k(x, x)


@dataclass(frozen=True)
class OneClass:
    """A solution of ``minimise 1/2 a'Ka`` over ``0 <= a <= w`` with ``sum a = nu sum w``.

    Attributes
    ----------
    coef : ndarray of shape (n,)
        a, exactly 0 or w at the bounds.
    offset, objective, violation : float
    n_iter : int
    converged : bool
    """

    coef: np.ndarray
    offset: float
    objective: float
    violation: float
    n_iter: int
    converged: bool


def solve(owner: Any, kernel: Any, X: Any, weights: np.ndarray) -> OneClass:
    """Solve on the Gram matrix; by libsvm on rows where that is too large, if it can.

    Parameters
    ----------
    owner : Component
        Has `nu`, `solver`, `tol`, `max_iter` and `memory`; named in errors.
    kernel : Kernel
        Fitted.
    X : data of n rows
    weights : ndarray of shape (n,)
        w, above 0.

    Raises
    ------
    InputError
        If the Gram matrix is larger than `memory` and libsvm cannot do without, or not finite; or
        the quadratic program has no solution that its solver finds, or more than 2000 rows.
    """
    qp, n = owner.solver == "qp", len(weights)
    if qp:
        check_few(owner, n)
    known = None if qp or not exceeds_memory(owner, n) else known_kernel(kernel)
    if known is not None:
        return _on_rows(owner, kernel, known, X, weights)
    K = checked_gram(owner, kernel, X)
    unit = float(np.diagonal(K).mean()) or 1.0
    if owner.nu == 1:
        found = _all(weights)
    elif qp:
        found = _by_qp(owner, K / unit, weights)
    else:
        found = _by_libsvm(owner, None, K if unit == 1 else K / unit, weights)
    return _solution(found, K @ found[0], weights)


def _on_rows(owner: Any, kernel: Any, known: KnownKernel, X: Any, weights: np.ndarray) -> OneClass:
    unit = float(np.mean(kernel.diagonal(take(X, np.arange(min(len(weights), _SOME)))))) or 1.0
    if owner.nu == 1:
        found = _all(weights)
    else:
        found = _by_libsvm(owner, known, known.rows(X), weights, unit)
    support = np.flatnonzero(found[0])
    return _solution(found, products(kernel, X, take(X, support), found[0][support]), weights)


def _all(weights: np.ndarray) -> Found:
    """What nu=1 leaves no choice about; libsvm finds no offset for it."""
    return weights, 0, True


def _solution(found: Found, outputs: np.ndarray, weights: np.ndarray) -> OneClass:
    """Offset and violation: outputs of rows with a < w are at least rho, with a > 0 at most.

    Where the solver's tolerance leaves such a row below, rho comes down to it: then outliers have
    a = w, and at most a share nu can.
    """
    coef, n_iter, converged = found
    bias, violation = intercept(-outputs, coef, np.zeros(len(coef)), weights)
    lowest = float(np.min(outputs[coef < weights], initial=np.inf))
    offset = min(-bias, lowest - _ROUNDING * float(np.abs(outputs).max()))
    return OneClass(coef, offset, float(coef @ outputs) / 2, violation, n_iter, converged)


def _by_libsvm(
    owner: Any, kernel: KnownKernel | None, X: Any, weights: np.ndarray, unit: float = 1.0
) -> Found:
    """Solve by libsvm, through scikit-learn.

    `tol` is in units of the mean k(x, x) and, where less than 1 is shared out, of that.

    Parameters
    ----------
    kernel : KnownKernel or None
        None: X is the Gram matrix.
    unit : float
        Of kernel values.
    """
    n = len(weights)
    svm = OneClassSVM(
        kernel="precomputed" if kernel is None else kernel.name,
        nu=owner.nu,
        tol=owner.tol * min(owner.nu * weights.sum(), 1.0) * unit,
        max_iter=libsvm.most_steps(n) if owner.max_iter is None else owner.max_iter,
        **({} if kernel is None else kernel.terms),
    )
    svm = libsvm.quietly_fitted(svm, X, None, weights)
    return libsvm.coefficients(svm, n), int(svm.n_iter_), not svm.fit_status_


def _by_qp(owner: Any, K: np.ndarray, weights: np.ndarray) -> Found:
    """Solve by cvxpy; for few rows."""
    n, total = len(K), owner.nu * weights.sum()
    found, n_iter, converged = minimum(K, np.zeros(n), np.ones(n), weights, total)
    if found is None:
        raise InputError(
            f"{display_name(owner)}: the quadratic program has no solution that its solver finds"
        )
    return settled(K, np.zeros(n), found, np.zeros(n), weights, total), n_iter, converged
