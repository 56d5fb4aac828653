"""The predictions and the sizes of splits of a store, for comparisons and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    import ilk
    from ilk_evaluation.plan.design import Cell, Design
    from ilk_evaluation.run.store import Status, Store


class PredictionSource:
    """Predictions and sizes of splits, read from the store when they are asked for.

    Parameters
    ----------
    design : Design
    reading : function
        Opens the store.
    """

    def __init__(
        self, design: Design, reading: Callable[[], AbstractContextManager[Store]]
    ) -> None:
        self._design = design
        self._reading = reading

    def predictions(self, dataset: str, pipeline: str) -> Iterator[tuple[int, int, ilk.Prediction]]:
        """Yield repeat, fold and prediction of each finished cell of a data set and pipeline."""
        with self._reading() as store:
            for cell in self._cells.get((dataset, pipeline), ()):
                if self._statuses.get(cell.key) in {"done", "fallback"}:
                    yield cell.repeat, cell.fold, store.prediction(cell.key)

    def sizes(self) -> pd.DataFrame:
        """One row per planned split: dataset, repeat, fold, n_train, n_test; NaN if not known."""
        with self._reading() as store:
            sizes = store.split_sizes()
        nan = float("nan")
        splits = {
            (self._design.dataset(cell), cell.repeat, cell.fold): sizes.get(
                cell.split_key, (nan, nan)
            )
            for cell in self._design.cells
        }
        columns = ["dataset", "repeat", "fold", "n_train", "n_test"]
        return pd.DataFrame([(*at, *size) for at, size in splits.items()], columns=columns)

    @cached_property
    def _statuses(self) -> dict[str, Status]:
        with self._reading() as store:
            return store.statuses()

    @cached_property
    def _cells(self) -> dict[tuple[str, str], list[Cell]]:
        found: dict[tuple[str, str], list[Cell]] = {}
        for cell in self._design.cells:
            found.setdefault(self._design.place(cell)[:2], []).append(cell)
        return found
