"""The dual problems of one fit: one Gram matrix, or rows, and the solver that is asked for."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import InputError, display_name, n_rows, take
from ilk_learners.svm import libsvm, quadratic
from ilk_learners.svm.gram import checked_gram, exceeds_memory, products
from ilk_learners.svm.known import known_kernel
from ilk_learners.svm.strategies import problems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk_learners.svm.machine import Machine
    from ilk_learners.svm.strategies import Strategy

_TOLERANCES = 1e-4, 1e-5, 1e-6, 1e-7  # of the kernel's unit; its values are of single precision
_NARROW = 1e-4  # margin, in the unit of rows: less is none


class Dual:
    """Training rows under a kernel, whose binary problems are to be solved.

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
        If the Gram matrix is larger than `memory` and libsvm cannot do without, or not finite.
    """

    def __init__(self, owner: Any, kernel: Any, X: Any) -> None:
        self.owner = owner
        self.kernel = kernel
        self.X = X
        self.K: np.ndarray | None = None
        self.known = known_kernel(kernel)
        fits = not exceeds_memory(owner, n_rows(X))
        if fits or self.known is None or owner.solver == "qp":
            self.K = checked_gram(owner, kernel, X)
            return
        self.rows = self.known.rows(X)  # libsvm computes kernel values as it needs them

    def solve_each(
        self, codes: np.ndarray, n_classes: int, strategy: Strategy, C: np.ndarray
    ) -> list[Machine]:
        """Solve all binary problems of the classes; pairs together, where libsvm has the Gram."""
        together = self.K is not None and self.owner.solver == "libsvm" and np.isfinite(C).all()
        if strategy == "ovo" and n_classes > 2 and together:
            assert self.K is not None
            tol, max_iter = self.owner.tol, self.owner.max_iter
            with self._named():
                return libsvm.solve_pairs(self.K, codes, C, tol=tol, max_iter=max_iter)
        return [
            self.solve(rows, signs, C if rows is None else C[rows])
            for rows, signs in problems(codes, n_classes, strategy)
        ]

    def solve(self, rows: np.ndarray | None, signs: np.ndarray, C: np.ndarray) -> Machine:
        """Solve the problem of some rows (None: all).

        Returns
        -------
        Machine
            Whose rows are numbers of all training rows.
        """
        solved = self._solved(rows, signs, C)
        return solved if rows is None else replace(solved, rows=rows[solved.rows])

    def _solved(self, rows: np.ndarray | None, signs: np.ndarray, C: np.ndarray) -> Machine:
        if self.owner.solver == "qp":
            return quadratic.solve(self.owner, self._part(rows), signs, C)
        if np.isfinite(C).all():
            return self._by_libsvm(rows, signs, C)
        return self._hard(rows, signs, C)

    def _by_libsvm(self, rows: np.ndarray | None, signs: np.ndarray, C: np.ndarray) -> Machine:
        given = {"tol": self.owner.tol, "max_iter": self.owner.max_iter}
        with self._named():
            if self.K is not None:
                return libsvm.solve(self._part(rows), signs, C, **given)
            assert self.known is not None
            X, outputs = self._part(rows), self._outputs(rows)
            return libsvm.solve_rows(self.known, X, signs, C, outputs, **given)

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except ValueError as error:
            raise InputError(
                f"{display_name(self.owner)}: libsvm finds no finite solution: values of the "
                f"kernel {display_name(self.kernel)} are too large for single precision; "
                f"standardize X"
            ) from error

    def _part(self, rows: np.ndarray | None) -> Any:
        """The Gram matrix of some rows, or the rows where there is none."""
        if self.K is None:
            return self.rows if rows is None else self.rows[rows]
        return self.K if rows is None else self.K[np.ix_(rows, rows)]

    def _outputs(self, rows: np.ndarray | None) -> libsvm.Outputs:
        """What gives the decisions about some rows, without the intercept."""
        X = self.X if rows is None else take(self.X, rows)

        def outputs(support: np.ndarray, coef: np.ndarray) -> np.ndarray:
            if self.K is None:
                return products(self.kernel, X, take(X, support), coef)
            return np.asarray(coef @ self._part(rows)[support])

        return outputs

    def _hard(self, rows: np.ndarray | None, signs: np.ndarray, C: np.ndarray) -> Machine:
        """Solve with a finite bound that no coefficient can reach, as the margin is wide enough.

        All coefficients sum to ``1 / margin^2``, half of that on each side.
        """
        least = self._least_margin(rows, signs)
        return self._by_libsvm(rows, signs, np.where(np.isinf(C), 1 / least**2, C))

    def _least_margin(self, rows: np.ndarray | None, signs: np.ndarray) -> float:
        """A bound of the margin from below, at least half of it if that can be told."""
        some = np.arange(min(n_rows(self.X), 1000))
        unit = float(np.mean(self.kernel.diagonal(take(self.X, some)))) or 1.0
        kernel, X = None if self.K is not None else self.known, self._part(rows)
        outputs = self._outputs(rows)
        for tol in _TOLERANCES:
            least, most = libsvm.hull_margins(kernel, X, signs, outputs, tol * unit)
            if least > most / 2 or most < _NARROW * np.sqrt(unit):
                break
        if least > 0 and most >= _NARROW * np.sqrt(unit):
            return least
        raise InputError(
            f"{display_name(self.owner)}: C=inf asks for classes that the kernel separates, and "
            f"these are not separated, or too narrowly (the margin is at most "
            f"{most / np.sqrt(unit):.2g} of the size of a row); give a finite C"
        )

    def outputs(self, solved: Machine, rows: np.ndarray) -> np.ndarray:
        """Decisions of a machine about training rows; array of shape (len(rows),)."""
        if self.K is not None:
            values = self.K[np.ix_(rows, solved.rows)] @ solved.coef
        else:
            support = take(self.X, solved.rows)
            values = products(self.kernel, take(self.X, rows), support, solved.coef)
        return np.asarray(values + solved.intercept)
