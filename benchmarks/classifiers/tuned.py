"""Choosing C and sigma of a support vector machine by cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from measure import Row, compare
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator

COSTS = [1.0, 10.0, 100.0, 1000.0]
FOLDS = StratifiedKFold(5)


def rows() -> Iterator[Row]:
    """Yield a row for each grid."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=2000)
    X = rng.normal(size=(2000, 50)) + 0.35 * y[:, None]
    yield _search("C, 2 classes at 2000 x 50", 1.4, X, y, [10.0])
    yield _search("C and sigma, 2 classes at 1000 x 50", 1.4, X[:1000], y[:1000], [5.0, 10.0, 20.0])
    digits, labels = load_digits(return_X_y=True)
    yield _search("C, 10 classes, digits", None, digits[:900], labels[:900], [20.0])


def _search(work: str, target: float | None, X: Any, y: Any, sigmas: list[float]) -> Row:
    kernels = [{"use": "rbf", "sigma": sigma} for sigma in sigmas]
    strategy = "ovo" if len(np.unique(y)) > 2 else "ova"
    ours = ilk.classifier(
        "tuned",
        classifier={"use": "svm", "strategy": strategy},
        grid={"C": COSTS, "kernel": kernels},
        resampling=FOLDS,
    )
    grid = {"C": COSTS, "gamma": [0.5 / sigma**2 for sigma in sigmas]}
    peer = GridSearchCV(SVC(), grid, cv=FOLDS)
    same = np.allclose(1 - ours.fit(X, y).results_["mean"], _means(peer.fit(X, y)))
    return compare(
        f"tuned svm, {work}",
        "scikit-learn",
        target,
        lambda: ours.fit(X, y),
        lambda: peer.fit(X, y),
        repeats=3,
        note="same scores" if same else "scores differ",
    )


def _means(search: Any) -> Any:
    return search.cv_results_["mean_test_score"]
