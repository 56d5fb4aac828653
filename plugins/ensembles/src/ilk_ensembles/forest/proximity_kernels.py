"""Compiled counts of the trees in which cases share a leaf.

Dense counts compare all pairs byte by byte in loops that the compiler vectorises. The search
for the closest cases uses buckets: ``columns`` holds, for each tree, the cases sorted by leaf;
leaf l of tree t is ``columns[starts[first[t] + l] : starts[first[t] + l + 1]]``. So a row visits
only the cases that share a leaf with it.
"""

from __future__ import annotations

import numpy as np

from ilk import compiled

_TILE = 4096  # columns per block: their leaf numbers stay in the cache
_BINS = 512  # of shares in [0, 1]: enough to keep few candidates beyond the k largest


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
        Whether a case is compared in a tree; ignored if `every` is true.
    first : ndarray of int, shape (T + 1,)
        Offset of the leaves of each tree.
    starts : ndarray of int64, shape (first[T] + 1,)
        Output; zeros on entry.
    columns : ndarray of int32, shape (m T,)
        Output.
    """
    m, n_trees = leaves.shape
    # a counting sort: sizes of the leaves, their sums as starts, then the cases in order
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
    for leaf in range(len(starts) - 1, 0, -1):  # undo: filling moved each start to the next one
        starts[leaf] = starts[leaf - 1]
    starts[0] = 0


@compiled
def ones(word: np.uint64) -> np.uint64:
    """Population count of an unsigned 64-bit word."""
    # bits are counted in pairs, then in fours, then in bytes; the product adds up the bytes
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@compiled
def both_out(x: np.ndarray, y: np.ndarray) -> float:
    """Number of trees whose bags contain neither case, from their bit words (n_words,)."""
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
        Whether a row is compared in a tree; ignored if `every` is true.
    others : ndarray of unsigned int, shape (T, m)
        Leaves of the columns; an unused leaf number where a column is not compared.
    D : ndarray of shape (n, m)
        Output; zeros on entry.
    """
    n_trees, m = others.shape
    counts = np.empty(min(m, _TILE), dtype=np.uint8)
    for first in range(0, m, _TILE):
        size = min(_TILE, m - first)
        for i in range(leaves.shape[0]):
            for begin in range(0, n_trees, 255):  # the largest count that fits a byte
                counts[:] = 0
                for t in range(begin, min(begin + 255, n_trees)):
                    if every or out[i, t]:
                        leaf, row = leaves[i, t], others[t, first : first + size]
                        for j in range(size):
                            counts[j] += np.uint8(row[j] == leaf)
                for j in range(size):
                    D[i, first + j] += counts[j]


@compiled
def divide_by_both_out(bits: np.ndarray, others: np.ndarray, D: np.ndarray) -> None:
    """Divide by the number of trees whose bags contain neither case; NaN if there are none.

    Shapes: bits (n, n_words), others (m, n_words), D (n, m).
    """
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
    leaves : ndarray of unsigned int, shape (n, T)
    out : ndarray of bool, shape (n, T)
    bits, others : ndarrays of uint64, shapes (n, n_words) and (m, n_words)
    first, starts, columns : ndarrays
        As of `fill_buckets`.
    counts, met : ndarrays of shape (m,)
        Scratch; counts must be zeros, and are zeros again on return.
    shares, where : ndarrays of shape (n, k)
        Output: the shares and their columns. Rows with fewer than k sharing cases are filled up
        with share 0, lowest columns first.
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
        near = np.empty(size)  # shares of the cases met, to select the candidates
        for place in range(size):
            j = met[place]
            of = n_trees if every else both_out(bits[i], others[j])
            near[place] = counts[j] / of
        some = met[:size][candidates(near, k)]
        some.sort()  # by column, so that the stable sort below settles ties
        candidate_shares = np.empty(len(some))
        for place in range(len(some)):
            of = n_trees if every else both_out(bits[i], others[some[place]])
            candidate_shares[place] = counts[some[place]] / of
        order = np.argsort(-candidate_shares, kind="mergesort")
        n = min(k, len(some))
        for place in range(n):
            shares[i, place] = candidate_shares[order[place]]
            where[i, place] = some[order[place]]
        j = 0
        while n < k:  # too few cases share a leaf
            if counts[j] == 0:
                shares[i, n], where[i, n] = 0.0, j
                n += 1
            j += 1
        for place in range(size):  # reset only the touched entries
            counts[met[place]] = 0


@compiled
def candidates(shares: np.ndarray, k: int) -> np.ndarray:
    """Positions of a superset of the k largest shares (m,): all from the k-th's bin upwards.

    A histogram selects them in O(m), so that only few shares must be sorted.
    """
    if len(shares) <= k:
        return np.arange(len(shares))
    bins = np.zeros(_BINS + 1, dtype=np.int64)
    for share in shares:
        bins[int(share * _BINS)] += 1
    least, n_found = _BINS, bins[_BINS]
    while n_found < k:
        least -= 1
        n_found += bins[least]
    places = np.empty(n_found, dtype=np.int64)
    n = 0
    for place in range(len(shares)):
        if int(shares[place] * _BINS) >= least:
            places[n] = place
            n += 1
    return places
