"""Confusions, curves and areas of a million cases, beside scikit-learn and bootstraps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare, within
from sklearn.metrics import (
    confusion_matrix,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

import ilk
from ilk_evaluation import confusion, curves, intervals

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES, BOOTSTRAPS = 1_000_000, 10


def rows() -> Iterator[Row]:
    """Yield rows for a million cases."""
    rng = np.random.default_rng(0)
    yield from _confusions(rng)
    yield from _curves(rng)
    yield from _intervals(rng)


def _confusions(rng: np.random.Generator) -> Iterator[Row]:
    codes = rng.integers(0, 10, (2, CASES))
    names = {
        "whole numbers": np.arange(10),
        "letters": np.array(list("abcdefghij")),
        "texts of 6 characters": np.array([f"class{i}" for i in range(10)]),
    }
    for what, classes in names.items():
        prediction = ilk.Prediction(classes[codes[0]], classes[codes[1]], classes)
        yield within(
            f"confusion matrix, 1e6 labels of 10 classes, {what}",
            0.02,
            lambda prediction=prediction: confusion.confusion_matrix(prediction),
            repeats=9,
        )
    prediction = ilk.Prediction(*codes, np.arange(10))
    yield compare(
        "confusion matrix, 1e6 labels of 10 classes, whole numbers",
        "scikit-learn's confusion_matrix",
        None,
        lambda: confusion.confusion_matrix(prediction),
        lambda: confusion_matrix(*codes),
    )


def _scored(rng: np.random.Generator, n: int, digits: int) -> ilk.Prediction:
    truth = rng.integers(0, 2, n)
    scores = np.round(rng.normal(size=n) + truth, digits)
    columns = np.column_stack([-scores, scores])
    return ilk.Prediction(truth, truth, np.array([0, 1]), scores=columns)


def _curves(rng: np.random.Generator) -> Iterator[Row]:
    for what, digits in (("all different", 15), ("with many ties", 2)):
        prediction = _scored(rng, CASES, digits)
        assert prediction.scores is not None
        truth, scores = prediction.truth, np.ascontiguousarray(prediction.scores[:, 1])
        yield compare(
            f"ROC of 1e6 scores, {what}",
            "scikit-learn's roc_curve",
            1.0,
            lambda prediction=prediction: curves.roc(prediction),
            lambda truth=truth, scores=scores: roc_curve(truth, scores),
            note="ours with the area",
        )
        yield compare(
            f"precision and recall of 1e6 scores, {what}",
            "scikit-learn's precision_recall_curve",
            1.0,
            lambda prediction=prediction: curves.precision_recall(prediction),
            lambda truth=truth, scores=scores: precision_recall_curve(truth, scores),
            note="ours with the area",
        )


def _intervals(rng: np.random.Generator) -> Iterator[Row]:
    prediction = _scored(rng, 10_000, 15)
    assert prediction.scores is not None
    truth, scores = prediction.truth, prediction.scores[:, 1]

    def bootstrap() -> None:
        for _ in range(BOOTSTRAPS):
            drawn = rng.integers(0, len(truth), len(truth))
            roc_auc_score(truth[drawn], scores[drawn])

    yield compare(
        "interval of an area, 1e4 scores",
        "1000 bootstraps of scikit-learn's roc_auc_score",
        None,
        lambda: intervals.auc_interval(prediction),
        bootstrap,
        scale=1000 / BOOTSTRAPS,
    )
