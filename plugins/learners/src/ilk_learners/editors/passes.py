"""Edited nearest neighbours, pass after pass on what remains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ilk_learners.editors.agreement import Rule, Ties, agree
from ilk_learners.editors.remaining import Remaining

if TYPE_CHECKING:
    from ilk_learners.editors.cases import Cases

_RESERVE = 4  # times k: how many neighbours are found at first, where there may be many passes


def edited(
    cases: Cases, k: int, rule: Rule, ties: Ties, max_passes: int | None
) -> tuple[np.ndarray, int]:
    """Remove the cases that disagree with their neighbours, until none does.

    Parameters
    ----------
    cases : Cases
        More than k.
    k : int
        How many neighbours are asked; all others, where fewer remain.
    rule, ties
        As `agree` has them.
    max_passes : int or None
        Stop after as many passes; None: at the fixed point.

    Returns
    -------
    kept : ndarray of int
        Numbers of the cases that are left, ascending.
    n_passes : int

    Raises
    ------
    InputError
        If there are not more than k cases.
    """
    cases.neighbors(k)  # says if there are too few
    remaining = Remaining(cases, k if max_passes == 1 else _RESERVE * k)
    codes, n_passes = cases.codes, 0
    while n_passes != max_passes:
        n_passes += 1
        rows = np.flatnonzero(remaining.alive)
        asked = min(k, len(rows) - 1)
        if asked < 1:
            break
        others = codes[remaining.nearest(rows, asked)]
        gone = ~agree(codes[rows], others, cases.n_classes, rule, ties)
        if not gone.any():
            break
        remaining.alive[rows[gone]] = False
    return np.flatnonzero(remaining.alive), n_passes
