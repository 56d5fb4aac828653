"""Compiled scan of a matrix product for the rows that may be among the k nearest."""

from __future__ import annotations

import numpy as np

from ilk.compiling import compiled

_GROUP = 64  # products compared with a threshold at once: a loop that vectorizes


@compiled
def sift(
    P: np.ndarray,
    first: int,
    offsets: np.ndarray,
    rows: np.ndarray,
    queries: np.ndarray,
    errors: np.ndarray,
    upper: np.ndarray,
    found: np.ndarray,
    lower: np.ndarray,
    count: np.ndarray,
) -> None:
    """Add the rows of a tile that may be among the k nearest to the candidates of each query.

    Distances here are squares minus the query's own square, which is the same for all rows.

    Parameters
    ----------
    P : ndarray of shape (m, n)
        -2 q.x, approximately.
    first : int
        Number of the first of the n rows.
    offsets : ndarray of shape (n,), type of P
        Squared lengths of the rows, rounded.
    rows : ndarray of shape (n, 2)
        Length and squared length of each row.
    queries : ndarray of shape (m, 2)
        Length of each query, and the threshold: candidates have a lower bound up to it.
    errors : ndarray of shape (4,)
        Error bounds per ``|q| |x|``, per ``(|q| + |x|)^2`` and per ``1 + |q| + |x|``, and the
        relative one of the distance that ranks; derived in `ilk.neighbors.filter_refine`.
    upper : ndarray of shape (m, k)
        The smallest upper bounds, as a heap: the largest of them is first.
    found, lower : ndarrays of shape (m, most)
        Candidates, and their lower bounds.
    count : ndarray of shape (m,)
        Number of candidates; -1 where there are too many.
    """
    m, n = P.shape
    most = found.shape[1]
    by_product, by_square, least, relative = errors[0], errors[1], errors[2], errors[3]
    # one type for both sides of the comparison in the inner loop
    level = np.empty(1, dtype=P.dtype)
    for start in range(0, n, _GROUP):
        stop = min(start + _GROUP, n)
        longest = 0.0
        for j in range(start, stop):
            longest = max(longest, rows[j, 0])
        offset = offsets[start:stop]
        for i in range(m):
            if count[i] < 0:
                continue
            a = queries[i, 0]
            margin = _error(a, longest, by_product, by_square, least)
            # more than the rounding of the offset, of the sum, of the margin and of the threshold
            margin += 2.0 * by_product * (a + longest) * longest + by_product * margin
            level[0] = queries[i, 1] + margin + by_product * abs(queries[i, 1])
            if _below(P[i, start:stop], offset, level) == 0:
                continue
            for j in range(start, stop):
                if P[i, j] + offsets[j] > level[0]:
                    continue
                b = rows[j, 0]
                error = _error(a, b, by_product, by_square, least)
                value = P[i, j] + rows[j, 1]
                if value - error > queries[i, 1]:
                    continue
                if count[i] == most:
                    _drop(i, queries[i, 1], found, lower, count)
                    if count[i] > most // 2:
                        count[i] = -1
                        break
                found[i, count[i]] = first + j
                lower[i, count[i]] = value - error
                count[i] += 1
                if value + error < upper[i, 0]:
                    _replace(value + error, upper[i])
                    most_near = upper[i, 0]
                    slack = relative * (most_near + a * a) + by_square * (a * a + abs(most_near))
                    queries[i, 1] = most_near + slack


@compiled(inline=True)
def _error(a: float, b: float, by_product: float, by_square: float, least: float) -> float:
    return by_product * a * b + by_square * (a + b) * (a + b) + least * (1.0 + a + b)


@compiled
def _below(products: np.ndarray, offsets: np.ndarray, level: np.ndarray) -> int:
    """Number of sums in a group up to a level."""
    some = 0
    most = level[0]
    for j in range(len(products)):
        some += products[j] + offsets[j] <= most
    return some


@compiled
def _drop(
    i: int, threshold: float, found: np.ndarray, lower: np.ndarray, count: np.ndarray
) -> None:
    """Drop the candidates of a query whose lower bounds exceed the threshold."""
    kept = 0
    for c in range(count[i]):
        if lower[i, c] <= threshold:
            found[i, kept] = found[i, c]
            lower[i, kept] = lower[i, c]
            kept += 1
    count[i] = kept


@compiled
def _replace(value: float, heap: np.ndarray) -> None:
    """Put a value in place of the largest, which is first."""
    k = len(heap)
    place = 0
    while True:
        child = 2 * place + 1
        if child >= k:
            break
        if child + 1 < k and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = value
