"""The bootstrap: trained with cases drawn with replacement, tested with those never drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Param
from ilk_evaluation.resamplings.units import Units, units_of


class Bootstrap(ilk.Resampling):
    """As many cases as there are, drawn with replacement, train; those never drawn are tested.

    A case is out of the bag with probability (1 - 1/n)^n, which goes to 1/e = 0.368. So 63.2% of
    the cases train, many of them several times, and the estimate, the mean over the repeats, is
    pessimistic; see `bootstrap_632`.

    Parameters
    ----------
    repeats : int, default=50
    stratify : bool, default=False
        Whether as many cases as there are of each class are drawn from it. A class of one case
        then always trains and is never tested. Otherwise a sample may lack a class.

    Raises
    ------
    InputError
        If all cases are of one group or, stratified, no class has two cases (or groups).

    Notes
    -----
    A sample that leaves no case out is drawn again: of n = 2 cases that is every second one, of
    5 every 26th, of 10 one in 2756.

    Where a pipeline's classifier is `tuned`, its inner resampling keeps the copies of a case
    together.

    Groups are drawn whole, as many as there are; the size of a sample then varies. Stratified, a
    group counts as of the rarest of its classes, as in `holdout`.

    References
    ----------
    B. Efron, "Estimating the error rate of a prediction rule: improvement on cross-validation",
    Journal of the American Statistical Association 78, 1983. System Evaluation slides
    (bootstrapping).

    Examples
    --------
    >>> import ilk
    >>> scheme = ilk.resampling("bootstrap", repeats=1)
    >>> split, = scheme.splits([[0]] * 1000, [0] * 1000, random_state=0)
    >>> len(split.train), 0.33 < len(split.test) / 1000 < 0.41
    (1000, True)
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "repeats": Param(int, ge=1, doc="How many samples are drawn."),
        "stratify": Param(bool, doc="Whether samples keep the number of cases of each class."),
    }

    def __init__(self, repeats: int = 50, stratify: bool = False) -> None:
        self.repeats = repeats
        self.stratify = stratify

    @classmethod
    def examples(cls) -> list[Self]:
        """Few samples, with and without stratification."""
        return [cls(repeats=3), cls(repeats=2, stratify=True)]

    def at_least(self) -> int:
        return self.repeats

    def splits(
        self, X: Any, y: Any, groups: Any = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        self.check_parameters()
        units = bootstrap_units(self, X, y, groups, stratify=self.stratify)
        return samples(units, self.repeats, ilk.check_seed(self, random_state))


def bootstrap_units(owner: object, X: Any, y: Any, groups: Any, *, stratify: bool) -> Units:
    """Return what is drawn, if it can be that something is not.

    Raises
    ------
    InputError
        If every sample would have all of it.
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


def samples(units: Units, repeats: int, generator: Any, first: int = 0) -> Iterator[ilk.Split]:
    """Yield bootstrap samples as splits, whose repeats are counted from `first`."""
    for repeat in range(first, first + repeats):
        train, test = _sample(units, generator)
        yield ilk.Split(units.rows(train), units.rows(test), repeat=repeat)


def _sample(units: Units, generator: Any) -> tuple[np.ndarray, np.ndarray]:
    """Draw units, again if none is left out; return them and those left out."""
    while True:
        drawn = _draw(units, generator)
        left = np.flatnonzero(np.bincount(drawn, minlength=units.count) == 0)
        if left.size:
            return drawn, left


def _draw(units: Units, generator: Any) -> np.ndarray:
    if units.strata is None:
        return np.asarray(generator.randint(units.count, size=units.count))
    order = np.argsort(units.strata, kind="stable")
    counts = np.bincount(units.strata)
    start = np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(order[start + generator.randint(np.repeat(counts, counts))])
