"""local_svm beside a loop that trains scikit-learn's SVC in the neighbourhood of each query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import SVC

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator

PEER = "loop of scikit-learn's SVC"


def rows() -> Iterator[Row]:
    """Yield a row where hardly a neighbourhood is pure, one where many are; then what is kept."""
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(5000, 20)), rng.normal(size=(300, 20))
    y = (X[:, 0] + 0.5 * X[:, 1] ** 2 > 0.5).astype(int)
    yield _row("5000 x 20, 300 queries", X, y, Q)
    digits, labels = load_digits(return_X_y=True)
    yield _row("digits, 300 queries", digits[300:], labels[300:], digits[:300])
    yield _row("digits, 300 queries, each 4 times", digits[300:], labels[300:], digits[:300], 4)


def _row(work: str, X: np.ndarray, y: np.ndarray, Q: np.ndarray, times: int = 1) -> Row:
    model = ilk.classifier("local_svm", k=5).fit(X, y)
    K = model.n_neighbors_
    agreeing = float(np.mean(model.predict(Q) == _loop(X, y, Q, K)))
    note = f"{model.n_pure_} pure, {model.n_trained_} trained, {agreeing:.1%} the same answers"

    def ours() -> None:
        model.fit(X, y)
        for _ in range(times):
            model.predict(Q)

    def theirs() -> None:
        _loop(X, y, Q, K)

    return compare(
        f"local_svm, {work}", PEER, 1, ours, theirs, repeats=3, scale=float(times), note=note
    )


def _loop(X: np.ndarray, y: np.ndarray, Q: np.ndarray, K: int, C: float = 10.0) -> np.ndarray:
    """One class against the rest, with the width of the neighbourhood; pure ones at once."""
    neighbors = NearestNeighbors(n_neighbors=K, algorithm="brute").fit(X)
    answers = np.empty(len(Q), dtype=y.dtype)
    for i, near in enumerate(neighbors.kneighbors(Q, return_distance=False)):
        labels, rows = y[near], X[near]
        present = np.unique(labels)
        if len(present) > 1:
            width = euclidean_distances(rows, squared=True).sum() / (K * (K - 1))
            svc = SVC(C=C, gamma=1 / (2 * width))
            if len(present) == 2:
                answers[i] = svc.fit(rows, labels).predict(Q[i : i + 1])[0]
                continue
            values = [
                svc.fit(rows, labels == c).decision_function(Q[i : i + 1])[0] for c in present
            ]
            present = present[np.argmax(values)]
        answers[i] = np.ravel(present)[0]
    return answers
