"""Draws curves and confusion matrices on matplotlib's axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ilk import InputError
from ilk.plotting import COLORS, class_style, new_axes, plot_label
from ilk_evaluation.confusion import normalized
from ilk_evaluation.curves.curve import Curve
from ilk_evaluation.curves.ranking import check_both_kinds, mann_whitney, rank_cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from ilk import ArrayLike, Labels
    from ilk_evaluation.curves.calibration_curve import Calibration
    from ilk_evaluation.curves.curve import Band
    from ilk_evaluation.curves.learning_curve import LearningCurve

__all__ = [
    "draw_band",
    "draw_calibration",
    "draw_confusion",
    "draw_curves",
    "draw_learning",
    "roc_steps",
]

_AXES = {
    "roc": ("false positive rate", "true positive rate"),
    "precision_recall": ("recall", "precision"),
}
_DARK = 0.6  # share above which a cell of a confusion matrix has white text


def draw_curves(
    curves: Curve | Sequence[Curve], ax: Axes | None = None, *, labels: Labels | None = None
) -> Any:
    """Draw ROC or precision-recall curves, with their areas in the legend.

    Parameters
    ----------
    curves : Curve, or sequence of Curve
        All of one shape. Precision-recall curves are drawn in steps, like their area.
    ax : matplotlib Axes, optional
        New ones by default.
    labels : sequence of str, optional
        One per curve; their names by default.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        For no curves, or curves of both shapes.
    IlkError
        If matplotlib is not installed.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> from ilk_evaluation import curves
    >>> from ilk_evaluation.curves import plotting
    >>> truth, chance = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> P = np.column_stack([1 - chance, chance])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), probabilities=P)
    >>> plotting.draw_curves(curves.roc(prediction)).get_xlabel()
    'false positive rate'
    """
    several = [curves] if isinstance(curves, Curve) else list(curves)
    if len({curve.shape for curve in several}) != 1:
        raise InputError("draw_curves: curves must be one or more, all of one sort")
    names = [curve.name for curve in several] if labels is None else list(labels)
    ax = _square(ax, several[0].shape)
    for number, (curve, name) in enumerate(zip(several, names, strict=True)):
        label = plot_label(f"{name} (area {curve.area:.3f})")
        _line(ax, curve.x, curve.y, curve.shape, color=_color(number), label=label)
    if several[0].shape == "precision_recall" and len(several) == 1 and several[0].n_positive:
        total = several[0].n_positive + several[0].n_negative
        _by_chance(ax, [0, 1], [several[0].n_positive / total] * 2)
    ax.legend(loc="best")
    return ax


_SCORES = (0.95, 0.9, 0.84, 0.8, 0.72, 0.66, 0.6, 0.55, 0.5, 0.42, 0.37, 0.3, 0.24, 0.17, 0.1)
_POSITIVE = (1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0)


def roc_steps(
    scores: ArrayLike = _SCORES,
    positive: ArrayLike = _POSITIVE,
    thresholds: Sequence[float] = (0.75, 0.58, 0.35),
    *,
    axes: Sequence[Axes] | None = None,
) -> list[Any]:
    """Draw how a ROC curve arises, threshold by threshold.

    On the left are the cases by their score and true class. Cases with a score from the threshold
    on are called positive. On the right is the curve that all thresholds give, with the points of
    the marked ones.

    Parameters
    ----------
    scores : array of shape (n,)
        Larger for cases that are more likely positive.
    positive : array of bool, shape (n,)
        Whether each case is positive.
    thresholds : sequence of float, default=(0.75, 0.58, 0.35)
        The marked ones.
    axes : sequence of two Axes, optional
        None: those of a new figure.

    Returns
    -------
    list of Axes
        The title of the right ones gives the area under the curve.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If scores and classes differ in number, a score is not finite, or a class has no case.

    References
    ----------
    Arras: ROC Curves.

    Evaluation slides: ROC Curve.

    Examples
    --------
    >>> from ilk_evaluation.curves import plotting
    >>> cases, curve = plotting.roc_steps([0.9, 0.6, 0.4, 0.1], [1, 0, 1, 0], [0.5])
    >>> curve.get_title()
    'area 0.75'
    >>> curve.lines[1].get_xydata().tolist()  # at the threshold 0.5
    [[0.5, 0.5]]
    """
    values, is_positive = np.asarray(scores, dtype=float), np.asarray(positive, dtype=bool)
    if values.ndim != 1 or values.shape != is_positive.shape or not np.isfinite(values).all():
        raise InputError(
            f"roc_steps: scores must be finite, and as many as positive, got {values.shape} and "
            f"{is_positive.shape}"
        )
    if not len(values):
        raise InputError("roc_steps: there are no cases")
    ranking = rank_cases(values, is_positive)
    check_both_kinds(ranking, "roc_steps")
    left, right = new_axes(8.6, 4.2, 2) if axes is None else axes
    for code, (kind, name) in enumerate(((False, "negative"), (True, "positive"))):
        mine = values[is_positive == kind]
        left.scatter(mine, np.full(len(mine), int(kind)), 30, **class_style(code), label=name)
    rates = [
        np.append(0, counts) / counts[-1]
        for counts in (ranking.false_positives, ranking.true_positives)
    ]
    right.plot(*rates, color="black", marker=".")
    for number, threshold in enumerate(thresholds, start=2):
        called = values >= threshold
        point = called[~is_positive].mean(), called[is_positive].mean()
        color = _color(number)
        left.axvline(threshold, color=color, linestyle="--", linewidth=1.2)
        left.annotate(f"{threshold:g}", (threshold, 0.5), (3, 0), textcoords="offset points")
        right.plot(*point, "o", color=color, markersize=9)
        right.annotate(f"{threshold:g}", point, (7, -12), textcoords="offset points")
    _by_chance(right, [0, 1], [0, 1])
    left.set(xlabel="score", yticks=[0, 1], yticklabels=["negative", "positive"], ylim=(-0.5, 1.5))
    across, up = _AXES["roc"]
    right.set(xlabel=across, ylabel=up, title=f"area {mann_whitney(ranking):.3g}")
    return [left, right]


def draw_band(
    band: Band, ax: Axes | None = None, *, number: int = 0, label: str | None = None
) -> Any:
    """Draw an averaged curve and its band.

    Parameters
    ----------
    band : Band
    ax : matplotlib Axes, optional
        New ones by default.
    number : int, default=0
        Which of the colours.
    label : str, optional
        The name of the curves by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = _square(ax, band.shape)
    name = band.name if label is None else label
    area = f"area {band.area:.3f}"
    if band.n > 1:
        area += f" \N{PLUS-MINUS SIGN} {band.area_sd:.3f}"
    text = plot_label(f"{name} ({area}, {band.n} curves)".strip())
    _line(ax, band.x, band.mean, band.shape, color=_color(number), label=text)
    if band.n > 1:
        step: Literal["pre"] | None = "pre" if band.shape == "precision_recall" else None
        ax.fill_between(
            band.x,
            band.lower,
            band.upper,
            step=step,
            color=_color(number),
            alpha=0.2,
            linewidth=0,
            label=band.spread,
        )
    ax.legend(loc="best")
    return ax


def draw_calibration(curve: Calibration, ax: Axes | None = None) -> Any:
    """Draw observed frequencies against predicted probabilities, with the number of cases.

    Parameters
    ----------
    curve : Calibration
    ax : matplotlib Axes, optional
        New ones by default.

    Returns
    -------
    matplotlib Axes
        The size of a dot grows with the cases of its bin.
    """
    ax = new_axes(4.5, 4.5) if ax is None else ax
    used = curve.counts > 0
    sizes = 12 + 150 * curve.counts[used] / curve.counts.max()
    ax.plot([0, 1], [0, 1], linestyle=":", color="#666666", label="well calibrated")
    ax.plot(curve.probability[used], curve.frequency[used], color=_color(0), linewidth=1)
    ax.scatter(
        curve.probability[used],
        curve.frequency[used],
        sizes,
        color=_color(0),
        zorder=3,
        label=f"{int(curve.counts.sum())} cases, expected error {curve.expected_error:.3f}",
    )
    ax.set(
        xlabel=plot_label(f"probability of {curve.name}"),
        ylabel="observed frequency",
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.02),
    )
    ax.legend(loc="best")
    return ax


def draw_learning(
    curve: LearningCurve, ax: Axes | None = None, *, number: int = 0, label: str | None = None
) -> Any:
    """Draw a learning curve and its band.

    Parameters
    ----------
    curve : LearningCurve
    ax : matplotlib Axes, optional
        New ones by default.
    number : int, default=0
        Which of the colours.
    label : str, optional
        Text in the legend before the number of scores.

    Returns
    -------
    matplotlib Axes
        A size without a score has no point.
    """
    ax = new_axes(6, 4) if ax is None else ax
    there = curve.n > 0
    least, most = int(curve.n.min()), int(curve.n.max())
    counts = f"{most} scores" if least == most else f"{least} to {most} scores"
    text = plot_label(f"{label}: {counts}" if label else f"mean of {counts}")
    ax.plot(curve.sizes[there], curve.mean[there], marker="o", color=_color(number), label=text)
    ax.fill_between(
        curve.sizes,
        curve.lower,
        curve.upper,
        color=_color(number),
        alpha=0.2,
        linewidth=0,
        label=curve.spread,
    )
    better = "more" if curve.greater_is_better else "less"
    ax.set(xlabel="training cases", ylabel=plot_label(f"{curve.measure} ({better} is better)"))
    ax.legend(loc="best")
    return ax


def draw_confusion(
    matrix: np.ndarray, classes: Sequence[Any], ax: Axes | None = None, *, by: Any = "true"
) -> Any:
    """Draw a confusion matrix, with shares as shades and counts as numbers.

    Parameters
    ----------
    matrix : array of shape (C, C)
        Counts; rows true, columns predicted.
    classes : sequence
        Their names.
    ax : matplotlib Axes, optional
        New ones by default.
    by : {"true", "predicted", "all"}, default="true"
        Denominator of the shares.

    Returns
    -------
    matplotlib Axes
        A class without cases has no shade.

    Raises
    ------
    InputError
        If the numbers of names and classes differ.
    """
    counts = np.asarray(matrix)
    names = [plot_label(name) for name in classes]
    if counts.shape != (len(names), len(names)):
        raise InputError(f"draw_confusion: {len(names)} names for a matrix of {counts.shape}")
    size = min(max(2 + 0.45 * len(names), 3.5), 14)
    ax = new_axes(size, size) if ax is None else ax
    shares = normalized(counts, by)
    ax.imshow(np.ma.masked_invalid(shares), cmap="Blues", vmin=0, vmax=1)
    for (row, column), count in np.ndenumerate(counts):
        color = "white" if shares[row, column] > _DARK else "black"
        ax.text(column, row, f"{count:,}", ha="center", va="center", color=color)
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="predicted", ylabel="true")
    return ax


def _square(ax: Axes | None, shape: str) -> Any:
    """Axes from 0 to 1 both ways; new axes get the line of a random classifier."""
    if ax is None:
        ax = new_axes(4.5, 4.5)
        if shape == "roc":
            _by_chance(ax, [0, 1], [0, 1])
    across, up = _AXES[shape]
    ax.set(xlabel=across, ylabel=up, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    return ax


def _by_chance(ax: Axes, x: list[float], y: list[float]) -> None:
    ax.plot(x, y, linestyle=":", color="#666666", label="by chance")


def _line(ax: Axes, x: np.ndarray, y: np.ndarray, shape: str, **style: Any) -> None:
    if shape == "precision_recall":
        ax.step(x, y, where="pre", **style)
    else:
        ax.plot(x, y, **style)


def _color(number: int) -> str:
    return COLORS[number % len(COLORS)]
