"""Rows after a linear map, with a bound on their rounding error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from ilk import Cases


@dataclass(frozen=True)
class Mapped:
    """Rows before and after the map, and the distance below which mapped rows lose digits."""

    before: np.ndarray
    after: np.ndarray
    doubt: np.ndarray
    map: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and features."""
        return self.before.shape[0], self.before.shape[1]

    @property
    def single(self) -> bool:
        """Whether the rows are float32."""
        return bool(self.before.dtype == np.float32)

    @property
    def rows(self) -> np.ndarray:
        """The rows after the map, float32 if they were before."""
        return self.after.astype(self.before.dtype, copy=False)

    def __len__(self) -> int:
        return len(self.before)

    def __getitem__(self, rows: np.ndarray) -> Mapped:
        return Mapped(self.before[rows], self.after[rows], self.doubt[rows], self.map)


def mapped(X: np.ndarray, L: np.ndarray, location: np.ndarray) -> Mapped:
    """Map the rows of X, and bound their rounding error."""
    after = np.empty((len(X), len(L)))
    doubt = np.zeros(len(X))
    sizes = norms(L.T)
    step = max(_BLOCK // max(L.shape), 1)
    for start in range(0, len(X), step):
        rows = X[start : start + step] - location
        after[start : start + step] = times(rows, L)
        for size, column in zip(sizes, rows.T, strict=True):
            # |L x| is computed with errors of up to sum_f |L_f| |x_f| times a few eps
            doubt[start : start + step] += size * np.abs(column)
    # the distance at which that error is _ERROR of it
    doubt *= 4 * np.sqrt(L.shape[1]) * np.finfo(float).eps / _ERROR
    return Mapped(X, after, doubt, L)


def mapped_by(learner: Any, X: Cases, argument: str = "X") -> Mapped:
    """Map rows as a fitted metric learner does, but each independently of the others.

    The last digits of a learner's own matrix product depend on the other rows in it: equal rows
    would not be at distance 0. A learner without ``components_`` maps the rows itself.

    Raises
    ------
    InputError
        Naming the learner, if X is invalid input for it, or too large for its map.
    """
    L = getattr(learner, "components_", None)
    if L is None:
        after = np.asarray(learner.transform(X))
        return Mapped(after, after, np.zeros(len(after)), np.eye(after.shape[1]))
    X = ilk.check_vectors(learner, X, argument=argument, reset=False)
    if X.shape[1] != L.shape[1]:
        raise ilk.InputError(
            f"{ilk.display_name(learner)}: {argument} has {X.shape[1]} features, but the map "
            f"takes {L.shape[1]} features"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        rows = mapped(X, np.asarray(L, dtype=float), np.zeros(L.shape[1]))
    ilk.check_finite(learner, rows.after, argument=f"{argument} after the map")
    return rows


_ERROR = 1e-9  # relative error above which a distance is computed again
_BLOCK = 2**15  # numbers in a block of rows: they stay in the cache


def times(rows: np.ndarray, L: np.ndarray) -> np.ndarray:
    """``rows L'``, summed in the order of the features; BLAS's order depends on the block."""
    total = np.zeros((len(rows), len(L)))
    for f, column in enumerate(rows.T):
        total += column[:, None] * L[:, f]
    return total


def norms(rows: np.ndarray) -> np.ndarray:
    """Euclidean norms of rows, without underflow or overflow of squares."""
    largest = np.abs(rows).max(axis=1)
    scale = np.where(largest > 0, largest, 1.0)
    return np.asarray(scale * np.sqrt(((rows / scale[:, None]) ** 2).sum(axis=1)))
