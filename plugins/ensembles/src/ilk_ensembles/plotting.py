"""Plots of ensembles: error by size, diversity, proximities, decision regions.

They need matplotlib, which the extra ``report`` of ilk installs. They draw on given or new
axes, and do not change matplotlib's global state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.plotting import (
    COLORS,
    class_legend,
    class_regions,
    class_style,
    grid_places,
    new_axes,
    plot_label,
    scatter,
)
from ilk_ensembles.boosting.plotting import (
    adaboost_rounds,
    bagging_rounds,
    losses,
    margin_distribution,
    voting_weights,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from ilk import ArrayLike, Cases, Estimator, FittedClassifier, Labels, Matrix

__all__ = [
    "adaboost_rounds",
    "bagging_rounds",
    "crab_rounds",
    "decision_regions",
    "diversity_uplift",
    "error_by_size",
    "kappa_error",
    "losses",
    "margin_distribution",
    "proximity_embedding",
    "voting_weights",
]

_MARGIN = 0.08  # margin beyond the data on each side, as a share of the feature's range


def error_by_size(
    ensemble: Estimator, sets: Mapping[str, tuple[Any, Any]], *, axes: Axes | None = None
) -> Axes:
    """Plot the error of the first 1, 2, ... members on data sets, and the error bound if any.

    Parameters
    ----------
    ensemble : classifier
        Fitted, with ``staged_predict``. For boosting, the bound of the training error after each
        round, ``error_bounds_``, is drawn too.
    sets : mapping of str to (X, y)
        Such as ``{"training": (X, y), "test": (Q, z)}``.
    axes : Axes, optional
        Default: those of a new figure (``axes.figure`` is the figure).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If the ensemble has no staged predictions, or there are no data.

    References
    ----------
    Freund & Schapire (1997), theorem 6, for the bound.

    Ntoutsi 2015: Error by number of members.

    Examples
    --------
    >>> import ilk, ilk_ensembles
    >>> X, y = ilk.dataset("breast_cancer").load().Xy
    >>> model = ilk.classifier("adaboost", n_members=20).fit(X, y)
    >>> ax = ilk_ensembles.plotting.error_by_size(model, {"training": (X, y)})
    >>> [line.get_label() for line in ax.lines]
    ['training', 'bound of the training error']
    """
    from sklearn.utils.validation import check_is_fitted

    name = ilk.display_name(ensemble)
    if not hasattr(ensemble, "staged_predict"):
        raise ilk.InputError(f"{name}: has no staged_predict, so its error by size is not known")
    check_is_fitted(ensemble)
    if not sets:
        raise ilk.InputError(f"{name}: sets must hold at least one (X, y), got none")
    ax = new_axes(6, 4) if axes is None else axes
    for number, (label, (X, y)) in enumerate(sets.items()):
        truth = np.asarray(y)
        errors = [float(np.mean(np.asarray(p) != truth)) for p in ensemble.staged_predict(X)]
        sizes = np.arange(1, len(errors) + 1)
        ax.plot(sizes, errors, color=COLORS[number % len(COLORS)], label=plot_label(label))
    bounds = getattr(ensemble, "error_bounds_", None)
    if bounds is not None:
        sizes = np.arange(1, len(bounds) + 1)
        legend = "bound of the training error"
        ax.plot(sizes, bounds, color="black", linestyle="--", linewidth=1, label=legend)
    ax.set(xlabel="members", ylabel="error", title=plot_label(name), ylim=(0, None))
    ax.legend()
    return ax


def diversity_uplift(
    diversity: Any,
    uplift: Any,
    *,
    names: Sequence[str] | None = None,
    measure: str = "diversity",
    axes: Axes | None = None,
) -> Axes:
    """Draw a point for each ensemble, and the least-squares line with its correlation.

    Parameters
    ----------
    diversity : array of shape (m,)
        Of each ensemble, such as the mean of `ilk_evaluation.diversity.fail_disagreement`.
    uplift : array of shape (m,)
        Mean error of the members minus the error of the ensemble.
    names : sequence of str, optional
        Labels of the points.
    measure : str
        Name of the diversity measure.
    axes : Axes, optional
        Default: those of a new figure (``axes.figure`` is the figure).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If there is not one finite uplift for each diversity.

    References
    ----------
    Cunningham 2008: section 2.5.3.1.

    Tsymbal, Pechenizkiy & Cunningham (2005).

    Examples
    --------
    >>> import ilk_ensembles
    >>> ax = ilk_ensembles.plotting.diversity_uplift([0.1, 0.2, 0.3], [0.01, 0.03, 0.05])
    >>> ax.get_title()
    'correlation 1.00'
    """
    x, up = np.asarray(diversity, dtype=float), np.asarray(uplift, dtype=float)
    if x.ndim != 1 or x.shape != up.shape or not len(x):
        raise ilk.InputError(
            f"diversity_uplift: diversity and uplift must be two arrays of shape (m,), got "
            f"{x.shape} and {up.shape}"
        )
    if not (np.isfinite(x).all() and np.isfinite(up).all()):
        raise ilk.InputError("diversity_uplift: diversity and uplift must be finite")
    if names is not None and len(names) != len(x):
        raise ilk.InputError(
            f"diversity_uplift: names must be {len(x)}, one for each ensemble, got {len(names)}"
        )
    ax = new_axes(5.5, 4.2) if axes is None else axes
    ax.scatter(x, up, 24, color=COLORS[0], zorder=3)
    ax.axhline(0, color="grey", linewidth=0.8)
    for place, name in enumerate(names or ()):
        at = (x[place], up[place])
        ax.annotate(plot_label(name), at, xytext=(4, 3), textcoords="offset points", fontsize=8)
    # two points, or points without spread, have no correlation to show
    if len(x) > 2 and np.ptp(x) > 0 and np.ptp(up) > 0:
        slope, height = np.polyfit(x, up, 1)
        ends = np.array([x.min(), x.max()])
        ax.plot(ends, slope * ends + height, color=COLORS[5], linewidth=1)
        ax.set_title(f"correlation {np.corrcoef(x, up)[0, 1]:.2f}")
    ax.set(xlabel=measure, ylabel="uplift: error of members - of ensemble")
    return ax


def kappa_error(kappa: Matrix, errors: ArrayLike, *, axes: Axes | None = None) -> Axes:
    """Draw a point for each pair of members: the mean of their errors against their agreement.

    Pairs at the left are diverse, those at the bottom accurate. Pairs of undefined kappa are left
    out.

    Parameters
    ----------
    kappa : array of shape (L, L)
        Agreement of each pair, as `ilk_evaluation.diversity.kappa` returns it.
    errors : array of shape (L,)
        Error of each member.
    axes : Axes, optional
        Default: those of a new figure (``axes.figure`` is the figure).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If there is not one finite error for each row and column, or there are fewer than two.

    References
    ----------
    Margineantu & Dietterich (1997), "Pruning adaptive boosting", figure 2.

    Examples
    --------
    >>> import ilk_ensembles
    >>> ax = ilk_ensembles.plotting.kappa_error([[1, 0.2], [0.2, 1]], [0.1, 0.3])
    >>> ax.collections[0].get_offsets().tolist()
    [[0.2, 0.2]]
    """
    try:
        agreement, wrong = np.asarray(kappa, dtype=float), np.asarray(errors, dtype=float)
    except (TypeError, ValueError) as error:
        raise ilk.InputError(f"kappa_error: kappa and errors must be numbers: {error}") from None
    if wrong.ndim != 1 or agreement.shape != 2 * wrong.shape or len(wrong) < 2:
        raise ilk.InputError(
            f"kappa_error: kappa and errors must have the shapes (L, L) and (L,) for L > 1 "
            f"members, got {agreement.shape} and {wrong.shape}"
        )
    if not np.isfinite(wrong).all():
        raise ilk.InputError("kappa_error: errors must be finite")
    first, second = np.triu_indices(len(wrong), 1)
    ax = new_axes(5.5, 4.2) if axes is None else axes
    means = (wrong[first] + wrong[second]) / 2
    ax.scatter(agreement[first, second], means, 14, color=COLORS[0], alpha=0.6, linewidths=0)
    ax.set(xlabel="kappa: agreement of two members", ylabel="mean of their errors")
    return ax


def proximity_embedding(
    forest: Any, X: Cases, y: Labels, *, max_cases: int = 1000, axes: Axes | None = None
) -> Axes:
    """Plot cases by classical scaling of the forest's distances ``sqrt(1 - proximity)``.

    Parameters
    ----------
    forest : random_forest
        Fitted.
    X : array of shape (n, p)
    y : array of shape (n,)
        Labels, for the colours.
    max_cases : int, default=1000
        If there are more cases, this number is taken, evenly spread over the rows; a matrix of
        ``max_cases`` squared is decomposed.
    axes : Axes, optional
        Default: those of a new figure (``axes.figure`` is the figure).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If the classifier has no proximities, or there are fewer than three cases.

    Notes
    -----
    The square root of one minus the proximity is a Euclidean distance: the proximities are
    inner products of leaf indicators.

    References
    ----------
    Breiman (2001).

    Cunningham 2008: section 2.5.4.

    Examples
    --------
    >>> import ilk, ilk_ensembles
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> forest = ilk.classifier("random_forest", n_members=20, random_state=0).fit(X, y)
    >>> ax = ilk_ensembles.plotting.proximity_embedding(forest, X, y)
    >>> len(ax.collections)  # a cloud of points for each class
    3
    """
    name = ilk.display_name(forest)
    if not hasattr(forest, "proximities"):
        raise ilk.InputError(f"{name}: has no proximities; random_forest has")
    if max_cases < 3:
        raise ilk.ParameterError(f"proximity_embedding: max_cases must be >= 3, got {max_cases!r}")
    n = ilk.n_rows(X)
    if n < 3:
        raise ilk.InputError(f"{name}: the plot needs at least 3 cases, got {n}")
    ilk.check_same_length(forest, X, y, "y")
    # evenly spaced, so that the drawn cases include all parts of sorted data
    rows = np.unique(np.linspace(0, n - 1, min(n, max_cases)).astype(int))
    points = _scaled(np.asarray(forest.proximities(ilk.take(X, rows)), dtype=float))
    ax = new_axes(6, 4.4) if axes is None else axes
    scatter(ax, points, forest, ilk.take(np.asarray(y), rows), legend=True)
    ax.set(xticks=[], yticks=[], title=f"proximities of {plot_label(name)}")
    ax.set_aspect("equal", adjustable="datalim")
    return ax


def _scaled(inner: np.ndarray) -> np.ndarray:
    """First two principal coordinates of objects with the given inner products."""
    from scipy.linalg import eigh

    # double centring: the origin becomes the mean of the objects
    centred = inner - inner.mean(axis=0) - inner.mean(axis=1)[:, None] + inner.mean()
    last = len(inner) - 1
    # negative eigenvalues belong to no real coordinates
    values, vectors = eigh(centred, subset_by_index=(last - 1, last))
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1])


def decision_regions(
    model: FittedClassifier,
    X: Matrix,
    y: Labels | None,
    *,
    rounds: Sequence[int] | None = None,
    resolution: int = 200,
    legend: bool = True,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Plot the regions of the classes after some rounds, with the data.

    Regions that the model rejects, with a label that is no class, are white.

    Parameters
    ----------
    model : classifier
        Fitted on two features; with ``staged_predict`` where `rounds` are given.
    X : array of shape (n, 2)
    y : array of shape (n,)
    rounds : sequence of int, optional
        Number of members used in each panel, in ascending order, such as ``(1, 3, 5)``.
        If left out, one panel shows the complete model.
    resolution : int, default=200
        Grid points along each axis at which the model predicts.
    legend : bool, default=True
        Whether to explain the colours, beside the last panel.
    axes : sequence of Axes, optional
        One for each panel; default: those of a new figure.

    Returns
    -------
    list of Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If the model is no classifier, X has not two features, y has a label that is no class of
        the model, or the model has fewer rounds.

    References
    ----------
    Zaidi 2011: figure 10.1.

    Examples
    --------
    >>> import ilk, ilk_ensembles, numpy as np
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "a", "b")
    >>> model = ilk.classifier("crab", n_rounds=5).fit(X, y)
    >>> panels = ilk_ensembles.plotting.decision_regions(model, X, y, rounds=(1, 3, 5))
    >>> [panel.get_title() for panel in panels]
    ['1 round', '3 rounds', '5 rounds']
    """
    from sklearn.utils.validation import check_is_fitted

    name = ilk.display_name(model)
    check_is_fitted(model)
    rows = np.asarray(ilk.check_vectors(model, X), dtype=float)
    if rows.shape[1] != 2:
        raise ilk.InputError(f"{name}: X must have two features to be drawn, got {rows.shape[1]}")
    codes = _class_codes(model, name, y, rows)
    if resolution < 2:
        raise ilk.ParameterError(f"decision_regions: resolution must be >= 2, got {resolution!r}")
    width = np.ptp(rows, axis=0)
    spread = np.where(width > 0, _MARGIN * width, np.maximum(np.abs(rows[0]), 1.0))
    low, high = rows.min(axis=0) - spread, rows.max(axis=0) + spread
    predicted = _predictions(model, name, grid_places(low, high, resolution), rounds)
    panels = _panels(axes, len(predicted), legend=legend)
    rejected = False
    for ax, (title, labels) in zip(panels, predicted, strict=True):
        rejected |= class_regions(ax, labels, model.classes_, low, high)
        for code, label in enumerate(model.classes_):
            first, second = rows[codes == code].T
            ax.scatter(first, second, 8, label=plot_label(label), linewidths=0, **class_style(code))
        ax.set(xticks=[], yticks=[], title=title)
    if legend:
        class_legend(panels[-1], rejected=rejected)
    return panels


def crab_rounds(
    X: Matrix | None = None,
    y: Labels | None = None,
    rounds: Sequence[int] = (1, 3, 5),
    *,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw the regions of CRAB, boosted histograms of single features, after some rounds.

    Parameters
    ----------
    X : array of shape (n, 2), optional
        None: blocks of two classes.
    y : array of shape (n,), optional
    rounds : sequence of int, default=(1, 3, 5)
    axes : sequence of Axes, optional
        One for each; None: those of a new figure.

    Returns
    -------
    list of Axes
        See `decision_regions`.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If X has not two features, or there are fewer rounds.

    References
    ----------
    Zaidi 2011: figure 10.1.

    Examples
    --------
    >>> import ilk_ensembles
    >>> panels = ilk_ensembles.plotting.crab_rounds()
    >>> [panel.get_title() for panel in panels]
    ['1 round', '3 rounds', '5 rounds']
    """
    if X is None:
        rng = np.random.default_rng(0)
        blocks = [(0, 0), (3, 0), (0, 3), (3, 3), (1.5, 1.5), (1.5, 3), (3, 1.5)]
        X = np.concatenate([rng.uniform(0, 1, (25, 2)) + corner for corner in blocks])
        y = np.repeat(["A", "A", "A", "A", "B", "B", "B"], 25)
    model = ilk.classifier("crab", n_rounds=max([*rounds, 1])).fit(X, np.asarray(y))
    panels = decision_regions(model, X, y, rounds=rounds, axes=axes, resolution=150)
    return list(panels)


def _class_codes(
    model: FittedClassifier, name: str, y: Labels | None, rows: np.ndarray
) -> np.ndarray:
    """Position of each label among the classes of the model; y may lack some of them."""
    if not hasattr(model, "classes_"):
        raise ilk.InputError(f"decision_regions: model must be a classifier, got {name}")
    labels, codes = ilk.check_labels(model, y, rows)
    table = {label: code for code, label in enumerate(model.classes_.tolist())}
    unknown = [label for label in labels.tolist() if label not in table]
    if unknown:
        raise ilk.InputError(
            f"decision_regions: y has the label {unknown[0]!r}, which is no class of {name} "
            f"({', '.join(map(repr, table))})"
        )
    return np.asarray(np.array([table[label] for label in labels.tolist()])[codes])


def _predictions(
    model: FittedClassifier, name: str, places: np.ndarray, rounds: Sequence[int] | None
) -> list[tuple[str, np.ndarray]]:
    """Title and predicted labels of each panel."""
    if rounds is None:
        return [(plot_label(name), np.asarray(model.predict(places)))]
    if not hasattr(model, "staged_predict"):
        raise ilk.InputError(f"{name}: has no staged_predict, so rounds must be left out")
    wanted = sorted(set(rounds))
    if not wanted or wanted[0] < 1:
        raise ilk.ParameterError(f"decision_regions: rounds must be >= 1, got {list(rounds)!r}")
    panels = []
    last = 0
    for last, labels in enumerate(model.staged_predict(places), start=1):
        if last in wanted:
            panels.append((f"{last} round{'s' * (last > 1)}", np.array(labels)))
        if last == wanted[-1]:
            return panels
    raise ilk.InputError(f"{name}: has {last} rounds, but {wanted[-1]} are to be drawn")


def _panels(axes: Sequence[Axes] | None, count: int, *, legend: bool) -> list[Any]:
    if axes is None:
        return list(np.atleast_1d(new_axes(3.6 * count + 1.2 * legend, 3.6, count)))
    if len(axes) != count:
        raise ilk.InputError(f"decision_regions: axes must be {count}, got {len(axes)}")
    return list(axes)
