"""Support for classes: what rules start from, and the decision they end with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

import ilk
from ilk import Param

TIES = Param(choices=("first", "reject"), doc="A tie goes to the first class, or is rejected.")
THRESHOLD = Param(
    float,
    ge=0,
    le=1,
    choices=("half", "consensus"),
    doc="More than half of the votes, all of them, or at least this share.",
)
ULPS = 1e-12  # support that differs by less, relatively, is the same up to rounding


class SupportCombiner(ilk.Combiner):
    """Decides for the class of most support or, with a cost matrix, of the least expected cost.

    Parameters
    ----------
    ties : {"first", "reject"}, default="first"
        A tie goes to the first class, or is rejected.
    cost : array of shape (C, C), optional
        ``cost[j][k]`` is the cost of deciding for class k where class j is true.
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "ties": TIES,
        "cost": Param(
            ilk.Array, none=True, doc="cost[j][k] of deciding for class k where j is true."
        ),
    }

    def __init__(self, ties: str = "first", cost: Any = None) -> None:
        self.ties = ties
        self.cost = cost

    def check_parameters(self) -> None:
        """Check each parameter, and that the costs are a square of finite numbers."""
        super().check_parameters()
        if self.cost is None:
            return
        cost = np.asarray(self.cost, dtype=float)
        if cost.ndim != 2 or cost.shape[0] != cost.shape[1] or not np.isfinite(cost).all():
            raise self.parameter_error(
                "cost", f"must be a square matrix of finite numbers, got {self.cost!r}"
            )

    def decide(self, combined: Any) -> tuple[np.ndarray, np.ndarray]:
        self.check_parameters()
        support = check_support(self, combined)
        if self.cost is not None:
            cost = np.asarray(self.cost, dtype=float)
            if len(cost) != support.shape[1]:
                raise self.parameter_error(
                    "cost", f"is for {len(cost)} classes, there are {support.shape[1]}"
                )
            support = -(support @ cost)
        codes, tied, _ = winners(self, support)
        return codes, tied & (self.ties == "reject")


def too_few(share: np.ndarray, threshold: float | str) -> np.ndarray:
    """Which shares of the votes are not enough for a decision."""
    if threshold == "half":
        return np.asarray(share <= 0.5 + ULPS)
    least = 1.0 if threshold == "consensus" else float(threshold)
    return np.asarray(share < least - ULPS)


def leveled(support: np.ndarray) -> np.ndarray:
    """A copy in which what rounding alone tells from the most support of a row is as much."""
    from ilk_ensembles.combiners.vote_kernels import level

    support = np.array(support, dtype=float, order="C")
    level(support, ULPS)
    return support


def check_support(owner: object, combined: Any) -> np.ndarray:
    """Return combined support as a float array of shape (n, C).

    Raises
    ------
    InputError
        For a wrong shape.
    """
    support = np.asarray(combined, dtype=float)
    if support.ndim != 2 or support.shape[1] == 0:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: combined must have shape (samples, classes), "
            f"got {support.shape}"
        )
    return support


def winners(owner: object, support: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the first class of most support in each row, which rows have several, and how much.

    Support that differs by rounding only counts as the same.

    Raises
    ------
    InputError
        For a value that is not finite; names the cell.
    """
    from ilk_ensembles.combiners.vote_kernels import winners as search

    n = len(support)
    codes, tied, most = np.empty(n, dtype=np.intp), np.empty(n, dtype=bool), np.empty(n)
    if not search(np.ascontiguousarray(support), ULPS, codes, tied, most):
        ilk.check_finite(owner, support, argument="combined")
    return codes, tied, most
