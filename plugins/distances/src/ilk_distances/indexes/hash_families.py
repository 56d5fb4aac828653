"""Families of locality-sensitive hash functions, which give near rows equal values more often."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from numbers import Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from scipy.special import ndtr

import ilk

if TYPE_CHECKING:
    from ilk import Matrix

# strips beyond do not fit into int64
_LARGEST = 2.0**62


@dataclass(frozen=True)
class Family(ABC):
    """Some hash functions drawn from a family."""

    def check_fits(self, X: Matrix, n_hashes: int) -> None:
        """Check, after loading from a file, the number of functions and of features."""
        for field in fields(self):
            if field.name in {"offsets", "positions", "seeds"}:
                shape: tuple[int, ...] = (n_hashes,)
            else:
                shape = (X.shape[1],) if field.name == "center" else (X.shape[1], n_hashes)
            if field.name != "known":
                below = max(X.shape[1], 1) if field.name == "positions" else None
                ilk.check_stored(self, field.name, shape, kinds="fiu", below=below)

    @abstractmethod
    def values(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Hash values of some rows, and margins to the next values, if the family has margins.

        Returns
        -------
        values : ndarray of int64, shape (n, n_hashes)
        margins : ndarray of shape (2, n, n_hashes) or None
            Distance to the next lower and to the next higher value; infinite if there is none.
        """


@dataclass(frozen=True)
class Stable(Family):
    """``floor((a'x + b) / width)``, with a drawn from a p-stable distribution: Gauss or Cauchy.

    Attributes
    ----------
    center : ndarray of shape (n_features,)
    directions : ndarray of shape (n_features, n_hashes)
        Divided by the width.
    offsets : ndarray of shape (n_hashes,)
    """

    center: np.ndarray
    directions: np.ndarray
    offsets: np.ndarray

    @classmethod
    def draw(
        cls, rng: np.random.RandomState, X: np.ndarray, n_hashes: int, distance: Any, width: float
    ) -> Self:
        """Draw functions for a Minkowski distance with p = 1 or 2."""
        shape = X.shape[1], n_hashes
        # the sum of a' (x - y) is then distributed as |x - y|_1 times Cauchy, or |x - y|_2 times
        # Gauss
        directions = rng.standard_cauchy(shape) if distance.p == 1 else rng.normal(size=shape)
        if distance.weights is not None:
            # weights scale the axes of the norm
            directions *= np.asarray(distance.weights, dtype=float)[:, None] ** (1 / distance.p)
        # projections of centred rows keep more digits, and a shift is part of the random offset
        # anyway
        center = _dense(X.min(axis=0)) / 2 + _dense(X.max(axis=0)) / 2
        with np.errstate(over="ignore"):
            return cls(center, directions / float(width), rng.uniform(size=n_hashes))

    def values(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The strip of each projection, and the distances to the borders of the strip."""
        # after overflow inf - inf gives NaN: such rows share a bucket, and the distance decides
        places = np.nan_to_num(_projected(X, self.center, self.directions) + self.offsets)
        strips = np.floor(np.clip(places, -_LARGEST, _LARGEST))
        below = places - strips
        return strips.astype(np.int64), np.stack([below, 1 - below])


@dataclass(frozen=True)
class Signs(Family):
    """The side of a random plane through the origin: ``a'x >= 0``."""

    directions: np.ndarray

    @classmethod
    def draw(cls, rng: np.random.RandomState, X: np.ndarray, n_hashes: int) -> Self:
        """Draw planes."""
        return cls(rng.normal(size=(X.shape[1], n_hashes)))

    def values(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """0 or 1 for each side, and the distance to the plane."""
        places = np.nan_to_num(_projected(X, np.zeros(X.shape[1]), self.directions))
        above = places >= 0
        # a plane has one other side only: the margin to the own side is infinite
        margins = np.stack([np.where(above, places, np.inf), np.where(above, np.inf, -places)])
        return above.astype(np.int64), margins


@dataclass(frozen=True)
class Positions(Family):
    """The value at a random position.

    Attributes
    ----------
    positions : ndarray of int, shape (n_hashes,)
    known : ndarray of objects, or None
        The values of training rows, unless they are numbers or characters.
    """

    positions: np.ndarray
    known: np.ndarray | None

    @classmethod
    def draw(cls, rng: np.random.RandomState, X: np.ndarray, n_hashes: int) -> Self:
        """Draw positions."""
        known = np.asarray(pd.unique(X.ravel()), dtype=object) if X.dtype == object else None
        return cls(rng.randint(max(X.shape[1], 1), size=n_hashes), known)

    def values(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """A number for each value, equal for equal values."""
        out = np.zeros((len(X), len(self.positions)), np.int64)
        if X.shape[1]:
            for f in np.unique(self.positions).tolist():
                out[:, self.positions == f] = self._numbered(X[:, f])[:, None]
        return out, None

    def _numbered(self, column: np.ndarray) -> np.ndarray:
        if self.known is not None:
            known = pd.Index(self.known, dtype=object)
            return np.asarray(known.get_indexer(pd.Index(column, dtype=object)))
        if column.dtype.kind in "US":
            column = np.ascontiguousarray(column).view("<u4" if column.dtype.kind == "U" else "u1")
        elif column.dtype == object:
            column = np.array([_code_of_cell(cell) for cell in column])
        floats = column.astype(float) + 0.0  # converts -0.0 to 0.0
        return pd.util.hash_array(floats, categorize=False).view(np.int64)


@dataclass(frozen=True)
class MinHash(Family):
    """The first member of a set in a random order of all things (minhash).

    Attributes
    ----------
    seeds : ndarray of uint64, shape (n_hashes,)
        One for each order.
    """

    seeds: np.ndarray

    @classmethod
    def draw(cls, rng: np.random.RandomState, n_hashes: int) -> Self:
        """Draw orders."""
        return cls(rng.randint(2**64, size=n_hashes, dtype=np.uint64))

    def values(self, X: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """A number for the first member."""
        from ilk_distances.indexes.hash_functions import smallest_keys

        out = np.empty((len(X), len(self.seeds)), np.uint64)
        starts, members = X.rows.indptr, X.rows.indices.astype(np.uint64)

        def work(a: int, b: int) -> None:
            smallest_keys(starts[a : b + 1], members, self.seeds, out[a:b])

        ilk.in_blocks(work, len(X), 64)
        return out.view(np.int64), None


@dataclass(frozen=True)
class Samples(Family):
    """A feature drawn in proportion to its value; similar rows often draw the same.

    Attributes
    ----------
    r, c, b : ndarray of shape (n_features, n_hashes)
    """

    r: np.ndarray
    c: np.ndarray
    b: np.ndarray

    @classmethod
    def draw(cls, rng: np.random.RandomState, X: np.ndarray, n_hashes: int) -> Self:
        """Draw the random numbers of the features."""
        shape = X.shape[1], n_hashes
        # r and c of Ioffe's sampling have the distribution Gamma(2, 1); c is used as a logarithm
        c = np.log(rng.gamma(2.0, size=shape))
        return cls(rng.gamma(2.0, size=shape), c, rng.uniform(size=shape))

    def values(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """A number for the feature and its level."""
        from ilk_distances.indexes.hash_functions import consistent_samples

        X = np.ascontiguousarray(X, dtype=float)
        out = np.empty((len(X), self.r.shape[1]), np.uint64)

        def work(start: int, stop: int) -> None:
            consistent_samples(X[start:stop], self.r, self.c, self.b, out[start:stop])

        ilk.in_blocks(work, len(X), 64)
        return out.view(np.int64), None


def collision(name: str, d: np.ndarray, *, p: float = 2, width: float = 1.0) -> np.ndarray:
    """The probability that a function of a family gives two rows at distance d the same value.

    Parameters
    ----------
    name : {"minkowski", "cosine", "hamming", "jaccard"}
    d : ndarray
        For hamming, d is the share of positions that differ.
    p, width : float
        Of a Minkowski distance.
    """
    if name == "cosine":
        # the share of planes that do not separate two directions: 1 - angle / pi (Charikar)
        return np.asarray(1 - np.arccos(np.clip(1 - d, -1, 1)) / np.pi)
    if name != "minkowski":
        return np.asarray(np.clip(1 - d, 0, 1))
    # limits: at distance 0 both formulas divide 0 by 0
    t = np.maximum(width / np.maximum(d, width * 1e-9), 1e-9)
    # Datar, Immorlica, Indyk and Mirrokni: p(d) in closed form, with t = width / d
    if p == 1:
        return np.asarray(2 * np.arctan(t) / np.pi - np.log1p(t**2) / (np.pi * t))
    hump = -np.expm1(-(t**2) / 2) * 2 / (np.sqrt(2 * np.pi) * t)
    return np.asarray(1 - 2 * ndtr(-t) - hump)


def _dense(row: Any) -> np.ndarray:
    """A row of extremes as floats, also that of sparse rows."""
    return np.ravel(row.toarray() if ilk.is_sparse(row) else row).astype(float)


def _projected(X: Any, center: np.ndarray, directions: np.ndarray) -> np.ndarray:
    if ilk.is_sparse(X):
        return np.asarray(X.astype(float) @ directions - center @ directions)
    from ilk_distances.indexes.hash_functions import project

    X = np.ascontiguousarray(X, dtype=float)
    out = np.empty((len(X), directions.shape[1]))
    ilk.in_blocks(lambda a, b: project(X[a:b], center, directions, out[a:b]), len(X), 64)
    return out


def _code_of_cell(cell: object) -> float:
    """Convert a cell of any type for comparison with numbers or characters of training rows."""
    if isinstance(cell, Real | np.bool_):
        return float(cell)
    return float(ord(cell)) if isinstance(cell, str) and len(cell) == 1 else np.nan
