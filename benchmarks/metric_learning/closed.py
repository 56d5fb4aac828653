"""Metric learners in closed form, beside plain ones that square and invert what ours do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare
from scipy.linalg import eigh
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def rows() -> Iterator[Row]:
    """Yield a row for each learner, without its report; then what the report takes."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5000, 100)), rng.integers(0, 5, 5000)
    yield _beside("rca", "plain: covariance, eigh", X, y, lambda: _rca(X, y), target=1)
    yield _beside("lda", "plain: covariances, eigh", X, y, lambda: _lda(X, y), target=1)
    theirs = LinearDiscriminantAnalysis(solver="svd")
    yield _beside("lda", "scikit-learn", X, y, lambda: theirs.fit(X, y), target=1)
    yield _beside("lfda", "plain: pairs by class, eigh", X, y, lambda: _lfda(X, y), target=1)
    whiten = PCA(whiten=True, svd_solver="full")
    yield _beside(
        "whitening", "scikit-learn PCA(whiten=True)", X, y, lambda: whiten.fit(X), target=1
    )
    plain = ilk.metric_learner("rca", report=False)
    with_report = ilk.metric_learner("rca")
    yield compare(
        "rca with its report, 5000 x 100",
        "without",
        None,
        lambda: with_report.fit(X, y),
        lambda: plain.fit(X, y),
    )


def _beside(
    name: str,
    peer: str,
    X: np.ndarray,
    y: np.ndarray,
    theirs: Callable[[], object],
    *,
    target: float,
) -> Row:
    learner = ilk.metric_learner(name, report=False)
    return compare(
        f"{name}, 5000 x 100", peer, target, lambda: learner.fit(X, y), theirs, repeats=9
    )


def _deviations(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    means = np.array([X[y == c].mean(axis=0) for c in np.unique(y)])
    return means, X - means[y]


def _rca(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    _, D = _deviations(X, y)
    values, vectors = np.linalg.eigh(D.T @ D / len(X))
    return (vectors / np.sqrt(values)) @ vectors.T


def _lda(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    means, D = _deviations(X, y)
    M = (means - X.mean(axis=0)) * np.sqrt(np.bincount(y) / len(X))[:, None]
    return eigh(M.T @ M, D.T @ D / len(X))[1].T[::-1][: len(means) - 1]


def _lfda(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    n, p = X.shape
    W, G = np.zeros((p, p)), np.zeros((p, p))
    for c in np.unique(y):
        Z = X[y == c]
        lengths = (Z**2).sum(axis=1)
        squares = np.maximum(lengths[:, None] + lengths - 2 * Z @ Z.T, 0)
        sigma = np.sqrt(np.partition(squares, 7, axis=1)[:, 7])
        A = np.exp(-squares / np.outer(sigma, sigma))
        S = Z.T @ (A.sum(axis=1)[:, None] * Z) - Z.T @ A @ Z
        total = Z.sum(axis=0)
        G += S / n + (1 - len(Z) / n) * Z.T @ Z + np.outer(total, total) / n
        W += S / len(Z)
    total = X.sum(axis=0)
    return eigh(G - np.outer(total, total) / n - W, W)[1].T[::-1]
