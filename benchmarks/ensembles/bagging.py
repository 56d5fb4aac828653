"""Bagging and random subspaces beside scikit-learn's, with the same members."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare, one_thread
from sklearn.ensemble import BaggingClassifier, BaggingRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNTS = "its trees see each row drawn once, weighted by how often"
ROWS, COLUMNS, MEMBERS = 5_000, 20, 20


def rows() -> Iterator[Row]:
    """Yield rows for fitting, asking, and the error out of bag."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS))
    y = (X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=ROWS) > 0).astype(int)
    shape = f"{MEMBERS} members, {ROWS} x {COLUMNS}"
    with one_thread():
        yield from _trees(X, y, shape)
        yield from _many_members(X, y)
        yield compare(
            f"random_subspace, trees, {shape}: fit",
            "scikit-learn's BaggingClassifier, max_features",
            None,
            lambda: _ours("random_subspace", DecisionTreeClassifier(), MEMBERS).fit(X, y),
            lambda: BaggingClassifier(
                DecisionTreeClassifier(), MEMBERS, max_features=0.5, bootstrap=False, random_state=0
            ).fit(X, y),
            repeats=3,
        )
        number = y + X[:, 2]
        yield compare(
            f"bagging of regression trees, {shape}: fit",
            "scikit-learn's BaggingRegressor",
            None,
            lambda: ilk.regressor("bagging", n_members=MEMBERS, random_state=0).fit(X, number),
            lambda: BaggingRegressor(DecisionTreeRegressor(), MEMBERS, random_state=0).fit(
                X, number
            ),
            repeats=3,
            note=COUNTS,
        )


def _ours(name: str, member: object, n_members: int, *, oob_score: bool = False) -> ilk.Classifier:
    model: ilk.Classifier = ilk.classifier(
        name, member=member, n_members=n_members, oob_score=oob_score, random_state=0
    )
    return model


def _theirs(member: object, n_members: int, *, oob_score: bool = False) -> BaggingClassifier:
    return BaggingClassifier(member, n_members, oob_score=oob_score, random_state=0)


def _trees(X: np.ndarray, y: np.ndarray, shape: str) -> Iterator[Row]:
    scikit = "scikit-learn's BaggingClassifier"
    theirs = _theirs(DecisionTreeClassifier(), MEMBERS)
    for what, member in (("its trees", DecisionTreeClassifier()), ("decision_tree", None)):
        ours = _ours("bagging", member or "decision_tree", MEMBERS)
        fits = lambda o=ours: o.fit(X, y), lambda: theirs.fit(X, y)
        asks = lambda o=ours: o.predict_proba(X), lambda: theirs.predict_proba(X)
        labels = lambda o=ours: o.predict(X), lambda: theirs.predict(X)
        yield compare(f"bagging of {what}, {shape}: fit", scikit, 1, *fits, repeats=5)
        yield compare(f"bagging of {what}, {shape}: predict_proba", scikit, 1, *asks)
        yield compare(f"bagging of {what}, {shape}: predict", scikit, 1, *labels)


def _many_members(X: np.ndarray, y: np.ndarray) -> Iterator[Row]:
    """Members that cost little: what drawing and the error out of bag cost."""
    yield compare(
        f"bagging of naive Bayes, 100 members, {ROWS} x {COLUMNS}: fit, error out of bag",
        "scikit-learn's BaggingClassifier",
        None,
        lambda: _ours("bagging", GaussianNB(), 100, oob_score=True).fit(X, y),
        lambda: _theirs(GaussianNB(), 100, oob_score=True).fit(X, y),
        repeats=3,
    )
