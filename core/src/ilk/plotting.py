"""Figures of the source texts, which plugins offer, and common parts of the plugins' plots.

matplotlib (extra ``report`` of ilk) is imported on the first plot.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk._lazy import missing_name
from ilk.discovery import Found, found_in
from ilk.errors import IlkError, InputError
from ilk.inputs import check_same_length
from ilk.labels import check_labels
from ilk.messages import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ilk.arrays import Labels

__all__ = [
    "COLORS",
    "MARKERS",
    "TextFigure",
    "class_legend",
    "class_regions",
    "class_style",
    "colorbar",
    "grid_places",
    "new_axes",
    "plot_label",
    "scatter",
    "text_figure",
    "text_figures",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise missing_name(__name__, name, __all__)


# Okabe and Ito's palette, safe for red-green colour blindness; without yellow and black
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#666666")
MARKERS = ("o", "s", "^", "D", "v", "<", ">", "X", "P")

FIGURES = "ilk.figures"
"""Entry-point group of the functions that draw figures of the source texts."""

_LONGEST, _ENDING = 60, 16  # maximum length of a label, and of its end after an ellipsis


@dataclass(frozen=True)
class TextFigure:
    """A figure of a source text, drawn by a function of a plugin.

    The function is imported when it is first needed. All its parameters are optional; by default it
    draws the figure of the text, and with other data or models the figure of these.

    Attributes
    ----------
    name : str
        Name among `text_figures`.
    found : Found
        The entry point in the group ``ilk.figures``, such as
        ``svm_cost = "ilk_learners.plotting:svm_cost"``.
    function : function
        Returns axes, or a sequence of axes of one figure. The section References of its docstring
        begins with the place of the figure, as in ``Zaidi 2011: figure 6.1.``
    summary, source : str
        First line of its docstring, and the place of the figure in the text.

    Raises
    ------
    BrokenComponentError
        When an attribute is read and the function cannot be imported.
    """

    name: str
    found: Found

    @cached_property
    def function(self) -> Callable[..., Any]:
        from ilk.functions import imported

        function: Callable[..., Any] = imported(self.found, f"figure {self.name}")
        return function

    @property
    def summary(self) -> str:
        from ilk.cli.docstrings import without_markup

        return without_markup(self._docstring.summary)

    @property
    def source(self) -> str:
        first, _, _ = self._docstring.section("References").partition("\n\n")
        return " ".join(first.split()).partition(". ")[0].rstrip(".")

    @cached_property
    def _docstring(self) -> Any:
        from ilk.cli.docstrings import read_docstring

        return read_docstring(self.function)

    def draw(self, **options: Any) -> Figure:
        """Draw the figure; `options` are parameters of the function.

        Raises
        ------
        IlkError
            If matplotlib is not installed.

        Examples
        --------
        >>> from ilk.plotting import text_figure
        >>> figure = text_figure("losses").draw()
        >>> len(figure.axes)
        1
        """
        axes = self.function(**options)
        figure: Figure = (axes[0] if isinstance(axes, list | tuple) else axes).figure
        return figure


def text_figures() -> dict[str, TextFigure]:
    """Return the figures of the source texts by name; none is drawn, nor any plugin imported.

    A name that two distributions use is qualified: ``"distribution/name"``.

    Examples
    --------
    >>> from ilk.plotting import text_figures
    >>> figure = text_figures()["emd_flow"]
    >>> figure.source
    'Cunningham 2008: figure 2.2'
    """
    offers = sorted(found_in(FIGURES), key=lambda found: (found.name, found.distribution))
    often = Counter(found.name for found in offers)
    names = [found.qualified if often[found.name] > 1 else found.name for found in offers]
    return {name: TextFigure(name, found) for name, found in zip(names, offers, strict=True)}


def text_figure(name: str) -> TextFigure:
    """Return a figure of a source text.

    Raises
    ------
    InputError
        If there is no such figure; names the nearest.

    Examples
    --------
    >>> from ilk.plotting import text_figure
    >>> text_figure("emd_flw")
    Traceback (most recent call last):
    ilk.errors.InputError: there is no figure 'emd_flw'; did you mean...
    """
    figures = text_figures()
    if name not in figures:
        hint = did_you_mean(name, figures)
        raise InputError(f"there is no figure {name!r}{hint} (ilk figures lists them)")
    return figures[name]


def new_axes(
    width: float, height: float, columns: int = 1, *, rows: int = 1, detached: bool = False
) -> Any:
    """Return the axes of a new figure of a size in inches: one, or an array of several.

    The figure is pyplot's own if pyplot is in use, so that notebooks and ``plt.show()`` show it;
    `detached` figures, such as those of files, are not.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise IlkError(
            "drawing needs matplotlib, which is not installed (pip install matplotlib; the "
            "extra 'report' of ilk has it)"
        ) from error
    pyplot = sys.modules.get("matplotlib.pyplot")
    make: Any = Figure if pyplot is None or detached else pyplot.figure
    return make(figsize=(width, height), layout="constrained").subplots(rows, columns)


def class_style(number: int) -> dict[str, Any]:
    """Colour and marker of a class: a different pair for each of the first 63."""
    return {"color": COLORS[number % len(COLORS)], "marker": MARKERS[number % len(MARKERS)]}


def grid_places(low: np.ndarray, high: np.ndarray, resolution: int = 150) -> np.ndarray:
    """Return the points of a grid in the plane, row by row from below.

    Parameters
    ----------
    low, high : ndarray of shape (2,)
        Opposite corners.
    resolution : int, default=150
        Points along each side.

    Returns
    -------
    ndarray of shape (resolution ** 2, 2)
    """
    return np.stack(np.meshgrid(*np.linspace(low, high, resolution).T), axis=-1).reshape(-1, 2)


def class_regions(
    ax: Axes, labels: np.ndarray, classes: np.ndarray, low: np.ndarray, high: np.ndarray
) -> bool:
    """Shade a part of the plane by class; places with a label that is no class stay white.

    Parameters
    ----------
    labels : array of shape (m,)
        Predicted at the `grid_places` of these corners.
    classes : ndarray
        The labels, in the order of their colours.
    low, high : ndarray of shape (2,)
        Opposite corners.

    Returns
    -------
    bool
        Whether some place has no class.
    """
    from matplotlib.colors import ListedColormap

    table = {label: code for code, label in enumerate(classes.tolist())}
    codes = np.array([table.get(label, -1) for label in np.asarray(labels).tolist()])
    side = math.isqrt(len(codes))
    colors = ListedColormap([COLORS[code % len(COLORS)] for code in range(len(table))])
    ax.imshow(
        np.ma.masked_equal(codes, -1).reshape(side, side),
        origin="lower",
        extent=(low[0], high[0], low[1], high[1]),
        aspect="auto",
        cmap=colors.with_extremes(bad="white"),
        vmin=-0.5,
        vmax=len(table) - 0.5,
        alpha=0.3,
        interpolation="nearest",
    )
    return bool((codes < 0).any())


def class_legend(ax: Axes, *, rejected: bool = False) -> None:
    """Draw the legend beside the axes, where it hides nothing; white is `rejected`."""
    from matplotlib.patches import Patch

    handles, _ = ax.get_legend_handles_labels()
    if rejected:
        handles.append(Patch(facecolor="white", edgecolor="0.6", label="rejected"))
    ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1))


def scatter(
    ax: Axes,
    points: np.ndarray,
    owner: object,
    y: Labels | None,
    *,
    legend: bool,
    shades: bool = False,
) -> None:
    """Draw points in the plane: a colour and a marker for each class, shades for numbers.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
    owner : Component
        Named in errors.
    y : array of shape (n,), or None
    legend : bool
        Whether to explain the colours.
    shades : bool
        Whether y has numbers, not labels.
    """
    style: dict[str, Any] = {"alpha": 0.8, "edgecolors": "white", "linewidths": 0.4}
    if y is None:
        ax.scatter(points[:, 0], points[:, 1], 22, color=COLORS[0], **style)
        return
    if shades:
        check_same_length(owner, points, y)
        image = ax.scatter(points[:, 0], points[:, 1], 22, c=np.ravel(np.asarray(y)), **style)
        if legend:
            colorbar(ax, image, "y")
        return
    classes, codes = check_labels(owner, y, points)
    for code, name in enumerate(classes):
        mine = points[codes == code]
        look = style | class_style(code)
        ax.scatter(mine[:, 0], mine[:, 1], 22, label=plot_label(name), **look)
    if legend:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1))  # beside, so that it hides nothing


def colorbar(ax: Axes, image: Any, label: str) -> None:
    """Draw a colour bar beside the axes."""
    figure: Any = ax.figure
    figure.colorbar(image, ax=ax, label=label)


def plot_label(name: Any) -> str:
    """Return a name for a plot: on one line, not read as a formula, nor hidden in a legend.

    Unprintable characters are replaced, and a very long name loses its middle.
    """
    text = "".join(letter if letter.isprintable() else "\ufffd" for letter in str(name))
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - _ENDING - 1]}…{text[-_ENDING:]}"
    text = text.replace("$", r"\$")
    return text if text and not text.startswith("_") else f" {text}"
