"""Compiled steps of a kd-tree: construction, search, and selection among candidates.

Reduced distances are monotone in the distance and cheaper, such as squares without a root.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import ilk

SUM, SQUARES, LARGEST, POWERS = 1, 2, 0, 3  # kinds of reduced distances, by exponent


def how(p: float) -> int:
    """The kind of reduced distance for an exponent."""
    return {1.0: SUM, 2.0: SQUARES, np.inf: LARGEST}.get(p, POWERS)


@ilk.compiled
def halve(X: np.ndarray, order: np.ndarray, starts: np.ndarray, boxes: np.ndarray) -> None:
    """Order rows by leaf, halving them along the widest feature of their box.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    order : ndarray of int64, shape (n,)
        Overwritten: the rows, leaf by leaf.
    starts : ndarray of int64, shape (n_leaves + 1,)
        Overwritten: start of the rows of each leaf. The number of leaves is a power of 2.
    boxes : ndarray of shape (2 n_leaves - 1, 2, p)
        Overwritten: smallest and largest values; node i has the children 2 i + 1 and 2 i + 2.
    """
    n_leaves = len(starts) - 1
    for i in range(len(X)):
        order[i] = i
    starts[0], starts[n_leaves] = 0, len(X)
    keys = np.empty(len(X))
    size = n_leaves
    # level by level from the root; `size` is the number of leaves below a node
    while size >= 1:
        for leaf in range(0, n_leaves, size):
            start, stop = starts[leaf], starts[leaf + size]
            node = (n_leaves + leaf) // size - 1
            _bound(X, order[start:stop], boxes[node])
            if size == 1:
                continue
            middle = (start + stop + 1) // 2
            starts[leaf + size // 2] = middle
            widest = _widest(boxes[node])
            for i in range(start, stop):
                keys[i] = X[order[i], widest]
            _divide(keys[start:stop], order[start:stop], middle - start)
        size //= 2


@ilk.compiled
def _widest(box: np.ndarray) -> int:
    """The widest feature of a box, (2, p)."""
    widest, width = 0, 0.0
    for f in range(box.shape[1]):
        half = box[1, f] / 2 - box[0, f] / 2  # the full width of large numbers may overflow
        if half > width:
            widest, width = f, half
    return widest


@ilk.compiled
def _bound(X: np.ndarray, rows: np.ndarray, box: np.ndarray) -> None:
    """Write the smallest box, (2, p), around some rows of X, (n, p)."""
    for f in range(X.shape[1]):
        box[0, f], box[1, f] = np.inf, -np.inf
    for i in range(len(rows)):
        for f in range(X.shape[1]):
            value = X[rows[i], f]
            box[0, f] = min(box[0, f], value)
            box[1, f] = max(box[1, f], value)


@ilk.compiled
def _divide(keys: np.ndarray, order: np.ndarray, n_first: int) -> None:
    """Partition: move the rows of the `n_first` smallest keys to the front (quickselect).

    keys and order have the shape (n,). Pivots are medians of three keys drawn by a fixed
    sequence: this takes linear time for any order of the keys, and is reproducible.
    """
    low, high = 0, len(keys) - 1
    drawn = 1
    while low < high:
        # the linear congruential generator of the C standard's example
        drawn = (drawn * 1103515245 + 12345) % 2**31
        # the low bits of such a generator repeat quickly, so they are dropped
        step = (high - low) // 3 + 1
        first = low + (drawn >> 8) % step
        a, b, c = keys[first], keys[min(first + step, high)], keys[min(first + 2 * step, high)]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while pivot < keys[j]:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        # only the side with the boundary needs further division
        if n_first - 1 <= j:
            high = j
        elif n_first >= i + 1:
            low = i
        else:
            return


@ilk.compiled
def lay(X: np.ndarray, order: np.ndarray, starts: np.ndarray, tiles: np.ndarray) -> None:
    """Copy the rows of X, (n, p), to tiles, (n p,), leaf by leaf, each leaf feature by feature.

    order and starts are those of `halve`.
    """
    p = X.shape[1]
    for leaf in range(len(starts) - 1):
        start, stop = starts[leaf], starts[leaf + 1]
        for i in range(start, stop):
            for f in range(p):
                tiles[start * p + f * (stop - start) + (i - start)] = X[order[i], f]


@ilk.compiled(fastmath={"nsz", "contract"})
def candidates(  # noqa: PLR0915  # allocates its work space once for all queries
    tiles: np.ndarray,
    X: np.ndarray,
    order: np.ndarray,
    starts: np.ndarray,
    boxes: np.ndarray,
    Q: np.ndarray,
    k: int,
    radius: float,
    how: int,
    p: float,
    weights: np.ndarray,
    slack: np.ndarray,
) -> Any:
    """For each query the positions in `order` of all rows that may be among its k nearest.

    With k = 0, all rows that may be within a (reduced) radius.

    Parameters
    ----------
    tiles : ndarray of shape (n p,)
        Rows as `lay` copies them; empty if rows are read from X.
    X, order, starts, boxes
        As in `halve`.
    Q : ndarray of shape (m, p)
    weights : ndarray of shape (p,)
        Factors of the (powers of) differences.
    slack : ndarray of shape (3,)
        Relative and absolute error of a reduced distance; limit above which it may be infinite.

    Returns
    -------
    positions : ndarray of int64, shape (n_positions,)
        Positions, query by query; a superset of the answers.
    ends : ndarray of int64, shape (m,)
        End of the positions of each query.
    evaluations : int
        Number of computed reduced distances.
    """
    n_leaves = len(starts) - 1
    widest = 0
    for leaf in range(n_leaves):
        widest = max(widest, starts[leaf + 1] - starts[leaf])
    reduced, largest = np.empty(widest), np.empty(widest)
    tile = np.empty((0 if len(tiles) else len(weights) * widest), X.dtype)
    # depth-first: each level leaves one sibling, and no tree has more than 64 levels
    stack, bounds = np.empty(128, np.int64), np.empty(128)
    heap, members = np.empty(k), np.empty(k, np.int64)
    # rows beyond the k nearest that rounding could still bring among them
    spare, spares = np.empty(64), np.empty(64, np.int64)
    positions, n_positions = np.empty(16 * len(Q) + 64, np.int64), 0
    ends = np.empty(len(Q), np.int64)
    evaluations = 0
    for i in range(len(Q)):
        q = Q[i]
        in_heap, n_spare = 0, 0
        limit = np.inf if k else _loosened(radius, slack)
        stack[0], bounds[0], depth = 0, 0.0, 1
        while depth:
            depth -= 1
            # the limit may have fallen since the node was pushed
            if bounds[depth] > limit:
                continue
            leaf = stack[depth] - (n_leaves - 1)
            if leaf < 0:
                child = 2 * stack[depth] + 1
                left = _gap(boxes[child], q, how, weights)
                right = _gap(boxes[child + 1], q, how, weights)
                # the nearer child goes on top of the stack: it tightens the limit sooner
                nearer = 0 if left < right else 1
                stack[depth], bounds[depth] = child + 1 - nearer, max(left, right)
                stack[depth + 1], bounds[depth + 1] = child + nearer, min(left, right)
                depth += 2
                continue
            start, stop = starts[leaf], starts[leaf + 1]
            size = stop - start
            evaluations += size
            if len(tiles):
                part = tiles[start * len(q) : stop * len(q)]
            else:
                part = tile[: size * len(q)]
                _gather(X, order[start:stop], part)
            _reduce(part, q, how, p, weights, reduced[:size], largest)
            if not _any_within(reduced[:size], limit):
                continue
            if n_spare + size > len(spare):  # drop spares beyond the limit before growing
                n_spare = _kept(spare, spares, n_spare, limit)
                while 2 * (n_spare + size) > len(spare):
                    spare, spares = np.concatenate((spare, spare)), np.concatenate((spares, spares))
            in_heap, n_spare, limit = _take(
                reduced[:size], start, limit, slack, heap, members, in_heap, spare, spares, n_spare
            )
        n_spare = _kept(spare, spares, n_spare, limit)
        ends[i] = n_positions + in_heap + n_spare
        while ends[i] > len(positions):
            positions = np.concatenate((positions, positions))
        _put(members, in_heap, positions, n_positions)
        _put(spares, n_spare, positions, n_positions + in_heap)
        n_positions = ends[i]
    return positions[:n_positions], ends, evaluations


@ilk.compiled
def _gather(X: np.ndarray, rows: np.ndarray, part: np.ndarray) -> None:
    """Copy some rows of X, (n, p), to part, (n_rows p,), feature by feature."""
    for j in range(len(rows)):
        for f in range(X.shape[1]):
            part[f * len(rows) + j] = X[rows[j], f]


@ilk.compiled
def _any_within(values: np.ndarray, limit: float) -> bool:
    """Whether any of the values, (n,), is within a limit."""
    some = 0
    for j in range(len(values)):
        some += values[j] <= limit  # an early exit would prevent vectorization
    return some > 0


@ilk.compiled
def _take(
    reduced: np.ndarray,
    start: int,
    limit: float,
    slack: np.ndarray,
    heap: np.ndarray,
    members: np.ndarray,
    in_heap: int,
    spare: np.ndarray,
    spares: np.ndarray,
    n_spare: int,
) -> tuple[int, int, float]:
    """Divide a leaf's rows within the limit into the k nearest (a heap) and spare rows.

    Spare rows are farther only by a possible rounding error, so they remain candidates. reduced
    has the shape (size,), slack (3,), heap and members (k,); spare and spares, (room,), grow.
    Returns the sizes of both and the limit.
    """
    k = len(heap)
    for j in range(len(reduced)):
        value, position = reduced[j], start + j
        if not value <= limit:
            continue
        if in_heap < k:
            _rise(heap, members, in_heap, value, position)
            in_heap += 1
            if in_heap == k:
                limit = _loosened(heap[0], slack)
            continue
        if k and value < heap[0]:
            farthest, its_position = heap[0], members[0]
            _sink(heap, members, value, position)
            limit = _loosened(heap[0], slack)
            value, position = farthest, its_position
            if value > limit:
                continue
        spare[n_spare], spares[n_spare] = value, position
        n_spare += 1
    return in_heap, n_spare, limit


@ilk.compiled
def _put(positions: np.ndarray, n: int, out: np.ndarray, start: int) -> None:
    """Copy n positions, (n,) at least, to ``out[start:]``."""
    for j in range(n):  # a slice assignment takes seconds to compile
        out[start + j] = positions[j]


@ilk.compiled
def _loosened(value: float, slack: np.ndarray) -> float:
    """Return the largest computed value that may stand for a true value of at most this.

    slack: (3,), as in `candidates`.
    """
    # beyond slack[2] a distance may have overflowed: nothing can be excluded
    limit = value * (1 + slack[0]) + slack[1]
    return np.inf if limit >= slack[2] else limit


@ilk.compiled(fastmath={"nsz", "contract"})
def _reduce(  # noqa: PLR0912  # four kinds of distances
    tile: np.ndarray,
    q: np.ndarray,
    how: int,
    p: float,
    weights: np.ndarray,
    out: np.ndarray,
    largest: np.ndarray,
) -> None:
    """Reduced distances, (n,), of q, (p,), to the rows of a tile, (n p,), feature by feature.

    weights: (p,), largest: (n,) at least, overwritten.
    """
    size = len(out)
    # features outside, rows of the tile (unit stride) inside: the inner loop vectorizes
    out[:] = 0.0
    if how == SQUARES:
        whole = len(q) // 4 * 4
        for f in range(0, whole, 4):  # four features at once: sums are loaded less often
            y0, y1 = tile[f * size : (f + 1) * size], tile[(f + 1) * size : (f + 2) * size]
            y2, y3 = tile[(f + 2) * size : (f + 3) * size], tile[(f + 3) * size : (f + 4) * size]
            for j in range(size):
                d0, d1, d2, d3 = y0[j] - q[f], y1[j] - q[f + 1], y2[j] - q[f + 2], y3[j] - q[f + 3]
                left = weights[f] * (d0 * d0) + weights[f + 1] * (d1 * d1)
                out[j] += left + (weights[f + 2] * (d2 * d2) + weights[f + 3] * (d3 * d3))
        for f in range(whole, len(q)):
            for j in range(size):
                gap = tile[f * size + j] - q[f]
                out[j] += weights[f] * (gap * gap)
    elif how == SUM:
        for f in range(len(q)):
            for j in range(size):
                out[j] += weights[f] * abs(tile[f * size + j] - q[f])
    else:
        for f in range(len(q)):
            for j in range(size):
                out[j] = max(out[j], weights[f] * abs(tile[f * size + j] - q[f]))
    if how != POWERS:
        return
    for j in range(size):  # differences relative to the largest one: powers stay in range
        largest[j], out[j] = out[j], 0.0
    for f in range(len(q)):
        for j in range(size):
            if 0.0 < largest[j] < np.inf:
                # a largest difference of 0 or infinity is the distance itself; dividing by it would
                # give NaN
                out[j] += (weights[f] * abs(tile[f * size + j] - q[f]) / largest[j]) ** p
    for j in range(size):
        out[j] = largest[j] * out[j] ** (1 / p) if 0.0 < largest[j] < np.inf else largest[j]


@ilk.compiled(fastmath={"nsz", "contract", "reassoc"})
def _gap(box: np.ndarray, q: np.ndarray, how: int, weights: np.ndarray) -> float:
    """Reduced distance of q, (p,), to a box, (2, p); for `POWERS` a lower bound of it.

    weights: (p,).
    """
    # the distance to the nearest point of the box, feature by feature; no row in it is nearer
    total = 0.0
    for f in range(len(q)):
        gap = max(box[0, f] - q[f], q[f] - box[1, f], 0.0)
        if how == SQUARES:
            total += weights[f] * (gap * gap)
        elif how == SUM:
            total += weights[f] * gap
        else:
            total = max(total, weights[f] * gap)
    return total


@ilk.compiled
def _kept(values: np.ndarray, positions: np.ndarray, n: int, limit: float) -> int:
    """Move values within the limit, and their positions, to the front; return their number.

    values, positions: (n,) at least.
    """
    count = 0
    for i in range(n):
        if values[i] <= limit:
            values[count], positions[count] = values[i], positions[i]
            count += 1
    return count


@ilk.compiled
def _rise(heap: np.ndarray, members: np.ndarray, at: int, value: float, member: int) -> None:
    """Add a value to a max-heap of `at` values.

    heap, members: (k,); `at` is the number of values so far.
    """
    while at and heap[(at - 1) // 2] < value:
        heap[at], members[at] = heap[(at - 1) // 2], members[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at], members[at] = value, member


@ilk.compiled
def _sink(heap: np.ndarray, members: np.ndarray, value: float, member: int) -> None:
    """Replace the largest value of a full max-heap.

    heap, members: (k,).
    """
    at = 0
    while 2 * at + 1 < len(heap):
        child = 2 * at + 1
        if child + 1 < len(heap) and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[at], members[at] = heap[child], members[child]
        at = child
    heap[at], members[at] = value, member


@ilk.compiled
def settle(
    values: np.ndarray, rows: np.ndarray, ends: np.ndarray, near: np.ndarray, where: np.ndarray
) -> None:
    """Keep the nearest candidates of each query, ties by lower index.

    Parameters
    ----------
    values : ndarray of shape (n_candidates,)
        Distances of candidates, query by query; at least k for each.
    rows : ndarray of int64, shape (n_candidates,)
        Their training indices.
    ends : ndarray of int64, shape (m,)
        End of the candidates of each query.
    near, where : ndarrays of shape (m, k)
        Overwritten: distances and rows.
    """
    k = near.shape[1]
    # insertion: k is small here
    start = 0
    for i in range(len(ends)):
        for j in range(start, ends[i]):
            value, row = values[j], rows[j]
            place = min(j - start, k)
            while place and (
                value < near[i, place - 1]
                or (value == near[i, place - 1] and row < where[i, place - 1])
            ):
                place -= 1
            for at in range(min(j - start, k - 1), place, -1):
                near[i, at], where[i, at] = near[i, at - 1], where[i, at - 1]
            if place < k:
                near[i, place], where[i, place] = value, row
        start = ends[i]
