"""Compiled loops of vector distances: sums over tiles, single pairs, and the k nearest.

The functions of tiles are kernels as defined by `ilk.neighbors.rows.Kernel`. They process two
rows and four features at once, vectorized over the points: each sum runs in the order of the
features, independent of the other points, and is fast without reordering. An odd last row is
processed again together with the row before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ilk.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

SUM, SQUARES, LARGEST, UNROOTED = 1, 2, 0, 3  # norms that `pairs` computes
_GROUP = 64  # distances compared with the k-th nearest at once: a loop that vectorizes
_LOOSE = 1.000001  # exceeds the rounding error of a root that is squared again


@compiled
def manhattan(X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int) -> None:
    """Sums of absolute differences."""
    n, p = X.shape
    m = YT.shape[1]
    # a loaded value of Y serves two rows, and four terms one access to the output
    for k in range(0, n, 2):
        i = min(k, n - 2)
        o = out[base + i * stride : base + i * stride + m]
        q = out[base + (i + 1) * stride : base + (i + 1) * stride + m]
        o[:] = 0
        q[:] = 0
        for f in range(0, p, 4):
            a0, a1, a2, a3 = X[i, f], X[i, f + 1], X[i, f + 2], X[i, f + 3]
            b0, b1, b2, b3 = X[i + 1, f], X[i + 1, f + 1], X[i + 1, f + 2], X[i + 1, f + 3]
            y0, y1, y2, y3 = YT[f], YT[f + 1], YT[f + 2], YT[f + 3]
            for j in range(m):
                v0, v1, v2, v3 = y0[j], y1[j], y2[j], y3[j]
                o[j] = o[j] + abs(a0 - v0) + abs(a1 - v1) + abs(a2 - v2) + abs(a3 - v3)
                q[j] = q[j] + abs(b0 - v0) + abs(b1 - v1) + abs(b2 - v2) + abs(b3 - v3)


@compiled(fastmath={"contract"})
def squared_euclidean(
    X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int
) -> None:
    """Sums of squared differences."""
    n, p = X.shape
    m = YT.shape[1]
    for k in range(0, n, 2):
        i = min(k, n - 2)
        o = out[base + i * stride : base + i * stride + m]
        q = out[base + (i + 1) * stride : base + (i + 1) * stride + m]
        o[:] = 0
        q[:] = 0
        for f in range(0, p, 4):
            a0, a1, a2, a3 = X[i, f], X[i, f + 1], X[i, f + 2], X[i, f + 3]
            b0, b1, b2, b3 = X[i + 1, f], X[i + 1, f + 1], X[i + 1, f + 2], X[i + 1, f + 3]
            y0, y1, y2, y3 = YT[f], YT[f + 1], YT[f + 2], YT[f + 3]
            for j in range(m):
                v0, v1, v2, v3 = y0[j], y1[j], y2[j], y3[j]
                d0, d1, d2, d3 = a0 - v0, a1 - v1, a2 - v2, a3 - v3
                o[j] = o[j] + d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
                e0, e1, e2, e3 = b0 - v0, b1 - v1, b2 - v2, b3 - v3
                q[j] = q[j] + e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3


@compiled(fastmath={"contract"})
def few_squares(X: np.ndarray, Y: np.ndarray, out: np.ndarray) -> None:
    """Sums of squared differences of few rows of X to at least 8 of Y: no row is transposed."""
    m, p = Y.shape
    for k in range(0, m, 8):
        j = min(k, m - 8)
        for i in range(len(X)):
            out[i, j] = 0
            # of the type of `out`, unlike a literal 0
            t0 = t1 = t2 = t3 = t4 = t5 = t6 = t7 = out[i, j]
            for f in range(p):
                x = X[i, f]
                d0, d1, d2, d3 = x - Y[j, f], x - Y[j + 1, f], x - Y[j + 2, f], x - Y[j + 3, f]
                d4, d5, d6, d7 = x - Y[j + 4, f], x - Y[j + 5, f], x - Y[j + 6, f], x - Y[j + 7, f]
                # eight sums at once: one alone would wait for each of its terms
                t0, t1, t2, t3 = t0 + d0 * d0, t1 + d1 * d1, t2 + d2 * d2, t3 + d3 * d3
                t4, t5, t6, t7 = t4 + d4 * d4, t5 + d5 * d5, t6 + d6 * d6, t7 + d7 * d7
            row = out[i, j : j + 8]
            row[0], row[1], row[2], row[3] = t0, t1, t2, t3
            row[4], row[5], row[6], row[7] = t4, t5, t6, t7


@compiled(fastmath={"contract"})
def cubed(X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int) -> None:
    """Sums of cubes of absolute differences."""
    n, p = X.shape
    m = YT.shape[1]
    for k in range(0, n, 2):
        i = min(k, n - 2)
        o = out[base + i * stride : base + i * stride + m]
        q = out[base + (i + 1) * stride : base + (i + 1) * stride + m]
        o[:] = 0
        q[:] = 0
        for f in range(0, p, 4):
            a0, a1, a2, a3 = X[i, f], X[i, f + 1], X[i, f + 2], X[i, f + 3]
            b0, b1, b2, b3 = X[i + 1, f], X[i + 1, f + 1], X[i + 1, f + 2], X[i + 1, f + 3]
            y0, y1, y2, y3 = YT[f], YT[f + 1], YT[f + 2], YT[f + 3]
            for j in range(m):
                v0, v1, v2, v3 = y0[j], y1[j], y2[j], y3[j]
                d0, d1, d2, d3 = abs(a0 - v0), abs(a1 - v1), abs(a2 - v2), abs(a3 - v3)
                o[j] = o[j] + d0 * d0 * d0 + d1 * d1 * d1 + d2 * d2 * d2 + d3 * d3 * d3
                e0, e1, e2, e3 = abs(b0 - v0), abs(b1 - v1), abs(b2 - v2), abs(b3 - v3)
                q[j] = q[j] + e0 * e0 * e0 + e1 * e1 * e1 + e2 * e2 * e2 + e3 * e3 * e3


@compiled
def chebyshev(X: np.ndarray, YT: np.ndarray, out: np.ndarray, base: int, stride: int) -> None:
    """Largest absolute differences."""
    n, p = X.shape
    m = YT.shape[1]
    for k in range(0, n, 2):
        i = min(k, n - 2)
        o = out[base + i * stride : base + i * stride + m]
        q = out[base + (i + 1) * stride : base + (i + 1) * stride + m]
        o[:] = 0
        q[:] = 0
        for f in range(0, p, 2):
            a0, a1, b0, b1 = X[i, f], X[i, f + 1], X[i + 1, f], X[i + 1, f + 1]
            y0, y1 = YT[f], YT[f + 1]
            for j in range(m):
                v0, v1 = y0[j], y1[j]
                d0, d1 = abs(a0 - v0), abs(a1 - v1)
                d = max(d1, d0)
                o[j] = max(o[j], d)
                e0, e1 = abs(b0 - v0), abs(b1 - v1)
                e = max(e1, e0)
                q[j] = max(q[j], e)


def squared_pairs(
    X: np.ndarray, rows: np.ndarray, Y: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Squared distances of ``X[rows[i]]`` to ``Y[columns[i]]``, with the bits of double tiles."""
    D = np.empty(len(rows))
    pairs(*gathered(X, rows, float), *gathered(Y, columns, float), UNROOTED, 0.0, D)
    return D


@compiled(fastmath={"contract"})
def pairs(
    Q: np.ndarray,
    queries: np.ndarray,
    X: np.ndarray,
    rows: np.ndarray,
    how: int,
    faint: float,
    out: np.ndarray,
) -> int:
    """Distances of ``Q[queries[i]]`` to ``X[rows[i]]``; NaN if a sum of squares is imprecise.

    Sums run in the order of the features, so that results equal those of tiles to the last bit.

    Parameters
    ----------
    Q, X : ndarrays of shape (m, p) and (n, p), contiguous
    queries, rows : ndarrays of int64, shape (n_pairs,)
    how : int
        SUM, SQUARES (the distance is their root), UNROOTED (the sum of squares) or LARGEST.
    faint : float
        Sums of squares below may have lost digits.
    out : ndarray of shape (n_pairs,)
        Overwritten; of the type of Q and X.

    Returns
    -------
    int
        Number of imprecise distances.
    """
    doubtful = 0
    for i in range(len(out)):
        query, row = queries[i], rows[i]
        out[i] = 0
        total = out[i]  # has the type of `out`, unlike a literal 0
        if how in (SQUARES, UNROOTED):
            differ = 0
            for f in range(X.shape[1]):
                gap = Q[query, f] - X[row, f]
                total += gap * gap
                differ += gap != 0
            if differ and not faint <= total < np.inf:
                out[i] = np.nan
                doubtful += 1
            else:
                out[i] = np.sqrt(total) if how == SQUARES else total
        elif how == SUM:
            for f in range(X.shape[1]):
                total += abs(Q[query, f] - X[row, f])
            out[i] = total
        else:
            for f in range(X.shape[1]):
                total = max(total, abs(Q[query, f] - X[row, f]))
            out[i] = total
    return doubtful


def gathered(X: np.ndarray, rows: np.ndarray, dtype: DTypeLike) -> tuple[np.ndarray, np.ndarray]:
    """Return a contiguous array of a type, and the positions of rows of X in it."""
    if type(X) is np.ndarray and X.flags.carray and X.dtype == dtype:
        return X, rows
    return np.ascontiguousarray(X[rows], dtype=dtype), np.arange(len(rows))


@compiled
def push(D: np.ndarray, first: int, near: np.ndarray, where: np.ndarray, squared: bool) -> None:
    """Insert the distances to the rows from `first` on into the nearest so far.

    D has the shape (n, m), near and where (n, k). Rows come in order, so that ties go to the
    lower index. Roots are taken only of squared distances that may be among the nearest.
    """
    n, m = D.shape
    k = near.shape[1]
    for i in range(n):
        row, best, indices = D[i], near[i], where[i]
        for start in range(0, m, _GROUP):
            group = row[start : start + _GROUP]
            bound = np.inf
            if first + start >= k:  # most groups have no distance below the k-th: skip them
                bound = _bound(best[k - 1], squared)
                if _below(group, bound) == 0:
                    continue
            for j in range(len(group)):
                index = first + start + j
                if index < k or group[j] < bound:
                    d = np.sqrt(group[j]) if squared else group[j]
                    _insert(d, index, best, indices)
                    if index + 1 >= k:
                        bound = _bound(best[k - 1], squared)


@compiled(inline=True)
def _bound(most: float, squared: bool) -> float:
    """A number below which every distance is that may be below `most`, or its square is."""
    # loosened by the rounding of a root
    return most * most * _LOOSE if squared else most


@compiled(inner=True)
def _below(group: np.ndarray, bound: float) -> int:
    """Number of distances in a group, (size,), below a bound."""
    some = 0
    for j in range(len(group)):
        some += group[j] < bound
    return some


@compiled(inner=True)
def _insert(d: float, index: int, near: np.ndarray, where: np.ndarray) -> None:
    """Insert a distance into a sorted list, (k,), after equal ones."""
    # the list has as many entries as rows have come so far, at most k
    place = min(index, len(near))
    if place == len(near):
        place -= 1
        # negated: NaN is never inserted
        if not d < near[place]:
            return
    while place > 0 and near[place - 1] > d:
        near[place] = near[place - 1]
        where[place] = where[place - 1]
        place -= 1
    near[place] = d
    where[place] = index
