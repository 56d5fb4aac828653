"""Decision stumps whose rows are sorted once, beside trees of depth one that sort each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUNDS, THEIRS = 100, 10


def rows() -> Iterator[Row]:
    """Yield rows for a single fit, sorted before or not, and for rounds of boosting."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 50))
    w = rng.random(len(X))
    two = (X[:, 7] + rng.normal(size=len(X)) > 0.3).astype(int)
    five = np.digitize(X[:, 7] + rng.normal(size=len(X)), [-1, -0.3, 0.3, 1])
    tree = DecisionTreeClassifier(max_depth=1)
    cases = [("2 classes, error", two, "error", 20), ("5 classes, error", five, "error", 10)]
    for what, y, criterion, target in [*cases, ("2 classes, gini", two, "gini", 10)]:
        stump = ilk.classifier("decision_stump", criterion=criterion)
        handle = stump.presort(X)
        yield compare(
            f"presorted fit, 20000 x 50, {what}",
            "scikit-learn's tree of depth 1",
            target,
            lambda stump=stump, y=y, handle=handle: stump.fit(X, y, w, presorted=handle),
            lambda y=y: tree.fit(X, y, sample_weight=w),
        )
    plain = ilk.classifier("decision_stump")
    yield compare(
        "fit with sorting, 20000 x 50",
        "scikit-learn's tree of depth 1",
        1,
        lambda: plain.fit(X, two, w),
        lambda: tree.fit(X, two, sample_weight=w),
    )
    boosted = AdaBoostClassifier(tree, n_estimators=THEIRS)
    yield compare(
        f"{ROUNDS} rounds of AdaBoost, 20000 x 50",
        "scikit-learn's AdaBoost",
        25,
        _rounds(X, two),
        lambda: boosted.fit(X, two),
        repeats=3,
        scale=ROUNDS / THEIRS,
        note="sorting and predicting included",
    )


def _rounds(X: np.ndarray, y: np.ndarray) -> Callable[[], float]:
    """Boosting as a plugin would write it, by what stumps offer; gives its training error."""

    def boost() -> float:
        stump = ilk.classifier("decision_stump")
        handle = stump.presort(X)
        weights, score = np.full(len(X), 1 / len(X)), np.zeros(len(X))
        for _ in range(ROUNDS):
            said = 2 * stump.fit(X, y, weights, presorted=handle).predict(X) - 1
            alpha = np.log((1 - stump.error_) / stump.error_) / 2
            score += alpha * said
            weights *= np.exp(-alpha * said * (2 * y - 1))
            weights /= weights.sum()
        return float(np.mean((score > 0) != y))

    return boost
