"""Plots of bagging and boosting: their rounds, margins of cases, voting weights, losses."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.plotting import COLORS, class_regions, class_style, grid_places, new_axes, plot_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from ilk import Cases, FittedClassifier, Labels, Matrix
    from ilk_ensembles.classifiers.adaboost import AdaBoost
    from ilk_ensembles.classifiers.bagging import Bagging

_AREA = 1400.0  # of the points of all cases together, in square points
_SPACE = 0.06  # beyond the data on each side, as a share of the feature's range

# Twenty cases (two features, class) for which the eight stumps, and the errors of the strong
# classifier after each, are as Arras prints them; weighted errors differ by 0.02 at most.
_ARRAS = [
    *[(0.09, 0.16, -1), (0.02, 0.05, -1), (0.15, 0.4, -1), (0.22, 0.23, -1), (0.06, 0.45, -1)],
    *[(0.05, 0.9, -1), (0.35, 0.91, -1), (0.67, 0.05, 1), (0.45, 0.12, 1), (0.53, 0.2, -1)],
    *[(0.79, 0.4, -1), (0.64, 0.35, -1), (0.39, 0.77, 1), (0.52, 0.95, 1), (0.43, 0.82, 1)],
    *[(0.85, 0.3, 1), (0.84, 0.97, 1), (0.91, 0.49, 1), (0.83, 0.78, 1), (0.95, 0.24, -1)],
]


def adaboost_rounds(
    model: AdaBoost | None = None,
    X: Matrix | None = None,
    y: Labels | None = None,
    rounds: Sequence[int] | None = None,
    *,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    r"""Draw AdaBoost round by round: weights of cases as areas, and the border of each member.

    A panel shows the weights with which its member was fitted; the member's border is solid, and
    those before are grey. The plane is shaded by the votes of all members up to the round.

    Parameters
    ----------
    model : adaboost, optional
        Fitted on X and y, without weights of the cases. None: eight rounds of stumps.
    X : array of shape (n, 2), optional
        None: twenty cases like those of the text.
    y : array of shape (n,), optional
    rounds : sequence of int, optional
        Numbers of rounds, from 1. None: the first eight.
    axes : sequence of Axes, optional
        One for each round; None: those of a new figure, at most four in a row.

    Returns
    -------
    list of Axes
        Titles give the member's weighted error and voting weight, and the number of cases that the
        members up to there misclassify.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If X has not two features, or the model has fewer rounds.

    References
    ----------
    Arras: AdaBoost Example.

    Cunningham 2008: figure 2.5.

    Examples
    --------
    >>> import ilk_ensembles
    >>> panels = ilk_ensembles.plotting.adaboost_rounds(rounds=(1, 2))
    >>> panels[0].get_title()
    'round 1: 4 errors\ne = 0.20, alpha = 0.69'
    """
    if X is None:
        X, y = arras_cases()
    rows, classes, codes = _cases("adaboost_rounds", X, y)
    if model is None:
        stumps: Any = ilk.classifier("adaboost", n_members=8)
        model = stumps.fit(rows, classes[codes])
    ilk.check_fitted(model)
    last = len(model.estimators_)
    wanted = list(range(1, min(last, 8) + 1)) if rounds is None else sorted(set(rounds))
    if not wanted or wanted[0] < 1 or wanted[-1] > last:
        raise ilk.InputError(
            f"adaboost_rounds: rounds must be from 1 to {last}, got {list(rounds or ())!r}"
        )
    stages = _Stages(model, rows, np.asarray(y))
    panels = _panels("adaboost_rounds", axes, len(wanted))
    for ax, number in zip(panels, wanted, strict=True):
        stages.draw(ax, number)
        for code, label in enumerate(classes):
            areas = _AREA * stages.weights[number - 1][codes == code]
            look = class_style(code) | {"edgecolors": "white", "linewidths": 0.5}
            x, z = rows[codes == code].T
            ax.scatter(x, z, areas, label=plot_label(label), zorder=3, **look)
    legend = panels[min(len(panels), 4) - 1].legend(loc="upper left", bbox_to_anchor=(1.01, 1))
    for handle in legend.legend_handles:
        handle.set_sizes([30])
    return panels


class _Stages:
    """The rounds of a boosted classifier on cases in the plane."""

    def __init__(self, model: AdaBoost, rows: np.ndarray, y: np.ndarray) -> None:
        self.model = model
        extent = np.ptp(rows, axis=0)
        space = _SPACE * np.where(extent > 0, extent, 1)
        self.low, self.high = rows.min(axis=0) - space, rows.max(axis=0) + space
        self.weights = list(model.staged_weights(rows, y))
        self.wrong = [int(np.sum(labels != y)) for labels in model.staged_predict(rows)]

    def draw(self, ax: Axes, number: int) -> None:
        """Draw the votes after a round, and the borders of its member and those before."""
        model, low, high = self.model, self.low, self.high

        stages = model.staged_predict(grid_places(low, high, 100))
        votes = next(islice(stages, number - 1, None))
        class_regions(ax, votes, model.classes_, low, high)
        *before, latest = model.estimators_[:number]
        for member in before:
            _border(ax, member, low, high, color="0.6", linewidth=0.8)
        _border(ax, latest, low, high, color="black", linewidth=1.6)
        e, alpha, wrong = (of[number - 1] for of in (model.errors_, model.alphas_, self.wrong))
        plural = "s" * (wrong != 1)
        ax.set_title(f"round {number}: {wrong} error{plural}\ne = {e:.2f}, alpha = {alpha:.2f}")
        ax.set(xticks=[], yticks=[], xlim=(low[0], high[0]), ylim=(low[1], high[1]))


def arras_cases() -> tuple[np.ndarray, np.ndarray]:
    """Twenty cases of classes -1 and 1 in the unit square, as in the figure of Arras."""
    table = np.array(_ARRAS)
    return table[:, :2], table[:, 2].astype(int)


def _cases(function: str, X: Matrix, y: Labels | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = np.asarray(X, dtype=float)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise ilk.InputError(f"{function}: X must have two features, got shape {rows.shape}")
    if y is None or len(np.asarray(y)) != len(rows):
        raise ilk.InputError(f"{function}: y must have {len(rows)} labels")
    return rows, *np.unique(np.asarray(y), return_inverse=True)


def _panels(function: str, axes: Sequence[Axes] | None, count: int) -> list[Any]:
    if axes is None:
        columns = min(count, 4)
        n_rows = -(-count // columns)
        every = np.ravel(new_axes(2.8 * columns, 3.1 * n_rows, columns, rows=n_rows))
        for ax in every[count:]:
            ax.set_axis_off()
        return list(every[:count])
    if len(axes) != count:
        raise ilk.InputError(f"{function}: axes must be {count}, got {len(axes)}")
    return list(axes)


def _border(
    ax: Axes, member: FittedClassifier, low: np.ndarray, high: np.ndarray, **line: Any
) -> None:
    """Draw where the answer of a member changes."""
    feature, threshold = (vars(member).get(name) for name in ("feature_", "threshold_"))
    if feature is not None and isinstance(threshold, float):
        (ax.axhline if feature else ax.axvline)(threshold, **line)
        return
    x, z = np.meshgrid(*np.linspace(low, high, 150).T)
    labels = np.asarray(member.predict(np.column_stack([x.ravel(), z.ravel()])))
    _, codes = np.unique(labels, return_inverse=True)
    between = np.arange(codes.max()) + 0.5
    if len(between):
        style = {"colors": line["color"], "linewidths": line["linewidth"]}
        ax.contour(x, z, codes.reshape(x.shape), between, **style)


# The bootstrap samples that Ntoutsi & Schubert print, as cases from 1
_SAMPLES = (
    *("1 2 2 3 4 4 5 6 9 9", "1 2 3 4 5 8 9 10 10 10", "1 2 3 4 4 5 7 7 8 9"),
    *("1 1 2 4 4 5 5 7 8 9", "1 1 2 5 6 6 6 10 10 10", "2 4 5 6 7 7 7 8 9 10"),
    *("1 4 4 6 7 8 9 9 9 10", "1 2 5 5 5 7 7 8 9 10", "1 3 4 4 6 7 7 8 10 10"),
    "1 1 1 1 3 3 8 8 9 9",
)


def bagging_rounds(
    model: Bagging | None = None,
    X: Cases | None = None,
    y: Labels | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw bagging round by round: bootstrap samples, answers of the members, and their majority.

    A row of cells has the answers of a member for all cases. A dot is larger the more often the
    member's bootstrap sample holds the case. Below are the sums of the votes (those for the second
    class minus those for the first), on the colour of the majority, and the true classes.

    Parameters
    ----------
    model : bagging, optional
        Fitted on X and y of two classes. None: trees of one level, fitted on the ten samples of the
        text.
    X : data of n rows, optional
        None: the ten cases of the text.
    y : array of shape (n,), optional
    ax : Axes, optional
        None: a new figure (``ax.figure``).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If y has not two classes, or the model no bootstrap samples.

    References
    ----------
    Ntoutsi 2015: figures 5.35-5.36.

    Examples
    --------
    >>> import ilk_ensembles
    >>> ax = ilk_ensembles.plotting.bagging_rounds()
    >>> [text.get_text() for text in ax.texts]  # as printed
    ['2', '2', '2', '-6', '-6', '-6', '-6', '2', '2', '2']
    """
    from matplotlib.colors import ListedColormap

    if X is None:
        X, y = np.arange(1, 11)[:, None] / 10, np.array([1, 1, 1, -1, -1, -1, -1, 1, 1, 1])
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) != 2:
        raise ilk.InputError(f"bagging_rounds: y must have two classes, got {len(classes)}")
    members, samples = (
        _bagged(model) if model is not None else _printed_members(np.asarray(X), np.asarray(y))
    )
    answers = np.array([np.asarray(member.predict(X)) for member in members])
    votes = np.where(answers == classes[1], 1, -1)
    sums = votes.sum(axis=0)
    table = np.vstack([votes > 0, sums > 0, codes])
    ax = new_axes(6.4, 0.8 + 0.36 * len(table)) if ax is None else ax
    colors = ListedColormap([COLORS[0], COLORS[1]])
    ax.imshow(table, cmap=colors, vmin=0, vmax=1, alpha=0.35, aspect="auto")
    for row, sample in enumerate(samples):
        drawn, times = np.unique(sample, return_counts=True)
        ax.scatter(drawn, np.full(len(drawn), row), 14 * times, color="black")
    for case, total in enumerate(sums.tolist()):
        ax.text(case, len(members), f"{total}", ha="center", va="center")
    for row in range(1, len(table)):
        ax.axhline(row - 0.5, color="white", linewidth=1 + 2 * (row >= len(members)))
    names = [*(f"round {number}" for number in range(1, len(members) + 1)), "sum", "true class"]
    ax.set_yticks(range(len(table)), names)
    ax.set(xlabel="case", xticks=[], xlim=(-0.5, len(codes) - 0.5))
    for code, label in enumerate(classes):
        ax.bar(0, 0, color=COLORS[code], alpha=0.35, label=plot_label(label))
    ax.scatter([], [], 14, color="black", label="in the sample")
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1))
    return ax


def _printed_members(X: np.ndarray, y: np.ndarray) -> tuple[list[Any], list[np.ndarray]]:
    """Trees of one level on the samples of the text; the last sample has one class."""
    samples = [np.array(text.split(), dtype=int) - 1 for text in _SAMPLES]
    members: list[Any] = [
        ilk.classifier("decision_tree", max_depth=1).fit(X[rows], y[rows]) for rows in samples[:-1]
    ]
    return [*members, ilk.ConstantClassifier().fit(X[samples[-1]], y[samples[-1]])], samples


def _bagged(model: Bagging) -> tuple[list[Any], list[np.ndarray]]:
    ilk.check_fitted(model)
    if not hasattr(model, "rows_"):
        raise ilk.InputError(f"{ilk.display_name(model)}: it has no bootstrap samples to draw")
    return model.estimators_, model.rows_


def margin_distribution(
    model: AdaBoost | None = None,
    X: Matrix | None = None,
    y: Labels | None = None,
    rounds: Sequence[int] = (5, 20, 100),
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the cumulative distribution of the margins of cases after some rounds of boosting.

    The margin is the share of the votes for the true class minus that for the strongest other one.
    Below 0 a case is misclassified. Further rounds raise small margins, even after the last error.

    Parameters
    ----------
    model : adaboost, optional
        Fitted. None: 100 rounds of trees of depth 2.
    X : array of shape (n, p), optional
        None: 300 cases within and outside of a circle.
    y : array of shape (n,), optional
    rounds : sequence of int, default=(5, 20, 100)
    ax : Axes, optional
        None: a new figure (``ax.figure``).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If the model has fewer rounds.

    References
    ----------
    Evaluation slides: AdaBoost Remarks. Schapire, Freund, Bartlett & Lee (1998), figure 1.

    Examples
    --------
    >>> import ilk_ensembles
    >>> ax = ilk_ensembles.plotting.margin_distribution(rounds=(5, 20))
    >>> [line.get_label() for line in ax.lines[:2]]
    ['5 rounds', '20 rounds']
    """
    if X is None:
        X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
        y = np.where(np.hypot(*X.T) < 0.7, "inside", "outside")
    if model is None:
        tree = {"use": "decision_tree", "max_depth": 2}
        trees: Any = ilk.classifier("adaboost", member=tree, n_members=max([*rounds, 1]))
        model = trees.fit(X, np.asarray(y))
    ilk.check_fitted(model)
    by_round = dict(enumerate(staged_margins(model, X, y), start=1))
    missing = [number for number in rounds if number not in by_round]
    if missing or not rounds:
        raise ilk.InputError(
            f"margin_distribution: rounds must be from 1 to {len(by_round)}, got {list(rounds)!r}"
        )
    ax = new_axes(5.6, 4.0) if ax is None else ax
    for place, number in enumerate(sorted(set(rounds))):
        margins = np.sort(by_round[number])
        steps = np.arange(len(margins) + 1) / len(margins)
        style: Any = {"color": COLORS[place % len(COLORS)], "where": "post"}
        label = f"{number} round{'s' * (number > 1)}"
        ax.step(np.append(-1, margins), steps, label=label, **style)
    ax.axvline(0, color="0.5", linewidth=0.8, linestyle=":")
    ax.set(xlim=(-1, 1), ylim=(0, 1.02), xlabel="margin", ylabel="share of cases up to the margin")
    ax.legend()
    return ax


def staged_margins(model: AdaBoost, X: Matrix, y: Labels | None) -> list[np.ndarray]:
    """Margins of the cases after each round, from -1 to 1."""
    classes, codes = ilk.check_labels(model, y, X)
    codes = np.searchsorted(model.classes_, classes)[codes]
    rows, margins = np.arange(len(codes)), []
    for support, total in zip(
        model.staged_decision_function(X), np.cumsum(model.alphas_), strict=True
    ):
        if support.ndim == 1:
            lead = support * (2 * codes - 1)
        else:
            others = np.array(support)
            others[rows, codes] = -np.inf
            lead = support[rows, codes] - others.max(axis=1)
        margins.append(lead / total)
    return margins


def voting_weights(
    model: AdaBoost | None = None, *, axes: Sequence[Axes] | None = None
) -> list[Axes]:
    """Draw AdaBoost's voting weight and its factor of the error bound, by the error of a member.

    ``alpha(e) = ln((1 - e) / e) / 2`` and ``Z(e) = 2 sqrt(e (1 - e))``. A member at chance has no
    vote, and leaves the bound as it is.

    Parameters
    ----------
    model : adaboost, optional
        Fitted on two classes; its members are marked.
    axes : sequence of two Axes, optional
        None: those of a new figure.

    Returns
    -------
    list of Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If the axes are not two.

    References
    ----------
    Arras: AdaBoost Learning; Why Does It Work.

    Examples
    --------
    >>> import ilk_ensembles
    >>> weight, factor = ilk_ensembles.plotting.voting_weights()
    >>> e, alpha = weight.lines[0].get_data()
    >>> round(float(2 * alpha[e.searchsorted(0.2)]), 2)  # printed for e = 0.2, with the factor 2
    1.39
    """
    e = np.linspace(0.002, 0.998, 499)
    panels = _panels("voting_weights", axes, 2)
    values = (np.log((1 - e) / e) / 2, 2 * np.sqrt(e * (1 - e)))
    for ax, height, name in zip(panels, values, ("alpha: vote", "Z: factor"), strict=True):
        ax.plot(e, height, color=COLORS[0])
        ax.axvline(0.5, color="0.5", linewidth=0.8, linestyle=":")
        ax.set(xlabel="error of the member", title=name, xlim=(0, 1))
    panels[0].axhline(0, color="0.5", linewidth=0.8, linestyle=":")
    panels[1].set_ylim(0, 1.05)
    if model is not None:
        errors = np.asarray(model.errors_)
        panels[0].plot(errors, model.alphas_, "o", color=COLORS[5], label="members")
        panels[1].plot(errors, 2 * np.sqrt(errors * (1 - errors)), "o", color=COLORS[5])
        panels[0].legend()
    return panels


def losses(
    names: Sequence[str] = ("0/1", "hinge", "exponential", "logistic", "squared"),
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw losses of a case by its margin ``m = y f(x)``: the error, and upper bounds of it.

    0/1: 1 if m <= 0; hinge ``max(0, 1 - m)``; exponential ``exp(-m)``; logistic
    ``ln(1 + exp(-m)) / ln 2``, which is 1 at 0 as the others; squared ``(1 - m)^2``.

    Parameters
    ----------
    names : sequence of str
        Of these.
    ax : Axes, optional
        None: a new figure (``ax.figure``).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If a name is unknown.

    References
    ----------
    Arras: Why Does It Work.

    Examples
    --------
    >>> import ilk_ensembles
    >>> ax = ilk_ensembles.plotting.losses()
    >>> [line.get_label() for line in ax.lines]
    ['0/1', 'hinge', 'exponential', 'logistic', 'squared']
    """
    m = np.linspace(-2, 2.5, 901)
    every = {
        "0/1": np.where(m <= 0, 1.0, 0.0),
        "hinge": np.maximum(0, 1 - m),
        "exponential": np.exp(-m),
        "logistic": np.logaddexp(0, -m) / np.log(2),
        "squared": (1 - m) ** 2,
    }
    unknown = [name for name in names if name not in every]
    if unknown:
        raise ilk.InputError(
            f"losses: there is no {unknown[0]!r}{ilk.did_you_mean(unknown[0], every)}"
        )
    ax = new_axes(5.6, 4.0) if ax is None else ax
    for number, name in enumerate(names):
        style: Any = {"color": "black", "linewidth": 2} if name == "0/1" else {}
        ax.plot(m, every[name], **({"color": COLORS[number % len(COLORS)]} | style), label=name)
    ax.set(xlabel="margin y f(x)", ylabel="loss", ylim=(-0.05, 4), xlim=(-2, 2.5))
    ax.legend()
    return ax
