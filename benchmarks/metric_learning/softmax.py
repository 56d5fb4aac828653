"""Soft votes: one loss with its gradient, and a whole fit of nca."""

from __future__ import annotations

import tracemalloc
import warnings
from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NeighborhoodComponentsAnalysis

import ilk
from ilk_learners.metric_learners.soft_votes import SoftVotes, expected_errors, one_column_each

if TYPE_CHECKING:
    from collections.abc import Iterator

N, P, CLASSES = 5000, 100, 10
ITERATIONS = 20


def rows() -> Iterator[Row]:
    """Yield a row for each kind of work."""
    rng = np.random.default_rng(0)
    y = rng.integers(CLASSES, size=N)
    X = rng.normal(size=(N, P)) + 0.3 * rng.normal(size=(CLASSES, P))[y]
    for dtype, target in ((np.float64, 2.2), (np.float32, 4.5)):
        yield _evaluation(X.astype(dtype), y, target)
    yield _fit(X, y)


def _evaluation(X: np.ndarray, y: np.ndarray, target: float) -> Row:
    Y = one_column_each(y, X.dtype)
    ours = SoftVotes(X, Y, expected_errors(Y))
    peer = NeighborhoodComponentsAnalysis()
    peer.n_iter_ = 0
    same = y[:, None] == y
    L = np.eye(P) * 0.1  # solvers work in float64, with which the peer computes it all
    tracemalloc.start()
    ours(L)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return compare(
        f"nca, loss and gradient at {N} x {P}, {X.dtype}",
        "scikit-learn",
        target,
        lambda: ours(L),
        lambda: peer._loss_grad_lbfgs(L.ravel(), X, same),
        note=f"extra memory {peak / 2**20:.0f} MB",
    )


def _fit(X: np.ndarray, y: np.ndarray) -> Row:
    options = {"max_iter": ITERATIONS, "tol": 0, "init": np.eye(P) * 0.06}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return compare(
            f"nca, {ITERATIONS} iterations at {N} x {P}",
            "scikit-learn",
            3,
            lambda: ilk.metric_learner("nca", **options).fit(X, y),
            lambda: NeighborhoodComponentsAnalysis(**options).fit(X, y),
            repeats=1,
            note="ours with its report",
        )
