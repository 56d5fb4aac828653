"""Figures that results may have, and a figure that can be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import ilk
from ilk.drawing import new_axes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class FigureSpec:
    """A figure that results may have.

    Attributes
    ----------
    name : str
    summary : str
    make : function or None
        Takes a data set if there are `datasets`, and a pipeline if there are `pipelines`;
        returns the figure.
    datasets, pipelines : sequence of str
        Those there is a figure of each of.
    absent : set of (dataset, pipeline)
        Those among them that there is none of.
    lacking : str
        Why there is none.
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
        """What `make` takes, for each of its figures."""
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
            If there is none.
        """
        if self.make is None or self.lacking:
            raise ilk.IlkError(f"there is no figure {self.name}: {self.lacking}")
        return self.make(*place)


@dataclass(frozen=True)
class Figure:
    """A figure that can be drawn.

    Attributes
    ----------
    name : str
        As in `FIGURES`.
    title : str
    text : str
        What it shows, for those who cannot see it: a sentence or two with the main numbers.
    data : DataFrame
        The numbers it shows.
    paint : function
        Takes axes and draws on them.
    size : (float, float)
        Width and height in inches that suit it.
    dataset : str or None
        The data set it is of, if it is of one.
    pipeline : str or None
        The pipeline it is of, if it is of one.
    note : str
        What was left out, and why.
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
        """Draw it on axes, those of a new figure if left out; return them.

        Raises
        ------
        IlkError
            If matplotlib is not installed.
        """
        axes: Any = new_axes(*self.size) if ax is None else ax
        self.paint(axes)
        return axes  # type: ignore[no-any-return]  # axes of a new figure are Any

    @property
    def parts(self) -> tuple[str, ...]:
        """Its name, then its data set and pipeline where it has one."""
        return tuple(part for part in (self.name, self.dataset, self.pipeline) if part is not None)
