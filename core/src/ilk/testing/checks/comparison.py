"""Checks of comparisons: verdicts on differences that are there and on none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ilk.errors import InputError
from ilk.interfaces.comparison import Scores, Verdict
from ilk.testing.expectations import CheckFailed, expect, expect_error, expect_same
from ilk.testing.registered import check

if TYPE_CHECKING:
    from ilk.testing.subject import Subject

# What a comparison may ask for: a resampling, its repeats and folds, pipelines and datasets.
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


def _scores(design: _Design, effect: np.ndarray | None = None) -> Scores:
    """Return scores where pipelines differ by an effect, and by chance."""
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
    return Scores(
        table=pd.DataFrame(rows, columns=["dataset", "pipeline", "repeat", "fold", "value"]),
        measure="error",
        greater_is_better=False,
        resampling=resampling,
        pipelines=tuple(f"p{p}" for p in range(n_pipelines)),
        datasets=tuple(f"d{d}" for d in range(n_datasets)),
    )


def _apart(design: _Design) -> np.ndarray:
    return 0.1 * np.arange(design[3])


def _design(subject: Subject) -> _Design:
    """Return the first design that the comparison takes."""
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
    """`compare` gives a verdict with a probability and a text."""
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
    """Pipelines with the same scores are not different."""
    verdict = subject.new().compare(_scores(_design(subject)))
    expect(verdict.p_value > 0.5, f"expected no evidence (p > 0.5), got p = {verdict.p_value}")
    different = [pair for pair in verdict.pairs if pair["different"]]
    expect(not different, f"expected no pair that differs, got {different}")


@check("comparison")
def check_order_ignored(subject: Subject) -> None:
    """Pipelines, datasets and rows in another order give the same verdict."""
    design = _design(subject)
    scores = _scores(design, _apart(design))
    turned = Scores(
        table=scores.table.iloc[::-1].reset_index(drop=True),
        measure=scores.measure,
        greater_is_better=scores.greater_is_better,
        resampling=scores.resampling,
        pipelines=scores.pipelines[::-1],
        datasets=scores.datasets[::-1],
    )
    expected, got = subject.new().compare(scores), subject.new().compare(turned)
    expect_same(got.p_value, expected.p_value, "the p-value in another order", rtol=1e-6)
    expect_same(abs(got.statistic), abs(expected.statistic), "the statistic in another order")
    for name, rank in expected.ranks.items():
        expect_same(got.ranks[name], rank, f"the rank of {name} in another order")


@check("comparison")
def check_too_few_scores(subject: Subject) -> None:
    """One pipeline alone, or nothing but NaN, are errors that name the comparison."""
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
    """Scores that are NaN are refused, or the verdict says which data set was left out."""
    design = _design(subject)
    scores = _scores(design, _apart(design))
    scores.table.loc[scores.table["dataset"] == "d0", "value"] = np.nan
    try:
        verdict = subject.new().compare(scores)
    except InputError:
        return
    expect(np.isfinite(verdict.p_value), f"expected a p-value, got {verdict.p_value}")
    expect("d0" in verdict.text, f"expected the text to say what of d0, got {verdict.text!r}")
