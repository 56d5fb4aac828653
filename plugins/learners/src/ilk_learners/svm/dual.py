"""The dual problems of one fit, solved by libsvm, in blocks of rows, or as a quadratic program."""

from __future__ import annotations

import warnings
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import InputError, display_name, n_rows, take
from ilk_learners.svm import machines
from ilk_learners.svm.gram import (
    FEW,
    check_definite,
    checked_gram,
    exceeds_memory,
    gram_matrix,
    known_kernel,
    products,
    spread,
    surely_definite,
)
from ilk_learners.svm.machines import Machine, intercept, machine, problems

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ilk import Cases
    from ilk_learners.svm.blocks import KernelValues
    from ilk_learners.svm.machines import Strategy


_TOLERANCES = 1e-4, 1e-5, 1e-6, 1e-7  # in the kernel's unit; libsvm has single precision
_NARROW = 1e-4  # a smaller margin, in the unit of rows, counts as not separated


class Dual:
    """Training rows under a kernel, and the solution of their binary problems.

    The Gram matrix is computed for few rows, and for any number within `memory` if libsvm does not
    know the kernel, as such values may take long.

    Parameters
    ----------
    owner : Component
        Has `solver`, `tol`, `max_iter` and `memory`; named in errors.
    kernel : Kernel
        Fitted.
    X : data of n rows

    Raises
    ------
    InputError
        If a value of the Gram matrix is not finite.
    """

    def __init__(self, owner: Any, kernel: Any, X: Cases) -> None:
        self.owner = owner
        self.kernel = kernel
        self.X = X
        self.K: np.ndarray | None = None
        self.known = known_kernel(kernel)
        self._shared: KernelValues | None = None
        n = n_rows(X)
        if owner.solver == "qp" or self._keeps(n):
            self.K = checked_gram(owner, kernel, X)
            return
        if surely_definite(kernel):
            return
        some = take(X, spread(n))
        check_definite(owner, kernel, np.asarray(kernel.gram(some), dtype=float))

    def _keeps(self, n: int) -> bool:
        """Whether the Gram matrix of n rows is computed."""
        return not exceeds_memory(self.owner, n) and (n <= FEW or self.known is None)

    def solve_each(
        self, codes: np.ndarray, n_classes: int, strategy: Strategy, C: np.ndarray
    ) -> list[Machine]:
        """Solve all binary problems; pairs of few rows in one run of libsvm."""
        together = self.K is not None and self.owner.solver == "libsvm" and np.isfinite(C).all()
        if strategy == "ovo" and n_classes > 2 and together and len(codes) <= FEW:
            assert self.K is not None
            tol, max_iter = self.owner.tol, self.owner.max_iter
            # the matrix would be too large
            with self._named(ValueError):
                return machines.solve_pairs(self.K, codes, C, tol=tol, max_iter=max_iter)
        return [
            self.solve(rows, signs, C if rows is None else C[rows])
            for rows, signs in problems(codes, n_classes, strategy)
        ]

    def solve(self, rows: np.ndarray | None, signs: np.ndarray, C: np.ndarray) -> Machine:
        """Solve the problem of selected rows (None: all).

        Returns
        -------
        Machine
            Its `rows` count all training rows.
        """
        solved = self._solved(rows, signs, C)
        return solved if rows is None else replace(solved, rows=rows[solved.rows])

    def _solved(self, rows: np.ndarray | None, signs: np.ndarray, C: np.ndarray) -> Machine:
        if self.owner.solver == "qp":
            assert self.K is not None
            return _solve_quadratic(self.owner, _square(self.K, rows), signs, C)
        if np.isfinite(C).all():
            return self._bounded(rows, signs, C)
        return self._hard(rows, signs, C)

    def _bounded(self, rows: np.ndarray | None, signs: np.ndarray, C: np.ndarray) -> Machine:
        """Solve by libsvm, or in blocks if there are many rows."""
        given = {"tol": self.owner.tol, "max_iter": self.owner.max_iter}
        K = self._gram(rows, len(signs))
        if K is not None:
            with self._named(ValueError):
                return machines.solve(K, signs, C, **given)
        with self._named(FloatingPointError):
            return machines.solve_blocks(self._values(rows), signs, C, **given)

    @contextmanager
    def _named(self, kind: type[Exception]) -> Iterator[None]:
        try:
            yield
        except kind as error:
            raise InputError(
                f"{display_name(self.owner)}: no finite solution: values of the "
                f"kernel {display_name(self.kernel)} are too large; standardize X"
            ) from error

    def _taken(self, rows: np.ndarray | None) -> Any:
        return self.X if rows is None else take(self.X, rows)

    def _gram(self, rows: np.ndarray | None, n: int) -> np.ndarray | None:
        """The Gram matrix of n selected rows, if they are few."""
        if n > FEW or (self.K is None and not (self.known is not None and self._keeps(n))):
            return None
        if self.K is None:
            return gram_matrix(self.kernel, self._taken(rows))
        return _square(self.K, rows)

    def _values(self, rows: np.ndarray | None) -> KernelValues:
        """Kernel values between selected rows, computed as they are needed."""
        from ilk_learners.svm.blocks import kernel_values, part_of  # imports numba

        if self.K is None and self.known is not None:
            # values of the selected rows alone, as they are cheap
            return kernel_values(self.kernel, self._taken(rows), None, self.known, 0)
        if self._shared is None:
            memory = self.owner.memory
            self._shared = kernel_values(self.kernel, self.X, self.K, self.known, memory)
        return part_of(self._shared, rows)

    def minimum(
        self, coef: np.ndarray, low: np.ndarray, high: np.ndarray, tol: float, max_iter: int
    ) -> tuple[np.ndarray, np.ndarray, int, bool]:
        """Minimise ``1/2 a'Ka`` in blocks from a feasible start; see `blocks.minimum`."""
        from ilk_learners.svm import blocks  # imports numba

        with self._named(FloatingPointError):
            values, some = self._values(None), np.flatnonzero(coef)
            wanted = -values.combine(some, coef[some])
            return blocks.minimum(values, wanted, coef, low, high, tol=tol, max_iter=max_iter)

    def _outputs(self, rows: np.ndarray | None) -> machines.Outputs:
        """Function for the decision values of selected rows without the intercept."""
        X = self._taken(rows)

        def outputs(support: np.ndarray, coef: np.ndarray) -> np.ndarray:
            if self.K is None:
                return products(self.kernel, X, take(X, support), coef)
            return np.asarray(coef @ _square(self.K, rows)[support])

        return outputs

    def _hard(self, rows: np.ndarray | None, signs: np.ndarray, C: np.ndarray) -> Machine:
        """Solve a hard margin with a finite bound that no coefficient can reach.

        All coefficients sum to ``1 / margin^2``, half of it on each side; so a lower bound of the
        margin bounds the coefficients.
        """
        least = self._least_margin(rows, signs)
        return self._bounded(rows, signs, np.where(np.isinf(C), 1 / least**2, C))

    def _least_margin(self, rows: np.ndarray | None, signs: np.ndarray) -> float:
        """A lower bound of the margin, at least half of it if possible."""
        some = np.arange(min(n_rows(self.X), 1000))
        # tolerances are relative to the size of kernel values
        unit = float(np.mean(self.kernel.diagonal(take(self.X, some)))) or 1.0
        if self.K is not None:
            kernel, X = None, _square(self.K, rows)
        elif self.known is not None:
            kernel, X = self.known, self.known.rows(self._taken(rows))
        else:
            checked_gram(self.owner, self.kernel, self.X)  # raises: it exceeds `memory`
        outputs = self._outputs(rows)
        # tighten until both bounds agree within a factor of 2, or the margin counts as 0
        for tol in _TOLERANCES:
            least, most = machines.hull_margins(kernel, X, signs, outputs, tol * unit)
            if least > most / 2 or most < _NARROW * np.sqrt(unit):
                break
        if least > 0 and most >= _NARROW * np.sqrt(unit):
            return least
        raise InputError(
            f"{display_name(self.owner)}: C=inf needs classes that the kernel separates, but these "
            f"are not separated, or too narrowly (the margin is at most "
            f"{most / np.sqrt(unit):.2g} of the size of a row); give a finite C"
        )

    def outputs(self, solved: Machine, rows: np.ndarray) -> np.ndarray:
        """Decision values of a machine for training rows; array of shape (len(rows),)."""
        if self.K is not None:
            values = self.K[np.ix_(rows, solved.rows)] @ solved.coef
        else:
            support = take(self.X, solved.rows)
            values = products(self.kernel, take(self.X, rows), support, solved.coef)
        return np.asarray(values + solved.intercept)


def _square(K: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
    return K if rows is None else K[np.ix_(rows, rows)]


MOST_ROWS = 2000  # an interior point solver takes O(n^3) time and a dense matrix
# Near machine precision, as this solver is the reference.
_PRECISE = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}
_WIDE = 1e4  # larger bounds, in the kernel's unit, are first tried as infinite
_SUM = 1e-12  # tolerance of the sum of coefficients, relative to the sum of their sizes
_AT_BOUND = 1e-7  # coefficients relatively nearer to a bound are set on it


def _solve_quadratic(owner: Any, K: np.ndarray, signs: np.ndarray, C: np.ndarray) -> Machine:
    """Solve one dual problem by cvxpy's interior point solver Clarabel.

    Parameters
    ----------
    owner : Component
        Named in errors.
    K : ndarray of shape (n, n)
        Positive semi-definite.
    signs : ndarray of shape (n,)
        -1 or 1.
    C : ndarray of shape (n,)
        Bound of each coefficient; may be infinite.

    Raises
    ------
    InputError
        If there are more than 2000 rows, or the solver finds no solution.
    """
    check_few(owner, len(K))
    unit = float(np.diagonal(K).mean()) or 1.0  # coefficients scale with its inverse
    # K / unit has coefficients times unit, and so bounds times unit
    bounds = np.where(np.isfinite(C), C * unit, np.inf)
    tries = [(bounds, _PRECISE), (bounds, {})]
    if (bounds > _WIDE).any():  # so wide bounds only make the problem ill-conditioned
        tries.insert(0, (np.where(bounds > _WIDE, np.inf, bounds), _PRECISE))
    scaled = K / unit
    for limits, precision in tries:
        coefficients, n_iter, converged = minimum(scaled, signs, signs, limits, 0.0, precision)
        if coefficients is not None and (np.abs(coefficients) <= bounds * (1 + _AT_BOUND)).all():
            break
    else:
        raise InputError(
            f"{display_name(owner)}: the solver of the quadratic program finds no solution"
            + ("" if np.isfinite(C).all() else "; does the kernel separate the classes?")
        )
    low, high = np.where(signs > 0, 0.0, -bounds), np.where(signs > 0, bounds, 0.0)
    coef = settled(scaled, signs, coefficients, low, high, 0.0)
    # restore bounds exactly: scaling and unscaling rounds them
    coef = np.where(np.abs(coef) == bounds, signs * C, coef / unit)
    solved = machine(coef, K @ coef, signs, C, n_iter=n_iter, converged=converged)
    return replace(solved, converged=converged or solved.violation <= owner.tol)


def check_few(owner: object, n: int) -> None:
    """Raise InputError for too many rows for a quadratic program."""
    if n > MOST_ROWS:
        raise InputError(
            f"{display_name(owner)}: solver='qp' is for at most {MOST_ROWS} rows, got {n}; "
            f"use solver='libsvm'"
        )


def minimum(
    K: np.ndarray,
    linear: np.ndarray,
    signs: np.ndarray,
    bounds: np.ndarray,
    total: float,
    precision: Mapping[str, float] = _PRECISE,
) -> tuple[np.ndarray | None, int, bool]:
    """Minimise ``1/2 a'Ka - linear'a`` over ``0 <= signs a <= bounds`` with ``sum a = total``.

    Returns
    -------
    a : ndarray of shape (n,) or None
        None: infeasible, or the solver failed.
    n_iter : int
    converged : bool
        Whether it has the requested precision.
    """
    cp: Any = import_module("cvxpy")  # untyped
    finite = np.isfinite(bounds)
    size = float(np.max(bounds[finite], initial=0.0)) or 1.0
    # a'Ka = |F'a|^2 is convex by construction, which K with rounding errors need not be
    factor = _factor(K * size)
    coef, mapped = cp.Variable(len(K)), cp.Variable(factor.shape[1])  # scaled to unit size
    limits = [mapped == factor.T @ coef, cp.sum(coef) == total / size]
    limits.append(cp.multiply(signs, coef) >= 0)
    if finite.any():
        limits.append(cp.multiply(signs, coef)[finite] <= bounds[finite] / size)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(mapped) / 2 - linear @ coef), limits)
    with warnings.catch_warnings(), suppress(cp.SolverError):
        warnings.simplefilter("ignore", UserWarning)  # of inaccuracy, which `violation` measures
        problem.solve(solver=cp.CLARABEL, **precision)
    if coef.value is None:
        return None, 0, False
    n_iter = int(problem.solver_stats.num_iters or 0)
    return np.asarray(coef.value * size), n_iter, problem.status == cp.OPTIMAL


def _factor(K: np.ndarray) -> np.ndarray:
    """F with ``F F' = K``, without directions of rounding errors: needed for wide bounds."""
    from scipy.linalg import eigh

    values, vectors = eigh(K)
    # LAPACK's eigenvalues have errors of about n eps times the largest one
    some = values > len(K) * np.finfo(float).eps * values[-1]
    some[-1] = True  # cvxpy needs at least one column, even for a zero matrix
    return np.asarray(vectors[:, some] * np.sqrt(np.maximum(values[some], 0)))


def settled(
    K: np.ndarray,
    linear: np.ndarray,
    values: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    total: float,
) -> np.ndarray:
    """Move coefficients of an interior point onto their bounds.

    Two candidates: move coefficients that are relatively nearer than 1e-7; or move the ones that
    are nearer to the bound than their derivative is to that of the free ones, then solve the
    conditions of the free ones exactly. The candidate with the smaller violation is returned.
    """
    # an interior point may lie just outside its bounds
    values = np.clip(values, low, high)
    size = float(np.abs(values).max()) or 1.0
    width = np.where(np.isfinite(high - low), high - low, size)
    near = np.where(values - low < _AT_BOUND * width, low, values)
    near = np.where(high - values < _AT_BOUND * width, high, near)
    exact = _exact(K, linear, values, low, high, total)
    apart = [intercept(linear - K @ tried, tried, low, high)[1] for tried in (near, exact)]
    return exact if apart[1] < apart[0] else near


def _exact(
    K: np.ndarray,
    linear: np.ndarray,
    values: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    total: float,
) -> np.ndarray:
    """Solve the linear equations of the free coefficients, with the others at their bounds."""
    from scipy.linalg import lstsq

    # at the optimum the free coefficients have the same derivative, the intercept
    size, wanted = float(np.abs(values).max()) or 1.0, linear - K @ values
    # the intercept, estimated by the coefficient farthest from its bounds
    middle = wanted[np.argmax(np.minimum(values - low, high - values))]
    unit = max(abs(middle), float(np.abs(linear).max())) or 1.0
    # the derivative in units of coefficients, so that both distances are comparable
    gap = (wanted - middle) / unit * size
    # complementarity: a coefficient nearer to its bound than its derivative is to 0 lies on it
    fixed = np.where(values - low < -gap, low, np.where(high - values < gap, high, np.nan))
    free = np.flatnonzero(np.isnan(fixed))
    exact = np.where(np.isnan(fixed), values, fixed)
    ones = np.ones((len(free), 1))
    # the equations of the free ones: K a + b = linear, sum a = total
    matrix = np.block([[K[np.ix_(free, free)], ones], [ones.T, np.zeros((1, 1))]])
    missing = (linear - K @ exact)[free] - middle
    right = np.append(missing, total - exact.sum())
    # least squares: K of the free ones is singular where rows are equal
    exact[free] += lstsq(matrix, right, lapack_driver="gelsy")[0][:-1]
    exact = np.clip(exact, low, high)
    # clipping may have broken the sum: then the step is refused
    return exact if abs(exact.sum() - total) <= _SUM * np.abs(exact).sum() else values
