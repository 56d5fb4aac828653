"""A figure that results may have: its name, and how it is made if it can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import ilk

if TYPE_CHECKING:
    from ilk_evaluation.figures.picture import Picture


@dataclass(frozen=True)
class Offer:
    """A figure that results may have.

    Attributes
    ----------
    name : str
    summary : str
    make : function or None
        Takes a data set if there are `datasets`, and a pipeline if there are `pipelines`;
        returns the picture.
    datasets, pipelines : sequence of str
        Those there is a figure of each of.
    absent : set of (dataset, pipeline)
        Those among them that there is none of.
    lacking : str
        Why there is none.
    """

    name: str
    summary: str
    make: Callable[..., Picture] | None = None
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

    def picture(self, *place: str) -> Picture:
        """Make the figure of a place.

        Raises
        ------
        IlkError
            If there is none.
        """
        if self.make is None or self.lacking:
            raise ilk.IlkError(f"there is no figure {self.name}: {self.lacking}")
        return self.make(*place)
