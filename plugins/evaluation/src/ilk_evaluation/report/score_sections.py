"""Sections of scores: overview, data sets, time against the measure, comparisons."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ilk_evaluation.figures import score_figures
from ilk_evaluation.figures.figure_data import FigureData, direction
from ilk_evaluation.report.blocks import (
    MOST_DATASETS,
    Figures,
    Folded,
    Group,
    Heading,
    Section,
    Text,
    beyond,
    count,
    listed,
    shortened,
    texts,
)
from ilk_evaluation.report.report_tables import (
    Column,
    Table,
    number,
    records,
    seconds,
    words,
)
from ilk_evaluation.results.export import summary_spreads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd


def facts(figure_data: FigureData) -> str:
    """Describe the experiment in a line."""
    from ilk_evaluation.plan.design import short_resampling

    design = figure_data.results.design
    parts = (
        count(len(design.datasets), "data set"),
        count(len(design.pipelines), "pipeline"),
        count(design.n_cells, "cell"),
        short_resampling(design),
        f"seed {design.seed}",
    )
    return " · ".join(parts)


def summary(figure_data: FigureData) -> Section:
    """Return the verdict in words and the table of pipelines over all data sets."""
    lead = texts(*verdict(figure_data), class_="lead")
    notes = texts(*_footnotes(figure_data), class_="note")
    blocks = [*state(figure_data), *lead, _summary_table(figure_data), *notes]
    return Section("summary", "Summary", blocks)


def verdict(figure_data: FigureData) -> Iterator[str]:
    """Name the best pipeline by the ranking measure, and whether the difference may be chance."""
    ranked = figure_data.summary.dropna(subset=["rank"]).sort_values("rank", kind="stable")
    measure = figure_data.measure
    if not len(ranked):
        yield (
            f"No data set has an estimate of {measure} from every pipeline, so that they cannot "
            f"be ranked."
        )
        return
    n = len(figure_data.complete)
    best = [str(name) for name in ranked.loc[ranked["rank"] == ranked["rank"].min(), "pipeline"]]
    if len(ranked) == 1:
        only = "was tried" if len(figure_data.summary) == 1 else "has estimates"
        yield f"One pipeline {only}, {best[0]}: there is nothing to compare it with."
        return
    yield _ranking(figure_data, ranked, best, n)
    verdicts = figure_data.results.verdicts
    if verdicts:
        yield shortened(verdicts[0].text)
    else:
        yield "No comparison tests whether these differences are significant."


def _ranking(figure_data: FigureData, ranked: pd.DataFrame, best: list[str], n: int) -> str:
    measure, others = figure_data.measure, ranked[~ranked["pipeline"].isin(best)]
    have = "have" if len(best) > 1 else "has"
    if n == 1:
        level: Any = figure_data.results.pivot(measure).loc[figure_data.complete[0], best[0]]
        superlative = "highest" if figure_data.greater_is_better else "lowest"
        text = (
            f"{_and(best)} {have} the {superlative} {measure} on {figure_data.complete[0]}, "
            f"{number(level)}"
        )
    else:
        text = (
            f"{_and(best)} {have} the best mean rank by {measure} ({direction(figure_data)}): "
            f"{ranked['rank'].min():.2f}"
        )
    if len(others) and n > 1:
        next_ = others.iloc[0]
        text += f", before {next_['pipeline']} with {next_['rank']:.2f}"
    where = f"the {count(n, 'data set')} that every pipeline finished" if n > 1 else ""
    return text + (f", over {where}." if where else ".")


def _and(names: list[str]) -> str:
    if len(names) > 4:
        return listed(names, 3)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def state(figure_data: FigureData) -> Iterator[Text]:
    """Report the cells that failed or are not done."""
    results, n = figure_data.results, len(figure_data.results.design.cells)
    if results.n_missing:
        unfinished = (
            f"This run is not finished: {results.n_missing:,} of {count(n, 'cell')} are not done "
            f"yet. The page shows the state when it was written."
        )
        yield Text(unfinished, "state")
    for number_, what in (
        (results.n_failed, "failed; their estimates are left out, not guessed"),
        (results.n_fallback, "failed and were answered by the fallback instead"),
    ):
        if number_:
            yield Text(f"{number_:,} of {count(n, 'cell')} {what}", "state", link="#failures")


def _measure_columns(figure_data: FigureData, *, spread: bool) -> list[Column]:
    """Return a column for each measure and time, with its better direction."""
    columns = []
    for name, measure in figure_data.results.design.measures.items():
        up, time = measure.greater_is_better, measure.needs == "seconds"
        columns.append(_column(name, up=up, time=time, spread=spread))
    if not any(column.key == "fit_seconds" for column in columns):
        columns.insert(-1, _column("fit_seconds", up=False, time=True, spread=False))
    return columns


def _column(name: str, *, up: bool, time: bool, spread: bool) -> Column:
    better = "higher" if up else "lower"
    title = f"{name}: {better} is better"
    return Column(
        words(name.removesuffix("_seconds") if time else name),
        name,
        seconds if time else number,
        numeric=True,
        title=title + (", mean wall-clock time of a split" if time else ""),
        spread=f"{name}_spread" if spread and not time else None,
        better=better,
    )


def _count_columns(figure_data: FigureData) -> list[Column]:
    """Return the columns of numbers of failed, fallback and missing cells."""
    columns = [
        Column("failed", "n_failed", numeric=True, title="cells that failed"),
        Column("missing", "n_missing", numeric=True, title="cells that are not done yet"),
    ]
    if figure_data.results.n_fallback:
        title = "cells that failed and were answered by the fallback"
        columns.insert(1, Column("fallback", "n_fallback", numeric=True, title=title))
    return columns


def _rank_column(figure_data: FigureData, *, mean: bool) -> Column:
    """Return the column of ranks."""
    what = "mean rank" if mean else "rank"
    return Column(
        what,
        "rank",
        lambda value: number(value, 2 if mean else 1),
        numeric=True,
        title=f"{what} by {figure_data.measure}, 1 is best",
    )


def _summary_table(figure_data: FigureData) -> Table:
    import pandas as pd

    columns = [
        Column("pipeline", "pipeline"),
        _rank_column(figure_data, mean=True),
        *_measure_columns(figure_data, spread=True),
        *_count_columns(figure_data),
    ]
    least = figure_data.summary["rank"].min()
    frame = pd.concat([figure_data.summary, summary_spreads(figure_data.results)], axis=1)
    over = "data sets" if len(figure_data.datasets) > 1 else "splits"
    return Table(
        f"Means over the {over} of each pipeline ± standard deviation over the {over}, best mean "
        f"rank first",
        columns,
        records(frame.sort_values("rank", kind="stable")),
        "summary-table",
        best=lambda row: bool(row["rank"] == least),
        filter_names={},
    )


def _footnotes(figure_data: FigureData) -> Iterator[str]:
    n, all_ = len(figure_data.complete), len(figure_data.datasets)
    partial = figure_data.results.design.partial
    unranked = figure_data.summary.loc[figure_data.summary["rank"].isna(), "pipeline"]
    silent = [name for name in unranked if name not in partial]
    if partial:
        yield f"Planned on some data sets only, and not ranked: {listed(list(partial))}."
    if n and silent:
        yield f"Without any estimate, and not ranked: {listed([str(name) for name in silent])}."
    if n and n < all_:
        left = [name for name in figure_data.datasets if name not in set(figure_data.complete)]
        yield (
            f"Mean ranks are over the {n} of {all_} data sets that every pipeline finished; left "
            f"out: {listed(left)}."
        )
    measures = list(figure_data.results.design.measures)
    if figure_data.summary[measures].isna().any().any():
        yield (
            "– means that a pipeline has no estimate on one of its data sets: a mean over the "
            "others would not be comparable."
        )


def estimate_section(figure_data: FigureData, figures: Figures) -> Section:
    """Return the table of data sets by pipelines, a figure per data set, and all estimates."""
    every = Folded(
        "All measures, ranks and times",
        [_all_estimates(figure_data)],
        open=len(figure_data.table) <= 40,
    )
    blocks = [_estimate_grid(figure_data), *_estimate_figures(figure_data, figures), every]
    return Section("datasets", "Data set by data set", blocks)


def learning_section(figure_data: FigureData, figures: Figures) -> list[Section]:
    """Return the learning curves; no section if all cells have the same training size."""
    spec = next(score_figures.learning_figures(figure_data))
    drawn = [figures.embed(spec.figure(*place)) for place in spec.places[:MOST_DATASETS]]
    if not drawn:
        return []
    text = (
        f"Bands reach one standard deviation over the splits to either side. All sizes are tested "
        f"on the same cases; tables, ranks and comparisons are of the whole training parts. "
        f"{beyond(len(spec.places), 'data set')}"
    )
    return [Section("learning", "Learning curves", [Text(text, "note"), Group("pair", drawn)])]


def _estimate_grid(figure_data: FigureData) -> Table:
    """Data sets by pipelines: the ranking measure."""
    import pandas as pd

    name, better = figure_data.measure, max if figure_data.greater_is_better else min
    grid = figure_data.results.pivot(name)[figure_data.order]
    spreads = figure_data.results.pivot(name, spread=True)[figure_data.order]
    write = seconds if figure_data.results.design.measures[name].needs == "seconds" else number

    def is_best(column: int, row: Mapping[str, Any]) -> bool:
        there = [row[f"v{i}"] for i in range(len(figure_data.order)) if not pd.isna(row[f"v{i}"])]
        return bool(there) and bool(row[f"v{column}"] == better(there))

    columns = [Column("data set", "dataset")]
    columns += [
        Column(
            pipeline,
            f"v{at}",
            write,
            numeric=True,
            spread=f"s{at}",
            marked=partial(is_best, at),
        )
        for at, pipeline in enumerate(figure_data.order)
    ]
    rows = []
    for dataset in figure_data.datasets:
        values = dict(zip((c.key for c in columns[1:]), grid.loc[dataset], strict=True))
        around = {f"s{at}": spread for at, spread in enumerate(spreads.loc[dataset])}
        rows.append({"dataset": dataset, **values, **around})
    caption = (
        f"{name} ({direction(figure_data)}) and its standard deviation over the splits; pipelines "
        f"by mean rank, the best of each data set in bold"
    )
    return Table(caption, columns, rows, "datasets-table", filter_names={})


def _estimate_figures(figure_data: FigureData, figures: Figures) -> list[Any]:
    spec = next(score_figures.estimate_figures(figure_data))
    shown = spec.places[:MOST_DATASETS]
    drawn = [figures.embed(spec.figure(*place), data=False) for place in shown]
    if not drawn:
        return texts(f"No figures: {spec.lacking}.", class_="note")
    text = (
        f"Bars reach one standard deviation over the splits to either side. Splits share training "
        f"cases, so that bars that do not overlap prove nothing; the best one is in colour. "
        f"{beyond(len(spec.places), 'data set')} {figure_data.left_out}"
    )
    heading = Heading(f"{words(figure_data.measure).capitalize()} on each data set")
    return [heading, Text(text, "note"), Group("multiples", drawn)]


def _all_estimates(figure_data: FigureData) -> Table:
    measures = _measure_columns(figure_data, spread=True)
    columns = [
        Column("data set", "dataset"),
        Column("pipeline", "pipeline"),
        _rank_column(figure_data, mean=False),
        *measures,
        *_count_columns(figure_data),
    ]
    least = figure_data.table.groupby("dataset")["rank"].transform("min")
    frame = figure_data.table.assign(_best=figure_data.table["rank"] == least)
    return Table(
        "Estimates of every pipeline on every data set, the best of each marked",
        columns,
        records(frame),
        "estimates-table",
        best=lambda row: bool(row["_best"]),
        filter_names={"dataset": "Data set", "pipeline": "Pipeline"},
    )


def time_section(figure_data: FigureData, figures: Figures) -> Section:
    """Return the figure of seconds against the ranking measure, or why there is none."""
    spec = next(score_figures.time_figures(figure_data))
    blocks: list[Any] = texts(spec.lacking and f"There is no such figure: {spec.lacking}.")
    if not spec.lacking:
        figure = spec.figure()
        legend = "The line joins the pipelines that no other one beats in both; they are in colour."
        blocks = [Text(legend, "note"), Text(figure.text), figures.embed(figure)]
    return Section("time", f"Time against {words(figure_data.measure)}", blocks)
