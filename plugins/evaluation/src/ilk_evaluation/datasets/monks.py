"""The MONK's problems: rules over six nominal features of a robot."""

from __future__ import annotations

from abc import abstractmethod
from itertools import product
from typing import Any, Self

from ilk_evaluation.datasets.rule_made import RuleMade

_SIZES = (3, 3, 2, 3, 4, 2)


class Monks(RuleMade):
    """All 432 robots, labelled by a rule."""

    features = (
        "head_shape",
        "body_shape",
        "is_smiling",
        "holding",
        "jacket_color",
        "has_tie",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """With nominal columns and with codes."""
        return [cls(), cls(encode="ordinal")]

    @abstractmethod
    def holds(self, robot: tuple[int, ...]) -> bool:
        """Tell whether a robot, its values counted from 1, is of class 1."""

    def cases(self) -> tuple[list[tuple[str, ...]], list[Any]]:
        """Every combination of values, the last feature changing fastest."""
        robots = list(product(*(range(1, size + 1) for size in _SIZES)))
        values = [tuple(map(str, robot)) for robot in robots]
        return values, [int(self.holds(robot)) for robot in robots]


class Monks1(Monks):
    """MONK's problem 1: 432 cases, 6 nominal features; head and body alike, or a red jacket.

    Class 1 where head_shape = body_shape or jacket_color = 1; 216 cases of each class. It is
    the whole domain without noise (UCI's test file).

    Parameters
    ----------
    encode : "ordinal" or None, default=None
        None: a data frame of nominal columns. "ordinal": a float array of codes from 0.

    References
    ----------
    Thrun, S. B. et al. (1991). The MONK's problems. CMU-CS-91-197.

    Examples
    --------
    >>> import ilk
    >>> int(ilk.dataset("monks1").load().y.sum())
    216
    """

    def holds(self, robot: tuple[int, ...]) -> bool:
        """Head and body of one shape, or a red jacket."""
        head, body, _, _, jacket, _ = robot
        return head == body or jacket == 1


class Monks2(Monks):
    """MONK's problem 2: 432 cases, 6 nominal features; exactly two have their first value.

    Class 1 where exactly two of the six features have the value 1; 290 cases of class 0, 142
    of class 1. It is the whole domain without noise (UCI's test file).

    Parameters
    ----------
    encode : "ordinal" or None, default=None
        None: a data frame of nominal columns. "ordinal": a float array of codes from 0.

    References
    ----------
    Thrun, S. B. et al. (1991). The MONK's problems. CMU-CS-91-197.

    Examples
    --------
    >>> import ilk
    >>> int(ilk.dataset("monks2").load().y.sum())
    142
    """

    def holds(self, robot: tuple[int, ...]) -> bool:
        """Exactly two features with their first value."""
        return robot.count(1) == 2


class Monks3(Monks):
    """MONK's problem 3: 432 cases, 6 nominal features; jacket with what is held or body.

    Class 1 where jacket_color = 3 and holding = 1, or jacket_color is not 4 and body_shape is
    not 3; 204 cases of class 0, 228 of class 1. It is the whole domain without noise (UCI's
    test file; six labels of UCI's training file are wrong on purpose).

    Parameters
    ----------
    encode : "ordinal" or None, default=None
        None: a data frame of nominal columns. "ordinal": a float array of codes from 0.

    References
    ----------
    Thrun, S. B. et al. (1991). The MONK's problems. CMU-CS-91-197.

    Examples
    --------
    >>> import ilk
    >>> int(ilk.dataset("monks3").load().y.sum())
    228
    """

    def holds(self, robot: tuple[int, ...]) -> bool:
        """A green jacket with a sword, or a jacket not blue on a body not octagonal."""
        _, body, _, holding, jacket, _ = robot
        return (jacket == 3 and holding == 1) or (jacket != 4 and body != 3)
