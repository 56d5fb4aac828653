"""Gram matrices: blocks, products, tests for definiteness, and alignment with labels."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk import check_gram

if TYPE_CHECKING:
    from ilk import Cases, Kernel, Labels

BLOCK_BYTES = 32 * 2**20  # of a block: far less than a matrix that does not fit in memory


def gram_blocks(
    kernel: Kernel, X: Cases, Y: Cases | None = None, *, block_bytes: int = BLOCK_BYTES
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield a Gram matrix in blocks of whole rows, in order.

    Parameters
    ----------
    kernel : Kernel
        Fitted.
    X, Y : data of n and m rows
        Y is X itself if left out.
    block_bytes : int
        Bound on the bytes of a block of float64 (but a block has at least one row).

    Yields
    ------
    rows : slice
        Which rows of X.
    block : ndarray of shape (len(rows), m)

    Examples
    --------
    >>> import ilk, numpy as np
    >>> X = np.arange(6.0)[:, None]
    >>> for rows, block in gram_blocks(ilk.kernel("linear"), X, block_bytes=4 * 6 * 8):
    ...     print(rows, block.sum())
    slice(0, 4, None) 90.0
    slice(4, 6, None) 135.0
    """
    _check("gram_blocks", kernel, block_bytes=block_bytes)
    Y = X if Y is None else Y
    n, step = ilk.n_rows(X), max(block_bytes // (8 * max(ilk.n_rows(Y), 1)), 1)
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        yield rows, np.asarray(kernel.gram(part(X, rows), Y))


def gram_product(
    kernel: Kernel, X: Cases, V: Any, Y: Cases | None = None, *, block_bytes: int = BLOCK_BYTES
) -> np.ndarray:
    """Multiply a Gram matrix by a vector or matrix without holding it.

    Decision functions, conjugate gradients and means in the feature space need it.

    Parameters
    ----------
    kernel : Kernel
        Fitted.
    X, Y : data of n and m rows
    V : array of shape (m,) or (m, r)
    block_bytes : int

    Returns
    -------
    ndarray of shape (n,) or (n, r)

    Examples
    --------
    >>> import ilk
    >>> gram_product(ilk.kernel("linear"), [[1.0], [2.0]], [1.0, 1.0])
    array([3., 6.])
    """
    V, m = np.asarray(V), ilk.n_rows(X if Y is None else Y)
    if V.ndim not in {1, 2} or len(V) != m or V.dtype.kind not in "biuf":
        raise ilk.InputError(
            f"gram_product: V must have one number, or one row of numbers, for each of {m} rows, "
            f"got shape {V.shape} and type {V.dtype}"
        )
    blocks = gram_blocks(kernel, X, Y, block_bytes=block_bytes)
    return np.concatenate([block @ V for _, block in blocks])


class GramRows:
    """Rows of a Gram matrix on demand, with a cache of the last used rows.

    A solver that works on a few rows at a time (SMO) reads the same rows again and again.

    Parameters
    ----------
    kernel : Kernel
        Fitted.
    X : data of n rows
    cache_bytes : int
        Bound on the bytes of the cached rows (at least one row is cached).

    Attributes
    ----------
    diagonal : ndarray of shape (n,)
        k(x, x) of every row.
    n_computed : int
        Number of rows computed so far.

    Examples
    --------
    >>> import ilk
    >>> rows = GramRows(ilk.kernel("linear"), [[1.0], [2.0], [3.0]])
    >>> rows[[0, 2]]
    array([[1., 2., 3.],
           [3., 6., 9.]])
    >>> rows[2], rows.n_computed
    (array([3., 6., 9.]), 2)
    """

    def __init__(self, kernel: Kernel, X: Cases, *, cache_bytes: int = 8 * BLOCK_BYTES) -> None:
        _check("GramRows", kernel, cache_bytes=cache_bytes)
        self.kernel = kernel
        self.X = X
        self.diagonal = np.asarray(kernel.diagonal(X))
        self.n_computed = 0
        self._room = max(cache_bytes // max(self.diagonal.itemsize * len(self), 1), 1)
        self._kept: OrderedDict[int, np.ndarray] = OrderedDict()

    def __len__(self) -> int:
        return len(self.diagonal)

    def __getitem__(self, rows: np.ndarray) -> np.ndarray:
        """One row, for its number; or several as a new array, for numbers, a slice or a mask."""
        numbers = np.arange(len(self))[rows]  # numpy's rules of indexing, errors included
        if numbers.ndim > 1:
            raise IndexError(f"rows must be a number or a sequence of numbers, got {rows!r}")
        if numbers.ndim == 0:
            return self._of([int(numbers)])[0]
        return np.array(self._of(numbers.tolist())).reshape(-1, len(self))

    def _of(self, numbers: list[int]) -> list[np.ndarray]:
        cached = {i: self._kept[i] for i in numbers if i in self._kept}
        missing = [i for i in dict.fromkeys(numbers) if i not in cached]
        if missing:
            block = np.asarray(self.kernel.gram(ilk.take(self.X, np.array(missing)), self.X))
            self.n_computed += len(missing)
            # copied: a view would keep the whole block in memory
            cached.update((i, row.copy()) for i, row in zip(missing, block, strict=True))
        for i in dict.fromkeys(numbers):
            cached[i].flags.writeable = False  # callers share it
            self._kept[i] = cached[i]
            # the most recently used rows are last, and the first one goes
            self._kept.move_to_end(i)
        while len(self._kept) > self._room:
            self._kept.popitem(last=False)
        return [cached[i] for i in numbers]


def _check(name: str, kernel: Kernel, **sizes: Any) -> None:
    """Raise unless `kernel` is a fitted kernel, and sizes are integers of at least 1."""
    if getattr(kernel, "kind", None) != "kernel":
        raise ilk.InputTypeError(f"{name}: kernel must be a fitted kernel, got {kernel!r}")
    for argument, size in sizes.items():
        problem = ilk.Param(int, ge=1).problem(size)
        if problem:
            raise ilk.InputError(f"{name}: {argument} {problem}")


def part(X: Cases, rows: slice) -> Any:
    """Consecutive rows of an array, sparse matrix, data frame or list."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def least_eigenvalue(K: np.ndarray) -> float:
    """Return the smallest eigenvalue of a symmetric matrix.

    Examples
    --------
    >>> round(least_eigenvalue([[1, 2], [2, 1]]), 12)
    -1.0
    """
    from scipy.linalg import eigvalsh

    return float(eigvalsh(check_gram(K), subset_by_index=[0, 0], check_finite=False)[0])


def positive_part(K: np.ndarray, tol: float = 1e-10) -> tuple[np.ndarray, np.ndarray]:
    """Return the positive eigenvalues of a symmetric matrix, and their eigenvectors.

    Returns
    -------
    values : ndarray of shape (r,)
        Ascending; those above ``tol`` times the Frobenius norm of K.
    vectors : ndarray of shape (n, r)
    """
    from scipy.linalg import eigh

    K = check_gram(K)
    values, vectors = eigh(K, check_finite=False)
    # eigenvalues within rounding of 0 count as 0
    positive = values > tol * np.linalg.norm(K)
    return values[positive], vectors[:, positive]


def alignment(K: np.ndarray, y: Labels, *, centered: bool = True) -> float:
    """Alignment of a Gram matrix with labels: the cosine of the angle between K and G.

    ``A(K, G) = <K, G> / (|K| |G|)`` with Frobenius products, where ``G_ij`` is 1 if rows i and j
    have the same label and -1 if not.

    Parameters
    ----------
    K : array of shape (n, n)
        Symmetric.
    y : array of shape (n,)
        Labels, or a matrix of shape (n, n) that replaces G.
    centered : bool, default=True
        Whether both are centred first (the mean in the feature space is moved to the origin), as
        by Cortes et al. Cristianini's measure is not centred; it is high for any kernel of large
        values if one class is much larger than the others.

    Returns
    -------
    float
        Between -1 and 1; 0 if the centred K or G is constant. If centred, it is at least 0 for
        labels and a positive semi-definite K.

    Raises
    ------
    InputError
        If K is not square, symmetric and finite, or y has another size.

    References
    ----------
    .. [1] N. Cristianini, J. Shawe-Taylor, A. Elisseeff and J. Kandola, "On kernel-target
       alignment", *Advances in Neural Information Processing Systems* 14, 2002.
    .. [2] C. Cortes, M. Mohri and A. Rostamizadeh, "Algorithms for learning kernels based on
       centered alignment", *Journal of Machine Learning Research* 13, 2012.
    .. [3] Zaidi 2011: section 10.2.

    Examples
    --------
    >>> y = ["a", "a", "b"]
    >>> alignment(target(y), y)
    1.0
    >>> round(alignment([[1, 1, 1], [1, 1, 1], [1, 1, 1]], y, centered=False), 3)
    0.111
    """
    K = check_gram(K, "alignment: K")
    G = check_gram(y, "alignment: y") if np.ndim(np.asarray(y)) == 2 else target(y)
    if K.shape != G.shape:
        raise ilk.InputError(f"alignment: K must be of shape {G.shape}, got {K.shape}")
    K, G = (A / (float(np.abs(A).max()) or 1.0) for A in (K, G))  # squares stay in range
    if centered:
        K, G = center(K), center(G)
    norms = float(np.linalg.norm(K)) * float(np.linalg.norm(G))
    if norms == 0:
        return 0.0
    return float(np.clip(np.vdot(K, G) / norms, -1, 1))


def target(y: Labels) -> np.ndarray:
    """The matrix G of labels: 1 for a pair of the same label, -1 for others.

    Examples
    --------
    >>> target([7, 7, 3])
    array([[ 1.,  1., -1.],
           [ 1.,  1., -1.],
           [-1., -1.,  1.]])
    """
    try:
        _, codes = ilk.check_labels(alignment, y)
    except ilk.InputError as error:
        raise ilk.InputError(f"alignment: {str(error).partition(': ')[2]}") from None
    return np.where(codes[:, None] == codes, 1.0, -1.0)


def center(K: np.ndarray) -> np.ndarray:
    """Centre a symmetric Gram matrix: the mean of each row and column becomes 0.

    Examples
    --------
    >>> center([[1.0, 0.0], [0.0, 1.0]])
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    K = np.asarray(K, dtype=float)
    # of a symmetric matrix, means of rows are those of columns
    means = K.mean(axis=0)
    return np.asarray(K - means - (means - means.mean())[:, None])


_Blocks = Callable[[], Iterator[tuple[slice, Sequence[np.ndarray]]]]


def aligned_weights(blocks: _Blocks, codes: np.ndarray, *, centered: bool = True) -> np.ndarray:
    """Non-negative weights, of sum 1, that maximize the alignment of the sum of matrices.

    The best direction solves ``min w'Mw - 2 w'a`` over ``w >= 0``, where M has the Frobenius
    products of the matrices with one another, and a their products with G.

    Parameters
    ----------
    blocks : callable
        Iterates over the rows of all matrices at once: yields the rows, and that block of each
        of the T matrices. It is called twice if centred, so that no matrix is stored.
    codes : ndarray of int, shape (n,)
        Class of each row.
    centered : bool

    Returns
    -------
    ndarray of shape (T,)
        All 0 if no matrix is aligned with the labels.
    """
    # matrices are not held: one pass for the means, one for the inner products
    means = _column_means(blocks) if centered else None
    M: Any = 0.0
    a: Any = 0.0
    for rows, block in blocks():
        flat = [np.asarray(K, dtype=float) for K in block]
        # centring uses the column means of the whole matrix, from a first pass
        if means is not None:
            flat = [K - m - (m[rows] - m.mean())[:, None] for K, m in zip(flat, means, strict=True)]
        G = np.where(codes[rows, None] == codes, 1.0, -1.0)
        # inner products of matrices add up over blocks of rows
        M = M + np.array([[np.vdot(K, L) for L in flat] for K in flat])
        a = a + np.array([np.vdot(K, G) for K in flat])
    return _best_direction(M, a)


def _column_means(blocks: _Blocks) -> list[np.ndarray]:
    """Column means of each matrix, equal to its row means."""
    sums: list[Any] = []
    n = 0
    for rows, block in blocks():
        parts = [np.asarray(K, dtype=float).sum(axis=0) for K in block]
        sums = [s + p for s, p in zip(sums, parts, strict=True)] if sums else parts
        n = rows.stop
    return [s / n for s in sums]


def _best_direction(M: np.ndarray, a: np.ndarray) -> np.ndarray:
    from scipy.optimize import nnls

    norms = np.sqrt(np.diagonal(M))
    safe = np.where(norms > 0, norms, 1.0)  # a zero matrix gets the weight 0
    # matrices of norm 1: their sizes would otherwise enter the condition of M
    values, vectors = np.linalg.eigh(M / np.outer(safe, safe))
    positive = values > 1e-12 * values[-1]
    roots = np.sqrt(values[positive])
    # w'Mw - 2 w'a = |A w - b|^2 + const with A'A = M and A'b = a: non-negative least squares
    A = roots[:, None] * vectors[:, positive].T
    b = vectors[:, positive].T @ (a / safe) / roots
    w = nnls(A, b / (np.linalg.norm(b) or 1.0))[0] / safe * (norms > 0)
    return np.asarray(w / w.sum() if w.any() else w)
