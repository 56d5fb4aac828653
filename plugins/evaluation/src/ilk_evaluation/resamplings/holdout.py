"""Holdout: random training and test sets, optionally repeated or with a validation set."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

import ilk
from ilk import Param, param
from ilk_evaluation.resamplings.sampling_units import (
    Units,
    check_classes,
    check_data,
    parts,
    units_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ilk import Cases, Labels

_PARTS = ("training", "validation", "test")
_ABOUT_1 = 1 - 1e-12  # 0.07 * 100 slightly exceeds 7 and must not be rounded up to 8


class _Division(ilk.Resampling):
    """Divides the cases at random into training and test cases and others, once or many times."""

    parts_in_words: ClassVar[str]
    n_parts: ClassVar[int]
    stratify: bool = param(
        default=True,
        doc="Whether each part has the classes in the proportions of the data, and at least "
        "one case of each.",
    )
    repeats: int = param(
        default=1, ge=1, doc="How many times the cases are divided, each time all of them."
    )

    def at_least(self) -> int:
        return self.repeats

    def splits(
        self, X: Cases, y: Labels, groups: Labels | None = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        self.check_parameters()
        units = units_of(
            self,
            X,
            y,
            groups,
            stratify=self.stratify,
            least=self.n_parts,
            why=f"to stratify {self.parts_in_words} parts at least {self.n_parts} are needed; set "
            f"stratify = false",
        )
        return self._splits(units, self._sizes(units), ilk.check_seed(self, random_state))

    @abstractmethod
    def _sizes(self, units: Units) -> Sequence[int]:
        """Units of each part: training, then validation if there is any, then test."""

    def _splits(
        self, units: Units, sizes: Sequence[int], generator: np.random.RandomState
    ) -> Iterator[ilk.Split]:
        for repeat in range(self.repeats):
            train, *validation, test = (units.rows(part) for part in parts(units, sizes, generator))
            held_out = validation[0] if validation else None
            yield ilk.Split(train, test, validation=held_out, repeat=repeat)


class Holdout(_Division):
    """A random part of the cases is held out for testing, the rest trains; may be repeated.

    Raises
    ------
    InputError
        If a part would be empty; stratified, if a class has fewer than two cases (or groups), or
        a part has fewer cases than there are classes.

    Notes
    -----
    Groups stay whole. Stratified, a group belongs to the rarest of its classes (the one in the
    fewest groups), and groups are drawn in the proportions of these classes: exact if each group
    has one class, approximate otherwise. Then groups are exchanged while fewer classes are missing
    from a part. Where the groups differ in size, ``ilk run`` says which share of the cases is
    tested.

    References
    ----------
    Evaluation slides: Holdout Method.

    Arras: Validation Set.

    Examples
    --------
    >>> import ilk
    >>> scheme = ilk.resampling("holdout", test_size=0.5)
    >>> split, = scheme.splits([[0]] * 4, ["a", "a", "b", "b"], random_state=0)
    >>> len(split.train), len(split.test)
    (2, 2)
    """

    test_size: float = param(
        default=0.3,
        type=(int, float),
        gt=0,
        lt=math.inf,
        doc="Share of the cases, below 1 (rounded up), or their number. With groups: share or "
        "number of the groups.",
    )
    parts_in_words = "both"
    n_parts = 2

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

    def _sizes(self, units: Units) -> tuple[int, int]:
        """Numbers of training and test units."""
        total, name = units.count, ilk.display_name(self)
        share = self.test_size < 1
        size = math.ceil(self.test_size * total * _ABOUT_1) if share else int(self.test_size)
        if size >= total:
            raise ilk.InputError(
                f"{name}: test_size = {self.test_size} of {total} {units.what} leaves nothing to "
                f"train with"
            )
        if units.strata is not None and units.of_case is None:
            n_classes = int(units.strata.max()) + 1
            if min(size, total - size) < n_classes:
                raise ilk.InputError(
                    f"{name}: {total - size} training and {size} test cases are too few for "
                    f"{n_classes} classes in both; set stratify = false"
                )
        return total - size, size


class RandomSubsampling(Holdout):
    """Random subsampling (Monte Carlo cross-validation): repeated random test sets.

    The number of runs is independent of the size of the parts, unlike with folds; but a case
    can be tested several times, or never. The estimate is the mean.

    Raises
    ------
    InputError
        If a part would be empty; stratified, if a class has fewer than two cases (or groups), or
        a part has fewer cases than there are classes.

    Notes
    -----
    Groups stay whole, as in `holdout`.

    References
    ----------
    Arras: Random Subsampling Cross-Validation.

    Examples
    --------
    >>> import ilk
    >>> scheme = ilk.resampling("random_subsampling", test_size=0.25, repeats=3)
    >>> splits = scheme.splits([[0]] * 8, ["a", "b"] * 4, random_state=0)
    >>> [(split.repeat, len(split.train), len(split.test)) for split in splits]
    [(0, 6, 2), (1, 6, 2), (2, 6, 2)]
    """

    repeats: int = 10

    @classmethod
    def examples(cls) -> list[Self]:
        """With a share and with a number."""
        return [cls(repeats=3), cls(test_size=5, stratify=False, repeats=2)]


class PerClass(ilk.Resampling):
    """Random training and test sets with the same number of cases of every class.

    The protocol of many experiments on pictures: so many of each person to train with, so many to
    test, drawn anew each time. Other cases are left out.

    Raises
    ------
    InputError
        If a class has fewer cases than are needed, or groups of several cases are given.

    References
    ----------
    Zaidi 2011: table 4.2.

    Examples
    --------
    >>> import ilk
    >>> scheme = ilk.resampling("per_class", n_train=2, n_test=1, repeats=1)
    >>> split, = scheme.splits([[0]] * 8, list("aaaaabbb"), random_state=0)
    >>> len(split.train), len(split.test)
    (4, 2)
    """

    n_train: int = param(default=5, ge=1, doc="Training cases of each class.")
    n_test: int | None = param(
        default=None, type=int, ge=1, doc="Test cases of each class; None: all the others."
    )
    repeats: int = param(default=10, ge=1, doc="How many times cases are drawn.")

    @classmethod
    def examples(cls) -> list[Self]:
        """With all others for testing, and with a number."""
        return [cls(repeats=3), cls(n_train=2, n_test=3, repeats=2)]

    @property
    def uses_classes(self) -> bool:
        """Always: each class is drawn from."""
        return True

    def at_least(self) -> int:
        return self.repeats

    def splits(
        self, X: Cases, y: Labels, groups: Labels | None = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        self.check_parameters()
        n, of_case = check_data(self, X, y, groups)
        if of_case is not None and len(np.unique(of_case)) < n:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: groups would be divided; take random_subsampling"
            )
        least = self.n_train + (self.n_test or 1)
        why = f"n_train = {self.n_train} and n_test = {self.n_test} need {least}"
        codes = check_classes(self, y, X, None, least, why)
        return self._splits(codes, ilk.check_seed(self, random_state))

    def _splits(self, codes: np.ndarray, generator: np.random.RandomState) -> Iterator[ilk.Split]:
        first = np.cumsum(np.bincount(codes)) - np.bincount(codes)
        for repeat in range(self.repeats):
            order = generator.permutation(len(codes))
            order = order[np.argsort(codes[order], kind="stable")]
            place = np.arange(len(codes)) - first[codes[order]]  # of each case within its class
            train, rest = place < self.n_train, place >= self.n_train
            if self.n_test is not None:
                rest &= place < self.n_train + self.n_test
            yield ilk.Split(np.sort(order[train]), np.sort(order[rest]), repeat=repeat)


class TrainValidationTest(_Division):
    """Cases are divided by lot into those to train with, to choose by, and to test.

    The validation cases are for a pipeline whose classifier is `tuned`: each combination of its
    grid is fitted to the training cases and scored on the validation cases, instead of by inner
    resampling; the best one is then fitted to both, as `tuned` does. The steps before it are
    fitted to both, as with any inner resampling; steps that must be fitted to the training cases
    alone belong inside `tuned`, whose classifier may be a pipeline.

    Other pipelines use the training cases alone and ignore the validation cases. This includes
    pipelines with an editor before `tuned`, and pipelines in which `tuned` is part of another
    component.

    Raises
    ------
    InputError
        If a part would be empty; stratified, if a class has fewer than three cases (or groups), or
        a part has fewer cases than there are classes.

    Notes
    -----
    Groups stay whole, as in `holdout`.

    References
    ----------
    Arras: Training, Validation and Test Set.

    Evaluation slides: Introduction.

    Examples
    --------
    >>> import ilk
    >>> scheme = ilk.resampling("train_validation_test", sizes=[2, 1, 1])
    >>> split, = scheme.splits([[0]] * 12, ["a", "b", "c"] * 4, random_state=0)
    >>> len(split.train), len(split.validation), len(split.test)
    (6, 3, 3)
    """

    sizes: Sequence[float] = param(
        default=(0.5, 0.25, 0.25),
        type=list,
        items=Param(float, gt=0, lt=float("inf")),
        schema={"minItems": 3, "maxItems": 3},
        form="list of three numbers",
        doc="Proportions of training, validation and test cases: ``[2, 1, 1]`` is the same. "
        "With groups: proportions of the groups.",
    )
    parts_in_words = "three"
    n_parts = len(_PARTS)

    @classmethod
    def examples(cls) -> list[Self]:
        """With shares, and with parts."""
        return [cls(), cls(sizes=[3, 1, 2], stratify=False, repeats=2)]

    def check_parameters(self) -> None:
        """Check each parameter, and that there are three sizes."""
        super().check_parameters()
        if len(self.sizes) != len(_PARTS):
            raise self.parameter_error(
                "sizes", f"must be three numbers, got {len(self.sizes)}: {list(self.sizes)}"
            )

    def _sizes(self, units: Units) -> list[int]:
        """Units of each part; the rest goes to the largest remainders."""
        quota = np.asarray(self.sizes, dtype=float)
        quota /= quota.max()  # so that their sum is finite
        quota *= units.count / quota.sum()
        numbers = np.floor(quota + 1e-9).astype(int)
        order = np.argsort(numbers - quota, kind="stable")
        numbers[order[: units.count - int(numbers.sum())]] += 1
        least = 1
        if units.strata is not None and units.of_case is None:
            least = int(units.strata.max()) + 1
        for part, number in zip(_PARTS, numbers.tolist(), strict=True):
            if number < least:
                many = f"{least} classes; set stratify = false" if least > 1 else "anything"
                raise ilk.InputError(
                    f"{ilk.display_name(self)}: sizes = {list(self.sizes)} gives {number} of "
                    f"{units.count} {units.what} to the {part} part, too few for {many}"
                )
        return [int(number) for number in numbers]
