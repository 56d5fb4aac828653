"""The sections of predictions: curves, calibration and confusion matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk_evaluation.confusion import normalized
from ilk_evaluation.figures import prediction_figures
from ilk_evaluation.report.components import (
    MOST_CASES,
    MOST_CLASSES,
    MOST_CONFUSED,
    MOST_DATASETS,
    Figures,
    Section,
    beyond,
    choice,
    listed,
    paragraphs,
)
from ilk_evaluation.report.markup import Html, element

if TYPE_CHECKING:
    from ilk_evaluation.figures.figure_data import FigureData, PredictionSummary
    from ilk_evaluation.figures.figure_spec import FigureSpec

Panels = list[tuple[Sequence[str], Html]]


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
        if drawn is not None:
            curves.append(((dataset,), drawn))
        n_classes = max(len(one.classes) for one in found.values())
        if n_classes > MOST_CLASSES or numbers > MOST_CONFUSED:
            large.append(dataset)
            continue
        numbers += len(found) * n_classes**2
        for pipeline, one in found.items():
            matrices.append(((dataset, pipeline), _matrix(one, dataset, pipeline)))
    curves.sort(key=lambda panel: -panel[1].count("<figure"))  # most curves first
    notes = [beyond(len(figure_data.datasets), "data set"), figure_data.left_out]
    if unread:
        notes.append(f"Not read, as there are so many predictions: {listed(unread)}.")
    return [
        _section_of_curves(curves, specs, notes),
        _section_of_matrices(matrices, notes, _too_large(large)),
    ]


def _too_large(datasets: list[str]) -> str:
    if not datasets:
        return ""
    return f"Too large for a page: {listed(datasets)}; `ilk plot STORE confusion` draws them."


def _curves(specs: Sequence[FigureSpec], dataset: str, figures: Figures) -> Html | None:
    """Draw the curves of a data set."""
    found = [spec.figure(dataset) for spec in specs if dataset in spec.datasets]
    drawn = [figures.embed(figure) for figure in found if len(figure.data)]
    return element("div", drawn, class_="pair") if drawn else None


def _section_of_curves(panels: Panels, specs: Sequence[FigureSpec], notes: list[str]) -> Section:
    if panels:
        legend = (
            "Averaged over the splits at the same place of the horizontal axis; bands are one "
            "standard deviation to either side."
        )
        content = paragraphs(" ".join([legend, *notes]), class_="note") + choice(
            ["Data set"], panels
        )
    else:
        why = next((o.lacking for o in specs if o.lacking), "")
        content = paragraphs(f"There are no curves: {why}.")
    return Section("curves", "Curves", Html(content))


def _section_of_matrices(panels: Panels, notes: list[str], too_large: str) -> Section:
    if panels:
        legend = (
            "Test cases of all splits together: with repeats a case counts once in each. Shades "
            "are shares of the true class."
        )
        note = paragraphs(
            " ".join(text for text in [legend, *notes, too_large] if text), class_="note"
        )
        content = note + choice(["Data set", "Pipeline"], panels)
    else:
        content = paragraphs(too_large or "There are no predictions yet.")
    return Section("confusion", "Confusion matrices", Html(content))


def _matrix(found: PredictionSummary, dataset: str, pipeline: str) -> Html:
    """Return a confusion matrix as a shaded table."""
    names = [str(name) for name in found.classes.tolist()]
    shares = np.nan_to_num(normalized(found.confusion))
    recalls: Any = np.diag(normalized(found.confusion))
    top = [
        element("th", "true", scope="col"),
        *(element("th", name, scope="col", class_="num") for name in names),
        element("th", "recall", scope="col", class_="num"),
    ]
    rows = []
    for row, name in enumerate(names):
        cells = [
            element("td", int(count), class_=f"num h{round(10 * share)}")
            for count, share in zip(found.confusion[row], shares[row], strict=True)
        ]
        recall = "–" if np.isnan(recalls[row]) else f"{recalls[row]:.3f}"
        head = element("th", name, scope="row")
        rows.append(element("tr", head, cells, element("td", recall, class_="num recall")))
    matrix = element(
        "table",
        element(
            "caption", element("span", prediction_figures.confusion_text(found, dataset, pipeline))
        ),
        element("thead", element("tr", top)),
        element("tbody", rows),
        class_="confusion",
    )
    label = f"Confusion matrix of {pipeline} on {dataset}; rows true, columns predicted"
    return element("div", matrix, class_="scroll", tabindex="0", role="region", aria_label=label)
