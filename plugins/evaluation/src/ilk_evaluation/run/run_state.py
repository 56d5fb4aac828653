"""The run state: cells done, failed and left, and an estimate of the time left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ilk import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ilk_evaluation.plan.design import Design
    from ilk_evaluation.run.cell import Outcome
    from ilk_evaluation.run.sql import CellRow


MOST_SHOWN = 3
"""Failures shown at a time; more would push the progress bar off a small terminal."""
LONGEST = 200
"""Characters shown of an error."""


@dataclass(frozen=True)
class CellSummary:
    """The part of a cell's outcome that the run state needs.

    Attributes
    ----------
    seconds : float or None
        Spent on fitting and predicting; None if unknown.
    error : str or None
        Error of its pipeline.
    fallback : bool
        Whether the fallback answered.
    here : bool
        Whether the present run computed it.
    """

    seconds: float | None
    error: str | None
    fallback: bool
    here: bool

    @classmethod
    def of(cls, outcome: Outcome) -> CellSummary:
        """Summarize the outcome of a cell of the present run."""
        seconds = outcome.fit_seconds + outcome.predict_seconds - outcome.saved_seconds
        known = seconds if seconds >= 0 else None  # not NaN
        return cls(known, outcome.error, outcome.fallback, here=True)

    @classmethod
    def kept(cls, row: CellRow, run: int | None) -> CellSummary:
        """Summarize the row of a cell in a store."""
        return cls(row.seconds, row.error, row.fallback, here=row.run == run)


class RunState:
    """Counts the cells of a design as they finish.

    One thread counts; others may read meanwhile.

    Attributes
    ----------
    design : Design
    total : int
        Distinct cells: equal pipelines under two names share their cells.
    done, failed, fallbacks : int
        Cells with an outcome; cells without an answer; cells that the fallback answered.
    here : int
        Cells that the present run computed.
    left : ndarray of int, shape (n_datasets, n_pipelines)
        Cells without an outcome.
    """

    def __init__(self, design: Design) -> None:
        self.design = design
        shape = len(design.datasets), len(design.pipelines)
        self.left = np.zeros(shape, dtype=int)
        self.cells = {cell.key: cell for cell in reversed(design.cells)}
        for cell in self.cells.values():
            self.left[cell.dataset, cell.pipeline] += 1
        self.total = len(self.cells)
        self.done = self.failed = self.fallbacks = self.here = 0
        self._kinds: dict[tuple[int, int, str], int] = {}
        self._seconds = np.zeros(shape)
        self._timed = np.zeros(shape, dtype=int)
        self._worked = 0.0

    def start(self, rows: Iterable[CellRow], missing: Iterable[str]) -> None:
        """Count stored cells; cells neither stored nor missing belong to other machines."""
        wanted = set(missing)
        others = self.cells.keys() - wanted
        for row in rows:
            if row.key in others:
                others.discard(row.key)
                self.count(row.key, CellSummary.kept(row, run=None))
        self.leave_out(others)

    def leave_out(self, keys: Iterable[str]) -> None:
        """Leave out cells that other machines run: their outcomes do not count."""
        for key in keys:
            cell = self.cells.pop(key)
            self.left[cell.dataset, cell.pipeline] -= 1
            self.total -= 1

    def count(self, key: str, summary: CellSummary, times: int = 1) -> None:
        """Count a cell; with ``times=-1`` uncount it, as it is run again."""
        cell = self.cells[key]
        at = cell.dataset, cell.pipeline
        self.left[at] -= times
        self.here += times * summary.here
        if summary.seconds is not None:
            self._seconds[at] += times * summary.seconds
            self._timed[at] += times
            self._worked += times * summary.here * summary.seconds
        if summary.error is not None:
            self.failed += times * (not summary.fallback)
            self.fallbacks += times * summary.fallback
            self._count_failure((*at, first_line(summary.error)), times)
        self.done += times

    def _count_failure(self, kind: tuple[int, int, str], times: int) -> None:
        number = self._kinds.pop(kind, 0) + times
        if number > 0:
            self._kinds[kind] = number  # keeps the latest last

    @property
    def n_failures(self) -> int:
        """Number of distinct failures."""
        return len(self._kinds)

    def failures(self, n: int = MOST_SHOWN) -> list[str]:
        """The latest distinct failures: ``wine, 80-NN (2 cells): InputError: ...``."""
        kinds = list(self._kinds.items())  # a copy: another thread may count
        datasets, pipelines = self.design.datasets, self.design.pipelines
        return [
            printable(
                f"{datasets[dataset].label}, {pipelines[pipeline].label} "
                f"({number} cell{'s' * (number != 1)}): {error}",
                keep="",
            )
            for (dataset, pipeline, error), number in kinds[
                max(len(kinds) - min(n, MOST_SHOWN), 0) :
            ]
        ]

    def finished_datasets(self) -> list[int]:
        """Positions of the data sets without unfinished cells."""
        return np.flatnonzero(self.left.sum(axis=1) == 0).tolist()

    def seconds_left(self, elapsed: float) -> float | None:
        """Estimate the time left from the cells of the present run; None: not known yet.

        Each unfinished cell is weighted by the mean time of its data set and pipeline. A mean not
        known yet is the product of a factor of the data set and a factor of the pipeline, fitted to
        the known means. The pace is that of the work done so far.
        """
        if not self.here:
            return None
        left = self.left
        if self._worked <= 0:
            return elapsed / self.here * float(left.sum())
        return elapsed * float((left * self._expected()).sum()) / self._worked

    def _expected(self) -> np.ndarray:
        """Seconds of a cell by data set and pipeline; unknown means are products of factors."""
        known = self._timed > 0
        means = self._seconds / np.maximum(self._timed, 1)
        rows = np.ones(len(means))
        for _ in range(_ROUNDS):
            columns = _ratio(means.sum(axis=0), (known * rows[:, None]).sum(axis=0))
            rows = _ratio(means.sum(axis=1), (known * columns).sum(axis=1))
        return np.where(known, means, rows[:, None] * columns)


def first_line(error: str) -> str:
    """The first line of an error, cut to `LONGEST` characters."""
    line = error.partition("\n")[0]
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


_ROUNDS = 20  # of alternating updates of row and column factors, which converge fast


def _ratio(sums: np.ndarray, divisors: np.ndarray) -> np.ndarray:
    """Ratios where the divisor is not 0; elsewhere the mean of these ratios."""
    there = divisors > 0
    ratios = sums / np.where(there, divisors, 1)
    return np.where(there, ratios, ratios[there].mean() if there.any() else 1.0)
