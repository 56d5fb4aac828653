"""Scores from stored predictions: per split, estimates, spreads, ranks, learning, verdicts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_evaluation.resamplings.bootstrap import no_information

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from ilk_evaluation.plan.design import Cell, Design
    from ilk_evaluation.results.prediction_source import PredictionSource
    from ilk_evaluation.run.store import Store

POOLED = -1
"""Fold number of a score over all folds of a repeat."""
MOST_SAID = 3
"""Reasons listed per measure, data set and pipeline; the others are counted."""
COLUMNS = ["dataset", "pipeline", "measure", "repeat", "fold", "value"]


@dataclass
class Scored:
    """Scores of an experiment.

    Attributes
    ----------
    scores : DataFrame
        One row per finished cell and measure: dataset, pipeline, measure, repeat, fold, value.
        A pooled measure has one row per repeat, with fold -1.
    estimates : dict of str to DataFrame
        By measure: data sets by pipelines, computed by the resampling; NaN where cells failed.
    spreads : dict of str to DataFrame
        By measure: standard deviation over the splits (over the repeats if pooled), as the
        resampling computes it.
    fit_seconds : DataFrame
        Data sets by pipelines: mean over the finished cells.
    n_failed, n_fallback, n_missing : DataFrame
        Data sets by pipelines: numbers of cells that failed, were answered by the fallback, or
        were not run.
    notes : list of str
        Scores that could not be computed, and why.
    """

    scores: pd.DataFrame
    estimates: dict[str, pd.DataFrame]
    spreads: dict[str, pd.DataFrame]
    fit_seconds: pd.DataFrame
    n_failed: pd.DataFrame
    n_fallback: pd.DataFrame
    n_missing: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def score(design: Design, store: Store) -> Scored:
    """Score every cell of a design from the store; nothing is fitted."""
    import pandas as pd

    statuses = store.statuses()
    shape = len(design.datasets), len(design.pipelines)
    estimates = {name: np.full(shape, np.nan) for name in design.measures}
    spreads = {name: np.full(shape, np.nan) for name in design.measures}
    fit_seconds, numbers = np.full(shape, np.nan), np.zeros((3, *shape), dtype=int)
    rows: list[tuple[Any, ...]] = []
    notes: list[str] = []
    for labels, cells in _by_row(design):
        at = cells[0].dataset, cells[0].pipeline
        count = Counter(statuses.get(cell.key, "missing") for cell in cells)
        fine = [cell for cell in cells if statuses.get(cell.key) in {"done", "fallback"}]
        seconds: list[float] = []
        scores = list(_scores(design, store, fine, seconds, notes))
        rows += [(*labels, *row) for row in scores]
        numbers[:, *at] = count["failed"], count["fallback"], count["missing"]
        fit_seconds[at] = np.mean(seconds) if seconds else np.nan
        complete = len(fine) == len(cells)
        for measure in design.measures:
            values = [value for name, _, _, value in scores if name == measure]
            if complete:
                found = _estimate(design, store, fine[0], measure, values, notes)
                estimates[measure][at], spreads[measure][at] = found
    return Scored(
        pd.DataFrame(rows, columns=COLUMNS),
        {name: _grid(design, values) for name, values in estimates.items()},
        {name: _grid(design, values) for name, values in spreads.items()},
        _grid(design, fit_seconds),
        _grid(design, numbers[0]),
        _grid(design, numbers[1]),
        _grid(design, numbers[2]),
        list(dict.fromkeys(notes)),
    )


def _grid(design: Design, values: np.ndarray) -> pd.DataFrame:
    import pandas as pd

    index = pd.Index([one.label for one in design.datasets], name="dataset")
    columns = pd.Index([one.label for one in design.pipelines], name="pipeline")
    return pd.DataFrame(values, index=index, columns=columns)


def first_estimates(design: Design, store: Store) -> pd.DataFrame:
    """Estimate the ranking measure: data sets by pipelines, NaN where cells failed."""
    evaluation = {**design.evaluation, "comparisons": []}
    evaluation["measures"] = evaluation["measures"][:1]
    whole = replace(design, evaluation=evaluation).at_size(0)
    (estimates,) = score(whole, store).estimates.values()
    return estimates


def _by_row(design: Design) -> Iterator[tuple[tuple[str, str], list[Cell]]]:
    """Yield the cells of each data set and pipeline, in the order of their splits."""
    ordered = sorted(design.cells, key=lambda cell: (cell.dataset, cell.pipeline, cell.split))
    for _, group in groupby(ordered, key=lambda cell: (cell.dataset, cell.pipeline)):
        cells = list(group)
        yield design.place(cells[0])[:2], cells


def _scores(
    design: Design, store: Store, cells: Sequence[Cell], seconds: list[float], notes: list[str]
) -> Iterator[tuple[str, int, int, float]]:
    """Yield measure, repeat, fold and value, reading one prediction (or repeat) at a time."""
    pooled = {name: m for name, m in design.measures.items() if m.pooled}
    single = {name: m for name, m in design.measures.items() if not m.pooled}

    remarks: Counter[tuple[str, str, str]] = Counter()
    asked: Counter[str] = Counter()

    def value(name: str, measure: ilk.Measure, prediction: ilk.Prediction) -> float:
        asked[name] += 1
        try:
            score = float(measure(prediction))
            remarks.update((name, "for", remark) for remark in measure.remarks(prediction))
        except ilk.IlkError as error:
            remarks[name, "was not computed for", str(error)] += 1
            return float("nan")
        return score

    for repeat, group in groupby(cells, key=lambda cell: cell.repeat):
        together = []
        for cell in group:
            prediction = store.prediction(cell.key)
            seconds.append(prediction.fit_seconds)
            if pooled:
                together.append(prediction)
            for name, measure in single.items():
                yield name, repeat, cell.fold, value(name, measure, prediction)
        for name, measure in pooled.items():
            yield name, repeat, POOLED, value(name, measure, pool(together))
    if remarks:
        notes += _told(remarks, asked, f"{design.dataset(cell)}, {design.pipeline(cell)}")


def _estimate(
    design: Design,
    store: Store,
    first: Cell,
    name: str,
    values: Sequence[float],
    notes: list[str],
) -> tuple[float, float]:
    """Estimate a measure and its spread by the resampling; NaN and a note if it cannot."""
    scheme, measure = design.resampling, design.measures[name]
    try:
        spread = float(scheme.spread(values))
        if not scheme.needs_no_information:
            return float(scheme.estimate(values)), spread
        rate = float("nan")
        if not np.isnan(values).any():
            rate = no_information(measure, store.prediction(first.key))
        informed: Any = scheme.estimate
        better = measure.greater_is_better
        return float(informed(values, no_information=rate, greater_is_better=better)), spread
    except ilk.IlkError as error:
        notes.append(
            f"{name} was not estimated for {design.dataset(first)}, {design.pipeline(first)}: "
            f"{error}"
        )
        return float("nan"), float("nan")


def _told(remarks: Counter[tuple[str, str, str]], asked: Counter[str], row: str) -> Iterator[str]:
    """Write remarks on scores: the most frequent ones, with their numbers."""
    for name, what in dict.fromkeys((name, what) for name, what, _ in remarks):
        reasons = Counter(
            {reason: n for (*about, reason), n in remarks.items() if about == [name, what]}
        )
        for reason, n in reasons.most_common(MOST_SAID):
            share = f" ({n} of {asked[name]} scores)" if n < asked[name] else ""
            yield f"{name} {what} {row}: {reason}{share}"
        if len(reasons) > MOST_SAID:
            left = len(reasons) - MOST_SAID
            yield f"{name} {what} {row}: {left} more reason{'s' * (left != 1)} of this kind"


def pool(predictions: Sequence[ilk.Prediction]) -> ilk.Prediction:
    """Concatenate the predictions of several splits; seconds are summed, reductions averaged."""

    def joined(name: str) -> Any:
        parts = [getattr(prediction, name) for prediction in predictions]
        return None if any(part is None for part in parts) else np.concatenate(parts)

    arrays = ("probabilities", "scores", "rejected", "indices", "silhouettes")
    return ilk.Prediction(
        joined("truth"),
        joined("labels"),
        predictions[0].classes,
        **{name: joined(name) for name in arrays},
        fit_seconds=sum(p.fit_seconds for p in predictions),
        predict_seconds=sum(p.predict_seconds for p in predictions),
        saved_seconds=sum(p.saved_seconds for p in predictions),
        reduction=float(np.mean([p.reduction for p in predictions])),
        predictor=predictions[0].predictor,
    )


def ranks(estimates: pd.DataFrame, *, greater_is_better: bool) -> pd.DataFrame:
    """Rank the pipelines on each data set, 1 is best; NaN for pipelines without an estimate."""
    import pandas as pd

    given = estimates.to_numpy(dtype=float)
    result = np.full(given.shape, np.nan)
    for row, ranked in zip(given, result, strict=True):
        there = ~np.isnan(row)
        if there.any():
            ranked[there] = ilk.rank_rows(row[there][None], greater_is_better=greater_is_better)[0]
    return pd.DataFrame(result, index=estimates.index, columns=estimates.columns)


def learning_table(
    design: Design,
    by_size: Sequence[Scored],
    measure: str,
    sizes: Mapping[str, tuple[float, int]],
) -> pd.DataFrame:
    """Estimates and spreads of a measure at each training size, as `Results.learning_curves`.

    Parameters
    ----------
    design : Design
    by_size : sequence of Scored
        In the order of `Design.at_size`.
    measure : str
    sizes : mapping
        Numbers of training and test cases by the keys of splits.
    """
    import pandas as pd

    rows: list[tuple[Any, ...]] = []
    for position, scored in enumerate(by_size):
        numbers: dict[tuple[str, str], list[float]] = {}
        part = design.at_size(position)
        for cell in part.cells:
            n_train = sizes.get(cell.split_key, (np.nan, 0))[0]
            numbers.setdefault(part.place(cell)[:2], []).append(n_train)
        for at, found in numbers.items():
            known = np.array(found)[~np.isnan(found)]
            mean = known.mean() if known.size else np.nan
            values = scored.estimates[measure].loc[at], scored.spreads[measure].loc[at]
            rows.append((*at, mean, *values))
    columns = ["dataset", "pipeline", "n_train", measure, f"{measure}_spread"]
    table = pd.DataFrame(rows, columns=columns)
    order = {one.label: at for at, one in enumerate((*design.datasets, *design.pipelines))}
    keys = table["dataset"].map(order), table["pipeline"].map(order), table["n_train"]
    return table.iloc[np.lexsort(keys[::-1])].reset_index(drop=True)


def compare(
    design: Design, scored: Scored, source: PredictionSource
) -> tuple[list[ilk.Verdict], list[str]]:
    """Return the verdicts, and notes on comparisons that could not be computed."""
    name, measure = next(iter(design.measures.items()))
    copies, partial = _copies(design), list(design.partial)
    table = scored.scores[scored.scores["measure"] == name].drop(columns="measure")
    sizes = source.sizes() if design.comparisons else None
    scores = ilk.Scores(
        table=table[~table["dataset"].isin(copies) & ~table["pipeline"].isin(partial)],
        measure=name,
        greater_is_better=measure.greater_is_better,
        resampling=ilk.display_name(design.resampling),
        pipelines=tuple(one.label for one in design.pipelines if one.label not in partial),
        datasets=tuple(one.label for one in design.datasets if one.label not in copies),
        means=scored.estimates[name].drop(index=list(copies), columns=partial),
        predictions=source.predictions,
        sizes=None if sizes is None else sizes[~sizes["dataset"].isin(copies)],
    )
    verdicts: list[ilk.Verdict] = []
    notes = [
        f"comparisons leave out {copy}: it is the same data as {first}"
        for copy, first in copies.items()
        if design.comparisons
    ]
    for label, comparison in design.comparisons.items():
        try:
            verdicts.append(comparison.compare(scores))
        except ilk.InputError as error:
            notes.append(f"{label} was not computed: {error}")
    return verdicts, notes


def _copies(design: Design) -> dict[str, str]:
    """Data sets with the same data and pipelines as an earlier one, and the earlier one."""
    tried: dict[int, set[int]] = {}
    for cell in design.cells:
        tried.setdefault(cell.dataset, set()).add(cell.pipeline)
    first: dict[tuple[str, frozenset[int]], str] = {}
    copies = {}
    for position, one in enumerate(design.datasets):
        known = first.setdefault((one.key, frozenset(tried.get(position, ()))), one.label)
        if known != one.label:
            copies[one.label] = known
    return copies
