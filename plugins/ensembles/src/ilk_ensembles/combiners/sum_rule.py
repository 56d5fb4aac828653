"""The sum rule."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ilk_ensembles.combiners.passes import combined, shaped
from ilk_ensembles.combiners.support import SupportCombiner


class Sum(SupportCombiner):
    """Sum rule: the mean over the members of their support for each class.

    ``combined_k = (1/L) sum_j P_j(k)``, where ``P_j`` is member j's support divided by its
    sum over the classes, so that members count alike whatever the scale of their outputs.
    Rows of the result sum to one, up to rounding. The mean decides as the sum does.

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
    by average.

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("sum")
    >>> combined = rule.combine([[[0.45, 0.55]], [[0.6, 0.4]]])
    >>> combined.round(3).tolist(), rule.decide(combined)[0].tolist()
    ([[0.525, 0.475]], [0])
    """

    @classmethod
    def examples(cls) -> list[Self]:
        """Both ways with ties."""
        return [cls(), cls(ties="reject")]

    def combine(self, outputs: Any, X: Any = None) -> np.ndarray:
        from ilk_ensembles.combiners.kernels import weighted

        self.check_parameters()
        outputs = shaped(self, outputs)
        return combined(self, outputs, weighted, np.full(len(outputs), 1 / len(outputs)))
