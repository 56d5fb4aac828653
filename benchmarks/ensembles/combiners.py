"""Rules of combination: the vote of labels beside voting classifiers, the others beside numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare
from mlxtend.classifier import EnsembleVoteClassifier
from sklearn.ensemble import VotingClassifier

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
    """Yield rows for labels, and for probabilities of 560 MB."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, CLASSES, (MEMBERS, CASES))
    yield from _votes(labels)
    outputs = rng.random((MEMBERS, CASES, CLASSES))
    outputs /= outputs.sum(axis=2, keepdims=True)
    yield from _rules(outputs)


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
