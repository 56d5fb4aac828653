"""Compiled sums over pairs of rows: squared lengths, hinges that are open, Laplacians."""

from __future__ import annotations

import numpy as np

import ilk

_FAST = {"contract", "nsz", "reassoc"}


@ilk.compiled(fastmath=_FAST)
def squared_lengths(Z: np.ndarray, first: np.ndarray, second: np.ndarray, out: np.ndarray) -> None:
    """Write ``|z_a - z_b|^2`` of each pair of rows a, b."""
    for e in range(len(first)):
        a, b = first[e], second[e]
        total = Z.dtype.type(0)
        for f in range(Z.shape[1]):
            step = Z[a, f] - Z[b, f]
            total += step * step
        out[e] = total


@ilk.compiled(fastmath=_FAST)
def add_laplacian(
    Z: np.ndarray, first: np.ndarray, second: np.ndarray, weights: np.ndarray, out: np.ndarray
) -> None:
    """Add ``w (e_a - e_b) (z_a - z_b)'`` for each pair a, b with its weight w."""
    for e in range(len(first)):
        a, b, w = first[e], second[e], weights[e]
        if w != 0:
            for f in range(Z.shape[1]):
                step = w * (Z[a, f] - Z[b, f])
                out[a, f] += step
                out[b, f] -= step


@ilk.compiled
def within_reach(
    products: np.ndarray, lengths: np.ndarray, reach: np.ndarray, start: int, left: int
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of rows whose squared distance is below the reach of either.

    Parameters
    ----------
    products : ndarray of shape (b, m)
        Inner products of b rows, of which the first is `start`, with m rows from `left` on.
    lengths, reach : ndarray of shape (n,)
        Squared lengths of all rows, and squared distances to which they reach.

    Returns
    -------
    ends : ndarray of int, shape (b + 1,)
        Where the partners of each of the b rows begin and end,
    partners : ndarray of int32
        among these.
    """
    b, m = products.shape
    theirs, far = lengths[left : left + m], reach[left : left + m]
    ends = np.zeros(b + 1, dtype=np.int64)
    for r in range(b):
        own, mine, row = lengths[start + r], reach[start + r], products[r]
        count = 0
        for c in range(m):
            count += own + theirs[c] - row[c] - row[c] < max(mine, far[c])
        ends[r + 1] = ends[r] + count
    partners = np.empty(ends[b] + 1, dtype=np.int32)  # what is near no row is written at the end
    near = np.empty(m, dtype=np.bool_)
    for r in range(b):
        own, mine, row = lengths[start + r], reach[start + r], products[r]
        at = ends[r]
        if at == ends[r + 1]:
            continue
        for c in range(m):
            near[c] = own + theirs[c] - row[c] - row[c] < max(mine, far[c])
        for c in range(m):
            partners[at] = left + c
            at += near[c]
    return ends, partners[: ends[b]]


@ilk.compiled(fastmath=_FAST)
def add_hinges(
    Z: np.ndarray,
    start: int,
    ends: np.ndarray,
    partners: np.ndarray,
    margins: np.ndarray,
    opened: np.ndarray,
    out: np.ndarray,
) -> float:
    """Sum ``[m - |z_i - z_l|^2]_+`` over the pairs i, l and the margins m of both.

    Parameters
    ----------
    start, ends, partners
        See `within_reach`.
    margins : ndarray of shape (n, k)
        Of each row, falling.
    opened : ndarray of int, shape (n, k)
        To which is added how many terms of each margin are above 0,
    out : ndarray of shape (n, d)
        from which ``(e_i - e_l) (z_i - z_l)'`` is taken away for each such term.
    """
    loss = 0.0
    for r in range(len(ends) - 1):
        i = start + r
        for e in range(ends[r], ends[r + 1]):
            l = np.int64(partners[e])  # noqa: E741  # as in the formula
            length = Z.dtype.type(0)
            for f in range(Z.shape[1]):
                step = Z[i, f] - Z[l, f]
                length += step * step
            weight = 0
            for row in (i, l):
                for j in range(margins.shape[1]):
                    if length >= margins[row, j]:
                        break
                    loss += margins[row, j] - length
                    opened[row, j] += 1
                    weight += 1
            if weight:
                factor = Z.dtype.type(weight)
                for f in range(Z.shape[1]):
                    step = factor * (Z[i, f] - Z[l, f])
                    out[i, f] -= step
                    out[l, f] += step
    return loss
