"""Tic-tac-toe: every board at which a game can end."""

from __future__ import annotations

from itertools import product
from typing import Any, Self

from ilk_evaluation.datasets.rule_made import RuleMade

_ROWS = ("top", "middle", "bottom")
_COLUMNS = ("left", "middle", "right")
_LINES = (
    *((i, i + 1, i + 2) for i in (0, 3, 6)),
    *((i, i + 3, i + 6) for i in (0, 1, 2)),
    (0, 4, 8),
    (2, 4, 6),
)


class TicTacToe(RuleMade):
    """Tic-tac-toe: 958 final boards of 9 nominal squares; x, who began, won or not.

    Every board at which a game can end when x begins: x has a line (626, class "positive"),
    o has one (316), or the board is full without a line (16; both "negative"). A square holds
    x, o or b (blank).

    Parameters
    ----------
    encode : "ordinal" or None, default=None
        None: a data frame of nominal columns. "ordinal": a float array of codes, b = 0,
        o = 1, x = 2.

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
