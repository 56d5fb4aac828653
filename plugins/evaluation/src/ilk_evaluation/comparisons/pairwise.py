"""Tests of pairs of pipelines: selection of pairs, Holm's adjustment, and the verdict."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

import ilk
from ilk import param
from ilk_evaluation.comparisons.verdict_text import left_out, list_some, pairs_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

    from ilk import ArrayLike, Resampling

Pair = tuple[str, str]


ALPHA: Any = param(
    default=0.05,
    gt=0,
    lt=1,
    doc="Level at which a difference is significant.",
)


BASELINE: Any = param(
    default=None,
    type=str,
    doc="Name of a pipeline; only pairs with it are tested.",
)


@dataclass(frozen=True)
class Finding:
    """Result of the test of one pair, before p-values are adjusted.

    Attributes
    ----------
    a, b : str
    statistic, p_value : float
    effect : float
        Mean of the scores of `a` minus that of `b`.
    standardized : float
        A dimensionless effect size.
    lead : float
        Positive if `a` has the higher scores, as measured by the test.
    dataset : str or None
        None: the test is over all data sets.
    more : mapping
        Further details of the pair.
    """

    a: str
    b: str
    statistic: float
    p_value: float
    effect: float
    standardized: float
    lead: float
    dataset: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


class Found(NamedTuple):
    """Results for all pairs: findings, exclusions, details, mean ranks, notes."""

    findings: Sequence[Finding]
    dropped: tuple[str, ...] = ()
    details: Mapping[str, Any] = {}
    ranks: Mapping[str, float] = {}
    notes: Sequence[str] = ()


class MultipleTests(ilk.Comparison):
    """Runs one test for each of several pairs, and adjusts the p-values for multiple testing.

    Statistic and p-value of the verdict belong to the pair with the smallest p-value.
    """

    test_name: ClassVar[str]
    """Name of the test in a verdict."""
    measures_effect: ClassVar[str] = "Cohen's d"
    """Name of the standardized effect."""

    alpha: float = ALPHA
    adjust: str = param(
        default="holm",
        choices=("holm", "none"),
        doc="Adjustment of the p-values for multiple testing.",
    )

    @abstractmethod
    def _found(self, results: ilk.Scores) -> Found:
        """Test every pair."""

    def _text(self, verdict: ilk.Verdict) -> str:
        """The verdict in words."""
        return pairs_text(verdict, self.test_name)

    def misfit(self, resampling: Resampling, pipelines: Sequence[str]) -> str | None:
        try:
            self._check_design(resampling, pipelines)
        except ilk.InputError as error:
            return str(error)
        return None

    def _check_design(self, resampling: Resampling, pipelines: Sequence[str]) -> None:
        """Raise InputError if the test does not apply to a resampling or to pipelines."""
        self._check_resampling(resampling)

    def _check_resampling(self, resampling: Resampling) -> None:
        """Raise InputError if the test does not apply to a resampling."""

    def compare(self, results: ilk.Scores) -> ilk.Verdict:
        self.check_parameters()
        found = self._found(results)
        raw = np.array([finding.p_value for finding in found.findings])
        adjusted = holm(raw) if self.adjust == "holm" else raw
        pairs = tuple(
            _pair(finding, float(p_value), self.alpha, up=results.greater_is_better)
            for finding, p_value in zip(found.findings, adjusted, strict=True)
        )
        first = min(
            pairs, key=lambda pair: (pair["p_value"], pair["raw_p_value"], -abs(pair["statistic"]))
        )
        verdict = ilk.Verdict(
            comparison=ilk.display_name(self),
            measure=results.measure,
            statistic=first["statistic"],
            p_value=first["p_value"],
            text="",
            ranks=found.ranks,
            pairs=pairs,
            details={
                "alpha": self.alpha,
                "adjust": self.adjust,
                "n_tests": len(pairs),
                "standardized": self.measures_effect,
                "dropped": found.dropped,
                **found.details,
            },
        )
        text = self._text(verdict)
        notes = "".join(f" {note}" for note in found.notes)
        return ilk.Verdict(**{**vars(verdict), "text": text + notes + left_out(found.dropped)})

    def plot(self, verdict: ilk.Verdict, ax: Axes | None = None) -> Any:
        """Draw the difference of each pair, with its interval or the single differences.

        Returns
        -------
        Axes

        Raises
        ------
        IlkError
            If matplotlib is not installed.
        """
        from ilk_evaluation.comparisons.verdict_plots import draw_differences

        return draw_differences(verdict, ax)


class PairwiseComparison(MultipleTests):
    """Tests each pair of pipelines and adjusts the p-values for multiple testing."""

    baseline: str | None = BASELINE

    def _check_design(self, resampling: Resampling, pipelines: Sequence[str]) -> None:
        super()._check_design(resampling, pipelines)
        pairs_of(self, pipelines, self.baseline)


def pairs_of(owner: object, pipelines: Sequence[str], baseline: str | None) -> list[Pair]:
    """All pairs, or the pairs with the baseline.

    Raises
    ------
    InputError
        If the baseline is not the name of a pipeline.
    """
    if baseline is None:
        return list(combinations(pipelines, 2))
    if baseline not in pipelines:
        hint = ilk.did_you_mean(baseline, pipelines)
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: there is no pipeline {baseline!r} to be the "
            f"baseline{hint} (there are: {', '.join(pipelines)})"
        )
    return [(baseline, other) for other in pipelines if other != baseline]


def pairs_by_dataset(
    owner: object, pairs: Sequence[Pair], datasets: Sequence[str], fits: Callable[[str, Pair], bool]
) -> tuple[dict[str, list[Pair]], tuple[str, ...]]:
    """Return the pairs that can be tested on each data set, and a list of exclusions.

    Missing scores of a pipeline on a data set exclude its own pairs there, and no others.

    Parameters
    ----------
    owner : Comparison
        Named in errors.
    pairs : sequence of (str, str)
    datasets : sequence of str
    fits : function
        Whether a pair has all scores that its test on a data set needs.

    Raises
    ------
    InputError
        If no pair can be tested on any data set.
    """
    testable = {dataset: [pair for pair in pairs if fits(dataset, pair)] for dataset in datasets}
    dropped = tuple(
        one for name, fitting in testable.items() for one in _lost(name, pairs, fitting)
    )
    if not any(testable.values()):
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: there is no data set on which both pipelines of a pair "
            f"have all their scores (left out: {list_some(dropped)})"
        )
    return {dataset: fitting for dataset, fitting in testable.items() if fitting}, dropped


def _lost(dataset: str, pairs: Sequence[Pair], testable: Sequence[Pair]) -> list[str]:
    """List exclusions on a data set: the data set, pipelines without any pair, or pairs."""
    if not testable:
        return [dataset]
    tested = {name for pair in testable for name in pair}
    alone = dict.fromkeys(name for pair in pairs for name in pair if name not in tested)
    others = [pair for pair in pairs if pair not in testable and not alone.keys() & set(pair)]
    return [f"{name} on {dataset}" for name in alone] + [
        f"{a} and {b} on {dataset}" for a, b in others
    ]


def _pair(finding: Finding, p_value: float, alpha: float, *, up: bool) -> dict[str, Any]:
    where = {} if finding.dataset is None else {"dataset": finding.dataset}
    return {
        "a": finding.a,
        "b": finding.b,
        **where,
        "effect": finding.effect,
        "standardized": finding.standardized,
        "statistic": finding.statistic,
        "p_value": p_value,
        "raw_p_value": finding.p_value,
        "different": p_value < alpha,
        "better": better(finding.a, finding.b, finding.lead, up=up),
        **finding.more,
    }


def better(a: str, b: str, lead: float, *, up: bool) -> str | None:
    """Name of the better of a pair, None if they are equal.

    Parameters
    ----------
    lead : float
        Positive if `a` has the higher scores.
    up : bool
        Whether larger scores are better.
    """
    return None if lead == 0 else a if (lead > 0) == up else b


def no_spread(findings: Sequence[Finding]) -> list[str]:
    """Note the pairs whose p-value is 0 because their differences do not vary."""
    where = [
        f"{one.a} and {one.b}" + (f" on {one.dataset}" if one.dataset else "")
        for one in findings
        if math.isinf(one.statistic)
    ]
    if not where:
        return []
    return [f"The differences of {list_some(where)} do not vary: p = 0 is a limit."]


def holm(p_values: ArrayLike) -> np.ndarray:
    """Adjust the p-values of several tests by Holm's step-down method.

    With ``p_(1) <= ... <= p_(m)`` the adjusted p-values are::

        max_{j <= i} min(1, (m - j + 1) p_(j))

    Rejecting at an adjusted p-value of at most alpha keeps the family-wise error rate at most
    alpha, whatever the dependence of the tests. Adjusted p-values are never below the p-values
    nor above Bonferroni's ``m p``, and have the same order.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        In [0, 1]. May be empty.

    Returns
    -------
    ndarray of shape (m,)
        In the order of `p_values`.

    Raises
    ------
    InputError
        If they have more than one dimension, or one is not in [0, 1] (such as NaN).

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian
    Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> from ilk_evaluation import holm
    >>> [round(p, 6) for p in holm([0.01, 0.04, 0.03, 0.005]).tolist()]
    [0.03, 0.06, 0.06, 0.02]
    """
    values = np.asarray(p_values, dtype=float)
    if values.ndim != 1:
        raise ilk.InputError(f"holm: p_values must have one dimension, got shape {values.shape}")
    strange = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if strange.size:
        at = int(strange[0])
        raise ilk.InputError(
            f"holm: p_values must be from 0 to 1, got {values[at]} at position {at}"
        )
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * values[order]), 1)
    return adjusted
