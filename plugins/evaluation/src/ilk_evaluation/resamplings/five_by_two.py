"""Five times two folds, for the tests that are made for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import ilk
from ilk import Param
from ilk_evaluation.resamplings.folds import SMALL_CLASSES, divide

REPEATS = 5
FOLDS = 2


class FiveByTwo(ilk.Resampling):
    """Five times the data are cut into random halves; each half trains once and tests once.

    The training cases of the two folds of a repeat have none in common, which `paired_t_5x2`
    and `f_5x2` need. Cases of one group stay in one half.

    Parameters
    ----------
    stratify : bool, default=True
        Whether both halves have the classes in the proportions of the data.
    small_classes : {"refuse", "spread"}, default="refuse"
        What to do with a class of one case (or in one group), which only one half can have:
        refuse it, or let lot decide where it goes. Only where halves are stratified.

    Raises
    ------
    InputError
        If there is one group only or, stratified, a class is too small and that is refused.

    References
    ----------
    T. G. Dietterich, "Approximate statistical tests for comparing supervised classification
    learning algorithms", Neural Computation 10, 1998. System Evaluation slides (5 x 2
    cross-validation).

    Examples
    --------
    >>> import ilk
    >>> splits = ilk.resampling("five_by_two").splits([[0]] * 6, ["a", "b"] * 3, random_state=0)
    >>> [(split.repeat, split.fold, len(split.test)) for split in splits][:3]
    [(0, 0, 3), (0, 1, 3), (1, 0, 3)]
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "stratify": Param(bool, doc="Whether halves keep the proportions of the classes."),
        "small_classes": SMALL_CLASSES,
    }

    def __init__(self, stratify: bool = True, small_classes: str = "refuse") -> None:
        self.stratify = stratify
        self.small_classes = small_classes

    @classmethod
    def examples(cls) -> list[Self]:
        """With and without stratification."""
        return [cls(), cls(stratify=False), cls(small_classes="spread")]

    def at_least(self) -> int:
        return REPEATS * FOLDS

    def splits(
        self, X: Any, y: Any, groups: Any = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        self.check_parameters()
        return divide(
            self,
            X,
            y,
            groups,
            random_state,
            folds=FOLDS,
            repeats=REPEATS,
            stratify=self.stratify,
            small_classes=self.small_classes,
        )
