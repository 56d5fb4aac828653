"""The weighted sum rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from ilk import Array, ArrayLike, check_fitted, param
from ilk_ensembles.combiners.support import SupportCombiner, as_outputs, combine_blocks
from ilk_ensembles.combiners.weights import (
    check_given,
    for_members,
    held_out_codes,
    least_squares,
    normalized,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ilk import Cases, Labels


class WeightedSum(SupportCombiner):
    """Weighted sum rule: the mean of the members' support, each with its own weight.

    ``combined_k = sum_j w_j P_j(k) / sum_j w_j``, where ``P_j`` is member j's support divided by
    its sum over the classes. Rows of the result sum to one, up to rounding.

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
    Zaidi 2011: equations 10.5, 10.18 (whose weights sum to less than 1; here they are divided by
    their sum).

    Cunningham 2008: section 2.5.3; equation 2.26.

    Evaluation slides: Voting.

    Breiman (1996), "Stacked regressions", for learned weights.

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("weighted_sum", weights=[3, 1])
    >>> rule.combine([[[0.45, 0.55]], [[0.6, 0.4]]]).round(4).tolist()
    [[0.4875, 0.5125]]
    """

    weights: ArrayLike | str = param(
        default="uniform",
        type=Array,
        choices=("uniform", "pyramid", "learned"),
        form='{"uniform", "pyramid", "learned"} or array of shape (L,)',
        doc='"uniform": the sum rule. "pyramid": for members of the levels 0 to Q of a '
        "pyramid, in this order, ``1 / 2^(Q - i + 1)``: each level counts twice as much as "
        'the one before. "learned": in `fit`, from held-out outputs: the non-negative weights '
        "whose sum is nearest to the true labels, by least squares. Numbers are "
        "used as they are.",
    )
    waivers: ClassVar[Mapping[str, str]] = {
        "check_member_permutation#2": "levels of a pyramid have an order",
        "check_member_permutation#3": "given weights belong to the members in their order",
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """Every kind of weights."""
        return [
            cls(weights="learned"),
            cls(),
            cls(weights="pyramid"),
            cls(weights=[3, 1, 0, 2.5, 1], ties="reject"),
        ]

    @property
    def needs_fit(self) -> bool:
        """Whether weights are learned."""
        return isinstance(self.weights, str) and self.weights == "learned"

    def check_parameters(self) -> None:
        """Check each parameter, and that given weights are non-negative and not all 0."""
        super().check_parameters()
        if not isinstance(self.weights, str):
            check_given(self, self.weights)

    def fit(self, outputs: ArrayLike, y: Labels, X: Cases | None = None) -> Self:
        """Learn weights from held-out outputs and codes of the true labels, if so configured."""
        self.check_parameters()
        if self.needs_fit:
            support = normalized(self, outputs)
            weights = least_squares(support, held_out_codes(self, support, y))
            self.weights_ = for_members(self, weights, len(support))
        return self

    def combine(self, outputs: ArrayLike, X: Cases | None = None) -> np.ndarray:
        from ilk_ensembles.combiners.rule_kernels import weighted

        self.check_parameters()
        outputs = as_outputs(self, outputs)
        weights = for_members(self, self._weights(len(outputs)), len(outputs))
        return combine_blocks(self, outputs, weighted, weights)

    def restricted(self, positions: Sequence[int], n_members: int) -> Self:
        """The rule for a subset of the members, each with its weight."""
        if self.needs_fit:
            return self
        weights = for_members(self, self._weights(n_members), n_members)[positions]
        return type(self)(weights=weights, ties=self.ties, cost=self.cost)

    def _weights(self, n_members: int) -> np.ndarray:
        if not isinstance(self.weights, str):
            return np.asarray(self.weights, dtype=float)
        if self.weights == "learned":
            check_fitted(self)
            return self.weights_
        if self.weights == "uniform":
            return np.ones(n_members)
        return np.asarray(0.5 ** np.arange(n_members, 0, -1.0))
