"""Relevance measures beside scikit-learn's and skrebate's, at 2000 rows of 50 features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare
from sklearn.feature_selection import f_classif, mutual_info_classif, mutual_info_regression

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator


def rows() -> Iterator[Row]:
    """Yield a row for each measure that a peer has."""
    X, y = _classes(2000, 50)
    numbers = X[:, 0] + X[:, 1] ** 2
    near = ilk.relevance("mutual_information", estimator="neighbors")
    fisher = ilk.relevance("fisher")
    yield compare(
        "fisher",
        "scikit-learn f_classif",
        None,
        lambda: fisher.scores(X, y),
        lambda: f_classif(X, y),
    )
    yield compare(
        "mutual_information, neighbors, 3 classes",
        "scikit-learn mutual_info_classif",
        None,
        lambda: near.scores(X, y),
        lambda: mutual_info_classif(X, y, random_state=0),
        note=_apart(near.scores(X, y), mutual_info_classif(X, y, random_state=0)),
    )
    yield compare(
        "mutual_information, neighbors, numbers",
        "scikit-learn mutual_info_regression",
        None,
        lambda: near.scores(X, numbers),
        lambda: mutual_info_regression(X, numbers, random_state=0),
        note=_apart(near.scores(X, numbers), mutual_info_regression(X, numbers, random_state=0)),
    )
    yield from _relieff(X, y > 0)


def _relieff(X: np.ndarray, y: np.ndarray) -> Iterator[Row]:
    from skrebate import ReliefF

    ours, peer = ilk.relevance("relieff"), ReliefF(n_neighbors=10, n_features_to_select=2)
    note = _apart(ours.scores(X, y), np.maximum(peer.fit(X, y).feature_importances_, 0))
    yield compare(
        "relieff, 2 classes",
        "skrebate ReliefF",
        None,
        lambda: ours.scores(X, y),
        lambda: peer.fit(X, y),
        repeats=3,
        note=note,
    )


def _classes(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    return rng.normal(size=(n, p)) + 0.5 * y[:, None] * (np.arange(p) < 5), y


def _apart(ours: np.ndarray, theirs: np.ndarray) -> str:
    return f"scores differ by {np.abs(ours - theirs).max():.1g} at most"
