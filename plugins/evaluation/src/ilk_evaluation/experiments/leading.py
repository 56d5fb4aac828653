"""Which pipeline leads so far: by the first measure, over the data sets that all have finished."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import ilk
from ilk_evaluation.comparisons.paired_scores import with_scores
from ilk_evaluation.experiments.scoring import score

if TYPE_CHECKING:
    from ilk_evaluation.experiments.design import Cell, Design
    from ilk_evaluation.experiments.standing import Standing
    from ilk_evaluation.experiments.store import Store

_GUESS = 1e-4  # seconds to score a cell, before any was scored


@dataclass(frozen=True)
class Best:
    """The pipelines with the best mean.

    Attributes
    ----------
    pipelines : tuple of str
        Several, if their means are equal.
    measure : str
    mean : float
        Over `n` data sets, those that all pipelines have finished, of `of`.
    n, of : int
    """

    pipelines: tuple[str, ...]
    measure: str
    mean: float
    n: int
    of: int


class Leader:
    """Scores data sets once all pipelines have finished them, each once, from their store."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.best: Best | None = None
        self.spent = 0.0
        self._n_scored = 0
        self._estimates: dict[int, np.ndarray] = {}
        self._broken = False

    def work(self, store: Store, standing: Standing, seconds: float) -> None:
        """Score data sets that are finished, as many as likely are scored in so much time.

        A run that is complete is left to its tables.
        """
        if self._broken or seconds <= 0 or standing.done == standing.total:
            return
        for dataset in standing.finished_datasets():
            cells = self._cells.get(dataset, [])
            cost = len(cells) * (self.spent / self._n_scored if self._n_scored else _GUESS)
            if dataset not in self._estimates and cost <= seconds:
                seconds -= self._score(store, dataset, cells)

    def forget(self, dataset: int) -> None:
        """Score a data set again: some of its cells were run anew."""
        if self._estimates.pop(dataset, None) is not None:
            self.best = self._find()

    def _score(self, store: Store, dataset: int, cells: list[Cell]) -> float:
        start = perf_counter()
        evaluation = {**self.design.evaluation, "comparisons": []}
        evaluation["measures"] = evaluation["measures"][:1]
        part = replace(self.design, cells=cells, evaluation=evaluation)
        try:
            (estimates,) = score(part, store).estimates.values()
        except ilk.IlkError:  # said where the tables are made
            self._broken = True
        else:
            self._estimates[dataset] = estimates.to_numpy()[dataset]
            self.best = self._find()
        took = perf_counter() - start
        self.spent += took
        self._n_scored += len(cells)
        return took

    def _find(self) -> Best | None:
        if not self._estimates:
            return None
        found = pd.DataFrame(list(self._estimates.values()))
        rows = with_scores(found.where(np.isfinite(found))).dropna()
        if rows.empty:
            return None
        label, measure = next(iter(self.design.measures.items()))
        means = rows.mean()
        best = float(means.max() if measure.greater_is_better else means.min())
        leading = means.index[means == best]
        pipelines = tuple(self.design.pipelines[column].label for column in leading)
        return Best(pipelines, label, best, len(rows), len(self.design.datasets))

    @cached_property
    def _cells(self) -> dict[int, list[Cell]]:
        """Cells by data set, in whose order they come."""
        return {
            dataset: list(group)
            for dataset, group in groupby(self.design.cells, key=lambda cell: cell.dataset)
        }
