"""Learned spaces: the cases of a split before and after a metric learner, fitted again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.plotting import class_style
from ilk.plotting import plot_label as as_is
from ilk_evaluation.figures.figure_spec import Figure, FigureSpec
from ilk_evaluation.figures.style import legend_below
from ilk_evaluation.plan.experiment_plan import splits_of
from ilk_evaluation.plan.keys import seed_from, split_key
from ilk_evaluation.resamplings.learning_curve import nested_order
from ilk_evaluation.results.opening import load_again
from ilk_evaluation.run.cell import describe, ready

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from matplotlib.axes import Axes

    from ilk_evaluation.figures.figure_data import FigureData
    from ilk_evaluation.results.experiment_results import Results

MOST_FITTED = 1000
"""Training cases of a fit for a figure, and test cases of its errors: a stratified sample."""
MOST_DRAWN = 200
"""Cases drawn of each part."""
STEP = "metric_learner"


@dataclass(frozen=True)
class Space:
    """Cases of the first split before and after the metric learner of a pipeline, in the plane.

    Attributes
    ----------
    points : mapping of str to ndarray of shape (n, 2)
        ``"before"`` and ``"after"``: the first two principal components of the training cases,
        centred; those after turned and mirrored to lie like those before. Training cases first.
    labels : ndarray of shape (n,)
    n_train : int
    errors : mapping of str to float
        1-NN error of the test cases, before and after.
    n_test : int
        Test cases of the errors.
    note : str
    """

    points: dict[str, np.ndarray]
    labels: np.ndarray
    n_train: int
    errors: dict[str, float]
    n_test: int
    note: str

    @property
    def text(self) -> str:
        """The errors as a sentence."""
        before, after = self.errors["before"], self.errors["after"]
        cases = "1 test case" if self.n_test == 1 else f"{self.n_test} test cases"
        return f"1-NN error on {cases}: {before:.3f} before, {after:.3f} after."


def space_figures(figure_data: FigureData) -> Iterator[FigureSpec]:
    """Yield the specification of the space of each pipeline with a metric learner."""
    predictor, pipelines, lacking = figure_data.predictor, list[str](), ""
    if predictor != "classifier":
        lacking = f"the pipelines end in a {predictor}; spaces are drawn of classes"
    else:
        learners = _learners(figure_data.results)
        pipelines = [one for one in figure_data.shown if one in learners]
        lacking = "" if pipelines else "no pipeline has a step metric_learner"
    pairs = product(figure_data.datasets, pipelines)
    yield FigureSpec(
        "space",
        "Space of a metric learner before and after learning; loads the data and fits",
        lambda dataset, pipeline: _space_figure(figure_data.results, dataset, pipeline),
        datasets=figure_data.datasets,
        pipelines=pipelines,
        absent={pair for pair in pairs if not figure_data.answered(*pair)},
        lacking=lacking,
    )


def _learners(results: Results) -> dict[str, int]:
    """Pipelines with a metric learner as a step, and the number of steps up to it."""
    with results.reading() as store:
        known = store.pipelines()
    found = {}
    for one in results.design.pipelines:
        steps = known[one.key]["spec"] if one.key in known else []
        at = [n for n, step in enumerate(steps, 1) if STEP in step]
        if at:
            found[one.label] = at[-1]
    return found


def learned_space(results: Results, dataset: str, pipeline: str) -> Space:
    """Load a data set again, and fit a pipeline up to its metric learner on the first split.

    Raises
    ------
    InputError
        If the data cannot be loaded as they were, or the fit fails.
    """
    design = results.whole
    cell = next(one for one in design.cells if design.place(one)[:2] == (dataset, pipeline))
    data = load_again(results, dataset)
    drawn = splits_of(design.resampling, data, design.seed)
    split = next(islice(drawn, cell.split, None))
    if split_key(data.fingerprint, split) != cell.split_key:
        raise ilk.InputError(f"the splits of {dataset} are drawn in another way than in the run")
    rng = np.random.default_rng(0)
    train, test = (_sample(rows, data.y, MOST_FITTED, rng) for rows in (split.train, split.test))
    part = results.pipeline(pipeline)[: _learners(results)[pipeline]]
    try:
        spaces = _transformed(
            part, data, seed_from("cell", design.seed, cell.split_key), train, test
        )
    except Exception as error:  # a component may raise anything
        raise ilk.InputError(f"{pipeline} could not be fitted: {describe(error)}") from error
    chosen = [
        _sample(np.arange(len(rows)), data.y[rows], MOST_DRAWN, rng) for rows in (train, test)
    ]
    points = {name: _plane(*parts, chosen) for name, parts in spaces.items()}
    before, after = (rows / (np.abs(rows).max() or 1.0) for rows in points.values())  # no overflow
    left, _, right = np.linalg.svd(after.T @ before)
    points["after"] = points["after"] @ left @ right  # turned and mirrored to lie as before
    return Space(
        points,
        np.concatenate([data.y[train][chosen[0]], data.y[test][chosen[1]]]),
        len(chosen[0]),
        {name: _error(*parts, data.y[train], data.y[test]) for name, parts in spaces.items()},
        len(test),
        _note(len(split.train), len(train), sum(map(len, chosen)), len(train) + len(test)),
    )


def _sample(rows: np.ndarray, y: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """At most so many of some rows, with nearly their class proportions."""
    if len(rows) <= most:
        return rows
    return np.sort(rows[nested_order(y[rows], rng)[:most]])


def _transformed(
    part: ilk.Pipeline, data: ilk.Data, seed: int, train: np.ndarray, test: np.ndarray
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Training and test cases as the metric learner gets them and as it maps them."""
    model, cases = ready(part, data, seed)
    given = ilk.take(cases, train), ilk.take(cases, test)
    model.fit(given[0], data.y[train])
    mapping = [n for n, (_, step) in enumerate(model.steps_[:-1], 1) if hasattr(step, "transform")]
    earlier = [model[: mapping[-1]].transform(X) if mapping else X for X in given]
    before, after = map(_dense, earlier), (_dense(model[-1].transform(X)) for X in earlier)
    return {"before": tuple(before), "after": tuple(after)}  # type: ignore[dict-item]  # pairs


def _dense(X: Any) -> np.ndarray:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)


def _plane(train: np.ndarray, test: np.ndarray, chosen: list[np.ndarray]) -> np.ndarray:
    """Chosen cases in two dimensions, the principal components of the training cases."""
    centre = train.mean(axis=0)
    axes = np.linalg.svd(train - centre, full_matrices=False)[2]
    rows = (np.vstack([train[chosen[0]], test[chosen[1]]]) - centre) @ axes[:2].T
    missing = max(2 - rows.shape[1], 0)
    return np.hstack([rows, np.zeros((len(rows), missing))])


def _error(train: np.ndarray, test: np.ndarray, y: np.ndarray, truth: np.ndarray) -> float:
    nearest = ilk.nearest(train, 1, test)[1][:, 0]
    return float(np.mean(y[nearest] != truth))


def _note(n_train: int, n_fitted: int, n_drawn: int, n: int) -> str:
    notes = [f"{n_drawn} of {n} cases are drawn."] if n_drawn < n else []
    if n_fitted < min(n_train, MOST_FITTED + 1) and n_fitted == MOST_FITTED:
        notes.append(f"Fitted to {n_fitted} of {n_train} training cases.")
    return " ".join(notes)


def space_panels(space: Space, dataset: str, pipeline: str) -> list[Figure]:
    """Return the figures before and after learning."""
    return [
        Figure(
            "space",
            f"{name.capitalize()} learning",
            f"{pipeline} on {dataset} {name} learning, by class. {space.text}",
            _table(space),
            partial(_paint, space=space, name=name, legend=True),
            (2.9, 2.4),
            dataset,
            pipeline,
            note=space.note if name == "after" else "",
        )
        for name in space.points
    ]


def _space_figure(results: Results, dataset: str, pipeline: str) -> Figure:
    """Return one figure of both panels."""
    space = learned_space(results, dataset, pipeline)
    return Figure(
        "space",
        f"{pipeline} on {dataset}",
        f"{pipeline} on {dataset} before and after learning, by class. {space.text}",
        _table(space),
        lambda ax: _paint_both(ax, space),
        (6.2, 2.6),
        dataset,
        pipeline,
        note=space.note,
    )


def _table(space: Space) -> pd.DataFrame:
    import pandas as pd

    columns = {
        f"{name} {axis + 1}": points[:, axis]
        for name, points in space.points.items()
        for axis in (0, 1)
    }
    part = np.where(np.arange(len(space.labels)) < space.n_train, "training", "test")
    return pd.DataFrame({"class": space.labels, "part": part, **columns})


def _paint_both(ax: Axes, space: Space) -> None:
    """Draw both panels side by side, with the legend below the first."""
    ax.set_axis_off()
    for left, name in ((0.0, "before"), (0.53, "after")):
        panel = ax.inset_axes((left, 0.0, 0.47, 0.9))  # the title is above
        _paint(panel, space=space, name=name, legend=name == "before")
        panel.set_title(f"{name}: 1-NN error {space.errors[name]:.3f}")


def _paint(ax: Axes, *, space: Space, name: str, legend: bool) -> None:
    """Draw the cases by class: training cases filled, test cases hollow."""
    points, is_test = space.points[name], np.arange(len(space.labels)) >= space.n_train
    for code, label in enumerate(np.unique(space.labels).tolist()):
        look = class_style(code)
        color, shape = look["color"], look["marker"]
        for rows, face in ((~is_test, color), (is_test, "none")):
            mine = points[rows & (space.labels == label)]
            style: Any = {"facecolors": face, "edgecolors": color, "linewidths": 0.8}
            named: Any = {"label": as_is(str(label))} if face == color else {}
            ax.scatter(mine[:, 0], mine[:, 1], 14, marker=shape, alpha=0.75, **style, **named)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel("training cases filled, test cases hollow")
    ax.margins(0.05)
    if legend:
        legend_below(ax, *ax.get_legend_handles_labels())
