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
from sklearn.naive_bayes import GaussianNB

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SAMPLE = 20  # cases that are left out by fitting again, of all


def rows() -> Iterator[Row]:
    """Yield rows for fits, predictions and leaving out."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5000, 100)), rng.integers(0, 5, 5000)
    peers = {
        "lda": LinearDiscriminantAnalysis(solver="svd"),
        "qda": QuadraticDiscriminantAnalysis(),
        "naive_bayes": GaussianNB(),
    }
    for name, theirs in peers.items():
        ours = ilk.classifier(name)
        yield compare(
            f"{name}: fit, 5000 x 100",
            type(theirs).__name__,
            1,
            lambda ours=ours: ours.fit(X, y),
            lambda theirs=theirs: theirs.fit(X, y),
        )
        ours.fit(X, y)
        theirs.fit(X, y)
        yield compare(
            f"{name}: predict_proba, 5000 x 100",
            type(theirs).__name__,
            None,
            lambda ours=ours: ours.predict_proba(X),
            lambda theirs=theirs: theirs.predict_proba(X),
            note="ours brings X near the origin first",
        )
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


def _refitting(model: object, X: np.ndarray, y: np.ndarray) -> Callable[[], None]:
    def run() -> None:
        for i in range(SAMPLE):
            rest = np.arange(len(X)) != i
            clone(model).fit(X[rest], y[rest]).predict(X[i : i + 1])

    return run
