"""Distances between rows that are checked already, counted."""

from __future__ import annotations

from typing import Any

import numpy as np

import ilk
from ilk_distances.engine.distance import VectorDistance

NUMBERS = 2**19  # taken out of the training rows at once, so that memory stays bounded


class Comparing:
    """A distance, training rows, and how many distances have been computed.

    Parameters
    ----------
    distance : Distance
        Fitted.
    X : data of n rows
        As ``distance.check_input`` returns it.
    """

    def __init__(self, distance: Any, X: Any) -> None:
        self.X = X
        self.evaluations = 0
        self._step = rows_at_once(X)
        self._name = ilk.display_name(distance)
        checks = getattr(type(distance), "pairwise", None) is not VectorDistance.pairwise
        self._pairwise = distance.pairwise if checks else distance.compare

    def within(self, row: int, rows: np.ndarray) -> np.ndarray:
        """Distances of one training row to others."""
        if not len(rows):
            return np.empty(0)
        return np.asarray(self._compare(ilk.take(self.X, [row]), rows, f"training row {row}")[0])

    def to_rows(self, Q: Any, queries: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Distances of queries to training rows, pair by pair; those of a query are together."""
        starts = np.flatnonzero(np.diff(queries, prepend=-1))
        parts = np.split(rows, starts[1:])
        alike: dict[bytes, list[int]] = {}
        for place, part in enumerate(parts):
            alike.setdefault(part.tobytes(), []).append(place)
        found: list[Any] = [None] * len(parts)
        for places in alike.values():
            some = queries[starts[places]]
            name = f"query {some[0]}" if len(some) == 1 else "a query"
            D = self._compare(ilk.take(Q, some), parts[places[0]], name)
            for place, values in zip(places, D, strict=True):
                found[place] = values
        return np.concatenate(found) if found else np.empty(0)

    def _compare(self, some: Any, rows: np.ndarray, name: str) -> np.ndarray:
        parts = []
        for start in range(0, len(rows), self._step):
            part = rows[start : start + self._step]
            D = np.asarray(self._pairwise(some, ilk.take(self.X, part)))
            if not D.min(initial=0) >= 0:  # the minimum is NaN if any is
                column = int(np.flatnonzero(~(D >= 0).all(axis=0))[0])
                raise ilk.InputError(
                    f"{self._name}: the distance of {name} to training row {part[column]} is NaN "
                    f"or negative ({D[:, column].min()})"
                )
            parts.append(D)
            self.evaluations += D.size
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def rows_at_once(X: Any) -> int:
    """How many training rows to take out at once."""
    width = X.shape[1] if getattr(X, "ndim", 0) == 2 else 1  # an array
    return max(NUMBERS // width, 1)
