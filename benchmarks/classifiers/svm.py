"""svm beside scikit-learn's SVC on its own radial basis function kernel.

Both have the same width, C, tolerance and strategy. The note of a row gives the largest relative
difference of the dual objectives of their machines.
"""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from measure import Row, compare
from sklearn.datasets import load_digits
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Gram = Callable[[np.ndarray], np.ndarray]

PEER = "scikit-learn SVC(kernel='rbf')"
PEER_OVA = "scikit-learn OneVsRestClassifier(SVC(kernel='rbf'))"
C, TOL = 1.0, 1e-3


def rows() -> Iterator[Row]:
    """Yield rows of drawn data, peaks of memory, and digits one against one and all."""
    for n, p, target in (
        (2000, 50, 1),
        (5000, 100, 1.2),
        (5000, 20, 1.2),
        (10_000, 20, 1.2),
        (20_000, 20, 1.2),
    ):
        yield _fitted(f"svm fit, {n} x {p}, two classes", *_drawn(n, p), target=target)
    yield _memory(10_000, 20)
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


def _fitted(
    work: str, X: np.ndarray, y: np.ndarray, strategy: str = "ovo", target: float = 1
) -> Row:
    ours, theirs = _ours(X, strategy), _theirs(X, strategy)
    apart = _difference(ours.fit(X, y), theirs.fit(X, y), X)
    return compare(
        work,
        PEER if strategy == "ovo" else PEER_OVA,
        target,
        lambda: ours.fit(X, y),
        lambda: theirs.fit(X, y),
        repeats=5 if len(X) <= 10_000 else 1,
        note=f"dual objectives differ by at most {apart:.1g} of them",
    )


_PEAK = """
import resource, sys
import numpy as np
sys.path[:0] = {path!r}
import svm
X, y = svm._drawn({n}, {p})
model = svm.{whose}(X, "ovo")
model.fit(X[:2100], y[:2100])
pages = int(open("/proc/self/statm").read().split()[1])
model.fit(X, y)
[peak] = [int(line.split()[1]) for line in open("/proc/self/status") if "VmHWM" in line]
print(peak / 1024 - pages * resource.getpagesize() / 2**20)
"""


def _memory(n: int, p: int) -> Row:
    """Peaks of memory above the process before the fit, each in a process of its own (Linux)."""
    peaks = {}
    for whose in ("_ours", "_theirs"):
        code = _PEAK.format(path=sys.path, n=n, p=p, whose=whose)
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        peaks[whose] = max(float(done.stdout), 1.0)
    note = (
        f"MiB: {peaks['_ours']:.0f}, the peer {peaks['_theirs']:.0f}; the ratio is 40 MiB to ours"
    )
    return Row(f"svm fit, {n} x {p}, memory", PEER, 1, 40 / peaks["_ours"], 0.0, note)


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

    def gram(rows: np.ndarray) -> np.ndarray:
        return np.asarray(ours.kernel_.gram(X[rows]))

    single = isinstance(theirs, SVC)
    found = list(_pairs(theirs, gram)) if single else [_dual(m, gram) for m in theirs.estimators_]
    return float(np.max(np.abs(ours.dual_objective_ / np.array(found) - 1)))


def _dual(svc: SVC, gram: Gram) -> float:
    return _objective(svc.dual_coef_[0], svc.support_, gram)


def _pairs(svc: SVC, gram: Gram) -> Iterator[float]:
    """Dual objective of each pair: a class has a line of coefficients for each other one."""
    ends = np.concatenate([[0], np.cumsum(svc.n_support_)])
    own = [np.arange(*ends[i : i + 2]) for i in range(len(svc.classes_))]
    for a, b in combinations(range(len(own)), 2):
        if len(own) == 2:
            yield _dual(svc, gram)
            return
        coef = np.concatenate([svc.dual_coef_[b - 1, own[a]], svc.dual_coef_[a, own[b]]])
        yield _objective(coef, svc.support_[np.concatenate([own[a], own[b]])], gram)


def _objective(coef: np.ndarray, rows: np.ndarray, gram: Gram) -> float:
    return float(np.abs(coef).sum() - coef @ gram(rows) @ coef / 2)
