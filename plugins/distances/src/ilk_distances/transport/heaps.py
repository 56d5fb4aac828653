"""Heaps of mass at places: what histograms and signatures have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

import ilk
from ilk_distances.transport.signatures import Signatures

BLOCK = 2**16  # numbers that are copied at a time


class Flat(NamedTuple):
    """Heap i has the items ``item[start[i]:start[i + 1]]`` of these weights."""

    start: np.ndarray
    item: np.ndarray
    weight: np.ndarray
    mass: np.ndarray

    def take(self, rows: Any) -> Flat:
        """Return some heaps."""
        sizes = np.diff(self.start)[rows]
        start = np.concatenate([[0], np.cumsum(sizes)])
        where = np.repeat(self.start[rows] - start[:-1], sizes) + np.arange(start[-1])
        return Flat(start, self.item[where], self.weight[where], self.mass[rows])

    def span(self, first: int, last: int) -> slice:
        """Where the items of some neighbouring heaps are."""
        return slice(int(self.start[first]), int(self.start[last]))

    def cut(self, first: int, last: int) -> Flat:
        """Return some neighbouring heaps, with their items numbered from 0."""
        span = self.span(first, last)
        start = self.start[first : last + 1] - span.start
        return Flat(start, np.arange(start[-1]), self.weight[span], self.mass[first:last])


@dataclass(frozen=True)
class Heaps:
    """Histograms or signatures as heaps of mass.

    Attributes
    ----------
    data : ndarray of shape (n, bins), or Signatures
    places : ndarray of shape (items, d), list of texts, or None
        Where items are; None if only a matrix tells how far they are apart.
    normalize : bool
        Whether masses are divided by their sum.
    """

    data: Any
    places: Any
    normalize: bool

    def __len__(self) -> int:
        return ilk.n_rows(self.data)

    @property
    def single(self) -> bool:
        """Whether the data are float32."""
        own = isinstance(self.data, Signatures)
        return bool(self.data.single if own else self.data.dtype == np.float32)

    @property
    def tolerance(self) -> float:
        """Relative difference of masses that is rounding of as many numbers of their type."""
        eps = np.finfo(np.float32 if self.single else np.float64).eps
        own = isinstance(self.data, Signatures)
        return float(eps) * (int(np.diff(self.data.start).max()) if own else self.data.shape[1])

    @cached_property
    def raw_mass(self) -> np.ndarray:
        """Mass of each heap as given."""
        if isinstance(self.data, Signatures):
            return self.data.mass
        step = max(BLOCK // self.data.shape[1], 1)
        return np.concatenate(
            [
                self.data[i : i + step].astype(float, order="C").sum(axis=1)
                for i in range(0, len(self), step)
            ]
        )

    @property
    def mass(self) -> np.ndarray:
        """Mass of each heap."""
        return np.ones(len(self)) if self.normalize else self.raw_mass

    def dense(self, start: int, stop: int) -> np.ndarray:
        """Some histograms as float64, divided by their masses if need be."""
        rows: np.ndarray = self.data[start:stop].astype(float)
        return rows / self.raw_mass[start:stop, None] if self.normalize else rows

    @cached_property
    def flat(self) -> Flat:
        """All heaps, items ascending."""
        if isinstance(self.data, Signatures):
            start, weight = self.data.start, self.data.weights
            item = np.arange(len(weight))
        else:
            rows, item = np.nonzero(self.data)
            start = np.searchsorted(rows, np.arange(len(self) + 1))
            weight = self.data[rows, item].astype(float)
        if self.normalize:
            weight = weight / np.repeat(self.raw_mass, np.diff(start))
        return Flat(start, item, weight, self.mass)

    def take(self, rows: Any) -> Heaps:
        """Return some heaps."""
        places = self.places
        data = ilk.take(self.data, rows)
        if isinstance(data, Signatures):
            places = data.positions
        return Heaps(data, places, self.normalize)

    def along(self, feature: int, period: float = 0.0) -> Flat:
        """Heaps whose items are one coordinate of their places, ascending in each."""
        start, item, weight, mass = self.flat
        place = self.places[item, feature]
        if period:
            place = place % period
        order = np.lexsort((place, np.repeat(np.arange(len(self)), np.diff(start))))
        return Flat(start, place[order], weight[order], mass)

    def centroids(self, origin: np.ndarray) -> np.ndarray:
        """Mean place of each heap, seen from an origin."""
        start, item, weight, mass = self.flat
        pull = weight[:, None] * (self.places[item] - origin)
        return np.asarray(np.add.reduceat(pull, start[:-1]) / mass[:, None])
