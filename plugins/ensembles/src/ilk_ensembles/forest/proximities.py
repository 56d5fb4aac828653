"""Proximities: in what share of the trees two cases end in the same leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_CELLS = 2**19  # in a block of a matrix


class Buckets:
    """Cases sorted by the leaf that they end in, for each tree.

    Takes ``4 m T + 8 n_leaves`` bytes for m cases and T trees.

    Parameters
    ----------
    leaves : ndarray of unsigned int, shape (m, T)
    n_leaves : ndarray of int, shape (T,)
        Above the largest number of a leaf of a case that is compared with these.
    out : ndarray of bool, shape (m, T), optional
        Which cases are compared in which tree; all of them if left out.
    """

    def __init__(self, leaves: np.ndarray, n_leaves: np.ndarray, out: Any = None) -> None:
        from ilk_ensembles.forest.proximity_kernels import fill_buckets

        self.leaves, self.every = leaves, out is None
        self.out = np.ones((1, 1), dtype=bool) if out is None else out
        self.bits = np.zeros((1, 1), dtype=np.uint64) if out is None else as_bits(out)
        self.first = np.concatenate([[0], np.cumsum(n_leaves)]).astype(np.int64)
        self.starts = np.zeros(self.first[-1] + 1, dtype=np.int64)
        size = leaves.size if out is None else int(np.count_nonzero(out))
        self.columns = np.empty(size, dtype=np.int32)
        fill_buckets(leaves, self.out, self.every, self.first, self.starts, self.columns)

    @property
    def place(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What kernels take of the buckets, in order."""
        return self.first, self.starts, self.columns


def as_bits(flags: np.ndarray) -> np.ndarray:
    """Rows of flags as words of 64 bits."""
    wide = np.zeros((len(flags), -(-flags.shape[1] // 64) * 64), dtype=bool)
    wide[:, : flags.shape[1]] = flags
    return np.packbits(wide, axis=1).view(np.uint64)


def shared_counts(
    leaves: np.ndarray, others: np.ndarray, out: Any = None, *, dtype: Any = np.float64
) -> np.ndarray:
    """Number of trees in which rows and others share a leaf; array of shape (n, m).

    Takes a copy of `others` beside the result. With `out`, of the rows, which then are the
    others, too, only trees count whose bags hold neither.
    """
    from ilk_ensembles.forest.proximity_kernels import count_shared

    every = out is None
    columns = np.ascontiguousarray(others.T)
    if out is None:
        out = np.ones((len(leaves), 1), dtype=bool)
    else:
        columns[~out.T] = np.iinfo(columns.dtype).max
    D = np.zeros((len(leaves), len(others)), dtype=dtype)

    def work(start: int, stop: int) -> None:
        count_shared(leaves[start:stop], out[start:stop], every, columns, D[start:stop])

    ilk.in_blocks(work, len(D), _block(D))
    return D


def dense_proximities(
    leaves: np.ndarray, others: np.ndarray, out: Any = None, *, dtype: Any = np.float64
) -> np.ndarray:
    """Share of trees in which rows and others share a leaf; array of shape (n, m).

    With `out`, of the rows, which then are the others, too, a share of the trees whose bags
    hold neither case: NaN where there is none.
    """
    from ilk_ensembles.forest.proximity_kernels import divide_by_both_out

    D = shared_counts(leaves, others, out, dtype=dtype)
    if out is None:
        D /= leaves.shape[1]
        return D
    bits = as_bits(out)

    def work(start: int, stop: int) -> None:
        with np.errstate(invalid="ignore"):
            divide_by_both_out(bits[start:stop], bits, D[start:stop])

    ilk.in_blocks(work, len(D), _block(D))
    return D


def _block(D: np.ndarray) -> int:
    rows: int = _CELLS // max(D.shape[1], 1)
    return max(rows, 16)


def largest_proximities(
    leaves: np.ndarray, others: np.ndarray, k: int, out: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """The k largest proximities of each row, in descending order, ties by lower column.

    Parameters
    ----------
    leaves, others : ndarrays of unsigned int, shapes (n, T) and (m, T)
    k : int
        1 <= k <= m.
    out : ndarray of bool, shape (n, T), optional
        Which rows, which then are the others, too, are out of the bag of which tree.

    Returns
    -------
    shares : ndarray of shape (n, k)
    columns : ndarray of int64, shape (n, k)
    """
    from ilk_ensembles.forest.proximity_kernels import closest

    buckets = Buckets(others, _n_leaves(leaves, others), out)
    shares = np.empty((len(leaves), k))
    where = np.empty((len(leaves), k), dtype=np.int64)

    def work(start: int, stop: int) -> None:
        some = slice(start, stop)
        mine = (buckets.out, buckets.bits) if out is None else (out[some], buckets.bits[some])
        scratch = np.zeros(len(others), dtype=np.int32), np.empty(len(others), dtype=np.int32)
        own = leaves[some], *mine, buckets.bits, buckets.every
        closest(*own, *buckets.place, *scratch, shares[some], where[some])

    ilk.in_blocks(work, len(leaves), 1024)
    return shares, where


def sparse_rows(shares: np.ndarray, columns: np.ndarray, m: int) -> csr_matrix:
    """Put shares of each row at their columns, in ascending order; zeros are left out."""
    from scipy.sparse import csr_matrix

    order = np.argsort(columns, axis=1)
    shares = np.take_along_axis(shares, order, axis=1)
    columns = np.take_along_axis(columns, order, axis=1)
    kept = shares > 0
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    return csr_matrix((shares[kept], columns[kept], starts), shape=(len(shares), m))


def _n_leaves(leaves: np.ndarray, others: np.ndarray) -> np.ndarray:
    if not len(leaves) or not len(others):
        return np.ones(leaves.shape[1], dtype=np.int64)
    most = np.maximum(leaves.max(axis=0), others.max(axis=0))
    return np.asarray(most.astype(np.int64) + 1)
