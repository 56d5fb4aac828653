"""The cascade rule: the first member that is confident enough decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import Array, ArrayLike, param
from ilk_ensembles.combiners.support import ULPS, SupportCombiner, as_outputs, combine_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ilk import Cases


THRESHOLD: Any = param(
    default=0.9,
    type=(float, Array),
    ge=0,
    le=1,
    form="float or array of shape (L - 1,)",
    doc="Least confidence of a prediction: one for all members, or one for each but the last, in "
    "the order of querying.",
)
COSTS: Any = param(
    default=None,
    type=Array,
    form="array of shape (L,)",
    doc="Costs of the members: the cheapest is queried first, of equal ones the first. If left out "
    "they are queried in the given order.",
)


class Cascade(SupportCombiner):
    """Cascade: of members in a fixed order, the first that is confident enough decides.

    A member is confident enough if its largest support, divided by the sum over the classes, is
    at least the threshold. The last member decides the remaining samples.

    Raises
    ------
    ParameterError
        If the number of thresholds or costs does not match, or costs are not finite.

    See Also
    --------
    ilk_ensembles.classifiers.cascade.Cascade : Queries later members only on remaining rows.

    References
    ----------
    Evaluation slides: Cascading.

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("cascade", threshold=0.8)
    >>> outputs = [[[0.9, 0.1], [0.6, 0.4]], [[0.3, 0.7], [0.3, 0.7]]]
    >>> rule.combine(outputs).round(3).tolist(), rule.answered_by(outputs).tolist()
    ([[0.9, 0.1], [0.3, 0.7]], [0, 1])
    """

    threshold: float | ArrayLike = THRESHOLD
    costs: ArrayLike | None = COSTS
    waivers: ClassVar[Mapping[str, str]] = {
        "check_member_permutation": "members have an order",
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """One threshold, and one for each member with costs."""
        return [cls(), cls(threshold=[0.9, 0.8, 0.7, 0.6], costs=[3, 1, 2, 5, 4], ties="reject")]

    def check_parameters(self) -> None:
        """Check each parameter, that thresholds are in [0, 1] and costs finite."""
        super().check_parameters()
        thresholds = np.asarray(self.threshold, dtype=float)
        if thresholds.ndim > 1 or not ((thresholds >= 0) & (thresholds <= 1)).all():
            raise self.parameter_error(
                "threshold", f"must be within 0..1, one or one per member, got {self.threshold!r}"
            )
        if self.costs is not None:
            costs = np.asarray(self.costs, dtype=float)
            if costs.ndim != 1 or not np.isfinite(costs).all():
                raise self.parameter_error(
                    "costs", f"must be one finite number per member, got {self.costs!r}"
                )

    def order(self, n_members: int) -> np.ndarray:
        """Positions of the members in the order of querying; shape (L,).

        Raises
        ------
        ParameterError
            If the number of costs does not match.
        """
        if self.costs is None:
            return np.arange(n_members)
        if len(self.costs) != n_members:
            raise self.parameter_error(
                "costs", f"are for {len(self.costs)} members, there are {n_members}"
            )
        return np.argsort(np.asarray(self.costs, dtype=float), kind="stable")

    def thresholds(self, n_members: int) -> np.ndarray:
        """Threshold of each member but the last, in the order of querying; shape (L - 1,).

        Raises
        ------
        ParameterError
            If the number of thresholds does not match.
        """
        given = np.asarray(self.threshold, dtype=float)
        if given.ndim == 0:
            return np.full(n_members - 1, float(given))
        if len(given) != n_members - 1:
            raise self.parameter_error(
                "threshold",
                f"must be {n_members - 1} numbers, one for each member but the last, got "
                f"{len(given)}",
            )
        return given

    def restricted(self, positions: Sequence[int], n_members: int) -> Self:
        """The rule for a subset of the members, which keep their order and thresholds."""
        order = self.order(n_members).tolist()
        # the last member has no threshold; another may become the last
        limits = dict(zip(order, [*self.thresholds(n_members), 1.0], strict=True))
        queried = [position for position in order if position in positions]
        # costs that have the members queried in this order
        costs = np.argsort([list(positions).index(position) for position in queried])
        return type(self)(
            threshold=np.array([limits[at] for at in queried[:-1]]),
            costs=costs,
            ties=self.ties,
            cost=self.cost,
        )

    def answered_by(self, outputs: ArrayLike) -> np.ndarray:
        """Position of the member that decides each sample; array of int of shape (n,)."""
        return self._decided(outputs)[1]

    def combine(self, outputs: ArrayLike, X: Cases | None = None) -> np.ndarray:
        return self._decided(outputs)[0]

    def _decided(self, outputs: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Support for each class, and the position of the member that decides."""
        from ilk_ensembles.combiners.rule_kernels import first_sure

        self.check_parameters()
        outputs = as_outputs(self, outputs)
        n_members, n, _ = outputs.shape
        order, thresholds = self.order(n_members), self.thresholds(n_members)
        deciders = np.empty(n, dtype=np.intp)
        limits = thresholds - ULPS  # a rounded 0.9 still reaches 0.9
        support = combine_blocks(self, outputs, first_sure, order, limits, by_sample=[deciders])
        return support, deciders
