"""The results of an experiment: tables, verdicts, failures and predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

import ilk
from ilk_evaluation.arguments import as_data
from ilk_evaluation.comparisons.paired_scores import with_scores
from ilk_evaluation.plan.keys import objects_in
from ilk_evaluation.results import notes
from ilk_evaluation.results.prediction_source import PredictionSource, cell_frame, prediction_frame
from ilk_evaluation.results.scoring import Scored, compare, learning_table, ranks, score
from ilk_evaluation.run.cell import fit_on_all
from ilk_evaluation.run.database import undamaged
from ilk_evaluation.run.run_record import recorded_notes
from ilk_evaluation.run.store import Store
from ilk_evaluation.run.tasks import notes_on

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from matplotlib.axes import Axes

    from ilk import Labels
    from ilk_evaluation.plan.design import Cell, Design

Frame = Literal["table", "summary", "scores", "cells", "predictions", "failures"]
Wanted = str | Sequence[str] | None


@dataclass(eq=False, repr=False)
class Results:
    """The results of an experiment, computed from its stored predictions.

    The first measure of the experiment ranks the pipelines and feeds the comparisons. Results are
    immutable: `filter` and `score` return new ones. Nothing is fitted.

    Parameters
    ----------
    design : Design
        Data sets, pipelines, cells and evaluation.
    store : Store
        Holds the predictions.
    pipelines : mapping of str to ilk.Pipeline
        The pipelines of this session by key, not fitted: a store holds only the specs of those
        that have one.
    data : mapping of str to ilk.Data
        The data sets of this session by fingerprint: those given as objects, which no spec can
        name.

    Examples
    --------
    >>> from ilk_evaluation import run_experiment
    >>> results = run_experiment({
    ...     "datasets": ["iris", "wine"],
    ...     "pipelines": [{"id": "means", "steps": [{"classifier": "nearest_mean"}]}],
    ...     "evaluation": {"resampling": {"use": "kfold", "folds": 2}},
    ... })
    >>> results.filter(dataset="wine").score("accuracy").pivot("accuracy").shape
    (1, 1)
    """

    design: Design
    store: Store
    pipelines: Mapping[str, ilk.Pipeline] = field(default_factory=dict)
    data: Mapping[str, ilk.Data] = field(default_factory=dict)

    def __repr__(self) -> str:
        sizes = (
            (len(self.design.datasets), "data set"),
            (len(self.design.pipelines), "pipeline"),
            (self.design.n_cells, "cell"),
        )
        counts = ", ".join(f"{number} {noun}" + "s" * (number != 1) for number, noun in sizes)
        return f"<Results {self.design.name!r}: {counts}>"

    def _repr_html_(self) -> str:
        """Show the summary in notebooks, the best pipeline first."""
        summary = self.summary().sort_values("rank", kind="stable")
        return f"<p>{escape(repr(self))}</p>{summary.to_html(index=False)}"

    @property
    def measure(self) -> str:
        """Label of the measure that ranks the pipelines."""
        return next(iter(self.design.measures))

    @cached_property
    def ranked(self) -> list[str]:
        """Data sets of the mean ranks: those that every pipeline finished.

        Pipelines without any estimate, or planned on some data sets only, do not count.
        """
        judged = self.pivot().drop(columns=list(self.design.partial))
        return [str(name) for name in with_scores(judged).dropna().index]

    @cached_property
    def predictor(self) -> str:
        """Kind of the predictors at the ends of the pipelines."""
        with self.reading() as store:
            known = store.pipelines()
        with undamaged(store.path):
            steps = [known[one.key]["spec"] for one in self.design.pipelines if one.key in known]
            return str(min(steps[0][-1])) if steps else "classifier"

    @property
    def scores(self) -> pd.DataFrame:
        """One row per finished cell and measure: dataset, pipeline, measure, repeat, fold, value.

        A pooled measure has one row per repeat, with fold -1.
        """
        return self._scored.scores

    @property
    def verdicts(self) -> list[ilk.Verdict]:
        """Verdicts of the comparisons of the experiment."""
        return self._compared[0]

    @property
    def notes(self) -> list[str]:
        """Scores not computed and why, notes on data, warnings of cells, other experiments."""
        smaller = notes.of_sizes(self.design, self._by_size)
        scored = [*self._scored.notes, *smaller, *self._compared[1]]
        about = [*notes.of_protocol(self.design, self.predictor), *scored, *self._about]
        return [*about, *self._shortcuts, *self._read, *self._warnings, *self._beside]

    @property
    def n_failed(self) -> int:
        """Number of cells that failed."""
        return self._total("n_failed")

    @property
    def n_fallback(self) -> int:
        """Number of cells that the fallback answered."""
        return self._total("n_fallback")

    @property
    def n_missing(self) -> int:
        """Number of cells that were not run."""
        return self._total("n_missing")

    def load(self) -> Results:
        """Read everything now, independent of later changes of the store; return itself."""
        _ = self._by_size, self._compared, self._shortcuts, self._warnings, self._beside
        _ = self.failures, self._about, self._read
        return self

    def filter(
        self,
        *,
        dataset: Wanted = None,
        pipeline: Wanted = None,
        repeat: int | Iterable[int] | None = None,
        fold: int | Iterable[int] | None = None,
    ) -> Results:
        """Return the results of a part; ranks and comparisons are computed among that part only.

        Parameters
        ----------
        dataset, pipeline : str or list of str, optional
            Labels, as in the tables. A list also sets the order.
        repeat, fold : int or list of int, optional

        Raises
        ------
        InputError
            If there is no such label; the message names the nearest.
        """
        datasets = _labels("dataset", [one.label for one in self.design.datasets], dataset)
        pipelines = _labels("pipeline", [one.label for one in self.design.pipelines], pipeline)
        fits_repeat, fits_fold = _among(repeat), _among(fold)
        part = self.design.part(
            datasets,
            pipelines,
            lambda cell: fits_repeat(cell.repeat) and fits_fold(cell.fold // self.design.n_sizes),
        )
        return replace(self, design=part)

    def score(self, *measures: Any, only: bool = False) -> Results:
        """Return the results with more measures, computed from the stored predictions.

        Parameters
        ----------
        *measures : str, table or Measure
            Names as in ``ilk list measures``.
        only : bool
            Whether they replace the present measures; the first one ranks.
        """
        tables = [_measure(measure) for measure in measures]
        return replace(self, design=self.design.with_measures(tables, only=only))

    def table(self) -> pd.DataFrame:
        """One row per data set and each pipeline that is tried on it.

        Returns
        -------
        DataFrame
            Columns dataset and pipeline; for each measure its estimate and, as
            ``<measure>_spread``, the standard deviation over the splits; rank (by the first
            measure, 1 is best, among the pipelines planned on all data sets); fit_seconds;
            n_failed, n_fallback, n_missing. Estimates, spreads and ranks are NaN where cells
            failed or are missing.
        """
        import pandas as pd

        grids: dict[str, pd.DataFrame] = {}
        for name, estimates in self._scored.estimates.items():
            grids[name] = estimates
            grids[f"{name}_spread"] = self._scored.spreads[name]
        grids |= {"rank": self._ranks(), "fit_seconds": self._scored.fit_seconds}
        grids |= self._counts()
        labels = self._scored.n_failed
        table = pd.DataFrame(
            {
                "dataset": np.repeat(labels.index.to_numpy(), labels.shape[1]),
                "pipeline": np.tile(labels.columns.to_numpy(), labels.shape[0]),
            }
        )
        table = table.assign(**{name: grid.to_numpy().ravel() for name, grid in grids.items()})
        return table[self._tried().to_numpy().ravel()].reset_index(drop=True)

    def summary(self) -> pd.DataFrame:
        """One row per pipeline, over the data sets.

        Returns
        -------
        DataFrame
            Columns pipeline; the mean of each measure over the data sets that the pipeline is
            tried on (NaN where it has no estimate on one of them); rank (mean over the data
            sets that every pipeline finished); fit_seconds; n_failed, n_fallback, n_missing.
            Data sets and pipelines without any estimate are left out; `notes` names them.
            Pipelines that are planned on some data sets only have no rank.
        """
        import pandas as pd

        grids, tried = self._scored.estimates, self._tried()
        means = {name: _mean_where(grid, tried) for name, grid in grids.items()}
        ranks = self._ranks().loc[self.ranked]
        means["rank"] = with_scores(ranks).mean().reindex(tried.columns)
        means["fit_seconds"] = _mean_where(self._scored.fit_seconds, tried)
        means |= {name: grid.sum() for name, grid in self._counts().items()}
        return pd.DataFrame(means).reset_index(names="pipeline")

    def pivot(self, measure: str | None = None, *, spread: bool = False) -> pd.DataFrame:
        """Data sets by pipelines: the estimates of a measure, or their spreads.

        Parameters
        ----------
        measure : str, optional
            Label of a measure, or ``"rank"``; the first measure if left out.
        spread : bool
            Whether to give the standard deviations over the splits instead.
        """
        grids = self._scored.spreads if spread else self._scored.estimates
        grids = grids if spread else {**grids, "rank": self._ranks()}
        chosen = self.measure if measure is None else measure
        (label,) = _labels("measure", list(grids), chosen)
        return grids[label].copy()

    def aggregate(self, by: Wanted = ("dataset", "pipeline")) -> pd.DataFrame:
        """Mean, standard deviation, extremes and number of the scores, group by group.

        Parameters
        ----------
        by : str or list of str
            Of dataset, pipeline, repeat, fold.

        Returns
        -------
        DataFrame
            The columns of `by`, then measure, mean, std, min, max, n.
        """
        keys = _labels("column", ["dataset", "pipeline", "repeat", "fold"], by)
        groups = self.scores.groupby([*keys, "measure"], sort=False)["value"]
        found = groups.agg(["mean", "std", "min", "max", "size"])
        return found.rename(columns={"size": "n"}).reset_index()

    def learning_curves(self, measure: str | None = None) -> pd.DataFrame:
        """Estimates against the number of training cases, by the resampling ``learning_curve``.

        Parameters
        ----------
        measure : str, optional
            Label of a measure; the first measure if left out.

        Returns
        -------
        DataFrame
            Columns dataset, pipeline, n_train (mean over the splits), the measure, and
            ``<measure>_spread``, the standard deviation over the splits; NaN where cells failed or
            are missing. Other resamplings have one number of training cases.
        """
        (label,) = _labels("measure", list(self.design.measures), measure or self.measure)
        with self.reading() as store:
            sizes = store.split_sizes()
        return learning_table(self.design, self._by_size, label, sizes)

    def to_pandas(self, what: Frame = "table") -> pd.DataFrame:
        """Return one of the tables as a data frame.

        Parameters
        ----------
        what : {"table", "summary", "scores", "cells", "predictions", "failures"}
            ``"cells"`` has a row per cell with its outcome, ``"predictions"`` a row per cell and
            test case.
        """
        (chosen,) = _labels("table", list(get_args(Frame)), what)
        if chosen == "cells":
            with self.reading() as store:
                return cell_frame(self.whole, store)
        if chosen == "predictions":
            return prediction_frame(self.whole, self.predictions())
        if chosen in {"scores", "failures"}:
            return cast("pd.DataFrame", getattr(self, chosen)).copy()
        return self.table() if chosen == "table" else self.summary()

    @cached_property
    def failures(self) -> pd.DataFrame:
        """One row per failed cell: dataset, pipeline, repeat, fold, key, error, traceback.

        Includes cells that the fallback answered, marked in the column fallback.
        """
        import pandas as pd

        rows = []
        with self.reading() as store:
            statuses = store.statuses()
            for cell in self.design.cells:
                status = statuses.get(cell.key)
                if status in {"failed", "fallback"}:
                    outcome = store.outcome(cell.key)
                    what = (cell.key, outcome.error, outcome.traceback, status == "fallback")
                    *place, fold = self.design.place(cell)
                    rows.append((*place, fold // self.design.n_sizes, *what))
        columns = ["dataset", "pipeline", "repeat", "fold", "key", "error", "traceback", "fallback"]
        return pd.DataFrame(rows, columns=columns)

    def predictions(
        self, dataset: str | None = None, pipeline: str | None = None
    ) -> Iterator[tuple[Cell, ilk.Prediction]]:
        """Yield each cell that has a prediction, with the prediction, one at a time.

        Of learning curves, those of the whole training parts.

        Parameters
        ----------
        dataset, pipeline : str, optional
            Labels, as in the tables; only these cells are read.
        """
        part = self.filter(dataset=dataset, pipeline=pipeline) if dataset or pipeline else self
        with self.reading() as store:
            statuses = store.statuses()
            for cell in part.whole.cells:
                if statuses.get(cell.key) in {"done", "fallback"}:
                    yield cell, store.prediction(cell.key)

    def best(self) -> str:
        """Return the id of the pipeline with the lowest mean rank, of equal ones the first.

        Raises
        ------
        InputError
            If no data set was finished by every pipeline, so that there are no ranks.
        """
        ranks = self.summary().set_index("pipeline")["rank"].dropna()
        if ranks.empty:
            raise ilk.InputError(
                f"no pipeline is best by {self.measure}: no data set was finished by all of them "
                f"({self.n_failed} cells failed, {self.n_missing} are missing)"
            )
        return str(ranks.idxmin())

    def plot(
        self,
        figure: str = "ranks",
        ax: Axes | None = None,
        *,
        dataset: str | None = None,
        pipeline: str | None = None,
    ) -> Axes:
        """Draw a figure of the results; needs matplotlib (the extra ``report`` of ilk).

        Parameters
        ----------
        figure : str, default="ranks"
            A name as in ``ilk plot --list``, which `ilk_evaluation.figures.available` gives.
        ax : Axes, optional
            By default the axes of a new figure.
        dataset, pipeline : str, optional
            For a figure per data set or pipeline, unless there is only one.
        """
        import ilk_evaluation

        drawn: Axes = ilk_evaluation.figures.draw(
            self, figure, ax, dataset=dataset, pipeline=pipeline
        )
        return drawn

    def report(self, path: str | Path, *, spaces: bool = False, force: bool = False) -> Path:
        """Write the report, a page of HTML that needs no network; return its path.

        Parameters
        ----------
        path : str or Path
            An earlier report is replaced.
        spaces : bool
            Whether to load data again and fit metric learners for pictures of their spaces.
        force : bool
            Whether to replace another file, too.
        """
        import ilk_evaluation

        written: Path = ilk_evaluation.write_report(self, path, spaces=spaces, force=force)
        return written

    def pipeline(self, pipeline: str) -> ilk.Pipeline:
        """Return a pipeline of the experiment, as it was tried and not fitted.

        Parameters
        ----------
        pipeline : str
            Its id, as in the tables.

        Raises
        ------
        InputError
            If there is no such pipeline; the message names the nearest.
            Also if it has objects that no spec can name, and was run in another session.
        SpecError
            If a component of it is no longer installed.
        """
        from sklearn.base import clone

        (label,) = _labels("pipeline", [one.label for one in self.design.pipelines], pipeline)
        (key,) = {one.key for one in self.design.pipelines if one.label == label}
        if key in self.pipelines:
            return clone(self.pipelines[key])  # type: ignore[no-any-return]  # Any
        with self.reading() as store:
            steps = store.pipelines()[key]["spec"]
        lost = objects_in(steps)
        if lost:
            raise ilk.InputError(
                f"pipeline {label!r} has objects of Python, which the store does not hold "
                f"({', '.join(lost)}): build it as it was given to the experiment"
            )
        return ilk.build({"steps": steps}, kind="classifier")  # type: ignore[no-any-return]  # Any

    def fit(self, pipeline: str, X: Any, y: Labels | None = None) -> ilk.Pipeline:
        """Fit a pipeline of the experiment on all given cases, for predictions of new ones.

        Parameters
        ----------
        pipeline : str
            Its id, as in the tables.
        X : array, data frame or list of n cases
            Or, without `y`: `ilk.Data`, a data set, its name or spec.
        y : array of shape (n,), optional

        Returns
        -------
        ilk.Pipeline
            Fitted, with random states that follow from the seed of the experiment; `ilk.save`
            writes it to a file.
        """
        data = as_data(X if y is None else (X, y), "fit")
        return fit_on_all(self.pipeline(pipeline), data, self.design.seed)

    def reading(self) -> AbstractContextManager[Store]:
        """Open the store for reading, unless it is open."""
        store = self.store
        return nullcontext(store) if store.is_open or store.path is None else Store.read(store.path)

    @cached_property
    def whole(self) -> Design:
        """The design without the smaller training parts of learning curves."""
        return self.design.at_size(0)

    @property
    def _scored(self) -> Scored:
        return self._by_size[0]

    @cached_property
    def _by_size(self) -> list[Scored]:
        """Scores at each training size; most experiments have one."""
        with self.reading() as store:
            sizes = range(self.design.n_sizes)
            return [score(self.design.at_size(position), store) for position in sizes]

    def _total(self, count: str) -> int:
        return sum(int(getattr(scored, count).to_numpy().sum()) for scored in self._by_size)

    @cached_property
    def _compared(self) -> tuple[list[ilk.Verdict], list[str]]:
        return compare(self.whole, self._scored, PredictionSource(self.whole, self.reading))

    @cached_property
    def _warnings(self) -> list[str]:
        with self.reading() as store:
            return notes.warned(self.design, store.warnings())

    @cached_property
    def _shortcuts(self) -> list[str]:
        with self.reading() as store:
            together = notes_on(self.design, store.answered_together())
            return [*together, *notes.of_sharing(self.design, store)]

    @cached_property
    def _about(self) -> list[str]:
        """Notes on ranks and measures."""
        ranks = notes.of_ranks(self.design, self.pivot(), self.ranked)
        with self.reading() as store:
            return [*ranks, *notes.of_measures(self.design, store)]

    @cached_property
    def _read(self) -> list[str]:
        """Notes on the data sets: guesses of readers, probable errors, classes of splits."""
        with self.reading() as store:
            known = recorded_notes(store, self.design.name)
        labels = [one.label for one in self.design.datasets]
        return [f"{label}: {note}" for label in labels for note in known.get(label, ())]

    @cached_property
    def _beside(self) -> list[str]:
        with self.reading() as store:
            return notes.beside(self.design, store)

    def _ranks(self) -> pd.DataFrame:
        better = self.design.measures[self.measure].greater_is_better
        estimates = self._scored.estimates[self.measure].copy()
        estimates[list(self.design.partial)] = np.nan
        return ranks(estimates, greater_is_better=better)

    def _tried(self) -> pd.DataFrame:
        """Data sets by pipelines: whether there is a cell."""
        import pandas as pd

        like = self._scored.n_failed
        pairs = {(cell.dataset, cell.pipeline) for cell in self.design.cells}
        grid = [[(d, p) in pairs for p in range(like.shape[1])] for d in range(like.shape[0])]
        return pd.DataFrame(grid, index=like.index, columns=like.columns)

    def _counts(self) -> dict[str, pd.DataFrame]:
        names = ("n_failed", "n_fallback", "n_missing")
        return {name: getattr(self._scored, name) for name in names}


def _mean_where(grid: pd.DataFrame, wanted: pd.DataFrame) -> pd.Series[float]:
    """Mean of the wanted cells of each column; NaN if one of them is NaN.

    Rows that are all NaN are left out.
    """
    wanted = wanted.loc[grid.notna().any(axis=1)]
    grid = grid.loc[wanted.index]
    total = grid.where(wanted, 0.0).sum(skipna=False)
    return total / wanted.sum()


def _labels(what: str, labels: list[str], wanted: Wanted) -> list[str]:
    """Return the wanted labels; by default all."""
    if wanted is None:
        return labels
    listed = isinstance(wanted, Iterable) and not isinstance(wanted, str)
    chosen: list[str] = list(dict.fromkeys(wanted)) if listed else [cast("str", wanted)]
    if not chosen:
        raise ilk.InputError(f"no {what} is wanted: an empty list leaves nothing")
    for label in chosen:
        if label not in labels:
            hint = ilk.did_you_mean(label, labels)
            raise ilk.InputError(
                f"there is no {what} {label!r}{hint} (there are: {', '.join(labels)})"
            )
    return chosen


def _measure(measure: Any) -> dict[str, Any]:
    """Return the canonical table of a measure."""
    return ilk.resolve(measure, kind="measure").data  # type: ignore[no-any-return]


def _among(wanted: int | Iterable[int] | None) -> Callable[[int], bool]:
    if wanted is None:
        return lambda _: True
    chosen = {wanted} if isinstance(wanted, int) else set(wanted)
    return lambda value: value in chosen
