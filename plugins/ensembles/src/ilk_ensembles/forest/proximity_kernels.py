"""Counts of the trees in which cases share a leaf, compiled.

All pairs are compared byte by byte, which the compiler turns into many comparisons at once. The
closest cases alone are found from buckets: ``columns`` holds, for each tree, the cases leaf after
leaf, those of leaf l of tree t at ``columns[starts[first[t] + l] : starts[first[t] + l + 1]]``. A
row so meets only the cases that it shares a leaf with.
"""

from __future__ import annotations

import numpy as np

from ilk import compiled

_TILE = 4096  # columns whose leaves stay in the cache
_BINS = 512


@compiled
def fill_buckets(
    leaves: np.ndarray,
    out: np.ndarray,
    every: bool,
    first: np.ndarray,
    starts: np.ndarray,
    columns: np.ndarray,
) -> None:
    """Sort cases by leaf, in ascending order within a leaf, for each tree.

    Parameters
    ----------
    leaves : ndarray of int, shape (m, T)
    out : ndarray of bool, shape (m, T)
        Which cases are compared in which tree, unless `every` is true.
    first : ndarray of int, shape (T + 1,)
        Where the leaves of each tree start.
    starts : ndarray of int64, shape (first[T] + 1,)
        Zeros at first; filled in.
    columns : ndarray of int32, shape (m T,)
        Filled in.
    """
    m, n_trees = leaves.shape
    for j in range(m):
        for t in range(n_trees):
            if every or out[j, t]:
                starts[first[t] + leaves[j, t] + 1] += 1
    for leaf in range(len(starts) - 1):
        starts[leaf + 1] += starts[leaf]
    for t in range(n_trees):
        for j in range(m):
            if every or out[j, t]:
                leaf = first[t] + leaves[j, t]
                columns[starts[leaf]] = j
                starts[leaf] += 1
    for leaf in range(len(starts) - 1, 0, -1):  # each had moved on to the start of the next
        starts[leaf] = starts[leaf - 1]
    starts[0] = 0


@compiled
def ones(word: np.uint64) -> np.uint64:
    """How many bits of an unsigned 64-bit word are 1."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@compiled
def both_out(x: np.ndarray, y: np.ndarray) -> float:
    """Number of trees whose bags hold neither of two cases, from the bits of each."""
    count = 0
    for word in range(len(x)):
        count += int(ones(x[word] & y[word]))
    return float(count)


@compiled
def count_shared(
    leaves: np.ndarray, out: np.ndarray, every: bool, others: np.ndarray, D: np.ndarray
) -> None:
    """Fill in the number of trees in which a row and a column share a leaf.

    Parameters
    ----------
    leaves : ndarray of unsigned int, shape (n, T)
    out : ndarray of bool, shape (n, T)
        Which rows are compared in which tree, unless `every` is true.
    others : ndarray of unsigned int, shape (T, m)
        Leaves of the columns; a number that is no leaf where they are not compared.
    D : ndarray of shape (n, m)
        Zeros at first.
    """
    n_trees, m = others.shape
    counts = np.empty(min(m, _TILE), dtype=np.uint8)
    for first in range(0, m, _TILE):
        size = min(_TILE, m - first)
        for i in range(leaves.shape[0]):
            for begin in range(0, n_trees, 255):  # as many as a byte can count
                counts[:] = 0
                for t in range(begin, min(begin + 255, n_trees)):
                    if every or out[i, t]:
                        own, row = leaves[i, t], others[t, first : first + size]
                        for j in range(size):
                            counts[j] += np.uint8(row[j] == own)
                for j in range(size):
                    D[i, first + j] += counts[j]


@compiled
def divide_by_both_out(bits: np.ndarray, others: np.ndarray, D: np.ndarray) -> None:
    """Divide by the number of trees whose bags hold neither case: NaN where there is none."""
    for i in range(D.shape[0]):
        for j in range(D.shape[1]):
            D[i, j] /= both_out(bits[i], others[j])


@compiled
def closest(
    leaves: np.ndarray,
    out: np.ndarray,
    bits: np.ndarray,
    others: np.ndarray,
    every: bool,
    first: np.ndarray,
    starts: np.ndarray,
    columns: np.ndarray,
    counts: np.ndarray,
    met: np.ndarray,
    shares: np.ndarray,
    where: np.ndarray,
) -> None:
    """Fill in the k largest shares of each row, in descending order, ties by lower column.

    Parameters
    ----------
    counts, met : ndarrays of shape (m,)
        Scratch; counts must be zeros, and are so again.
    shares, where : ndarrays of shape (n, k)
        Those and their columns. Cases that share no leaf have 0, the lowest of them first.
    """
    n_trees, k = leaves.shape[1], where.shape[1]
    for i in range(leaves.shape[0]):
        size = 0
        for t in range(n_trees):
            if every or out[i, t]:
                leaf = first[t] + leaves[i, t]
                for place in range(starts[leaf], starts[leaf + 1]):
                    j = columns[place]
                    if counts[j] == 0:
                        met[size] = j
                        size += 1
                    counts[j] += 1
        near = np.empty(size)
        for place in range(size):
            j = met[place]
            of = n_trees if every else both_out(bits[i], others[j])
            near[place] = counts[j] / of
        some = met[:size][candidates(near, k)]
        some.sort()
        own = np.empty(len(some))
        for place in range(len(some)):
            of = n_trees if every else both_out(bits[i], others[some[place]])
            own[place] = counts[some[place]] / of
        order = np.argsort(-own, kind="mergesort")
        n = min(k, len(some))
        for place in range(n):
            shares[i, place] = own[order[place]]
            where[i, place] = some[order[place]]
        j = 0
        while n < k:
            if counts[j] == 0:
                shares[i, n], where[i, n] = 0.0, j
                n += 1
            j += 1
        for place in range(size):
            counts[met[place]] = 0


@compiled
def candidates(shares: np.ndarray, k: int) -> np.ndarray:
    """Places of shares among which the k largest are: all in a bin or above it."""
    if len(shares) <= k:
        return np.arange(len(shares))
    bins = np.zeros(_BINS + 1, dtype=np.int64)
    for share in shares:
        bins[int(share * _BINS)] += 1
    least, found = _BINS, bins[_BINS]
    while found < k:
        least -= 1
        found += bins[least]
    places = np.empty(found, dtype=np.int64)
    n = 0
    for place in range(len(shares)):
        if int(shares[place] * _BINS) >= least:
            places[n] = place
            n += 1
    return places
