"""The words of a codebook: centres of k-means, and which is nearest to each of many rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

import ilk
from ilk_learners.magnitude import common_deviations, difference

_CELLS = 1 << 20  # of distances between rows and words, held at once
_NEAR = 1e-10  # of squared lengths: squares that differ less are computed again


def find_words(
    owner: Any, rows: np.ndarray, weights: np.ndarray | None, n_words: int, max_iter: int, seed: Any
) -> np.ndarray:
    """Centres of k-means, started by k-means++; the same for any number of threads.

    Parameters
    ----------
    owner : Component
        Named in errors.
    rows : ndarray of shape (n, d)
    weights : ndarray of shape (n,) or None
        How much each row counts.
    n_words, max_iter : int
    seed : RandomState

    Raises
    ------
    InputError
        If fewer than `n_words` rows are different.
    """
    if weights is not None:
        weights = weights / weights.max()  # whose sum cannot overflow
        rows, weights = rows[weights > 0], weights[weights > 0]
    if len(rows) < n_words:
        raise _too_few(owner, n_words, len(rows))
    mean, near_zero, exponent = common_deviations(rows)
    model = KMeans(n_words, n_init=1, max_iter=max_iter, random_state=seed)
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)  # looked at below
        labels = model.fit_predict(near_zero.astype(rows.dtype), sample_weight=weights)
    if len(np.unique(labels)) < n_words:
        different = len(np.unique(rows, axis=0))
        if different < n_words:
            raise _too_few(owner, n_words, different)
    half = int(exponent > 0)  # of centres between the largest numbers: they do not overflow
    own = np.ldexp(model.cluster_centers_.astype(float), exponent - half)
    return np.asarray(np.ldexp(own + np.ldexp(mean, -half), half), dtype=rows.dtype)


def _too_few(owner: Any, n_words: int, different: int) -> ilk.InputError:
    return ilk.InputError(
        f"{ilk.display_name(owner)}: n_words={n_words} is more than there are different "
        f"descriptors to learn from: {different}"
    )


@dataclass(frozen=True)
class Words:
    """Finds the nearest of some words, the first of equally near ones.

    Attributes
    ----------
    words : ndarray of shape (k, d)
    origin : ndarray of shape (d,)
        Their mean.
    near : ndarray of shape (k, d)
        What they deviate from it, in units of ``2**exponent``.
    exponent : int
    """

    words: np.ndarray
    origin: np.ndarray
    near: np.ndarray
    exponent: int

    @classmethod
    def of(cls, words: np.ndarray) -> Words:
        """Centre and scale words, so that no square of a difference loses its digits."""
        return cls(words.astype(float), *common_deviations(words))

    def nearest(self, owner: Any, rows: np.ndarray) -> np.ndarray:
        """The word of each row; the same whatever rows are beside it.

        ``|w|^2 - 2 r'w`` is found by products of blocks; where two words come within rounding
        of each other, they are compared by their differences from the row.

        Raises
        ------
        InputError
            If a row is so far from all words that squares overflow.
        """
        found = np.empty(len(rows), dtype=np.int64)
        step = max(_CELLS // len(self.words), 1)
        for start in range(0, len(rows), step):
            block = rows[start : start + step].astype(float)
            found[start : start + step] = self._nearest(owner, block)
        return found

    def _nearest(self, owner: Any, rows: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            centred = difference(rows, self.origin, self.exponent)
            squares = centred @ (-2 * self.near.T)
            squares += np.einsum("ij,ij->i", self.near, self.near)
            lengths = np.einsum("ij,ij->i", centred, centred)
        best: np.ndarray = squares.argmin(axis=1)
        least = squares[np.arange(len(rows)), best]
        if not np.isfinite(lengths).all():
            raise ilk.InputError(
                f"{ilk.display_name(owner)}: X has a descriptor too far from all of training"
            )
        close = squares <= (least + _NEAR * (1 + lengths))[:, None]
        for row in np.flatnonzero(np.count_nonzero(close, axis=1) > 1):
            rivals = np.flatnonzero(close[row])
            apart = difference(self.words[rivals], rows[row], self.exponent)
            best[row] = rivals[np.square(apart).sum(axis=1).argmin()]
        return best
