"""Fixed rules: sum, maximum, minimum, median, product and Borda count, without weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from ilk_ensembles.combiners.support import SupportCombiner, as_outputs, combine_blocks

if TYPE_CHECKING:
    from ilk import ArrayLike, Cases


class _FixedRule(SupportCombiner):
    """Combines support by a parameter-free compiled rule of `kernels`."""

    _kernel: ClassVar[str]

    @classmethod
    def examples(cls) -> list[Self]:
        """Both ways with ties."""
        return [cls(), cls(ties="reject")]

    def combine(self, outputs: ArrayLike, X: Cases | None = None) -> np.ndarray:
        from ilk_ensembles.combiners import rule_kernels as kernels

        self.check_parameters()
        return combine_blocks(self, outputs, getattr(kernels, self._kernel))


class Max(_FixedRule):
    """Maximum rule: for each class the largest support of the members, ``max_j P_j(k)``.

    ``P_j`` is normalised as in `sum`.

    References
    ----------
    Ntoutsi 2015: Combination of class predictions; Combination example.

    Kittler, Hatef, Duin & Matas (1998).

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("max")
    >>> combined = rule.combine([[[0.45, 0.55]], [[0.6, 0.4]]])
    >>> combined.round(3).tolist(), rule.decide(combined)[0].tolist()
    ([[0.6, 0.55]], [0])
    """

    _kernel = "largest"


class Min(_FixedRule):
    """Minimum rule: for each class the smallest support of the members, ``min_j P_j(k)``.

    ``P_j`` is normalised as in `sum`. If the result is zero for every class, all classes get equal
    support: a tie.

    References
    ----------
    Ntoutsi 2015: Combination of class predictions; Combination example.

    Kittler, Hatef, Duin & Matas (1998).

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("min")
    >>> combined = rule.combine([[[0.45, 0.55]], [[0.6, 0.4]]])
    >>> combined.round(3).tolist(), rule.decide(combined)[0].tolist()
    ([[0.45, 0.4]], [0])
    """

    _kernel = "smallest"


class Median(_FixedRule):
    """Median rule: for each class the median support of the members, ``median_j P_j(k)``.

    ``P_j`` is normalised as in `sum`. For an even number of members the median is the mean of the
    two middle values. If the result is zero for every class, all classes get equal support: a
    tie.

    References
    ----------
    Evaluation slides: Remarks on Combination; Bagging.

    Kittler, Hatef, Duin & Matas (1998).

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("median")
    >>> combined = rule.combine([[[0.45, 0.55]], [[0.6, 0.4]]])
    >>> combined.round(3).tolist(), rule.decide(combined)[0].tolist()
    ([[0.525, 0.475]], [0])
    """

    _kernel = "median"


class Product(_FixedRule):
    """Product rule: for each class the product of the members' support.

    ``combined_k = prod_j P_j(k) / sum_c prod_j P_j(c)``, with P_j as in `sum`, computed with
    separate exponents, so that nothing underflows. Rows of the result sum to one, up to rounding.

    A class without support by some member has product zero. If every class has product zero,
    all zeros are replaced by one very small number: the classes with the fewest zeros share the
    support in proportion to the product of their other factors.

    References
    ----------
    Evaluation slides: Product Rule.

    Ntoutsi 2015: Combination of class predictions; Combination example (printed there without the
    division).

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("product")
    >>> combined = rule.combine([[[0.45, 0.55]], [[0.6, 0.4]]])  # 0.27 : 0.22
    >>> combined.round(3).tolist(), rule.decide(combined)[0].tolist()
    ([[0.551, 0.449]], [0])
    """

    _kernel = "product"


class Sum(_FixedRule):
    """Sum rule: for each class the mean support of the members.

    ``combined_k = (1/L) sum_j P_j(k)``, where ``P_j`` is member j's support divided by its
    sum over the classes, so that members count equally whatever the scale of their outputs.
    Rows of the result sum to one, up to rounding. Mean and sum give the same decision.

    References
    ----------
    Evaluation slides: Sum Rule; Voting.

    Ntoutsi 2015: Combination of class predictions; Combination example.

    Cunningham 2008: equation 2.25.

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("sum")
    >>> combined = rule.combine([[[0.45, 0.55]], [[0.6, 0.4]]])
    >>> combined.round(3).tolist(), rule.decide(combined)[0].tolist()
    ([[0.525, 0.475]], [0])
    """

    def combine(self, outputs: ArrayLike, X: Cases | None = None) -> np.ndarray:
        from ilk_ensembles.combiners.rule_kernels import weighted

        self.check_parameters()
        outputs = as_outputs(self, outputs)
        return combine_blocks(self, outputs, weighted, np.full(len(outputs), 1 / len(outputs)))


class Borda(_FixedRule):
    """Borda count: members rank the classes; a class gets a point for each one it beats.

    A class gets from each member one point for each class with less support, and half a point
    for each class with equal support. Points are divided by their sum, so that rows of the
    result sum to one, up to rounding. Only the order of a member's support counts.

    References
    ----------
    Borda (1781); Ho, Hull & Srihari (1994), "Decision combination in multiple classifier
    systems".

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("borda")  # ranks: first, second, third; second, first, third
    >>> rule.combine([[[0.6, 0.3, 0.1]], [[0.2, 0.7, 0.1]]]).tolist()
    [[0.5, 0.5, 0.0]]
    """

    def combine(self, outputs: ArrayLike, X: Cases | None = None) -> np.ndarray:
        from ilk_ensembles.combiners.rule_kernels import borda

        self.check_parameters()
        points = combine_blocks(self, outputs, borda, most=math.inf)
        # a single class beats no other: its 0 points cannot be divided by their sum
        if points.shape[1] == 1:
            points[:] = 1
        total = points.sum(axis=1, keepdims=True)
        points /= total
        return points
