"""Boosting over histograms: binned features, and rounds for each class against the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import ilk

if TYPE_CHECKING:
    from ilk_ensembles.base.progress import Progress


_ROUNDING = 1e-12  # costs that differ by less are a tie
_CELLS = 1 << 18  # weights read per parallel block: enough work for a thread
_BINNED = 1 << 16  # values binned per parallel block
_SMALL = 256  # most bins whose codes fit uint8


@dataclass(frozen=True)
class HistogramRounds:
    """Results of T rounds, for each of Q problems.

    Attributes
    ----------
    features : ndarray of int, shape (T, Q)
    confidences : ndarray of shape (T, Q, n_bins)
    costs, gains : ndarray of shape (T, Q)
        Cost of the feature, and -ln Z.
    bounds : ndarray of shape (T,)
        Weighted mean of exp(-y F), summed over the problems.
    """

    features: np.ndarray
    confidences: np.ndarray
    costs: np.ndarray
    gains: np.ndarray
    bounds: np.ndarray


class HistogramBoosting:
    """Weights of training cases for each problem, and their bins, sorted by class.

    Rows and classes are reordered by `ilk.case_order` of the bins, so that neither the order of
    rows nor the names of classes change how sums are rounded.

    Parameters
    ----------
    bins : ndarray of shape (p, n)
        Sorted by class, in place.
    codes : ndarray of int, shape (n,)
    weights : ndarray of shape (n,)
        Positive.
    n_classes, n_bins : int
    """

    def __init__(
        self,
        bins: np.ndarray,
        codes: np.ndarray,
        weights: np.ndarray,
        n_classes: int,
        n_bins: int,
    ) -> None:
        order, self.classes = ilk.case_order(bins.T, codes, weights)
        places = np.argsort(self.classes)
        # classes in their canonical order, rows of a class together: kernels take sides as ranges
        order = order[np.argsort(places[codes[order]], kind="stable")]
        for column in bins:
            column[:] = column[order]
        self.bins, self.n_bins = bins, n_bins
        self.starts = np.searchsorted(places[codes[order]], np.arange(n_classes + 1))
        positives = places[1:] if n_classes == 2 else places
        self._ends = np.array([self.starts[[k, k + 1]] for k in positives])
        self.weights = np.repeat(weights[order, None], len(positives), axis=1)

    def rounds(
        self, n_rounds: int, normalization: str, epsilon: float, progress: Progress
    ) -> HistogramRounds:
        """Boost; stop early where no feature of any problem separates the labels."""
        both = normalization == "joint"
        shares = self._normalize(both)
        logs = np.zeros_like(shares)
        results: list[tuple[Any, ...]] = []
        for _ in range(n_rounds):
            costs = self._costs()
            least = costs.min(axis=0)
            if results and (least >= 1 - _ROUNDING).all():
                break
            # features that tie up to rounding: the first one
            features = (costs <= least + _ROUNDING).argmax(axis=0)
            parts = [self._boost(q, f, both, epsilon) for q, f in enumerate(features.tolist())]
            confidences, divisors, gains = map(np.array, zip(*parts, strict=True))
            # the sum of logarithms of normalizers over the rounds
            logs += np.log(divisors)
            with np.errstate(over="ignore"):
                # Schapire and Singer: the training error is at most the product of the normalizers
                # Z
                bound = float((shares * np.exp(logs)).sum())
            selected_costs = costs[features, np.arange(len(features))] * (1 if both else 2)
            results.append((features, confidences, selected_costs, gains, bound))
            progress.step(f"training error at most {bound:.3g}")
        return HistogramRounds(*(np.array(part) for part in zip(*results, strict=True)))

    def _normalize(self, both: bool) -> np.ndarray:
        """Scale weights of each problem to sum 1, or each side to sum 1/2; return the old sums."""
        shares = np.empty((self.weights.shape[1], 2))
        for q, (start, end) in enumerate(self._ends):
            column = self.weights[:, q]
            positive = column[start:end].sum()
            others = column[:start].sum() + column[end:].sum()
            total = positive + others
            shares[q] = others / total, positive / total
            # one divisor for all rows, or one per side that brings its sum to 1/2
            divisors = np.full(2, total) if both else 2 * total * shares[q]
            divisors[divisors <= 0] = 1
            column[:start] /= divisors[0]
            column[start:end] /= divisors[1]
            column[end:] /= divisors[0]
        return shares

    def _costs(self) -> np.ndarray:
        """Cost of each feature for each problem, for weights that sum to 1; shape (p, Q)."""
        from ilk_ensembles.boosting.bin_kernels import costs_of_many, costs_of_two

        p, n = self.bins.shape
        n_problems = self.weights.shape[1]
        costs = np.empty((p, n_problems))

        def work(start: int, stop: int) -> None:
            some = slice(start, stop)
            cases = self.bins[some], self.weights, self.starts, self.n_bins, costs[some]
            if n_problems == 1:
                costs_of_two(*cases)
            else:
                costs_of_many(*cases, self.classes)

        # a multiple of four, because `costs_of_two` takes four features at a time
        size = _CELLS // (n * n_problems) // 4 * 4
        ilk.in_blocks(work, p, max(size, 4))
        return costs

    def _boost(
        self, q: int, feature: int, both: bool, epsilon: float
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """Update the weights of a problem by a feature; return confidences, divisors and -ln Z."""
        from ilk_ensembles.boosting.bin_kernels import reweigh, weigh_bins

        column, ends, weights = self.bins[feature], self._ends[q], self.weights[:, q]
        sides = np.empty((2, self.n_bins))
        weigh_bins(column, weights, ends, sides)
        # smoothing as in Schapire and Singer: no confidence is infinite
        smooth = (sides if both else 2 * sides) + epsilon
        confidence = (np.log(smooth[1]) - np.log(smooth[0])) / 2
        factors = np.exp([confidence, -confidence])
        after = (sides * factors).sum(axis=1)
        gain = -np.log(after.sum() / sides.sum(axis=1).sum())
        divisors = np.full(2, after.sum()) if both else 2 * after
        # a side without weight stays without
        divisors[after <= 0] = 1
        # one pass applies both the factors and the normalisation
        reweigh(column, factors / divisors[:, None], ends, weights)
        return confidence, divisors, max(gain, 0.0)


@dataclass(frozen=True)
class Bins:
    """Cuts ``[low, high]`` of each feature into `n_bins` bins of equal width.

    Bin k of a feature covers ``low + k w <= x < low + (k + 1) w`` with
    ``w = (high - low) / n_bins``; the last bin includes `high`. Values outside the range fall
    into the nearest bin. All values of a constant feature fall into bin 0.

    Attributes
    ----------
    low, high : ndarray of shape (p,)
    n_bins : int
    """

    low: np.ndarray
    high: np.ndarray
    n_bins: int

    @classmethod
    def of(cls, X: np.ndarray, n_bins: int) -> Self:
        """Bins between the least and the largest value of each column."""
        return cls(X.min(axis=0).astype(float), X.max(axis=0).astype(float), n_bins)

    def codes(self, X: np.ndarray, columns: np.ndarray | None = None) -> np.ndarray:
        """Bin of each value, feature by feature; of some columns only, if they are given.

        Returns
        -------
        ndarray of uint8, or of uint16 from 257 bins on, shape (p, n)
        """
        from ilk_ensembles.boosting.bin_kernels import bin_block

        some = slice(None) if columns is None else columns
        low, high = self.low[some], self.high[some]
        n, p = len(X), len(low)
        codes = np.empty((p, n), dtype=np.uint8 if self.n_bins <= _SMALL else np.uint16)

        def work(start: int, stop: int) -> None:
            block = np.ascontiguousarray(X[start:stop, some], dtype=float)
            bin_block(block, low, high, self.n_bins, start, codes)

        ilk.in_blocks(work, n, max(_BINNED // max(p, 1), 1))
        return codes
