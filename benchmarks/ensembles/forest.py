"""Random forests: growing, prediction, proximities and importances beside their peers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare
from scipy.sparse import csr_matrix
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.tree import DecisionTreeClassifier

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

N_TREES, TOP = 200, 20
NUMPY = "plain blocked numpy comparison"


def rows() -> Iterator[Row]:
    """Yield rows for 3000 cases and 200 trees, then for importances of 50 features."""
    X, y = make_classification(3000, 20, n_informative=8, n_classes=3, random_state=0)
    ours = ilk.classifier("random_forest", n_members=N_TREES, random_state=0).fit(X, y)
    theirs = RandomForestClassifier(N_TREES, oob_score=True, random_state=0).fit(X, y)
    size = f"3000 x 20, {N_TREES} trees"
    scikit = "scikit-learn's RandomForestClassifier"
    fits = lambda: ours.fit(X, y), lambda: theirs.fit(X, y)
    yield compare(f"fit with OOB error, {size}", scikit, 1, *fits, repeats=3)
    asks = lambda: ours.predict_proba(X), lambda: theirs.predict_proba(X)
    yield compare(f"predict_proba, {size}", scikit, 1, *asks)
    labels = lambda: ours.predict(X), lambda: theirs.predict(X)
    yield compare(f"predict, {size}", scikit, 1, *labels)
    yield from _tree(X, y)
    yield from _proximities(ours, "")
    shallow = ilk.classifier("random_forest", n_members=N_TREES, max_depth=3, random_state=0)
    yield from _proximities(shallow.fit(X, y), ", trees of depth 3")
    yield from _importances()


def _tree(X: np.ndarray, y: np.ndarray) -> Iterator[Row]:
    ours, theirs = ilk.classifier("decision_tree", random_state=0), DecisionTreeClassifier()
    scikit, size = "scikit-learn's DecisionTreeClassifier", "3000 x 20"
    fits = lambda: ours.fit(X, y), lambda: theirs.fit(X, y)
    yield compare(f"decision_tree: fit, {size}", scikit, 1, *fits, note="from exact ranks")
    asks = lambda: ours.predict(X), lambda: theirs.predict(X)
    yield compare(f"decision_tree: predict, {size}", scikit, 1, *asks)


def _proximities(forest: ilk.Classifier, what: str) -> Iterator[Row]:
    leaves = forest.leaves_
    work = f"proximities 3000 x 3000, {N_TREES} trees{what}"
    yield compare(work, NUMPY, 1, forest.proximities, _plain(leaves), repeats=3)
    yield compare(
        f"{work}, the {TOP} largest of each row",
        NUMPY,
        1,
        lambda: forest.proximities(top_k=TOP),
        _plain_largest(leaves),
        repeats=3,
    )


def _importances() -> Iterator[Row]:
    X, y = make_classification(3000, 50, n_informative=10, random_state=0)
    ours = ilk.classifier("random_forest", n_members=100, random_state=0).fit(X, y)
    theirs = RandomForestClassifier(100, random_state=0).fit(X, y)
    yield compare(
        "permutation importance, 3000 x 50, 100 trees",
        "scikit-learn's permutation_importance",
        1,
        lambda: ours.importances(X, y),
        lambda: permutation_importance(theirs, X, y, n_repeats=1),
        repeats=3,
        note="ours on the cases out of each bag, theirs on all by the whole forest",
    )


def _plain(leaves: np.ndarray) -> Callable[[], np.ndarray]:
    def proximities() -> np.ndarray:
        P = np.empty((len(leaves), len(leaves)))
        for start in range(0, len(leaves), 50):
            some = leaves[start : start + 50]
            P[start : start + 50] = (some[:, None] == leaves[None]).mean(axis=2)
        return P

    return proximities


def _plain_largest(leaves: np.ndarray) -> Callable[[], csr_matrix]:
    proximities = _plain(leaves)

    def largest() -> csr_matrix:
        P = proximities()
        best = np.argpartition(-P, TOP, axis=1)[:, :TOP]
        starts = np.arange(len(P) + 1) * TOP
        return csr_matrix((np.take_along_axis(P, best, 1).ravel(), best.ravel(), starts))

    return largest
