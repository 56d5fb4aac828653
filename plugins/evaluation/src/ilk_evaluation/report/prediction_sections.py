"""The sections of predictions: curves, confusion matrices, learned spaces, predicted numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_evaluation.confusion import normalized
from ilk_evaluation.figures import prediction_figures, space_figures
from ilk_evaluation.report.blocks import (
    MOST_CASES,
    MOST_CLASSES,
    MOST_CONFUSED,
    MOST_DATASETS,
    MOST_FITTING,
    MOST_SPACES,
    Choice,
    Drawing,
    Figures,
    Group,
    Heading,
    Matrix,
    MatrixCell,
    Section,
    Text,
    beyond,
    listed,
    texts,
)

if TYPE_CHECKING:
    from ilk_evaluation.figures.figure_data import FigureData, PredictionSummary
    from ilk_evaluation.figures.figure_spec import FigureSpec

Panels = list[tuple[Sequence[str], Sequence[Any]]]


def prediction_sections(figure_data: FigureData, figures: Figures) -> list[Section]:
    """Return both sections, reading the predictions of each data set once."""
    specs = [
        *prediction_figures.curve_figures(figure_data),
        *prediction_figures.calibration_figures(figure_data),
    ]
    curves: Panels = []
    matrices: Panels = []
    unread: list[str] = []
    large: list[str] = []
    read = numbers = 0
    for dataset in figure_data.datasets[:MOST_DATASETS]:
        if read >= MOST_CASES:
            unread.append(dataset)
            continue
        seen = {p: figure_data.predicted(dataset, p) for p in figure_data.shown}
        found = {p: one for p, one in seen.items() if one is not None}
        if not found:
            continue
        read += sum(one.n_cases for one in found.values())
        drawn = _curves(specs, dataset, figures)
        if drawn:
            curves.append(((dataset,), [Group("pair", drawn)]))
        n_classes = max(len(one.classes) for one in found.values())
        if n_classes > MOST_CLASSES or numbers > MOST_CONFUSED:
            large.append(dataset)
            continue
        numbers += len(found) * n_classes**2
        for pipeline, one in found.items():
            matrices.append(((dataset, pipeline), [_matrix(one, dataset, pipeline)]))
    curves.sort(key=lambda panel: -len(panel[1][0].blocks))  # most curves first
    notes = [beyond(len(figure_data.datasets), "data set"), figure_data.left_out]
    if unread:
        notes.append(f"Not read, as there are so many predictions: {listed(unread)}.")
    return [
        _section_of_curves(curves, specs, notes),
        _section_of_matrices(matrices, notes, _too_large(large)),
    ]


def number_section(figure_data: FigureData, figures: Figures) -> Section:
    """Return the section of predicted against true numbers."""
    (spec,) = prediction_figures.number_figures(figure_data)
    datasets = figure_data.datasets[:MOST_DATASETS]
    places = [place for place in spec.places if place[0] in datasets]
    panels: Panels = [
        ((dataset,), [Group("pair", [figures.embed(spec.figure(*at), data=False) for at in group])])
        for dataset in datasets
        if (group := [at for at in places if at[0] == dataset])
    ]
    blocks: list[Any] = texts("There are no predictions yet.")
    if panels:
        notes = [beyond(len(figure_data.datasets), "data set"), figure_data.left_out]
        legend = "Test cases of the first repeat; the line is that of perfect predictions."
        note = " ".join(filter(None, [legend, *notes]))
        blocks = [Text(note, "note"), Choice(["Data set"], panels)]
    return Section("predicted", "Predicted against true", blocks)


def space_section(figure_data: FigureData, figures: Figures, *, asked: bool) -> list[Section]:
    """Return the spaces of metric learners, or how to ask for them; nothing without learners."""
    (spec,) = space_figures.space_figures(figure_data)
    if spec.lacking:
        return []
    if not asked:
        hint = "Pictures of the cases before and after learning are drawn on request: "
        return [Section("spaces", "Learned spaces", [Text(hint, "note", code=_ASKING)])]
    panels: Panels = []
    left_out: list[str] = []
    chosen = _within_bounds(figure_data, spec, left_out)
    for dataset in dict.fromkeys(place[0] for place in chosen):
        blocks: list[Any] = []
        for _, pipeline in (place for place in chosen if place[0] == dataset):
            blocks += _space(figure_data, figures, dataset, pipeline)
        panels.append(((dataset,), blocks))
    legend = (
        "Cases of the first split, as the metric learner gets them and as it maps them, in their "
        "first two principal components. The data were loaded again, and the pipelines fitted."
    )
    more = f"Left out of this page: {listed(left_out)}; `ilk plot STORE space` draws them."
    note = " ".join([legend, more] if left_out else [legend])
    return [Section("spaces", "Learned spaces", [Text(note, "note"), Choice(["Data set"], panels)])]


_ASKING = "ilk report STORE --spaces"


def _within_bounds(
    figure_data: FigureData, spec: FigureSpec, left_out: list[str]
) -> list[tuple[str, ...]]:
    """Places of few data sets whose fits take little time together; add the others to a list."""
    table = figure_data.table.set_index(["dataset", "pipeline"])["fit_seconds"]
    datasets = list(dict.fromkeys(place[0] for place in spec.places))[:MOST_SPACES]
    chosen, total = [], 0.0
    for place in spec.places:
        seconds = float(np.nan_to_num(table.get(place, 0.0)))
        if place[0] in datasets and total + seconds <= MOST_FITTING:
            total += seconds
            chosen.append(place)
        else:
            left_out.append(f"{place[1]} on {place[0]}")
    return chosen


def _space(figure_data: FigureData, figures: Figures, dataset: str, pipeline: str) -> list[Any]:
    """The picture of a pipeline on a data set, or why there is none."""
    heading = Heading(pipeline)
    try:
        space = space_figures.learned_space(figure_data.results, dataset, pipeline)
    except ilk.IlkError as error:
        return [heading, Text(f"No picture: {error}.", "note")]
    panels = space_figures.space_panels(space, dataset, pipeline)
    drawn = [figures.embed(panel, data=False) for panel in panels]
    return [heading, Text(space.text), Group("pair", drawn)]


def _too_large(datasets: list[str]) -> str:
    if not datasets:
        return ""
    return f"Too large for a page: {listed(datasets)}; `ilk plot STORE confusion` draws them."


def _curves(specs: Sequence[FigureSpec], dataset: str, figures: Figures) -> list[Drawing]:
    """Draw the curves of a data set."""
    found = [spec.figure(dataset) for spec in specs if dataset in spec.datasets]
    return [figures.embed(figure) for figure in found if len(figure.data)]


def _section_of_curves(panels: Panels, specs: Sequence[FigureSpec], notes: list[str]) -> Section:
    why = next((o.lacking for o in specs if o.lacking), "")
    blocks: list[Any] = texts(f"There are no curves: {why}.")
    if panels:
        legend = (
            "Averaged over the splits at the same place of the horizontal axis; bands are one "
            "standard deviation to either side."
        )
        blocks = [Text(" ".join([legend, *notes]), "note"), Choice(["Data set"], panels)]
    return Section("curves", "Curves", blocks)


def _section_of_matrices(panels: Panels, notes: list[str], too_large: str) -> Section:
    blocks: list[Any] = texts(too_large or "There are no predictions yet.")
    if panels:
        legend = (
            "Test cases of all splits together: with repeats a case counts once in each. Shades "
            "are shares of the true class."
        )
        note = " ".join(text for text in [legend, *notes, too_large] if text)
        blocks = [Text(note, "note"), Choice(["Data set", "Pipeline"], panels)]
    return Section("confusion", "Confusion matrices", blocks)


def _matrix(summary: PredictionSummary, dataset: str, pipeline: str) -> Matrix:
    """Return a confusion matrix as a shaded table."""
    names = [str(name) for name in summary.classes.tolist()]
    shares = np.nan_to_num(normalized(summary.confusion))
    recalls: Any = np.diag(normalized(summary.confusion))
    rows = []
    for row, name in enumerate(names):
        cells = [
            MatrixCell(str(count), f"h{round(10 * share)}")
            for count, share in zip(summary.confusion[row], shares[row], strict=True)
        ]
        recall = "–" if np.isnan(recalls[row]) else f"{recalls[row]:.3f}"
        rows.append((name, [*cells, MatrixCell(recall, "recall")]))
    return Matrix(
        prediction_figures.confusion_text(summary, dataset, pipeline),
        f"Confusion matrix of {pipeline} on {dataset}; rows true, columns predicted",
        "confusion",
        "true",
        [MatrixCell(name) for name in (*names, "recall")],
        rows,
    )
