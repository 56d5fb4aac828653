"""Spaces of mass, common bins or free places: ground costs and distances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk.neighbors import VectorDistance
from ilk_distances.transport.signatures import Heaps, Signatures

if TYPE_CHECKING:
    from ilk import Matrix

_ABSOLUTE = {"chebyshev", "euclidean", "manhattan", "minkowski"}  # grow with each |coordinate|
_NORMS = {*_ABSOLUTE, "mahalanobis"}
_PLAIN = ilk.Distance.check_input  # checks only that numbers are finite


@dataclass(frozen=True)
class Ground:
    """A ground distance between places, which may lie on a circle.

    Attributes
    ----------
    distance : Distance
    period : float
        Circumference of the circle; 0 if places do not lie on one.
    name : str
        Names of the component and of its ground, for errors.
    """

    distance: Any
    period: float
    name: str

    @cached_property
    def metric(self) -> bool:
        """Whether it is a metric."""
        return bool(self.distance.metric)

    @cached_property
    def norm(self) -> bool:
        """Whether it is a norm of differences, so that the distance of means is a lower bound."""
        return self.metric and not self.period and ilk.shipped_name(self.distance) in _NORMS

    @cached_property
    def absolute(self) -> bool:
        """Whether it is a norm that grows with the size of every coordinate."""
        return self.norm and ilk.shipped_name(self.distance) in _ABSOLUTE

    def scale(self, places: object) -> float | None:
        """Cost of a step of length 1 if places lie on a line or circle, else None."""
        column = isinstance(places, np.ndarray) and places.ndim == 2 and places.shape[1] == 1
        if not column or not self.metric:
            return None
        if ilk.shipped_name(self.distance) not in _ABSOLUTE:
            return None
        return float(self.distance.between([0.0], [1.0]))

    def checked(self, places: object) -> Any:
        """Return places, finite if they are numbers, in the form that is compared."""
        if isinstance(places, np.ndarray) and type(self.distance).check_input is _PLAIN:
            return places
        return self.distance.check_input(places, "positions")

    def compare(self, P: np.ndarray, Q: Matrix) -> np.ndarray:
        """Distances of places P to places Q, both checked, ignoring the circle."""
        compiled = isinstance(self.distance, VectorDistance)
        return np.asarray((self.distance.compare if compiled else self.distance.pairwise)(P, Q))

    def costs(self, P: Any, Q: Any) -> np.ndarray:
        """Ground distances of places P to places Q, both checked, in C order."""
        if self.period:
            # the shorter way round the circle
            steps = np.abs(P - Q.T) % self.period
            costs = np.minimum(steps, self.period - steps) * self.scale(P)
        else:
            costs = np.ascontiguousarray(self.compare(P, Q), dtype=float)
        if costs.size and not (costs.min() >= 0 and costs.max() < np.inf):  # or NaN
            i, j = np.argwhere(~((costs >= 0) & (costs < np.inf)))[0]
            raise ilk.InputError(
                f"{self.name}: the ground distance of {P[i]} to {Q[j]} must be at least 0 and "
                f"finite, got {costs[i, j]}"
            )
        return np.asarray(costs)


def is_pseudometric(matrix: np.ndarray) -> bool:
    """Tell whether a matrix is a metric: zero diagonal, symmetry, triangle inequality.

    The last two hold up to rounding.
    """
    if np.diagonal(matrix).any():
        return False
    from ilk_distances.transport.pairs import has_detour

    return not has_detour(np.ascontiguousarray(matrix, dtype=float))


_PAIRS = 512  # minimum number of pairs in a thread's block: large beside its start
_NUMBERS = 2**16  # numbers of histograms converted to float64 at a time: bounds the memory
_MIRRORED = 256  # rows copied below the diagonal at a time: they stay in the cache
_TILE = (128, 1024)  # clusters of a tile of ground distances: 1 MiB


@dataclass(frozen=True)
class Bins:
    """Histograms over common bins, whose distances are a matrix.

    Attributes
    ----------
    ground : Ground or None
        None: the matrix is given.
    places : ndarray of shape (bins, d), list of texts, or None
    given : ndarray of shape (bins, bins) or None
    normalize : bool
    penalty : float
    """

    ground: Ground | None
    places: Any
    given: np.ndarray | None
    normalize: bool
    penalty: float

    @cached_property
    def matrix(self) -> np.ndarray:
        """Ground distance of any two bins."""
        if self.ground is None:
            return np.array(self.given, dtype=float, order="C")
        return self.ground.costs(self.places, self.places)

    @cached_property
    def shared(self) -> bool:
        """Whether common mass may stay in its bin, that is, whether the ground is a metric."""
        return is_pseudometric(self.matrix) if self.ground is None else self.ground.metric

    @cached_property
    def scale(self) -> float | None:
        """Cost of a step where bins lie on a line or circle, else None."""
        return None if self.ground is None else self.ground.scale(self.places)

    def load(self, X: Any) -> Heaps:
        """Return checked histograms as heaps."""
        return Heaps(X, self.places, self.normalize)

    def closed(self, x: Heaps) -> bool:
        """Whether there is a closed form for equal masses."""
        return self.scale is not None

    def costs(self, x: Heaps, y: Heaps) -> np.ndarray:
        """Ground distances of the items of x to those of y."""
        return self.matrix

    def distances(self, x: Heaps, y: Heaps) -> np.ndarray:
        """Distances of all heaps x to all heaps y."""
        out = np.full((len(x), len(y)), np.nan)
        # closed forms leave NaN where they do not hold: unequal masses, lost digits
        if self.scale is not None:
            assert self.ground is not None
            if self.ground.period:
                _merge_all(x, y, self.ground.period, out)
            else:
                _sweep(x, y, out)
            out *= self.scale
        if np.isnan(out).any():
            self._solve(x, y, out)
            _mirror(out, x is y)
        return out

    def _solve(self, x: Heaps, y: Heaps, out: np.ndarray) -> None:
        from ilk_distances.transport.pairs import fill

        matrix, shared, flats, half = (
            self.matrix,
            self.shared,
            (tuple(x.flat), tuple(y.flat)),
            x is y,
        )

        def work(start: int, stop: int) -> None:
            fill(matrix, *flats, shared, self.penalty, start, stop, (0, 0), half, out)

        ilk.in_blocks(work, len(x), max(_PAIRS // len(y), 1))


@dataclass(frozen=True)
class Places:
    """Signatures, whose places have a ground distance.

    Attributes
    ----------
    ground : Ground
    normalize : bool
    penalty : float
    """

    ground: Ground
    normalize: bool
    penalty: float
    shared = False

    def load(self, X: Any) -> Heaps:
        """Return checked signatures as heaps."""
        places = self.ground.checked(X.positions)
        return Heaps(Signatures(X.start, places, X.weights, X.single), places, self.normalize)

    def closed(self, x: Heaps) -> bool:
        """Whether there is a closed form for equal masses."""
        return self.ground.scale(x.places) is not None

    def costs(self, x: Heaps, y: Heaps) -> np.ndarray:
        """Ground distances of the clusters of x to those of y."""
        return self.ground.costs(x.places, y.places)

    def distances(self, x: Heaps, y: Heaps) -> np.ndarray:
        """Distances of all heaps x to all heaps y."""
        out = np.full((len(x), len(y)), np.nan)
        scale = self.ground.scale(x.places)
        if scale is not None:
            _merge_all(x, y, self.ground.period, out)
            out *= scale
        if np.isnan(out).any():
            self._solve(x, y, out)
            _mirror(out, x is y)
        return out

    def _solve(self, x: Heaps, y: Heaps, out: np.ndarray) -> None:
        from ilk_distances.transport.pairs import fill

        # cut both sides, because the matrix of ground distances of all clusters may not fit in
        # memory
        rows, columns = _cuts(x.flat.start, _TILE[0]), _cuts(y.flat.start, _TILE[1])
        half = x is y

        def work(first: int, last: int) -> None:
            for a, b in rows[first:last]:
                for c, d in columns:
                    # a tile that lies below the diagonal only: `_mirror` fills it
                    if half and d <= a:
                        continue
                    x_cut, y_cut = tuple(x.flat.cut(a, b)), tuple(y.flat.cut(c, d))
                    places = x.places[x.flat.span(a, b)], y.places[y.flat.span(c, d)]
                    costs = self.ground.costs(*places)
                    fill(costs, x_cut, y_cut, False, self.penalty, 0, b - a, (a, c), half, out)

        ilk.in_blocks(work, len(rows), 1)


def _mirror(out: np.ndarray, same: bool) -> None:
    """Copy the upper triangle to the lower one, if heaps were compared with themselves."""
    for start in range(0, len(out) if same else 0, _MIRRORED):
        stop = start + _MIRRORED
        block = out[start:stop, start:stop]
        below = np.tril_indices(len(block), -1)
        block[below] = block.T[below]
        out[stop:, start:stop] = out[start:stop, stop:].T


def _sweep(x: Heaps, y: Heaps, out: np.ndarray) -> None:
    """Set distances of histograms on the line, block by block."""
    from ilk_distances.transport.closed_form import LANES, line_of_histograms

    order = np.argsort(x.places[:, 0], kind="stable")
    gaps = np.diff(x.places[order, 0])
    tolerance = max(x.tolerance, y.tolerance)
    step = max(_NUMBERS // len(order), 1)
    masses = x.mass, y.mass

    def work(start: int, stop: int) -> None:
        Y = np.ascontiguousarray(y.dense(start, stop)[:, order].T)
        for i in range(0, len(x), step):
            X = np.take(x.dense(i, i + step), order, axis=1)
            some = masses[0][i : i + step], masses[1][start:stop]
            line_of_histograms(X, Y, gaps, *some, tolerance, (i, start), out)

    ilk.in_blocks(work, len(y), LANES)


def _merge_all(x: Heaps, y: Heaps, period: float, out: np.ndarray) -> None:
    """Set distances of heaps on a line, or on a circle if the period is not 0."""
    from ilk_distances.transport.closed_form import line_of_heaps

    heaps, others = tuple(x.along(0, period)), tuple(y.along(0, period))
    tolerance = max(x.tolerance, y.tolerance)

    def work(start: int, stop: int) -> None:
        line_of_heaps(heaps, others, start, stop, tolerance, period, out)

    ilk.in_blocks(work, len(x), max(16 * _PAIRS // len(y), 1))


def _cuts(start: np.ndarray, size: int) -> list[tuple[int, int]]:
    """Cut heaps into runs of about `size` items."""
    cuts = [0]
    while cuts[-1] < len(start) - 1:
        end = int(np.searchsorted(start, start[cuts[-1]] + size, side="right")) - 1
        # at least one heap, even if it has more items than a tile
        cuts.append(max(end, cuts[-1] + 1))
    return list(pairwise(cuts))
