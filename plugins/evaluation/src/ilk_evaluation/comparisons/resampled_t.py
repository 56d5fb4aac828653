"""Tests over the splits of a data set: corrected resampled t test and 5x2 tests."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

import ilk
from ilk import param
from ilk_evaluation.comparisons.paired_scores import (
    by_split,
    deviation,
    differences,
    limit,
    standardized,
)
from ilk_evaluation.comparisons.pairwise import Finding, Found, PairwiseComparison, no_spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from ilk import Resampling

_UNFIT = {
    "bootstrap": "training cases are drawn with replacement",
    "bootstrap_632": "training cases are drawn with replacement",
    "resubstitution": "it tests the cases it trains with",
}

_SCHEMES = ("five_by_two", "repeated_kfold", "")


class CorrectedResampledT(PairwiseComparison):
    """Nadeau and Bengio's corrected resampled t test of each pair of pipelines.

    The scores of J splits of one data set are dependent, because their training sets overlap; a
    plain t test then finds differences too often. Let m and s^2 be mean and variance (with J - 1
    degrees of freedom) of the differences of two pipelines' scores. The statistic::

        t = m / sqrt((1/J + n_test / n_train) s^2)

    is compared with the t distribution with J - 1 degrees of freedom. The test was designed for
    random subsampling and is also used for repeated cross-validation. The ratio n_test / n_train
    is the mean over the splits of the data set.

    Each data set is tested separately, and p-values are adjusted for all pairs on all data
    sets. The effect of a pair is m, with its interval at level `alpha` (for the single pair, not
    adjusted), standardized as m / s (Cohen's d). For two equal pipelines the statistic is 0
    and p = 1; if all differences are equal, but not 0, p is its limit, 0, which the verdict
    notes. A pipeline that lacks a score on a data set is left out there, and named.

    Raises
    ------
    InputError
        If there is only one split, the resampling is a bootstrap or resubstitution, sizes of
        splits are unknown, there are fewer than two pipelines, no data set on which both of a pair
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

    ratio: float | None = param(
        default=None,
        type=float,
        gt=0,
        lt=math.inf,
        doc="n_test / n_train; computed from the splits if left out.",
    )
    test_name = "the corrected resampled t test"

    @classmethod
    def examples(cls) -> list[Self]:
        """With the sizes of the splits, and with a given ratio."""
        return [cls(), cls(ratio=0.25, adjust="none", alpha=0.01)]

    def _check_resampling(self, resampling: Resampling) -> None:
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
        from scipy.special import stdtr, stdtrit

        n, mean = len(gaps), float(gaps.mean())
        error = math.sqrt(1 / n + ratio) * deviation(gaps)
        statistic = limit(mean, error)
        reach = float(-stdtrit(n - 1, self.alpha / 2)) * error
        more = {"interval": (mean - reach, mean + reach)}
        p_value = float(2 * stdtr(n - 1, -abs(statistic)))
        return Finding(a, b, statistic, p_value, mean, standardized(gaps), mean, dataset, more)

    def _ratio(self, results: ilk.Scores, dataset: str, table: pd.DataFrame) -> float:
        """Return the ratio of test to training cases over the splits of a data set."""
        if self.ratio is not None:
            return self.ratio
        ratio = math.nan
        if results.sizes is not None:
            sizes = results.sizes[results.sizes["dataset"] == dataset]
            sizes = sizes.set_index(["repeat", "fold"]).reindex(table.index)
            ratio = float((sizes["n_test"] / sizes["n_train"]).mean(skipna=False))
        if math.isnan(ratio):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: the sizes of the splits of {dataset} are not known; "
                f"give ratio, test cases per training case"
            )
        return ratio


class _FiveByTwo(PairwiseComparison):
    """Base of tests on the ten differences of five repeats of two-fold cross-validation."""

    degrees: ClassVar[int | tuple[int, int]]

    @classmethod
    def examples(cls) -> list[Self]:
        """At two levels, with and without correction."""
        return [cls(), cls(alpha=0.1, adjust="none")]

    @abstractmethod
    def _test(self, gaps: np.ndarray) -> tuple[float, float]:
        """Return statistic and p-value of differences of shape (repeats, folds)."""

    def _found(self, results: ilk.Scores) -> Found:
        self._check_scheme(results.resampling)
        tested, dropped = by_split(self, results, self.baseline)
        findings = []
        for dataset, (table, pairs) in tested.items():
            self._check_shape(results.resampling, table)
            values = {str(name): column.to_numpy(float) for name, column in table.items()}
            for a, b in pairs:
                gaps = differences(values[a], values[b])
                findings.append(self._finding(a, b, dataset, gaps))
        details = {"datasets": tuple(tested), "degrees_of_freedom": self.degrees}
        return Found(findings, dropped, details, notes=no_spread(findings))

    def _finding(self, a: str, b: str, dataset: str, gaps: np.ndarray) -> Finding:
        statistic, p_value = self._test(gaps.reshape(5, 2))
        more = {"differences": gaps.tolist()}
        mean = float(gaps.mean())
        return Finding(a, b, statistic, p_value, mean, standardized(gaps), mean, dataset, more)

    def _check_resampling(self, resampling: Resampling) -> None:
        name = ilk.display_name(resampling)
        self._check_scheme(name)
        folds, repeats = getattr(resampling, "folds", 2), getattr(resampling, "repeats", 5)
        if (folds, repeats) != (2, 5):
            raise self._unfit(f"{name} with folds = {folds} and repeats = {repeats}")

    def _check_scheme(self, resampling: str) -> None:
        if resampling not in _SCHEMES:
            raise self._unfit(resampling)

    def _check_shape(self, resampling: str, table: pd.DataFrame) -> None:
        repeats = table.index.get_level_values("repeat")
        sizes = [int(n) for n in repeats.value_counts()]
        if sizes != [2] * 5:
            folds: Sequence[int] = sorted(set(sizes))
            raise self._unfit(
                f"{resampling or 'scores'} with {len(sizes)} repeat"
                f"{'s' * (len(sizes) != 1)} of {' or '.join(map(str, folds))} folds"
            )

    def _unfit(self, got: str) -> ilk.InputError:
        return ilk.InputError(
            f"{ilk.display_name(self)}: needs 5 repeats of 2-fold cross-validation (the "
            f"resampling five_by_two, or repeated_kfold with folds = 2 and repeats = 5), "
            f"got {got}"
        )


class PairedT5x2(_FiveByTwo):
    """Dietterich's paired t test of each pair of pipelines, by 5x2 cross-validation.

    Let ``p_ij`` be the difference of the two pipelines' scores in repeat i and fold j, and
    ``s_i^2 = (p_i1 - p_i2)^2 / 2`` the variance in repeat i. Then::

        t = p_11 / sqrt(1/5 sum_i s_i^2)

    has approximately a t distribution with 5 degrees of freedom under the null hypothesis. The
    numerator uses only the first of the ten differences, so the order of the splits matters, and
    the mean difference may have the other sign; `f_5x2` uses all ten and has more power.

    Each data set is tested separately, and p-values are adjusted for all pairs on all data
    sets. The effect of a pair is its mean difference, standardized by the standard deviation of
    the ten differences (Cohen's d). If ``p_11 = 0`` the statistic is 0 and p = 1, also for two
    equal pipelines; if the differences of each repeat are equal, but not 0, p is its limit, 0,
    which the verdict notes. A pipeline that lacks a score on a data set is left out there, and
    named.

    Raises
    ------
    InputError
        If the resampling is not 5x2 cross-validation, there are fewer than two pipelines, no data
        set on which both of a pair have all scores, the measure is pooled, or a score is infinite.

    References
    ----------
    Dietterich, T. G. (1998). Approximate statistical tests for comparing supervised classification
    learning algorithms. Neural Computation 10, 1895-1923.

    Evaluation slides: Introduction; 5 x 2 Cross-Validation.

    Examples
    --------
    >>> import ilk, pandas as pd
    >>> a = [0.20, 0.22, 0.19, 0.21, 0.23, 0.20, 0.22, 0.21, 0.20, 0.24]
    >>> b = [0.30, 0.28, 0.27, 0.33, 0.29, 0.31, 0.30, 0.27, 0.32, 0.30]
    >>> rows = [("d", p, i // 2, i % 2, v) for p, s in zip("ab", (a, b)) for i, v in enumerate(s)]
    >>> table = pd.DataFrame(rows, columns=["dataset", "pipeline", "repeat", "fold", "value"])
    >>> scores = ilk.Scores(table, "error", greater_is_better=False, resampling="five_by_two")
    >>> verdict = ilk.comparison("paired_t_5x2").compare(scores)
    >>> round(verdict.statistic, 3), round(verdict.p_value, 3)
    (-3.211, 0.024)
    """

    test_name = "the 5x2 paired t test"
    degrees = 5

    def _test(self, gaps: np.ndarray) -> tuple[float, float]:
        from scipy.special import stdtr

        statistic = limit(float(gaps[0, 0]), float(np.sqrt(np.mean(_variances(gaps)))))
        return statistic, float(2 * stdtr(5, -abs(statistic)))


class F5x2(_FiveByTwo):
    """Alpaydin's combined F test of each pair of pipelines, by 5x2 cross-validation.

    Let ``p_ij`` be the difference of the two pipelines' scores in repeat i and fold j, and
    ``s_i^2 = (p_i1 - p_i2)^2 / 2`` the variance in repeat i. Then::

        f = sum_ij p_ij^2 / (2 sum_i s_i^2)

    has approximately an F distribution with 10 and 5 degrees of freedom under the null
    hypothesis. Unlike in `paired_t_5x2`, the order of the splits does not matter.

    Each data set is tested separately, and p-values are adjusted for all pairs on all data
    sets. The effect of a pair is its mean difference, standardized by the standard deviation of
    the ten differences (Cohen's d). For two equal pipelines the statistic is 0 and p = 1; if the
    differences of each repeat are equal, but not all 0, p is its limit, 0, which the verdict
    notes. A pipeline that lacks a score on a data set is left out there, and named.

    Raises
    ------
    InputError
        If the resampling is not 5x2 cross-validation, there are fewer than two pipelines, no data
        set on which both of a pair have all scores, the measure is pooled, or a score is infinite.

    References
    ----------
    Alpaydin, E. (1999). Combined 5x2 cv F test for comparing supervised classification learning
    algorithms. Neural Computation 11, 1885-1892.

    Examples
    --------
    >>> import ilk, pandas as pd
    >>> a = [0.20, 0.22, 0.19, 0.21, 0.23, 0.20, 0.22, 0.21, 0.20, 0.24]
    >>> b = [0.30, 0.28, 0.27, 0.33, 0.29, 0.31, 0.30, 0.27, 0.32, 0.30]
    >>> rows = [("d", p, i // 2, i % 2, v) for p, s in zip("ab", (a, b)) for i, v in enumerate(s)]
    >>> table = pd.DataFrame(rows, columns=["dataset", "pipeline", "repeat", "fold", "value"])
    >>> scores = ilk.Scores(table, "error", greater_is_better=False, resampling="five_by_two")
    >>> verdict = ilk.comparison("f_5x2").compare(scores)
    >>> round(verdict.statistic, 3), round(verdict.p_value, 3)
    (8.052, 0.016)
    """

    test_name = "the 5x2 F test"
    degrees = (10, 5)

    def _test(self, gaps: np.ndarray) -> tuple[float, float]:
        from scipy.special import fdtrc

        statistic = limit(float(np.sum(gaps**2)), float(2 * np.sum(_variances(gaps))))
        return statistic, float(fdtrc(10, 5, statistic))


def _variances(gaps: np.ndarray) -> np.ndarray:
    """Variance of the two differences of each repeat; exactly 0 if they are equal."""
    return np.asarray((gaps[:, 0] - gaps[:, 1]) ** 2 / 2)
