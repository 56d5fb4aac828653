"""Holdout: one part trains, the other tests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import ilk
from ilk import Param
from ilk_evaluation.resamplings.units import Units, parts, units_of

_ABOUT_1 = 1 - 1e-12  # 0.07 * 100 is a little more than 7, which is not to be rounded up


class Holdout(ilk.Resampling):
    """A random part of the cases is held out for testing, the rest trains; may be repeated.

    Parameters
    ----------
    test_size : float or int, default=0.3
        Share of the cases (rounded up), below 1, or their number. With groups: share or
        number of the groups.
    stratify : bool, default=True
        Whether both parts have the classes in the proportions of the data, and at least one
        case of each.
    repeats : int, default=1
        How many times a part is drawn, each time from all cases.

    Raises
    ------
    InputError
        If a part would be empty; stratified, if a class has fewer than two cases (with groups:
        is in fewer than two) or a part has fewer cases than there are classes.

    Notes
    -----
    Groups are drawn whole. Stratified, a group counts as of the rarest of its classes (the one
    that the fewest groups have), and the groups are drawn in the proportions of these: cases of
    groups of one class each keep them as cases do, others about so.

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
        units = units_of(
            self,
            X,
            y,
            groups,
            stratify=self.stratify,
            least=2,
            why="to stratify both parts at least 2 are needed; set stratify = false",
        )
        sizes = self._sizes(units)
        return self._splits(units, sizes, ilk.check_seed(self, random_state))

    def _sizes(self, units: Units) -> tuple[int, int]:
        """Units to train with and to test."""
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

    def _splits(self, units: Units, sizes: tuple[int, int], generator: Any) -> Iterator[ilk.Split]:
        for repeat in range(self.repeats):
            train, test = (units.rows(part) for part in parts(units, sizes, generator))
            yield ilk.Split(train, test, repeat=repeat)
