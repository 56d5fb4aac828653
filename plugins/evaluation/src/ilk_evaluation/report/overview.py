"""The beginning of the page: what was tried, what came of it in plain words, the summary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ilk_evaluation.figures.material import Material, direction
from ilk_evaluation.report.markup import Html, element, html
from ilk_evaluation.report.parts import Section, count, listed, paragraphs, shortened
from ilk_evaluation.report.tables import Column, number, seconds, table

if TYPE_CHECKING:
    import pandas as pd


def facts(material: Material) -> str:
    """Say in a line what was tried."""
    from ilk_evaluation.experiments.report import short_resampling

    design = material.results.design
    parts = (
        count(len(design.datasets), "data set"),
        count(len(design.pipelines), "pipeline"),
        count(design.n_cells, "cell"),
        short_resampling(design),
        f"seed {design.seed}",
    )
    return " · ".join(parts)


def summary(material: Material) -> Section:
    """Return the verdict in plain words and the table of the pipelines over all data sets."""
    lead = [element("p", text, class_="lead") for text in verdict(material)]
    states = [element("p", text, class_="state") for text in state(material)]
    return Section("summary", "In short", Html("".join([*states, *lead, _table(material)])))


def verdict(material: Material) -> Iterator[str]:
    """Say which pipeline is best by the measure that ranks, and whether that may be chance."""
    ranked = material.summary.dropna(subset=["rank"]).sort_values("rank", kind="stable")
    measure = material.measure
    if not len(ranked):
        yield (
            f"No data set has an estimate of {measure} from every pipeline, so that they cannot "
            f"be ranked."
        )
        return
    n = len(material.complete)
    best = [str(name) for name in ranked.loc[ranked["rank"] == ranked["rank"].min(), "pipeline"]]
    if len(ranked) == 1:
        only = "was tried" if len(material.summary) == 1 else "has estimates"
        yield f"One pipeline {only}, {best[0]}: there is nothing to compare it with."
        return
    yield _ranking(material, ranked, best, n)
    verdicts = material.results.verdicts
    if verdicts:
        yield shortened(verdicts[0].text)
    else:
        yield "No comparison tells whether these differences are more than chance."


def _ranking(material: Material, ranked: pd.DataFrame, best: list[str], n: int) -> str:
    measure, others = material.measure, ranked[~ranked["pipeline"].isin(best)]
    have = "have" if len(best) > 1 else "has"
    if n == 1:
        level: Any = material.results.pivot(measure).loc[material.complete[0], best[0]]
        superlative = "highest" if material.greater_is_better else "lowest"
        said = (
            f"{_and(best)} {have} the {superlative} {measure} on {material.complete[0]}, "
            f"{number(level)}"
        )
    else:
        said = (
            f"{_and(best)} {have} the best mean rank by {measure} ({direction(material)}): "
            f"{ranked['rank'].min():.2f}"
        )
    if len(others) and n > 1:
        next_ = others.iloc[0]
        said += f", before {next_['pipeline']} with {next_['rank']:.2f}"
    where = f"the {count(n, 'data set')} that every pipeline finished" if n > 1 else ""
    return said + (f", over {where}." if where else ".")


def _and(names: list[str]) -> str:
    if len(names) > 4:
        return listed(names, 3)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def state(material: Material) -> Iterator[str | Html]:
    """Say what is missing from a whole experiment: cells that failed or are not done."""
    results, n = material.results, len(material.results.design.cells)
    if results.n_missing:
        yield (
            f"This run is not finished: {results.n_missing:,} of {count(n, 'cell')} are not done "
            f"yet. The page shows what there was when it was written."
        )
    told = element("a", "what went wrong", href="#failures")
    for number_, what in (
        (results.n_failed, "failed; estimates they belong to are left out, never guessed"),
        (results.n_fallback, "failed and were answered by the fallback instead"),
    ):
        if number_:
            yield html([f"{number_:,} of {count(n, 'cell')} {what} (", told, ")."])


def measure_columns(material: Material, *, spread: bool) -> list[Column]:
    """Return a column for each measure and time, with the direction in which it is good."""
    columns = []
    for name, measure in material.results.design.measures.items():
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
    """Write a name with an arrow to where values are good."""
    arrow = element("span", "↑" if up else "↓", class_="direction", aria_hidden="true")
    said = element("span", f" ({'higher' if up else 'lower'} is better)", class_="unseen")
    return Html(element("span", name) + Html("\u00a0") + arrow + said)


def count_columns(material: Material) -> list[Column]:
    """Return the columns that say how many cells failed, fell back, are missing."""
    columns = [
        Column("failed", "n_failed", numeric=True, title="cells that failed"),
        Column("missing", "n_missing", numeric=True, title="cells that are not done yet"),
    ]
    if material.results.n_fallback:
        title = "cells that failed and were answered by the fallback"
        columns.insert(1, Column("fallback", "n_fallback", numeric=True, title=title))
    return columns


def rank_column(material: Material, *, mean: bool) -> Column:
    """Return the column of ranks."""
    what = "mean rank" if mean else "rank"
    return Column(
        what,
        "rank",
        lambda value: number(value, 2 if mean else 1),
        numeric=True,
        title=f"{what} by {material.measure}, 1 is best",
    )


def _table(material: Material) -> Html:
    columns = [
        Column("pipeline", "pipeline"),
        rank_column(material, mean=True),
        *measure_columns(material, spread=False),
        *count_columns(material),
    ]
    rows: list[Any] = material.summary.sort_values("rank", kind="stable").to_dict("records")
    least = material.summary["rank"].min()
    written = table(
        "Means over the data sets of each pipeline, best mean rank first",
        columns,
        rows,
        id_="summary-table",
        best=lambda row: bool(row["rank"] == least),
        filters={},
    )
    return Html(written + paragraphs(*_footnotes(material), class_="note"))


def _footnotes(material: Material) -> Iterator[str]:
    n, all_ = len(material.complete), len(material.datasets)
    silent = material.summary.loc[material.summary["rank"].isna(), "pipeline"]
    if n and len(silent):
        yield f"Without any estimate, and not ranked: {listed([str(name) for name in silent])}."
    if n and n < all_:
        left = [name for name in material.datasets if name not in set(material.complete)]
        yield (
            f"Mean ranks are over the {n} of {all_} data sets that every pipeline finished; left "
            f"out: {listed(left)}."
        )
    measures = list(material.results.design.measures)
    if material.summary[measures].isna().any().any():
        yield (
            "– stands where a pipeline has no estimate on one of its data sets: a mean over the "
            "others would not be comparable."
        )
