"""The data of figures: results and predictions, read once for all figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_evaluation.confusion import confusion_matrix
from ilk_evaluation.curves import averaged, calibration, precision_recall, roc
from ilk_evaluation.results.prediction_source import PredictionSource
from ilk_evaluation.results.scoring import pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd

    from ilk_evaluation.curves import Band, Calibration
    from ilk_evaluation.results.experiment_results import Results


_HUGE = 1e9  # larger numbers are written with a power of ten


class FigureData:
    """Results, and values derived from them for figures.

    Parameters
    ----------
    results : Results
    most_pipelines : int, optional
        Number of pipelines, the best by mean rank, in figures of single data sets; all by default.
    """

    def __init__(self, results: Results, most_pipelines: int | None = None) -> None:
        self.results = results
        self.most_pipelines = most_pipelines
        self.predicted = lru_cache(maxsize=64)(self._predicted)  # about one data set's

    @property
    def measure(self) -> str:
        """Label of the ranking measure."""
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
        """Pipelines by mean rank, the best first, then pipelines without a rank."""
        summary = self.summary
        by_rank = summary.sort_values("rank", kind="stable", na_position="last")
        return [str(name) for name in by_rank["pipeline"]]

    @cached_property
    def shown(self) -> list[str]:
        """Pipelines shown in figures of single data sets, the best first."""
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
    def learning(self) -> pd.DataFrame:
        """As `Results.learning_curves`."""
        return self.results.learning_curves()

    @cached_property
    def complete(self) -> list[str]:
        """Data sets finished by every pipeline, not counting pipelines that finished none."""
        return self.results.ranked

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
    def predictor(self) -> str:
        """Kind of the predictors, as `Results.predictor`."""
        return self.results.predictor

    @property
    def without_classes(self) -> str:
        """Why there are no figures of predicted classes; empty if there are."""
        if self.predictor in {"classifier", "detector"}:
            return ""
        return f"the pipelines end in a {self.predictor}, which predicts no classes"

    def numbers(self, dataset: str, pipeline: str) -> pd.DataFrame:
        """True and predicted numbers of the test cases of the first repeat."""
        import pandas as pd

        found = [
            pd.DataFrame({"true": prediction.truth, "predicted": prediction.labels})
            for repeat, _, prediction in self._source.predictions(dataset, pipeline)
            if repeat == 0
        ]
        return pd.concat(found, ignore_index=True) if found else pd.DataFrame()

    @property
    def left_out(self) -> str:
        """Note the pipelines left out of figures of single data sets; empty if none."""
        rest = len(self.order) - len(self.shown)
        if not rest:
            return ""
        return f"The best {len(self.shown)} pipelines by mean rank are shown, {rest} are not."

    def comparisons(self) -> list[tuple[str, ilk.Comparison, ilk.Verdict]]:
        """Label, comparison and verdict of each comparison that has a verdict."""
        verdicts = iter(self.results.verdicts)
        verdict = next(verdicts, None)
        compared = []
        for label, comparison in self.results.design.comparisons.items():
            if verdict is not None and ilk.display_name(comparison) == verdict.comparison:
                compared.append((label, comparison, verdict))
                verdict = next(verdicts, None)
        return compared

    def answered(self, dataset: str, pipeline: str) -> bool:
        """Whether there is a prediction of a pipeline on a data set."""
        lost = self._lost.get((dataset, pipeline))
        if not lost:
            return lost == 0
        return next(iter(self._source.predictions(dataset, pipeline)), None) is not None

    def partly(self, dataset: str) -> str:
        """Note the pipelines of a data set with splits not shown; empty if none."""
        seen = ((name, self.predicted(dataset, name)) for name in self.shown)
        lost = [f"{name} ({one.n_lost})" for name, one in seen if one is not None and one.n_lost]
        return f"Splits that failed or are missing: {', '.join(lost)}." if lost else ""

    @cached_property
    def _lost(self) -> dict[tuple[str, str], int]:
        """Number of failed or missing cells of each pipeline on each data set."""
        table = self.table
        lost = (table["n_failed"] + table["n_missing"]).astype(int)
        places = zip(table["dataset"].map(str), table["pipeline"].map(str), strict=True)
        return dict(zip(places, lost, strict=True))

    @cached_property
    def _source(self) -> PredictionSource:
        return PredictionSource(self.results.whole, self.results.reading)

    def _predicted(self, dataset: str, pipeline: str) -> PredictionSummary | None:
        cells = self._source.predictions(dataset, pipeline)
        if ilk.display_name(self.results.design.resampling) == "bootstrap_632":
            cells = (cell for cell in cells if cell[0])  # the first split is a resubstitution
        summary = summarize_predictions(cells, curves=True)
        if summary is not None:
            summary.n_lost = self._lost.get((dataset, pipeline), 0)
        return summary


def signed(value: float, spread: float, digits: int = 3) -> str:
    """Write a value with its spread, if any."""
    if np.isnan(value):
        return "-"
    form = f".{digits}{'f' if abs(value) < _HUGE or np.isinf(value) else 'e'}"
    return f"{value:{form}}" + ("" if np.isnan(spread) else f" ± {spread:{form}}")


def direction(figure_data: FigureData) -> str:
    """Say which values of the ranking measure are good."""
    return "higher is better" if figure_data.greater_is_better else "lower is better"


LONGEST = 2000
"""Points kept of a curve: a fold with a million scores would have as many points."""


@dataclass
class PredictionSummary:
    """Summary of the predictions of a pipeline on a data set.

    Attributes
    ----------
    classes : ndarray of shape (C,)
    confusion : ndarray of int, shape (C, C)
        Of the answered cases of all splits, rows true; a case counts once per repeat.
    n_rejected, n_cases, n_cells : int
    roc, precision_recall : Band or None
        Averaged over the splits, for two classes.
    calibration : object or None
        Of all splits of the first repeat together.
    n_lost : int
        Splits without predictions: cells that failed or are missing.
    n_left_out : int
        Splits without a ROC curve, as their test cases are of one class.
    pooled : bool
        Whether the curves are of whole repeats, as no single split has one.
    """

    classes: np.ndarray
    confusion: np.ndarray
    n_rejected: int = 0
    n_cases: int = 0
    n_cells: int = 0
    n_lost: int = 0
    roc: Band | None = None
    precision_recall: Band | None = None
    calibration: Calibration | None = None
    n_left_out: int = 0
    pooled: bool = False


def summarize_predictions(
    cells: Iterable[tuple[int, int, ilk.Prediction]], *, curves: bool
) -> PredictionSummary | None:
    """Summarize the predictions of a pipeline on a data set, one repeat in memory at a time.

    Parameters
    ----------
    cells : iterable of (repeat, fold, Prediction)
    curves : bool
        Whether to make curves, if there are two classes and scores.

    Returns
    -------
    PredictionSummary, or None if there is no prediction of classes
    """
    summary: PredictionSummary | None = None
    by_split: dict[str, list[Any]] = {"roc": [], "precision_recall": []}
    by_repeat: dict[str, list[Any]] = {"roc": [], "precision_recall": []}
    for number, (_, group) in enumerate(groupby(cells, key=lambda cell: cell[0])):
        predictions = [prediction for _, _, prediction in group]
        if predictions[0].predictor in {"regressor", "clusterer"}:
            return None  # no classes are predicted
        summary = summary or _nothing(predictions[0])
        for prediction in predictions:
            summary.confusion += confusion_matrix(prediction)
            summary.n_rejected += int(np.sum(prediction.rejected))
            summary.n_cases += len(prediction)
            summary.n_cells += 1
        if not curves or not _has_scores(predictions):
            continue
        together = pool(predictions)
        if number == 0:
            summary.calibration = _if_defined(calibration, together)
        if len(summary.classes) == 2:
            _add_curves(by_split, predictions)
            _add_curves(by_repeat, [together])
    if summary is not None:
        _average(summary, by_split, by_repeat)
    return summary


def _nothing(prediction: ilk.Prediction) -> PredictionSummary:
    n = len(prediction.classes)
    return PredictionSummary(prediction.classes, np.zeros((n, n), dtype=int))


def _has_scores(predictions: Sequence[ilk.Prediction]) -> bool:
    return all(p.scores is not None or p.probabilities is not None for p in predictions)


def _add_curves(curves: dict[str, list[Any]], predictions: Sequence[ilk.Prediction]) -> None:
    for prediction in predictions:
        for name, make in (("roc", roc), ("precision_recall", precision_recall)):
            curve = _if_defined(make, prediction)
            if curve is not None:
                curves[name].append(thinned(curve))


def _if_defined(make: Callable[[ilk.Prediction], Any], prediction: ilk.Prediction) -> Any:
    """Return a curve, or None if it is undefined, as for test cases of one class."""
    try:
        return make(prediction)
    except ilk.IlkError:
        return None


def thinned(curve: Any) -> Any:
    """Return a curve with at most `LONGEST` points, including its ends, and the same area."""
    if len(curve.x) <= LONGEST:
        return curve
    at = np.unique(np.linspace(0, len(curve.x) - 1, LONGEST).round().astype(int))
    return replace(curve, x=curve.x[at], y=curve.y[at], thresholds=curve.thresholds[at])


def _average(
    summary: PredictionSummary, by_split: dict[str, list[Any]], by_repeat: dict[str, list[Any]]
) -> None:
    summary.pooled = not by_split["roc"] and bool(by_repeat["roc"])
    chosen = by_repeat if summary.pooled else by_split
    if chosen["roc"]:
        summary.roc = averaged(chosen["roc"])
        summary.n_left_out = 0 if summary.pooled else summary.n_cells - len(by_split["roc"])
    if chosen["precision_recall"]:
        summary.precision_recall = averaged(chosen["precision_recall"])
