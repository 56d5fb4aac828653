"""Sections of scores: overview, data sets, time against the measure, comparisons."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from ilk_evaluation.figures import score_figures
from ilk_evaluation.figures.figure_data import FigureData, direction
from ilk_evaluation.report.components import (
    MOST_DATASETS,
    Figures,
    Section,
    beyond,
    count,
    folded,
    listed,
    paragraphs,
    shortened,
)
from ilk_evaluation.report.markup import (
    Column,
    Html,
    columns_of,
    element,
    html,
    number,
    seconds,
    short_value,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import ilk


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
    lead = [element("p", text, class_="lead") for text in verdict(figure_data)]
    states = [element("p", text, class_="state") for text in state(figure_data)]
    return Section("summary", "Summary", Html("".join([*states, *lead, _table(figure_data)])))


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


def state(figure_data: FigureData) -> Iterator[str | Html]:
    """Report the cells that failed or are not done."""
    results, n = figure_data.results, len(figure_data.results.design.cells)
    if results.n_missing:
        yield (
            f"This run is not finished: {results.n_missing:,} of {count(n, 'cell')} are not done "
            f"yet. The page shows the state when it was written."
        )
    link = element("a", "details", href="#failures")
    for number_, what in (
        (results.n_failed, "failed; their estimates are left out, not guessed"),
        (results.n_fallback, "failed and were answered by the fallback instead"),
    ):
        if number_:
            yield html([f"{number_:,} of {count(n, 'cell')} {what} (", link, ")."])


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
    title = f"{name}: {'higher' if up else 'lower'} is better"
    return Column(
        _directed(name.removesuffix("_seconds") if time else name, up=up),
        name,
        seconds if time else number,
        numeric=True,
        title=title + (", mean wall-clock time of a split" if time else ""),
        spread=f"{name}_spread" if spread and not time else None,
    )


def _directed(name: str, *, up: bool) -> Html:
    """Write a name with an arrow in the better direction."""
    arrow = element("span", "↑" if up else "↓", class_="direction", aria_hidden="true")
    hint = element("span", f" ({'higher' if up else 'lower'} is better)", class_="unseen")
    return Html(element("span", name) + Html("\u00a0") + arrow + hint)


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


def _table(figure_data: FigureData) -> Html:
    columns = [
        Column("pipeline", "pipeline"),
        _rank_column(figure_data, mean=True),
        *_measure_columns(figure_data, spread=False),
        *_count_columns(figure_data),
    ]
    rows: list[Any] = figure_data.summary.sort_values("rank", kind="stable").to_dict("records")
    least = figure_data.summary["rank"].min()
    written = table(
        "Means over the data sets of each pipeline, best mean rank first",
        columns,
        rows,
        id_="summary-table",
        best=lambda row: bool(row["rank"] == least),
        filters={},
    )
    return Html(written + paragraphs(*_footnotes(figure_data), class_="note"))


def _footnotes(figure_data: FigureData) -> Iterator[str]:
    n, all_ = len(figure_data.complete), len(figure_data.datasets)
    silent = figure_data.summary.loc[figure_data.summary["rank"].isna(), "pipeline"]
    if n and len(silent):
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
    content = [
        _estimate_grid(figure_data),
        _estimate_figures(figure_data, figures),
        folded(
            "All measures, ranks and times",
            _all_estimates(figure_data),
            open_=len(figure_data.table) <= 40,
        ),
    ]
    return Section("datasets", "Data set by data set", Html("".join(content)))


def _estimate_grid(figure_data: FigureData) -> Html:
    """Data sets by pipelines: the ranking measure."""
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
    return table(caption, columns, rows, id_="datasets-table", filters={})


def _estimate_figures(figure_data: FigureData, figures: Figures) -> Html:
    spec = next(score_figures.estimate_figures(figure_data))
    shown = spec.places[:MOST_DATASETS]
    drawn = [figures.embed(spec.figure(*place), data=False) for place in shown]
    if not drawn:
        return paragraphs(f"No figures: {spec.lacking}.", class_="note")
    heading = element("h3", f"{figure_data.measure} on each data set")
    text = (
        f"Bars reach one standard deviation over the splits to either side. Splits share training "
        f"cases, so that bars that do not overlap prove nothing; the best one is in colour. "
        f"{beyond(len(spec.places), 'data set')} {figure_data.left_out}"
    )
    grid = element("div", drawn, class_="multiples")
    return Html(heading + paragraphs(text, class_="note") + grid)


def _all_estimates(figure_data: FigureData) -> Html:
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
    rows: Any = frame.to_dict("records")
    return table(
        "Estimates of every pipeline on every data set, the best of each marked",
        columns,
        rows,
        id_="estimates-table",
        best=lambda row: bool(row["_best"]),
        filters={"dataset": "Data set", "pipeline": "Pipeline"},
    )


def time_section(figure_data: FigureData, figures: Figures) -> Section:
    """Return the figure of seconds against the ranking measure, or why there is none."""
    spec = next(score_figures.time_figures(figure_data))
    if spec.lacking:
        content = paragraphs(f"There is no such figure: {spec.lacking}.")
    else:
        figure = spec.figure()
        legend = paragraphs(
            "The line joins the pipelines that no other one beats in both; they are in colour.",
            class_="note",
        )
        content = Html(legend + paragraphs(figure.text) + figures.embed(figure))
    return Section("time", f"Time against {figure_data.measure}", content)


def comparison_section(figure_data: FigureData, figures: Figures) -> Section:
    """Return the verdict of each comparison, or why it has none."""
    specs = {spec.name: spec for spec in score_figures.comparison_figures(figure_data)}
    parts = []
    done = figure_data.comparisons()
    for label, comparison, verdict in done:
        name = label.replace(score_figures.use_of(comparison), score_figures.name_of(comparison), 1)
        drawn = figures.embed(specs[name].figure()) if name in specs else None
        inside = (
            element("h3", label, id=figures.id_for(f"comparison-{label}")),
            _told(verdict.text),
            drawn,
            *_behind(label, verdict, figures),
        )
        parts.append(element("article", *inside, class_="comparison"))
    silent = [
        label for label in figure_data.results.design.comparisons if label not in _labels(done)
    ]
    for label in silent:
        reason = score_figures.reason(figure_data, label)
        parts.append(
            element("article", element("h3", label), element("p", reason), class_="comparison")
        )
    if not parts:
        parts.append(html(paragraphs("The experiment has no comparison.")))
    return Section("comparisons", "Comparisons", Html("".join(parts)))


def _told(text: str) -> Html:
    """Return a verdict; a very long one is collapsed behind its beginning."""
    begin = shortened(text, 900)
    if begin == text:
        return element("p", text)
    return Html(element("p", begin) + folded("The whole verdict", element("p", text)))


def _labels(done: list[tuple[str, Any, Any]]) -> set[str]:
    return {label for label, _, _ in done}


def _behind(label: str, verdict: ilk.Verdict, figures: Figures) -> Iterator[Html]:
    if verdict.pairs:
        frame = pd.DataFrame(list(verdict.pairs)).rename(columns={"p_value": "p-value"})
        rows: Any = frame.to_dict("records")
        columns = columns_of(frame)
        filters = {key: key for key in ("dataset",) if key in frame}
        pairs = table(
            f"Pairs by {label}; effect is how much more a has than b",
            columns,
            rows,
            id_=figures.id_for(f"pairs-{label}"),
            filters=filters,
        )
        yield folded(f"{count(len(frame), 'pair')}", pairs)
    known = {
        "statistic": verdict.statistic,
        "p-value or probability": verdict.p_value,
        **{
            str(name).replace("_", " "): value
            for name, value in verdict.details.items()
            if not isinstance(value, dict)
        },
    }
    terms = [
        element("div", element("dt", name), element("dd", _said(value)))
        for name, value in known.items()
    ]
    yield folded("Statistics", element("dl", terms, class_="facts"))


def _said(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value)) or "none"
    return short_value(value)
