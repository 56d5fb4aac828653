"""Figures of scores: time against the ranking measure, estimates, comparisons."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.plotting import COLORS
from ilk.plotting import plot_label as as_is
from ilk_evaluation.figures.figure_data import FigureData, direction, signed
from ilk_evaluation.figures.figure_spec import Figure, FigureSpec
from ilk_evaluation.figures.style import legend_below, line_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd
    from matplotlib.axes import Axes


MOST_LABELS = 20
"""With more pipelines, only the Pareto-optimal ones are labelled in the figure."""
UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))


def rank_figures(figure_data: FigureData) -> Iterator[FigureSpec]:
    """Yield the specification of the figure of ranks."""
    lacking = "" if figure_data.complete else "there is no data set that every pipeline finished"
    yield FigureSpec(
        "ranks",
        f"Ranks of the pipelines by {figure_data.measure}, on each data set and in the mean",
        lambda: _rank_figure(figure_data),
        lacking=lacking,
    )


def _rank_figure(figure_data: FigureData) -> Figure:
    """Return the figure, over the data sets that every pipeline finished."""
    ranks = figure_data.results.pivot("rank").loc[figure_data.complete]
    ranks = ranks[ranks.mean().sort_values(kind="stable").index].dropna(axis=1)
    means = ranks.mean()
    n = len(ranks)
    listed = ", ".join(f"{name} ({mean:.2f})" for name, mean in means.items())
    return Figure(
        "ranks",
        f"Ranks by {figure_data.measure}",
        f"Mean ranks over {n} data set{'s' * (n != 1)}, 1 is best: {listed}.",
        ranks.T.assign(mean=means).reset_index(names="pipeline"),
        lambda ax: _paint_ranks(ax, ranks),
        (5.6, 0.8 + 0.3 * len(means)),
    )


def _paint_ranks(ax: Axes, ranks: pd.DataFrame) -> None:
    """Draw a line for each pipeline, the best on top: its mean rank, and its ranks in grey."""
    rows = np.arange(ranks.shape[1])
    for row, name in enumerate(ranks):
        ax.plot(ranks[name], np.full(len(ranks), row), "|", color="0.6", markersize=9)
    ax.plot(ranks.mean(), rows, "o", color=COLORS[0], markersize=6)
    ax.set_yticks(rows, [as_is(str(name)) for name in ranks])
    ax.invert_yaxis()
    ax.margins(y=0.5 / len(rows))
    ax.set_xlim(0.8, ranks.shape[1] + 0.2)
    ax.grid(axis="x")
    ax.set_xlabel("mean rank (bars: single data sets); 1 is best")


def time_figures(figure_data: FigureData) -> Iterator[FigureSpec]:
    """Yield the specification of the figure of time against the ranking measure."""
    lacking = ""
    if figure_data.results.design.measures[figure_data.measure].needs == "seconds":
        lacking = "the measure that ranks is a time itself"
    elif not figure_data.complete:
        lacking = "there is no data set that every pipeline finished"
    yield FigureSpec(
        "time",
        f"Seconds of fitting and predicting against {figure_data.measure}",
        lambda: _time_figure(figure_data),
        lacking=lacking,
    )


def _time_figure(figure_data: FigureData) -> Figure:
    """Return the figure, over the data sets that every pipeline finished."""
    data = costs(figure_data)
    front = data[data["unbeaten"]]
    rows: Any = list(front.itertuples())
    infinite = data.loc[np.isinf(data[figure_data.measure]), "pipeline"]
    n = len(figure_data.complete)
    over = f"{n} data set{'s' if n != 1 else ''} that every pipeline finished"
    text = (
        f"Mean seconds a split takes against mean {figure_data.measure} ({direction(figure_data)}),"
        f" over the {over}. No other pipeline is both faster and better than: "
        f"{', '.join(f'{row.pipeline} ({duration_text(row.seconds)})' for row in rows)}."
    )
    return Figure(
        "time",
        f"Time against {figure_data.measure}",
        text,
        data,
        lambda ax: _paint_times(ax, data, figure_data.measure),
        (3.9, 2.9 + 0.1 * max(len(data) - 8, 0)),
        note=f"Infinite, and not drawn: {', '.join(infinite)}." if len(infinite) else "",
    )


def costs(figure_data: FigureData) -> pd.DataFrame:
    """Mean seconds and scores of pipelines, fastest first, and whether each is Pareto-optimal."""
    results, measure = figure_data.results, figure_data.measure
    table = figure_data.table[figure_data.table["dataset"].isin(figure_data.complete)]
    times = [name for name in ("fit_seconds", "predict_seconds") if name in table]
    means = table.groupby("pipeline", sort=False)[[measure, *times]].mean()
    means = means.dropna(subset=[measure])  # pipelines that finished nothing
    means["seconds"] = means[times].sum(axis=1)
    means = means.sort_values("seconds", kind="stable").reset_index()
    sign = -1.0 if results.design.measures[measure].greater_is_better else 1.0
    scores = sign * means[measure].to_numpy(float)
    best_so_far = np.minimum.accumulate(np.append(np.inf, scores[:-1]))
    return means.assign(unbeaten=scores < best_so_far)


def _paint_times(ax: Axes, data: pd.DataFrame, measure: str) -> None:
    """Draw a point for each pipeline and a line along the Pareto front."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    data = data[np.isfinite(data[measure])]
    if not len(data):
        return
    front = data[data["unbeaten"]]
    ax.set_xscale("log")
    line = np.repeat(front[["seconds", measure]].to_numpy(float), 2, axis=0)
    line = np.column_stack([line[1:, 0], line[:-1, 1]])  # a staircase: across, then down
    ax.plot(*line.T, color="0.7", linewidth=1)
    for unbeaten, color in ((False, "0.35"), (True, COLORS[0])):
        part = data[data["unbeaten"] == unbeaten]
        ax.plot(part["seconds"], part[measure], "o", color=color, markersize=5.5)
    seconds: Any = data["seconds"]
    low, high = float(seconds.min()), float(seconds.max())
    ax.set_xlim(low / 1.6, high * 1.6 * (high / low) ** 0.15)
    ax.margins(y=0.12)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: duration_text(value)))
    few = high / low < 12
    ax.xaxis.set_minor_formatter(
        FuncFormatter(lambda value, _: duration_text(value) if f"{value:e}"[0] in "25" else "")
        if few
        else NullFormatter()
    )
    ax.grid(axis="both")
    ax.set_xlabel("time a split takes (fitting and predicting)")
    ax.set_ylabel(as_is(measure))
    wanted = data["unbeaten"] | (len(data) <= MOST_LABELS)
    names = data["pipeline"].where(wanted, "")
    written = [as_is(name) if name else "" for name in names]
    put_labels(ax, data["seconds"].to_numpy(), data[measure].to_numpy(), written, line)


def duration_text(seconds: float) -> str:
    """Write seconds with a unit: ``1.5 ms``, ``2 s``."""
    if np.isnan(seconds):
        return "-"
    unit, size = next((u for u in UNITS if seconds >= u[1]), UNITS[-1])
    return f"{seconds / size:.3g} {unit}"


def estimate_figures(figure_data: FigureData) -> Iterator[FigureSpec]:
    """Yield the specification of a figure per data set with an estimate."""
    grid = figure_data.results.pivot()
    there = [str(name) for name in grid.index[grid.notna().any(axis=1)]]
    yield FigureSpec(
        "estimates",
        f"{figure_data.measure} of each pipeline on a data set, with its spread over the splits",
        lambda dataset: _estimate_figure(figure_data, dataset),
        datasets=there,
        lacking="" if there else "no pipeline has an estimate yet",
    )


def _estimate_figure(figure_data: FigureData, dataset: str) -> Figure:
    """Return the figure of a data set."""
    import pandas as pd

    table = figure_data.table
    rows = table[table["dataset"] == dataset].set_index("pipeline").reindex(figure_data.shown)
    name = figure_data.measure
    values, spreads = rows[name].to_numpy(float), rows[f"{name}_spread"].to_numpy(float)
    data = pd.DataFrame(
        {"pipeline": figure_data.shown, name: values, "±": spreads, "rank": rows["rank"].to_numpy()}
    )
    lacking = [p for p, value in zip(figure_data.shown, values, strict=True) if np.isnan(value)]
    infinite = [p for p, value in zip(figure_data.shown, values, strict=True) if np.isinf(value)]
    notes = [f"No estimate: {', '.join(lacking)}."] if lacking else []
    notes += [f"Infinite, and not drawn: {', '.join(infinite)}."] if infinite else []
    return Figure(
        "estimates",
        dataset,
        f"{name} on {dataset}, {direction(figure_data)}. {_best(data, name)}",
        data,
        lambda ax: _paint_estimates(ax, data, name),
        (1.9, 0.1 + 0.19 * len(data)),
        dataset,
        note=" ".join(notes),
    )


def _best(data: pd.DataFrame, measure: str) -> str:
    there = data.dropna(subset=["rank"]).sort_values("rank", kind="stable")
    if not len(there):
        return "No pipeline has an estimate."
    best, worst = there.iloc[0], there.iloc[-1]
    text = f"Best: {best['pipeline']}, {signed(best[measure], best['±'])}."
    if len(there) > 1:
        text += f" Last: {worst['pipeline']}, {signed(worst[measure], worst['±'])}."
    return text


def _paint_estimates(ax: Axes, data: pd.DataFrame, measure: str) -> None:
    """Draw a dot with a bar for each pipeline, the first on top and the best in colour."""
    places = np.arange(len(data))[::-1]
    values, spreads = data[measure].to_numpy(float), data["±"].to_numpy(float)
    for place, value, spread, rank in zip(places, values, spreads, data["rank"], strict=True):
        color = COLORS[0] if rank == data["rank"].min() else "0.35"
        if np.isfinite(spread):
            ax.plot([value - spread, value + spread], [place, place], color=color, linewidth=1.2)
        ax.plot([value], [place], "o", color=color, markersize=4.5)
    style: Any = {"length": 0}
    ax.tick_params(axis="y", **style)
    ax.set_yticks(places, [as_is(name) for name in data["pipeline"]])
    ax.set_ylim(-0.6, len(data) - 0.4)
    ax.locator_params(axis="x", nbins=4)
    ax.grid(axis="x")
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(as_is(measure))


MOST_CURVES = 8
"""Pipelines, the best by mean rank, in a figure of learning curves."""
_WIDE = 20
"""Ratio of training sizes from which their axis is logarithmic."""


def learning_figures(figure_data: FigureData) -> Iterator[FigureSpec]:
    """Yield the specification of the learning curves of each data set."""
    lacking = "there is one training size (the resampling learning_curve has several)"
    yield FigureSpec(
        "learning",
        f"Learning curves: {figure_data.measure} against the number of training cases",
        lambda dataset: _learning_figure(figure_data, dataset),
        datasets=figure_data.datasets,
        lacking="" if figure_data.results.design.n_sizes > 1 else lacking,
    )


def _learning_figure(figure_data: FigureData, dataset: str) -> Figure:
    """Return the figure of a data set: a line for each pipeline."""
    name, shown = figure_data.measure, figure_data.shown[:MOST_CURVES]
    table = figure_data.learning
    table = table[(table["dataset"] == dataset) & table["pipeline"].isin(shown)]
    data = table.drop(columns="dataset").dropna(subset=["n_train"]).reset_index(drop=True)
    lost = data[~np.isfinite(data[name])]
    notes = []
    if len(shown) < len(figure_data.order):
        notes.append(f"The best {len(shown)} pipelines by mean rank are drawn.")
    if len(lost):
        places = [f"{row.pipeline} ({row.n_train:g})" for row in lost.itertuples()]
        notes.append(f"No finite estimate, and not drawn: {', '.join(places)}.")
    return Figure(
        "learning",
        f"Learning curves on {dataset}",
        f"{name} on {dataset} against the number of training cases, {direction(figure_data)}. "
        f"{_ends(data, name)}",
        data.rename(columns={"n_train": "training cases", f"{name}_spread": "±"}),
        lambda ax: _paint_learning(ax, data, name, shown, figure_data.order),
        (2.9, 2.4),
        dataset,
        note=" ".join(notes),
    )


def _ends(data: pd.DataFrame, measure: str) -> str:
    """Say where each curve begins and ends."""
    there = data[np.isfinite(data[measure])]
    parts = []
    for pipeline, rows in there.groupby("pipeline", sort=False):
        values = rows[measure].tolist()
        parts.append(f"{pipeline} from {signed(values[0], np.nan)} to {signed(values[-1], np.nan)}")
    return f"{'; '.join(parts)}." if parts else "There are no estimates yet."


def _paint_learning(
    ax: Axes, data: pd.DataFrame, measure: str, shown: Sequence[str], order: Sequence[str]
) -> None:
    """Draw the curves, each with a band of one standard deviation to either side."""
    for pipeline in shown:
        rows = data[(data["pipeline"] == pipeline) & np.isfinite(data[measure])]
        x, y, around = (
            rows[key].to_numpy(float) for key in ("n_train", measure, f"{measure}_spread")
        )
        look: Any = line_of(order.index(pipeline))
        ax.plot(x, y, marker="o", markersize=3, label=as_is(pipeline), zorder=3, **look)
        shade: Any = {"color": look["color"], "alpha": 0.1, "linewidth": 0}
        ax.fill_between(x, y - around, y + around, **shade)
    sizes = np.unique(data["n_train"].to_numpy(float))
    if len(sizes) and sizes[-1] > _WIDE * sizes[0]:
        ax.set_xscale("log")
    ax.set_xticks(sizes, [f"{size:.0f}" for size in sizes], minor=False)
    ax.minorticks_off()
    ax.grid(axis="both")
    ax.set_xlabel("training cases")
    ax.set_ylabel(as_is(measure))
    legend_below(ax, *ax.get_legend_handles_labels())


NAMES = {"friedman_nemenyi": "critical_difference"}
TITLES = {
    "critical_difference": "Critical difference diagram of the mean ranks",
    "robustness": "How far behind the best pipeline of each data set",
}
TESTS = {
    "bayesian_signed_rank": "Bayesian signed-rank test",
    "corrected_resampled_t": "Corrected resampled t test",
    "f_5x2": "F test of 5 x 2 cross-validation",
    "friedman_nemenyi": "Friedman's test with Nemenyi's post-hoc test",
    "error_below": "Binomial test of the error",
    "mcnemar": "McNemar's test",
    "paired_t_5x2": "Paired t test of 5 x 2 cross-validation",
    "robustness": "Robustness: ratios to the best pipeline",
    "wilcoxon": "Wilcoxon's signed-rank test",
}
"""Headings of comparisons; those of plugins have their name in words."""


def test_name(comparison: ilk.Comparison) -> str:
    """Return the name of a comparison in words."""
    use = use_of(comparison)
    return TESTS.get(use, use.replace("_", " ").capitalize())


def comparison_figures(figure_data: FigureData) -> Iterator[FigureSpec]:
    """Yield the specification of the figure of each comparison that can draw its verdict."""
    done = {
        label: (comparison, verdict) for label, comparison, verdict in figure_data.comparisons()
    }
    for label, comparison in figure_data.results.design.comparisons.items():
        name = label.replace(use_of(comparison), name_of(comparison), 1)
        if type(comparison).plot is ilk.Comparison.plot:
            continue
        lacking = "" if label in done else reason(figure_data, label)
        yield FigureSpec(
            name,
            _title(comparison),
            lambda label=label, name=name: _comparison_figure(name, *done[label]),
            lacking=lacking,
        )
    for use, name in {**NAMES, "robustness": "robustness"}.items():
        if use not in figure_data.results.design.comparisons:
            yield FigureSpec(name, TITLES[name], lacking=f"the experiment has no comparison {use}")


def _title(comparison: ilk.Comparison) -> str:
    how = "one by one" if use_of(comparison) == "error_below" else "pair by pair"
    return TITLES.get(name_of(comparison), f"{test_name(comparison)}, {how}")


def use_of(comparison: ilk.Comparison) -> str:
    """Return the registered name of a comparison."""
    return ilk.display_name(comparison)


def name_of(comparison: ilk.Comparison) -> str:
    """Return the name of the figure of a comparison."""
    return NAMES.get(use_of(comparison), use_of(comparison))


def reason(figure_data: FigureData, label: str) -> str:
    """Say why a comparison has no verdict."""
    notes = [note for note in figure_data.results.notes if note.startswith(f"{label} ")]
    return notes[0] if notes else f"{label} was not computed"


def _comparison_figure(name: str, comparison: ilk.Comparison, verdict: ilk.Verdict) -> Figure:
    """Return the figure of a comparison."""
    n = len(verdict.ranks) or 2
    use = name_of(comparison)
    n_rows = min(len(verdict.pairs), 40)
    sizes = {
        "critical_difference": (2.4, 0.9 + 0.17 * n),
        "robustness": (2.6, 0.3 + 0.2 * n),
    }
    return Figure(
        name,
        _title(comparison),
        verdict.text,
        _comparison_table(verdict),
        lambda ax: comparison.plot(verdict, ax),
        sizes.get(use, (3.7, 0.3 + 0.34 * n_rows)),
    )


def _comparison_table(verdict: ilk.Verdict) -> pd.DataFrame:
    """Return the numbers of a verdict's figure: of pairs, or mean ranks and boxes of ratios."""
    import pandas as pd

    if not verdict.ranks:  # pairs are tested on each data set
        return pd.DataFrame(list(verdict.pairs)).drop(columns="differences", errors="ignore")
    boxes: Any = verdict.details.get("boxes", {})
    rows = [
        {"pipeline": name, "mean rank": rank, **boxes.get(name, {})}
        for name, rank in verdict.ranks.items()
    ]
    return pd.DataFrame(rows).sort_values("mean rank", kind="stable")


_HEIGHT, _WIDTH, _GAP = 11.0, 5.0, 6.0  # size of a letter and distance from the point, in points
_PLACES = (
    *((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)),
    *((1, 2), (1, -2), (-1, 2), (-1, -2), (0, 2), (0, -2), (1, 3), (1, -3)),
)
"""Candidate positions of a name: steps to the right and up."""
_SWEEPS = 4
"""Times that each name is placed; further ones rarely move a name."""
Box = tuple[float, float, float, float]


def put_labels(ax: Axes, x: Any, y: Any, names: Sequence[str], line: Any = ()) -> None:
    """Write a name beside each point, at the position with the least overlap.

    Parameters
    ----------
    ax : Axes
        With final limits: later changes would move points under names.
    x, y : array of shape (n,)
    names : sequence of str
        An empty name is not written, but its point is still kept free.
    line : sequence of points, optional
        Corners of a line of horizontal and vertical pieces, which is kept free, too.
    """
    drawn: Any = ax.figure
    size: Any = drawn.get_size_inches() * 72 * 0.85  # most of a figure is its axes
    to_axes: Any = ax.transData + ax.transAxes.inverted()
    points = to_axes.transform(np.column_stack([np.asarray(x, float), np.asarray(y, float)])) * size
    corners = to_axes.transform(np.reshape(np.asarray(line, float), (-1, 2))) * size
    taken: list[Box] = [(px - 3, py - 3, px + 3, py + 3) for px, py in points]
    taken += [(*np.minimum(a, b) - 1, *np.maximum(a, b) + 1) for a, b in pairwise(corners)]
    places = _places(points, names, taken, size)
    horizontal: dict[int, Any] = {1: "left", -1: "right", 0: "center"}
    for i, (right, up) in places.items():
        far = abs(up) > 1  # joined to its point, which may not be the nearest
        join = {"arrowstyle": "-", "color": "0.7", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3}
        ax.annotate(
            names[i],
            (x[i], y[i]),
            (right * _GAP, up * _HEIGHT),
            textcoords="offset points",
            ha=horizontal[right],
            va="center",
            fontsize=8,
            arrowprops=join if far else None,
        )


def _places(
    points: Any, names: Sequence[str], taken: Sequence[Box], size: Any
) -> dict[int, tuple[int, int]]:
    """Place each name where it overlaps least, then again with the other names in place."""
    boxes: dict[int, Box] = {}
    places: dict[int, tuple[int, int]] = {}
    for i in [i for i, name in enumerate(names) if name] * _SWEEPS:
        others = [*taken, *(box for j, box in boxes.items() if j != i)]
        boxes[i], places[i] = _freest(points[i], _WIDTH * len(names[i]), others, size)
    return places


def _freest(
    point: Any, width: float, taken: Sequence[Box], size: Any
) -> tuple[Box, tuple[int, int]]:
    """Return the box of a name that overlaps least, and its place; near ones come first."""
    x, y = point
    tried = [(_box(x, y, width, *place), place) for place in _PLACES]
    return min(tried, key=lambda one: _cost(one[0], taken, size))


def _box(x: float, y: float, width: float, right: int, up: int) -> Box:
    left = x + right * _GAP - {1: 0.0, 0: 0.5, -1: 1.0}[right] * width
    middle = y + up * _HEIGHT
    return left, middle - _HEIGHT / 2, left + width, middle + _HEIGHT / 2


def _cost(box: Box, taken: Sequence[Box], size: Any) -> float:
    """Area of a box that overlaps others or lies outside the axes."""
    hidden = sum(_shared(box, other) for other in taken)
    inside = _shared(box, (0.0, 0.0, float(size[0]), float(size[1])))
    return hidden + (box[2] - box[0]) * (box[3] - box[1]) - inside


def _shared(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)
