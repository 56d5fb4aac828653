"""The scores of each split, data set by data set, and the pairs of pipelines that have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

import ilk
from ilk_evaluation.comparisons.pairwise import Pair, pairs_by_dataset, pairs_of

if TYPE_CHECKING:
    import pandas as pd


def names(owner: object, results: ilk.Scores) -> tuple[list[str], list[str]]:
    """Return the names of data sets and of at least two pipelines.

    Raises
    ------
    InputError
        If there are fewer, no scores of single splits, or names that occur twice.
    """
    table = results.table
    if not {"dataset", "pipeline", "repeat", "fold"} <= set(table.columns):
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: needs the scores of single splits, there are none"
        )
    datasets = list(results.datasets) or list(dict.fromkeys(table["dataset"]))
    pipelines = list(results.pipelines) or list(dict.fromkeys(table["pipeline"]))
    if len(pipelines) < 2:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: there is {len(pipelines)} pipeline, at least 2 are "
            f"needed to compare"
        )
    check_unlike(owner, pipelines, datasets)
    return datasets, pipelines


def check_unlike(owner: object, pipelines: Iterable[object], datasets: Iterable[object]) -> None:
    """Raise InputError where two pipelines or two data sets have one name."""
    for what, found in (("pipeline", pipelines), ("data set", datasets)):
        name, number = Counter(found).most_common(1)[0]
        if number > 1:
            raise ilk.InputError(
                f"{ilk.display_name(owner)}: there are {number} {what}s by the name {name}"
            )


Splits = tuple["pd.DataFrame", list[Pair]]


def by_split(
    owner: object, results: ilk.Scores, baseline: str | None
) -> tuple[dict[str, Splits], tuple[str, ...]]:
    """Return, by data set, the scores to be tested, and what was left out.

    Scores are repeats and folds by the pipelines that have all of them, beside the pairs of these.

    Raises
    ------
    InputError
        Naming the comparison, if there are fewer than two pipelines, no data set on which both of
        a pair have all their scores, scores of whole repeats only, infinite ones, or two of one
        split.
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
        whole = wide.notna().all() & means.loc[dataset].notna() & bool(len(wide))
        tables[dataset] = wide.loc[:, whole]
        check_finite(owner, tables[dataset], results.measure, dataset)
    pairs, dropped = pairs_by_dataset(
        owner,
        pairs_of(owner, pipelines, baseline),
        datasets,
        lambda dataset, pair: set(pair) <= set(tables[dataset]),
    )
    return {dataset: (tables[dataset], own) for dataset, own in pairs.items()}, dropped


def _check_single(owner: object, table: pd.DataFrame) -> None:
    twice = table.duplicated(["dataset", "pipeline", "repeat", "fold"])
    if twice.any():
        cell = table[twice].iloc[0]
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {cell['pipeline']} has two scores of repeat "
            f"{cell['repeat']}, fold {cell['fold']} on {cell['dataset']}"
        )


def check_finite(owner: object, scores: pd.DataFrame, measure: str, dataset: str = "") -> None:
    """Raise InputError if there is an infinite score: it has no differences."""
    values = scores.to_numpy(dtype=float)
    infinite = np.argwhere(~np.isfinite(values))
    if infinite.size:
        row, column = (int(i) for i in infinite[0])
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {measure} of {scores.columns[column]} on "
            f"{dataset or str(scores.index[row])} is {values[row, column]}; differences need "
            f"finite scores"
        )
