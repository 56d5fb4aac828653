"""Voting and stacking beside scikit-learn's, with the same members and with ilk's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measure import Row, compare
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

    import numpy as np


def rows() -> Iterator[Row]:
    """Yield rows of fits and predictions, on small data and on larger."""
    for n, p in ((150, 4), (5_000, 20)):
        yield from _of(n, p)


def _of(n: int, p: int) -> Iterator[Row]:
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
            yield compare(f"{work}, {method}", peer, 1, *calls, repeats=7)


def _repeated(model: object, method: str, X: np.ndarray) -> Callable[[], object]:
    """Several predictions of few rows, so that the clock's steps do not count."""
    return lambda: [getattr(model, method)(X) for _ in range(max(1_500 // len(X), 1))]
