"""Boosted bins (crab), beside the same in plain numpy and beside boosted stumps of peers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from lightgbm import LGBMClassifier
from measure import Row, compare
from xgboost import XGBClassifier

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS, THEIRS = 100, 10
BINS = 32


def rows() -> Iterator[Row]:
    """Yield rows for two classes and for seven."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 50))
    score = X[:, 7] + X[:, 3] ** 2 + rng.normal(size=len(X))
    two = (score > 1).astype(int)
    seven = np.searchsorted(np.quantile(score, np.arange(1, 7) / 7), score)
    crab = ilk.classifier("crab", n_bins=BINS, n_rounds=ROUNDS)
    stumps = {"n_estimators": ROUNDS, "max_depth": 1, "n_jobs": 1}
    peers = {
        "XGBoost, 100 stumps": XGBClassifier(tree_method="hist", max_bin=BINS, **stumps),
        "LightGBM, 100 stumps": LGBMClassifier(max_bin=BINS, verbose=-1, **stumps),
    }
    for what, y in (("2 classes", two), ("7 classes", seven)):
        work = f"crab, {ROUNDS} rounds, 20000 x 50, {what}"
        yield compare(
            work,
            "the same in plain numpy",
            10 if what == "2 classes" else 4,
            lambda y=y: crab.fit(X, y),
            lambda y=y: _plain(X, y),
            repeats=3,
            scale=ROUNDS / THEIRS,
        )
        for peer, model in peers.items():
            yield compare(
                work,
                peer,
                1,
                lambda y=y: crab.fit(X, y),
                lambda y=y, model=model: model.fit(X, y),
                repeats=3,
                note="binning included in both",
            )
    fitted = crab.fit(X, two)
    peer = XGBClassifier(tree_method="hist", max_bin=BINS, **stumps).fit(X, two)
    yield compare(
        "crab, scores of 20000 rows, 100 rounds",
        "XGBoost, 100 stumps",
        1,
        lambda: fitted.decision_function(X),
        lambda: peer.predict(X, output_margin=True),
    )


def _plain(X: np.ndarray, y: np.ndarray, epsilon: float = 0.01) -> list[np.ndarray]:
    """Scores of each class by as few as `THEIRS` rounds, counting with numpy's bincount."""
    low, high = X.min(axis=0), X.max(axis=0)
    bins = np.minimum((X - low) / (high - low) * BINS, BINS - 1).astype(np.intp).T
    classes = range(1, 2) if y.max() == 1 else range(y.max() + 1)
    scores = [np.zeros(len(X)) for _ in classes]
    for k, c in enumerate(classes):
        sign = np.where(y == c, 1.0, -1.0)
        d = np.full(len(X), 1 / len(X))
        for _ in range(THEIRS):
            plus = np.array([np.bincount(b, d * (sign > 0), BINS) for b in bins])
            minus = np.array([np.bincount(b, d * (sign < 0), BINS) for b in bins])
            f = np.sqrt(plus * minus).sum(axis=1).argmin()
            said = np.log((plus[f] + epsilon) / (minus[f] + epsilon))[bins[f]] / 2
            scores[k] += said
            d *= np.exp(-sign * said)
            d /= d.sum()
    return scores
