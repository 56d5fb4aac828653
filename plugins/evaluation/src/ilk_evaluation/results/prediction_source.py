"""Predictions, cells and sizes of splits, read from a store for comparisons, figures, frames."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    import pandas as pd

    import ilk
    from ilk_evaluation.plan.design import Cell, Design
    from ilk_evaluation.run.store import Status, Store


@dataclass(eq=False, repr=False)
class PredictionSource:
    """Predictions and sizes of splits, read from the store on demand.

    Parameters
    ----------
    design : Design
    reading : function
        Opens the store.
    """

    design: Design
    reading: Callable[[], AbstractContextManager[Store]]

    def predictions(self, dataset: str, pipeline: str) -> Iterator[tuple[int, int, ilk.Prediction]]:
        """Yield repeat, fold and prediction of each finished cell of a data set and pipeline."""
        with self.reading() as store:
            for cell in self._cells.get((dataset, pipeline), ()):
                if self._statuses.get(cell.key) in {"done", "fallback"}:
                    yield cell.repeat, cell.fold, store.prediction(cell.key)

    def sizes(self) -> pd.DataFrame:
        """One row per planned split: dataset, repeat, fold, n_train, n_test; NaN if unknown."""
        import pandas as pd

        with self.reading() as store:
            sizes = store.split_sizes()
        nan = float("nan")
        splits = {
            (self.design.dataset(cell), cell.repeat, cell.fold): sizes.get(
                cell.split_key, (nan, nan)
            )
            for cell in self.design.cells
        }
        columns = ["dataset", "repeat", "fold", "n_train", "n_test"]
        return pd.DataFrame([(*at, *size) for at, size in splits.items()], columns=columns)

    @cached_property
    def _statuses(self) -> dict[str, Status]:
        with self.reading() as store:
            return store.statuses()

    @cached_property
    def _cells(self) -> dict[tuple[str, str], list[Cell]]:
        cells: dict[tuple[str, str], list[Cell]] = {}
        for cell in self.design.cells:
            cells.setdefault(self.design.place(cell)[:2], []).append(cell)
        return cells


_PLACE = ["dataset", "pipeline", "repeat", "fold"]


def cell_frame(design: Design, store: Store) -> pd.DataFrame:
    """One row per cell.

    Returns
    -------
    DataFrame
        Columns dataset, pipeline, repeat, fold, status (done, fallback, failed, missing),
        n_cases, fit_seconds, predict_seconds, saved_seconds (by steps that another cell had
        fitted; the other times are as if alone), n_warnings, error, key.
    """
    import pandas as pd

    rows: list[tuple[Any, ...]] = []
    statuses = store.statuses()
    for cell in design.cells:
        status = statuses.get(cell.key, "missing")
        if status == "missing":
            rows.append((*design.place(cell), status, 0, None, None, None, 0, None, cell.key))
            continue
        outcome = store.outcome(cell.key)
        n = 0 if outcome.codes is None else len(outcome.codes)
        seconds = outcome.fit_seconds, outcome.predict_seconds, outcome.saved_seconds
        what = (status, n, *seconds, len(outcome.warnings), outcome.error, cell.key)
        rows.append((*design.place(cell), *what))
    times = ["fit_seconds", "predict_seconds", "saved_seconds"]
    columns = ["status", "n_cases", *times, "n_warnings", "error", "key"]
    frame = pd.DataFrame(rows, columns=[*_PLACE, *columns])
    return frame.astype(dict.fromkeys(times, float))


def prediction_frame(
    design: Design, predictions: Iterable[tuple[Cell, ilk.Prediction]]
) -> pd.DataFrame:
    """One row per cell and test case.

    Returns
    -------
    DataFrame
        Columns dataset, pipeline, repeat, fold, case (row of the data, from 0), truth, label
        (None for a rejected case), and ``p(<class>)`` or ``score(<class>)`` for pipelines that give
        them.
    """
    import pandas as pd

    parts = [_predicted(design, cell, prediction) for cell, prediction in predictions]
    if not parts:
        return pd.DataFrame(columns=[*_PLACE, "case", "truth", "label"])
    return pd.concat(parts, ignore_index=True)


def _predicted(design: Design, cell: Cell, prediction: ilk.Prediction) -> pd.DataFrame:
    import pandas as pd

    place = dict(zip(_PLACE, design.place(cell), strict=True))
    labels = prediction.labels.astype(object)
    labels[prediction.rejected] = None
    frame = pd.DataFrame(
        {
            **place,
            "case": prediction.indices,
            "truth": prediction.truth.astype(object),
            "label": labels,
        }
    )
    return frame.assign(**_supports(prediction))


def _supports(prediction: ilk.Prediction) -> dict[str, pd.Series]:
    import pandas as pd

    given = {"p": prediction.probabilities, "score": prediction.scores}
    return {
        f"{name}({label})": pd.Series(values[:, column])
        for name, values in given.items()
        if values is not None
        for column, label in enumerate(prediction.classes.tolist())
    }
