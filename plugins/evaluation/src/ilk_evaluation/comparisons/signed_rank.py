"""Signed-rank tests of pairs of pipelines over data sets: Wilcoxon's, and a Bayesian test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import ilk
from ilk import RandomState, Seed, param
from ilk_evaluation.comparisons.paired_scores import columns, differences, in_units
from ilk_evaluation.comparisons.pairwise import (
    BASELINE,
    Finding,
    Found,
    PairwiseComparison,
    better,
    pairs_of,
)
from ilk_evaluation.comparisons.verdict_text import left_out, posterior_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

    from ilk import Resampling

_EXACT = 50  # largest number of nonzero differences with exact p-values
_BLOCK = 2**17  # weights held in memory at a time: fits in cache


class Wilcoxon(PairwiseComparison):
    """Wilcoxon's signed-rank test of each pair of pipelines, over data sets.

    The differences of the two pipelines' scores on N data sets are ranked by absolute value, ties
    share the mean rank; R+ and R- are the sums of the ranks of positive and negative differences.
    The statistic is ``T = min(R+, R-)``. The p-value is exact for up to 50 nonzero differences,
    also with ties and zeros, by the distribution over random signs at fixed absolute values. For
    more differences it is the normal approximation. Differences that are equal to twelve digits
    of the scores are tied.

    `zeros` treats data sets without a difference: ``"pratt"`` ranks them, but excludes their ranks
    from both sums; ``"zsplit"`` adds half of their ranks to each sum (as Demšar does);
    ``"wilcox"`` drops them before ranking. Two equal pipelines get p = 1.

    The effect of a pair is its mean difference; the standardized effect is the rank-biserial
    correlation, ``(R+ - R-) / (R+ + R-)``. Data sets on which any pipeline has no score are left
    out of all pairs and named in the verdict. With n data sets p cannot be below ``2^(1 - n)``;
    the verdict notes if no difference can be significant.

    Raises
    ------
    InputError
        If there are fewer than two pipelines, fewer than two data sets on which all pipelines
        have a score, or a score is infinite.

    References
    ----------
    Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83.
    Pratt, J. W. (1959). Remarks on zeros and ties in the Wilcoxon signed rank procedures. JASA
    54, 655-667. Demšar, J. (2006). Statistical comparisons of classifiers over multiple data
    sets. JMLR 7, 1-30.

    Examples
    --------
    >>> import ilk, pandas as pd
    >>> means = pd.DataFrame({"a": [0.1, 0.2, 0.1, 0.3, 0.2, 0.15],
    ...                       "b": [0.2, 0.28, 0.13, 0.35, 0.26, 0.2]})
    >>> scores = ilk.Scores(pd.DataFrame(), "error", greater_is_better=False, means=means)
    >>> verdict = ilk.comparison("wilcoxon").compare(scores)
    >>> verdict.statistic, verdict.p_value
    (0.0, 0.03125)
    """

    zeros: str = param(
        default="pratt",
        choices=("pratt", "zsplit", "wilcox"),
        doc="Treatment of differences of 0.",
    )
    test_name = "Wilcoxon's signed-rank test"
    measures_effect = "rank-biserial correlation"

    @classmethod
    def examples(cls) -> list[Self]:
        """With each treatment of zeros."""
        return [cls(), cls(zeros="zsplit", alpha=0.1), cls(zeros="wilcox", adjust="none")]

    def _found(self, results: ilk.Scores) -> Found:
        scores, ranks, dropped = columns(self, results)
        pairs = pairs_of(self, list(scores), self.baseline)
        findings = [self._finding(a, b, differences(scores[a], scores[b])) for a, b in pairs]
        n = len(next(iter(scores.values())))
        details = {"n_datasets": n, "n_pipelines": len(scores), "zeros": self.zeros}
        return Found(findings, dropped, details, ranks, self._notes(n, len(pairs)))

    def _finding(self, a: str, b: str, gaps: np.ndarray) -> Finding:
        plus, minus = _rank_sums(gaps, zeros=self.zeros)
        p_value = _p_value(gaps, zeros=self.zeros)
        biserial = (plus - minus) / (plus + minus) if gaps.any() else 0.0
        more: dict[str, Any] = {
            "median": float(np.median(gaps)),
            "n_zeros": int((gaps == 0).sum()),
            "differences": gaps.tolist(),
        }
        mean = float(gaps.mean())
        return Finding(a, b, min(plus, minus), p_value, mean, biserial, biserial, None, more)

    def _notes(self, n: int, n_pairs: int) -> list[str]:
        least = 2.0 ** (1 - n) * (n_pairs if self.adjust == "holm" else 1)
        if least < self.alpha:
            return []
        return [f"With {n} data sets no difference can be: p is at least {min(1, least):.3g}."]


def _rank_sums(gaps: np.ndarray, *, zeros: str = "pratt") -> tuple[float, float]:
    """Sums of the ranks of positive and of negative differences; both 0 if all are 0."""
    if not gaps.any():
        return 0.0, 0.0
    ranks = _ranks(gaps, zeros=zeros)
    half = float(ranks[gaps == 0].sum()) / 2 if zeros == "zsplit" else 0.0
    return float(ranks[gaps > 0].sum()) + half, float(ranks[gaps < 0].sum()) + half


def _ranks(gaps: np.ndarray, *, zeros: str) -> np.ndarray:
    from scipy import stats

    if zeros == "wilcox":
        ranks = np.zeros(len(gaps))
        ranks[gaps != 0] = stats.rankdata(np.abs(gaps[gaps != 0]))
        return ranks
    return np.asarray(stats.rankdata(np.abs(gaps)))


def _p_value(gaps: np.ndarray, *, zeros: str) -> float:
    from scipy import stats

    if not gaps.any():
        return 1.0
    if np.count_nonzero(gaps) > _EXACT:
        result = stats.wilcoxon(gaps, zero_method=zeros)  # type: ignore[call-overload]  # a choice
        return min(1.0, float(result.pvalue))
    doubled = np.rint(2 * _ranks(gaps, zeros=zeros)).astype(int)  # mean ranks are halves
    doubled[gaps == 0] = 0
    plus, minus = int(doubled[gaps > 0].sum()), int(doubled[gaps < 0].sum())
    chances = np.ones(1)  # probability of each sum of positive ranks under random signs
    for rank in doubled[gaps != 0]:
        # convolve with the two equally likely signs of this rank
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    return min(1.0, 2 * float(chances[: min(plus, minus) + 1].sum()))


class BayesianSignedRank(ilk.Comparison):
    """Benavoli's Bayesian signed-rank test of each pair of pipelines, over data sets.

    The prior of the differences z_1, ..., z_N of two pipelines' scores on N data sets is a
    Dirichlet process of strength `prior` at z_0 = 0. Each posterior draw of weights
    ``(w_0, ..., w_N) ~ Dirichlet(prior, 1, ..., 1)`` gives three shares::

        right = sum_ij w_i w_j [z_i + z_j > 2 rope]
        left  = sum_ij w_i w_j [z_i + z_j < -2 rope]

    and the rest, within the rope (region of practical equivalence); sums at its edge count half
    on each side. The posterior probability that a pipeline is better, worse, or practically
    equivalent (difference within the rope) is the frequency with which that share is the largest.

    The p-value of a pair is 1 minus the larger of the probabilities that one of the two is better:
    the posterior probability that this claim is wrong. The pair is `different` if it is below
    `alpha`. Statistic and p-value of the verdict belong to the pair with the largest
    probability. There is no adjustment for the number of pairs: each statement is about one
    pair alone. The effect of a pair is its mean difference; the standardized effect is the
    rank-biserial correlation.

    Data sets on which any pipeline has no score are left out of all pairs and named in the
    verdict. The verdict does not depend on the order of the results.

    Raises
    ------
    InputError
        If there are fewer than two pipelines, fewer than two data sets on which all pipelines
        have a score, or a score is infinite.

    References
    ----------
    Benavoli, A., Mangili, F., Corani, G., Zaffalon, M. and Ruggeri, F. (2014). A Bayesian
    Wilcoxon signed-rank test based on the Dirichlet process. ICML. Benavoli, A., Corani, G.,
    Demšar, J. and Zaffalon, M. (2017). Time for a change: a tutorial for comparing multiple
    classifiers through Bayesian analysis. JMLR 18, 1-36.

    Examples
    --------
    >>> import ilk, pandas as pd
    >>> means = pd.DataFrame({"a": [0.1, 0.2, 0.1, 0.3, 0.2, 0.15],
    ...                       "b": [0.2, 0.28, 0.13, 0.35, 0.26, 0.2]})
    >>> scores = ilk.Scores(pd.DataFrame(), "error", greater_is_better=False, means=means)
    >>> verdict = ilk.comparison("bayesian_signed_rank").compare(scores)
    >>> verdict.pairs[0]["p_a_better"] > 0.99, verdict.pairs[0]["different"]
    (True, True)
    """

    rope: float = param(
        default=0.01,
        ge=0,
        lt=math.inf,
        doc="Half-width of the region of practical equivalence, in units of the measure: "
        "0.01 of an error rate is one case in a hundred. 0: no region.",
    )
    alpha: float = param(default=0.05, gt=0, lt=1, doc="1 minus the probability that decides.")
    prior: float = param(default=0.5, gt=0, lt=math.inf, doc="Strength of the prior, in data sets.")
    samples: int = param(default=50000, ge=100, doc="Draws from the posterior distribution.")
    baseline: str | None = BASELINE
    random_state: RandomState = param(default=0, type=Seed, none=True, doc="For the draws.")

    @classmethod
    def examples(cls) -> list[Self]:
        """With a rope and without."""
        return [cls(samples=5000), cls(rope=0.0, prior=1.0, alpha=0.1, samples=5000)]

    def misfit(self, resampling: Resampling, pipelines: Sequence[str]) -> str | None:
        try:
            pairs_of(self, pipelines, self.baseline)
        except ilk.InputError as error:
            return str(error)
        return None

    def compare(self, results: ilk.Scores) -> ilk.Verdict:
        self.check_parameters()
        scores, ranks, dropped = columns(self, results)
        pairs = tuple(self._pair(results, *each) for each in self._posteriors(scores))
        first = min(pairs, key=lambda pair: pair["p_value"])
        details = {
            "alpha": self.alpha,
            "rope": self.rope,
            "n_datasets": len(next(iter(scores.values()))),
            "n_pipelines": len(scores),
            "standardized": "rank-biserial correlation",
            "dropped": dropped,
        }
        verdict = ilk.Verdict(
            comparison=ilk.display_name(self),
            measure=results.measure,
            statistic=first["statistic"],
            p_value=first["p_value"],
            text="",
            ranks=ranks,
            pairs=pairs,
            details=details,
        )
        text = posterior_text(verdict) + left_out(dropped)
        return ilk.Verdict(**{**vars(verdict), "text": text})

    def _posteriors(
        self, scores: Mapping[str, np.ndarray]
    ) -> Iterator[tuple[str, str, np.ndarray, Any]]:
        """Yield each pair, its differences, and how often left, rope and right are largest."""
        pairs = pairs_of(self, list(scores), self.baseline)
        sums = [_Sums.of(scores[a], scores[b], self.rope) for a, b in pairs]
        n = len(scores[pairs[0][0]])
        for (a, b), each, won in zip(pairs, sums, self._won(sums, n), strict=True):
            yield a, b, differences(scores[a], scores[b]), each.turned_back(won)

    def _won(self, sums: Sequence[_Sums], n: int) -> np.ndarray:
        """Share of the draws in which left, rope and right are largest, by pair."""
        random = ilk.check_seed(self, self.random_state)
        won = np.zeros((len(sums), 3))
        block = max(1, _BLOCK // (n + 1))
        for start in range(0, self.samples, block):
            size = min(block, self.samples - start)
            # normalised gamma variables are Dirichlet; the same draws serve all pairs
            prior = random.gamma(self.prior, size=(1, size))
            weights = np.vstack([prior, random.standard_exponential((n, size))])
            weights /= weights.sum(axis=0)
            won += [_largest(each.shares(weights)) for each in sums]
        return won / self.samples

    def _pair(
        self, results: ilk.Scores, a: str, b: str, gaps: np.ndarray, won: np.ndarray
    ) -> dict[str, Any]:
        lower, rope, higher = map(float, won)  # position of the score of a
        p_a, p_b = (higher, lower) if results.greater_is_better else (lower, higher)
        p_value = min(1.0, max(0.0, 1 - max(p_a, p_b)))
        plus, minus = _rank_sums(gaps)
        return {
            "a": a,
            "b": b,
            "effect": float(gaps.mean()),
            "standardized": (plus - minus) / (plus + minus) if gaps.any() else 0.0,
            "statistic": max(p_a, p_b),
            "p_value": p_value,
            "different": p_value < self.alpha,
            "better": better(a, b, higher - lower, up=results.greater_is_better),
            "equivalent": rope > 1 - self.alpha,
            "p_a_better": p_a,
            "p_equivalent": rope,
            "p_b_better": p_b,
        }

    def plot(self, verdict: ilk.Verdict, ax: Axes | None = None) -> Any:
        """Draw the three probabilities of each pair as a stacked bar.

        Returns
        -------
        Axes

        Raises
        ------
        IlkError
            If matplotlib is not installed.
        """
        from ilk_evaluation.comparisons.verdict_plots import draw_probabilities

        return draw_probabilities(verdict, ax)


@dataclass(frozen=True)
class _Sums:
    """Positions at which sums of two sorted differences, with the prior's 0, leave the rope.

    The sum of the i-th and the j-th is left of the rope for j below ``left[0][i]``, at its left
    edge for j from there to below ``left[1][i]``; right of it for j from ``right[1][i]`` on.

    Of the differences and their negatives, the sorted list that compares last is used, so that
    neither the order of a pair nor the direction of the measure changes the random numbers.
    `turned` tells whether the negatives are used; None if both are the same.
    """

    place: int
    turned: bool | None
    left: tuple[np.ndarray, np.ndarray]
    right: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, first: np.ndarray, second: np.ndarray, rope: float) -> Self:
        gaps, unit = in_units(first, second)
        gaps, turned = _canonical(np.sort(gaps))
        place = int(np.searchsorted(gaps, 0.0))
        z, edge = np.insert(gaps, place, 0.0), float(np.rint(2 * rope / unit))
        return cls(
            place,
            turned,
            (np.searchsorted(z, -edge - z, "left"), np.searchsorted(z, -edge - z, "right")),
            (np.searchsorted(z, edge - z, "left"), np.searchsorted(z, edge - z, "right")),
        )

    def shares(self, weights: np.ndarray) -> np.ndarray:
        """Left, rope and right for each draw; weights have the prior's first, one column a draw."""
        at = np.r_[1 : self.place + 1, 0, self.place + 1 : len(weights)]
        w = weights[at]
        below = np.vstack([np.zeros((1, w.shape[1])), np.cumsum(w, axis=0)])
        # mean of both borders: sums at an edge count half; O(n) per draw instead of O(n^2)
        left = np.einsum("ij,ij->j", w, below[self.left[0]] + below[self.left[1]]) / 2
        right = 1 - np.einsum("ij,ij->j", w, below[self.right[0]] + below[self.right[1]]) / 2
        return np.stack([left, 1 - left - right, right])

    def turned_back(self, shares: np.ndarray) -> np.ndarray:
        """Left, rope and right for the original sign of the differences."""
        if self.turned is None:
            return np.asarray((shares + shares[::-1]) / 2)
        return shares[::-1] if self.turned else shares


def _canonical(gaps: np.ndarray) -> tuple[np.ndarray, bool | None]:
    """The later of the sorted differences and sorted negatives; and whether it is the latter."""
    negatives = -gaps[::-1]
    unlike = np.flatnonzero(gaps != negatives)
    if not unlike.size:
        return gaps, None
    turned = bool(negatives[unlike[0]] > gaps[unlike[0]])
    return (negatives if turned else gaps), turned


def _largest(shares: np.ndarray) -> np.ndarray:
    """Frequency with which each of the three shares is the largest; ties split a draw."""
    first = shares >= shares.max(axis=0) - 1e-9
    return np.asarray((first / first.sum(axis=0)).sum(axis=1))
