"""Edited nearest neighbours and its kin beside imbalanced-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imblearn.under_sampling import AllKNN, EditedNearestNeighbours
from measure import Row, compare
from sklearn.datasets import make_classification

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np


def overlapping(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Three classes in 20 features, one row in a hundred mislabelled."""
    X, y = make_classification(n, 20, n_informative=8, n_classes=3, random_state=0)
    return X, y


def rows() -> Iterator[Row]:
    """ENN, all k-NN, and repeated ENN beside one pass of our own."""
    X, y = overlapping(5000)
    enn, all_knn, renn = (ilk.editor(name) for name in ("enn", "all_knn", "renn"))
    peer = EditedNearestNeighbours(kind_sel="mode", sampling_strategy="all")
    yield compare(
        "enn, 5000 x 20",
        "imbalanced-learn, mode",
        0.667,
        lambda: enn.fit_resample(X, y),
        lambda: peer.fit_resample(X, y),
    )
    turns = AllKNN(kind_sel="mode", sampling_strategy="all", allow_minority=True)
    yield compare(
        "all_knn, 5000 x 20",
        "imbalanced-learn (by turns)",
        None,
        lambda: all_knn.fit_resample(X, y),
        lambda: turns.fit_resample(X, y),
    )
    renn.fit_resample(X, y)
    yield compare(
        "renn to its fixed point, 5000 x 20",
        "one pass of our enn",
        0.25,
        lambda: renn.fit_resample(X, y),
        lambda: enn.fit_resample(X, y),
        note=f"{renn.n_passes_} passes",
    )
