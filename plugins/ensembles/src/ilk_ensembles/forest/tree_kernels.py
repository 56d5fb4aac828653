"""Grown trees, compiled: rows walk down, leaves answer, permuted features lose accuracy.

A tree is a range of nodes. Where ``left[node] >= 0`` rows go left if
``sum_k coefficients[node, k] x[features[node, k]] <= thresholds[node]``, else right; otherwise
the node is a leaf, and ``right[node]`` is its number within the tree.
"""

from __future__ import annotations

import numpy as np

from ilk import compiled

# of SplitMix64, below; numba would make floats of an integer and a uint64
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11)
_UNIT = 2.0**-53


@compiled
def project(x: np.ndarray, features: np.ndarray, coefficients: np.ndarray) -> float:
    """The combination of features that a node looks at, of one row."""
    total = coefficients[0] * x[features[0]]
    for k in range(1, len(features)):
        total += coefficients[k] * x[features[k]]
    return total  # type: ignore[no-any-return]


@compiled
def find_leaves(
    X: np.ndarray,
    roots: np.ndarray,
    features: np.ndarray,
    coefficients: np.ndarray,
    thresholds: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    leaves: np.ndarray,
) -> None:
    """Fill in the number of the leaf of each row in each tree.

    All rows go down a tree by one node at a time: their steps do not wait for one another.
    """
    n = len(X)
    single = features.shape[1] == 1
    rows, nodes = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for t in range(leaves.shape[1]):
        for i in range(n):
            rows[i], nodes[i] = i, roots[t]
        size = n
        while size > 0:
            walking = 0
            for k in range(size):
                row, node = rows[k], nodes[k]
                if left[node] < 0:
                    leaves[row, t] = right[node]
                    continue
                if single:
                    value = coefficients[node, 0] * X[row, features[node, 0]]
                else:
                    value = project(X[row], features[node], coefficients[node])
                rows[walking] = row
                nodes[walking] = left[node] if value <= thresholds[node] else right[node]
                walking += 1
            size = walking


@compiled
def midpoint(low: float, high: float) -> float:
    """Number midway between two of which the first is less: at least it, and below the second."""
    middle = low + (high - low) / 2 if (low < 0) == (high < 0) else (low + high) / 2
    return middle if low <= middle < high else low


@compiled
def put_thresholds(
    ranks: np.ndarray,
    rows: np.ndarray,
    values: np.ndarray,
    starts: np.ndarray,
    features: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    below: np.ndarray,
    above: np.ndarray,
    thresholds: np.ndarray,
) -> None:
    """Turn thresholds between ranks into ones between values.

    Parameters
    ----------
    ranks : ndarray of shape (n, p)
    rows : ndarray of int
        Those that the tree was grown from.
    values : ndarray
        Of rank r of feature f at ``starts[f] + r``.
    features, left, right : ndarrays of shape (n_nodes,)
        ``left`` is negative at leaves.
    below, above : ndarrays of int, shape (n_nodes,)
        Of -1 and of n at first: then the ranks that each threshold parts.
    thresholds : ndarray of shape (n_nodes,)
        Changed in place.
    """
    for i in rows:
        node = 0
        while left[node] >= 0:
            rank = int(ranks[i, features[node]])
            if rank <= thresholds[node]:
                below[node] = max(below[node], rank)
                node = left[node]
            else:
                above[node] = min(above[node], rank)
                node = right[node]
    for node in range(len(left)):
        if left[node] >= 0:
            first = starts[features[node]]
            thresholds[node] = midpoint(values[first + below[node]], values[first + above[node]])


@compiled
def add_answers(
    leaves: np.ndarray, first_leaves: np.ndarray, answers: np.ndarray, total: np.ndarray
) -> None:
    """Add the answer of the leaf of each row, tree after tree."""
    for i in range(leaves.shape[0]):
        for t in range(leaves.shape[1]):
            leaf = first_leaves[t] + leaves[i, t]
            for c in range(answers.shape[1]):
                total[i, c] += answers[leaf, c]


@compiled
def add_out_of_bag(
    leaves: np.ndarray,
    out: np.ndarray,
    first_leaves: np.ndarray,
    answers: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    total: np.ndarray,
    wrong: np.ndarray,
    judged: np.ndarray,
) -> None:
    """Decide on each row by the trees that were grown without it, first by one, then by two ...

    Parameters
    ----------
    out : ndarray of bool, shape (n, T)
        Whether the row is out of the bag of the tree.
    total : ndarray of shape (n, C)
        Zeros at first: then the mean of what these trees say, NaN where there are none.
    wrong, judged : ndarrays of shape (T,)
        Zeros at first: then the weight of the rows that the first 1, 2, ... trees are wrong
        on, and of those that they say something about.
    """
    n_classes = answers.shape[1]
    for i in range(leaves.shape[0]):
        count = 0
        erring = False
        for t in range(leaves.shape[1]):
            if out[i, t]:
                count += 1
                leaf = first_leaves[t] + leaves[i, t]
                best = 0
                for c in range(n_classes):
                    total[i, c] += answers[leaf, c]
                    if total[i, c] / count > total[i, best] / count:
                        best = c
                erring = best != codes[i]
            if count > 0:
                judged[t] += weights[i]
                if erring:
                    wrong[t] += weights[i]
        for c in range(n_classes):
            total[i, c] = total[i, c] / count if count > 0 else np.nan


@compiled
def uniform(state: np.ndarray) -> float:
    """A number from 0 to below 1, by SplitMix64 (Steele, Lea & Flood, 2014); steps the state.

    The state is an array of one uint64: the seed at first.
    """
    state[0] += _STEP
    z = state[0]
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return ((z ^ (z >> _31)) >> _11) * _UNIT  # type: ignore[no-any-return]


@compiled
def draw(state: np.ndarray, pool: np.ndarray, size: int, n: int) -> None:
    """Put n of the first `size` entries of a pool in front, in random order."""
    for k in range(n):
        other = k + int(uniform(state) * (size - k))
        pool[k], pool[other] = pool[other], pool[k]


@compiled
def uniform_coefficients(state: np.ndarray, coefficients: np.ndarray, n: int) -> None:
    """Fill in n numbers from -1 to 1 and zeros behind them."""
    for k in range(len(coefficients)):
        coefficients[k] = 2.0 * uniform(state) - 1.0 if k < n else 0.0


@compiled
def walk(
    x: np.ndarray,
    node: int,
    feature: int,
    value: float,
    features: np.ndarray,
    coefficients: np.ndarray,
    thresholds: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
) -> int:
    """Leaf that a row ends in from some node on, if one of its features had another value."""
    while left[node] >= 0:
        total = 0.0
        for k in range(features.shape[1]):
            f = features[node, k]
            total += coefficients[node, k] * (value if f == feature else x[f])
        node = left[node] if total <= thresholds[node] else right[node]
    return node


@compiled
def mark(
    x: np.ndarray,
    root: int,
    features: np.ndarray,
    coefficients: np.ndarray,
    thresholds: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    first: np.ndarray,
) -> int:
    """Note where a row first meets a node that looks at each feature; the leaf it ends in.

    What is noted stays -1 for features that no node on its way looks at.
    """
    node = root
    while left[node] >= 0:
        total = 0.0
        for k in range(features.shape[1]):
            f = features[node, k]
            total += coefficients[node, k] * x[f]
            if first[f] < 0:
                first[f] = node
        node = left[node] if total <= thresholds[node] else right[node]
    return node


@compiled
def losses(
    X: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    root: int,
    features: np.ndarray,
    coefficients: np.ndarray,
    thresholds: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    votes: np.ndarray,
    n_repeats: int,
    seed: int,
    lost: np.ndarray,
) -> None:
    """Fill in how much less is answered rightly once each feature is permuted.

    A row whose way meets no node that looks at the feature stays where it is; the others start
    again from the first such node.

    Parameters
    ----------
    X : ndarray of shape (m, p)
        Cases out of the bag.
    codes, weights : ndarrays of shape (m,)
    votes : ndarray of int
        Class that each leaf of the tree votes for.
    lost : ndarray of shape (p,)
        Filled in: share of the weight of the cases, mean over repeats.
    """
    m, p = X.shape
    state = np.array([seed], dtype=np.uint64)
    first = np.full((p, m), -1, dtype=np.int32)
    hits = np.empty(m)
    for i in range(m):
        end = mark(X[i], root, features, coefficients, thresholds, left, right, first[:, i])
        hits[i] = 1.0 if votes[right[end]] == codes[i] else 0.0
    order = np.arange(m)
    for f in range(p):
        lost[f] = 0.0
        if first[f].max() < 0:
            continue
        for _ in range(n_repeats):
            draw(state, order, m, m)
            for i in range(m):
                if first[f, i] >= 0:
                    value = X[order[i], f]
                    end = walk(
                        X[i], first[f, i], f, value, features, coefficients, thresholds, left, right
                    )
                    hit = 1.0 if votes[right[end]] == codes[i] else 0.0
                    lost[f] += weights[i] * (hits[i] - hit)
        lost[f] /= n_repeats * weights.sum()
