"""Which figures results have, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.figures.figure_data import FigureData
from ilk_evaluation.figures.prediction_figures import (
    calibration_figures,
    confusion_figures,
    curve_figures,
)
from ilk_evaluation.figures.score_figures import comparison_figures, estimate_figures, time_figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ilk_evaluation.figures.figure_spec import FigureSpec
    from ilk_evaluation.results.experiment_results import Results

_SOURCES = (
    comparison_figures,
    estimate_figures,
    time_figures,
    curve_figures,
    calibration_figures,
    confusion_figures,
)


def available(results: Results | FigureData) -> dict[str, FigureSpec]:
    """Return the figures of results by name, also those that lack something, with the reason.

    Besides the names below each comparison of the experiment that draws its verdict has a
    figure of its name.

    ============================ ==========================================================
    ``critical_difference``      mean ranks and which differ (comparison friedman_nemenyi)
    ``robustness``               ratios to the best pipeline (comparison robustness)
    ``estimates``                of a data set: each pipeline with its spread
    ``time``                     seconds against the measure that ranks
    ``roc``                      of a data set of two classes, averaged over the splits
    ``precision_recall``         likewise
    ``calibration``              of a data set: frequencies against probabilities
    ``confusion``                of a data set and a pipeline
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
        As `offered` lists them.
    ax : Axes, optional
        Those of a new figure if left out.
    dataset, pipeline : str, optional
        Which one, for a figure of a single one; need not be said where there is one only.

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed, there is no such figure, or it must be said of what.

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
    for what, given, known in (
        ("dataset", dataset, spec.datasets),
        ("pipeline", pipeline, spec.pipelines),
    ):
        if known and not spec.lacking:
            place.append(_one(name, what, given, known))
    return spec.figure(*place).draw(ax)


def _one(name: str, what: str, given: str | None, known: object) -> str:
    there = [str(label) for label in known]  # type: ignore[attr-defined]  # a sequence
    if given is None and len(there) == 1:
        return there[0]
    if given in there:
        return given
    said = f"got {given!r}{ilk.did_you_mean(given, there)}" if given else "say which"
    raise ilk.InputError(f"figure {name} is of one {what}: {said} (there are: {', '.join(there)})")
