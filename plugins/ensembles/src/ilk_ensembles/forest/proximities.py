"""Proximities: the share of trees in which two cases end in the same leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import ilk

if TYPE_CHECKING:
    from numpy.typing import DTypeLike
    from scipy.sparse import csr_matrix

_CELLS = 2**19  # entries of a matrix computed per parallel block


class Buckets:
    """Cases sorted by leaf, for each tree.

    Takes ``4 m T + 8 n_leaves`` bytes for m cases and T trees.

    Parameters
    ----------
    leaves : ndarray of unsigned int, shape (m, T)
    n_leaves : ndarray of int, shape (T,)
        Exceeds every leaf number of the cases compared with these.
    out : ndarray of bool, shape (m, T), optional
        Whether a case is compared in a tree; always if left out.
    """

    def __init__(
        self, leaves: np.ndarray, n_leaves: np.ndarray, out: np.ndarray | None = None
    ) -> None:
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
        """Arrays of the buckets in the order that kernels take."""
        return self.first, self.starts, self.columns


def as_bits(flags: np.ndarray) -> np.ndarray:
    """Pack rows of flags into 64-bit words."""
    wide = np.zeros((len(flags), -(-flags.shape[1] // 64) * 64), dtype=bool)
    wide[:, : flags.shape[1]] = flags
    return np.packbits(wide, axis=1).view(np.uint64)


def shared_counts(
    leaves: np.ndarray,
    others: np.ndarray,
    out: np.ndarray | None = None,
    *,
    dtype: DTypeLike = np.float64,
) -> np.ndarray:
    """Number of trees in which rows and others share a leaf; array of shape (n, m).

    Uses a copy of `others`. `out` requires that `others` are the rows themselves; then only
    trees count whose bags contain neither case.
    """
    from ilk_ensembles.forest.proximity_kernels import count_shared

    every = out is None
    columns = np.ascontiguousarray(others.T)
    if out is None:
        out = np.ones((len(leaves), 1), dtype=bool)
    else:
        # a leaf number that no row has: trees with the case in their bag match nothing
        columns[~out.T] = np.iinfo(columns.dtype).max
    D = np.zeros((len(leaves), len(others)), dtype=dtype)

    def work(start: int, stop: int) -> None:
        count_shared(leaves[start:stop], out[start:stop], every, columns, D[start:stop])

    ilk.in_blocks(work, len(D), _block(D))
    return D


def dense_proximities(
    leaves: np.ndarray,
    others: np.ndarray,
    out: np.ndarray | None = None,
    *,
    dtype: DTypeLike = np.float64,
) -> np.ndarray:
    """Share of trees in which rows and others share a leaf; array of shape (n, m).

    `out` requires that `others` are the rows themselves; then the share is over the trees whose
    bags contain neither case, NaN if there are none.
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
    leaves: np.ndarray, others: np.ndarray, k: int, out: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The k largest proximities of each row, in descending order, ties by lower column.

    Parameters
    ----------
    leaves, others : ndarrays of unsigned int, shapes (n, T) and (m, T)
    k : int
        1 <= k <= m.
    out : ndarray of bool, shape (n, T), optional
        Whether a row is out of the bag of a tree; then `others` must be the rows themselves.

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
        block = leaves[some], *mine, buckets.bits, buckets.every
        closest(*block, *buckets.place, *scratch, shares[some], where[some])

    ilk.in_blocks(work, len(leaves), 1024)
    return shares, where


def sparse_rows(shares: np.ndarray, columns: np.ndarray, m: int) -> csr_matrix:
    """Sparse matrix of each row's shares at their columns, ascending; zeros are dropped."""
    from scipy.sparse import csr_matrix

    order = np.argsort(columns, axis=1)
    shares = np.take_along_axis(shares, order, axis=1)
    columns = np.take_along_axis(columns, order, axis=1)
    nonzero = shares > 0
    starts = np.concatenate([[0], np.cumsum(nonzero.sum(axis=1))])
    return csr_matrix((shares[nonzero], columns[nonzero], starts), shape=(len(shares), m))


def _n_leaves(leaves: np.ndarray, others: np.ndarray) -> np.ndarray:
    if not len(leaves) or not len(others):
        return np.ones(leaves.shape[1], dtype=np.int64)
    most = np.maximum(leaves.max(axis=0), others.max(axis=0))
    return np.asarray(most.astype(np.int64) + 1)
