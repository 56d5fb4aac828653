"""Tests over the cases of a data set: McNemar's of pairs, the binomial one of an error rate."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

import ilk
from ilk import param
from ilk_evaluation.comparisons.paired_scores import names
from ilk_evaluation.comparisons.pairwise import (
    Finding,
    Found,
    MultipleTests,
    Pair,
    PairwiseComparison,
    pairs_by_dataset,
    pairs_of,
)
from ilk_evaluation.comparisons.verdict_text import below_text, list_some
from ilk_evaluation.intervals import binomial_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_REPEATING = (
    "bootstrap",
    "bootstrap_632",
    "holdout",
    "per_class",
    "random_subsampling",
    "repeated_kfold",
)
"""Resamplings with a parameter `repeats`, the number of their repeats."""


class OverCases(MultipleTests):
    """Counts right and wrong predictions of the cases of each data set, each tested once."""

    predictors = ("classifier", "detector")
    repeat: int | None = param(
        default=None,
        type=int,
        ge=0,
        doc="Repeat to use, from 0; required if there are several.",
    )

    def compare(self, results: ilk.Scores) -> ilk.Verdict:
        return super().compare(replace(results, measure="error", greater_is_better=False))

    def _repeat(self, results: ilk.Scores) -> int:
        if results.predictions is None:
            raise ilk.InputError(f"{ilk.display_name(self)}: there are no predictions, only scores")
        planned = results.table if results.sizes is None else results.sizes
        return self._chosen(results.resampling, sorted(map(int, planned["repeat"].unique())))

    def _check_resampling(self, resampling: Any) -> None:
        name = ilk.display_name(resampling)
        known = {"five_by_two": 5, "resubstitution": 1}
        if name in _REPEATING:
            known[name] = resampling.repeats + (name == "bootstrap_632")  # plus resubstitution
        if name in known:
            self._chosen(name, range(known[name]))

    def _chosen(self, resampling: str, repeats: Sequence[int]) -> int:
        name = ilk.display_name(self)
        if resampling == "resubstitution":
            raise ilk.InputError(f"{name}: resubstitution tests the cases it trains with")
        if self.repeat is None and len(repeats) > 1:
            raise ilk.InputError(
                f"{name}: cases are tested in each of the {len(repeats)} repeats of "
                f"{resampling or 'the resampling'}, which are not independent; name one "
                f"(repeat = {repeats[int(resampling == 'bootstrap_632')]})"
            )
        first = repeats[0] if repeats else 0
        wanted = first if self.repeat is None else self.repeat
        if wanted not in repeats:
            raise ilk.InputError(
                f"{name}: there is no repeat {wanted} (there are: "
                f"{list_some(list(map(str, repeats)))})"
            )
        if resampling == "bootstrap_632" and wanted == 0:
            raise ilk.InputError(
                f"{name}: repeat 0 of bootstrap_632 is resubstitution, which tests the cases it "
                f"trains with; name another"
            )
        return wanted

    def _cases(
        self, results: ilk.Scores, dataset: str, pipelines: list[str], repeat: int
    ) -> dict[str, _Cases]:
        """Correctness of the cases of a data set, for the pipelines that have all predictions."""
        assert results.predictions is not None
        by_pipeline: dict[str, dict[int, ilk.Prediction]] = {}
        for pipeline in pipelines:
            told = results.predictions(dataset, pipeline)
            by_pipeline[pipeline] = {fold: one for at, fold, one in told if at == repeat}
        planned = {fold for by_fold in by_pipeline.values() for fold in by_fold}
        if results.sizes is not None:
            mine = results.sizes["dataset"].eq(dataset) & results.sizes["repeat"].eq(repeat)
            planned |= set(map(int, results.sizes.loc[mine, "fold"]))
        cases = {
            pipeline: self._joined([by_fold[fold] for fold in sorted(by_fold)], dataset)
            for pipeline, by_fold in by_pipeline.items()
            if planned and set(by_fold) == planned
        }
        first = next(iter(cases), "")
        for pipeline, answers in cases.items():
            if not np.array_equal(answers.indices, cases[first].indices):
                raise ilk.InputError(
                    f"{ilk.display_name(self)}: {first} and {pipeline} were not tested on "
                    f"the same cases of {dataset}"
                )
        return cases

    def _joined(self, predictions: list[ilk.Prediction], dataset: str) -> _Cases:
        indices = np.concatenate([one.indices for one in predictions])
        values, counts = np.unique(indices, return_counts=True)
        if len(values) < len(indices):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: case {values[counts > 1][0]} of {dataset} is tested "
                f"{counts.max()} times; each must be tested once, as by kfold or leave_one_out"
            )
        right = np.concatenate([np.asarray(one.labels == one.truth) for one in predictions])
        return _Cases(indices, right, np.concatenate([one.answered for one in predictions]))


class McNemar(OverCases, PairwiseComparison):
    """McNemar's test of each pair of pipelines: equal error rates on the same cases.

    Of the cases that both pipelines answered, b are right by the first pipeline only and c by
    the second only. Under the null hypothesis of equal error rates, b is binomial with b + c
    trials of probability 1/2. This gives the exact test, used if b + c < `exact_below`, with the
    statistic ``min(b, c)`` and p at most 1. Otherwise the statistic is Edwards's, with continuity
    correction::

        chi2 = max(|b - c| - 1, 0)^2 / (b + c)

    with one degree of freedom. If the pipelines never differ, p = 1.

    The test uses errors, whatever the measure of the experiment. Each case must be tested once:
    by holdout, cross-validation or leave-one-out. Tests of the same case in several repeats are
    not independent, so one repeat must be named. Cases that either pipeline rejected are left out
    and counted. The conclusion holds for the pipelines as fitted on these splits, not for other
    training sets.

    Each data set is tested separately, and p-values are adjusted for all pairs on all data
    sets. The effect of a pair is the difference of its error rates, ``(c - b) / n``, with Bonett
    and Price's interval at level `alpha` (for the single pair, not adjusted); the standardized
    effect is the odds ratio b / c, or 1 if both are 0. A pair is left out on a data set, and named,
    if one of the two lacks a prediction or there is no case that both answered.

    Raises
    ------
    InputError
        If there are several repeats and none is named; a case is tested more than once, was in
        the training set, or was not tested by every pipeline; there are fewer than two pipelines,
        two of one name, no predictions, or no data set on which both of a pair have all of them.

    References
    ----------
    McNemar, Q. (1947). Note on the sampling error of the difference between correlated
    proportions or percentages. Psychometrika 12, 153-157. Edwards, A. L. (1948), Psychometrika
    13, 185-187 (the correction). Bonett, D. G. and Price, R. M. (2012). Adjusted Wald confidence
    interval for a difference of binomial proportions based on paired data. Journal of Educational
    and Behavioral Statistics 37, 479-488 (the interval).

    Examples
    --------
    >>> from ilk_evaluation import run_experiment
    >>> results = run_experiment({
    ...     "datasets": ["iris"],
    ...     "pipelines": [{"id": "1-nn", "steps": [{"classifier": {"use": "knn", "k": 1}}]},
    ...                   {"id": "means", "steps": [{"classifier": "nearest_mean"}]}],
    ...     "evaluation": {"resampling": {"use": "kfold"}, "comparisons": ["mcnemar"]},
    ... })
    >>> pair, = results.verdicts[0].pairs
    >>> pair["only_a_right"], pair["only_b_right"], round(pair["p_value"], 3)
    (8, 3, 0.227)
    """

    exact_below: int = param(
        default=25,
        ge=0,
        doc="The test is exact if fewer cases differ.",
    )
    test_name = "McNemar's test"
    measures_effect = "odds ratio"

    @classmethod
    def examples(cls) -> list[Self]:
        """Of all cases, and of one repeat, always by the chi-squared distribution."""
        return [cls(), cls(repeat=0, exact_below=0, adjust="none")]

    def _found(self, results: ilk.Scores) -> Found:
        datasets, pipelines = names(self, results)
        every = pairs_of(self, pipelines, self.baseline)
        repeat = self._repeat(results)
        cases = {name: self._cases(results, name, pipelines, repeat) for name in datasets}
        tested, dropped = pairs_by_dataset(
            self, every, datasets, lambda name, pair: _some_case(cases[name], pair)
        )
        findings = [
            self._finding(a, b, name, cases[name][a], cases[name][b])
            for name, pairs in tested.items()
            for a, b in pairs
        ]
        used = {name: len(next(iter(cases[name].values())).indices) for name in tested}
        details = {"datasets": tuple(tested), "repeat": repeat, "n_cases": used}
        return Found(findings, dropped, details, notes=_notes(findings, self.repeat))

    def _finding(self, a: str, b: str, dataset: str, of_a: _Cases, of_b: _Cases) -> Finding:
        both = of_a.answered & of_b.answered
        n = int(both.sum())
        only_a = int((of_a.right & ~of_b.right & both).sum())
        only_b = int((of_b.right & ~of_a.right & both).sum())
        statistic, p_value = mcnemar(only_a, only_b, exact_below=self.exact_below)
        odds = only_a / only_b if only_b else math.inf if only_a else 1.0
        more: dict[str, Any] = {
            "interval": _interval(only_a, only_b, n, self.alpha),
            "only_a_right": only_a,
            "only_b_right": only_b,
            "n_cases": n,
            "n_rejected": len(both) - n,
            "exact": only_a + only_b < self.exact_below,
        }
        effect = (only_b - only_a) / n
        return Finding(a, b, statistic, p_value, effect, odds, effect, dataset, more)


class ErrorBelow(OverCases):
    """Test of each pipeline: is its error probability below p0.

    Of n test cases that the pipeline answered, e are wrong. Under the null hypothesis, an error
    probability of p0 or more, at most e errors have at most the probability::

        sum_{i <= e} C(n, i) p0^i (1 - p0)^(n - i)    (method "exact", statistic e)

    For many cases the binomial distribution is nearly normal::

        z = (e / n - p0) / sqrt(p0 (1 - p0) / n),    p = Phi(z)    (method "normal", statistic z)

    Each pipeline is tested alone on each data set, one pipeline is enough, and p-values are
    adjusted for all these tests. As in `mcnemar`, errors count whatever the measure of the
    experiment, each case must be tested once, and rejected cases are left out and counted. The
    conclusion holds for the pipelines as fitted on these splits.

    In a verdict the pairs are a pipeline and the bound. The effect is ``e / n - p0``, its
    interval is that of Clopper and Pearson (for the single test, not adjusted), and the
    standardized effect is Cohen's h, ``2 asin(sqrt(e / n)) - 2 asin(sqrt(p0))``.

    Raises
    ------
    InputError
        If there are several repeats and none is named; a case is tested more than once or was in
        the training set; two pipelines have one name, or no pipeline has all its predictions and
        an answered case on any data set.

    References
    ----------
    Evaluation slides: Introduction; Error Counting Technique.

    Alpaydin, E. (2010), Introduction to Machine Learning, section 19.10 (binomial test,
    approximate normal test).

    Examples
    --------
    >>> from ilk_evaluation import run_experiment
    >>> results = run_experiment({
    ...     "datasets": ["iris"],
    ...     "pipelines": [{"id": "1-nn", "steps": [{"classifier": {"use": "knn", "k": 1}}]}],
    ...     "evaluation": {"resampling": {"use": "kfold"},
    ...                    "comparisons": [{"use": "error_below", "p0": 0.1}]},
    ... })
    >>> verdict, = results.verdicts
    >>> verdict.pairs[0]["errors"], verdict.pairs[0]["n_cases"], round(verdict.p_value, 4)
    (6, 150, 0.0056)
    >>> print(verdict.text)
    By the exact binomial test the error of 1-nn on iris (6 of 150) is below 0.1 (p = 0.0056).
    """

    p0: float = param(default=0.1, gt=0, lt=1, doc="The bound of the error probability.")
    method: Literal["exact", "normal"] = param(
        default="exact", choices=("exact", "normal"), doc="The distribution of the errors."
    )
    measures_effect = "Cohen's h"
    waivers = {
        "check_no_difference": "pipelines of equal error may both be below the bound",
        "check_one_missing_score#0": "others are tested there all the same, and count for Holm",
        "check_too_few_scores": "each pipeline is tested alone, so one is enough",
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """By either distribution."""
        return [cls(p0=0.3), cls(p0=0.3, method="normal", repeat=0, adjust="none")]

    @property
    def test_name(self) -> str:  # type: ignore[override]  # it depends on the method
        """Name of the test in a verdict."""
        return "the exact binomial test" if self.method == "exact" else "the normal test"

    def _found(self, results: ilk.Scores) -> Found:
        datasets, pipelines = names(self, results, least=1)
        repeat, bound = self._repeat(results), f"error {self.p0:g}"
        pairs = [(pipeline, bound) for pipeline in pipelines]
        cases = {name: self._cases(results, name, pipelines, repeat) for name in datasets}
        tested, dropped = pairs_by_dataset(
            self,
            pairs,
            datasets,
            lambda name, pair: pair[0] in cases[name] and bool(cases[name][pair[0]].answered.any()),
        )
        findings = [
            self._finding(pipeline, bound, name, cases[name][pipeline])
            for name, there in tested.items()
            for pipeline, _ in there
        ]
        details = {"datasets": tuple(tested), "repeat": repeat, "p0": self.p0}
        return Found(findings, dropped, details, notes=_notes(findings, self.repeat, "a pipeline"))

    def _finding(self, pipeline: str, bound: str, dataset: str, cases: _Cases) -> Finding:
        n = int(cases.answered.sum())
        errors = n - int((cases.right & cases.answered).sum())
        statistic, p_value = error_below(errors, n, self.p0, exact=self.method == "exact")
        effect = errors / n - self.p0
        inside = binomial_interval(errors, n, 1 - self.alpha)
        more = {
            "interval": (inside.lower - self.p0, inside.upper - self.p0),
            "errors": errors,
            "n_cases": n,
            "n_rejected": len(cases.right) - n,
        }
        h = 2 * math.asin(math.sqrt(errors / n)) - 2 * math.asin(math.sqrt(self.p0))
        return Finding(pipeline, bound, statistic, p_value, effect, h, effect, dataset, more)

    def _text(self, verdict: ilk.Verdict) -> str:
        return below_text(verdict, self.test_name)


def error_below(errors: int, n: int, p0: float, *, exact: bool = True) -> tuple[float, float]:
    """Return statistic and p-value of the test that an error probability is below p0."""
    from scipy.special import bdtr, ndtr

    if exact:
        return float(errors), float(bdtr(errors, n, p0))
    z = (errors / n - p0) / math.sqrt(p0 * (1 - p0) / n)
    return z, float(ndtr(z))


@dataclass(frozen=True)
class _Cases:
    """Test cases of a pipeline, which of them are correct, and which are not rejected."""

    indices: np.ndarray
    right: np.ndarray
    answered: np.ndarray


def _some_case(cases: Mapping[str, _Cases], pair: Pair) -> bool:
    """Tell whether both of a pair answered at least one case."""
    if not set(pair) <= set(cases):
        return False
    a, b = (cases[name].answered for name in pair)
    return bool((a & b).any())


def mcnemar(b: int, c: int, *, exact_below: int = 25) -> tuple[float, float]:
    """Return statistic and p-value, from the numbers of cases that only one of two got right."""
    from scipy.special import bdtr, chdtrc

    n = b + c
    if n == 0:
        return 0.0, 1.0
    if n < exact_below:
        return float(min(b, c)), min(1.0, 2 * float(bdtr(min(b, c), n, 0.5)))
    statistic = max(abs(b - c) - 1, 0) ** 2 / n
    return statistic, float(chdtrc(1, statistic))


def _interval(only_a: int, only_b: int, n: int, alpha: float) -> tuple[float, float]:
    """Confidence interval of the difference of two error rates on the same cases."""
    from scipy.special import ndtri

    p, q = (only_b + 1) / (n + 2), (only_a + 1) / (n + 2)
    reach = float(-ndtri(alpha / 2)) * math.sqrt((p + q - (p - q) ** 2) / (n + 2))
    return max(p - q - reach, -1.0), min(p - q + reach, 1.0)


def _notes(findings: list[Finding], repeat: int | None, who: str = "one of a pair") -> list[str]:
    notes = [] if repeat is None else [f"Cases are those of repeat {repeat}."]
    rejected = [one for one in findings if one.more["n_rejected"]]
    if rejected:
        most = max(int(one.more["n_rejected"]) for one in rejected)
        notes.append(f"Cases that {who} rejected are left out, up to {most}.")
    return notes
