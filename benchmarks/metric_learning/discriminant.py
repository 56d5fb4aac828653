"""dann and adamenn beside the same formulas in numpy, a query at a time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

K0, K2, L, C = 40, 50, 20, 5.0  # the defaults of adamenn


def rows() -> Iterator[Row]:
    """Yield a row for each learner and size."""
    for n, p in ((1000, 20), (5000, 50)):
        rng = np.random.default_rng(0)
        X, Q = rng.normal(size=(n, p)), rng.normal(size=(200, p))
        y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int) + (X[:, 3] > 1)
        member = np.eye(3)[y]
        for diagonal in (True, False):
            learner = ilk.metric_learner("dann", diagonal=diagonal, floor=1e-9, report=False)
            metric = partial(_discriminant, X, member, diagonal)
            yield _row(f"dann, diagonal={diagonal}", learner.fit(X, y), metric, X, Q)
        learner = ilk.metric_learner("adamenn", report=False).fit(X, y)
        yield _row("adamenn", learner, partial(_chances, X, member), X, Q)


def _row(
    name: str,
    learner: ilk.LocalMetric,
    metric: Callable[..., np.ndarray],
    X: np.ndarray,
    Q: np.ndarray,
) -> Row:
    few = Q[:20]

    def theirs() -> np.ndarray:
        return np.array([_nearest(X, q, metric(q)) for q in few])

    same = np.mean(learner.kneighbors(few, 5)[1] == theirs())
    return compare(
        f"{name}, {X.shape[0]} x {X.shape[1]}, 5-NN of 200 queries",
        "numpy, a query at a time",
        1,
        lambda: learner.kneighbors(Q, 5),
        theirs,
        repeats=3,
        scale=len(Q) / len(few),
        note=f"{same:.1%} of the neighbours the same; of adamenn the fit is not counted",
    )


def _nearest(X: np.ndarray, q: np.ndarray, A: np.ndarray) -> np.ndarray:
    return np.argsort(np.sum(((X - q) @ A) * (X - q), axis=1), kind="stable")[:5]


def _discriminant(X: np.ndarray, member: np.ndarray, diagonal: bool, q: np.ndarray) -> np.ndarray:
    d = np.sqrt(np.sum((X - q) ** 2, axis=1))
    rows = np.argsort(d, kind="stable")[: max(len(X) // 5, 50)]
    w = (1 - (d[rows] / d[rows[-1]]) ** 3) ** 3
    w /= w.sum()
    near, shares = X[rows], member[rows] * w[:, None]
    prior = shares.sum(axis=0)
    means = (shares.T @ near) / np.maximum(prior, 1e-300)[:, None]
    apart = near - member[rows] @ means
    W = (apart * w[:, None]).T @ apart
    W = np.diag(np.diag(W)) if diagonal else W
    off = np.sqrt(prior)[:, None] * (means - prior @ means)
    inverse = np.linalg.inv(W)
    return np.asarray(inverse @ (off.T @ off) @ inverse + inverse)


def _chances(X: np.ndarray, member: np.ndarray, q: np.ndarray) -> np.ndarray:
    losses = np.zeros(X.shape[1])
    for z in np.argsort(np.sum((X - q) ** 2, axis=1), kind="stable")[:K0]:
        within = np.argsort(np.sum((X - X[z]) ** 2, axis=1), kind="stable")[:K2]
        apart = np.abs(X[within] - X[z])
        slab = (apart <= np.partition(apart, L - 1, axis=0)[L - 1]).astype(float)
        total = slab.sum(axis=0)[:, None]
        alone = slab.T @ member[within] / total
        losses += np.sum((member[z] - alone) ** 2 / np.maximum(alone, 0.5 / total), axis=1) / K0
    weights = np.exp(C * (losses.min() - losses))
    return np.diag(weights / weights.sum())
