"""Figures of predicted numbers: against the truth, case by case."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_evaluation.figures.figure_spec import Figure, FigureSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from matplotlib.axes import Axes

    from ilk_evaluation.figures.figure_data import FigureData

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
        lambda dataset, pipeline: _figure(figure_data, dataset, pipeline),
        datasets=figure_data.datasets,
        pipelines=figure_data.shown,
        absent={pair for pair in pairs if not lacking and not figure_data.answered(*pair)},
        lacking=lacking,
    )


def _figure(figure_data: FigureData, dataset: str, pipeline: str) -> Figure:
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
        lambda ax: _paint(ax, shown),
        (2.9, 2.6),
        dataset,
        pipeline,
        note="" if n <= MOST_POINTS else f"{len(shown)} of {n} cases are drawn.",
    )


def _paint(ax: Axes, points: pd.DataFrame) -> None:
    """Draw the cases, and the diagonal of perfect predictions."""
    both: Any = points.to_numpy(dtype=float)
    ends = [both.min(), both.max()]
    ax.plot(ends, ends, color="0.8", linewidth=0.8, zorder=0)
    look: Any = {"s": 10, "alpha": 0.6, "linewidths": 0}
    ax.scatter(points["true"], points["predicted"], **look)
    ax.grid(axis="both")
    ax.set_xlabel("true")
    ax.set_ylabel("predicted")
