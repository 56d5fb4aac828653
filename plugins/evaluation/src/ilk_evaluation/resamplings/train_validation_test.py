"""Three parts: one trains, one chooses, one tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Param
from ilk_evaluation.resamplings.units import Units, parts, units_of

_PARTS = ("training", "validation", "test")


class TrainValidationTest(ilk.Resampling):
    """Cases are divided by lot into those to train with, to choose by, and to test.

    The validation cases are for a pipeline whose classifier is `tuned`: each combination of its
    grid is fitted to the training cases and scored on the validation cases, instead of by inner
    resampling; the best one is then fitted to both, as `tuned` does. The steps before it learn
    from both, as they do with any inner resampling; what shall be learned from the training cases
    alone belongs into `tuned`, whose classifier may be a pipeline.

    Other pipelines train with the training cases alone, and the validation cases are not used.
    Among them are those in which an editor stands before `tuned` or `tuned` is part of something
    else.

    Parameters
    ----------
    sizes : list of three numbers, default=(0.5, 0.25, 0.25)
        Training, validation and test cases in proportion: ``[2, 1, 1]`` is the same. With groups
        these are proportions of the groups.
    stratify : bool, default=True
        Whether each part has the classes in the proportions of the data, and at least one case
        of each.
    repeats : int, default=1
        How many times the cases are divided.

    Raises
    ------
    InputError
        If a part would be empty; stratified, if a class has fewer than three cases (with groups:
        is in fewer than three) or a part has fewer cases than there are classes.

    Notes
    -----
    Groups are drawn whole, as in `holdout`.

    References
    ----------
    System Evaluation slides (training, validation and test sets). Arras, Supervised Learning
    slides, part 3.

    Examples
    --------
    >>> import ilk
    >>> scheme = ilk.resampling("train_validation_test", sizes=[2, 1, 1])
    >>> split, = scheme.splits([[0]] * 12, ["a", "b", "c"] * 4, random_state=0)
    >>> len(split.train), len(split.validation), len(split.test)
    (6, 3, 3)
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "sizes": Param(
            list,
            items=Param(float, gt=0, lt=float("inf")),
            doc="Training, validation and test cases, in proportion.",
            schema={"minItems": 3, "maxItems": 3},
        ),
        "stratify": Param(bool, doc="Whether the parts keep the proportions of the classes."),
        "repeats": Param(int, ge=1, doc="How many times the cases are divided."),
    }

    def __init__(
        self,
        sizes: Sequence[float] = (0.5, 0.25, 0.25),
        stratify: bool = True,
        repeats: int = 1,
    ) -> None:
        self.sizes = sizes
        self.stratify = stratify
        self.repeats = repeats

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

    def at_least(self) -> int:
        return self.repeats

    def splits(
        self, X: Any, y: Any, groups: Any = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        self.check_parameters()
        units = units_of(
            self,
            X,
            y,
            groups,
            stratify=self.stratify,
            least=len(_PARTS),
            why="to stratify three parts at least 3 are needed; set stratify = false",
        )
        return self._splits(units, self._numbers(units), ilk.check_seed(self, random_state))

    def _numbers(self, units: Units) -> list[int]:
        """Units of each part; what is left over goes to the largest remainders."""
        quota = np.asarray(self.sizes, dtype=float)
        quota /= quota.max()  # whose sum is finite
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

    def _splits(self, units: Units, sizes: Sequence[int], generator: Any) -> Iterator[ilk.Split]:
        for repeat in range(self.repeats):
            train, validation, test = (units.rows(part) for part in parts(units, sizes, generator))
            yield ilk.Split(train, test, validation, repeat=repeat)
