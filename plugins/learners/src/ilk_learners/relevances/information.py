"""Estimates of mutual information, one feature after the other."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import digamma


def of_bins(columns: np.ndarray, y: np.ndarray, n_bins: int) -> np.ndarray:
    """From shares of rows; y are classes, or numbers that are cut as the features are."""
    classes = _binned(y, n_bins) if y.dtype.kind == "f" else y
    return np.array([_from_shares(_binned(x, n_bins), classes) for x in columns])


def of_classes(columns: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    """From distances along each feature to rows of the same class and to all.

    Parameters
    ----------
    columns : ndarray of shape (p, n)
    y : ndarray of int, shape (n,)
        No class has fewer than two rows.
    k : int
    """
    sizes = np.bincount(y)
    fixed = digamma(len(y)) - digamma(sizes[y]).mean()
    order = np.argsort(y, kind="stable")
    members = np.split(order, np.cumsum(sizes)[:-1])
    found = np.array([fixed + _excess(x, members, k) for x in columns])
    return np.asarray(np.maximum(found, 0))


def of_numbers(columns: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    """From distances in the plane of each feature and the numbers y."""
    n = len(y)
    k = min(k, n - 1)
    y = y / y.std()
    found = np.zeros(len(columns))
    for p, x in enumerate(columns):
        if x.any():
            found[p] = digamma(n) + _common(x / x.std(), y, k)
    return np.asarray(np.maximum(found, 0))


def _binned(x: np.ndarray, n_bins: int) -> np.ndarray:
    """Codes of the values, or of intervals with about as many rows each."""
    values, codes = np.unique(x, return_inverse=True)
    if len(values) <= n_bins:
        return codes
    last = -(-np.arange(1, n_bins) * len(x) // n_bins) - 1  # rows of all intervals but one
    return np.searchsorted(np.unique(np.sort(x)[last]), x, side="left")


def _from_shares(x: np.ndarray, y: np.ndarray) -> float:
    width = int(y.max()) + 1
    counts = np.bincount(x * width + y, minlength=(int(x.max()) + 1) * width)
    joint = counts.reshape(-1, width) / len(x)
    alone = joint.sum(axis=1)[:, None] * joint.sum(axis=0)
    cells = joint > 0
    information = np.sum(joint[cells] * np.log(joint[cells] / alone[cells]))
    return max(float(information), 0.0)


def _excess(x: np.ndarray, members: list[np.ndarray], k: int) -> float:
    """Mean of psi(k_i) - psi(m_i)."""
    every = np.sort(x)
    slack = _slack(x)
    total = 0.0
    for rows in members:
        own = np.sort(x[rows])
        reach = _kth_distance(own, min(k, len(own) - 1)) + slack
        near = digamma(_within(own, own, reach) - 1) - digamma(_within(every, own, reach) - 1)
        total += float(near.sum())
    return total / len(x)


def _kth_distance(ordered: np.ndarray, k: int) -> np.ndarray:
    """Distance of each of some ordered numbers to the k-th nearest of the others.

    The k nearest and the number itself stand side by side: the distance is the least reach
    of the windows of k + 1 numbers that it is in.
    """
    n = len(ordered)
    best = np.full(n, np.inf)
    for left in range(k + 1):
        start, stop = left, n - (k - left)
        middle = ordered[start:stop]
        low, high = ordered[: stop - start], ordered[k : k + stop - start]
        np.minimum(best[start:stop], np.maximum(middle - low, high - middle), out=best[start:stop])
    return best


def _within(ordered: np.ndarray, centers: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """How many of some ordered numbers are no further from each center than its reach."""
    upper = np.searchsorted(ordered, centers + reach, side="right")
    return np.asarray(upper - np.searchsorted(ordered, centers - reach, side="left"))


def _slack(x: np.ndarray) -> float:
    """By how much a distance may be wrong, as numbers are rounded."""
    return 4 * np.finfo(float).eps * float(np.abs(x).max())


def _common(x: np.ndarray, y: np.ndarray, k: int) -> float:
    """psi(k) - mean(psi(a_i + 1) + psi(b_i + 1))."""
    points = np.column_stack([x, y])
    tree = cKDTree(points)
    reach = np.asarray(tree.query(points, k=k + 1, p=np.inf)[0])[:, -1]
    slack = max(_slack(x), _slack(y))
    same = reach <= slack  # k or more rows are equal to these
    reach = np.where(same, slack, reach - slack)
    counts = [_within(np.sort(values), values, reach) for values in (x, y)]  # itself is one more
    joint = np.full(len(x), k)
    if same.any():
        equal = tree.query_ball_point(points[same], slack, p=np.inf, return_length=True)
        joint[same] = np.asarray(equal) - 1
        counts = [np.where(same, count - 1, count) for count in counts]
    return float(np.mean(digamma(joint) - digamma(counts[0]) - digamma(counts[1])))
