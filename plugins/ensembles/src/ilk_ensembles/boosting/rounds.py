"""Rounds of boosting: a member is fitted by weights, judged, and weights are changed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

import ilk
from ilk_ensembles.base.progress import Progress

if TYPE_CHECKING:
    from ilk_ensembles.boosting.weak_learner import WeakLearner

Stop = Literal["perfect", "chance"]


class RoundResult(NamedTuple):
    """Result of a round.

    Attributes
    ----------
    error : float
        Of the member, by the weights of the round.
    alpha : float
        The weight of its vote.
    change : ndarray of shape (n,)
        What is added to the logarithms of the weights, up to a constant.
    stop : {"perfect", "chance"} or None
        Why it is the last round; "chance": the member is of no use.
    """

    error: float
    alpha: float
    change: np.ndarray
    stop: Stop | None = None


class Rounds(ABC):
    """Boosts members until their number is reached, one does not err, or one is of no use.

    A member of no use is left out, unless it is the first one. Weights are kept as logarithms:
    what is small is not lost.

    Parameters
    ----------
    owner : Component
        Says ``n_members``, ``on_failure`` and ``verbose``.
    learner : WeakLearner
    y : ndarray of shape (n,)
        Targets of the members.
    start : ndarray of shape (n,)
        Weights of the first round; they sum to 1.
    restarts : int
        How often weights start afresh where a member is of no use, which is then tried again.

    Attributes
    ----------
    members, alphas, errors : list
        Of the rounds that count.
    totals : list of float
        Sum of the weights after each, as changed and never divided by their sum.
    failures : dict of int to IlkError
        Rounds that failed, from 0.
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
        self._logs = np.log(start)  # of weights that are never divided by their sum
        self._afresh: np.ndarray | None = None  # those when weights last started afresh

    @abstractmethod
    def evaluate(self, member: Any, number: int, weights: np.ndarray) -> RoundResult:
        """Tell how good a fitted member is, by weights that sum to 1."""

    def accepts(self, y: np.ndarray) -> bool:
        """Tell whether drawn targets are any use."""
        return True

    def run(self) -> None:
        """Do the rounds.

        Raises
        ------
        IlkError
            If a member fails and ``on_failure`` is "raise", or all of them do.
        """
        progress = Progress(self.owner, self.owner.n_members, self.owner.verbose, "rounds")
        for number in range(self.owner.n_members):
            progress.step(self._round(number))
            if self.stop is not None:
                break
        check_any(self.owner, self.members, self.failures)

    def _round(self, number: int) -> str:
        """Do a round; return its result as text."""
        try:
            member, found = self._useful(number)
        except ilk.IlkError as error:
            if self.owner.on_failure == "raise":
                raise
            self.failures[number] = error
            return "failed"
        self.stop = found.stop
        if found.stop != "chance" or not self.members:
            self.members.append(member)
            self.alphas.append(found.alpha)
            self.errors.append(found.error)
            self._change(found.change)
        return f"error {found.error:.3g}"

    def _useful(self, number: int) -> tuple[Any, RoundResult]:
        """A fitted member that is of use, as long as there are restarts."""
        while True:
            member = self.learner.fit(number, self.y, self._weights, self.accepts)
            found = self.evaluate(member, number, self._weights)
            if found.stop != "chance" or not self.restarts:
                return member, found
            self.restarts -= 1
            self._weights, self._afresh = self._start, self._logs

    def _change(self, change: np.ndarray) -> None:
        self._logs = self._logs + change
        self._weights, total = _shares(self._logs)
        self.totals.append(total)
        if self._afresh is not None:
            self._weights, _ = _shares(np.log(self._start) + (self._logs - self._afresh))


def check_any(owner: Any, members: list[Any], failures: dict[int, ilk.IlkError]) -> None:
    """Raise the first failure, of round 0, where every round failed."""
    if not members:
        name = ilk.display_name(owner)
        raise type(failures[0])(f"{name}: every round failed; the first: {failures[0]}")


def _shares(logs: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights of given logarithms divided by their sum, and that sum."""
    most = logs.max()
    weights = np.exp(logs - most)
    total = weights.sum()
    weights /= total
    with np.errstate(over="ignore"):
        return weights, float(total * np.exp(most))
