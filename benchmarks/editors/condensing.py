"""Condensing beside imbalanced-learn, and beside loops written from the definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from editing import overlapping
from imblearn.under_sampling import CondensedNearestNeighbour
from measure import Row, compare, within

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator


def rows() -> Iterator[Row]:
    """CNN, SNN and Gates' reduced set."""
    X, y = overlapping(5000)
    cnn, snn = ilk.editor("cnn"), ilk.editor("snn")
    few_X, few_y = X[:1000], y[:1000]
    peer = CondensedNearestNeighbour(sampling_strategy="all", random_state=0)
    kept = peer.fit_resample(few_X, few_y)
    yield compare(
        "cnn, 1000 x 20",
        "imbalanced-learn",
        None,
        lambda: cnn.fit_resample(few_X, few_y),
        lambda: peer.fit_resample(few_X, few_y),
        repeats=1,
        note=f"of its set {_consistency(*kept, few_X, few_y)}, of ours 100 % are right",
    )
    for n in (1000, 5000, 20_000):
        yield _condensing(n)
    yield within("snn, 5000 x 20", None, lambda: snn.fit_resample(X, y))
    for start in ("cnn", "all"):
        gates = ilk.editor("reduced_nn", start=start)
        yield within(
            f"reduced_nn from {start}, 1000 x 20",
            0.5,
            lambda gates=gates: gates.fit_resample(few_X, few_y),
        )


def _condensing(n: int) -> Row:
    X, y = overlapping(n)
    cnn = ilk.editor("cnn")
    cnn.fit_resample(X, y)
    same = np.array_equal(cnn.sample_indices_, condensed(X, y))
    return compare(
        f"cnn, {n} x 20",
        "plain numpy, by products",
        1,
        lambda: cnn.fit_resample(X, y),
        lambda: condensed(X, y),
        repeats=3,
        note="the same set" if same else "another set",
    )


def condensed(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Hart's rule, with the squared distance of each row to the nearest kept one."""
    squares = np.einsum("ij,ij->i", X, X)
    near, label = np.full(len(X), np.inf), np.full(len(X), -1)
    kept = np.zeros(len(X), dtype=bool)
    before = -1
    while before < np.count_nonzero(kept):
        before, i = np.count_nonzero(kept), 0
        while True:
            wrong = np.flatnonzero((label[i:] != y[i:]) & ~kept[i:])
            if not len(wrong):
                break
            i += wrong[0]
            kept[i] = True
            D = squares - 2 * (X @ X[i]) + squares[i]
            closer = near > D
            near[closer], label[closer] = D[closer], y[i]
            i += 1
    return np.flatnonzero(kept)


def _consistency(kept_X: np.ndarray, kept_y: np.ndarray, X: np.ndarray, y: np.ndarray) -> str:
    score = ilk.classifier("knn", k=1).fit(kept_X, kept_y).score(X, y)
    return f"{100 * score:.0f} %"
