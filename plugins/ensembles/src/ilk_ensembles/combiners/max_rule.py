"""The max rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from ilk_ensembles.combiners.passes import combined
from ilk_ensembles.combiners.support import SupportCombiner

if TYPE_CHECKING:
    import numpy as np


class Max(SupportCombiner):
    """Maximum rule: the largest support of any member for each class, ``max_j P_j(k)``.

    ``P_j`` is member j's support divided by its sum over the classes.

    Parameters
    ----------
    ties : {"first", "reject"}, default="first"
        A tie goes to the first class, or is rejected.
    cost : array of shape (C, C), optional
        ``cost[j][k]`` is the cost of deciding for class k where class j is true; the decision
        then is for the least expected cost ``sum_j combined_j cost[j][k]``.

    Raises
    ------
    InputError
        If outputs have a wrong shape, a value that is negative or not finite, or a row of
        zeros.

    References
    ----------
    System Evaluation slides, "Combining Classifiers"; Ntoutsi & Schubert (2015), combination
    by maximum; Kittler, Hatef, Duin & Matas (1998).

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("max")
    >>> combined = rule.combine([[[0.45, 0.55]], [[0.6, 0.4]]])
    >>> combined.round(3).tolist(), rule.decide(combined)[0].tolist()
    ([[0.6, 0.55]], [0])
    """

    @classmethod
    def examples(cls) -> list[Self]:
        """Both ways with ties."""
        return [cls(), cls(ties="reject")]

    def combine(self, outputs: Any, X: Any = None) -> np.ndarray:
        from ilk_ensembles.combiners.kernels import largest

        self.check_parameters()
        return combined(self, outputs, largest)
