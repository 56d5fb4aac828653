"""Voting and stacking beside scikit-learn's with the same members; rules beside numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from measure import Row, compare
from mlxtend.classifier import EnsembleVoteClassifier
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CASES, MEMBERS, CLASSES = 1_000_000, 10, 7
FEW = 100_000  # of the cases, for peers that are slow


class Says:
    """A fitted member whose labels are known."""

    def __init__(self, labels: np.ndarray) -> None:
        self.labels = labels

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.labels[: len(X)]


def rows() -> Iterator[Row]:
    """Yield rows of ensembles, and of rules for labels, and for probabilities of 560 MB."""
    for n, p in ((150, 4), (5_000, 20)):
        yield from _ensembles(n, p)
    rng = np.random.default_rng(0)
    labels = rng.integers(0, CLASSES, (MEMBERS, CASES))
    yield from _votes(labels)
    outputs = rng.random((MEMBERS, CASES, CLASSES))
    outputs /= outputs.sum(axis=2, keepdims=True)
    yield from _rules(outputs)


def _ensembles(n: int, p: int) -> Iterator[Row]:
    """Fit and predict with members of scikit-learn, and with members of the same kinds of ilk."""
    X, y = make_classification(
        n,
        p,
        n_informative=p // 2,
        n_redundant=0,
        n_classes=3,
        n_clusters_per_class=1,
        random_state=0,
    )
    learner = LogisticRegression()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    tree = DecisionTreeClassifier(max_depth=5, random_state=0)
    alike = [GaussianNB(), LinearDiscriminantAnalysis(), KNeighborsClassifier()]
    for whose, members, peers in (
        ("scikit-learn", [*alike[:2], tree], [*alike[:2], tree]),
        ("ilk", ["naive_bayes", "lda", "knn"], alike),
    ):
        named = [(type(peer).__name__, peer) for peer in peers]
        options: dict[str, Any] = {"members": members, "random_state": 0}
        soft, hard = (ilk.classifier("voting", combiner=c, **options) for c in ("sum", "majority"))
        stacked = ilk.classifier("stacking", learner=learner, **options)
        for what, ours, theirs in (
            ("soft voting", soft, VotingClassifier(named, voting="soft")),
            ("hard voting", hard, VotingClassifier(named, voting="hard")),
            ("stacking", stacked, StackingClassifier(named, learner, cv=folds)),
        ):
            yield from _methods(f"{what}, members of {whose}, {n} x {p}", ours, theirs, X, y)


def _methods(work: str, ours: Any, theirs: Any, X: np.ndarray, y: np.ndarray) -> Iterator[Row]:
    peer = f"scikit-learn's {type(theirs).__name__}"
    yield compare(f"{work}, fit", peer, 1, lambda: ours.fit(X, y), lambda: theirs.fit(X, y))
    for method in ("predict", "predict_proba"):
        if hasattr(theirs, method):
            calls = [_repeated(model, method, X) for model in (ours, theirs)]
            yield compare(f"{work}, ten times {method}", peer, 1, *calls, repeats=15)


def _repeated(model: object, method: str, X: np.ndarray) -> Callable[[], object]:
    """Ten predictions, so that the clock's steps do not count."""
    return lambda: [getattr(model, method)(X) for _ in range(10)]


def _votes(labels: np.ndarray) -> Iterator[Row]:
    rule = ilk.combiner("majority")
    members, X = [Says(own) for own in labels], np.zeros((FEW, 1))
    voting = VotingClassifier([], voting="hard")
    voting.estimators_, voting.weights = members, None
    voting.le_ = _Names(CLASSES)
    mlxtend = EnsembleVoteClassifier(members, voting="hard", fit_base_estimators=False)
    mlxtend.clfs_, mlxtend.le_ = members, _Names(CLASSES)

    def ours() -> np.ndarray:
        return rule.decide(rule.combine_labels(labels, CLASSES))[0]

    def plain() -> np.ndarray:
        counts = np.zeros((CASES, CLASSES), dtype=np.int64)
        for k in range(CLASSES):
            counts[:, k] = (labels == k).sum(axis=0)
        return counts.argmax(axis=1)

    work = f"majority and decision, {CASES} x {MEMBERS} labels"
    for peer, target, theirs in (
        ("scikit-learn's VotingClassifier", 60, lambda: voting.predict(X)),
        ("mlxtend's EnsembleVoteClassifier", None, lambda: mlxtend.predict(X)),
    ):
        note = f"theirs on {FEW}"
        yield compare(work, peer, target, ours, theirs, repeats=3, scale=CASES / FEW, note=note)
    yield compare(work, "numpy, a class at a time", None, ours, plain, repeats=3)


class _Names:
    """Stands for an encoder of labels that are codes already."""

    def __init__(self, n_classes: int) -> None:
        self.classes_ = np.arange(n_classes)

    def inverse_transform(self, codes: np.ndarray) -> np.ndarray:
        return codes

    def transform(self, codes: np.ndarray) -> np.ndarray:
        return codes


def _rules(outputs: np.ndarray) -> Iterator[Row]:
    """Peers only reduce; ours check every value and divide by sums that are not 1."""
    reductions: list[tuple[str, str, Callable[[], np.ndarray], int]] = [
        ("sum", "outputs.mean(0)", lambda: outputs.mean(axis=0), 7),
        ("max", "outputs.max(0)", lambda: outputs.max(axis=0), 7),
        ("min", "outputs.min(0)", lambda: outputs.min(axis=0), 7),
        ("product", "outputs.prod(0)", lambda: outputs.prod(axis=0), 7),
        ("product", "log(outputs).sum(0)", lambda: np.log(outputs).sum(axis=0), 3),
        ("median", "median(outputs, 0)", lambda: np.median(outputs, axis=0), 1),
    ]
    shape = " x ".join(map(str, (CASES, MEMBERS, CLASSES)))
    for rule, peer, theirs, repeats in reductions:
        combiner = ilk.combiner(rule)
        yield compare(
            f"{rule}, {shape}",
            f"numpy, {peer}",
            1,
            lambda combiner=combiner: combiner.combine(outputs),
            theirs,
            repeats=repeats,
        )
    total = ilk.combiner("sum")
    yield compare(
        f"sum, {shape}",
        "numpy, checked and divided by its sums",
        1,
        lambda: total.combine(outputs),
        lambda: _checked(outputs).mean(axis=0),
        repeats=1,
    )


def _checked(outputs: np.ndarray) -> np.ndarray:
    if not (np.isfinite(outputs).all() and (outputs >= 0).all()):
        raise ValueError("no support")
    return outputs / outputs.sum(axis=2, keepdims=True)
