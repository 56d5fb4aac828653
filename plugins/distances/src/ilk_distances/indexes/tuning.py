"""How many hash functions to join, and how wide their strips: what the data's distances say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ilk_distances.indexes.families import collision

LONGEST = 64  # hash functions in a table
_QUERIES, _NEIGHBORS, _STRANGERS = 100, 10, 300
_SMALLEST, _LARGEST = 1e-300, 1e300  # middle widths: others stay in range beside them
_WIDTHS = 2.0 ** np.arange(-1, 5, 0.5)  # in units of the distance of neighbours


@dataclass(frozen=True)
class Sampled:
    """Distances of some training rows to their nearest neighbours, and to any rows.

    Attributes
    ----------
    family : str
    p : float
        Of a Minkowski distance.
    near, far : ndarray
    n_evaluations : int
    """

    family: str
    p: float
    near: np.ndarray
    far: np.ndarray
    n_evaluations: int

    @classmethod
    def of(cls, rng: np.random.RandomState, distance: Any, X: np.ndarray, family: str) -> Self:
        """Draw the rows and compute the distances."""
        n = len(X)
        queries = rng.permutation(n)[:_QUERIES]
        k = min(_NEIGHBORS, n - 1)
        strangers = np.sort(rng.permutation(n)[:_STRANGERS])
        far = distance.pairwise(X[queries], X[strangers])[queries[:, None] != strangers]
        near, where = distance.kneighbors(X[queries], X, k + 1)
        own = where == queries[:, None]
        own[~own.any(axis=1), -1] = True
        scale = X.shape[1] if family == "hamming" and not distance.normalize else 1
        near, far = (np.asarray(d, dtype=float) / scale for d in (near[~own], far))
        count = len(queries) * (n + len(strangers))
        return cls(family, getattr(distance, "p", 2.0), near, far, count)

    def shares(self, n_tables: int, n_bits: np.ndarray, width: float) -> tuple[Any, Any]:
        """Which share of the near and of the far rows is in a bucket of the row's, for each n_bits.

        With n tables of b functions that agree with probability q it is ``1 - (1 - q^b)^n``.
        """
        near, far = (
            _shared(collision(self.family, d, p=self.p, width=width), n_tables, n_bits)
            for d in (self.near, self.far)
        )
        return near, far


def tuned(
    sampled: Sampled, n_tables: int, n_bits: int | None, width: float | None, recall: float
) -> tuple[int, float | None, float]:
    """Choose n_bits and width, where they are not given, and say what recall to expect.

    Of those that find the share `recall` of the near rows it is the choice that looks at the
    fewest of the far ones; if none does, the one that finds most.
    """
    bits = np.arange(1, LONGEST + 1) if n_bits is None else np.array([n_bits])
    choices = []
    for each in _widths(sampled) if width is None else [width]:
        near, far = sampled.shares(n_tables, bits, each)
        merit = np.where(near >= recall, 1 - far, near - 1)  # enough found: positive
        best = int(np.argmax(merit))
        choices.append((float(merit[best]), int(bits[best]), float(each), float(near[best])))
    _, chosen, each, expected = max(choices)
    return chosen, each if sampled.family == "minkowski" else None, expected


def _widths(sampled: Sampled) -> np.ndarray:
    if sampled.family != "minkowski":
        return np.ones(1)
    positive = np.sort(sampled.near[sampled.near > 0])
    middle = float(positive[len(positive) // 2]) if positive.size else 1.0
    return _WIDTHS * min(max(middle, _SMALLEST), _LARGEST)


def _shared(agreement: np.ndarray, n_tables: int, n_bits: np.ndarray) -> np.ndarray:
    if not agreement.size:
        return np.ones(len(n_bits))
    return np.array([(1 - (1 - agreement**b) ** n_tables).mean() for b in n_bits])
