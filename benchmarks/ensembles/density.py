"""DBSCAN beside scikit-learn's; ours takes any distance, and sorts neighbours on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare
from sklearn.cluster import DBSCAN

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator


def rows() -> Iterator[Row]:
    """Yield rows of neighbourhoods found by a tree and by brute force."""
    rng = np.random.default_rng(0)
    yield _row("20,000 x 3, radius 0.1", rng.normal(size=(20_000, 3)), 0.1, "kd_tree")
    yield _row("20,000 x 5, radius 0.5", rng.normal(size=(20_000, 5)), 0.5, "kd_tree")
    yield _row("5,000 x 40, radius 6", rng.normal(size=(5_000, 40)), 6.0, "brute")


def _row(what: str, X: np.ndarray, eps: float, index: str) -> Row:
    ours = ilk.clusterer("dbscan", eps=eps, index=index)
    theirs = DBSCAN(eps=eps, algorithm=index)
    same = np.array_equal(ours.fit(X).labels_, theirs.fit(X).labels_)
    return compare(
        f"DBSCAN by {index}, {what}",
        "scikit-learn DBSCAN",
        None,
        lambda: ours.fit(X),
        lambda: theirs.fit(X),
        repeats=3,
        note="the same labels" if same else "other labels",
    )
