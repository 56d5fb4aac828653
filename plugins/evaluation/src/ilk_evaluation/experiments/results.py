"""What an experiment found: tables, verdicts, failures and predictions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd

import ilk
from ilk_evaluation.experiments.scoring import Scored, ranks, score
from ilk_evaluation.experiments.store import Store

if TYPE_CHECKING:
    from ilk_evaluation.experiments.plan import Cell, Plan


@dataclass
class Results:
    """Scores of an experiment and what follows from them.

    The first measure of the experiment ranks the pipelines and feeds the comparisons.

    Attributes
    ----------
    plan : Plan
    scores : DataFrame
        One row per finished cell and measure: dataset, pipeline, measure, repeat, fold, value.
    verdicts : list of ilk.Verdict
    notes : list of str
        What was not computed, and why; warnings that cells gave.
    failures : DataFrame
        One row per failed cell: dataset, pipeline, repeat, fold, error, traceback.
    """

    plan: Plan
    scores: pd.DataFrame
    verdicts: list[ilk.Verdict]
    notes: list[str]
    failures: pd.DataFrame
    _scored: Scored = field(repr=False)
    _store: Store = field(repr=False)

    @classmethod
    def of(cls, plan: Plan, store: Store) -> Self:
        """Score a plan all of whose cells are in a store."""
        scored = score(plan, store)
        verdicts, notes = _compare(plan, scored)
        failures = _failures(plan, store)
        notes = [*scored.notes, *notes, *_warnings(plan, store)]
        return cls(plan, scored.scores, verdicts, notes, failures, scored, store)

    @property
    def measure(self) -> str:
        """Label of the measure that ranks."""
        return next(iter(self.plan.measures))

    @property
    def n_failed(self) -> int:
        """Number of cells that failed."""
        return len(self.failures)

    def table(self) -> pd.DataFrame:
        """One row per data set and pipeline.

        Returns
        -------
        DataFrame
            Columns dataset and pipeline; for each measure its estimate and, as
            ``<measure>_spread``, the standard deviation over the splits; rank (by the first
            measure, 1 is best); fit_seconds; n_failed. An estimate and a rank are NaN where
            cells failed.
        """
        grids: dict[str, pd.DataFrame] = {}
        for name, estimates in self._scored.estimates.items():
            grids[name] = estimates
            grids[f"{name}_spread"] = self._scored.spreads[name]
        grids["rank"] = self._ranks()
        grids["fit_seconds"] = self._scored.fit_seconds
        grids["n_failed"] = self._scored.n_failed
        labels = self._scored.n_failed
        table = pd.DataFrame(
            {
                "dataset": np.repeat(labels.index.to_numpy(), labels.shape[1]),
                "pipeline": np.tile(labels.columns.to_numpy(), labels.shape[0]),
            }
        )
        return table.assign(**{name: grid.to_numpy().ravel() for name, grid in grids.items()})

    def summary(self) -> pd.DataFrame:
        """One row per pipeline, over the data sets.

        Returns
        -------
        DataFrame
            Columns pipeline; the mean of each measure (NaN where it has no estimate on some
            data set); rank (mean over the data sets that every pipeline finished);
            fit_seconds; n_failed.
        """
        means = {name: grid.mean(skipna=False) for name, grid in self._scored.estimates.items()}
        means["rank"] = self._ranks().dropna().mean()
        means["fit_seconds"] = self._scored.fit_seconds.mean(skipna=False)
        means["n_failed"] = self._scored.n_failed.sum()
        return pd.DataFrame(means).reset_index(names="pipeline")

    def predictions(
        self, dataset: str | None = None, pipeline: str | None = None
    ) -> Iterator[tuple[Cell, ilk.Prediction]]:
        """Yield cells that did not fail and their predictions, one at a time.

        Parameters
        ----------
        dataset, pipeline : str, optional
            Labels, as in the tables, to take only these.
        """
        with self._open() as store:
            finished = store.finished()
            for cell in self.plan.cells:
                own = self.plan.datasets[cell.dataset].label, self.plan.pipelines[cell.pipeline].id
                wanted = dataset in {None, own[0]} and pipeline in {None, own[1]}
                if wanted and finished.get(cell.key, False):
                    yield cell, store.prediction(cell.key)

    def _open(self) -> AbstractContextManager[Store]:
        path = self._store.path
        return nullcontext(self._store) if path is None else Store.read(path)

    def _ranks(self) -> pd.DataFrame:
        better = self.plan.measures[self.measure].greater_is_better
        return ranks(self._scored.estimates[self.measure], greater_is_better=better)


def _compare(plan: Plan, scored: Scored) -> tuple[list[ilk.Verdict], list[str]]:
    """Return the verdicts, and why there are no others."""
    name, measure = next(iter(plan.measures.items()))
    scores = ilk.Scores(
        table=scored.scores[scored.scores["measure"] == name].drop(columns="measure"),
        measure=name,
        greater_is_better=measure.greater_is_better,
        resampling=ilk.display_name(plan.resampling),
        pipelines=tuple(pipeline.id for pipeline in plan.pipelines),
        datasets=tuple(data.label for data in plan.datasets),
        means=scored.estimates[name],
    )
    verdicts, notes = [], []
    for label, comparison in plan.comparisons.items():
        try:
            verdicts.append(comparison.compare(scores))
        except ilk.InputError as error:
            notes.append(f"{label} was not computed: {error}")
    return verdicts, notes


def _place(plan: Plan, cell: Cell) -> tuple[str, str, int, int]:
    dataset, pipeline = plan.datasets[cell.dataset].label, plan.pipelines[cell.pipeline].id
    return dataset, pipeline, cell.repeat, cell.fold


def _failures(plan: Plan, store: Store) -> pd.DataFrame:
    finished = store.finished()
    rows = []
    for cell in plan.cells:
        if not finished.get(cell.key, True):
            outcome = store.outcome(cell.key)
            rows.append((*_place(plan, cell), outcome.error, outcome.traceback))
    columns = ["dataset", "pipeline", "repeat", "fold", "error", "traceback"]
    return pd.DataFrame(rows, columns=columns)


def _warnings(plan: Plan, store: Store) -> list[str]:
    """Say which pipelines gave which warnings, each once."""
    counts: dict[tuple[str, str], int] = {}
    given = store.warnings()
    for cell in plan.cells:
        for message in given.get(cell.key, ()):
            key = plan.pipelines[cell.pipeline].id, message
            counts[key] = counts.get(key, 0) + 1
    return [f"{pipeline} warned in {n} cells: {text}" for (pipeline, text), n in counts.items()]
