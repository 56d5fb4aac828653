"""Signatures, weighted points of each object, and heaps of mass: signatures or histograms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import ilk

if TYPE_CHECKING:
    from ilk import Cases


class Signatures(Sequence[Any]):
    """Checked signatures in flat arrays, without clusters of weight 0.

    Attributes
    ----------
    start : ndarray of int, shape (n + 1,)
        Signature i has the clusters from ``start[i]`` up to ``start[i + 1]``.
    positions : ndarray of shape (n_clusters, d), or list of texts
    weights : ndarray of shape (n_clusters,)
        float64, greater than 0.
    single : bool
        Whether all positions and weights were float32.
    """

    def __init__(self, start: np.ndarray, positions: np.ndarray, weights: np.ndarray, single: bool):
        self.start, self.positions, self.weights, self.single = start, positions, weights, single

    @property
    def shape(self) -> tuple[int]:
        """Number of signatures, in a tuple, like the shape of an array."""
        return (len(self.start) - 1,)

    @property
    def mass(self) -> np.ndarray:
        """Sum of the weights of each signature."""
        with np.errstate(over="ignore"):
            return np.add.reduceat(self.weights, self.start[:-1]) if len(self) else np.zeros(0)

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, key: Any) -> Any:
        """Return one signature as a pair, or several as signatures."""
        if isinstance(key, int | np.integer):
            i = range(len(self))[key]
            here = slice(self.start[i], self.start[i + 1])
            return self.positions[here], self.weights[here]
        rows = np.arange(len(self))[key]
        sizes = np.diff(self.start)[rows]
        start = np.concatenate([[0], np.cumsum(sizes)])
        where = np.repeat(self.start[rows] - start[:-1], sizes) + np.arange(start[-1])
        return Signatures(start, ilk.take(self.positions, where), self.weights[where], self.single)


def are_signatures(X: Cases) -> bool:
    """Tell whether data are a list of pairs of sequences, not of numbers."""
    if isinstance(X, Signatures):
        return True
    if isinstance(X, np.ndarray):
        return X.dtype == object and X.ndim == 1 and any(map(_is_pair, X))
    return isinstance(X, list | tuple) and any(map(_is_pair, X))


def _is_pair(item: object) -> bool:
    return isinstance(item, list | tuple) and len(item) == 2 and all(map(_is_nested, item))


def _is_nested(part: object) -> bool:
    return isinstance(part, list | tuple) or getattr(part, "ndim", 0) > 0


def check_signatures(owner: object, X: Any, argument: str) -> Signatures:
    """Return signatures in flat arrays, or raise an error that names the signature and value."""
    if isinstance(X, Signatures):
        return X
    name = f"{ilk.display_name(owner)}: {argument}"
    pairs = [_check_pair(item, f"{name}[{i}]") for i, item in enumerate(X)]
    start = np.cumsum([0, *(len(weights) for _, weights in pairs)])
    weights = np.concatenate([weights for _, weights in pairs])
    positions = _join([positions for positions, _ in pairs], name)
    _check_values(positions, weights, start, name)
    single = all(np.asarray(part).dtype == np.float32 for pair in pairs for part in pair)
    weights = weights.astype(float, copy=False)
    positive = np.flatnonzero(weights)
    sizes = np.add.reduceat(weights > 0, start[:-1])
    if not sizes.all():
        raise ilk.InputError(f"{name}[{np.argmin(sizes)}] has no mass: all its weights are 0")
    if len(positive) < len(weights):
        positions, weights = ilk.take(positions, positive), weights[positive]
        start = np.concatenate([[0], np.cumsum(sizes)])
    signatures = Signatures(start, positions, weights, single)
    check_mass(signatures.mass, name)
    return signatures


def check_mass(mass: np.ndarray, name: str) -> None:
    """Raise if a sum of weights is infinite."""
    bad = np.flatnonzero(~np.isfinite(mass))
    if bad.size:
        raise ilk.InputError(f"{name}[{bad[0]}] has a mass beyond the largest number")


def _check_pair(item: object, name: str) -> tuple[Any, np.ndarray]:
    if not (isinstance(item, list | tuple) and len(item) == 2):
        raise ilk.InputError(
            f"{name} must be a signature, a pair (positions, weights), got {type(item).__name__}"
        )
    try:
        positions, weights = _as_positions(item[0]), np.asarray(item[1])
    except ValueError:  # rows of different lengths
        raise ilk.InputError(f"{name}: positions have rows of different lengths") from None
    count = len(positions)
    numbers = weights.dtype.kind in "biuf" and getattr(positions, "ndim", 2) == 2
    if not numbers or weights.shape != (count,):
        raise ilk.InputError(
            f"{name}: a signature is (positions, weights), positions of shape (m, d) and weights "
            f"of shape (m,), got shapes {np.shape(item[0])} and {weights.shape}"
        )
    if count == 0:
        raise ilk.InputError(f"{name} has no clusters, at least 1 is needed")
    return positions, weights


def _as_positions(given: object) -> Any:
    """Return a float array, or a list if positions are texts."""
    if isinstance(given, list | tuple | np.ndarray) and len(given) and _is_text(given[0]):
        return list(given)
    array = np.asarray(given)
    if array.dtype.kind not in "biuf":
        raise ValueError
    return array if array.dtype in (np.float32, np.float64) else array.astype(float)


def _is_text(value: object) -> bool:
    return isinstance(value, str | bytes)


def _join(parts: list[Any], name: str) -> Any:
    if all(isinstance(part, list) for part in parts):
        return [text for part in parts for text in part]
    widths = [part.shape[1] if isinstance(part, np.ndarray) else None for part in parts]
    odd = next((i for i, width in enumerate(widths) if width != widths[0]), None)
    if odd is not None:
        raise ilk.InputError(
            f"{name}[{odd}] has positions of {widths[odd]} dimensions but {name}[0] of {widths[0]}"
        )
    return np.concatenate(parts).astype(float, copy=False)


def _check_values(positions: np.ndarray, weights: np.ndarray, start: np.ndarray, name: str) -> None:
    """Raise an error that names the first bad weight or position."""
    columns = {"weight": weights, "position": positions}
    for what, values in columns.items():
        if isinstance(values, list):
            continue
        finite = np.isfinite(values) if what == "position" else np.isfinite(values) & (values >= 0)
        if finite.all():
            continue
        at = int(np.argwhere(~finite)[0][0])
        i = int(np.searchsorted(start, at, side="right")) - 1
        value = values[at] if values.ndim == 1 else values[at].tolist()
        problem = "a negative" if what == "weight" and np.isfinite(value) else "a NaN or infinite"
        raise ilk.InputError(
            f"{name}[{i}] has {problem} {what} at cluster {at - start[i]}: {value}"
        )


_BLOCK = 2**16  # numbers that are copied at a time: bounds the memory


class Flat(NamedTuple):
    """Heap i has the items ``item[start[i]:start[i + 1]]`` of these weights."""

    start: np.ndarray
    item: np.ndarray
    weight: np.ndarray
    mass: np.ndarray

    def take(self, rows: np.ndarray | None) -> Flat:
        """Return some heaps."""
        sizes = np.diff(self.start)[rows]
        start = np.concatenate([[0], np.cumsum(sizes)])
        where = np.repeat(self.start[rows] - start[:-1], sizes) + np.arange(start[-1])
        return Flat(start, self.item[where], self.weight[where], self.mass[rows])

    def span(self, first: int, last: int) -> slice:
        """Slice of the items of consecutive heaps."""
        return slice(int(self.start[first]), int(self.start[last]))

    def cut(self, first: int, last: int) -> Flat:
        """Return consecutive heaps, with their items numbered from 0."""
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
        Places of the items; None if only a matrix has their distances.
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
        are_signatures = isinstance(self.data, Signatures)
        return bool(self.data.single if are_signatures else self.data.dtype == np.float32)

    @property
    def tolerance(self) -> float:
        """Relative difference of masses that the rounding of their sums may cause."""
        eps = np.finfo(np.float32 if self.single else np.float64).eps
        are_signatures = isinstance(self.data, Signatures)
        return float(eps) * (
            int(np.diff(self.data.start).max()) if are_signatures else self.data.shape[1]
        )

    @cached_property
    def raw_mass(self) -> np.ndarray:
        """Mass of each heap as given."""
        if isinstance(self.data, Signatures):
            return self.data.mass
        step = max(_BLOCK // self.data.shape[1], 1)
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
        """Some histograms as float64, divided by their masses if `normalize` is set."""
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
        """Heaps of one coordinate of their places, sorted within each heap."""
        start, item, weight, mass = self.flat
        place = self.places[item, feature]
        if period:
            place = place % period
        # the heap is the primary key: places are sorted within each heap only
        order = np.lexsort((place, np.repeat(np.arange(len(self)), np.diff(start))))
        return Flat(start, place[order], weight[order], mass)

    def centroids(self, origin: np.ndarray) -> np.ndarray:
        """Mean place of each heap, relative to an origin."""
        start, item, weight, mass = self.flat
        pull = weight[:, None] * (self.places[item] - origin)
        return np.asarray(np.add.reduceat(pull, start[:-1]) / mass[:, None])
