"""lmnn beside pylmnn: time of a fit, and the error of the nearest neighbour on rows left out."""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

import numpy as np
from measure import Row, compare
from scipy.optimize import minimize
from sklearn.datasets import load_digits, make_classification
from sklearn.neighbors import KNeighborsClassifier

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def rows() -> Iterator[Row]:
    """Yield a row for each data set, as float64 and as float32."""
    peer = _pylmnn()
    for what, (X, y) in (("digits", _digits()), ("5000 x 100", _clusters())):
        for dtype in (np.float64, np.float32):
            yield _row(what, X.astype(dtype), y, peer)


def _row(what: str, X: np.ndarray, y: np.ndarray, peer: type[Any]) -> Row:
    ours = ilk.metric_learner("lmnn", n_neighbors=3, report=False)
    theirs = peer(n_neighbors=3, init="identity", random_state=0)
    left_out = np.arange(len(X)) % 2 == 1
    errors = [
        1
        - KNeighborsClassifier(1)
        .fit(model.transform(X[~left_out]), y[~left_out])
        .score(model.transform(X[left_out]), y[left_out])
        for model in (one.fit(X[~left_out], y[~left_out]) for one in (ours, theirs))
    ]
    return compare(
        f"lmnn, {what}, {X.dtype}",
        "pylmnn",
        1,
        lambda: ours.fit(X, y),
        lambda: theirs.fit(X, y),
        repeats=1,
        note=f"error of rows left out {errors[0]:.2%}, peer {errors[1]:.2%}",
    )


def _digits() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    scale = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(scale > 0, scale, 1), y


def _clusters() -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(
        5000, 100, n_informative=20, n_redundant=0, n_classes=5, class_sep=2.0, random_state=0
    )
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def _pylmnn() -> type[Any]:
    """pylmnn's learner, which as released runs with no current scipy, nor without GPyOpt."""
    for name in ("GPyOpt", "GPyOpt.methods"):
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules["GPyOpt.methods"].BayesianOptimization = None  # type: ignore[attr-defined]
    import pylmnn.lmnn

    def flat(fun: Callable[..., Any], x0: np.ndarray, **options: Any) -> Any:
        return minimize(fun, np.ravel(x0), **options)

    pylmnn.lmnn.minimize = flat
    return pylmnn.lmnn.LargeMarginNearestNeighbor
