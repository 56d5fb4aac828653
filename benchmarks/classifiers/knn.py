"""k-NN beside scikit-learn's, whose distances by expanded squares lose digits; and its votes."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from measure import Row, compare
from scipy.stats import mode
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.utils.extmath import weighted_mode

import ilk
from ilk_learners.votes import Ballot

if TYPE_CHECKING:
    from collections.abc import Iterator

SLOWEST = 1 / 1.3  # scikit-learn's time over ours


def rows() -> Iterator[Row]:
    """Yield rows of predictions, of votes alone, and of leaving each row out."""
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(50_000, 64)), rng.normal(size=(10_000, 64))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int) + (X[:, 3] > 1)
    for dtype in (np.float64, np.float32):
        for k in (1, 5):
            yield _predictions(X.astype(dtype), y, Q.astype(dtype), k)
    yield _numbers(X, X[:, 0] + X[:, 1] * X[:, 2], Q[:2000])
    yield _texts()
    yield from _votes()
    yield _leaving_out(X[:1000, :20], y[:1000])


def _predictions(X: np.ndarray, y: np.ndarray, Q: np.ndarray, k: int) -> Row:
    ours = ilk.classifier("knn", k=k).fit(X, y)
    theirs = KNeighborsClassifier(k).fit(X, y)
    return compare(
        f"{k}-NN, 10,000 queries in 50,000 x 64, {X.dtype}",
        "scikit-learn KNeighborsClassifier",
        SLOWEST,
        lambda: ours.predict(Q),
        lambda: theirs.predict(Q),
        repeats=3,
        note=_exactness(X.dtype, k),
    )


TEXTS = """
import numpy as np, scipy.sparse as sp

def texts(n=11_314, p=130_107, length=150):
    # words by Zipf's law; a quarter of a text are words of its class
    rng = np.random.default_rng(0)
    y, shares = rng.integers(0, 20, n), np.cumsum(1 / np.arange(1, p + 1) ** 0.9)
    rows = np.repeat(np.arange(n), rng.poisson(length, n) + 5)
    words = np.searchsorted(shares / shares[-1], rng.random(len(rows)))
    own = rng.random(len(rows)) < 0.25
    words[own] = (31 * words[own] + 6151 * y[rows[own]]) % p
    X = sp.csr_array((np.ones(len(rows)), (rows, words)), shape=(n, p))
    X.sum_duplicates()
    X.data = (1 + np.log(X.data)) * np.log(n / np.bincount(X.indices, minlength=p)[X.indices] + 1)
    cut = 6 * n // 10
    return X[:cut], y[:cut], X[cut:], y[cut:]
"""
PEAK = """
X, y, Q, _ = texts()
{model}.fit(X, y).predict(Q)
lines = dict(line.split(":") for line in open("/proc/self/status") if "VmHWM" in line)
print(int(lines["VmHWM"].split()[0]) / 1024)  # ru_maxrss begins with that of the parent
"""
OURS = "import ilk\nwith ilk.threads(1): ilk.classifier('knn', distance='cosine')"
THEIRS = (
    "from sklearn.neighbors import KNeighborsClassifier\n"
    "KNeighborsClassifier(5, metric='cosine', algorithm='brute')"
)


def _texts() -> Row:
    """Rows of the size of 20 newsgroups, which would take 11 GB if they were dense."""
    names: dict[str, Any] = {}
    exec(TEXTS, names)  # the same code runs in fresh processes
    X, y, Q, truth = names["texts"]()
    ours = ilk.classifier("knn", distance="cosine")
    theirs = KNeighborsClassifier(5, metric="cosine", algorithm="brute")
    same = np.mean(ours.fit(X, y).predict(Q) == theirs.fit(X, y).predict(Q))
    right = np.mean(ours.predict(Q) == truth)
    peaks = []
    for model in (OURS, THEIRS):
        code = TEXTS + PEAK.format(model=model)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        peaks.append(float(done.stdout))
    return compare(
        "5-NN by cosine of sparse rows, fit on 6788 x 130,107 and 4526 queries",
        "scikit-learn KNeighborsClassifier, brute",
        1,
        lambda: ours.fit(X, y).predict(Q),
        lambda: theirs.fit(X, y).predict(Q),
        repeats=7,
        note=(
            f"peak memory {peaks[0]:.0f} MiB, scikit-learn's {peaks[1]:.0f} MiB; {same:.1%} of "
            f"the answers the same, {right:.0%} right"
        ),
    )


def _exactness(dtype: np.dtype, k: int) -> str:
    """Say how often either finds the nearest of rows that are close but far from the origin."""
    rng = np.random.default_rng(0)
    far, step = (2.0**27, 1.0) if dtype == np.float64 else (2.0**14, 2.0**-9)
    X, Q = (far + step * rng.integers(0, 64, size=(n, 64)) for n in (2000, 200))
    squares = ((Q[:, None] - X[None]) ** 2).sum(axis=2)
    right = np.sort(squares, axis=1)[:, :k]
    X, Q = X.astype(dtype), Q.astype(dtype)
    labels = np.arange(len(X)) % 2
    found = []
    for search in (
        ilk.classifier("knn", k=k).fit(X, labels),
        KNeighborsClassifier(k).fit(X, labels),
    ):
        got = np.take_along_axis(squares, search.kneighbors(Q)[1], axis=1)
        found.append(np.mean((got == right).all(axis=1)))
    return f"of near rows far off, ours finds {found[0]:.0%} right, scikit-learn {found[1]:.0%}"


def _numbers(X: np.ndarray, y: np.ndarray, Q: np.ndarray) -> Row:
    ours = ilk.regressor("knn", k=20, vote="gaussian", width=8.0).fit(X, y)
    theirs = KNeighborsRegressor(20, weights=lambda d: np.exp(-(d**2) / 128)).fit(X, y)
    off = np.abs(ours.predict(Q[:100]) - theirs.predict(Q[:100])).max()
    return compare(
        "20-NN regression, Gaussian votes, 2000 queries in 50,000 x 64",
        "scikit-learn KNeighborsRegressor",
        SLOWEST,
        lambda: ours.predict(Q),
        lambda: theirs.predict(Q),
        repeats=3,
        note=f"predictions differ by {off:.0e} at most",
    )


def _votes() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    codes, near = rng.integers(0, 10, 50_000), rng.integers(0, 50_000, size=(100_000, 15))
    weights = rng.random(near.shape)
    ballot = Ballot(codes, 10, "nearest")
    yield compare(
        "15 votes of 100,000 queries on 10 classes",
        "scipy mode, as in scikit-learn",
        1,
        lambda: ballot.winners(near, None),
        lambda: mode(codes[near], axis=1),
        note="ours also tells ties and breaks them by the nearest",
    )
    same = ballot.winners(near[:1000], weights[:1000])[0]
    theirs = weighted_mode(codes[near[:1000]], weights[:1000], axis=1)[0][:, 0]
    yield compare(
        "15 weighted votes of 100,000 queries on 10 classes",
        "scikit-learn weighted_mode",
        1,
        lambda: ballot.winners(near, weights),
        lambda: weighted_mode(codes[near], weights, axis=1),
        note=f"{np.mean(same == theirs):.1%} of the winners the same",
    )


def _leaving_out(X: np.ndarray, y: np.ndarray) -> Row:
    ours, theirs = ilk.classifier("knn"), KNeighborsClassifier(5)
    folds, answers = cross_val_predict(theirs, X, y, cv=LeaveOneOut()), ours.leave_one_out(X, y)
    second, first = np.sort(answers.probabilities)[:, -2:].T
    same = np.mean((answers.labels == folds)[first > second])
    return compare(
        "5-NN, each of 1000 x 20 left out",
        "scikit-learn, a fit for each",
        100,
        lambda: ours.leave_one_out(X, y),
        lambda: cross_val_predict(theirs, X, y, cv=LeaveOneOut()),
        repeats=3,
        note=f"{same:.1%} of the labels that are no ties the same",
    )
