"""The data sets on which every pipeline has a score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.comparisons.wording import list_some

if TYPE_CHECKING:
    import pandas as pd


def complete(owner: object, results: ilk.Scores) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the scores of the data sets on which every pipeline has one, and the others' names.

    Raises
    ------
    InputError
        Naming the comparison, if fewer than two pipelines or two such data sets are there.
    """
    matrix = results.matrix()
    whole = matrix.notna().all(axis=1)
    dropped = tuple(str(name) for name in matrix.index[~whole])
    name = ilk.display_name(owner)
    if matrix.shape[1] < 2:
        raise ilk.InputError(
            f"{name}: there is {matrix.shape[1]} pipeline, at least 2 are needed to compare"
        )
    if whole.sum() < 2:
        lost = f" ({list_some(dropped)} left out: failed cells)" if dropped else ""
        raise ilk.InputError(
            f"{name}: ranks over data sets need at least 2 of them, got {whole.sum()}{lost}"
        )
    return matrix[whole], dropped
