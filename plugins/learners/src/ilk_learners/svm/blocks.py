"""The dual problem of many rows, in blocks: kernel values are computed as the solver needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

import ilk
from ilk import n_rows, take

if TYPE_CHECKING:
    from ilk import Cases, Kernel
    from ilk_learners.svm.gram import KnownKernel

_CELLS = 2**20  # kernel values held at once: 8 MiB
_START = 256  # rows of the first blocks
_MOST = 2048  # rows of a block at most: its kernel values take 32 MiB
_KEPT = 0.5  # share of a block for coefficients between their bounds
_INNER = 0.1  # a block is solved to this share of the violation that it started with
_ERROR = 1e-11  # accepted error of an entry computed by the fast matrix product
_FLAT = 1e-12  # curvature along a step that has none, as in libsvm


class KernelValues(Protocol):
    """Kernel values between n rows."""

    def square(self, rows: np.ndarray) -> np.ndarray:
        """Kernel values between some rows; array of shape (len(rows), len(rows))."""

    def combine(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """``sum_i weights_i k(x_i, x)`` over some rows, for each row x; array of shape (n,)."""


class _OfGram:
    """Values read from the Gram matrix."""

    def __init__(self, K: np.ndarray) -> None:
        self.K = K

    def square(self, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self.K[np.ix_(rows, rows)])

    def combine(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        total = np.zeros(len(self.K))
        step = max(_CELLS // len(self.K), 1)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            total += weights[part] @ self.K[rows[part]]
        return total


class _Radial(NamedTuple):
    """The logarithms of a radial basis function kernel's values as ``left @ right.T``.

    Attributes
    ----------
    left, right : ndarray of shape (n, p + 2)
    """

    left: np.ndarray
    right: np.ndarray


def _radial(known: KnownKernel | None, X: Cases) -> _Radial | None:
    """Factors for rows; None for other kernels, and where cancellation would matter."""
    if known is None or known.name != "rbf" or not isinstance(X, np.ndarray):
        return None
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        rows = known.rows(X)
        # centred rows are shorter, so the expansion of the squares cancels less
        rows = rows - rows.mean(axis=0)
        squares = known.gamma * np.einsum("ip,ip->i", rows, rows)
    # the error of -gamma |x - y|^2 computed from squares of up to `squares.max()`
    if not 4 * squares.max() * np.finfo(float).eps < _ERROR:
        return None
    one = np.ones((len(rows), 1))
    # left @ right' = 2 gamma x'y - gamma |x|^2 - gamma |y|^2 = -gamma |x - y|^2
    left = np.hstack([rows * (2 * known.gamma), -squares[:, None], one])
    return _Radial(left, np.hstack([rows, one, -squares[:, None]]))


class _OfRadial:
    """Values of the radial basis function kernel, by matrix products."""

    def __init__(self, products: _Radial) -> None:
        self.products = products
        self.right = np.ascontiguousarray(products.right.T)
        self.space = np.empty(_CELLS)

    def square(self, rows: np.ndarray) -> np.ndarray:
        K = self._values(self.products.left[rows], self.right[:, rows], np.empty(len(rows) ** 2))
        np.fill_diagonal(K, 1.0)
        return K

    def combine(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        n = self.right.shape[1]
        left, total = self.products.left[rows], np.empty(n)
        # few columns at a time: their values stay in the cache of the processor
        step = max(min(_CELLS // 8 // max(len(rows), 1), n), 16)
        for start in range(0, n, step):
            part = slice(start, start + step)
            total[part] = weights @ self._values(left, self.right[:, part], self.space)
        return total

    @staticmethod
    def _values(left: np.ndarray, right: np.ndarray, space: np.ndarray) -> np.ndarray:
        shape = len(left), right.shape[1]
        K = space[: shape[0] * shape[1]].reshape(shape)
        np.matmul(left, right, out=K)
        # rounding may make equal rows slightly farther than 0
        np.minimum(K, 0.0, out=K)
        with np.errstate(under="ignore"):
            return np.asarray(np.exp(K, out=K))


class _OfKernel:
    """Values of any kernel; the rows used last are kept.

    Parameters
    ----------
    kernel : Kernel
        Fitted.
    X : data of n rows
    n_kept : int
        Rows of the Gram matrix that are kept; at least one block of the solver, or 0.
    """

    def __init__(self, kernel: Kernel, X: Cases, n_kept: int) -> None:
        self.kernel, self.X, self.n = kernel, X, n_rows(X)
        self.n_kept = n_kept
        self.kept = np.empty((n_kept, self.n))
        self.row_at = np.full(n_kept, -1)  # the row in each place
        self.place_of = np.full(self.n, -1)
        self.used = np.zeros(n_kept, dtype=np.int64)
        self.clock = 0

    def square(self, rows: np.ndarray) -> np.ndarray:
        if self.n_kept:
            return np.asarray(self._rows(rows)[:, rows])
        return self._gram(rows, take(self.X, rows))

    def combine(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        total = np.zeros(self.n)
        step = max(_CELLS // self.n, 1)
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            values = self._rows(part) if self.n_kept else self._gram(part, self.X)
            total += weights[start : start + step] @ values
        return total

    def _gram(self, rows: np.ndarray, others: Cases) -> np.ndarray:
        return np.asarray(self.kernel.gram(take(self.X, rows), others), dtype=float)

    def _rows(self, rows: np.ndarray) -> np.ndarray:
        """Rows of the Gram matrix; new ones replace those whose last use is longest ago."""
        self.clock += 1
        places = self.place_of[rows]
        self.used[places[places >= 0]] = self.clock
        fresh = rows[places < 0]
        if len(fresh):
            free = np.argsort(self.used, kind="stable")[: len(fresh)]
            before = self.row_at[free]
            self.place_of[before[before >= 0]] = -1
            step = max(_CELLS // self.n, 1)
            for start in range(0, len(fresh), step):
                part = slice(start, start + step)
                self.kept[free[part]] = self._gram(fresh[part], self.X)
            self.row_at[free], self.place_of[fresh], self.used[free] = fresh, free, self.clock
        return np.asarray(self.kept[self.place_of[rows]])


class _Part:
    """The values between some of the rows."""

    def __init__(self, values: KernelValues, rows: np.ndarray) -> None:
        self.values, self.rows = values, rows

    def square(self, rows: np.ndarray) -> np.ndarray:
        return self.values.square(self.rows[rows])

    def combine(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return np.asarray(self.values.combine(self.rows[rows], weights)[self.rows])


def kernel_values(
    kernel: Kernel, X: Cases, K: np.ndarray | None, known: KnownKernel | None, memory: float
) -> KernelValues:
    """Values of a kernel between rows.

    Parameters
    ----------
    kernel : Kernel
        Fitted.
    X : data of n rows
    K : ndarray of shape (n, n) or None
        The Gram matrix.
    known : KnownKernel or None
        The kernel in libsvm's terms: its values take less time than to keep them.
    memory : float
        Mebibytes of values that are kept of other kernels.
    """
    if K is not None:
        return _OfGram(K)
    products = _radial(known, X)
    if products is not None:
        return _OfRadial(products)
    n = n_rows(X)
    kept = 0 if known is not None else max(int(memory * 2**17) // n, _START)
    return _OfKernel(kernel, X, min(kept, n))


def part_of(values: KernelValues, rows: np.ndarray | None) -> KernelValues:
    """The values between some of the rows; None: all."""
    return values if rows is None else _Part(values, rows)


def minimum(
    values: KernelValues,
    wanted: np.ndarray,
    coef: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    *,
    tol: float,
    max_iter: int,
    block: int = _START,
) -> tuple[np.ndarray, np.ndarray, int, bool]:
    """Minimise ``1/2 a'Ka - linear'a`` over ``low <= a <= high`` with the sum of a fixed.

    Blocks of coefficients are solved in turn: those that violate the optimality conditions most,
    and those between their bounds. Blocks grow with the number of the latter. A block needs the
    kernel values between its rows, and those of its changed rows with all others.

    Parameters
    ----------
    values : KernelValues
        K, of n rows.
    wanted : ndarray of shape (n,)
        ``linear - K a`` at the start; overwritten.
    coef : ndarray of shape (n,)
        Feasible start; overwritten.
    low, high : ndarray of shape (n,)
    tol : float
        Accepted violation of the optimality conditions.
    max_iter : int
        Steps, each of two coefficients.
    block : int
        Rows of the first blocks.

    Returns
    -------
    coef, wanted : ndarray of shape (n,)
    n_iter : int
    converged : bool

    Raises
    ------
    FloatingPointError
        If a kernel value is not finite.

    References
    ----------
    R.-E. Fan, P.-H. Chen and C.-J. Lin, "Working set selection using second order information for
    training support vector machines", *Journal of Machine Learning Research* 6, 2005.
    """
    n_iter, rows, most = 0, np.empty(0, dtype=np.intp), _most(values, len(coef))
    block = min(block, most)
    while True:
        growing = np.where(coef < high, wanted, -np.inf)
        shrinking = np.where(coef > low, wanted, np.inf)
        violation = float(growing.max() - shrinking.min())
        if violation <= tol or n_iter >= max_iter:
            return coef, wanted, n_iter, violation <= tol
        free = np.flatnonzero((coef > low) & (coef < high))
        if len(free) > _KEPT * block and block < most:
            block = min(2 * block, most)
        # of too many free ones, those of the last block stay
        free = np.concatenate([np.intersect1d(free, rows), np.setdiff1d(free, rows)])
        free = free[: min(int(_KEPT * block), block - 2)]
        each = (block - len(free)) // 2
        rows = np.unique(np.concatenate([free, _first(-growing, each), _first(shrinking, each)]))
        before, some = coef[rows], wanted[rows]
        part, accepted = before.copy(), max(tol, _INNER * violation)
        limits = low[rows], high[rows]
        K = values.square(rows)
        steps = _steps(K, some, part, *limits, accepted, max_iter - n_iter)
        changed = np.flatnonzero(part != before)
        if not len(changed):  # a step is below the rounding of the coefficients
            return coef, wanted, n_iter + steps, False
        n_iter += steps
        coef[rows] = part
        wanted -= values.combine(rows[changed], (part - before)[changed])
        if not np.isfinite(wanted).all():
            raise FloatingPointError("a kernel value is not finite")


def _most(values: KernelValues, n: int) -> int:
    """The largest block: the values that are kept must hold its rows."""
    source = values.values if isinstance(values, _Part) else values
    kept = getattr(source, "n_kept", 0)
    return min(n, _MOST, kept or _MOST)


def _first(keys: np.ndarray, n: int) -> np.ndarray:
    """Positions of the n smallest keys, without order."""
    return np.argpartition(keys, n - 1)[:n] if n < len(keys) else np.arange(len(keys))


@ilk.compiled
def _steps(
    K: np.ndarray,
    wanted: np.ndarray,
    coef: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    tol: float,
    max_iter: int,
) -> int:
    """Sequential minimal optimisation on a Gram matrix, until the violation is at most `tol`.

    Shapes: K (q, q), the others (q,); `wanted` and `coef` are overwritten. Returns the number of
    steps.
    """
    q = len(wanted)
    for step in range(max_iter):
        grows, shrinks, best, least = -1, -1, -np.inf, np.inf
        for t in range(q):
            if coef[t] < high[t] and wanted[t] > best:
                best, grows = wanted[t], t
            if coef[t] > low[t] and wanted[t] < least:
                least = wanted[t]
        if not best - least > tol:
            return step
        # the partner that lowers the objective most, to second order
        gain = -1.0
        for t in range(q):
            apart = best - wanted[t]
            if apart > 0 and coef[t] > low[t]:
                curve = K[grows, grows] + K[t, t] - 2 * K[grows, t]
                lowered = apart * apart / (curve if curve > 0 else _FLAT)
                if lowered > gain:
                    gain, shrinks = lowered, t
        if shrinks < 0:  # a value is not finite
            return step
        curve = K[grows, grows] + K[shrinks, shrinks] - 2 * K[grows, shrinks]
        length = (best - wanted[shrinks]) / (curve if curve > 0 else _FLAT)
        up, down = high[grows] - coef[grows], coef[shrinks] - low[shrinks]
        length = min(length, up, down)
        # exactly onto a bound: rounding must not leave a coefficient beside it
        coef[grows] = high[grows] if length == up else coef[grows] + length
        coef[shrinks] = low[shrinks] if length == down else coef[shrinks] - length
        for t in range(q):
            wanted[t] -= length * (K[grows, t] - K[shrinks, t])
    return max_iter
