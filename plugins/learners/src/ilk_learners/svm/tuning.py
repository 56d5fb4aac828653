"""Tuning of kernel hyper-parameters by the fit of the Gram matrix to the labels."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ilk import ParameterError, display_name, is_frozen, n_rows, take
from ilk_learners.kernel_parameters import KernelParameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scipy.optimize import OptimizeResult

    from ilk import Cases, Kernel

Criterion = Literal["alignment", "polarization"]

_ROWS = 1000  # most rows used: each evaluation takes O(rows^2)
_BYTES = 2**26  # bytes of derivatives held at once
_FACTORS = 2.0 ** np.arange(-3, 4)  # common factors of all parameters tried for the start
_FARTHEST = np.log(1e3)  # bound of log factors around the start: no overflow
_SHORTEST = 0.02  # smallest step without gradients: a factor of 1.02
_ITERATIONS = 100  # L-BFGS needs far fewer for so few parameters


@dataclass(frozen=True)
class Tuning:
    """Result of tuning a kernel.

    Attributes
    ----------
    criterion : {"alignment", "polarization"}
    values : dict of str to float or ndarray
        The tuned parameters.
    curve : list of float
        The criterion at the kernel as given, then after each step; never falling.
    n_rows : int
        Number of used rows.
    """

    criterion: Criterion
    values: dict[str, Any]
    curve: list[float]
    n_rows: int


def tune(
    owner: object, kernel: Kernel, X: Cases, codes: np.ndarray, criterion: Criterion
) -> tuple[Any, Tuning]:
    """Maximise a criterion over the continuous parameters of a kernel (local maximum).

    The start is the best of the given parameters times 2^-3 ... 2^3. L-BFGS follows if the kernel
    has gradients, else coordinate search with steps down to a factor of 1.02. No parameter moves by
    more than a factor of 1000 from the start.

    At most 1000 rows are used, in proportion to the classes. Memory: two matrices of those rows,
    and 64 MiB of derivatives at a time, for any number of parameters.

    Parameters
    ----------
    owner : Component
        Named in errors.
    kernel : kernel
        Fitted.
    X : data of n rows
    codes : ndarray of int, shape (n,)

    Returns
    -------
    kernel : kernel
        Not fitted.
    tuning : Tuning

    Raises
    ------
    ParameterError
        If the kernel is frozen, or has no number among its parameters.
    """
    _check(owner, kernel)
    rows = _some(codes)
    climb = _Climb(KernelParameters(kernel), take(X, rows), codes[rows], criterion)
    start = climb.best_common()
    if kernel.capabilities.gram_gradient:
        logarithms = climb.by_gradient(start, owner)
    else:
        logarithms = climb.by_search(start)
    parameters = climb.parameters
    tuning = Tuning(criterion, parameters.values(logarithms), climb.curve, len(rows))
    return parameters.kernel(logarithms), tuning


def _check(owner: Any, kernel: Kernel) -> None:
    if is_frozen(kernel):
        raise owner.parameter_error("kernel_tuning", "must be 'none' for a kernel that is frozen")
    if not KernelParameters(kernel).size:
        name = display_name(kernel)
        raise owner.parameter_error(
            "kernel_tuning", f"must be 'none' for the kernel {name}: it has no number to tune"
        )


def _some(codes: np.ndarray) -> np.ndarray:
    """All rows, or a stratified subset."""
    n = len(codes)
    if n <= _ROWS:
        return np.arange(n)
    # every k-th row in the order of classes: each keeps its share, and at least one row
    order = np.argsort(codes, kind="stable")
    first = np.unique(codes[order], return_index=True)[1]
    even = np.linspace(0, n - 1, _ROWS).astype(int)
    return np.unique(order[np.concatenate([first, even])])


class _Climb:
    """The criterion as a function of the logarithms of factors, and its maximisation."""

    def __init__(
        self, parameters: KernelParameters, X: Cases, codes: np.ndarray, criterion: Criterion
    ) -> None:
        self.parameters = parameters
        self.X = X
        self.codes = codes
        self.measure = Target(codes, criterion)
        self.curve = [self.value(np.zeros(parameters.size))]

    def value(self, logarithms: np.ndarray) -> float:
        """The criterion; -infinity if the kernel rejects the parameters."""
        try:
            kernel = self.parameters.kernel(logarithms).fit(self.X, self.codes)
        except ParameterError:
            return -np.inf
        return self.measure.value(np.array(kernel.gram(self.X), dtype=float))

    def best_common(self) -> np.ndarray:
        """The best common factor of all parameters, in logarithms."""
        every = [np.full(self.parameters.size, np.log(factor)) for factor in _FACTORS]
        values = [self.value(each) for each in every]
        best = int(np.argmax(values))
        # a common factor is taken only if it improves on the given parameters
        if values[best] <= self.curve[0]:
            return np.zeros(self.parameters.size)
        self.curve.append(values[best])
        return every[best]

    def by_gradient(self, start: np.ndarray, owner: object) -> np.ndarray:
        """Maximise by L-BFGS."""
        from scipy.optimize import minimize
        from sklearn.exceptions import ConvergenceWarning

        # the tolerances of L-BFGS are relative to values of about 1
        unit = abs(self.curve[-1]) or 1.0

        def down(logarithms: np.ndarray) -> tuple[float, np.ndarray]:
            kernel = self.parameters.kernel(logarithms).fit(self.X, self.codes)
            value, gradient = self.measure.with_gradient(kernel, self.X)
            return -value / unit, -gradient / unit

        # line searches evaluate worse points too: the curve shows the best so far
        def keep(intermediate_result: OptimizeResult) -> None:
            self.curve.append(max(-float(intermediate_result.fun) * unit, self.curve[-1]))

        bounds = [(at - _FARTHEST, at + _FARTHEST) for at in start]
        solve: Any = minimize  # its stubs know no shapes
        solution = solve(
            down,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            callback=keep,
            options={"maxiter": _ITERATIONS, "ftol": 1e-7, "gtol": 1e-6},
        )
        if solution.nit >= _ITERATIONS:
            warnings.warn(
                f"{display_name(owner)}: kernel_tuning not converged after "
                f"{solution.nit} iterations",
                ConvergenceWarning,
                stacklevel=5,
            )
        # never worse than the given parameters
        return np.asarray(solution.x) if -solution.fun * unit >= self.curve[0] else start

    def by_search(self, start: np.ndarray) -> np.ndarray:
        """Coordinate search: steps up and down along each parameter, halved when none helps."""
        best, step = start, np.log(2.0) / 2
        while step > _SHORTEST:
            before = self.curve[-1]
            for at in range(self.parameters.size):
                along = step * (np.arange(len(best)) == at)
                values = [self.value(best + along), self.value(best - along)]
                if max(values) > self.curve[-1]:
                    best = best + (along if values[0] >= values[1] else -along)
                    self.curve.append(max(values))
            # no step helped, or the search runs away: smaller steps
            if self.curve[-1] == before or np.abs(best - start).max() > _FARTHEST:
                step /= 2
        return best


class Target:
    """Fit of a Gram matrix K to labels.

    The target is ``T = U U'``, where U are the centred one-hot labels. So T is the centred matrix
    of equal labels; for two classes of equal size it is half of ``y y'`` for labels y of +1 and -1.

    - ``"polarization"``: ``<K, T> / n^2``.
    - ``"alignment"``: ``<K, T> / (|K_c| |T|)``, the cosine of the angle between the centred K and
      T.

    Products and norms are Frobenius's. Both criteria are 0 for a constant K, for any class sizes.
    """

    def __init__(self, codes: np.ndarray, criterion: Criterion) -> None:
        U = np.eye(int(codes.max()) + 1)[codes]
        self.U = U - U.mean(axis=0)
        self.criterion = criterion
        self._norm = float(np.linalg.norm(self.U.T @ self.U))

    def value(self, K: np.ndarray) -> float:
        """The criterion of K, of shape (n, n), which is overwritten."""
        return self._value_and_weights(K)[0]

    def with_gradient(self, kernel: Kernel, X: Cases) -> tuple[float, np.ndarray]:
        """The criterion of a kernel, and its derivatives by the logarithms of parameters."""
        value, W = self._value_and_weights(np.array(kernel.gram(X), dtype=float))
        return value, weighted_slopes(kernel, X, W)

    def _value_and_weights(self, K: np.ndarray) -> tuple[float, np.ndarray]:
        """The criterion, and its derivative by each entry of K, which overwrites K."""
        # <K, U U'> = trace(U' K U), without the n x n target
        fit = float(np.vdot(self.U, K @ self.U))
        if self.criterion == "polarization":
            n = len(K)
            np.matmul(self.U, self.U.T, out=K)
            K /= n * n
            return fit / (n * n), K
        # centring: K minus the means of columns, then of rows, is H K H
        means = K.mean(axis=0)
        K -= means
        K -= (means - means.mean())[:, None]
        norm = float(np.linalg.norm(K))
        if norm * self._norm == 0:
            K[...] = 0
            return 0.0, K
        value = fit / (norm * self._norm)
        # the derivative of <K, T> / (|K| |T|) is T / (|K| |T|) - value K / |K|^2
        K *= -value / norm**2
        K += (self.U / (norm * self._norm)) @ self.U.T
        return value, K


def weighted_slopes(kernel: Kernel, X: Cases, W: np.ndarray, *, limit: int = _BYTES) -> np.ndarray:
    """``sum_ij W_ij dk(x_i, x_j)`` for the derivative dk by the logarithm of each parameter.

    Parameters
    ----------
    kernel : kernel
        Fitted, with gradients.
    X : data of n rows
    W : ndarray of shape (n, n)
        Symmetric.
    limit : int
        Approximate bytes of derivatives held at a time.

    Returns
    -------
    ndarray of shape (n_parameters,)
    """
    n = n_rows(X)
    n_parameters = kernel.gram_gradient(take(X, np.arange(1)))[1].shape[2]
    # a block pair has (rows + columns)^2 derivatives for each parameter
    step = max(int(np.sqrt(limit / (8 * max(n_parameters, 1)))), 2)
    total = np.zeros(n_parameters)
    for rows, columns in _pairs(n, step):
        both = rows if columns is None else np.concatenate([rows, columns])
        slopes = kernel.gram_gradient(take(X, both))[1]
        if columns is None:
            total += np.tensordot(W[np.ix_(rows, rows)], slopes)
        else:
            apart = slopes[: len(rows), len(rows) :]
            # K and its derivatives are symmetric: the block below the diagonal counts as well
            total += 2 * np.tensordot(W[np.ix_(rows, columns)], apart)
    return total


def _pairs(n: int, step: int) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """Yield blocks of rows and columns, at most `step` together; None: the rows themselves."""
    if n <= step:
        yield np.arange(n), None
        return
    blocks = np.array_split(np.arange(n), -(-n // (step // 2)))
    yield from ((block, None) for block in blocks)
    yield from combinations(blocks, 2)
