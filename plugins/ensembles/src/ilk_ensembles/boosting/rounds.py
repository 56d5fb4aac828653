"""Boosting rounds: fit a member to weights, evaluate it, and update the weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

import ilk
from ilk_ensembles.base.progress import Progress

if TYPE_CHECKING:
    from ilk import Estimator
    from ilk_ensembles.boosting.weak_learner import WeakLearner

Stop = Literal["perfect", "chance"]


class RoundResult(NamedTuple):
    """Result of a round.

    Attributes
    ----------
    error : float
        Weighted error of the member, by the weights of the round.
    alpha : float
        Voting weight of the member.
    change : ndarray of shape (n,)
        Added to the logarithms of the weights, up to a constant.
    stop : {"perfect", "chance"} or None
        Why boosting ends here; "chance": the member is no better than random guessing.
    """

    error: float
    alpha: float
    change: np.ndarray
    stop: Stop | None = None


class Rounds(ABC):
    """Boosts members up to their number, or until one is perfect or no better than chance.

    A member no better than chance is dropped, unless it is the first. Weights are stored as
    logarithms, so that small ones do not underflow.

    Parameters
    ----------
    owner : Component
        Has ``n_members``, ``on_failure`` and ``verbose``.
    learner : WeakLearner
    y : ndarray of shape (n,)
        Targets.
    start : ndarray of shape (n,)
        Initial weights; they sum to 1.
    restarts : int
        How often to reset the weights and retry, where a member is no better than chance.

    Attributes
    ----------
    members, alphas, errors : list
        One entry for each member kept.
    totals : list of float
        Sum of the unnormalised weights after each round.
    failures : dict of int to IlkError
        Error of each round that failed, counted from 0.
    stop : {"perfect", "chance"} or None
    """

    def __init__(
        self, owner: Any, learner: WeakLearner, y: np.ndarray, start: np.ndarray, restarts: int = 0
    ) -> None:
        self.owner, self.learner, self.y, self.restarts = owner, learner, y, restarts
        self.members: list[Any] = []
        self.alphas: list[float] = []
        self.errors: list[float] = []
        self.totals: list[float] = []
        self.failures: dict[int, ilk.IlkError] = {}
        self.stop: Stop | None = None
        self._start, self._weights = start, start
        self._logs = np.log(start)  # of the unnormalised weights
        self._afresh: np.ndarray | None = None  # log weights at the last reset

    @abstractmethod
    def evaluate(self, member: Estimator, number: int, weights: np.ndarray) -> RoundResult:
        """Evaluate a fitted member by weights that sum to 1."""

    def accepts(self, y: np.ndarray) -> bool:
        """Tell whether a draw of targets can be learned from."""
        return True

    def run(self) -> None:
        """Run the rounds.

        Raises
        ------
        IlkError
            If a member fails and ``on_failure`` is "raise", or all members fail.
        """
        progress = Progress(self.owner, self.owner.n_members, self.owner.verbose, "rounds")
        for number in range(self.owner.n_members):
            progress.step(self._round(number))
            if self.stop is not None:
                break
        check_any(self.owner, self.members, self.failures)

    def _round(self, number: int) -> str:
        """Run one round; return its result as text."""
        try:
            member, result = self._useful(number)
        except ilk.IlkError as error:
            if self.owner.on_failure == "raise":
                raise
            self.failures[number] = error
            return "failed"
        self.stop = result.stop
        # a first member stays even if it is no better than chance: an ensemble needs one
        if result.stop != "chance" or not self.members:
            self.members.append(member)
            self.alphas.append(result.alpha)
            self.errors.append(result.error)
            self._change(result.change)
        return f"error {result.error:.3g}"

    def _useful(self, number: int) -> tuple[Any, RoundResult]:
        """Fit a member better than chance, resetting the weights while restarts remain."""
        while True:
            member = self.learner.fit(number, self.y, self._weights, self.accepts)
            result = self.evaluate(member, number, self._weights)
            if result.stop != "chance" or not self.restarts:
                return member, result
            self.restarts -= 1
            # the product of normalizers, which bounds the error, continues through a reset
            self._weights, self._afresh = self._start, self._logs

    def _change(self, change: np.ndarray) -> None:
        self._logs = self._logs + change
        self._weights, total = _shares(self._logs)
        self.totals.append(total)
        if self._afresh is not None:
            # only the changes since the reset count for the weights
            self._weights, _ = _shares(np.log(self._start) + (self._logs - self._afresh))


def check_any(owner: object, members: list[Any], failures: dict[int, ilk.IlkError]) -> None:
    """Raise the failure of round 0 where every round failed."""
    if not members:
        name = ilk.display_name(owner)
        raise type(failures[0])(f"{name}: every round failed; the first: {failures[0]}")


def _shares(logs: np.ndarray) -> tuple[np.ndarray, float]:
    """Normalised weights from their logarithms, and the sum before normalising."""
    # relative to the largest, so that exp neither overflows nor makes all weights 0
    most = logs.max()
    weights = np.exp(logs - most)
    total = weights.sum()
    weights /= total
    with np.errstate(over="ignore"):
        return weights, float(total * np.exp(most))
