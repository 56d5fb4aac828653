"""Holdout: one part trains, the other tests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import check_random_state

import ilk
from ilk import Param
from ilk_evaluation.resamplings.checks import check_classes, check_data


class Holdout(ilk.Resampling):
    """A random part of the cases is held out for testing, the rest trains; may be repeated.

    Parameters
    ----------
    test_size : float or int, default=0.3
        Share of the cases (rounded up), below 1, or their number. With groups: share or
        number of the groups.
    stratify : bool, default=True
        Whether both parts have the classes in the proportions of the data.
    repeats : int, default=1
        How many times a part is drawn, each time from all cases.

    Raises
    ------
    InputError
        If a part would be empty; stratified, if a class has fewer than two cases or a part
        has fewer cases than there are classes, or if groups are given (both cannot be kept).

    References
    ----------
    System Evaluation slides (holdout method).

    Examples
    --------
    >>> import ilk
    >>> scheme = ilk.resampling("holdout", test_size=0.5)
    >>> split, = scheme.splits([[0]] * 4, ["a", "a", "b", "b"], random_state=0)
    >>> len(split.train), len(split.test)
    (2, 2)
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "test_size": Param(
            (int, float), gt=0, lt=math.inf, doc="Share of the cases (< 1), or their number."
        ),
        "stratify": Param(bool, doc="Whether both parts keep the proportions of the classes."),
        "repeats": Param(int, ge=1, doc="How many times a part is drawn."),
    }

    def __init__(self, test_size: float = 0.3, stratify: bool = True, repeats: int = 1) -> None:
        self.test_size = test_size
        self.stratify = stratify
        self.repeats = repeats

    @classmethod
    def examples(cls) -> list[Self]:
        """With a share and with a number."""
        return [cls(), cls(test_size=5, stratify=False, repeats=2)]

    def check_parameters(self) -> None:
        """Check each parameter, and that a share is below 1."""
        super().check_parameters()
        if self.test_size >= 1 and self.test_size != int(self.test_size):
            raise self.parameter_error(
                "test_size", f"must be a share < 1 or a whole number, got {self.test_size!r}"
            )

    def at_least(self) -> int:
        return self.repeats

    def splits(
        self, X: Any, y: Any, groups: Any = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        self.check_parameters()
        n, group_codes = check_data(self, X, y, groups)
        if group_codes is not None and self.stratify:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: groups cannot be kept together and classes "
                f"stratified at once; set stratify = false, or use stratified_kfold"
            )
        size = self._n_test(n if group_codes is None else int(group_codes.max()) + 1)
        codes = self._strata(X, y, n, size) if self.stratify else None
        return self._splits(n, codes, group_codes, size, random_state)

    def _n_test(self, total: int) -> int:
        share = self.test_size < 1
        size = int(np.ceil(self.test_size * total)) if share else int(self.test_size)
        if size >= total:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: test_size = {self.test_size} of {total} leaves "
                f"nothing to train with"
            )
        return size

    def _strata(self, X: Any, y: Any, n: int, size: int) -> np.ndarray:
        codes = check_classes(self, y, X, 2, "a stratified holdout needs at least 2")
        n_classes = int(codes.max()) + 1
        if min(size, n - size) < n_classes:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: {n - size} training and {size} test cases are too "
                f"few for {n_classes} classes in both; set stratify = false"
            )
        return codes

    def _splits(
        self,
        n: int,
        codes: np.ndarray | None,
        groups: np.ndarray | None,
        size: int,
        random_state: int | None,
    ) -> Iterator[ilk.Split]:
        grouped = GroupShuffleSplit if groups is not None else ShuffleSplit
        splitter: Any = grouped if codes is None else StratifiedShuffleSplit
        drawn = splitter(
            n_splits=self.repeats, test_size=size, random_state=check_random_state(random_state)
        )
        for repeat, (train, test) in enumerate(drawn.split(np.zeros(n), codes, groups)):
            yield ilk.Split(np.sort(train), np.sort(test), repeat=repeat)
