"""Local metrics beside the same algorithms in numpy, a query at a time, nothing sorted before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator

LEARNERS = {"boostml1": True, "boostml2": False, "machete": True, "scythe": False}
NEAR, SHARE, LEAST, KAPPA = 20, 0.8, 40, 0.01


def rows() -> Iterator[Row]:
    """Yield a row for each learner and size."""
    for n, p, few in ((1000, 20, 200), (5000, 50, 40)):
        rng = np.random.default_rng(0)
        X, Q = rng.normal(size=(n, p)), rng.normal(size=(400, p))
        y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int) + (X[:, 3] > 1)
        for name, single in LEARNERS.items():
            yield _row(name, single, X, y, Q, few)


def _row(name: str, single: bool, X: np.ndarray, y: np.ndarray, Q: np.ndarray, few: int) -> Row:
    learner = ilk.metric_learner(name, report=False).fit(X, y)
    logarithmic = name.startswith("boost")
    expected = _neighbors(X, y, Q[:few], 5, logarithmic, single)
    same = np.mean(learner.kneighbors(Q[:few], 5)[1] == expected)
    return compare(
        f"{name}, {X.shape[0]} x {X.shape[1]}, 5-NN of 400 queries",
        "numpy, a query at a time",
        5,
        lambda: learner.kneighbors(Q, 5),
        lambda: _neighbors(X, y, Q[:few], 5, logarithmic, single),
        repeats=3,
        scale=len(Q) / few,
        note=f"{same:.1%} of the neighbours the same; numpy rounds where features are as relevant",
    )


def _neighbors(
    X: np.ndarray, y: np.ndarray, Q: np.ndarray, k: int, logarithmic: bool, single: bool
) -> np.ndarray:
    member = np.eye(y.max() + 1)[y]
    return np.array([_nearest(X, member, q, k, logarithmic, single) for q in Q])


def _nearest(
    X: np.ndarray, member: np.ndarray, q: np.ndarray, k: int, logarithmic: bool, single: bool
) -> np.ndarray:
    region, weights = np.arange(len(X)), np.full(X.shape[1], 1 / X.shape[1])
    while len(region) > LEAST:
        apart = np.abs(X[region] - q)
        found = _relevances(apart, member[region], logarithmic)
        known = found.sum() > 0
        if known:
            weights = found / found.sum()
        values = apart[:, weights.argmax()] if single and known else apart**2 @ weights
        kept = max(LEAST, int(SHARE * len(region)))
        region = np.sort(region[np.argsort(values, kind="stable")[:kept]])
    values = (X[region] - q) ** 2 @ weights
    return region[np.argsort(values, kind="stable")[:k]]


def _relevances(apart: np.ndarray, member: np.ndarray, logarithmic: bool) -> np.ndarray:
    few = min(NEAR, len(apart) // 2)
    inside = (apart <= np.partition(apart, few - 1, axis=0)[few - 1]).astype(float)
    near, total = inside.T @ member, member.sum(axis=0)
    m = inside.sum(axis=0)[:, None]
    if not logarithmic:
        return ((near / m - total / len(apart)) ** 2).sum(axis=1)
    beyond = (total - near) / (len(apart) - m)
    return np.abs(0.5 * np.log((near / m + KAPPA) / (beyond + KAPPA))).sum(axis=1)
