"""Wilcoxon's signed-rank test of pairs of pipelines, over data sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from scipy import stats

import ilk
from ilk import Param
from ilk_evaluation.comparisons.complete import columns
from ilk_evaluation.comparisons.differences import differences
from ilk_evaluation.comparisons.pairwise import Finding, Found, PairwiseComparison, pairs_of

_EXACT = 50  # differences that are not 0, up to which p-values are exact


class Wilcoxon(PairwiseComparison):
    """Wilcoxon's signed-rank test of each pair of pipelines, over data sets.

    The differences of the two pipelines' scores on N data sets are ranked by their size, ties
    share the mean rank; R+ and R- are the sums of the ranks of positive and of negative ones.
    The statistic is ``T = min(R+, R-)``. Its p-value is exact for up to 50 differences that are
    not 0, also with ties and zeros: the signs of the differences are random, their sizes as they
    are. For more it is the normal approximation. Differences that are equal to twelve digits of
    the scores are ties.

    Data sets without a difference, by `zeros`: ``"pratt"`` ranks them, and leaves their ranks
    out of both sums; ``"zsplit"`` gives half of their ranks to each sum (Demšar's way);
    ``"wilcox"`` leaves them out before ranking. Two equal pipelines get p = 1.

    The effect of a pair is its mean difference; the standardized one the rank-biserial
    correlation, ``(R+ - R-) / (R+ + R-)``. Data sets on which any pipeline has no score are left
    out of all pairs, and the verdict says which. With n data sets p cannot be below
    ``2^(1 - n)``: the verdict says so if nothing can be significant.

    Parameters
    ----------
    alpha : float, default=0.05
    adjust : {"holm", "none"}, default="holm"
    baseline : str, optional
        Name of a pipeline; only pairs with it are tested.
    zeros : {"pratt", "zsplit", "wilcox"}, default="pratt"

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

    parameters: ClassVar[Mapping[str, Param]] = {
        **PairwiseComparison.parameters,
        "zeros": Param(
            choices=("pratt", "zsplit", "wilcox"), doc="What becomes of differences that are 0."
        ),
    }
    said = "Wilcoxon's signed-rank test"
    measures_effect = "rank-biserial correlation"

    def __init__(
        self,
        alpha: float = 0.05,
        adjust: str = "holm",
        baseline: str | None = None,
        zeros: str = "pratt",
    ) -> None:
        super().__init__(alpha, adjust, baseline)
        self.zeros = zeros

    @classmethod
    def examples(cls) -> list[Self]:
        """With each way to treat zeros."""
        return [cls(), cls(zeros="zsplit", alpha=0.1), cls(zeros="wilcox", adjust="none")]

    def _found(self, results: ilk.Scores) -> Found:
        scores, ranks, dropped = columns(self, results)
        pairs = pairs_of(self, list(scores), self.baseline)
        findings = [self._finding(a, b, differences(scores[a], scores[b])) for a, b in pairs]
        n = len(next(iter(scores.values())))
        details = {"n_datasets": n, "n_pipelines": len(scores), "zeros": self.zeros}
        return Found(findings, dropped, details, ranks, self._notes(n, len(pairs)))

    def _finding(self, a: str, b: str, gaps: np.ndarray) -> Finding:
        plus, minus = rank_sums(gaps, zeros=self.zeros)
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


def rank_sums(gaps: np.ndarray, *, zeros: str = "pratt") -> tuple[float, float]:
    """Sums of the ranks of positive and of negative differences; both 0 if all are 0."""
    if not gaps.any():
        return 0.0, 0.0
    ranks = _ranks(gaps, zeros=zeros)
    half = float(ranks[gaps == 0].sum()) / 2 if zeros == "zsplit" else 0.0
    return float(ranks[gaps > 0].sum()) + half, float(ranks[gaps < 0].sum()) + half


def _ranks(gaps: np.ndarray, *, zeros: str) -> np.ndarray:
    if zeros == "wilcox":
        ranks = np.zeros(len(gaps))
        ranks[gaps != 0] = stats.rankdata(np.abs(gaps[gaps != 0]))
        return ranks
    return np.asarray(stats.rankdata(np.abs(gaps)))


def _p_value(gaps: np.ndarray, *, zeros: str) -> float:
    if not gaps.any():
        return 1.0
    if np.count_nonzero(gaps) > _EXACT:
        found = stats.wilcoxon(gaps, zero_method=zeros)  # type: ignore[call-overload]  # a choice
        return min(1.0, float(found.pvalue))
    doubled = np.rint(2 * _ranks(gaps, zeros=zeros)).astype(int)  # mean ranks are halves
    doubled[gaps == 0] = 0
    plus, minus = int(doubled[gaps > 0].sum()), int(doubled[gaps < 0].sum())
    chances = np.ones(1)  # of each sum of the positive ones, if signs are by chance
    for rank in doubled[gaps != 0]:
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    return min(1.0, 2 * float(chances[: min(plus, minus) + 1].sum()))
