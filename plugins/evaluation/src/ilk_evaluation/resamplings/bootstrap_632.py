"""The .632 and .632+ bootstraps: resubstitution and bootstrap, weighed against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Param
from ilk_evaluation.resamplings.bootstrap import bootstrap_units, samples
from ilk_evaluation.resamplings.resubstitution import whole

_OUT = 0.632


class Bootstrap632(ilk.Resampling):
    """The .632 bootstrap: resubstitution is too good and the bootstrap too bad, so both count.

    The first split is that of `resubstitution`, with score s0; the others are those of
    `bootstrap`, whose scores have the mean s1. The estimate is::

        0.368 s0 + 0.632 s1

    For rules that fit anything s0 tells nothing: 1-NN has s0 = 0 where the truth is a coin, and
    the estimate is 0.632 * 0.5 = 0.316. With ``plus`` it is the .632+ estimate::

        (1 - w) s0 + w s1',   w = 0.632 / (1 - 0.368 R),   R = (s1' - s0) / (g - s0)

    where g is the no-information rate, the score if predictions had nothing to do with the truth,
    and s1' = min(s1, g) (max, of measures of which greater is better). The relative overfitting
    rate R is 0 if s1' is no worse than s0, or g is not worse; so it is within 0 and 1, w is
    within 0.632 and 1, and the estimate lies between s0 and s1'.

    Parameters
    ----------
    repeats : int, default=50
        How many samples are drawn.
    stratify : bool, default=False
        Whether as many cases as there are of each class are drawn from it.
    plus : bool, default=False
        Whether the estimate is .632+.

    Raises
    ------
    InputError
        As of `bootstrap`; from `estimate`, if scores are not those of all splits or the .632+
        estimate is wanted where nobody tells the no-information rate, as in inner resampling.

    Notes
    -----
    s1 is the mean of the scores of the samples, which works for every measure. Efron and
    Tibshirani's average over cases, which measures by case alone have, differs little.

    g is the mean of the measure over cyclic pairings of the true labels with the predictions of
    the resubstitution split: over all n of them, which for measures that are means over cases is
    their mean over all n^2 pairs; of more than 1000 cases over 1000 pairings, evenly spaced.

    Where a pipeline's classifier is `tuned`, its inner resampling keeps the copies of a case
    together, as with `bootstrap`.

    The spread beside an estimate is that of the scores of the samples; resubstitution is none.

    The printed .632+ rule has s1' in its correction, but s1 in the .632 estimate that is
    corrected, so it may be beyond g; here it is s1' in both.

    References
    ----------
    B. Efron, "Estimating the error rate of a prediction rule: improvement on cross-validation",
    Journal of the American Statistical Association 78, 1983. B. Efron and R. Tibshirani,
    "Improvements on cross-validation: the .632+ bootstrap method", same journal 92, 1997.

    Examples
    --------
    >>> import ilk
    >>> round(ilk.resampling("bootstrap_632", repeats=2).estimate([0, 0.5, 0.5]), 3)
    0.316
    >>> plus = ilk.resampling("bootstrap_632", repeats=2, plus=True)
    >>> round(plus.estimate([0, 0.5, 0.5], no_information=0.5, greater_is_better=False), 3)
    0.5
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "repeats": Param(int, ge=1, doc="How many samples are drawn."),
        "stratify": Param(bool, doc="Whether samples keep the number of cases of each class."),
        "plus": Param(bool, doc="Whether the estimate is .632+."),
    }
    waivers: ClassVar[Mapping[str, str]] = {
        "check_disjoint": "the first split is resubstitution",
        "check_groups": "the first split is resubstitution",
    }

    def __init__(self, repeats: int = 50, stratify: bool = False, plus: bool = False) -> None:
        self.repeats = repeats
        self.stratify = stratify
        self.plus = plus

    @classmethod
    def examples(cls) -> list[Self]:
        """.632 and .632+."""
        return [cls(repeats=3), cls(repeats=2, stratify=True, plus=True)]

    @property
    def needs_no_information(self) -> bool:  # type: ignore[override]  # depends on a parameter
        """Whether the no-information rate is needed."""
        return self.plus

    def at_least(self) -> int:
        return self.repeats + 1

    def splits(
        self, X: Any, y: Any, groups: Any = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        self.check_parameters()
        units = bootstrap_units(self, X, y, groups, stratify=self.stratify)
        generator = ilk.check_seed(self, random_state)
        return chain([whole(ilk.n_rows(X))], samples(units, self.repeats, generator, first=1))

    def estimate(
        self,
        scores: Sequence[float],
        no_information: float | None = None,
        greater_is_better: bool | None = None,
    ) -> float:
        """Return the .632 or .632+ estimate.

        Parameters
        ----------
        scores : sequence of float
            Of resubstitution, then of each sample.
        no_information : float, optional
            The no-information rate, for .632+.
        greater_is_better : bool, optional
            The direction of the measure, for .632+.

        Raises
        ------
        InputError
            If they are not as many as there are splits, or something for .632+ is missing.
        """
        self._check_number(scores)
        inside, outside = float(scores[0]), float(np.mean(scores[1:]))
        if not self.plus:
            return _within((1 - _OUT) * inside + _OUT * outside, inside, outside)
        if no_information is None or greater_is_better is None:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: the .632+ estimate needs no_information and "
                f"greater_is_better, as an experiment gives them; set plus = false"
            )
        sign = -1.0 if greater_is_better else 1.0
        return sign * _plus(sign * inside, sign * outside, sign * no_information)

    def spread(self, scores: Sequence[float]) -> float:
        """Return the standard deviation of the scores of the samples, without resubstitution's."""
        self._check_number(scores)
        return super().spread(scores[1:])

    def _check_number(self, scores: Sequence[float]) -> None:
        if len(scores) != self.repeats + 1:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: the estimate needs the scores of resubstitution and of "
                f"{self.repeats} samples, got {len(scores)} scores"
            )


def _plus(inside: float, outside: float, rate: float) -> float:
    """Estimate a loss by .632+."""
    if np.isnan([inside, outside, rate]).any():
        return float("nan")
    bounded = min(outside, rate)
    if bounded <= inside:
        overfitting = 0.0
    else:
        overfitting = 1.0 if bounded == rate else (bounded - inside) / (rate - inside)
    weight = _OUT / (1 - (1 - _OUT) * overfitting)
    if np.isinf(bounded):
        return bounded
    return _within(inside + weight * (bounded - inside), inside, bounded)


def _within(mean: float, a: float, b: float) -> float:
    """Return a weighted mean of two numbers, which rounding may have put outside them."""
    return min(max(mean, min(a, b)), max(a, b))
