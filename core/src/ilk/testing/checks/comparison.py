"""Checks of comparisons: verdicts on true and on absent differences."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.errors import InputError
from ilk.interfaces.comparison import Comparison, Scores, Verdict
from ilk.interfaces.prediction import Prediction
from ilk.testing.expectations import CheckFailed, expect, expect_error, expect_same
from ilk.testing.registered import check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd

    from ilk.testing.subject import Subject

# A design is a resampling, its repeats and folds, pipelines and datasets.
_DESIGNS = (
    ("repeated_kfold", 2, 5, 3, 12),
    ("repeated_kfold", 2, 5, 2, 12),
    ("five_by_two", 5, 2, 2, 1),
    ("five_by_two", 5, 2, 2, 12),
    ("repeated_kfold", 10, 10, 2, 1),
    ("random_subsampling", 15, 1, 2, 1),
    ("kfold", 1, 10, 2, 1),
)
_Design = tuple[str, int, int, int, int]
_N_CASES = 100  # test cases of each cell


def _scores(design: _Design, effect: np.ndarray | None = None) -> Scores:
    """Return scores in which pipelines differ by an effect plus noise."""
    import pandas as pd

    resampling, repeats, folds, n_pipelines, n_datasets = design
    rng = np.random.default_rng(0)
    shift = np.zeros(n_pipelines) if effect is None else effect
    noise = 0.01 if np.any(shift) else 0.0
    rows = [
        (f"d{d}", f"p{p}", r, f, 0.2 + 0.02 * d + shift[p] + noise * rng.normal())
        for d in range(n_datasets)
        for p in range(n_pipelines)
        for r in range(repeats)
        for f in range(folds)
    ]
    table = pd.DataFrame(rows, columns=["dataset", "pipeline", "repeat", "fold", "value"])
    n_train = _N_CASES * (folds - 1 if folds > 1 else 2)
    splits = table[["dataset", "repeat", "fold"]].drop_duplicates(ignore_index=True)
    return _with_predictions(
        Scores(
            table=table,
            measure="error",
            greater_is_better=False,
            resampling=resampling,
            pipelines=tuple(f"p{p}" for p in range(n_pipelines)),
            datasets=tuple(f"d{d}" for d in range(n_datasets)),
            sizes=splits.assign(n_train=n_train, n_test=_N_CASES),
        )
    )


def _with_predictions(scores: Scores) -> Scores:
    """Return the scores with predictions of matching error rates; none for NaN."""

    def predictions(dataset: str, pipeline: str) -> Iterator[tuple[int, int, Prediction]]:
        table = scores.table
        mine = (table["dataset"] == dataset) & (table["pipeline"] == pipeline)
        for cell in table[mine].dropna().itertuples():
            cases = np.arange(_N_CASES)
            truth = cases % 2
            wrong = cases < round(_N_CASES * float(str(cell.value)))
            at: tuple[int, int] = (int(str(cell.repeat)), int(str(cell.fold)))
            indices = _N_CASES * at[1] + cases
            labels = np.where(wrong, 1 - truth, truth)
            yield *at, Prediction(truth, labels, np.arange(2), indices=indices)

    return replace(scores, predictions=predictions)


def _with_table(scores: Scores, table: pd.DataFrame, **changes: Any) -> Scores:
    return _with_predictions(replace(scores, table=table, **changes))


def _pairs(verdict: Verdict) -> dict[Any, Mapping[str, Any]]:
    """Return the pairs by their two names, in any order, and the dataset."""
    return {(frozenset((p["a"], p["b"])), p.get("dataset")): p for p in verdict.pairs}


def _apart(design: _Design) -> np.ndarray:
    return 0.1 * np.arange(design[3])


def _design(subject: Subject) -> _Design:
    """Return the first design that the comparison accepts."""
    reasons = []
    for design in _DESIGNS:
        try:
            subject.new().compare(_scores(design, _apart(design)))
        except InputError as error:
            reasons.append(str(error))
        else:
            return design
    raise CheckFailed(f"expected a design that it takes, got refusals: {reasons}")


@check("comparison")
def check_verdict(subject: Subject) -> None:
    """`compare` returns a verdict with a probability and a text."""
    design = _design(subject)
    scores = _scores(design, _apart(design))
    verdict = subject.new().compare(scores)
    expect(isinstance(verdict, Verdict), f"expected a Verdict, got {type(verdict).__name__}")
    expect(0 <= verdict.p_value <= 1, f"expected a p-value within 0..1, got {verdict.p_value}")
    expect(verdict.text.strip(), f"expected a text, got {verdict.text!r}")
    expect(verdict.measure == "error", f"expected measure 'error', got {verdict.measure!r}")
    strange = set(verdict.ranks) - set(scores.pipelines)
    expect(not strange, f"expected ranks of pipelines, got {strange}")


@check("comparison")
def check_clear_difference(subject: Subject) -> None:
    """Pipelines that differ by ten times the noise get a smaller p-value than equal ones."""
    design = _design(subject)
    apart = subject.new().compare(_scores(design, _apart(design)))
    if apart.ranks:
        best = min(apart.ranks, key=lambda name: apart.ranks[name])
        expect(best == "p0", f"expected rank 1 for p0, which errs least, got it for {best}")
    for pair in apart.pairs:
        for key in ("a", "b", "effect", "p_value", "different"):
            expect(key in pair, f"expected {key!r} of each pair, got {sorted(pair)}")
    expect(apart.p_value < 0.2, f"expected a small p-value, got {apart.p_value}")


@check("comparison")
def check_no_difference(subject: Subject) -> None:
    """Pipelines with equal scores are not different."""
    verdict = subject.new().compare(_scores(_design(subject)))
    expect(verdict.p_value >= 0.5, f"expected no evidence (p >= 0.5), got p = {verdict.p_value}")
    different = [pair for pair in verdict.pairs if pair["different"]]
    expect(not different, f"expected no pair that differs, got {different}")


@check("comparison")
def check_order_ignored(subject: Subject) -> None:
    """The order of pipelines, datasets and rows does not change the verdict."""
    design = _design(subject)
    scores = _scores(design, _apart(design))
    turned = _with_table(
        scores,
        scores.table.iloc[::-1].reset_index(drop=True),
        pipelines=scores.pipelines[::-1],
        datasets=scores.datasets[::-1],
    )
    before = scores.table.copy()
    expected, got = subject.new().compare(scores), subject.new().compare(turned)
    expect(scores.table.equals(before), "expected the scores unchanged, got others")
    expect_same(got.p_value, expected.p_value, "the p-value in another order", rtol=1e-6)
    expect_same(abs(got.statistic), abs(expected.statistic), "the statistic in another order")
    for name, rank in expected.ranks.items():
        expect_same(got.ranks[name], rank, f"the rank of {name} in another order")
    others = _pairs(got)
    for key, pair in _pairs(expected).items():
        other = others[key]
        sign = 1 if other["a"] == pair["a"] else -1
        which = f"of {pair['a']} and {pair['b']} in another order"
        expect_same(sign * other["effect"], pair["effect"], f"the effect {which}")
        expect_same(other["p_value"], pair["p_value"], f"the p-value {which}", rtol=1e-6)


@check("comparison")
def check_direction(subject: Subject) -> None:
    """Errors, and their complements with greater being better, give the same verdict."""
    design = _design(subject)
    scores = _scores(design, _apart(design))
    right = scores.table.assign(value=1 - scores.table["value"])
    turned = replace(scores, table=right, measure="accuracy", greater_is_better=True)
    expected, got = subject.new().compare(scores), subject.new().compare(turned)
    expect_same(got.p_value, expected.p_value, "the p-value of complements", rtol=1e-6)
    for name, rank in expected.ranks.items():
        expect_same(got.ranks[name], rank, f"the rank of {name} by complements")


@check("comparison")
def check_too_few_scores(subject: Subject) -> None:
    """A single pipeline, or only NaN, are errors that name the comparison."""
    design = _design(subject)
    alone = (*design[:3], 1, design[4])
    failed = _scores(design)
    failed.table["value"] = np.nan
    for what, scores in (("scores of one pipeline", _scores(alone)), ("only NaN", failed)):
        expect_error(
            lambda: subject.new().compare(scores),  # noqa: B023  # called before the next turn
            what,
            errors=InputError,
            mentions=[subject.names()[0]],
        )


@check("comparison")
def check_failed_cells(subject: Subject) -> None:
    """NaN scores are refused, or the verdict names the excluded data set."""
    design = _design(subject)
    scores = _scores(design, _apart(design))
    scores.table.loc[scores.table["dataset"] == "d0", "value"] = np.nan
    try:
        verdict = subject.new().compare(scores)
    except InputError:
        return
    expect(np.isfinite(verdict.p_value), f"expected a p-value, got {verdict.p_value}")
    expect("d0" in verdict.text, f"expected the text to say what of d0, got {verdict.text!r}")


@check("comparison")
def check_one_missing_score(subject: Subject) -> None:
    """A data set with a missing cell is refused or left out for all pipelines, and named."""
    design = _design(subject)
    scores = _scores(design, _apart(design))
    table = scores.table
    without = table[table["dataset"] != "d0"]
    for what, lost in (
        ("NaN", table.assign(value=table["value"].mask(table.index == 0))),
        ("not there", table.drop(index=0)),
    ):
        try:
            got = subject.new().compare(_with_table(scores, lost))
        except InputError:
            continue
        expect("d0" in got.text, f"expected the text to say what of d0, got {got.text!r}")
        expected = subject.new().compare(_with_table(scores, without, datasets=scores.datasets[1:]))
        expect_same(got.p_value, expected.p_value, f"the p-value where a score is {what}")
        for name, rank in expected.ranks.items():
            expect_same(got.ranks[name], rank, f"the rank of {name} where a score is {what}")


@check("comparison", when=lambda comparison: type(comparison).plot is not Comparison.plot)
def check_plot(subject: Subject) -> None:
    """`plot` draws a verdict on new or given axes, and returns them."""
    if find_spec("matplotlib") is None:
        return
    design = _design(subject)
    for scores in (_scores(design, _apart(design)), _scores(design)):
        comparison = subject.new()
        verdict = comparison.compare(scores)
        ax = comparison.plot(verdict)
        expect(ax.has_data() or ax.texts, "expected something to be drawn")
        same = comparison.plot(verdict, ax)
        expect(same is ax, f"expected the axes that were given, got {same!r}")
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is not None:  # keeps every figure until it is closed
            pyplot.close(ax.figure)
