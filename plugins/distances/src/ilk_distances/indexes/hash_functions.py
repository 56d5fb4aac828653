"""Compiled loops of locality-sensitive hashing: projections, minimal keys, bucket lookups."""

from __future__ import annotations

import numpy as np

import ilk

_STEP = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio, made odd: the step of SplitMix64


@ilk.compiled(inline=True)
def scrambled(z: np.uint64) -> np.uint64:
    """A pseudo-random permutation of 64-bit integers: the finalizer of SplitMix64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@ilk.compiled(fastmath={"contract"})
def project(X: np.ndarray, center: np.ndarray, directions: np.ndarray, out: np.ndarray) -> None:
    """``(X - center) @ directions``, summed in the order of the features for each row.

    X: (n, p), center: (p,), directions: (p, n_hashes), out: (n, n_hashes). Unlike with BLAS, a
    row's result does not depend on the other rows.
    """
    for i in range(len(X)):
        row = out[i]
        row[:] = 0.0
        for f in range(X.shape[1]):
            value = X[i, f] - center[f]
            for h in range(len(row)):
                row[h] += value * directions[f, h]


@ilk.compiled
def smallest_keys(
    starts: np.ndarray, members: np.ndarray, seeds: np.ndarray, out: np.ndarray
) -> None:
    """The smallest key of the members of each set, under another random order for each seed.

    Parameters
    ----------
    starts : ndarray of int, shape (n + 1,)
        Start of the members of each set.
    members : ndarray of uint64, shape (n_members,)
    seeds : ndarray of uint64, shape (n_hashes,)
    out : ndarray of uint64, shape (n, n_hashes)
        Written to; the largest number for the empty set.
    """
    for i in range(len(out)):
        row = out[i]
        row[:] = np.uint64(0xFFFFFFFFFFFFFFFF)
        for place in range(starts[i], starts[i + 1]):
            for h in range(len(row)):
                # the scrambled number of a member is its place in a random order that the seed
                # selects
                row[h] = min(row[h], scrambled(members[place] * _STEP + seeds[h]))


@ilk.compiled
def consistent_samples(
    X: np.ndarray, r: np.ndarray, c: np.ndarray, b: np.ndarray, out: np.ndarray
) -> None:
    """Draw a feature and a level for each row of non-negative numbers (Ioffe's sampling).

    Two rows draw the same with the probability ``sum min(x, y) / sum max(x, y)``.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    r, c, b : ndarray of shape (n_features, n_hashes)
        Drawn from Gamma(2, 1), its logarithm, and uniformly from 0 to 1.
    out : ndarray of uint64, shape (n, n_hashes)
        Written to: a number for feature and level; the largest number for a row of zeros.
    """
    least = np.empty(out.shape[1])
    for i in range(len(X)):
        least[:] = np.inf
        out[i] = np.uint64(0xFFFFFFFFFFFFFFFF)
        for f in range(X.shape[1]):
            if X[i, f] > 0:
                size = np.log(X[i, f])
                for h in range(len(least)):
                    # Ioffe's equations in logarithms: y = exp(r (level - b)), rank = ln c - ln y -
                    # r
                    level = np.floor(size / r[f, h] + b[f, h])
                    rank = c[f, h] - r[f, h] * (level - b[f, h] + 1)
                    if rank < least[h]:
                        least[h] = rank
                        # feature and level together are the sample; the step spreads features over
                        # all 64 bits
                        out[i, h] = np.uint64(f + 1) * _STEP + np.uint64(np.int64(level))


@ilk.compiled
def gather(
    lows: np.ndarray,
    highs: np.ndarray,
    tables: np.ndarray,
    ordered: np.ndarray,
    seen: np.ndarray,
    ends: np.ndarray,
    rows: np.ndarray,
) -> None:
    """Collect, once each, the rows in the buckets of every query.

    Parameters
    ----------
    lows, highs : ndarray of int, shape (n_buckets, m)
        Starts and ends of the buckets of each query.
    tables : ndarray of int, shape (n_buckets,)
        The table of each bucket.
    ordered : ndarray of int, shape (n_tables, n)
        Rows of each table, sorted by bucket.
    seen : ndarray of int, shape (n,)
        Filled with -1; marks the last query that collected a row.
    ends : ndarray of int, shape (m,)
        Overwritten: end of the rows of each query.
    rows : ndarray of int, shape (n_rows,)
        Written to, query by query.
    """
    count = 0
    for i in range(lows.shape[1]):
        for b in range(len(lows)):
            for place in range(lows[b, i], highs[b, i]):
                row = ordered[tables[b], place]
                # a row that shares several buckets with the query is collected once
                if seen[row] != i:
                    seen[row] = i
                    rows[count] = row
                    count += 1
        ends[i] = count
