"""Majority voting, plain and weighted."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

import ilk
from ilk import Array, ArrayLike, check_fitted, param
from ilk_ensembles.combiners.support import (
    SupportCombiner,
    as_outputs,
    check_support,
    combine_blocks,
    combine_label_blocks,
    too_few,
    winners,
)
from ilk_ensembles.combiners.weights import check_given, for_members, held_out_codes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ilk import Cases, Labels


class Majority(ilk.Combiner):
    """Majority voting rule: decides if enough members agree on a label, else rejects.

    Each member has one vote, for the class of its largest support. A member with tied support
    splits its vote among the tied classes. ``combined_k`` is the share of the L votes for class
    k. With threshold "half" at least ``l_c`` votes are needed::

        l_c = L/2 + 1 for even L, (L + 1)/2 for odd L

    References
    ----------
    Evaluation slides: Majority Voting Rule.

    Ntoutsi 2015: Ensemble error; Bagging.

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("majority")
    >>> combined = rule.combine([[[1, 0], [0.7, 0.3]], [[0, 1], [0.6, 0.4]]])
    >>> codes, rejected = rule.decide(combined)
    >>> combined.tolist(), rejected.tolist()
    ([[0.5, 0.5], [1.0, 0.0]], [True, False])
    """

    needs = "labels"
    threshold: float | str = param(
        default="half",
        type=float,
        ge=0,
        le=1,
        choices=("half", "consensus"),
        doc='"half": more than half of the votes. "consensus": all votes. A number between 0 '
        "and 1: at least that share; 0 never rejects (plurality).",
    )
    ties: str = param(
        default="first",
        choices=("first", "reject"),
        doc="If several classes have most votes, and enough: take the first, or reject.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """The three kinds of threshold."""
        return [cls(), cls(threshold="consensus"), cls(threshold=0.3, ties="reject")]

    def combine(self, outputs: ArrayLike, X: Cases | None = None) -> np.ndarray:
        from ilk_ensembles.combiners.rule_kernels import ballots

        self.check_parameters()
        outputs = as_outputs(self, outputs)
        return combine_blocks(self, outputs, ballots, _alike(len(outputs)))

    def combine_labels(
        self, codes: np.ndarray, n_classes: int, X: Cases | None = None
    ) -> np.ndarray:
        from ilk_ensembles.combiners.rule_kernels import label_ballots

        self.check_parameters()
        return combine_label_blocks(self, codes, n_classes, label_ballots, _alike(len(codes)))

    def decide(self, combined: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.check_parameters()
        votes = check_support(self, combined)
        codes, tied, most = winners(self, votes)
        rejected = too_few(most, self.threshold)
        return codes, rejected | (tied & (self.ties == "reject"))


def _alike(n_members: int) -> np.ndarray:
    return np.full(n_members, 1 / max(n_members, 1))


class WeightedMajority(SupportCombiner):
    """Weighted majority voting rule: each member votes for its label with its own weight.

    ``combined_k = sum of w_j over the members whose label is k / sum_j w_j``. A member whose
    support is tied splits its vote among the tied classes.

    Attributes
    ----------
    weights_ : ndarray of shape (L,)
        Set by `fit` if weights are learned; they sum to one, up to rounding.

    Raises
    ------
    ParameterError
        If weights are negative, not finite, all 0, or do not match the number of members.

    References
    ----------
    Arras: Ensemble Learning; AdaBoost Inference and Decision.

    Nitzan & Paroush (1982), for the weights of independent members.

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("weighted_majority", weights=[3, 1, 1])
    >>> rule.combine_labels([[0], [1], [1]], 2).round(3).tolist()
    [[0.6, 0.4]]
    """

    needs = "labels"
    weights: ArrayLike | str = param(
        default="learned",
        type=Array,
        choices=("learned",),
        form='"learned" or array of shape (L,)',
        doc='"learned": in `fit`, from held-out labels: ``w_j = ln((1 - e_j)/e_j) + ln(C - '
        "1)`` with ``e_j`` the error rate of member j, at least 1/(2n) and at "
        "most 1 - 1/(2n). Members no better than chance get weight 0; if all are, weights are "
        "equal. For two classes these weights are optimal if members err "
        "independently.",
    )
    threshold: float | str = param(
        default=0,
        type=float,
        ge=0,
        le=1,
        choices=("half", "consensus"),
        doc="Least share of the total weight that decides, as in `majority`; a smaller share is "
        "rejected. 0 never rejects.",
    )
    waivers: ClassVar[Mapping[str, str]] = {
        "check_member_permutation#1": "given weights belong to the members in their order",
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """Learned weights, and given ones."""
        return [cls(), cls(weights=[3, 1, 0, 2.5, 1], threshold="half", ties="reject")]

    @property
    def needs_fit(self) -> bool:
        """Whether weights are learned."""
        return isinstance(self.weights, str)

    def check_parameters(self) -> None:
        """Check each parameter, and that given weights are non-negative and not all 0."""
        super().check_parameters()
        if not isinstance(self.weights, str):
            check_given(self, self.weights)

    def fit(self, outputs: ArrayLike, y: Labels, X: Cases | None = None) -> Self:
        """Learn weights from held-out labels, as outputs, and the codes of the true labels."""
        self.check_parameters()
        if self.needs_fit:
            support = ilk.check_outputs(self, outputs)
            codes = held_out_codes(self, support, y)
            weights = _log_odds(_wrong(support, codes), len(codes), support.shape[2])
            self.weights_ = for_members(self, weights, len(support))
        return self

    def combine(self, outputs: ArrayLike, X: Cases | None = None) -> np.ndarray:
        from ilk_ensembles.combiners.rule_kernels import ballots

        self.check_parameters()
        outputs = as_outputs(self, outputs)
        return combine_blocks(self, outputs, ballots, self._weights(len(outputs)))

    def combine_labels(
        self, codes: np.ndarray, n_classes: int, X: Cases | None = None
    ) -> np.ndarray:
        from ilk_ensembles.combiners.rule_kernels import label_ballots

        self.check_parameters()
        weights = self._weights(len(codes))
        return combine_label_blocks(self, codes, n_classes, label_ballots, weights)

    def decide(self, combined: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        codes, rejected = super().decide(combined)
        votes = check_support(self, combined)
        return codes, rejected | too_few(votes[np.arange(len(votes)), codes], self.threshold)

    def restricted(self, positions: Sequence[int], n_members: int) -> Self:
        """The rule for a subset of the members, each with its weight."""
        if self.needs_fit:
            return self
        weights = self._weights(n_members)[positions]
        return type(self)(weights=weights, threshold=self.threshold, ties=self.ties, cost=self.cost)

    def _weights(self, n_members: int) -> np.ndarray:
        if self.needs_fit:
            check_fitted(self)
        weights = self.weights_ if self.needs_fit else np.asarray(self.weights, dtype=float)
        return for_members(self, weights, n_members)


def _wrong(support: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Share of each member's votes that is wrong; shape (L,)."""
    # a member that supports several classes most gives each an equal part of its vote
    most = support == support.max(axis=2, keepdims=True)
    right = (most / most.sum(axis=2, keepdims=True))[:, np.arange(len(codes)), codes]
    return np.asarray(1 - right.mean(axis=1))


def _log_odds(errors: np.ndarray, n: int, n_classes: int) -> np.ndarray:
    # a rate of 0 or 1 in n samples may be chance: half an error keeps the weight finite
    least = 1 / (2 * n)
    errors = np.clip(errors, least, 1 - least)
    # ln((1 - e) / e) + ln(C - 1): optimal if members err independently, and alike in all wrong
    # classes
    weights = np.log((1 - errors) / errors) + np.log(max(n_classes - 1, 1))
    # a member worse than chance has no vote, not a negative one
    weights = np.maximum(weights, 0)
    return weights if weights.any() else np.ones(len(errors))
