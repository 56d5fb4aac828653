"""Data sets made by rules: balance scale, tic-tac-toe, and the MONK's problems."""

from __future__ import annotations

from abc import abstractmethod
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np

import ilk
from ilk import param
from ilk_evaluation.datasets.columns import categories

_ROWS = ("top", "middle", "bottom")
_COLUMNS = ("left", "middle", "right")

_LINES = (
    *((i, i + 1, i + 2) for i in (0, 3, 6)),
    *((i, i + 3, i + 6) for i in (0, 1, 2)),
    (0, 4, 8),
    (2, 4, 6),
)

_SIZES = (3, 3, 2, 3, 4, 2)  # values that each of the six features of a robot can take


class RuleBased(ilk.Dataset):
    """A data set made by a rule over nominal features; no file is read.

    A subclass gives `features` and defines `cases`.
    """

    features: ClassVar[tuple[str, ...]]
    encode: str | None = param(
        default=None,
        choices=("ordinal",),
        doc='None: a data frame of nominal columns. "ordinal": a float array of the position '
        "of each value among those of its feature, from 0.",
    )

    @abstractmethod
    def cases(self) -> tuple[list[tuple[str, ...]], list[Any]]:
        """Values of the features, and label, of each case."""

    def nominal(self, column: tuple[str, ...]) -> Any:
        """Values of a feature with its categories; by default those that occur."""
        return categories(column)

    def load(self) -> ilk.Data:
        self.check_parameters()
        import pandas as pd

        values, labels = self.cases()
        columns = {
            name: self.nominal(column)
            for name, column in zip(self.features, zip(*values, strict=True), strict=True)
        }
        plain = self.encode is None
        codes = [np.asarray(column.codes, dtype=float) for column in columns.values()]
        return ilk.Data(
            X=pd.DataFrame(columns) if plain else np.column_stack(codes),
            y=np.array(labels),
            name=ilk.display_name(self),
            feature_names=self.features,
            nominal=self.features if plain else (),
            description=(type(self).__doc__ or "").partition("\n")[0],
        )

    def title(self) -> str:
        """Registered name, marked if the values are encoded."""
        name = ilk.display_name(self)
        return name if self.encode is None else f"{name} ({self.encode})"


class BalanceScale(ilk.Dataset):
    """Balance scale: 625 cases, 4 numeric features; tips left, balanced or tips right.

    Every combination of weights and distances from 1 to 5. The label compares
    left_weight * left_distance with right_weight * right_distance: L (288 cases), B (49) or
    R (288).

    References
    ----------
    Siegler, R. S. (1976). Three aspects of cognitive development. Cognitive Psychology 8,
    481-520.

    Examples
    --------
    >>> import ilk
    >>> data = ilk.dataset("balance_scale").load()
    >>> [int((data.y == label).sum()) for label in data.classes]
    [49, 288, 288]
    """

    def load(self) -> ilk.Data:
        X = np.array(list(product(range(1, 6), repeat=4)), dtype=float)
        tilt = np.sign(X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3]).astype(int)
        return ilk.Data(
            X=X,
            y=np.array(["R", "B", "L"])[tilt + 1],
            name=ilk.display_name(self),
            feature_names=("left_weight", "left_distance", "right_weight", "right_distance"),
            description=(type(self).__doc__ or "").partition("\n")[0],
        )


class TicTacToe(RuleBased):
    """Tic-tac-toe: 958 final boards of 9 nominal squares; x, who began, won or not.

    Every board at which a game can end when x begins: x has a line (626, class "positive"),
    o has one (316), or the board is full without a line (16; both "negative"). A square holds
    x, o or b (blank).

    References
    ----------
    Aha, D. W. (1991). Incremental constructive induction: an instance-based approach. ICML
    (the tic-tac-toe endgame database).

    Examples
    --------
    >>> import ilk
    >>> data = ilk.dataset("tic_tac_toe").load()
    >>> len(data), int((data.y == "positive").sum())
    (958, 626)
    """

    encode: str | None = param(
        default=None,
        choices=("ordinal",),
        doc='None: a data frame of nominal columns. "ordinal": a float array of codes, b = 0, '
        "o = 1, x = 2.",
    )

    features = tuple(f"{row}_{column}_square" for row in _ROWS for column in _COLUMNS)

    @classmethod
    def examples(cls) -> list[Self]:
        """With nominal columns and with codes."""
        return [cls(), cls(encode="ordinal")]

    def cases(self) -> tuple[list[tuple[str, ...]], list[Any]]:
        """The final boards in the order of their squares, x before o before b."""
        boards = [board for board in product("xob", repeat=9) if _is_final(board)]
        return boards, ["positive" if _has_line(board, "x") else "negative" for board in boards]


def _has_line(board: tuple[str, ...], player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in _LINES)


def _is_final(board: tuple[str, ...]) -> bool:
    """Tell whether a game can end so: the one who moved last has a line, or all is full."""
    lead = board.count("x") - board.count("o")
    x_won, o_won = _has_line(board, "x"), _has_line(board, "o")
    if x_won or o_won:
        return not (x_won and o_won) and lead == int(x_won)
    return lead == 1 and "b" not in board


class Monks(RuleBased):
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
