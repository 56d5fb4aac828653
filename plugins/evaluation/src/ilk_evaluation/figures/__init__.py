"""Figures of an experiment, by name: drawn on matplotlib's axes, for files and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.figures.figure_data import FigureData
from ilk_evaluation.figures.figure_spec import Figure, FigureSpec
from ilk_evaluation.figures.prediction_figures import (
    calibration_figures,
    confusion_figures,
    curve_figures,
    number_figures,
)
from ilk_evaluation.figures.score_figures import (
    comparison_figures,
    estimate_figures,
    learning_figures,
    rank_figures,
    time_figures,
)
from ilk_evaluation.figures.space_figures import space_figures as learned_spaces

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ilk_evaluation.results.experiment_results import Results

__all__ = ["Figure", "FigureSpec", "available", "draw"]

_SOURCES = (
    rank_figures,
    comparison_figures,
    estimate_figures,
    learning_figures,
    time_figures,
    curve_figures,
    calibration_figures,
    confusion_figures,
    number_figures,
    learned_spaces,
)


def available(results: Results | FigureData) -> dict[str, FigureSpec]:
    """Return the figures of results by name; figures that cannot be drawn carry the reason.

    Each comparison of the experiment that can draw its verdict adds a figure of its name to these:

    ============================ ==========================================================
    ``ranks``                    of the pipelines, on each data set and in the mean
    ``critical_difference``      mean ranks and which differ (comparison friedman_nemenyi)
    ``robustness``               ratios to the best pipeline (comparison robustness)
    ``estimates``                per data set: each pipeline with its spread
    ``learning``                 per data set: against the training cases (learning_curve)
    ``time``                     seconds against the ranking measure
    ``roc``                      per data set of two classes, averaged over the splits
    ``precision_recall``         likewise
    ``calibration``              per data set: frequencies against probabilities
    ``confusion``                per data set and pipeline
    ``space``                    of metric learners: before and after, per data set and pipeline
    ``predicted``                of regressors: against the truth, per data set and pipeline
    ============================ ==========================================================
    """
    figure_data = results if isinstance(results, FigureData) else FigureData(results)
    return {spec.name: spec for source in _SOURCES for spec in source(figure_data)}


def draw(
    results: Results,
    name: str,
    ax: Axes | None = None,
    *,
    dataset: str | None = None,
    pipeline: str | None = None,
) -> Axes:
    """Draw a figure of an experiment.

    Parameters
    ----------
    results : Results
    name : str
        One of the names of `available`.
    ax : Axes, optional
        By default the axes of a new figure.
    dataset, pipeline : str, optional
        The data set or pipeline of a figure per data set or pipeline; optional if there is only
        one.

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed, there is no such figure, or `dataset` or `pipeline` is
        missing.

    Examples
    --------
    >>> from ilk_evaluation import figures, run_experiment
    >>> results = run_experiment({
    ...     "datasets": ["iris"],
    ...     "pipelines": [{"id": "means", "steps": [{"classifier": "nearest_mean"}]}],
    ...     "evaluation": {"resampling": {"use": "kfold", "folds": 2}},
    ... })
    >>> figures.draw(results, "confusion").get_xlabel()
    'predicted'
    """
    specs = available(results)
    if name not in specs:
        hint = ilk.did_you_mean(name, specs)
        raise ilk.InputError(f"there is no figure {name!r}{hint} (there are: {', '.join(specs)})")
    spec = specs[name]
    place = []
    for what, given, labels in (
        ("dataset", dataset, spec.datasets),
        ("pipeline", pipeline, spec.pipelines),
    ):
        if labels and not spec.lacking:
            place.append(_one(name, what, given, labels))
    return spec.figure(*place).draw(ax)


def _one(name: str, what: str, given: str | None, labels: object) -> str:
    there = [str(label) for label in labels]  # type: ignore[attr-defined]  # a sequence
    if given is None and len(there) == 1:
        return there[0]
    if given in there:
        return given
    hint = f"got {given!r}{ilk.did_you_mean(given, there)}" if given else "say which"
    raise ilk.InputError(f"figure {name} is of one {what}: {hint} (there are: {', '.join(there)})")
