"""Whether a case agrees with its neighbours: the rules of edited nearest neighbours."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ilk import Param
from ilk_learners.votes import first_voter, leaders, tally

Rule = Literal["plurality", "all"]
Ties = Literal["keep", "remove", "nearest"]

K = Param(int, ge=1, doc="How many neighbours are asked.")
RULE = Param(choices=("plurality", "all"), doc="How many neighbours must be of the same class.")
TIES = Param(choices=("keep", "remove", "nearest"), doc="If classes share the most votes.")


def agree(
    own: np.ndarray, others: np.ndarray, n_classes: int, rule: Rule, ties: Ties
) -> np.ndarray:
    """Mask of the cases that their neighbours agree with.

    Parameters
    ----------
    own : ndarray of int, shape (m,)
        Class of each case.
    others : ndarray of int, shape (m, k)
        Classes of its neighbours, the nearest first.
    n_classes : int
    rule : {"plurality", "all"}
        Agreed with if no class is more frequent, or if all neighbours are of the same class.
    ties : {"keep", "remove", "nearest"}
        Under "plurality", if its class shares the most votes with another: agreed with; not; or
        the nearest neighbour of the classes that share them decides.
    """
    if rule == "all":
        return np.asarray((others == own[:, None]).all(axis=1))
    best = leaders(tally(others, None, n_classes))
    if ties == "nearest":
        return np.asarray(first_voter(best, others) == own)
    among = np.take_along_axis(best, own[:, None], axis=1)[:, 0]
    return np.asarray(among if ties == "keep" else among & (best.sum(axis=1) == 1))
