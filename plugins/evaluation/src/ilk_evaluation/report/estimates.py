"""The section of data sets: the measure that ranks on each, with spreads, then all measures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from ilk_evaluation.figures import estimates as figure
from ilk_evaluation.figures.material import Material, direction
from ilk_evaluation.report.limits import MOST_DATASETS, beyond
from ilk_evaluation.report.markup import Html, element
from ilk_evaluation.report.overview import count_columns, measure_columns, rank_column
from ilk_evaluation.report.parts import Figures, Section, folded, paragraphs
from ilk_evaluation.report.tables import Column, number, seconds, table


def estimates(material: Material, figures: Figures) -> Section:
    """Return the table of data sets by pipelines, a figure of each data set, and all estimates."""
    content = [
        _grid(material),
        _figures(material, figures),
        folded("All measures, ranks and times", _all(material), open_=len(material.table) <= 40),
    ]
    return Section("datasets", "Data set by data set", Html("".join(content)))


def _grid(material: Material) -> Html:
    """Data sets by pipelines: the measure that ranks."""
    name, better = material.measure, max if material.greater_is_better else min
    grid = material.results.pivot(name)[material.order]
    spreads = material.results.pivot(name, spread=True)[material.order]
    write = seconds if material.results.design.measures[name].needs == "seconds" else number

    def is_best(column: int, row: Mapping[str, Any]) -> bool:
        there = [row[f"v{i}"] for i in range(len(material.order)) if not pd.isna(row[f"v{i}"])]
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
        for at, pipeline in enumerate(material.order)
    ]
    rows = []
    for dataset in material.datasets:
        values = dict(zip((c.key for c in columns[1:]), grid.loc[dataset], strict=True))
        around = {f"s{at}": spread for at, spread in enumerate(spreads.loc[dataset])}
        rows.append({"dataset": dataset, **values, **around})
    caption = (
        f"{name} ({direction(material)}) and its standard deviation over the splits; pipelines by "
        f"mean rank, the best of each data set in bold"
    )
    return table(caption, columns, rows, id_="datasets-table", filters={})


def _figures(material: Material, figures: Figures) -> Html:
    offer = next(figure.offers(material))
    shown = offer.places[:MOST_DATASETS]
    drawn = [figures.figure(offer.picture(*place), data=False) for place in shown]
    if not drawn:
        return paragraphs(f"No figures: {offer.lacking}.", class_="note")
    heading = element("h3", f"{material.measure} on each data set")
    said = (
        f"Bars reach one standard deviation over the splits to either side. Splits share training "
        f"cases, so that bars that do not overlap prove nothing; the best one is in colour. "
        f"{beyond(len(offer.places), 'data set')} {material.left_out}"
    )
    grid = element("div", drawn, class_="multiples")
    return Html(heading + paragraphs(said, class_="note") + grid)


def _all(material: Material) -> Html:
    measures = measure_columns(material, spread=True)
    columns = [
        Column("data set", "dataset"),
        Column("pipeline", "pipeline"),
        rank_column(material, mean=False),
        *measures,
        *count_columns(material),
    ]
    least = material.table.groupby("dataset")["rank"].transform("min")
    frame = material.table.assign(_best=material.table["rank"] == least)
    rows: Any = frame.to_dict("records")
    return table(
        "Estimates of every pipeline on every data set, the best of each marked",
        columns,
        rows,
        id_="estimates-table",
        best=lambda row: bool(row["_best"]),
        filters={"dataset": "Data set", "pipeline": "Pipeline"},
    )
