"""The leading pipeline so far: by the first measure, over the data sets that all have finished."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

import ilk
from ilk_evaluation.comparisons.paired_scores import with_scores

if TYPE_CHECKING:
    import pandas as pd

    from ilk_evaluation.plan.design import Cell, Design
    from ilk_evaluation.run.run_state import RunState
    from ilk_evaluation.run.store import Store

Estimate = Callable[["Design", "Store"], "pd.DataFrame"]

_GUESS = 1e-4  # seconds to score a cell, an estimate before the first is scored


@dataclass(frozen=True)
class Best:
    """The pipelines with the best mean.

    Attributes
    ----------
    pipelines : tuple of str
        Several if their means are equal.
    measure : str
    mean : float
        Over the `n` of `of` data sets that all pipelines have finished.
    n, of : int
    """

    pipelines: tuple[str, ...]
    measure: str
    mean: float
    n: int
    of: int


class Leader:
    """Scores each data set once, from the store, when all pipelines have finished it.

    Parameters
    ----------
    design : Design
    estimate : function
        Takes a part of the design and a store; returns the estimates of the ranking measure, data
        sets by pipelines.
    """

    def __init__(self, design: Design, estimate: Estimate) -> None:
        self.design = design
        self._estimate = estimate
        self.best: Best | None = None
        self.spent = 0.0
        self._n_scored = 0
        self._estimates: dict[int, np.ndarray] = {}
        self._broken = False

    def work(self, store: Store, run_state: RunState, seconds: float) -> None:
        """Score as many finished data sets as the time is likely to allow.

        A complete run is not scored here: its tables follow at once.
        """
        if self._broken or seconds <= 0 or run_state.done == run_state.total:
            return
        for dataset in run_state.finished_datasets():
            cells = self._cells.get(dataset, [])
            cost = len(cells) * (self.spent / self._n_scored if self._n_scored else _GUESS)
            if dataset not in self._estimates and cost <= seconds:
                seconds -= self._score(store, dataset, cells)

    def forget(self, dataset: int) -> None:
        """Score a data set again, as some of its cells were run again."""
        if self._estimates.pop(dataset, None) is not None:
            self.best = self._find()

    def _score(self, store: Store, dataset: int, cells: list[Cell]) -> float:
        start = perf_counter()
        try:
            estimates = self._estimate(replace(self.design, cells=cells), store)
        except ilk.IlkError:  # reported when the tables are made
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
        import pandas as pd

        found = pd.DataFrame(list(self._estimates.values()))
        named = enumerate(self.design.pipelines)
        some = [at for at, one in named if one.label in self.design.partial]
        found = found.drop(columns=some)
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
        """Cells by data set; the cells of a data set are contiguous in the design."""
        return {
            dataset: list(group)
            for dataset, group in groupby(self.design.cells, key=lambda cell: cell.dataset)
        }
