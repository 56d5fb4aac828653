"""Boosted stumps beside scikit-learn's, XGBoost's and LightGBM's; GentleBoost beside numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from lightgbm import LGBMClassifier
from measure import Row, compare
from sklearn.ensemble import AdaBoostClassifier, AdaBoostRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from xgboost import XGBClassifier

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUNDS, THEIRS = 100, 5
EVERY = "ours looks at every threshold"


def rows() -> Iterator[Row]:
    """Yield rows for 20,000 rows of 50 features, and for regression on fewer."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 50))
    noise = rng.normal(size=len(X))
    two = (X[:, 7] + noise > 0.3).astype(int)
    five = np.digitize(X[:, 7] + noise, [-1, -0.3, 0.3, 1])
    yield from _stumps(X, two, five)
    yield from _gentle(X, two, five)
    yield from _many_rows()
    y = X[:, 7] * X[:, 8] + noise
    tree = DecisionTreeRegressor(max_depth=3)
    ours = ilk.regressor("adaboost_r2", n_members=20, random_state=0)
    theirs = AdaBoostRegressor(tree, n_estimators=20, random_state=0)
    yield compare(
        "adaboost_r2, 20 trees of depth 3, 5000 x 10",
        "scikit-learn's AdaBoostRegressor",
        None,
        lambda: ours.fit(X[:5000, :10], y[:5000]),
        lambda: theirs.fit(X[:5000, :10], y[:5000]),
        repeats=3,
        note="the same trees",
    )


def _stumps(X: np.ndarray, two: np.ndarray, five: np.ndarray) -> Iterator[Row]:
    stump = DecisionTreeClassifier(max_depth=1)
    boosted = ilk.classifier("adaboost", n_members=ROUNDS)
    hist = {"n_estimators": ROUNDS, "max_depth": 1, "n_jobs": 1}
    sorting = AdaBoostClassifier(stump, n_estimators=THEIRS)
    peers: list[tuple[str, float, Callable[[np.ndarray], object], float]] = [
        (
            "scikit-learn's AdaBoostClassifier",
            25,
            lambda y: sorting.fit(X, y),
            ROUNDS / THEIRS,
        ),
        (
            "XGBoost, hist, depth 1",
            1,
            lambda y: XGBClassifier(tree_method="hist", **hist).fit(X, y),
            1,
        ),
        (
            "LightGBM, depth 1",
            1,
            lambda y: LGBMClassifier(num_leaves=2, verbose=-1, **hist).fit(X, y),
            1,
        ),
    ]
    for peer, target, fit, scale in peers:
        for what, y in (("2 classes", two), ("5 classes", five)):
            yield compare(
                f"adaboost, {ROUNDS} stumps, 20000 x 50, {what}",
                peer,
                target if y is two else None,
                lambda y=y: boosted.fit(X, y),
                lambda y=y, fit=fit: fit(y),
                repeats=3,
                scale=scale,
                note=EVERY,
            )
    yield from _predictions(X, two)


def _predictions(X: np.ndarray, two: np.ndarray) -> Iterator[Row]:
    few = X[:2000], two[:2000]
    stump = DecisionTreeClassifier(max_depth=1)
    peers = {
        "scikit-learn's AdaBoostClassifier": AdaBoostClassifier(stump, n_estimators=ROUNDS),
        "XGBoost, depth 1": XGBClassifier(n_estimators=ROUNDS, max_depth=1, n_jobs=1),
    }
    for name, rounds in (("adaboost", "n_members"), ("gentleboost", "n_rounds")):
        ours = ilk.classifier(name, **{rounds: ROUNDS}).fit(*few)
        for peer, theirs in peers.items():
            theirs.fit(*few)
            yield compare(
                f"{name}, predict by {ROUNDS} stumps, 20000 x 50",
                peer,
                1,
                lambda ours=ours: ours.predict(X),
                lambda theirs=theirs: theirs.predict(X),
            )


def _many_rows() -> Iterator[Row]:
    """Two classes of 100,000 rows: what a round costs, and what sorting does."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 50))
    y = (X[:, 7] + rng.normal(size=len(X)) > 0.3).astype(int)
    for rounds in (50, 200):
        ours = ilk.classifier("adaboost", n_members=rounds)
        theirs = XGBClassifier(tree_method="hist", n_estimators=rounds, max_depth=1, n_jobs=1)
        fits = lambda o=ours: o.fit(X, y), lambda t=theirs: t.fit(X, y)
        asks = lambda o=ours: o.predict(X), lambda t=theirs: t.predict(X)
        peer = "XGBoost, hist, depth 1"
        work = f"adaboost, {rounds} stumps, 100000 x 50"
        yield compare(f"{work}: fit", peer, 1, *fits, repeats=3, note=EVERY)
        yield compare(f"{work}: predict", peer, 1, *asks)


def _gentle(X: np.ndarray, two: np.ndarray, five: np.ndarray) -> Iterator[Row]:
    boosted = ilk.classifier("gentleboost", n_rounds=ROUNDS)
    for what, y, rounds in (("2 classes", two, THEIRS), ("5 classes", five, 1)):
        yield compare(
            f"gentleboost, {ROUNDS} rounds, 20000 x 50, {what}",
            "plain numpy, presorted too",
            5,
            lambda y=y: boosted.fit(X, y),
            lambda y=y, rounds=rounds: _plain_gentle(X, y, rounds),
            repeats=3,
            scale=ROUNDS / rounds,
        )


def _plain_gentle(X: np.ndarray, y: np.ndarray, n_rounds: int) -> np.ndarray:
    """Scores of each class against the rest; cumulative sums of all features at a time."""
    order = np.argsort(X, axis=0)
    classes = np.unique(y)[1:] if y.max() == 1 else np.unique(y)
    signs = np.where(y == classes[:, None], 1.0, -1.0)
    scores = np.zeros(signs.shape)
    for _ in range(n_rounds):
        for label, score in zip(signs, scores, strict=True):
            w = np.exp(-label * score)
            w /= w.sum()
            below, weight = (np.cumsum(v[order], axis=0) for v in (w * label, w))
            rest, left = below[-1] - below[:-1], weight[:-1]
            gain = below[:-1] ** 2 / left + rest**2 / (1 - left)
            place, f = np.unravel_index(gain.argmax(), gain.shape)
            low = X[:, f] <= X[order[place, f], f]
            for side in (low, ~low):
                score[side] += np.average(label[side], weights=w[side])
    return scores
