"""Friedman's test over data sets, and Nemenyi's test for each pair of pipelines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import ilk
from ilk import param
from ilk_evaluation.comparisons.paired_scores import complete
from ilk_evaluation.comparisons.pairwise import ALPHA, better
from ilk_evaluation.comparisons.verdict_text import friedman_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes


class FriedmanNemenyi(ilk.Comparison):
    """Friedman's test (Iman-Davenport's F) over data sets, then Nemenyi's for each pair.

    On each of N data sets the k pipelines are ranked, 1 is best, ties share the mean rank;
    R_j is the mean rank of pipeline j. Friedman's statistic is::

        chi2_F = 12 N / (k (k + 1)) * (sum_j R_j^2 - k (k + 1)^2 / 4)

    divided, with `correct_ties`, by ``1 - sum (t^3 - t) / (N (k^3 - k))`` over the groups of t
    tied ranks. The verdict's statistic is Iman and Davenport's, which is less conservative::

        F_F = (N - 1) chi2_F / (N (k - 1) - chi2_F)

    with k - 1 and (k - 1)(N - 1) degrees of freedom. For few data sets this distribution is
    inaccurate: if all N rank alike, F_F is infinite, although this happens by chance with
    probability ``k!^(1 - N)``. So p is at least the probability of the observed ranks under random
    orders of the pipelines, with each data set's ties fixed: for two pipelines and four data sets,
    1/8. If p is this probability, the verdict says "exact p", and ``details["exact"]`` is true.

    If the statistic is significant at `alpha`, two pipelines differ if the difference of their
    mean ranks exceeds the critical difference::

        CD = q_alpha sqrt(k (k + 1) / (6 N))

    with q_alpha the quantile of the studentized range of k means and infinitely many degrees
    of freedom, divided by sqrt(2). If all ranks are tied, the statistic is 0 and p = 1. The
    details give Kendall's ``W = chi2_F / (N (k - 1))`` as an effect size, which is 1 if all data
    sets rank alike; the effect size of a pair is the difference of its mean ranks.

    Data sets on which a pipeline has no score (failed cells) are left out and named in the
    verdict. Two pipelines are accepted: for large N this is a sign test, which has less power
    than Wilcoxon's test.

    Raises
    ------
    InputError
        If there are fewer than two pipelines, or fewer than two data sets on which all
        pipelines have a score.

    References
    ----------
    Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. JMLR 7,
    1-30. Iman, R. L. and Davenport, J. M. (1980). Approximations of the critical region of
    the Friedman statistic. Communications in Statistics 9, 571-595.

    Examples
    --------
    >>> import ilk, pandas as pd
    >>> means = pd.DataFrame({"a": [0.1, 0.2, 0.1, 0.3], "b": [0.2, 0.3, 0.4, 0.4]})
    >>> scores = ilk.Scores(pd.DataFrame(), "error", greater_is_better=False, means=means)
    >>> verdict = ilk.comparison("friedman_nemenyi").compare(scores)
    >>> verdict.ranks, verdict.details["chi2"]
    ({'a': 1.0, 'b': 2.0}, 4.0)
    """

    alpha: float = ALPHA
    correct_ties: bool = param(
        default=True,
        doc="Divide by the correction for ties; Demšar's printed formula has none.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """At two levels, with and without the correction."""
        return [cls(), cls(alpha=0.1, correct_ties=False)]

    def compare(self, results: ilk.Scores) -> ilk.Verdict:
        self.check_parameters()
        matrix, dropped = complete(self, results)
        pipelines = [str(name) for name in matrix.columns]
        ranks = ilk.rank_rows(matrix, greater_is_better=results.greater_is_better)
        test = friedman(ranks, correct_ties=self.correct_ties)
        q = range_quantile(self.alpha, len(pipelines)) / math.sqrt(2)
        average = dict(zip(pipelines, map(float, ranks.mean(axis=0)), strict=True))
        verdict = ilk.Verdict(
            comparison=ilk.display_name(self),
            measure=results.measure,
            statistic=test.f,
            p_value=test.p_value,
            text="",
            ranks=average,
            pairs=self._pairs(average, test),
            details={
                "alpha": self.alpha,
                "n_datasets": test.n,
                "n_pipelines": test.k,
                "chi2": test.chi2,
                "kendall_w": test.chi2 / (test.n * (test.k - 1)),
                "chi2_p_value": chi2_above(test.k - 1, test.chi2),
                "degrees_of_freedom": test.degrees,
                "exact": test.exact,
                "q": q,
                "critical_difference": q * test.standard_error,
                "dropped": dropped,
            },
        )
        return ilk.Verdict(**{**vars(verdict), "text": friedman_text(verdict)})

    def _pairs(self, ranks: Mapping[str, float], test: Friedman) -> tuple[dict[str, Any], ...]:
        significant = test.p_value < self.alpha
        pairs = []
        for a, b in combinations(ranks, 2):
            effect = ranks[a] - ranks[b]
            width = abs(effect) / test.standard_error * math.sqrt(2)
            p_value = range_above(width, test.k)
            different = significant and p_value < self.alpha
            pairs.append(
                {
                    "a": a,
                    "b": b,
                    "effect": effect,
                    "p_value": p_value,
                    "different": different,
                    "better": better(a, b, effect, up=False),
                }
            )
        return tuple(pairs)

    def plot(self, verdict: ilk.Verdict, ax: Axes | None = None) -> Any:
        """Draw the critical difference diagram; returns the matplotlib axes.

        Raises
        ------
        IlkError
            If matplotlib is not installed.
        """
        from ilk_evaluation.comparisons.verdict_plots import draw_critical_difference_diagram

        return draw_critical_difference_diagram(verdict, ax)


def range_above(q: float, k: int) -> float:
    """Probability that the range of k standard normal values exceeds q.

    It is one minus the integral of ``k phi(z) (Phi(z) - Phi(z - q))^(k - 1)`` over the largest
    value z: smooth, so that a sum over a grid has an error of 1e-14. Like the tails below it does
    without scipy, whose import takes longer than all of a comparison.
    """
    z, step = np.linspace(-9, 9, 577, retstep=True)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    within = k * step * np.sum(density * (_normal_below(z) - _normal_below(z - q)) ** (k - 1))
    return max(1 - float(within), 0.0)


def _normal_below(z: np.ndarray) -> np.ndarray:
    tails = map(math.erfc, (z * -math.sqrt(0.5)).tolist())
    return np.fromiter(tails, float, len(z)) / 2


def chi2_above(degrees: int, value: float) -> float:
    """Probability that a chi-square variable exceeds a value: a finite sum of positive terms."""
    half = value / 2
    if half <= 0:
        return 1.0
    powers = [degrees % 2 / 2 + i for i in range(degrees // 2)]
    terms = [math.exp(a * math.log(half) - half - math.lgamma(a + 1)) for a in powers]
    return math.fsum([math.erfc(math.sqrt(half)) if degrees % 2 else 0.0, *terms])


def f_above(above: int, below: int, value: float) -> float:
    """Probability that an F variable of these degrees of freedom exceeds a value."""
    if math.isinf(value):
        return 0.0
    total = below + above * value
    return _beta_below(below / total, above * value / total, below / 2, above / 2)


def _beta_below(x: float, y: float, a: float, b: float) -> float:
    """Regularized incomplete beta function at x = 1 - y, by its continued fraction."""
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly
        return 1 - _beta_below(y, x, b, a)
    if x <= 0:
        return 0.0
    upper, lower = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value, m, change = lower, 0, 0.0
    while abs(change - 1) > 1e-15:
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for part in (even, odd):
            upper, lower = 1 + part / upper, 1 / (1 + part * lower)
            change *= upper * lower
        value *= change
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return value * math.exp(a * math.log(x) + b * math.log(y) + scale) / a


def range_quantile(alpha: float, k: int) -> float:
    """The q that the range of k standard normal values exceeds with probability `alpha`."""
    low, high = 0.0, 64.0
    for _ in range(60):  # halvings, to the last digits of a number below 64
        middle = (low + high) / 2
        low, high = (middle, high) if range_above(middle, k) > alpha else (low, middle)
    return high


@dataclass(frozen=True)
class Friedman:
    """Friedman's statistics of n rows of k ranks."""

    n: int
    k: int
    chi2: float
    least: float  # probability of these ranks under random orders of the pipelines

    @property
    def degrees(self) -> tuple[int, int]:
        """Degrees of freedom of F."""
        return self.k - 1, (self.k - 1) * (self.n - 1)

    @property
    def f(self) -> float:
        """Iman and Davenport's F; infinite if all data sets rank alike."""
        rest = self.n * (self.k - 1) - self.chi2
        return (self.n - 1) * self.chi2 / rest if rest > 1e-9 else math.inf

    @property
    def p_value(self) -> float:
        """Probability of an F at least as large under the null hypothesis; at least `least`."""
        return max(self._by_f, self.least)

    @property
    def exact(self) -> bool:
        """Whether the p-value is the exact probability `least` instead of that of F."""
        return self.least > self._by_f

    @property
    def _by_f(self) -> float:
        return f_above(*self.degrees, self.f)

    @property
    def standard_error(self) -> float:
        """Standard error of the difference of two mean ranks, over sqrt(2) as in Nemenyi."""
        return math.sqrt(self.k * (self.k + 1) / (6 * self.n))


def friedman(ranks: np.ndarray, *, correct_ties: bool) -> Friedman:
    """Return Friedman's statistics of ranks, data sets by pipelines."""
    n, k = ranks.shape
    spread = float(np.sum((ranks.mean(axis=0) - (k + 1) / 2) ** 2))
    statistic = 12 * n / (k * (k + 1)) * spread
    if correct_ties:
        tied = sum(_tied(row) for row in ranks)
        # share of the rank variance that is left by ties; 0 if all ranks tie
        share = 1 - tied / (n * (k**3 - k))
        statistic = statistic / share if share > 1e-9 else 0.0
    return Friedman(n, k, statistic, _least(ranks))


def _least(ranks: np.ndarray) -> float:
    """Probability of this table under random orders of each row, up to order of the columns."""
    rows = sum(_log_orders(np.unique(row, return_counts=True)[1]) for row in ranks)
    columns = np.unique(ranks, axis=1, return_counts=True)[1]
    return min(1.0, math.exp(_log_orders(columns) - rows))


def _log_orders(counts: np.ndarray) -> float:
    """Log of the number of distinct orders, given the sizes of groups of equal items."""
    return math.lgamma(counts.sum() + 1) - math.fsum(math.lgamma(count + 1) for count in counts)


def _tied(row: np.ndarray) -> float:
    counts = np.unique(row, return_counts=True)[1].astype(float)
    return float(np.sum(counts**3 - counts))
