"""Nadeau and Bengio's t test of pairs of pipelines, over the splits of a data set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from scipy.special import stdtr, stdtrit

import ilk
from ilk import Param
from ilk_evaluation.comparisons.differences import deviation, differences, limit, standardized
from ilk_evaluation.comparisons.pairwise import Finding, Found, PairwiseComparison
from ilk_evaluation.comparisons.splits import by_split
from ilk_evaluation.comparisons.wording import no_spread

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

_UNFIT = {
    "bootstrap": "training cases are drawn with replacement",
    "bootstrap_632": "training cases are drawn with replacement",
    "resubstitution": "it tests the cases it trains with",
}


class CorrectedResampledT(PairwiseComparison):
    """Nadeau and Bengio's corrected resampled t test of each pair of pipelines.

    The scores of J splits of one data set depend on each other, as their training cases are
    partly the same, and a plain t test finds differences where there are none. With mean m and
    variance s^2 (of J - 1 degrees of freedom) of the differences of two pipelines' scores::

        t = m / sqrt((1/J + n_test / n_train) s^2)

    is referred to the t distribution of J - 1 degrees of freedom. It was made for random
    subsampling and is in use for repeated cross-validation, too. The share n_test / n_train is
    the mean over the splits of the data set.

    Each data set is tested on its own, and p-values are corrected for all pairs on all data
    sets. The effect of a pair is m, with its interval at level `alpha` (of the pair alone, not
    corrected), standardized as m / s (Cohen's d). For two equal pipelines the statistic is 0
    and p = 1; where all differences are equal, but not 0, p is its limit, 0, and the verdict
    says so. A pipeline that lacks a score on a data set is left out there, and named.

    Parameters
    ----------
    alpha : float, default=0.05
    adjust : {"holm", "none"}, default="holm"
    baseline : str, optional
        Name of a pipeline; only pairs with it are tested.
    ratio : float, optional
        n_test / n_train; what the splits had if left out.

    Raises
    ------
    InputError
        If there is one split only, the resampling is a bootstrap or resubstitution, sizes of
        splits are not known, there are fewer than two pipelines, on no data set both of a pair
        have all scores, the measure is pooled, or a score is infinite.

    References
    ----------
    Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning
    52, 239-281. Bouckaert, R. R. and Frank, E. (2004). Evaluating the replicability of
    significance tests for comparing learning algorithms. PAKDD, 3-12.

    Examples
    --------
    >>> import ilk, pandas as pd
    >>> pairs = [(0.20, 0.25), (0.22, 0.24), (0.19, 0.26), (0.21, 0.25)]
    >>> rows = [("d", "ab"[j], i, 0, v) for i, pair in enumerate(pairs) for j, v in enumerate(pair)]
    >>> table = pd.DataFrame(rows, columns=["dataset", "pipeline", "repeat", "fold", "value"])
    >>> scores = ilk.Scores(table, "error", greater_is_better=False)
    >>> verdict = ilk.comparison("corrected_resampled_t", ratio=0.5).compare(scores)
    >>> round(verdict.statistic, 3), round(verdict.p_value, 3)
    (-2.496, 0.088)
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        **PairwiseComparison.parameters,
        "ratio": Param(float, gt=0, lt=math.inf, none=True, doc="Test cases per training case."),
    }
    said = "the corrected resampled t test"

    def __init__(
        self,
        alpha: float = 0.05,
        adjust: str = "holm",
        baseline: str | None = None,
        ratio: float | None = None,
    ) -> None:
        super().__init__(alpha, adjust, baseline)
        self.ratio = ratio

    @classmethod
    def examples(cls) -> list[Self]:
        """With the sizes of the splits, and with a given ratio."""
        return [cls(), cls(ratio=0.25, adjust="none", alpha=0.01)]

    def _check_resampling(self, resampling: Any) -> None:
        self._check_scheme(ilk.display_name(resampling))

    def _check_scheme(self, resampling: str) -> None:
        if resampling in _UNFIT:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: does not fit the resampling {resampling}: "
                f"{_UNFIT[resampling]}; take random_subsampling or repeated_kfold"
            )

    def _found(self, results: ilk.Scores) -> Found:
        name = ilk.display_name(self)
        self._check_scheme(results.resampling)
        tested, dropped = by_split(self, results, self.baseline)
        findings, ratios = [], {}
        for dataset, (table, pairs) in tested.items():
            if len(table) < 2:
                raise ilk.InputError(f"{name}: needs at least 2 splits of {dataset}, got 1")
            ratios[dataset] = self._ratio(results, dataset, table)
            values = {str(name): column.to_numpy(float) for name, column in table.items()}
            for a, b in pairs:
                gaps = differences(values[a], values[b])
                findings.append(self._finding(a, b, dataset, gaps, ratios[dataset]))
        details = {
            "datasets": tuple(tested),
            "degrees_of_freedom": {dataset: len(one[0]) - 1 for dataset, one in tested.items()},
            "ratios": ratios,
        }
        return Found(findings, dropped, details, notes=no_spread(findings))

    def _finding(self, a: str, b: str, dataset: str, gaps: np.ndarray, ratio: float) -> Finding:
        n, mean = len(gaps), float(gaps.mean())
        error = math.sqrt(1 / n + ratio) * deviation(gaps)
        statistic = limit(mean, error)
        reach = float(-stdtrit(n - 1, self.alpha / 2)) * error
        more = {"interval": (mean - reach, mean + reach)}
        p_value = float(2 * stdtr(n - 1, -abs(statistic)))
        return Finding(a, b, statistic, p_value, mean, standardized(gaps), mean, dataset, more)

    def _ratio(self, results: ilk.Scores, dataset: str, table: pd.DataFrame) -> float:
        """Return test cases per training case of the splits of a data set."""
        if self.ratio is not None:
            return self.ratio
        found = math.nan
        if results.sizes is not None:
            sizes = results.sizes[results.sizes["dataset"] == dataset]
            sizes = sizes.set_index(["repeat", "fold"]).reindex(table.index)
            found = float((sizes["n_test"] / sizes["n_train"]).mean(skipna=False))
        if math.isnan(found):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: the sizes of the splits of {dataset} are not known; "
                f"give ratio, test cases per training case"
            )
        return found
