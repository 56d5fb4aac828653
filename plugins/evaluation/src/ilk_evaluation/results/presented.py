"""Tables of results for papers: mean and spread in a cell, the best in bold, ranks rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from ilk_evaluation.results.experiment_results import Results


class Tex(str):
    """Text that is LaTeX, not escaped again."""

    __slots__ = ()


def for_paper(results: Results, what: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table of `Results.to_pandas`, or ``"pivot"``, with cells in LaTeX.

    The best of each data set (of all pipelines, in the summary) is bold. Spreads are standard
    deviations over the splits, in the summary over the data sets. Other tables are unchanged.
    """
    if what == "pivot":
        return _pivot(results, frame)
    if what not in {"table", "summary"}:
        return frame
    groups = frame["dataset"] if what == "table" else pd.Series(0, frame.index)
    spreads = frame if what == "table" else summary_spreads(results)
    cells: dict[str, Any] = {}
    for name, measure in results.design.measures.items():
        if name in frame:
            around = spreads.get(f"{name}_spread", pd.Series(np.nan, frame.index))
            by_group = frame[name].groupby(groups)
            best = by_group.transform("max" if measure.greater_is_better else "min")
            cells[name] = _cells(frame[name], around, frame[name] == best, 4)
    if "rank" in frame:
        best = frame["rank"].groupby(groups).transform("min")
        nothing = pd.Series(np.nan, frame.index)
        digits = 1 if what == "table" else 2
        cells["rank"] = _cells(frame["rank"], nothing, frame["rank"] == best, digits)
    return frame.assign(**cells).drop(columns=[f"{name}_spread" for name in cells], errors="ignore")


def summary_spreads(results: Results) -> pd.DataFrame:
    """Return the spread of each measure for each row of the summary.

    It is the standard deviation over the data sets, over the splits if there is one data set; NaN
    where the mean is not finite.
    """
    summary, table = results.summary(), results.table()
    names = list(results.design.measures)
    around = [f"{name}_spread" for name in names]
    by_pipeline = table.set_index("pipeline")
    if len(results.design.datasets) == 1:
        spreads = by_pipeline.reindex(columns=around)
    else:
        finite = by_pipeline[names].replace([np.inf, -np.inf], np.nan)
        spreads = finite.groupby("pipeline").std().set_axis(around, axis=1)
    spreads = spreads.reindex(summary["pipeline"]).reset_index(drop=True)
    return spreads.where(np.isfinite(summary[names].to_numpy(float)))


def _pivot(results: Results, frame: pd.DataFrame) -> pd.DataFrame:
    """Data sets by pipelines, the best of each row in bold."""
    values = results.pivot().reset_index(drop=True)
    spreads = results.pivot(spread=True).reset_index(drop=True)
    up = results.design.measures[results.measure].greater_is_better
    best = values.max(axis=1) if up else values.min(axis=1)
    cells: dict[str, Any] = {
        str(name): _cells(values[name], spreads[name], values[name] == best, 4) for name in values
    }
    return frame.assign(**cells)


def _cells(values: pd.Series, spreads: pd.Series, best: pd.Series, digits: int) -> pd.Series:
    rows = zip(values, spreads, best, strict=True)
    return pd.Series([_cell(*row, digits) for row in rows], values.index, dtype=object)


def _cell(value: float, spread: float, best: bool, digits: int) -> Tex:
    if pd.isna(value):
        return Tex("-")
    text = f"{value:.{digits}f}"
    if np.isinf(value):
        text = r"$\infty$" if value > 0 else r"$-\infty$"
    text = rf"\textbf{{{text}}}" if best else text
    return Tex(text if pd.isna(spread) else rf"{text} $\pm$ {spread:.{digits}f}")
