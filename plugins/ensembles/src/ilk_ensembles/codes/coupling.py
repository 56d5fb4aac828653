"""Probabilities of classes from those of each column's two sides."""

from __future__ import annotations

import numpy as np

from ilk_ensembles.codes.decoding import level

_RIDGE = 1e-8
_SLACK = 1e-7
_PATIENCE = 3
_ROUNDING = 1e-9
_CELLS = 1 << 20  # held at once


def coupled(sides: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Probabilities of classes that agree best with those of the sides, by least squares.

    If a case is of class c with probability p_c, then, given that its class is in column j, it
    is on the side +1 with probability ``q_j = P+ / (P+ + P-)``, P+ and P- being the sums of p
    over each side. So p minimises

    ``sum_j ((1 - q_j) P+_j - q_j P-_j)^2``,    ``p >= 0``,  ``sum p = 1``;

    of several such p the one of least norm. Exact where the q_j are consistent and the code has
    enough columns to tell p.

    Parameters
    ----------
    sides : ndarray of shape (n, L)
        q_j.
    code : ndarray of -1, 0 and 1, shape (C, L)

    Returns
    -------
    ndarray of shape (n, C)
        Those that differ by less than 1e-9 of the largest are equal.
    """
    n_classes, n_bits = code.shape
    shares = np.empty((len(sides), n_classes))
    size = max(_CELLS // (n_classes * max(n_bits, n_classes)), 1)
    plus, minus = (code == 1).T.astype(float), (code == -1).T.astype(float)
    ridge = _RIDGE * n_bits * np.eye(n_classes)
    for start in range(0, len(sides), size):
        q = sides[start : start + size, :, None]
        A = (1 - q) * plus - q * minus
        shares[start : start + size] = _least(A.transpose(0, 2, 1) @ A + ridge)
    shares /= shares.sum(axis=1, keepdims=True)
    shares = level(shares, _ROUNDING * shares.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _least(Q: np.ndarray) -> np.ndarray:
    """The z >= 0 of least ``z' Q z / 2 - sum z`` for each Q: up to its sum, p on the simplex.

    By exchange of all variables on the wrong side at once, or where that does not help of one
    [Portugal, Judice & Vicente 1994].
    """
    n, size = Q.shape[:2]
    found = np.zeros((n, size))
    left = np.arange(n)
    free = np.ones((n, size), dtype=bool)
    fewest = np.full(n, size + 1)
    patience = np.full(n, _PATIENCE)
    for _ in range(20 * size + 20):
        own = free[left]
        system = np.where(own[:, :, None] & own[:, None, :], Q[left], 0)
        system += np.eye(size) * ~own[:, None, :]
        z = np.linalg.solve(system, own[:, :, None].astype(float))[:, :, 0]
        dual = (Q[left] @ z[:, :, None])[:, :, 0] - 1
        wrong = np.where(own, z < -_SLACK * np.abs(z).max(axis=1, keepdims=True), dual < -_SLACK)
        found[left] = np.maximum(z, 0)
        count = wrong.sum(axis=1)
        going = count > 0
        if not going.any():
            break
        left, wrong, count = left[going], wrong[going], count[going]
        fewer = count < fewest[left]
        patience[left] = np.where(fewer, _PATIENCE, patience[left] - 1)
        fewest[left] = np.minimum(fewest[left], count)
        alone = patience[left] < 0
        last = size - 1 - wrong[:, ::-1].argmax(axis=1)
        wrong[alone] = np.arange(size) == last[alone, None]
        free[left] ^= wrong
    return found
