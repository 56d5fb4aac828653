"""Condensing beside imbalanced-learn, and beside loops written from the definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from editing import overlapping
from imblearn.under_sampling import CondensedNearestNeighbour
from measure import Row, compare, within

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np


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
    yield within("cnn, 5000 x 20", 0.3, lambda: cnn.fit_resample(X, y))
    yield within("snn, 5000 x 20", None, lambda: snn.fit_resample(X, y))
    for start in ("cnn", "all"):
        gates = ilk.editor("reduced_nn", start=start)
        yield within(
            f"reduced_nn from {start}, 1000 x 20",
            0.5,
            lambda gates=gates: gates.fit_resample(few_X, few_y),
        )


def _consistency(kept_X: np.ndarray, kept_y: np.ndarray, X: np.ndarray, y: np.ndarray) -> str:
    score = ilk.classifier("knn", k=1).fit(kept_X, kept_y).score(X, y)
    return f"{100 * score:.0f} %"
