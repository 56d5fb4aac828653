"""Bootstrap, resubstitution, and the .632 and .632+ estimates that combine them."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import param
from ilk_evaluation.resamplings.sampling_units import Units, check_data, nearest_draw, units_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ilk import Cases, Labels

_OUT = 0.632  # 1 - 1/e: probability that a case is in a bootstrap sample
MOST_PAIRINGS = 1000
"""Maximum number of pairings: more take long and change little."""


STRATIFY: Any = param(
    default=False,
    doc="Whether as many cases as there are of each class are drawn from it. A class of "
    "one case then always trains and is never tested. With groups: as near to that as whole "
    "groups allow. Otherwise a sample may lack a class.",
)


class Bootstrap(ilk.Resampling):
    """Bootstrap: train on n cases drawn with replacement, test on the cases never drawn.

    A case is out of the bag with probability (1 - 1/n)^n, which tends to 1/e = 0.368. So training
    sets contain 63.2% of the distinct cases, many repeatedly. The estimate, the mean over the
    repeats, is pessimistic; see `bootstrap_632`.

    Raises
    ------
    InputError
        If all cases are in one group or, stratified, no class has two cases (or groups).

    Notes
    -----
    A sample with no out-of-bag case is redrawn: for n = 2 cases that is every second one, for
    5 every 26th, for 10 one in 2756.

    If a pipeline's classifier is `tuned`, its inner resampling keeps the copies of a case
    together.

    As many whole groups are drawn as there are, so the sample size varies. Stratified, a group
    belongs to the rarest of its classes, as in `holdout`, and is drawn among the groups of that
    class. Then draws are moved to other groups while fewer classes are missing from a part, and
    exchanged until the numbers of cases of the classes come no nearer to those of the data. Where
    a class is missing from a part, ``ilk run`` says so.

    References
    ----------
    B. Efron, "Estimating the error rate of a prediction rule: improvement on cross-validation",
    Journal of the American Statistical Association 78, 1983.

    Evaluation slides: Bootstrapping.

    Ntoutsi 2015: Bootstrap.

    Examples
    --------
    >>> import ilk
    >>> scheme = ilk.resampling("bootstrap", repeats=1)
    >>> split, = scheme.splits([[0]] * 1000, [0] * 1000, random_state=0)
    >>> len(split.train), 0.33 < len(split.test) / 1000 < 0.41
    (1000, True)
    """

    repeats: int = param(default=50, ge=1, doc="How many samples are drawn.")
    stratify: bool = STRATIFY

    @classmethod
    def examples(cls) -> list[Self]:
        """Few samples, with and without stratification."""
        return [cls(repeats=3), cls(repeats=2, stratify=True)]

    def at_least(self) -> int:
        return self.repeats

    def splits(
        self, X: Cases, y: Labels, groups: Labels | None = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        self.check_parameters()
        units = _bootstrap_units(self, X, y, groups, stratify=self.stratify)
        return _samples(units, self.repeats, ilk.check_seed(self, random_state))


def _bootstrap_units(
    owner: object, X: Cases | None, y: Labels | None, groups: Labels | None, *, stratify: bool
) -> Units:
    """Return the units to draw from, if a sample can leave some of them out.

    Raises
    ------
    InputError
        If every sample would contain all units.
    """
    units = units_of(owner, X, y, groups, stratify=stratify)
    name = ilk.display_name(owner)
    if units.count < 2:
        raise ilk.InputError(
            f"{name}: all cases are of one group, so none would be left for testing"
        )
    if units.strata is not None and np.bincount(units.strata).max() < 2:
        raise ilk.InputError(
            f"{name}: no class has 2 {units.what}, so stratified samples would leave none for "
            f"testing; set stratify = false"
        )
    return units


def _samples(
    units: Units, repeats: int, generator: np.random.RandomState, first: int = 0
) -> Iterator[ilk.Split]:
    """Yield bootstrap samples as splits, with repeats counted from `first`."""
    for repeat in range(first, first + repeats):
        train, test = _sample(units, generator)
        yield ilk.Split(units.rows(train), units.rows(test), repeat=repeat)


def _sample(units: Units, generator: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Draw units until some are left out; return the drawn units and the others."""
    while True:
        times = np.bincount(_draw(units, generator), minlength=units.count)
        if times.all():
            continue
        if units.counts is not None:
            times = nearest_draw(units.counts, times)
        return np.repeat(np.arange(units.count), times), np.flatnonzero(times == 0)


def _draw(units: Units, generator: np.random.RandomState) -> np.ndarray:
    if units.strata is None:
        return np.asarray(generator.randint(units.count, size=units.count))
    order = np.argsort(units.strata, kind="stable")
    counts = np.bincount(units.strata)
    start = np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(order[start + generator.randint(np.repeat(counts, counts))])


class Resubstitution(ilk.Resampling):
    """Resubstitution: train and test on all cases; the error estimate is optimistic.

    It measures how well a pipeline fits its data. The error of 1-NN is then 0, whatever the data.
    The more cases there are per feature, the closer it is to the error on new cases. Nothing is
    random, and groups make no difference.

    Raises
    ------
    InputError
        If there are fewer than two cases.

    References
    ----------
    Evaluation slides: Resubstitution Method.

    Examples
    --------
    >>> import ilk
    >>> split, = ilk.resampling("resubstitution").splits([[1], [2], [3]], [0, 1, 1])
    >>> split.train.tolist(), split.test.tolist()
    ([0, 1, 2], [0, 1, 2])
    """

    waivers: ClassVar[Mapping[str, str]] = {
        "check_disjoint": "all cases train and all are tested, by definition",
        "check_groups": "all cases train and all are tested, by definition",
    }

    def splits(
        self, X: Cases, y: Labels, groups: Labels | None = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        n, _ = check_data(self, X, y, groups)
        return iter([_resubstituted(n)])


def _resubstituted(n: int) -> ilk.Split:
    """A split that trains and tests on all cases."""
    return ilk.Split(np.arange(n), np.arange(n))


class Bootstrap632(ilk.Resampling):
    """The .632 bootstrap: a weighted mean of optimistic resubstitution and pessimistic bootstrap.

    The first split is that of `resubstitution`, with score s0; the others are the samples of
    `bootstrap`, whose scores have the mean s1. The estimate is::

        0.368 s0 + 0.632 s1

    For rules that fit any data, s0 is uninformative: for random labels of two classes 1-NN has
    s0 = 0, and the estimate is 0.632 * 0.5 = 0.316. ``plus`` selects the .632+ estimate::

        (1 - w) s0 + w s1',   w = 0.632 / (1 - 0.368 R),   R = (s1' - s0) / (g - s0)

    where g is the no-information rate, the score if predictions were independent of the truth,
    and s1' = min(s1, g) (max, where greater is better). The relative overfitting
    rate R is 0 if s1' is no worse than s0, or g is not worse than s0. So R is in [0, 1], w in
    [0.632, 1], and the estimate is between s0 and s1'.

    Raises
    ------
    InputError
        As in `bootstrap`; from `estimate`, if scores of splits are missing, or the .632+ estimate
        is requested without a no-information rate, as in inner resampling.

    Notes
    -----
    s1 is the mean of the scores of the samples, which is defined for every measure. Efron and
    Tibshirani's average over cases, defined only for measures by case, differs little.

    g is the mean of the measure over cyclic pairings of the true labels with the predictions of
    the resubstitution split. All n pairings are used; for measures that are means over cases this
    is the mean over all n^2 pairs. For more than 1000 cases, 1000 evenly spaced pairings are used.

    If a pipeline's classifier is `tuned`, its inner resampling keeps the copies of a case
    together, as with `bootstrap`.

    The spread of an estimate is that of the scores of the samples, without resubstitution.

    The printed .632+ rule has s1' in its correction, but s1 in the corrected .632 estimate,
    so that it can exceed g; here s1' is used in both.

    References
    ----------
    B. Efron, "Estimating the error rate of a prediction rule: improvement on cross-validation",
    Journal of the American Statistical Association 78, 1983. B. Efron and R. Tibshirani,
    "Improvements on cross-validation: the .632+ bootstrap method", same journal 92, 1997.

    Ntoutsi 2015: Bootstrap.

    Examples
    --------
    >>> import ilk
    >>> round(ilk.resampling("bootstrap_632", repeats=2).estimate([0, 0.5, 0.5]), 3)
    0.316
    >>> plus = ilk.resampling("bootstrap_632", repeats=2, plus=True)
    >>> round(plus.estimate([0, 0.5, 0.5], no_information=0.5, greater_is_better=False), 3)
    0.5
    """

    repeats: int = param(default=50, ge=1, doc="How many samples are drawn.")
    stratify: bool = STRATIFY
    plus: bool = param(default=False, doc="Whether the estimate is .632+.")
    waivers: ClassVar[Mapping[str, str]] = {
        "check_disjoint": "the first split is resubstitution",
        "check_groups": "the first split is resubstitution",
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """.632 and .632+."""
        return [cls(repeats=3), cls(repeats=2, stratify=True, plus=True)]

    @property
    def needs_no_information(self) -> bool:
        """Whether the estimate requires the no-information rate."""
        return self.plus

    def at_least(self) -> int:
        return self.repeats + 1

    def splits(
        self, X: Cases, y: Labels, groups: Labels | None = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        self.check_parameters()
        units = _bootstrap_units(self, X, y, groups, stratify=self.stratify)
        generator = ilk.check_seed(self, random_state)
        return chain(
            [_resubstituted(ilk.n_rows(X))], _samples(units, self.repeats, generator, first=1)
        )

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
            If their number differs from that of the splits, or an argument of .632+ is missing.
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
        """Return the standard deviation of the scores of the samples, without resubstitution."""
        self._check_number(scores)
        return super().spread(scores[1:])

    def _check_number(self, scores: Sequence[float]) -> None:
        if len(scores) != self.repeats + 1:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: the estimate needs the scores of resubstitution and of "
                f"{self.repeats} samples, got {len(scores)} scores"
            )


def _plus(inside: float, outside: float, rate: float) -> float:
    """The .632+ estimate of a loss."""
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
    """Clip a weighted mean to its two terms, which rounding may have exceeded."""
    return min(max(mean, min(a, b)), max(a, b))


def no_information(measure: ilk.Measure, prediction: ilk.Prediction) -> float:
    """Mean of a measure over cyclic pairings of true labels with predictions.

    All n pairings, in which every true label meets every prediction once: for a mean over cases
    the result is ``sum_ij loss(truth_i, prediction_j) / n^2``, Efron and Tibshirani's rate. For
    more than 1000 cases, 1000 evenly spaced pairings. NaN if a pairing has no score.

    Parameters
    ----------
    measure : Measure
    prediction : Prediction
        Of the training cases.

    Raises
    ------
    InputError
        If the measure is not defined for a pairing.
    """
    n = len(prediction)
    pairings = min(n, MOST_PAIRINGS)
    if not pairings:
        return float("nan")
    total = 0.0
    for number in range(pairings):
        paired = np.roll(prediction.truth, number * n // pairings)
        total += float(measure(replace(prediction, truth=paired)))
    return total / pairings
