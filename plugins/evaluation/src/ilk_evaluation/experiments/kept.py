"""What a store knows of a cell besides its prediction."""

from __future__ import annotations

from typing import NamedTuple


class Kept(NamedTuple):
    """A row of the table of cells, without what was predicted.

    Attributes
    ----------
    row : int
        Grows from each cell that is written to the next, also where one takes another's place.
    key : str
    run : int
        Number of the run that wrote it.
    error : str or None
    fallback : bool
    seconds : float or None
        For fitting and predicting.
    """

    row: int
    key: str
    run: int
    error: str | None
    fallback: bool
    seconds: float | None
