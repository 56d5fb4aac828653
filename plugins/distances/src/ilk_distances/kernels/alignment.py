"""How well Gram matrices fit labels, and weights that make a sum of them fit best."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy.optimize import nnls

import ilk
from ilk_distances.kernels.definiteness import check_gram


def alignment(K: Any, y: Any, *, centered: bool = True) -> float:
    """Alignment of a Gram matrix with labels: the cosine of the angle between K and G.

    ``A(K, G) = <K, G> / (|K| |G|)`` with Frobenius products, where ``G_ij`` is 1 if rows i and j
    have the same label and -1 if not.

    Parameters
    ----------
    K : array of shape (n, n)
        Symmetric.
    y : array of shape (n,)
        Labels, or a matrix of shape (n, n) to take the place of G.
    centered : bool, default=True
        Whether both are centred first (in the feature space: the mean is moved to the origin),
        as Cortes et al. do. Cristianini's measure is not centred; it is high for any kernel of
        large values when one class is much larger than the others.

    Returns
    -------
    float
        Between -1 and 1; 0 if K or G is constant, centred. Centred it is at least 0 for labels
        and a positive semi-definite K.

    Raises
    ------
    InputError
        If K is not square, symmetric and finite, or not of the size of y.

    References
    ----------
    .. [1] N. Cristianini, J. Shawe-Taylor, A. Elisseeff and J. Kandola, "On kernel-target
       alignment", *Advances in Neural Information Processing Systems* 14, 2002.
    .. [2] C. Cortes, M. Mohri and A. Rostamizadeh, "Algorithms for learning kernels based on
       centered alignment", *Journal of Machine Learning Research* 13, 2012.

    Examples
    --------
    >>> y = ["a", "a", "b"]
    >>> alignment(target(y), y)
    1.0
    >>> round(alignment([[1, 1, 1], [1, 1, 1], [1, 1, 1]], y, centered=False), 3)
    0.111
    """
    K = check_gram(K, "alignment: K")
    G = check_gram(y, "alignment: y") if np.ndim(y) == 2 else target(y)
    if K.shape != G.shape:
        raise ilk.InputError(f"alignment: K must be of shape {G.shape}, got {K.shape}")
    K, G = (A / (float(np.abs(A).max()) or 1.0) for A in (K, G))  # squares stay in range
    if centered:
        K, G = center(K), center(G)
    norms = float(np.linalg.norm(K)) * float(np.linalg.norm(G))
    if norms == 0:
        return 0.0
    return float(np.clip(np.vdot(K, G) / norms, -1, 1))


def target(y: Any) -> np.ndarray:
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


def center(K: Any) -> np.ndarray:
    """Centre a symmetric Gram matrix: rows and columns get the mean 0.

    Examples
    --------
    >>> center([[1.0, 0.0], [0.0, 1.0]])
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    K = np.asarray(K, dtype=float)
    means = K.mean(axis=0)
    return np.asarray(K - means - (means - means.mean())[:, None])


Blocks = Callable[[], Iterator[tuple[slice, Sequence[np.ndarray]]]]


def aligned_weights(blocks: Blocks, codes: np.ndarray, *, centered: bool = True) -> np.ndarray:
    """Weights of at least 0, that sum to 1, for which the sum of matrices is aligned best.

    The best direction solves ``min w'Mw - 2 w'a`` over ``w >= 0``, where M holds the products
    of the matrices with one another and a those with G.

    Parameters
    ----------
    blocks : callable
        Iterates over the rows of all matrices at once: yields the rows, and that block of each
        of the T matrices. It is called twice for centred matrices, none of which is ever held.
    codes : ndarray of int, shape (n,)
        Class of each row.
    centered : bool

    Returns
    -------
    ndarray of shape (T,)
        All 0 where no matrix is aligned with the labels at all.
    """
    means = _column_means(blocks) if centered else None
    M: Any = 0.0
    a: Any = 0.0
    for rows, block in blocks():
        flat = [np.asarray(K, dtype=float) for K in block]
        if means is not None:
            flat = [K - m - (m[rows] - m.mean())[:, None] for K, m in zip(flat, means, strict=True)]
        G = np.where(codes[rows, None] == codes, 1.0, -1.0)
        M = M + np.array([[np.vdot(K, L) for L in flat] for K in flat])
        a = a + np.array([np.vdot(K, G) for K in flat])
    return _best_direction(M, a)


def _column_means(blocks: Blocks) -> list[np.ndarray]:
    """Column means of each matrix, which are its row means."""
    sums: list[Any] = []
    n = 0
    for rows, block in blocks():
        parts = [np.asarray(K, dtype=float).sum(axis=0) for K in block]
        sums = [s + p for s, p in zip(sums, parts, strict=True)] if sums else parts
        n = rows.stop
    return [s / n for s in sums]


def _best_direction(M: np.ndarray, a: np.ndarray) -> np.ndarray:
    norms = np.sqrt(np.diagonal(M))
    safe = np.where(norms > 0, norms, 1.0)  # a matrix that is 0 gets no weight
    values, vectors = np.linalg.eigh(M / np.outer(safe, safe))
    kept = values > 1e-12 * values[-1]
    roots = np.sqrt(values[kept])
    A = roots[:, None] * vectors[:, kept].T
    b = vectors[:, kept].T @ (a / safe) / roots
    w = nnls(A, b / (np.linalg.norm(b) or 1.0))[0] / safe * (norms > 0)
    return np.asarray(w / w.sum() if w.any() else w)
