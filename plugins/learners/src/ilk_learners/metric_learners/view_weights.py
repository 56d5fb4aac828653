"""Weights of views, for a sum of their squared distances."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import nnls

_MOST_QUERIES = 500  # held-out rows whose nearest neighbours are looked for
_FACTORS = (1.0, 0.0, 0.5, 2.0, 0.25, 4.0, 0.125, 8.0, 0.0625, 16.0)
_ROUNDS = 3


def pyramid(n_views: int) -> np.ndarray:
    """``1/2^(Q-i+1)`` for i = 0..Q, equation (10.17).

    Examples
    --------
    >>> pyramid(3)
    array([0.125, 0.25 , 0.5  ])
    """
    return np.asarray(0.5 ** np.arange(n_views, 0, -1))


def aligned(views: Sequence[np.ndarray], codes: np.ndarray) -> np.ndarray:
    """Weights of at least 0 that align the sum of the views' kernels best with the labels.

    The kernels ``K_t = Z_t Z_t'`` of centred rows and ``G = 2 Y Y' - 1``, Y one column a class,
    have the products ``<K_s, K_t> = |Z_s' Z_t|^2`` and ``<K_t, G> = 2 |Z_t' Y|^2``; the best
    direction solves ``min w'Mw - 2 w'a`` over ``w >= 0``.

    Parameters
    ----------
    views : list of ndarray of shape (n, d_t)
        Centred.
    codes : ndarray of int, shape (n,)

    Returns
    -------
    ndarray of shape (T,)
        Of mean 1, or all 0 where no view is aligned with the labels at all.
    """
    sizes = [float(np.linalg.norm(Z)) or 1.0 for Z in views]
    scaled = [Z / size for Z, size in zip(views, sizes, strict=True)]
    Y = np.zeros((len(codes), int(codes.max()) + 1))
    Y[np.arange(len(codes)), codes] = 1.0
    Y -= Y.mean(axis=0)
    M = np.array([[np.sum((S.T @ T) ** 2) for T in scaled] for S in scaled])
    a = np.array([2 * np.sum((T.T @ Y) ** 2) for T in scaled])
    values, vectors = np.linalg.eigh(M)
    kept = values > 1e-12 * values[-1]
    if not kept.any() or a.max() <= 1e-12 * len(codes):
        return np.zeros(len(views))
    roots = np.sqrt(values[kept])
    b = vectors[:, kept].T @ a / roots
    found = nnls(roots[:, None] * vectors[:, kept].T, b / np.linalg.norm(b))[0]
    return _of_mean_one(found / np.square(sizes))


def searched(
    views_after: Callable[[np.ndarray], list[np.ndarray]],
    codes: np.ndarray,
    rng: np.random.RandomState,
) -> np.ndarray:
    """Weights for which held-out rows have the fewest errors of the nearest neighbour.

    Parameters
    ----------
    views_after : callable
        Takes numbers of rows to learn from; gives all rows of each view after that.
    codes : ndarray of int, shape (n,)
    rng : RandomState

    Returns
    -------
    ndarray of shape (T,)
        Of mean 1.
    """
    train, held_out = _halves(codes, rng)
    views = views_after(train)
    squares = [_squares(Z[held_out], Z[train]) for Z in views]
    means = np.array([float(D.mean()) for D in squares])
    scale = 1 / np.where(means > 0, means, np.inf)
    if not scale.any():
        return np.ones(len(views))
    wrong = codes[train][None, :] != codes[held_out][:, None]
    rows = np.arange(len(held_out))

    def errors(weights: np.ndarray) -> int:
        total = sum(w * D for w, D in zip(weights * scale, squares, strict=True))
        return int(wrong[rows, np.argmin(total, axis=1)].sum())

    best = np.ones(len(views))
    fewest = errors(best)
    for view in list(range(len(views))) * _ROUNDS:
        for factor in _FACTORS:
            tried = best.copy()
            tried[view] = factor
            if not (tried * scale).any():
                continue
            count = errors(tried)
            if count < fewest:
                best, fewest = tried, count
    return _of_mean_one(best * scale)


def _halves(codes: np.ndarray, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Half of each class, the larger one, to learn from; and some of the others."""
    order = rng.permutation(len(codes))
    order = order[np.argsort(_appearance(codes)[order], kind="stable")]
    place = np.arange(len(codes)) - np.searchsorted(
        _appearance(codes)[order], _appearance(codes)[order], side="left"
    )
    train, held_out = np.sort(order[place % 2 == 0]), np.sort(order[place % 2 == 1])
    if not len(held_out):  # classes of one row each: what is learned is looked at
        held_out = train
    chosen = np.linspace(0, len(held_out) - 1, min(len(held_out), _MOST_QUERIES)).astype(int)
    return train, held_out[chosen]


def _appearance(codes: np.ndarray) -> np.ndarray:
    """Each class as the number of its first row, which does not depend on what it is called."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return np.asarray(first[inverse])


def _squares(Q: np.ndarray, X: np.ndarray) -> np.ndarray:
    squares = (Q**2).sum(axis=1)[:, None] + (X**2).sum(axis=1) - 2 * Q @ X.T
    return np.asarray(np.maximum(squares, 0.0))


def _of_mean_one(weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights / weights.mean())
