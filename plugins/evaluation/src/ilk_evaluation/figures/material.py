"""What figures are made of: results, with all that several figures ask for read once."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

import ilk
from ilk_evaluation.comparisons.paired_scores import with_scores
from ilk_evaluation.experiments.evidence import Evidence

if TYPE_CHECKING:
    import pandas as pd

    from ilk_evaluation.experiments.results import Results
    from ilk_evaluation.figures.predicted import Predicted

_HUGE = 1e9  # numbers beyond are written with a power of ten


class Material:
    """Results and what figures ask of them.

    Parameters
    ----------
    results : Results
    most_pipelines : int, optional
        Figures of single data sets show the best so many by mean rank; all if left out.
    """

    def __init__(self, results: Results, most_pipelines: int | None = None) -> None:
        self.results = results
        self.most_pipelines = most_pipelines
        self.predicted = lru_cache(maxsize=64)(self._predicted)  # those of a data set

    @property
    def measure(self) -> str:
        """Label of the measure that ranks."""
        return self.results.measure

    @property
    def greater_is_better(self) -> bool:
        """Whether large values of that measure are good."""
        return self.results.design.measures[self.measure].greater_is_better

    @cached_property
    def datasets(self) -> list[str]:
        """Labels, in the order of the experiment."""
        return [one.label for one in self.results.design.datasets]

    @cached_property
    def order(self) -> list[str]:
        """Pipelines by mean rank, the best first; then those without one."""
        summary = self.summary
        by_rank = summary.sort_values("rank", kind="stable", na_position="last")
        return [str(name) for name in by_rank["pipeline"]]

    @cached_property
    def shown(self) -> list[str]:
        """Pipelines that figures of single data sets show, the best first."""
        return self.order[: self.most_pipelines]

    @cached_property
    def summary(self) -> pd.DataFrame:
        """As `Results.summary`."""
        return self.results.summary()

    @cached_property
    def table(self) -> pd.DataFrame:
        """As `Results.table`."""
        return self.results.table()

    @cached_property
    def complete(self) -> list[str]:
        """Data sets that every pipeline finished but those that finished none."""
        return [str(name) for name in with_scores(self.results.pivot()).dropna().index]

    @cached_property
    def n_classes(self) -> dict[str, int]:
        """Number of classes by data set."""
        with self.results.reading() as store:
            known = store.datasets()
        return {
            one.label: known[one.key]["n_classes"] if one.key in known else 0
            for one in self.results.design.datasets
        }

    @property
    def left_out(self) -> str:
        """Say which pipelines figures of single data sets leave out; nothing if none."""
        rest = len(self.order) - len(self.shown)
        if not rest:
            return ""
        return f"The best {len(self.shown)} pipelines by mean rank are shown, {rest} are not."

    def comparisons(self) -> list[tuple[str, ilk.Comparison, ilk.Verdict]]:
        """Label, comparison and verdict of each comparison that found one."""
        verdicts = iter(self.results.verdicts)
        verdict = next(verdicts, None)
        found = []
        for label, comparison in self.results.design.comparisons.items():
            if verdict is not None and ilk.display_name(comparison) == verdict.comparison:
                found.append((label, comparison, verdict))
                verdict = next(verdicts, None)
        return found

    def answered(self, dataset: str, pipeline: str) -> bool:
        """Whether there is a prediction of a pipeline on a data set."""
        lost = self._lost.get((dataset, pipeline))
        if not lost:
            return lost == 0
        return next(iter(self._evidence.predictions(dataset, pipeline)), None) is not None

    def partly(self, dataset: str) -> str:
        """Say of which pipelines some splits of a data set are not shown; nothing if of none."""
        seen = ((name, self.predicted(dataset, name)) for name in self.shown)
        lost = [f"{name} ({one.n_lost})" for name, one in seen if one is not None and one.n_lost]
        return f"Splits that failed or are missing: {', '.join(lost)}." if lost else ""

    @cached_property
    def _lost(self) -> dict[tuple[str, str], int]:
        """How many cells of a pipeline on a data set failed or are missing."""
        table = self.table
        lost = (table["n_failed"] + table["n_missing"]).astype(int)
        places = zip(table["dataset"].map(str), table["pipeline"].map(str), strict=True)
        return dict(zip(places, lost, strict=True))

    @cached_property
    def _evidence(self) -> Evidence:
        return Evidence(self.results.design, self.results.reading)

    def _predicted(self, dataset: str, pipeline: str) -> Predicted | None:
        from ilk_evaluation.figures.predicted import predicted

        cells = self._evidence.predictions(dataset, pipeline)
        if ilk.display_name(self.results.design.resampling) == "bootstrap_632":
            cells = (cell for cell in cells if cell[0])  # its first split tests what trained
        found = predicted(cells, curves=True)
        if found is not None:
            found.n_lost = self._lost.get((dataset, pipeline), 0)
        return found


def signed(value: float, spread: float, digits: int = 3) -> str:
    """Write a value with its spread, where there is one."""
    if np.isnan(value):
        return "-"
    form = f".{digits}{'f' if abs(value) < _HUGE or np.isinf(value) else 'e'}"
    return f"{value:{form}}" + ("" if np.isnan(spread) else f" ± {spread:{form}}")


def direction(material: Material) -> str:
    """Say which values of the measure that ranks are good."""
    return "higher is better" if material.greater_is_better else "lower is better"
