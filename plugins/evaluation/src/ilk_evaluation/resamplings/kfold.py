"""K-fold cross-validation, plain and stratified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import ilk
from ilk import Param
from ilk_evaluation.resamplings.folds import SMALL_CLASSES, divide


class KFold(ilk.Resampling):
    """k-fold cross-validation: the cases are shuffled and cut into folds, each tested once.

    Fold sizes differ by one case at most. Cases of one group stay in one fold; then it is the
    number of groups in a fold that differs by one at most, whatever their sizes.

    Parameters
    ----------
    folds : int, default=10

    Raises
    ------
    InputError
        If there are fewer cases (or groups) than folds.

    References
    ----------
    M. Stone, "Cross-validatory choice and assessment of statistical predictions", Journal of
    the Royal Statistical Society B 36, 1974.

    Examples
    --------
    >>> import ilk
    >>> splits = ilk.resampling("kfold", folds=3).splits([[0]] * 6, [0] * 6, random_state=0)
    >>> [len(split.test) for split in splits]
    [2, 2, 2]
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "folds": Param(int, ge=2, doc="How many parts, each of which is tested once.")
    }

    def __init__(self, folds: int = 10) -> None:
        self.folds = folds

    @classmethod
    def examples(cls) -> list[Self]:
        """With few folds, for small data."""
        return [cls(folds=3)]

    def at_least(self) -> int:
        return self.folds

    def splits(
        self, X: Any, y: Any, groups: Any = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        self.check_parameters()
        return divide(self, X, y, groups, random_state, folds=self.folds, repeats=1, stratify=False)


class StratifiedKFold(KFold):
    """k-fold cross-validation whose folds have the classes in the proportions of the data.

    The number of cases of a class differs by one at most between folds. Cases of one group
    stay in one fold, and then the proportions are as near as the groups allow.

    Parameters
    ----------
    folds : int, default=10
    small_classes : {"refuse", "spread"}, default="refuse"
        What to do with a class that has fewer cases than there are folds (or is in fewer
        groups), so that it is missing from a test set: refuse it, or deal its cases to as many
        folds as they reach. Where there is no such class both are the same.

    Raises
    ------
    InputError
        If a class is too small and that is refused.

    Notes
    -----
    If groups are spread, each counts as of the rarest of its classes: the one that the fewest
    groups have. Where groups have cases of several classes, a class that is in enough of them may
    still be missing from a test set, or from a training set; measures say so.

    References
    ----------
    Kohavi, R. (1995). A study of cross-validation and bootstrap for accuracy estimation and
    model selection. IJCAI.

    Examples
    --------
    >>> import ilk
    >>> y = ["a"] * 6 + ["b"] * 3
    >>> scheme = ilk.resampling("stratified_kfold", folds=3)
    >>> [sorted(y[i] for i in split.test) for split in scheme.splits(y, y, random_state=0)]
    [['a', 'a', 'b'], ['a', 'a', 'b'], ['a', 'a', 'b']]
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        **KFold.parameters,
        "small_classes": SMALL_CLASSES,
    }

    def __init__(self, folds: int = 10, small_classes: str = "refuse") -> None:
        super().__init__(folds)
        self.small_classes = small_classes

    @classmethod
    def examples(cls) -> list[Self]:
        """With few folds, and with more than a class of small data has cases."""
        return [cls(folds=3), cls(folds=10, small_classes="spread")]

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
            repeats=1,
            stratify=True,
            small_classes=self.small_classes,
        )
