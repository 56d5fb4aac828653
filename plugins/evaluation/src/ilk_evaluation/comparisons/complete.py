"""The data sets on which every pipeline has a score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.comparisons.splits import check_finite, check_unlike
from ilk_evaluation.comparisons.wording import list_some

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


def with_scores(matrix: pd.DataFrame) -> pd.DataFrame:
    """Leave out the pipelines, and the data sets, that have no score at all.

    Whoever fails everywhere tells nothing of the others, and must not cost them their ranks.
    """
    return matrix.dropna(axis=1, how="all").dropna(how="all")


def complete(owner: object, results: ilk.Scores) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the scores of the data sets on which every pipeline has one, and what is left out.

    Pipelines without any score are left out first.

    Raises
    ------
    InputError
        Naming the comparison, if fewer than two pipelines or two such data sets are there, or
        two of one name.
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
    baseline = getattr(owner, "baseline", None)
    if baseline in silent:
        raise ilk.InputError(f"{name}: the baseline {baseline!r} has no score on any data set")
    whole = matrix.notna().all(axis=1)
    lost_sets = (str(one) for one in matrix.index[~whole])
    dropped = (*(f"pipeline {one}" for one in silent), *lost_sets)
    if whole.sum() < 2:
        lost = f" ({list_some(dropped)} left out: missing scores)" if dropped else ""
        raise ilk.InputError(
            f"{name}: ranks over data sets need at least 2 of them, got {whole.sum()}{lost}"
        )
    return matrix[whole], dropped


def columns(
    owner: object, results: ilk.Scores
) -> tuple[dict[str, np.ndarray], dict[str, float], tuple[str, ...]]:
    """Return finite scores and mean rank of each pipeline, and the data sets left out.

    Raises
    ------
    InputError
        As `complete` does, and if a score is infinite.
    """
    matrix, dropped = complete(owner, results)
    check_finite(owner, matrix, results.measure)
    found = {str(name): matrix[name].to_numpy(dtype=float) for name in matrix}
    ranks = ilk.rank_rows(matrix, greater_is_better=results.greater_is_better).mean(axis=0)
    return found, dict(zip(found, map(float, ranks), strict=True)), dropped
