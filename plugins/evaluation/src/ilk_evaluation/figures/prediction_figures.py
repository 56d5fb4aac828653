"""Figures of predictions: ROC, precision and recall, calibration, confusion matrices, numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.plotting import plot_label as as_is
from ilk_evaluation.curves.plotting import draw_confusion
from ilk_evaluation.figures.figure_data import FigureData, signed
from ilk_evaluation.figures.figure_spec import Figure, FigureSpec
from ilk_evaluation.figures.style import legend_below, line_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from ilk_evaluation.curves import Band, Calibration
    from ilk_evaluation.figures.figure_data import FigureData, PredictionSummary


MOST_LINES = 6
"""Number of pipelines, with the largest areas, drawn in colour; the others are thin and grey."""
_STEPS = np.linspace(0, 1, 11)


@dataclass(frozen=True)
class _Sort:
    """One of the two types of curves."""

    name: str
    title: str
    x: str
    y: str
    area: str
    joined: str


ROC = _Sort("roc", "ROC", "false positive rate", "true positive rate", "area", "default")
PRECISION_RECALL = _Sort(
    "precision_recall",
    "Precision and recall",
    "recall",
    "precision",
    "average precision",
    "steps-pre",
)


def curve_figures(figure_data: FigureData) -> Iterator[FigureSpec]:
    """Yield the specification of the curves of each data set of two classes."""
    binary = [name for name in figure_data.datasets if figure_data.n_classes[name] == 2]
    lacking = figure_data.without_classes or ("" if binary else "no data set has two classes")
    for sort in (ROC, PRECISION_RECALL):
        yield FigureSpec(
            sort.name,
            f"{sort.title} of the pipelines on a data set of two classes",
            partial(_curve_figure, figure_data, sort),
            datasets=binary,
            lacking=lacking,
        )


def bands(figure_data: FigureData, dataset: str, sort: _Sort) -> dict[str, Band]:
    """Return the averaged curve of each pipeline that has one, the largest area first."""
    by_pipeline = {}
    for pipeline in figure_data.shown:
        one = figure_data.predicted(dataset, pipeline)
        band = getattr(one, sort.name) if one is not None else None
        if band is not None:
            by_pipeline[pipeline] = band
    return dict(sorted(by_pipeline.items(), key=lambda item: -item[1].area))


def _curve_figure(figure_data: FigureData, sort: _Sort, dataset: str) -> Figure:
    """Return the curves of a data set."""
    curves = bands(figure_data, dataset, sort)
    areas = _some_of([f"{p} {signed(b.area, b.area_sd)}" for p, b in curves.items()])
    against = next((band.name for band in curves.values()), "")
    text = f"{sort.title} on {dataset} ({against}), mean over the splits. "
    text += f"{sort.area[0].upper()}{sort.area[1:]}: {areas or 'no pipeline gives scores'}."
    return Figure(
        sort.name,
        f"{sort.title} on {dataset}",
        text,
        _curve_table(curves, sort),
        lambda ax: _paint_curves(ax, curves, sort, figure_data.order),
        (2.9, 2.6),
        dataset,
        note=" ".join(_notes(figure_data, dataset, curves)),
    )


def _some_of(items: list[str]) -> str:
    """Join the first items, as many as lines in colour."""
    rest = len(items) - MOST_LINES
    return "; ".join(items[:MOST_LINES]) + (f"; and {rest} more" if rest > 0 else "")


def _curve_table(curves: dict[str, Band], sort: _Sort) -> pd.DataFrame:
    """Areas, and heights of the curves at eleven positions."""
    import pandas as pd

    rows = []
    for pipeline, band in curves.items():
        heights = np.interp(_STEPS, band.x, band.mean)
        at = {f"{sort.y} at {x:.1f}": y for x, y in zip(_STEPS, heights, strict=True)}
        rows.append({"pipeline": pipeline, sort.area: band.area, "±": band.area_sd, **at})
    return pd.DataFrame(rows)


def _notes(figure_data: FigureData, dataset: str, curves: dict[str, Band]) -> Iterator[str]:
    """Note missing and unusual curves."""
    all_ = {p: figure_data.predicted(dataset, p) for p in figure_data.shown}
    seen: dict[str, PredictionSummary] = {p: one for p, one in all_.items() if one is not None}
    without = [p for p in figure_data.shown if p not in curves]
    if without:
        yield f"No scores: {', '.join(without)}."
    partly = figure_data.partly(dataset)
    if partly:
        yield partly
    n_left_out = max((one.n_left_out for one in seen.values()), default=0)
    if n_left_out:
        yield f"{n_left_out} splits whose test cases are all of one class have no curve."
    if any(one.pooled for one in seen.values()):
        yield "No split has test cases of both classes: curves are of all splits of a repeat."
    if len(curves) > MOST_LINES:
        yield f"The {MOST_LINES} largest areas are in colour."


def _paint_curves(ax: Axes, curves: dict[str, Band], sort: _Sort, order: Sequence[str]) -> None:
    """Draw the curves: the best in colour with their bands, others in grey.

    The colour of a pipeline follows its position in the order, the same in all figures.
    """
    for number, (name, band) in reversed(list(enumerate(curves.items()))):
        if number >= MOST_LINES:
            ax.plot(band.x, band.mean, color="0.75", linewidth=0.8, drawstyle=sort.joined)
            continue
        look: Any = line_of(order.index(name))
        label = f"{as_is(name)} {band.area:.3f}"
        ax.plot(band.x, band.mean, label=label, zorder=3, drawstyle=sort.joined, **look)
        if not np.isnan(band.lower).any():
            step: Any = {"step": "pre"} if sort.joined == "steps-pre" else {}
            shade: Any = {"color": look["color"], "alpha": 0.1, "linewidth": 0, **step}
            ax.fill_between(band.x, band.lower, band.upper, **shade)
    if sort is ROC:
        ax.plot([0, 1], [0, 1], color="0.8", linewidth=0.8, zorder=0)
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.01)
    ax.grid(axis="both")
    ax.set_xlabel(sort.x)
    ax.set_ylabel(sort.y)
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        legend_below(ax, handles[::-1], labels[::-1])


def calibration_figures(figure_data: FigureData) -> Iterator[FigureSpec]:
    """Yield a specification per data set; it is empty if no pipeline gives probabilities."""
    datasets = [
        dataset
        for dataset in figure_data.datasets
        if any(figure_data.answered(dataset, pipeline) for pipeline in figure_data.shown)
    ]
    yield FigureSpec(
        "calibration",
        "Calibration: observed frequencies against probabilities, on a data set",
        lambda dataset: _calibration_figure(figure_data, dataset),
        datasets=datasets,
        lacking=figure_data.without_classes or ("" if datasets else "there are no predictions yet"),
    )


def _calibration_figure(figure_data: FigureData, dataset: str) -> Figure:
    """Return the figure of a data set."""
    calibrations = _calibrations(figure_data, dataset)
    event = next((one.name for one in calibrations.values()), "")
    errors = _some_of([f"{p} {one.expected_error:.3f}" for p, one in calibrations.items()])
    notes = [
        f"The {MOST_LINES} with the smallest are drawn." if len(calibrations) > MOST_LINES else ""
    ]
    notes.append(figure_data.partly(dataset))
    return Figure(
        "calibration",
        f"Calibration on {dataset}",
        f"Observed frequency against the probability of {event} on {dataset}, in ten bins over "
        f"the splits of one repeat. Expected error: {errors or 'no pipeline gives probabilities'}.",
        _calibration_table(calibrations),
        lambda ax: _paint_calibrations(ax, calibrations, figure_data.order),
        (2.9, 2.6),
        dataset,
        note=" ".join(filter(None, notes)),
    )


def _calibrations(figure_data: FigureData, dataset: str) -> dict[str, Calibration]:
    """Calibrations of the pipelines that give probabilities, the best first."""
    by_pipeline = {}
    for pipeline in figure_data.shown:
        one = figure_data.predicted(dataset, pipeline)
        if one is not None and one.calibration is not None:
            by_pipeline[pipeline] = one.calibration
    return dict(sorted(by_pipeline.items(), key=lambda item: item[1].expected_error))


def _calibration_table(calibrations: dict[str, Calibration]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "pipeline": pipeline,
                "expected error": one.expected_error,
                "probability": probability,
                "observed frequency": share,
                "cases": int(count),
            }
            for pipeline, one in calibrations.items()
            for probability, share, count in zip(
                one.probability, one.frequency, one.counts, strict=True
            )
            if count
        ]
    )


def _paint_calibrations(
    ax: Axes, calibrations: dict[str, Calibration], order: Sequence[str]
) -> None:
    """Draw a line for each pipeline, and the diagonal of perfect calibration."""
    ax.plot([0, 1], [0, 1], color="0.8", linewidth=0.8, zorder=0)
    for pipeline, one in list(calibrations.items())[:MOST_LINES]:
        used = one.counts > 0
        look: Any = {"marker": "o", "markersize": 3, **line_of(order.index(pipeline))}
        label = f"{as_is(pipeline)} {one.expected_error:.3f}"
        ax.plot(one.probability[used], one.frequency[used], label=label, **look)
    event = next((one.name for one in calibrations.values()), "")
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.01)
    ax.grid(axis="both")
    ax.set_xlabel(as_is(f"probability of {event}"))
    ax.set_ylabel("observed frequency")
    if calibrations:
        legend_below(ax, *ax.get_legend_handles_labels())


def confusion_figures(figure_data: FigureData) -> Iterator[FigureSpec]:
    """Yield the specification of the matrix of each pipeline on each data set."""
    tried = figure_data.table
    tried = tried[tried["n_failed"] + tried["n_missing"] == 0]
    there = list(dict.fromkeys(map(str, tried["dataset"])))
    yield FigureSpec(
        "confusion",
        "Confusion matrix of a pipeline on a data set",
        lambda dataset, pipeline: _confusion_figure(figure_data, dataset, pipeline),
        datasets=there,
        pipelines=figure_data.shown,
        absent={
            pair for pair in product(there, figure_data.shown) if not figure_data.answered(*pair)
        },
        lacking=figure_data.without_classes
        or ("" if there else "no pipeline has finished a data set yet"),
    )


def _confusion_figure(figure_data: FigureData, dataset: str, pipeline: str) -> Figure:
    """Return the matrix of a pipeline on a data set."""
    summary = figure_data.predicted(dataset, pipeline)
    if summary is None:
        raise ilk.IlkError(f"there is no prediction of {pipeline} on {dataset}")
    return Figure(
        "confusion",
        f"{pipeline} on {dataset}",
        confusion_text(summary, dataset, pipeline),
        _confusion_table(summary),
        lambda ax: draw_confusion(summary.confusion, summary.classes.tolist(), ax),
        _confusion_size(len(summary.classes)),
        dataset,
        pipeline,
    )


def _confusion_size(n: int) -> tuple[float, float]:
    side = min(max(0.45 * n, 1.6), 14.0)
    return side, side


def confusion_text(summary: PredictionSummary, dataset: str, pipeline: str) -> str:
    """Describe a matrix: number of right cases, and the most frequent confusion."""
    matrix = summary.confusion
    right, total = int(np.trace(matrix)), int(matrix.sum())
    text = f"Confusion matrix of {pipeline} on {dataset}: {right} of {total} cases are right"
    wrong = matrix - np.diag(np.diag(matrix))
    if wrong.any():
        row, column = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        most = f"{summary.classes[row]} is taken for {summary.classes[column]}"
        text += f"; most often {most} ({int(wrong[row, column])} cases)"
    text += f". {summary.n_rejected} cases were rejected." if summary.n_rejected else "."
    return text + (
        f" Splits that failed or are missing: {summary.n_lost}." if summary.n_lost else ""
    )


def _confusion_table(summary: PredictionSummary) -> pd.DataFrame:
    """Counts by true class (rows) and predicted class."""
    import pandas as pd

    names = [str(name) for name in summary.classes.tolist()]
    return pd.DataFrame(summary.confusion, columns=names).assign(true=names)[["true", *names]]


MOST_POINTS = 300
"""Cases drawn, evenly spaced in the order of their truth."""


def number_figures(figure_data: FigureData) -> Iterator[FigureSpec]:
    """Yield the specification of a scatter plot of each pipeline on each data set."""
    lacking = ""
    if figure_data.predictor != "regressor":
        lacking = f"the pipelines end in a {figure_data.predictor}, which predicts no numbers"
    pairs = product(figure_data.datasets, figure_data.shown)
    yield FigureSpec(
        "predicted",
        "Predicted against true numbers of a pipeline on a data set",
        lambda dataset, pipeline: _number_figure(figure_data, dataset, pipeline),
        datasets=figure_data.datasets,
        pipelines=figure_data.shown,
        absent={pair for pair in pairs if not lacking and not figure_data.answered(*pair)},
        lacking=lacking,
    )


def _number_figure(figure_data: FigureData, dataset: str, pipeline: str) -> Figure:
    points = figure_data.numbers(dataset, pipeline)
    if not len(points):
        raise ilk.IlkError(f"there is no prediction of {pipeline} on {dataset}")
    errors = points["predicted"] - points["true"]
    n = len(points)
    points = points.sort_values("true", kind="stable", ignore_index=True)
    shown = points.iloc[np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(int))]
    return Figure(
        "predicted",
        f"{pipeline} on {dataset}",
        f"Predicted against true numbers of {pipeline} on {dataset}, {n} test cases of the first "
        f"repeat: mean error {errors.mean():.4g}, mean absolute error {errors.abs().mean():.4g}.",
        shown,
        lambda ax: _paint_numbers(ax, shown),
        (2.9, 2.6),
        dataset,
        pipeline,
        note="" if n <= MOST_POINTS else f"{len(shown)} of {n} cases are drawn.",
    )


def _paint_numbers(ax: Axes, points: pd.DataFrame) -> None:
    """Draw the cases, and the diagonal of perfect predictions."""
    both: Any = points.to_numpy(dtype=float)
    ends = [both.min(), both.max()]
    ax.plot(ends, ends, color="0.8", linewidth=0.8, zorder=0)
    look: Any = {"s": 10, "alpha": 0.6, "linewidths": 0}
    ax.scatter(points["true"], points["predicted"], **look)
    ax.grid(axis="both")
    ax.set_xlabel("true")
    ax.set_ylabel("predicted")
