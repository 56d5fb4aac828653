"""Bayesian model averaging."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

import ilk
from ilk import Array, ArrayLike, check_fitted, param
from ilk_ensembles.combiners.support import SupportCombiner, as_outputs, combine_blocks
from ilk_ensembles.combiners.weights import (
    check_given,
    for_members,
    held_out_codes,
    log_likelihoods,
    normalized,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ilk import Cases, Labels


class BayesianAverage(SupportCombiner):
    """Bayesian model averaging: the members' mean support, weighted by their posteriors.

    ``combined_k = sum_j P(M_j | D) P_j(k)`` with ``P(M_j | D)`` proportional to
    ``P(M_j) prod_i P_j(y_i)``: the prior of member j times its likelihood of the held-out
    labels, whose probabilities count as at least `floor`. The more rows are held out, the more the
    best member dominates.

    Attributes
    ----------
    posteriors_ : ndarray of shape (L,)
        Set by `fit` if the posteriors are learned.
    log_likelihoods_ : ndarray of shape (L,)
        Log-likelihood of the held-out labels, in nats.

    Raises
    ------
    ParameterError
        If posteriors or prior are negative, not finite, all 0, or do not match the number of
        members.
    InputError
        If every member with positive prior gives a held-out label probability 0, and `floor` is 0.

    References
    ----------
    Evaluation slides: Bayesian Perspective.

    Hoeting, Madigan, Raftery & Volinsky (1999).

    Examples
    --------
    >>> import ilk
    >>> outputs = [[[0.9, 0.1], [0.2, 0.8]], [[0.6, 0.4], [0.4, 0.6]]]
    >>> rule = ilk.combiner("bayesian_average").fit(outputs, [0, 1])
    >>> rule.posteriors_.round(3).tolist()  # 0.72 : 0.36
    [0.667, 0.333]
    """

    posteriors: ArrayLike | None = param(
        default=None,
        type=Array,
        form="array of shape (L,)",
        doc="Posteriors to use instead of learned ones; normalised by their sum.",
    )
    prior: ArrayLike | None = param(
        default=None,
        type=Array,
        form="array of shape (L,)",
        doc="Prior of each member; uniform if left out.",
    )
    floor: float = param(
        default=1e-6,
        ge=0,
        lt=1,
        doc="Least probability of a held-out label in the likelihood. With 0, a single label of "
        "probability 0, as votes of few neighbours often give, excludes a member.",
    )
    waivers: ClassVar[Mapping[str, str]] = {
        "check_member_permutation#2": "given posteriors belong to the members in their order",
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """Learned posteriors, from two priors, and given ones."""
        return [
            cls(),
            cls(prior=[1, 2, 1, 1, 1]),
            cls(posteriors=[0.2, 0.1, 0.4, 0.2, 0.1], ties="reject"),
        ]

    @property
    def needs_fit(self) -> bool:
        """Whether posteriors are learned."""
        return self.posteriors is None

    def check_parameters(self) -> None:
        """Check each parameter, and that posteriors and prior can be weights."""
        super().check_parameters()
        for name in ("posteriors", "prior"):
            if getattr(self, name) is not None:
                check_given(self, getattr(self, name), name)

    def fit(self, outputs: ArrayLike, y: Labels, X: Cases | None = None) -> Self:
        """Learn the posteriors from held-out outputs and the codes of the true labels."""
        self.check_parameters()
        if not self.needs_fit:
            return self
        support = normalized(self, outputs)
        n_members = len(support)
        prior = np.ones(n_members) if self.prior is None else np.asarray(self.prior, dtype=float)
        prior = for_members(self, prior, n_members, "prior")
        self.log_likelihoods_ = log_likelihoods(
            np.maximum(support, self.floor), held_out_codes(self, support, y)
        )
        with np.errstate(divide="ignore"):
            # a member of prior 0 has the logarithm -inf, and the posterior 0
            logs = np.log(prior) + self.log_likelihoods_
        if logs.max() == -np.inf:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: every member gives some held-out label probability "
                f"0, so no member has a posterior; set floor above 0"
            )
        # relative to the largest: likelihoods of many samples underflow
        posterior = np.exp(logs - logs.max())
        self.posteriors_ = posterior / posterior.sum()
        return self

    def combine(self, outputs: ArrayLike, X: Cases | None = None) -> np.ndarray:
        from ilk_ensembles.combiners.rule_kernels import weighted

        self.check_parameters()
        if self.needs_fit:
            check_fitted(self)
        outputs = as_outputs(self, outputs)
        given = self.posteriors_ if self.needs_fit else np.asarray(self.posteriors, dtype=float)
        weights = for_members(self, given, len(outputs), "posteriors")
        return combine_blocks(self, outputs, weighted, weights)
