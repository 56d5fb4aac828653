"""K-fold cross-validation, several times over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import ilk
from ilk import Param
from ilk_evaluation.resamplings.folds import SMALL_CLASSES, divide


class RepeatedKFold(ilk.Resampling):
    """k-fold cross-validation repeated, each time freshly shuffled.

    Parameters
    ----------
    folds : int, default=10
    repeats : int, default=10
    stratify : bool, default=True
        Whether each fold has the classes in the proportions of the data, as in
        `stratified_kfold`; else folds are made as in `kfold`.
    small_classes : {"refuse", "spread"}, default="refuse"
        As in `stratified_kfold`; only where folds are stratified.

    Raises
    ------
    InputError
        If there are fewer cases (or groups) than folds or, stratified, a class has fewer and
        that is refused.

    References
    ----------
    Zaidi (2011), sec. 4.4: 40 repeats of 2 folds.

    Examples
    --------
    >>> import ilk
    >>> scheme = ilk.resampling("repeated_kfold", folds=2, repeats=2)
    >>> splits = scheme.splits([[0]] * 4, ["a", "a", "b", "b"], random_state=0)
    >>> [(split.repeat, split.fold) for split in splits]
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "folds": Param(int, ge=2, doc="How many parts, each of which is tested once a repeat."),
        "repeats": Param(int, ge=1, doc="How many times the data are shuffled and divided."),
        "stratify": Param(bool, doc="Whether folds keep the proportions of the classes."),
        "small_classes": SMALL_CLASSES,
    }

    def __init__(
        self,
        folds: int = 10,
        repeats: int = 10,
        stratify: bool = True,
        small_classes: str = "refuse",
    ) -> None:
        self.folds = folds
        self.repeats = repeats
        self.stratify = stratify
        self.small_classes = small_classes

    @classmethod
    def examples(cls) -> list[Self]:
        """Few folds and repeats, with and without stratification."""
        return [cls(folds=2, repeats=3), cls(folds=3, repeats=2, stratify=False)]

    def at_least(self) -> int:
        return self.folds * self.repeats

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
            folds=self.folds,
            repeats=self.repeats,
            stratify=self.stratify,
            small_classes=self.small_classes,
        )
