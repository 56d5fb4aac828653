"""Sets of points laid end to end, and the nearest point of each set to each point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import ilk


@dataclass(frozen=True)
class Bags:
    """Sets of points, all points in one array (or whatever the ground distance takes).

    Attributes
    ----------
    points : data of n_points rows
    ends : ndarray of shape (n_sets,)
        Where the points of each set end.
    """

    points: Any
    ends: np.ndarray

    @property
    def starts(self) -> np.ndarray:
        """Where the points of each set begin."""
        return np.concatenate([[0], self.ends[:-1]])

    @property
    def shape(self) -> tuple[int]:
        """Number of sets."""
        return (len(self.ends),)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, rows: Any) -> Bags:
        starts, ends = self.starts[rows], self.ends[rows]
        if isinstance(rows, slice) and rows.step in (None, 1):
            first, last = (int(starts[0]), int(ends[-1])) if len(ends) else (0, 0)
            points = self.points[slice(first, last)]
            return Bags(points, ends - first)
        which = np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)])
        return Bags(ilk.take(self.points, which), np.cumsum(ends - starts))


def bags(owner: Any, X: Any, argument: str, *, nan: bool) -> tuple[Any, np.ndarray]:
    """Return all points of some sets, and where each set ends.

    Points are vectors, the rows of two-dimensional arrays, or anything else in lists.

    Raises
    ------
    InputError
        Naming the first set that is empty, has another number of features, or a NaN.
    """
    name = ilk.display_name(owner)
    if not hasattr(X, "__len__") or isinstance(X, str | bytes | dict | set | frozenset):
        kind = type(X).__name__
        raise ilk.InputTypeError(f"{name}: {argument} must be a sequence of sets, got a {kind}")
    if ilk.is_table(X) or hasattr(X, "tocsr"):
        raise ilk.InputTypeError(f"{name}: {argument} must be a list of sets, not a table")
    sets = [_points(name, one, i, argument) for i, one in enumerate(X)]
    if not sets:
        raise ilk.InputError(f"{name}: {argument} has no sets (no rows), at least 1 is needed")
    ends = np.cumsum([len(one) for one in sets])
    if all(isinstance(one, list) for one in sets):
        return [point for one in sets for point in one], ends
    for i, one in enumerate(sets):
        if isinstance(one, list) or one.shape[1] != sets[0].shape[1]:
            raise ilk.InputError(
                f"{name}: {argument}: set 0 has points of {_width(sets[0])}, but set {i} of "
                f"{_width(one)}"
            )
    points = np.concatenate(sets)
    bad = np.isinf(points) if nan else ~np.isfinite(points)
    if bad.any():
        point, f = np.argwhere(bad)[0]
        i = int(np.searchsorted(ends, point, side="right"))
        what = "NaN" if np.isnan(points[point, f]) else "infinity (inf)"
        raise ilk.InputError(
            f"{name}: {argument} has {what} in set {i}, point {point - ends[i] + len(sets[i])}, "
            f"feature {f}"
        )
    return points, ends


def _width(one: Any) -> str:
    return "no vector" if isinstance(one, list) else f"{one.shape[1]} features"


def _points(name: str, one: Any, i: int, argument: str) -> Any:
    """Return one set as a float array of its points, or as a list of what they are."""
    if isinstance(one, str | bytes) or not hasattr(one, "__len__"):
        raise ilk.InputTypeError(f"{name}: {argument}[{i}] must be a set of points, got {one!r}")
    if len(one) == 0:
        raise ilk.InputError(f"{name}: {argument}[{i}] is an empty set, at least 1 point is needed")
    if not isinstance(one, np.ndarray) and isinstance(next(iter(one)), str | bytes):
        return list(one)
    try:
        points = np.asarray(one)
    except ValueError as error:  # points of different lengths
        raise ilk.InputError(f"{name}: {argument}[{i}]: {error}") from None
    if points.ndim != 2 or points.dtype.kind not in "biuf":
        raise ilk.InputError(
            f"{name}: {argument}[{i}] must be a set of vectors (two-dimensional, numbers), got "
            f"shape {points.shape} and type {points.dtype}"
        )
    return points if points.dtype == np.float32 else points.astype(float, copy=False)
