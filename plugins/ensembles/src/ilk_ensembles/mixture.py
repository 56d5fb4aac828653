"""Experts and a gate that learn together, by expectation and maximisation."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import clone

from ilk_ensembles.base.gate import Gate
from ilk_ensembles.base.members import each_place, fit_each, fit_on_drawn
from ilk_ensembles.base.outputs import check_likely, member_probabilities

_LEAST = 1e-300  # of a probability, so that its logarithm is finite
_NONE = 1e-12  # whoever accounts for less of a case is not shown it
_DECIDED = 1.0  # deviation of a random gate's linear functions


class Mixture:
    """Experts, a gate, and how likely they make the labels of the training cases.

    Parameters
    ----------
    owner : MixtureOfExperts
        Named in errors.
    X : ndarray of shape (n, p)
    codes : ndarray of int, shape (n,)
        Positions of the labels among the owner's classes.
    weights : ndarray of shape (n,)
        Positive.
    members : list of classifiers
        Not fitted.
    rng : RandomState
        For the gate that is begun with.

    Attributes
    ----------
    experts : list of L classifiers
    places : list of str
        What errors call them.
    failures : dict of int to IlkError
        Why others were left out, by their position.
    gate : Gate
    log_likelihoods : list of float
        Weighted mean over the cases, less the gate's penalty: of the start, and of each round.
    """

    def __init__(
        self,
        owner: Any,
        X: np.ndarray,
        codes: np.ndarray,
        weights: np.ndarray,
        members: list[Any],
        rng: np.random.RandomState,
    ) -> None:
        self.owner, self.X, self.codes, self.weights = owner, X, codes, weights
        self._labels = owner.classes_[codes]
        self._mass = weights / weights.max()  # so that no sum overflows
        self._mass = self._mass / self._mass.sum()
        self.gate = Gate.of(X, self._mass, len(members), owner.penalty)
        self._rows = self.gate.rows(X)
        slopes = rng.normal(size=(len(members), X.shape[1]))
        self.gate.coef_[:, 1:] = _DECIDED * slopes / np.sqrt(X.shape[1])
        self._start(members)

    def _start(self, members: list[Any]) -> None:
        """Fit experts to the shares of a random gate; drop those that fail, where asked to."""
        shares = self.gate.shares(self.X)
        kept, self.experts = fit_each(
            self.owner,
            members,
            lambda at, member: self._fit(clone(member, safe=False), shares[:, at]),
            self.owner.n_jobs,
            on_failure=self.owner.on_failure,
        )
        self.failures = self.owner.failures_
        self._members = [members[at] for at in kept]
        self.places = [f"members[{at}]" for at in kept]
        self.gate.coef_ = self.gate.coef_[kept]
        with np.errstate(divide="ignore"):
            self._log_shares = np.log(self.gate.shares(self.X))
        asked = each_place(
            self.owner, self.experts, self._own, self.owner.n_jobs, argument=self.places
        )
        self._logs = np.column_stack(asked)
        self.log_likelihoods = [self._likelihood()]

    def improve(self) -> None:
        """One round."""
        shares = self._responsibilities()
        self._log_shares = self.gate.fit(self._rows, shares, self._mass)

        def one(at: int, expert: Any) -> tuple[Any, np.ndarray]:
            return self._better(at, expert, shares[:, at])

        found = each_place(self.owner, self.experts, one, self.owner.n_jobs, argument=self.places)
        self.experts = [expert for expert, _ in found]
        self._logs = np.column_stack([logs for _, logs in found])
        self.log_likelihoods.append(self._likelihood())

    @property
    def n_rounds(self) -> int:
        """How many rounds there were."""
        return len(self.log_likelihoods) - 1

    def rise(self) -> float:
        """By how much the last round has raised the log-likelihood; infinity before any."""
        if not self.n_rounds:
            return np.inf
        before, after = self.log_likelihoods[-2:]
        return after - before

    def _better(self, at: int, expert: Any, share: np.ndarray) -> tuple[Any, np.ndarray]:
        """The expert fitted anew, or the one before where that accounts better for its share."""
        before = self._logs[:, at]
        if not (share > _NONE).any():
            return expert, before
        other = self._fit(clone(self._members[at], safe=False), share)
        logs = self._own(at, other)
        own = self._mass * share
        return (other, logs) if own @ logs >= own @ before else (expert, before)

    def _fit(self, member: Any, share: np.ndarray) -> Any:
        rows = np.flatnonzero(share > _NONE)
        if len(rows) == len(share):
            return check_likely(fit_on_drawn(member, self.X, self._labels, self.weights * share))
        weights = self.weights[rows] * share[rows]
        return check_likely(fit_on_drawn(member, self.X[rows], self._labels[rows], weights))

    def _own(self, _: int, expert: Any) -> np.ndarray:
        """Logarithm of what an expert gives the label of each case."""
        given = member_probabilities(expert, self.X, self.owner.classes_)
        own = given[np.arange(len(given)), self.codes].astype(float)
        return np.asarray(np.log(np.maximum(own, _LEAST)))

    def _responsibilities(self) -> np.ndarray:
        """How much of each case each expert accounts for; shape (n, L), rows sum to 1."""
        joint = self._logs + self._log_shares
        return np.asarray(np.exp(joint - logsumexp(joint, axis=1, keepdims=True)))

    def _likelihood(self) -> float:
        logs = self._mass @ logsumexp(self._logs + self._log_shares, axis=1)
        return float(logs - self.gate.penalty / 2 * (self.gate.coef_[:, 1:] ** 2).sum())
