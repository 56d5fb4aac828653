"""Checks of measures: the best score, names of classes, and rejection."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.errors import InputError
from ilk.interfaces.prediction import Prediction
from ilk.testing.data import renamings
from ilk.testing.expectations import expect, expect_same
from ilk.testing.registered import check

if TYPE_CHECKING:
    from ilk.interfaces.measure import Measure
    from ilk.testing.subject import Subject


def _prediction(wrong: int, classes: int = 2, names: Any = None) -> Prediction:
    """Return a prediction of 24 cases, some of them wrong, with decreasing confidence."""
    codes = np.arange(24) % classes
    answers = codes.copy()
    answers[:wrong] = (answers[:wrong] + 1) % classes
    sure = np.linspace(0.7, 0.95, 24)[:, None]
    P = np.full((24, classes), 1.0) * (1 - sure) / (classes - 1)
    P[np.arange(24), answers] = sure[:, 0]
    labels = np.arange(classes) if names is None else np.unique(names)
    return Prediction(
        truth=labels[codes],
        labels=labels[answers],
        classes=labels,
        probabilities=P,
        scores=np.log(P),
        fit_seconds=0.5,
        predict_seconds=0.25,
        saved_seconds=0.125,
        reduction=0.5,
        silhouettes=np.where(codes == answers, 0.5, -0.25),
    )


@check("measure")
def check_value(subject: Subject) -> None:
    """The score is a finite float without side effects or dependence on earlier calls."""
    measure, prediction = subject.new(), _prediction(5)
    got = measure(prediction)
    expect(isinstance(got, float), f"expected a float, got {type(got).__name__}")
    expect(np.isfinite(got), f"expected a finite score, got {got}")
    measure(_prediction(8))
    expect_same(measure(_prediction(5)), got, "the score after that of another prediction")
    for name, expected in vars(_prediction(5)).items():
        if isinstance(expected, np.ndarray):
            expect_same(getattr(prediction, name), expected, f"{name} after scoring")


def _about_answers(measure: Measure) -> bool:
    return measure.needs not in {"rejected", "seconds", "reduction"}


def _about_support(measure: Measure) -> bool:
    return measure.needs in {"scores", "probabilities"}


@check("measure", when=lambda measure: measure.needs == "seconds")
def check_seconds(subject: Subject) -> None:
    """A measure of time grows with the seconds, and ignores the answers."""
    once = _prediction(5)
    twice = replace(_prediction(8), fit_seconds=1.0, predict_seconds=0.5, saved_seconds=0.25)
    got, expected = subject.new()(twice), 2 * subject.new()(once)
    expect_same(got, expected, "the score of twice the seconds")


@check("measure", when=lambda measure: measure.needs == "reduction")
def check_reduction_measured(subject: Subject) -> None:
    """A measure of reduction depends on the share that editors removed, not on the answers."""
    measure = subject.new()
    same, more = measure(_prediction(8)), measure(replace(_prediction(5), reduction=0.75))
    expect_same(same, measure(_prediction(5)), "the score of other answers")
    expect(more != same, f"expected another score than {same} for another share, got the same")


@check("measure", when=lambda measure: measure.needs == "rejected")
def check_rejection_measured(subject: Subject) -> None:
    """A measure of rejection depends on the rejected cases, not on the answers."""
    measure = subject.new()
    same, rejected = measure(_prediction(8)), np.arange(24) < 6
    expect_same(same, measure(_prediction(5)), "the score of other answers")
    more = measure(replace(_prediction(5), rejected=rejected))
    expect(more != same, f"expected another score than {same} with 6 of 24 rejected, got the same")


@check("measure", when=_about_answers)
def check_perfect_is_best(subject: Subject) -> None:
    """No prediction scores better than the perfect one, and an all-wrong one scores worse."""
    measure = subject.new()
    sign = 1 if measure.greater_is_better else -1
    best = measure(_prediction(0))
    for wrong in (3, 8, 24):
        got = measure(_prediction(wrong))
        expect(
            sign * got <= sign * best + 1e-12,
            f"expected at best {best}, the perfect score, with {wrong} of 24 wrong; got {got}",
        )
    expect(got != best, f"expected another score than {best} when all are wrong, got the same")


@check("measure", when=lambda measure: _about_answers(measure) and measure.needs != "numbers")
def check_score_ignores_names(subject: Subject) -> None:
    """Renaming the classes, in the same order, does not change the score."""
    expected = subject.new()(_prediction(5))
    for what, names in renamings(np.arange(2)):
        expect_same(subject.new()(_prediction(5, names=names)), expected, f"the score with {what}")


@check("measure", when=_about_answers)
def check_case_order(subject: Subject) -> None:
    """The order of the cases does not matter."""
    prediction = _prediction(5)
    order = np.random.default_rng(0).permutation(24)
    got = subject.new()(_chosen(prediction, order))
    expect_same(got, subject.new()(prediction), "the score of reordered cases")


def _chosen(prediction: Prediction, rows: np.ndarray) -> Prediction:
    assert prediction.probabilities is not None
    assert prediction.scores is not None
    return replace(
        prediction,
        truth=prediction.truth[rows],
        labels=prediction.labels[rows],
        probabilities=prediction.probabilities[rows],
        scores=prediction.scores[rows],
        silhouettes=prediction.silhouettes[rows],
        rejected=None,
        indices=None,
    )


@check("measure", when=_about_answers)
def check_rejected_not_counted(subject: Subject) -> None:
    """Rejected cases are ignored: the score is that of the answered ones."""
    prediction = _prediction(5)
    rejected = np.zeros(24, dtype=bool)
    rejected[[0, 1, 10, 17]] = True
    got = subject.new()(replace(prediction, rejected=rejected))
    expected = subject.new()(_chosen(prediction, np.flatnonzero(~rejected)))
    expect_same(got, expected, "the score with 4 of 24 rejected")


@check("measure", when=_about_answers)
def check_nothing_answered(subject: Subject) -> None:
    """If every case is rejected, the score is NaN; measures of scores may raise instead."""
    measure = subject.new()
    prediction = replace(_prediction(5), rejected=np.ones(24, dtype=bool))
    try:
        got = measure(prediction)
    except InputError:
        expect(_about_support(measure), "expected NaN where nothing is answered, got an InputError")
        return
    expect(np.isnan(got), f"expected NaN where nothing is answered, got {got}")


@check("measure", when=_about_support)
def check_lack_is_named(subject: Subject) -> None:
    """Without scores or probabilities that a measure needs, it raises an error that names them."""
    measure = subject.new()
    bare = replace(_prediction(5), probabilities=None, scores=None)
    try:
        got = measure(bare)
    except InputError as error:
        wanted = ("probabilities",) if measure.needs == "probabilities" else ("scores", "values")
        named = any(word in str(error) for word in wanted)
        expect(named, f"expected an error that names the missing attribute, got: {error}")
        return
    expect(False, f"expected an InputError for a pipeline that gives labels only, got {got}")


@check("measure")
def check_remarks(subject: Subject) -> None:
    """Remarks on a score are a sequence of sentences, empty for a perfect prediction."""
    measure = subject.new()
    got = measure.remarks(_prediction(0))
    expect(len(got) == 0, f"expected no remark about a perfect prediction, got {list(got)!r}")
    absent = replace(_prediction(5), classes=np.arange(3), probabilities=None, scores=None)
    remarks = measure.remarks(absent)
    right = not isinstance(remarks, str) and all(isinstance(one, str) for one in remarks)
    expect(right, f"expected a sequence of sentences, got {remarks!r}")
