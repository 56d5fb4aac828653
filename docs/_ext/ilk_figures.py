"""Draw figures of components, from small fixed data, and those of the source texts, as SVG.

A build draws one of each kind and five of the texts, so that it stays quick; with
``ILK_GALLERY=all`` all of them, as a site for readers needs. Drawn figures are kept until their
component or function or this module changes.
"""

from __future__ import annotations

import hashlib
import html
import inspect
import os
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import ilk
from ilk.plotting import COLORS, class_style, text_figures
from ilk_ensembles.plotting import decision_regions
from ilk_learners.plotting import ellipses, learned_space, selection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ilk.discovery import Found

Drawn = tuple[Figure, str]
_STYLE = {"svg.hashsalt": "ilk", "svg.fonttype": "none", "font.size": 9, "figure.dpi": 72}
_LEAST_VALUES = 5  # fewer different values make no picture
_MOST_SPLITS = 10
_SAMPLE = 5  # figures of the texts that a build draws


def figure_lines(one: Found, folder: Path, drawn: set[str]) -> Iterator[str]:
    """Yield the directive of a component's figure, if it has one; draw it unless it is kept.

    Parameters
    ----------
    one : Found
    folder : Path
        Of the page; figures are written into its folder ``figures``.
    drawn : set of str
        Kinds of which this build has drawn a figure; modified.
    """
    if one.kind not in FIGURES:
        return
    path = folder / "figures" / f"{one.kind}.{one.name}.svg"
    cls = ilk.registry(one.kind).get(one.name)
    digest = _digest(cls)
    alt = _kept(path, digest)
    if alt is None:
        every = os.environ.get("ILK_GALLERY", "sample") == "all"
        made = draw(one.kind, cls) if every or one.kind not in drawn else None
        if made is None:
            return
        figure, alt = made
        _write(figure, path, alt, digest)
    drawn.add(one.kind)
    yield f".. figure:: figures/{path.name}"
    yield f"   :alt: {alt}"
    yield "   :figclass: component\n"
    yield f"   {alt}\n"


def text_figures_page(folder: Path) -> Iterator[str]:
    """Yield the page of the figures of the source texts; draw them, or a sample."""
    yield "Figures of the texts"
    yield "=" * 20 + "\n"
    yield "Each is one call, which takes your own data and models, too. ``ilk figures`` lists them,"
    yield "``ilk figures NAME`` writes one, and ``ilk figures --all FOLDER`` all.\n"
    every = os.environ.get("ILK_GALLERY", "sample") == "all"
    for number, (name, one) in enumerate(text_figures().items()):
        path = folder / "figures" / f"text.{name.replace('/', '-')}.svg"
        digest = _digest(one.function)
        if _kept(path, digest) is None and (every or number < _SAMPLE):
            with warnings.catch_warnings(), mpl.rc_context(_STYLE):
                warnings.simplefilter("ignore")
                _write(one.draw(), path, one.summary, digest)
        function = one.found.value.replace(":", ".")
        yield name
        yield "-" * len(name) + "\n"
        yield f"{one.source}. {one.summary}\n"
        if path.exists():
            yield f".. image:: figures/{path.name}"
            yield f"   :alt: {one.summary}\n"
        yield f":py:func:`{function}`\n"


def _write(figure: Figure, path: Path, alt: str, digest: str) -> None:
    """Write a figure with what it shows and the digest of its sources."""
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"Date": None, "Title": alt, "Description": digest}
    with mpl.rc_context(_STYLE):
        figure.savefig(path, format="svg", metadata=about)
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close(figure)  # else the gallery takes it for one of its own


def _kept(path: Path, digest: str) -> str | None:
    """Return what a figure shows that an earlier build has drawn of the same sources."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if f"<dc:description>{digest}<" not in text:
        return None
    return html.unescape(text.partition("<title>")[2].partition("</title>")[0])


def draw(kind: str, cls: type) -> Drawn | None:
    """Return the figure of a component with its defaults, and what it shows; None: it has none."""
    try:
        with warnings.catch_warnings(), mpl.rc_context(_STYLE):
            warnings.simplefilter("ignore")
            return FIGURES[kind](ilk.seeded(cls(), 0))
    except ilk.IlkError:  # it takes other data, or needs a parameter
        return None


def _digest(source: Any) -> str:
    """Digest of the sources that a figure depends on most."""
    files = [inspect.getfile(source), __file__]
    return hashlib.sha256(b"".join(Path(file).read_bytes() for file in files)).hexdigest()


@cache
def petals() -> tuple[np.ndarray, np.ndarray]:
    """Petals of iris, in standard units: two features, three classes."""
    data = ilk.dataset("iris").load()
    X = np.asarray(data.X, dtype=float)[:, 2:]
    return (X - X.mean(axis=0)) / X.std(axis=0), data.y


@cache
def wine() -> tuple[np.ndarray, np.ndarray]:
    """Wine, in standard units: 13 features, three classes."""
    data = ilk.dataset("wine").load()
    X = np.asarray(data.X, dtype=float)
    return (X - X.mean(axis=0)) / X.std(axis=0), data.y


def _axes(width: float = 4.2, height: float = 3.4, columns: int = 1) -> tuple[Figure, Any]:
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(1, columns)


def _grid(low: Any, high: Any, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates of a grid, and its points as rows."""
    x, y = np.meshgrid(*np.linspace(low, high, n).T)
    return x, y, np.column_stack([x.ravel(), y.ravel()])


def of_distance(distance: Any) -> Drawn | None:
    """Draw lines of equal distance from a point in the plane."""
    X, y = petals()
    here = np.array([[1.0, 0.6]])
    x, z, places = _grid([0.02, 0.02], [2.0, 2.0], 61)
    d = np.asarray(distance.fit(0.35 * X + 1, y).pairwise(places, here), dtype=float)[:, 0]
    if not np.isfinite(d).all() or len(np.unique(d.round(9))) < _LEAST_VALUES:
        return None
    figure, ax = _axes()
    shades = ax.contourf(x, z, d.reshape(x.shape), levels=10, cmap="Blues")
    ax.contour(x, z, d.reshape(x.shape), levels=shades.levels, colors="#00000055", linewidths=0.6)
    ax.plot(*here[0], "o", color="#D55E00")
    ax.set_aspect("equal")
    ax.set(xlabel="first feature", ylabel="second feature")
    figure.colorbar(shades, ax=ax, label="distance")
    return figure, f"Lines of equal {_name(distance)} distance from the marked point in the plane."


def of_kernel(kernel: Any) -> Drawn | None:
    """Draw the kernel of points on a line with two fixed points."""
    X, y = petals()
    x = np.linspace(0.02, 4.0, 201)
    rows = np.column_stack([x, np.full_like(x, 1.0)])
    fixed = np.array([[1.0, 1.0], [2.5, 1.0]])
    values = np.asarray(kernel.fit(X + 3, y).gram(rows, fixed), dtype=float)
    if not np.isfinite(values).all() or len(np.unique(values.round(9))) < _LEAST_VALUES:
        return None
    figure, ax = _axes()
    for column, (value, point) in enumerate(zip(values.T, fixed, strict=True)):
        ax.plot(x, value, color=COLORS[column], label=f"z = ({point[0]:g}, {point[1]:g})")
        ax.axvline(point[0], color=COLORS[column], linestyle=":", linewidth=1)
    ax.set(xlabel="first feature of x; the second is 1", ylabel="k(x, z)")
    ax.legend()
    return figure, f"Values of the kernel {_name(kernel)} for two fixed points z, along a line."


def of_metric_learner(learner: Any) -> Drawn:
    """Draw the plane before and after, or the ellipses of a local metric."""
    local = not hasattr(learner, "transform")
    X, y = petals() if local else wine()
    learner = learner.fit(X, y)
    if local:
        figure, ax = _axes(4.6, 3.8)
        ellipses(learner, X, y, ax=ax)
        said = "Ellipses of points that {} finds equally near, on petals of iris."
    else:
        figure, axes = _axes(7.4, 3.6, 2)
        for ax in learned_space(learner, X, y, axes=axes):
            ax.set_title(ax.get_title().replace(", ", "\n"))  # too wide for a small figure
        said = "Wine, in two principal components, before and after the map that {} learns."
    return figure, said.format(_name(learner))


def of_classifier(classifier: Any) -> Drawn:
    """Draw the regions of three classes in the plane."""
    X, y = petals()
    figure, ax = _axes()
    decision_regions(classifier.fit(X, y), X, y, resolution=70, axes=[ax])
    ax.set(xlabel="length of petals", ylabel="width of petals")
    return figure, f"Decision regions of {_name(classifier)} on petals of iris, in standard units."


def of_regressor(regressor: Any) -> Drawn:
    """Draw the prediction along a line, with the training rows."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 6, 40))
    y = np.sin(x) + 0.2 * rng.normal(size=40)
    places = np.linspace(0, 6, 241)
    figure, ax = _axes()
    ax.plot(x, y, "o", color=COLORS[-1], markersize=4, label="training rows")
    ax.plot(places, np.sin(places), "--", color=COLORS[-1], linewidth=1, label="sin x")
    ax.plot(places, regressor.fit(x[:, None], y).predict(places[:, None]), color=COLORS[0])
    ax.set(xlabel="x", ylabel="y")
    ax.legend()
    return figure, f"Prediction of {_name(regressor)} for a noisy sine."


def of_detector(detector: Any) -> Drawn:
    """Draw the region of inliers."""
    X, _ = petals()
    detector.fit(X)
    x, z, places = _grid(X.min(axis=0) - 1, X.max(axis=0) + 1, 81)
    figure, ax = _axes()
    values = np.asarray(detector.decision_function(places)).reshape(x.shape)
    shades = ax.contourf(x, z, values, levels=10, cmap="Blues")
    if values.min() < 0 < values.max():
        ax.contour(x, z, values, levels=[0], colors=COLORS[5])
    ax.plot(*X.T, "o", color=COLORS[-1], markersize=3)
    ax.set(xlabel="length of petals", ylabel="width of petals")
    figure.colorbar(shades, ax=ax, label="decision value")
    return figure, f"Decision values of {_name(detector)} on petals of iris; the line is at 0."


def of_clusterer(clusterer: Any) -> Drawn:
    """Draw the clusters and the noise."""
    X, _ = petals()
    labels = np.asarray(clusterer.fit(X).labels_)
    figure, ax = _axes()
    for label in np.unique(labels).tolist():
        style = {"color": COLORS[-1], "marker": "x"} if label < 0 else class_style(label)
        name = "noise" if label < 0 else f"cluster {label}"
        ax.scatter(*X[labels == label].T, s=14, label=name, **style)
    ax.set(xlabel="length of petals", ylabel="width of petals")
    ax.legend()
    return figure, f"Clusters that {_name(clusterer)} finds in petals of iris, in standard units."


def of_editor(editor: Any) -> Drawn:
    """Draw the cases that are kept."""
    X, y = petals()
    editor.fit_resample(X, y)
    figure, ax = _axes(5.4, 3.4)
    selection(editor, X, y, axes=ax)
    ax.set(xlabel="length of petals", ylabel="width of petals")
    return figure, f"Petals of iris that {_name(editor)} keeps; removed ones are faint."


def of_transformer(transformer: Any) -> Drawn | None:
    """Draw rows of two features before and after."""
    data = ilk.dataset("iris").load()
    X = np.asarray(data.X, dtype=float)[:, 2:]
    after = transformer.fit(X, data.y).transform(X)
    if not isinstance(after, np.ndarray) or after.shape != X.shape or np.array_equal(after, X):
        return None
    figure, axes = _axes(7.0, 3.2, 2)
    for ax, rows, title in zip(axes, (X, after), ("before", "after"), strict=True):
        for code, label in enumerate(np.unique(data.y)):
            ax.scatter(*rows[data.y == label].T, s=12, **class_style(code))
        ax.set_title(f"{title} {_name(transformer)}")
        ax.set_aspect("equal", adjustable="datalim")
    return figure, f"Petals of iris before and after {_name(transformer)}, by class."


def of_relevance(relevance: Any) -> Drawn:
    """Draw the score of each feature."""
    data = ilk.dataset("wine").load()
    scores = np.asarray(relevance.scores(*wine()), dtype=float)
    order = np.argsort(scores)
    figure, ax = _axes(5.0, 3.4)
    ax.barh(np.array(data.feature_names)[order], scores[order], color=COLORS[0])
    ax.set(xlabel="relevance")
    return figure, f"Relevance of the features of wine by {_name(relevance)}."


def of_resampling(scheme: Any) -> Drawn:
    """Draw the parts of the splits of 60 cases of three classes."""
    y = np.repeat(["a", "b", "c"], [30, 20, 10])
    splits = list(scheme.splits(np.zeros((60, 1)), y, random_state=0))
    shown = splits[:_MOST_SPLITS]
    parts = {"unused": "#EEEEEE", "training": COLORS[4], "validation": COLORS[2]}
    parts |= {"test": COLORS[5], "training and test": COLORS[3]}
    codes = np.zeros((len(shown), 60), dtype=int)
    for row, split in enumerate(shown):
        codes[row, split.train] = 1
        if split.validation is not None:
            codes[row, split.validation] = 2
        both = np.isin(split.test, split.train)
        codes[row, split.test] = np.where(both, 4, 3)
    figure, ax = _axes(5.6, 1.2 + 0.22 * len(shown))
    colors = mpl.colors.ListedColormap(list(parts.values()))
    ax.imshow(
        codes,
        cmap=colors,
        vmin=0,
        vmax=len(parts),
        extent=(0, 60, len(shown), 0),
        aspect="auto",
        interpolation="nearest",
    )
    for row in range(len(shown)):
        ax.axhline(row, color="white", linewidth=2)
    for code in np.unique(codes).tolist():
        ax.bar(0, 0, color=list(parts.values())[code], label=list(parts)[code])
    ax.set(xticks=[15, 40, 55], xticklabels=["class a", "class b", "class c"], xlim=(0, 60))
    ax.set(yticks=np.arange(len(shown)) + 0.5, ylim=(len(shown), 0))
    ax.set_yticklabels([f"repeat {split.repeat}, fold {split.fold}" for split in shown])
    for border in (30, 50):
        ax.axvline(border, color="black", linewidth=1)
    ax.tick_params(length=0)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1))
    first = f"The first {len(shown)} of {len(splits)} splits" if len(splits) > len(shown) else ""
    many = first or ("The split" if len(shown) == 1 else f"The {len(shown)} splits")
    return figure, f"{many} of {_name(scheme)} for 60 cases of three classes."


def _name(component: object) -> str:
    """Name of a component; of a wrapped one with that of its class."""
    inner = getattr(component, "estimator", None)
    name = ilk.display_name(component)
    return f"{name} ({inner})" if isinstance(inner, str) else name


FIGURES: dict[str, Callable[[Any], Drawn | None]] = {
    "distance": of_distance,
    "kernel": of_kernel,
    "metric_learner": of_metric_learner,
    "classifier": of_classifier,
    "regressor": of_regressor,
    "detector": of_detector,
    "clusterer": of_clusterer,
    "editor": of_editor,
    "transformer": of_transformer,
    "relevance": of_relevance,
    "resampling": of_resampling,
}
"""The function that draws a component of each kind."""
