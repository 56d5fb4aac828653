"""Compiled growing, prediction and evaluation of trees that split on combinations of features.

A tree is a range of nodes. If ``left[node] >= 0``, a row goes left if
``sum_k coefficients[node, k] x[features[node, k]] <= thresholds[node]``, else right. Otherwise
the node is a leaf, and ``right[node]`` is its number within the tree.

Shapes, unless noted: X (n, p); roots (T + 1,); features and coefficients (n_nodes, L);
thresholds, left and right (n_nodes,); leaves (n, T); first_leaves (T + 1,); answers (n_leaves, C).
"""

from __future__ import annotations

import numpy as np

from ilk import compiled

# constants of SplitMix64, below; uint64 because numba turns int with uint64 into float
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11)
_UNIT = 2.0**-53  # spacing of 53-bit fractions in [0, 1)


@compiled
def project(x: np.ndarray, features: np.ndarray, coefficients: np.ndarray) -> float:
    """Value of a node's combination of features (L,) for one row (p,)."""
    total = coefficients[0] * x[features[0]]
    for k in range(1, len(features)):
        total += coefficients[k] * x[features[k]]
    return total  # type: ignore[no-any-return]


_NONE = np.uint32(0xFFFFFFFF)  # -1 in the left child of a leaf, read without sign


@compiled
def find_leaves(
    X: np.ndarray,
    roots: np.ndarray,
    links: np.ndarray,
    features: np.ndarray,
    coefficients: np.ndarray,
    thresholds: np.ndarray,
    leaves: np.ndarray,
    single: bool,
) -> None:
    """Fill in the leaf number of each row in each tree.

    All rows descend a tree level by level: their memory accesses are independent and overlap.
    `links` (n_nodes, 3) has the first feature, left and right of each node side by side, as
    uint32: negative positions would cost a test each. With `single` a node takes the value of
    its first feature as it is.
    """
    n = len(X)
    rows, nodes = np.empty(n, dtype=np.uint32), np.empty(n, dtype=np.uint32)
    for t in range(leaves.shape[1]):
        for i in range(n):
            rows[i], nodes[i] = i, roots[t]
        size = n
        while size > 0:
            walking = 0
            for k in range(size):
                row, node = rows[k], nodes[k]
                feature, left, right = links[node, 0], links[node, 1], links[node, 2]
                # a leaf has its number in place of the right child
                if left == _NONE:
                    leaves[row, t] = right
                    continue
                if single:
                    value = X[row, feature]
                else:
                    value = project(X[row], features[node], coefficients[node])
                # rows still on their way stay at the front; those in leaves are dropped
                rows[walking] = row
                nodes[walking] = left if value <= thresholds[node] else right
                walking += 1
            size = walking


@compiled
def midpoint(low: float, high: float) -> float:
    """Midpoint of low < high in floating point: at least `low`, and less than `high`."""
    # of numbers of one sign the sum may overflow, of opposite signs the difference
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
    """Turn thresholds between ranks into thresholds between values.

    Parameters
    ----------
    ranks : ndarray of shape (n, p)
    rows : ndarray of int, shape (m,)
        Rows that the tree was grown from.
    values : ndarray of shape (n_values,)
        Rank r of feature f has the value ``values[starts[f] + r]``; starts has shape (p + 1,).
    features, left, right : ndarrays of shape (n_nodes,)
        ``left`` is negative at leaves.
    below, above : ndarrays of int, shape (n_nodes,)
        -1 and n on entry; then the adjacent ranks that each threshold separates.
    thresholds : ndarray of shape (n_nodes,)
        Changed in place.
    """
    for i in rows:
        node = np.uint32(0)
        while left[node] >= 0:
            rank = ranks[i, np.uint32(features[node])]
            if rank <= thresholds[node]:
                if rank > below[node]:  # noqa: PLR1730  # rare: most rows store nothing
                    below[node] = rank
                node = np.uint32(left[node])
            else:
                if rank < above[node]:  # noqa: PLR1730
                    above[node] = rank
                node = np.uint32(right[node])
    for inner in range(len(left)):
        if left[inner] >= 0:
            first = starts[features[inner]]
            low, high = values[first + below[inner]], values[first + above[inner]]
            thresholds[inner] = midpoint(low, high)


@compiled
def add_answers(
    leaves: np.ndarray, first_leaves: np.ndarray, answers: np.ndarray, total: np.ndarray
) -> None:
    """Add the answer of each row's leaf to `total` (n, C), tree after tree."""
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
    """Predict each row by the trees grown without it: by the first 1, 2, ... of all trees.

    Parameters
    ----------
    out : ndarray of bool, shape (n, T)
        Whether a row is out of the bag of a tree.
    codes, weights : ndarrays of shape (n,)
    total : ndarray of shape (n, C)
        Zeros on entry; then the mean answer of these trees, NaN where there are none.
    wrong, judged : ndarrays of shape (T,)
        Zeros on entry; then the weight of rows misclassified by the first 1, 2, ... trees, and
        the weight of rows with an out-of-bag tree among them.
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
                    # compared after the division, as predictions are: rounding may make ties
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
    """Uniform number in [0, 1) by SplitMix64 (Steele, Lea & Flood, 2014); advances the state.

    The state is an array of one uint64, initialized with the seed.
    """
    state[0] += _STEP
    z = state[0]
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    # the upper 53 bits, as a fraction of 2^53
    return ((z ^ (z >> _31)) >> _11) * _UNIT  # type: ignore[no-any-return]


@compiled
def draw(state: np.ndarray, pool: np.ndarray, size: int, n: int) -> None:
    """Draw n of the first `size` entries of `pool` (p,) to its front, by partial Fisher-Yates."""
    for k in range(n):
        other = k + int(uniform(state) * (size - k))
        pool[k], pool[other] = pool[other], pool[k]


@compiled
def uniform_coefficients(state: np.ndarray, coefficients: np.ndarray, n: int) -> None:
    """Fill `coefficients` (L,) with n uniform numbers in [-1, 1) and trailing zeros."""
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
    """Node of the leaf that row x (p,) reaches from `node` if `feature` had another value."""
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
    """Record the first node on the path of x (p,) that uses each feature; return the leaf's node.

    Entries of `first` (p,) stay -1 for features that no node on the path uses.
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
    """Fill in the loss of accuracy when each feature is permuted.

    A row whose path does not use the feature keeps its leaf; other rows restart at the first
    node that uses it, which saves the common part of the path.

    Parameters
    ----------
    X : ndarray of shape (m, p)
        Out-of-bag cases.
    codes, weights : ndarrays of shape (m,)
    votes : ndarray of int, shape (n_leaves,)
        Class predicted by each leaf of the tree.
    lost : ndarray of shape (p,)
        Output: lost share of the weight of the cases, mean over repeats.
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
        # a feature on no path changes no prediction
        if first[f].max() < 0:
            continue
        # the importance of a feature in a tree: the mean loss over permutations of its out-of-bag
        # rows
        for _ in range(n_repeats):
            # a draw of all entries is a permutation
            draw(state, order, m, m)
            for i in range(m):
                # the leaf changes only for rows whose path uses the feature, and only from its
                # first use
                if first[f, i] >= 0:
                    value = X[order[i], f]
                    end = walk(
                        X[i], first[f, i], f, value, features, coefficients, thresholds, left, right
                    )
                    hit = 1.0 if votes[right[end]] == codes[i] else 0.0
                    lost[f] += weights[i] * (hits[i] - hit)
        lost[f] /= n_repeats * weights.sum()


@compiled
def purity(counts: np.ndarray, total: float, entropy: bool) -> float:
    """Weighted purity of a leaf from its class weights (C,), up to a constant."""
    # weight times (1 - impurity) for gini, minus weight times impurity for entropy: sums over the
    # leaves of a split are comparable
    result = 0.0
    for count in counts:
        if count > 0:
            result += count * np.log(count / total) if entropy else count * count / total
    return result


@compiled
def best_cut(
    values: np.ndarray,
    order: np.ndarray,
    rows: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    totals: np.ndarray,
    entropy: bool,
    min_leaf: int,
) -> tuple[float, float]:
    """Purity and threshold of the best cut between two distinct values; -inf if none exists.

    Shapes: values (m,), order (m,) sorts them, rows (m,) into codes and weights (n,), totals (C,)
    the weight of each class.
    """
    best, threshold = -np.inf, np.nan
    below, above = np.zeros(len(totals)), totals.copy()
    weight, rest = 0.0, totals.sum()
    n = len(order)
    for k in range(n - 1):
        row = rows[order[k]]
        # both sides are updated row by row, so that all cuts of a feature take one pass
        below[codes[row]] += weights[row]
        above[codes[row]] -= weights[row]
        weight += weights[row]
        rest -= weights[row]
        # no cut between equal values: no threshold would separate them
        low, high = values[order[k]], values[order[k + 1]]
        if low < high and k + 1 >= min_leaf and n - k - 1 >= min_leaf:
            gain = purity(below, weight, entropy) + purity(above, rest, entropy)
            if gain > best:
                best, threshold = gain, midpoint(low, high)
    return best, threshold


@compiled
def varying(Z: np.ndarray, rows: np.ndarray, pool: np.ndarray) -> int:
    """Swap the features that vary among some rows to the front of the pool; return their number.

    Shapes: Z (n, p), rows (m,), pool (p,).
    """
    size = 0
    for k in range(len(pool)):
        for row in rows:
            if Z[row, pool[k]] != Z[rows[0], pool[k]]:
                pool[size], pool[k] = pool[k], pool[size]
                size += 1
                break
    return size


@compiled
def search(
    Z: np.ndarray,
    rows: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    totals: np.ndarray,
    settings: tuple[bool, int, int, int, int],
    state: np.ndarray,
    pool: np.ndarray,
    features: np.ndarray,
    coefficients: np.ndarray,
) -> tuple[float, float]:
    """Find the best of some random combinations; return its purity (-inf: none) and threshold.

    If none of them separates the rows, as many combinations of the varying features are tried:
    with many constant features the first draws may miss the few that vary.
    Shapes: Z (n, p), rows (m,), codes and weights (n,), totals (C,), state (1,), pool (p,);
    features and coefficients (L,) receive the combination.
    """
    entropy, n_tried, _, _, min_leaf = settings
    best, threshold = -np.inf, np.nan
    values = np.empty(len(rows))
    some = np.empty(len(features), dtype=np.int32)
    factors = np.empty(len(features))
    size = len(pool)
    for attempt in range(2 * n_tried):
        # where no combination separates the rows, constant features may be the reason: try without
        # them
        if attempt == n_tried:
            if best > -np.inf:
                break
            size = varying(Z, rows, pool)
            if size == 0:
                break
        n = min(len(features), size)
        draw(state, pool, size, n)
        # fewer features than the combination has terms: the others get coefficient 0
        some[:n] = pool[:n]
        some[n:] = pool[0]
        uniform_coefficients(state, factors, n)
        for k in range(len(rows)):
            values[k] = project(Z[rows[k]], some, factors)
        order = np.argsort(values)
        gain, cut = best_cut(values, order, rows, codes, weights, totals, entropy, min_leaf)
        if gain > best:
            best, threshold = gain, cut
            features[:] = some
            coefficients[:] = factors
    return best, threshold


@compiled
def part(
    Z: np.ndarray,
    rows: np.ndarray,
    features: np.ndarray,
    coefficients: np.ndarray,
    threshold: float,
) -> int:
    """Partition rows in place, left-going rows first; return their number.

    Shapes: Z (n, p), rows (m,), features and coefficients (L,).
    """
    n = 0
    for k in range(len(rows)):
        if project(Z[rows[k]], features, coefficients) <= threshold:
            rows[n], rows[k] = rows[k], rows[n]
            n += 1
    return n


@compiled
def grow(
    Z: np.ndarray,
    rows: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    settings: tuple[bool, int, int, int, int],
    seed: int,
    features: np.ndarray,
    coefficients: np.ndarray,
    thresholds: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    shares: np.ndarray,
) -> tuple[int, int]:
    """Grow a tree from some rows, breadth first; return its numbers of nodes and of leaves.

    Parameters
    ----------
    Z : ndarray of shape (n, p)
    rows : ndarray of int, shape (m,)
        Reordered: each node owns a contiguous range.
    codes, weights : ndarrays of shape (n,)
    settings : tuple
        Whether the criterion is entropy; combinations tried per node; maximum depth; minimum
        number of cases to split a node; minimum number of cases in a leaf.
    features, coefficients : ndarrays of shape (2 m - 1, L)
    thresholds, left, right : ndarrays of shape (2 m - 1,)
    shares : ndarray of shape (m, C)
        Output, zeros on entry, with the meaning of the fields of a `Tree`.
    """
    _, _, max_depth, min_split, _ = settings
    state = np.array([seed], dtype=np.uint64)
    pool = np.arange(Z.shape[1])
    starts, stops = np.zeros(len(left), dtype=np.int64), np.zeros(len(left), dtype=np.int64)
    depths = np.zeros(len(left), dtype=np.int64)
    stops[0] = len(rows)
    node, n_nodes, n_leaves = 0, 1, 0
    while node < n_nodes:
        start, stop = starts[node], stops[node]
        node_rows = rows[start:stop]
        totals = np.zeros(shares.shape[1])
        for row in node_rows:
            totals[codes[row]] += weights[row]
        # -inf: the node becomes a leaf
        purest = -np.inf
        if depths[node] < max_depth and len(node_rows) >= min_split and (totals > 0).sum() > 1:
            purest, thresholds[node] = search(
                Z, node_rows, codes, weights, totals, settings, state, pool, features[node],
                coefficients[node],
            )  # fmt: skip
        if purest == -np.inf:
            left[node], right[node], thresholds[node] = -1, n_leaves, 0.0
            shares[n_leaves] = totals / totals.sum()
            n_leaves += 1
        else:
            middle = start + part(
                Z, node_rows, features[node], coefficients[node], thresholds[node]
            )
            left[node], right[node] = n_nodes, n_nodes + 1
            # children share the range of their parent's rows, partitioned in place
            starts[n_nodes], stops[n_nodes] = start, middle
            starts[n_nodes + 1], stops[n_nodes + 1] = middle, stop
            depths[n_nodes] = depths[n_nodes + 1] = depths[node] + 1
            n_nodes += 2
        node += 1
    return n_nodes, n_leaves
