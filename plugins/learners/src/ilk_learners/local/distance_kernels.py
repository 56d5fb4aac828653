"""Compiled kernels: distances under a metric per query, the k-th smallest value, adamenn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import ilk

_WIDTH = 512  # rows per block: their sums stay in the cache


@ilk.compiled
def weighted(columns: np.ndarray, Q: np.ndarray, weights: np.ndarray, squares: np.ndarray) -> None:
    """Write ``squares[i, j] = sum_f weights[i, f] (columns[f, j] - Q[i, f])^2``.

    Shapes: `columns` (p, n), `Q` and `weights` (m, p), `squares` (m, n).
    """
    p, n = columns.shape
    for i in range(len(Q)):
        for first in range(0, n, _WIDTH):
            total = squares[i, first : first + _WIDTH]
            total[:] = 0.0
            for f in range(p):
                column, q, weight = columns[f, first : first + _WIDTH], Q[i, f], weights[i, f]
                for j in range(len(total)):
                    difference = column[j] - q
                    total[j] += weight * (difference * difference)


@ilk.compiled
def mapped(columns: np.ndarray, Q: np.ndarray, maps: np.ndarray, squares: np.ndarray) -> None:
    """Write to ``squares[i, j]`` the squared length of ``maps[i] @ (columns[:, j] - Q[i])``.

    Shapes: `columns` (p, n), `Q` (m, p), `maps` (m, d, p), `squares` (m, n).
    """
    p, n = columns.shape
    differences, image = np.empty((p, _WIDTH)), np.empty(_WIDTH)
    for i in range(len(Q)):
        for first in range(0, n, _WIDTH):
            total = squares[i, first : first + _WIDTH]
            total[:] = 0.0
            for f in range(p):
                column, q = columns[f, first : first + _WIDTH], Q[i, f]
                for j in range(len(total)):
                    differences[f, j] = column[j] - q
            for r in range(maps.shape[1]):
                image[:] = 0.0
                for f in range(p):
                    share, difference = maps[i, r, f], differences[f]
                    if share == 0:  # zeros of a triangular map
                        continue
                    for j in range(len(total)):
                        image[j] += share * difference[j]
                for j in range(len(total)):
                    total[j] += image[j] * image[j]


@ilk.compiled(inner=True)
def select(values: np.ndarray, n: int, k: int) -> float:
    """Quickselect: the value at position k of the first n `values` (at least n,) if sorted.

    Rearranges them.
    """
    low, high = 0, n - 1
    while low < high:
        # the median of three values as the pivot: sorted rows take no longer than others
        pivot = _middle(values[low], values[(low + high) // 2], values[high])
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        # Hoare's partition: values up to j are at most the pivot, those from i on at least
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return float(values[k])


@ilk.compiled(inner=True)
def least(values: np.ndarray) -> float:
    """The smallest of the values (m,); a loop compiles faster than their `min`."""
    smallest = np.inf
    for value in values:
        smallest = min(smallest, value)
    return smallest


@ilk.compiled(inner=True)
def total_of(values: np.ndarray) -> Any:
    """Sum of the values (m,), in their order; a loop compiles faster than their `sum`."""
    total = values[0]
    for j in range(1, len(values)):
        total += values[j]
    return total


@ilk.compiled(inner=True)
def copy(values: np.ndarray, n: int, out: np.ndarray) -> None:
    """Copy the first n values; a loop compiles ten times as fast as the assignment of a slice."""
    for j in range(n):
        out[j] = values[j]


@ilk.compiled(inner=True)
def _middle(a: float, b: float, c: float) -> float:
    return max(min(a, b), min(max(a, b), c))


def adapt(
    columns: np.ndarray,
    codes: np.ndarray,
    n_classes: int,
    Q: np.ndarray,
    left_out: np.ndarray,
    lists: np.ndarray,
    sizes: tuple[int, int, int, int],
    steps: int,
    c: float,
    weights: np.ndarray,
) -> None:
    """Write adamenn's weights of the features at each query.

    A feature weighs more the better it alone predicts the classes around the query.

    Parameters
    ----------
    columns : ndarray of shape (p, n)
        The training rows, transposed.
    codes : ndarray of int, shape (n,)
    Q : ndarray of shape (m, p)
    left_out : ndarray of int, shape (m,)
    lists : ndarray of int, shape (n, K2 + 1)
        Rows nearest to each row under equal weights, nearest first, itself included.
    sizes : (K0, K1, K2, L)
        At most n, or n - 1 if a row is left out.
    weights : ndarray of shape (m, p)
        Written.
    """
    p, n = columns.shape
    K0, K1, K2, L = sizes
    # compiled code that allocates arrays takes longer to compile
    S = _Scratch(
        np.empty((3, n)),
        np.arange(n),
        np.empty(K0, np.int64),
        np.empty(K2, np.int64),
        np.empty(K1, np.int64),
        np.empty((2, n_classes)),
        np.empty((2, p)),
    )
    weights[...] = 1.0 / p
    _adapt(columns, codes, Q, left_out, lists, L, steps, c, weights, S)


class _Scratch(NamedTuple):
    """Scratch space, and the numbers of all rows.

    Attributes
    ----------
    values : ndarray of shape (3, n)
    everything : ndarray of int, shape (n,)
    around, within, near : ndarrays of int, shapes (K0,), (K2,) and (K1,)
        Rows around the query, around one of these, and nearest to it.
    classes : ndarray of shape (2, n_classes)
    features : ndarray of shape (2, p)
    """

    values: np.ndarray
    everything: np.ndarray
    around: np.ndarray
    within: np.ndarray
    near: np.ndarray
    classes: np.ndarray
    features: np.ndarray


@ilk.compiled
def _adapt(
    columns: np.ndarray,
    codes: np.ndarray,
    Q: np.ndarray,
    left_out: np.ndarray,
    lists: np.ndarray,
    L: int,
    steps: int,
    c: float,
    weights: np.ndarray,
    S: _Scratch,
) -> None:
    """Change equal weights as `adapt` does."""
    p = len(columns)
    values, scratch, apart = S.values[0], S.values[1], S.values[2]
    everything, around, within, near = S.everything, S.around, S.within, S.near
    z, losses, chance = S.features[0], S.features[1], S.classes[0]
    for i in range(len(Q)):
        weight = weights[i]
        for step in range(steps):
            _distances(columns, everything, Q[i], weight, left_out[i], values)
            _nearest(everything, values, scratch, around)
            for f in range(p):
                losses[f] = 0.0
            for row in around:
                if step == 0:  # equal weights: the lists of `fit` save a search
                    _listed(lists[row], left_out[i], within)
                    for a in range(len(near)):
                        near[a] = within[a]
                else:
                    for f in range(p):
                        z[f] = columns[f, row]
                    _distances(columns, everything, z, weight, left_out[i], values)
                    _nearest(everything, values, scratch, within)
                    for a in range(len(within)):
                        apart[a] = values[within[a]]
                    _nearest(within, apart, scratch, near)
                for code in range(len(chance)):
                    chance[code] = 0.0
                for j in near:
                    chance[codes[j]] += 1.0 / len(near)
                _add_losses(columns, codes, row, L, losses, S)
            for f in range(p):
                losses[f] /= len(around)
            _weigh(losses, c, weight)


@ilk.compiled(inner=True)
def _distances(
    columns: np.ndarray,
    rows: np.ndarray,
    q: np.ndarray,
    weight: np.ndarray,
    left_out: int,
    values: np.ndarray,
) -> None:
    """Squared distances of rows to q, infinite for the left-out one.

    Shapes: `columns` (p, n), `rows` (m,), `q` and `weight` (p,), `values` (n,).
    """
    for j in range(len(values)):
        values[j] = 0.0
    for f in range(len(weight)):
        column = columns[f]
        for j in rows:
            difference = column[j] - q[f]
            values[j] += weight[f] * (difference * difference)
    if left_out >= 0:
        values[left_out] = np.inf


@ilk.compiled(inner=True)
def _nearest(rows: np.ndarray, values: np.ndarray, scratch: np.ndarray, out: np.ndarray) -> None:
    """Write the k rows of smallest values into `out`, in the order of `rows`; ties to the first.

    Shapes: `rows` (m,), `values` and `scratch` (at least m,), `out` (k,).
    """
    n, k = len(rows), len(out)
    copy(values, n, scratch)
    bound = select(scratch, n, k - 1)
    # rows as far as the k-th share the places that nearer ones leave
    room = k
    for a in range(n):
        room -= values[a] < bound
    place = 0
    for a in range(n):
        tied = (values[a] == bound) & (room > 0)
        room -= int(tied)
        # without a branch: the condition is true for few rows, at random
        if tied | (values[a] < bound):
            out[place] = rows[a]
            place += 1


@ilk.compiled(inner=True)
def _listed(listed: np.ndarray, left_out: int, out: np.ndarray) -> None:
    """Copy the first rows of a list, without the left-out one.

    Shapes: `listed` (K2 + 1,), `out` (K2,).
    """
    place = 0
    for row in listed:
        if row != left_out and place < len(out):
            out[place] = row
            place += 1


@ilk.compiled(inner=True)
def _add_losses(
    columns: np.ndarray,
    codes: np.ndarray,
    row: int,
    L: int,
    losses: np.ndarray,
    S: _Scratch,
) -> None:
    """Add, for each feature, the loss of predicting the classes at a row by it alone.

    Shapes: `columns` (p, n), `codes` (n,), `losses` (p,).
    """
    scratch, apart, within = S.values[1], S.values[2], S.within
    chance, counts, n = S.classes[0], S.classes[1], len(S.within)
    for f in range(len(columns)):
        column = columns[f]
        for a in range(n):
            apart[a] = abs(column[within[a]] - column[row])
        copy(apart, n, scratch)
        # ties of the L-th row count as well: the shares do not depend on the order of rows
        reach = select(scratch, n, L - 1)
        for code in range(len(counts)):
            counts[code] = 0.0
        for a in range(n):
            counts[codes[within[a]]] += apart[a] <= reach
        total = total_of(counts)
        for c in range(len(chance)):
            alone = counts[c] / total
            difference = chance[c] - alone
            # a class that the feature never predicts would have infinite loss: count half a row of
            # it
            losses[f] += difference * difference / max(alone, 0.5 / total)


@ilk.compiled(inner=True)
def _weigh(losses: np.ndarray, c: float, weight: np.ndarray) -> None:
    """Weights ``exp(c R) / sum exp(c R)``, R the largest loss minus the feature's loss; (p,)."""
    best = least(losses)  # a common factor of the weights cancels; this one avoids overflow
    for f in range(len(weight)):
        weight[f] = np.exp(c * (best - losses[f]))
    total = total_of(weight)
    for f in range(len(weight)):
        weight[f] /= total
