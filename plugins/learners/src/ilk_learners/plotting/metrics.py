"""Plots of a learned metric: its matrix, the feature weights, the loss curve, the margin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.plotting import COLORS, colorbar, new_axes, plot_label
from ilk_learners.numerics import finite
from ilk_learners.plotting.regions import plane_cases, side_by_side, svm_margins

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ilk import (
        ArrayLike,
        Estimator,
        Labels,
        LocalMetric,
        Matrix,
        MetricLearner,
        MetricLearnerLike,
    )


def matrix_of(learner: MetricLearner | LocalMetric, at: ArrayLike | None = None) -> np.ndarray:
    """Return A of a fitted metric learner; array of shape (p, p).

    Parameters
    ----------
    learner : MetricLearner or LocalMetric
    at : array of shape (p,), optional
        The point; required by a local metric, ignored by others.

    Raises
    ------
    InputError
        If `at` is missing for a local metric.
    InputTypeError
        If it is not a metric learner.
    """
    check_learner(learner)
    if not isinstance(learner, ilk.LocalMetric):
        with np.errstate(over="ignore", invalid="ignore"):
            A = np.asarray(learner.metric_matrix_, dtype=float)
        return finite(learner, A, "rows vary so little that the metric")
    if at is None:
        raise ilk.InputError(
            f"{ilk.display_name(learner)}: its metric depends on the point: say where, with at="
        )
    local = np.asarray(learner.local_metric(at), dtype=float)
    return np.diag(local) if local.ndim == 1 else local


def check_learner(learner: Estimator) -> None:
    """Raise unless it is a fitted metric learner.

    Raises
    ------
    InputTypeError
        If it is not a metric learner.
    NotFittedError
    """
    from sklearn.utils.validation import check_is_fitted

    kind = None if isinstance(learner, type) else getattr(learner, "kind", None)
    if kind != "metric_learner" and not hasattr(learner, "components_"):
        raise ilk.InputTypeError(f"a picture needs a fitted metric learner, got {learner!r}")
    check_is_fitted(learner)


def names_of(learner: Estimator, names: Sequence[str] | None, p: int) -> list[str]:
    """Return feature names: given ones, else those of training, else x0, x1, ...

    Raises
    ------
    InputError
        If the number of names is not that of features.
    """
    labels = getattr(learner, "feature_names_in_", None) if names is None else names
    if labels is None:
        return [f"x{i}" for i in range(p)]
    number = len(labels) if hasattr(labels, "__len__") and not isinstance(labels, str) else labels
    if number != p or number is labels:
        raise ilk.InputError(
            f"{ilk.display_name(learner)}: names must be {p}, one for each feature, got {number!r}"
        )
    return [plot_label(name) for name in labels]


def feature_weights(
    learner: MetricLearner | LocalMetric,
    *,
    at: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    most: int = 30,
    ax: Axes | None = None,
) -> Axes:
    """Draw the feature weights of a learned metric as bars, the largest first.

    The weight of a feature is its diagonal entry of A: the squared distance of two points that
    differ only in it, by 1. Weights are comparable if the features have one scale.

    Parameters
    ----------
    learner : MetricLearner or LocalMetric
        Fitted.
    at : array of shape (p,), optional
        The point, for a local metric.
    names : sequence of str, optional
        Feature names; None: those of the training table.
    most : int
        Most bars to draw.
    ax : Axes, optional
        None: a new figure (``ax.figure``).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError, InputTypeError
        If there is no fitted metric learner, or the number of names is wrong.

    Examples
    --------
    >>> import ilk, ilk_learners
    >>> data = ilk.dataset("iris").load()
    >>> learner = ilk.metric_learner("relevance", report=False).fit(*data.Xy)
    >>> ax = ilk_learners.plotting.feature_weights(learner)
    >>> len(ax.patches)
    4
    """
    problem = ilk.Param(int, ge=1).problem(most)
    if problem:
        raise ilk.InputError(f"feature_weights: most {problem}")
    weights = np.diag(matrix_of(learner, at))
    labels = names_of(learner, names, len(weights))
    order = np.argsort(-weights, kind="stable")[:most]
    if ax is None:
        ax = new_axes(6.4, 1.2 + 0.25 * len(order))
    assert ax is not None
    ax.barh(range(len(order)), weights[order], color=COLORS[0])
    ax.set_yticks(range(len(order)), [labels[i] for i in order])
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.set_xlim(left=0)
    ax.set_xlabel("weight in the squared distance")
    rest = len(weights) - len(order)
    beyond = f", the largest {len(order)} of {len(weights)}" if rest else ""
    ax.set_title(f"features by {ilk.display_name(learner)}{beyond}")
    return ax


_LEGIBLE = 40  # most names on an axis that stay legible


def metric_matrix(
    learner: MetricLearner | LocalMetric,
    *,
    at: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw A of a learned metric: red entries add to the distance, blue ones reduce it.

    The squared distance is the sum over pairs of features of A_pq times both differences. A
    diagonal entry is the weight of one feature. An off-diagonal entry is positive if differences of
    equal sign in two features increase the distance, negative if they compensate each other.

    Parameters
    ----------
    learner : MetricLearner or LocalMetric
        Fitted.
    at : array of shape (p,), optional
        The point, for a local metric.
    names : sequence of str, optional
        Feature names; None: those of the training table.
    ax : Axes, optional
        None: a new figure (``ax.figure``).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError, InputTypeError
        If there is no fitted metric learner, or the number of names is wrong.

    Examples
    --------
    >>> import ilk, ilk_learners
    >>> learner = ilk.metric_learner("rca").fit(*ilk.dataset("iris").load().Xy)
    >>> ax = ilk_learners.plotting.metric_matrix(learner)
    >>> ax.images[0].get_array().shape
    (4, 4)
    """
    A = matrix_of(learner, at)
    labels = names_of(learner, names, len(A))
    if ax is None:
        ax = new_axes(6.0, 5.0)
    assert ax is not None
    largest = float(np.abs(A).max()) or 1.0
    image = ax.imshow(A, cmap="RdBu_r", vmin=-largest, vmax=largest, interpolation="nearest")
    colorbar(ax, image, "A")
    if len(A) <= _LEGIBLE:
        long = max(map(len, labels)) * len(A) > 40
        ax.set_xticks(range(len(A)), labels, rotation=90 if long else 0)
        ax.set_yticks(range(len(A)), labels)
    ax.set_title(f"metric of {ilk.display_name(learner)}")
    return ax


def loss_curves(
    learners: Estimator | Sequence[Estimator] | Mapping[str, Estimator], *, ax: Axes | None = None
) -> Axes:
    """Draw the loss by iteration of one metric learner, or of several.

    Several losses are drawn relative to their initial values, as their units differ.

    Parameters
    ----------
    learners : MetricLearner, sequence or mapping of them
        Fitted, each with a ``loss_curve_``; the keys of a mapping are the names.
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
        If there is no learner, or one without ``loss_curve_``.

    Examples
    --------
    >>> import ilk, ilk_learners
    >>> X, y = ilk.dataset("wine").load().Xy
    >>> learner = ilk.metric_learner("nca", init="lda", report=False).fit(X, y)
    >>> ax = ilk_learners.plotting.loss_curves(learner)
    >>> len(ax.lines[0].get_xdata()) == learner.n_iter_ + 1
    True
    """
    curves = [(name, _curve(name, learner)) for name, learner in _named(learners)]
    if not curves:
        raise ilk.InputError("loss_curves: there is no learner to draw")
    if ax is None:
        ax = new_axes(6.4, 4.4)
    assert ax is not None
    several = len(curves) > 1
    for place, (name, curve) in enumerate(curves):
        unit = abs(curve[0]) or 1.0 if several else 1.0
        style: Any = ("-", "--", "-.", ":")[place // len(COLORS) % 4]
        ax.plot(curve / unit, style, color=COLORS[place % len(COLORS)], label=plot_label(name))
    ax.set_xlabel("iteration")
    ax.set_ylabel("loss in shares of the first" if several else "loss")
    if several:
        ax.legend()
    else:
        ax.set_title(plot_label(curves[0][0]))
    return ax


def learned_margin(
    learner: MetricLearnerLike = "rca",
    X: Matrix | None = None,
    y: Labels | None = None,
    C: float = 100.0,
    *,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    r"""Draw the margin between two classes before and after the map of a metric learner.

    Each side has the linear SVM of its space. The titles give its margin as a share of the spread,
    the root of the mean squared distance from the mean, so that they compare.

    Parameters
    ----------
    learner : metric learner, default="rca"
        Not fitted, as it is fitted here; its map must keep two dimensions.
    X : array of shape (n, 2), optional
        None: two long clouds side by side.
    y : array of shape (n,), optional
        Two classes.
    C : float, default=100
        Of the SVM.
    axes : sequence of two Axes, optional
        None: those of a new figure.

    Returns
    -------
    list of Axes
        See `svm_margins`.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If X or its image has not two features, or y not two classes.

    References
    ----------
    Zaidi 2011: figure 2.3.

    Examples
    --------
    >>> import ilk_learners
    >>> before, after = ilk_learners.plotting.learned_margin()
    >>> before.get_title(), after.get_title()
    ('before\nmargin 0.26', 'after rca\nmargin 0.83')
    """
    if X is None:
        rng = np.random.default_rng(2)
        along, across = rng.normal(0, 1.5, 60), rng.uniform(-0.25, 0.25, 60)
        y = np.repeat(["A", "B"], 30)
        across += np.where(y == "A", 0.45, -0.45)
        X = np.column_stack([along - across, along + across]) / np.sqrt(2)
    rows, classes, codes = plane_cases("learned_margin", X, y, 2)
    labels = classes[codes]
    fitted: Any = ilk.build(learner, kind="metric_learner").fit(rows, labels)
    if not hasattr(fitted, "transform"):
        raise ilk.InputError(f"{ilk.display_name(fitted)}: it has no map, as it adapts to queries")
    panels = side_by_side("learned_margin", axes, 2)
    spaces = {"before": rows, f"after {ilk.display_name(fitted)}": fitted.transform(rows)}
    for ax, (title, space) in zip(panels, spaces.items(), strict=True):
        points, _, _ = plane_cases("learned_margin", space, labels)
        machine: Any = ilk.classifier("svm", kernel="linear", C=C).fit(points, labels)
        svm_margins(machine, points, labels, ax=ax)
        spread = np.sqrt(points.var(axis=0).sum())
        ax.set_title(f"{title}\nmargin {2 * float(np.ravel(machine.margin_)[0]) / spread:.2f}")
        ax.set_aspect("equal")
    panels[-1].legend(loc="upper left", bbox_to_anchor=(1.01, 1))
    return panels


def _named(
    learners: Estimator | Sequence[Estimator] | Mapping[str, Estimator],
) -> list[tuple[str, Any]]:
    if isinstance(learners, Mapping):
        return [(str(name), learner) for name, learner in learners.items()]
    several = learners if isinstance(learners, Sequence) else [learners]
    return [(ilk.display_name(learner), learner) for learner in several]


def _curve(name: str, learner: Estimator) -> np.ndarray:
    curve = getattr(learner, "loss_curve_", None)
    if curve is None:
        raise ilk.InputError(
            f"{name}: it has no loss_curve_: it is not fitted, or its metric is found in one step"
        )
    return np.asarray(curve, dtype=float)
