"""Paired scores: complete data sets, common splits, and differences of scores."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

import ilk
from ilk_evaluation.comparisons.pairwise import Pair, pairs_by_dataset, pairs_of
from ilk_evaluation.comparisons.verdict_text import list_some

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd


def names(owner: object, results: ilk.Scores, least: int = 2) -> tuple[list[str], list[str]]:
    """Return the names of the data sets and of the pipelines, at least two or as given.

    Raises
    ------
    InputError
        If there are fewer, no scores of single splits, or duplicate names.
    """
    table = results.table
    if not {"dataset", "pipeline", "repeat", "fold"} <= set(table.columns):
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: needs the scores of single splits, there are none"
        )
    datasets = list(results.datasets) or list(dict.fromkeys(table["dataset"]))
    pipelines = list(results.pipelines) or list(dict.fromkeys(table["pipeline"]))
    if len(pipelines) < least:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: there is {len(pipelines)} pipeline, at least {least} are "
            f"needed to compare"
        )
    check_unlike(owner, pipelines, datasets)
    return datasets, pipelines


def check_unlike(owner: object, pipelines: Iterable[object], datasets: Iterable[object]) -> None:
    """Raise InputError if two pipelines or two data sets have the same name."""
    for what, labels in (("pipeline", pipelines), ("data set", datasets)):
        name, number = Counter(labels).most_common(1)[0]
        if number > 1:
            raise ilk.InputError(
                f"{ilk.display_name(owner)}: there are {number} {what}s by the name {name}"
            )


Splits = tuple["pd.DataFrame", list[Pair]]


def by_split(
    owner: object, results: ilk.Scores, baseline: str | None
) -> tuple[dict[str, Splits], tuple[str, ...]]:
    """Return, by data set, the scores to be tested, and a list of exclusions.

    Each table has repeats and folds by the pipelines without missing scores, and comes with the
    testable pairs.

    Raises
    ------
    InputError
        Names the comparison, if there are fewer than two pipelines, no data set on which both of
        a pair have all scores, only scores pooled over a repeat, infinite scores, or two scores
        of one split.
    """
    datasets, pipelines = names(owner, results)
    if (results.table["fold"] < 0).any():
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {results.measure} is pooled over the folds of a repeat; "
            f"a measure with a score for each split is needed"
        )
    means = results.matrix().reindex(index=datasets, columns=pipelines)
    _check_single(owner, results.table)
    tables = {}
    for dataset in datasets:
        cells = results.table[results.table["dataset"] == dataset]
        wide = cells.pivot(index=["repeat", "fold"], columns="pipeline", values="value")
        wide = wide.reindex(columns=pipelines).sort_index()
        complete = wide.notna().all() & means.loc[dataset].notna() & bool(len(wide))
        tables[dataset] = wide.loc[:, complete]
        check_finite(owner, tables[dataset], results.measure, dataset)
    pairs, dropped = pairs_by_dataset(
        owner,
        pairs_of(owner, pipelines, baseline),
        datasets,
        lambda dataset, pair: set(pair) <= set(tables[dataset]),
    )
    return {dataset: (tables[dataset], testable) for dataset, testable in pairs.items()}, dropped


def _check_single(owner: object, table: pd.DataFrame) -> None:
    twice = table.duplicated(["dataset", "pipeline", "repeat", "fold"])
    if twice.any():
        cell = table[twice].iloc[0]
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {cell['pipeline']} has two scores of repeat "
            f"{cell['repeat']}, fold {cell['fold']} on {cell['dataset']}"
        )


def check_finite(owner: object, scores: pd.DataFrame, measure: str, dataset: str = "") -> None:
    """Raise InputError for an infinite score, whose differences are undefined."""
    values = scores.to_numpy(dtype=float)
    infinite = np.argwhere(~np.isfinite(values))
    if infinite.size:
        row, column = (int(i) for i in infinite[0])
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {measure} of {scores.columns[column]} on "
            f"{dataset or str(scores.index[row])} is {values[row, column]}; differences need "
            f"finite scores"
        )


def in_units(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, float]:
    """Return ``a - b`` as integer multiples of a unit, and the unit.

    All are rounded to the twelfth digit of the largest score. So the differences 0.3 - 0.2 and
    0.2 - 0.1 are tied, as in exact arithmetic, for tests by ranks and signs. If the largest
    score exceeds 1000, as squared errors may, differences of smaller scores are rounded to 1e-8,
    and those of larger scores to their own twelfth digit: one data set of large scores does not
    make others tie.
    """
    scales = np.maximum(np.abs(a), np.abs(b))
    if not scales.any():
        return np.zeros(len(scales)), 1e-300
    first = np.floor(np.log10(np.maximum(scales, 1e-289)))
    digits = np.maximum(first, min(first.max(), 3)) - 11
    unit = float(digits.min())
    rounded = np.rint((a - b) / 10.0**digits)
    return rounded * 10.0 ** (digits - unit), 10.0**unit


def differences(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return ``a - b`` with exact ties and zeros."""
    multiples, unit = in_units(a, b)
    return multiples * unit


def standardized(gaps: np.ndarray) -> float:
    """Cohen's d of paired scores: mean difference over standard deviation; 0 if all are 0."""
    mean = float(np.mean(gaps))
    spread = deviation(gaps)
    if spread == 0:
        return math.copysign(math.inf, mean) if mean else 0.0
    return mean / spread


def deviation(gaps: np.ndarray) -> float:
    """Standard deviation of a sample; exactly 0 if all are equal."""
    return float(np.std(gaps, ddof=1)) if np.ptp(gaps) > 0 else 0.0


def limit(numerator: float, denominator: float) -> float:
    """Return the ratio; for a zero denominator 0 if the numerator is 0, else infinity."""
    if denominator == 0:
        return math.copysign(math.inf, numerator) if numerator else 0.0
    return numerator / denominator


def with_scores(matrix: pd.DataFrame) -> pd.DataFrame:
    """Drop the pipelines, and the data sets, without any score.

    Pipelines that failed everywhere must not invalidate the ranks of the others.
    """
    return matrix.dropna(axis=1, how="all").dropna(how="all")


def complete(owner: object, results: ilk.Scores) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the scores of the data sets without missing scores, and a list of exclusions.

    Pipelines without any score are dropped first.

    Raises
    ------
    InputError
        Names the comparison, if fewer than two pipelines or two such data sets remain, or two
        have the same name.
    """
    if results.means is None and "dataset" not in results.table:
        raise ilk.InputError(f"{ilk.display_name(owner)}: there are no scores")
    every, name = results.matrix(), ilk.display_name(owner)
    check_unlike(owner, every.columns, every.index)
    matrix = every[with_scores(every).columns]
    silent = [str(one) for one in every.columns if one not in matrix.columns]
    if matrix.shape[1] < 2:
        lost = f" (no score on any data set: {list_some(silent)})" if silent else ""
        raise ilk.InputError(
            f"{name}: there is {matrix.shape[1]} pipeline{lost}, at least 2 are needed to compare"
        )
    baseline = vars(owner).get("baseline")
    if baseline in silent:
        raise ilk.InputError(f"{name}: the baseline {baseline!r} has no score on any data set")
    without_gaps = matrix.notna().all(axis=1)
    lost_sets = (str(one) for one in matrix.index[~without_gaps])
    dropped = (*(f"pipeline {one}" for one in silent), *lost_sets)
    if without_gaps.sum() < 2:
        lost = f" ({list_some(dropped)} left out: missing scores)" if dropped else ""
        raise ilk.InputError(
            f"{name}: ranks over data sets need at least 2 of them, got {without_gaps.sum()}{lost}"
        )
    return matrix[without_gaps], dropped


def columns(
    owner: object, results: ilk.Scores
) -> tuple[dict[str, np.ndarray], dict[str, float], tuple[str, ...]]:
    """Return finite scores and mean rank of each pipeline, and the excluded data sets.

    Raises
    ------
    InputError
        As `complete` does, and if a score is infinite.
    """
    matrix, dropped = complete(owner, results)
    check_finite(owner, matrix, results.measure)
    scores = {str(name): matrix[name].to_numpy(dtype=float) for name in matrix}
    ranks = ilk.rank_rows(matrix, greater_is_better=results.greater_is_better).mean(axis=0)
    return scores, dict(zip(scores, map(float, ranks), strict=True)), dropped
