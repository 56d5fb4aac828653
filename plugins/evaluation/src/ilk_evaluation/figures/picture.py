"""A figure that can be drawn: what it shows, in words and in numbers, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ilk.drawing import new_axes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Picture:
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
