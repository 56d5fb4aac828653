"""Discriminants beside scikit-learn's, and leaving each case out without fitting again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare
from sklearn.base import clone
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SAMPLE = 20  # cases that are left out by fitting again, of all


def rows() -> Iterator[Row]:
    """Yield rows for fits, predictions and leaving out."""
    rng = np.random.default_rng(0)
    for n in (500, 5000):
        yield from _beside_peers(rng.normal(size=(n, 20)), rng.integers(0, 2, n))
    X, y = rng.normal(size=(5000, 100)), rng.integers(0, 5, 5000)
    yield from _beside_peers(X, y)
    for parameters in ({}, {"shrinkage": 0.2}, {"shrinkage": "auto"}):
        lda = ilk.classifier("lda", **parameters)
        what = ", ".join(f"{key}={value}" for key, value in parameters.items()) or "plain"
        yield compare(
            f"lda.leave_one_out, 5000 x 100, {what}",
            "lda, fitted again for each case",
            100,
            lambda lda=lda: lda.leave_one_out(X, y),
            _refitting(lda, X, y),
            scale=len(X) / SAMPLE,
            repeats=3,
        )
    yield compare(
        "lda.leave_one_out, 5000 x 100",
        "scikit-learn's, fitted again for each case",
        100,
        lambda: ilk.classifier("lda").leave_one_out(X, y),
        _refitting(LinearDiscriminantAnalysis(solver="lsqr"), X, y),
        scale=len(X) / SAMPLE,
        repeats=3,
    )


def _beside_peers(X: np.ndarray, y: np.ndarray) -> Iterator[Row]:
    """Yield rows of fit, predict and predict_proba, with the difference of probabilities."""
    size = f"{len(X)} x {X.shape[1]}"
    peers = {
        "lda": LinearDiscriminantAnalysis(solver="svd"),
        "qda": QuadraticDiscriminantAnalysis(),
        "naive_bayes": GaussianNB(),
        "logistic": LogisticRegression(max_iter=1000),
    }
    for name, theirs in peers.items():
        ours = ilk.classifier(name)
        yield compare(
            f"{name}: fit, {size}",
            type(theirs).__name__,
            1,
            lambda ours=ours: ours.fit(X, y),
            lambda theirs=theirs: theirs.fit(X, y),
            repeats=15,
        )
        apart = np.abs(ours.fit(X, y).predict_proba(X) - theirs.fit(X, y).predict_proba(X)).max()
        for method in ("predict", "predict_proba"):
            yield compare(
                f"{name}: {method}, {size}",
                type(theirs).__name__,
                1,
                lambda ours=ours, method=method: getattr(ours, method)(X),
                lambda theirs=theirs, method=method: getattr(theirs, method)(X),
                note=f"probabilities differ by at most {apart:.1g}",
                repeats=15,
            )


def _refitting(model: object, X: np.ndarray, y: np.ndarray) -> Callable[[], None]:
    def run() -> None:
        for i in range(SAMPLE):
            rest = np.arange(len(X)) != i
            clone(model).fit(X[rest], y[rest]).predict(X[i : i + 1])

    return run
