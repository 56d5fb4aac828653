"""svm beside scikit-learn's SVC on its own radial basis function kernel.

Both have the same width, C, tolerance and strategy. The note of a row gives the largest relative
difference of the dual objectives of their machines.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from measure import Row, compare
from sklearn.datasets import load_digits
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator

PEER = "scikit-learn SVC(kernel='rbf')"
PEER_OVA = "scikit-learn OneVsRestClassifier(SVC(kernel='rbf'))"
C, TOL = 1.0, 1e-3


def rows() -> Iterator[Row]:
    """Yield two rows of drawn data, and of digits one against one and one against all."""
    for n, p in ((2000, 50), (5000, 100)):
        yield _fitted(f"svm fit, {n} x {p}, two classes", *_drawn(n, p))
    X, y = load_digits(return_X_y=True)
    yield _fitted("svm fit, digits, 45 pairs", X, y)
    yield _predicted("svm fit and predict, digits, 45 pairs", X, y)
    yield _fitted("svm fit, digits, one against all", X, y, strategy="ova")
    yield _predicted("svm fit and predict, digits, one against all", X, y, strategy="ova")


def _drawn(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, (X[:, :5].sum(axis=1) + 2 * rng.normal(size=n) > 0).astype(int)


def _sigma(X: np.ndarray) -> float:
    """Root of the mean squared distance of rows, from their variances."""
    return float(np.sqrt(2 * X.var(axis=0, ddof=1).sum()))


def _ours(X: np.ndarray, strategy: Any) -> Any:
    kernel = ilk.kernel("rbf", sigma=_sigma(X))
    return ilk.classifier("svm", kernel=kernel, C=C, tol=TOL, strategy=strategy)


def _theirs(X: np.ndarray, strategy: str) -> Any:
    svc = SVC(C=C, gamma=0.5 / _sigma(X) ** 2, tol=TOL)
    return svc if strategy == "ovo" else OneVsRestClassifier(svc)


def _fitted(work: str, X: np.ndarray, y: np.ndarray, strategy: str = "ovo") -> Row:
    ours, theirs = _ours(X, strategy), _theirs(X, strategy)
    apart = _difference(ours.fit(X, y), theirs.fit(X, y), X)
    return compare(
        work,
        PEER if strategy == "ovo" else PEER_OVA,
        1,
        lambda: ours.fit(X, y),
        lambda: theirs.fit(X, y),
        note=f"dual objectives differ by at most {apart:.1g} of them",
    )


def _predicted(work: str, X: np.ndarray, y: np.ndarray, strategy: str = "ovo") -> Row:
    ours, theirs = _ours(X, strategy).fit(X, y), _theirs(X, strategy).fit(X, y)
    same = float(np.mean(ours.predict(X) == theirs.predict(X)))
    return compare(
        work,
        PEER if strategy == "ovo" else PEER_OVA,
        1,
        lambda: ours.fit(X, y).predict(X),
        lambda: theirs.fit(X, y).predict(X),
        note=f"dual objectives differ by at most {_difference(ours, theirs, X):.1g} of them; "
        f"{same:.2%} of the predictions are the same",
    )


def _difference(ours: Any, theirs: Any, X: np.ndarray) -> float:
    """Largest difference of the machines' dual objectives, relative to the peer's."""
    K = ours.kernel_.gram(X)
    single = isinstance(theirs, SVC)
    found = list(_pairs(theirs, K)) if single else [_dual(m, K) for m in theirs.estimators_]
    return float(np.max(np.abs(ours.dual_objective_ / np.array(found) - 1)))


def _dual(svc: SVC, K: np.ndarray) -> float:
    return _objective(svc.dual_coef_[0], svc.support_, K)


def _pairs(svc: SVC, K: np.ndarray) -> Iterator[float]:
    """Dual objective of each pair: a class has a line of coefficients for each other one."""
    ends = np.concatenate([[0], np.cumsum(svc.n_support_)])
    own = [np.arange(*ends[i : i + 2]) for i in range(len(svc.classes_))]
    for a, b in combinations(range(len(own)), 2):
        if len(own) == 2:
            yield _dual(svc, K)
            return
        coef = np.concatenate([svc.dual_coef_[b - 1, own[a]], svc.dual_coef_[a, own[b]]])
        yield _objective(coef, svc.support_[np.concatenate([own[a], own[b]])], K)


def _objective(coef: np.ndarray, rows: np.ndarray, K: np.ndarray) -> float:
    return float(np.abs(coef).sum() - coef @ K[np.ix_(rows, rows)] @ coef / 2)
