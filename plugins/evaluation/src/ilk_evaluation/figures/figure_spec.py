"""Specifications of figures, and figures ready to be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import ilk
from ilk.plotting import new_axes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class FigureSpec:
    """The specification of a figure, for one or several places.

    Attributes
    ----------
    name : str
    summary : str
    make : function or None
        Takes a data set if `datasets` is not empty, and a pipeline if `pipelines` is not; returns
        the figure.
    datasets, pipelines : sequence of str
        Labels with a figure each.
    absent : set of (dataset, pipeline)
        Pairs without a figure.
    lacking : str
        Why there is no figure.
    """

    name: str
    summary: str
    make: Callable[..., Figure] | None = None
    datasets: Sequence[str] = ()
    pipelines: Sequence[str] = ()
    absent: AbstractSet[tuple[str, str]] = frozenset()
    lacking: str = ""

    @property
    def places(self) -> list[tuple[str, ...]]:
        """Arguments of `make`, for each of its figures."""
        if self.lacking:
            return []
        if not self.datasets:
            return [()]
        if not self.pipelines:
            return [(dataset,) for dataset in self.datasets]
        pairs = product(self.datasets, self.pipelines)
        return [pair for pair in pairs if pair not in self.absent]

    def figure(self, *place: str) -> Figure:
        """Make the figure of a place.

        Raises
        ------
        IlkError
            If there is no figure.
        """
        if self.make is None or self.lacking:
            raise ilk.IlkError(f"there is no figure {self.name}: {self.lacking}")
        return self.make(*place)


@dataclass(frozen=True)
class Figure:
    """A figure ready to be drawn.

    Attributes
    ----------
    name : str
        As in `available`.
    title : str
    text : str
        Description for readers who cannot see it: a sentence or two with the main numbers.
    data : DataFrame
        Its numbers.
    paint : function
        Takes axes and draws on them.
    size : (float, float)
        Preferred width and height in inches.
    dataset : str or None
        The data set, of a figure of one.
    pipeline : str or None
        The pipeline, of a figure of one.
    note : str
        Content left out, and why.
    """

    name: str
    title: str
    text: str
    data: pd.DataFrame
    paint: Callable[[Any], Any]
    size: tuple[float, float]
    dataset: str | None = None
    pipeline: str | None = None
    note: str = ""

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw it on axes, by default of a new figure; return the axes.

        Raises
        ------
        IlkError
            If matplotlib is not installed.
        """
        axes: Any = new_axes(*self.size) if ax is None else ax
        self.paint(axes)
        if ax is None:
            _make_room(axes, *self.size)
        return axes  # type: ignore[no-any-return]  # axes of a new figure are Any

    @property
    def parts(self) -> tuple[str, ...]:
        """Its name, then its data set and pipeline, if any."""
        return tuple(part for part in (self.name, self.dataset, self.pipeline) if part is not None)


def _make_room(axes: Any, width: float, height: float) -> None:
    """Give axes a size in inches, and their figure room for labels and a legend around them."""
    figure = axes.figure
    figure.set_layout_engine(None)  # it would take the room from the axes
    figure.subplots_adjust(0, 0, 1, 1)
    box = figure.get_tightbbox().padded(0.1)
    figure.set_size_inches(box.width, box.height)
    left, bottom = -box.x0 / box.width, -box.y0 / box.height
    axes.set_position((left, bottom, width / box.width, height / box.height))
