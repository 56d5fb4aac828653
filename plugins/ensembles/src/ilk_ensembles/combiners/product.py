"""The product rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from ilk_ensembles.combiners.passes import combined
from ilk_ensembles.combiners.support import SupportCombiner

if TYPE_CHECKING:
    import numpy as np


class Product(SupportCombiner):
    """Product rule: the product over the members of their support for each class.

    ``combined_k = prod_j P_j(k) / sum_c prod_j P_j(c)``, kept as a number and a power
    of two, so that nothing underflows. Rows of the result sum to one, up to rounding.

    A class to which a member gives no support has product zero. Where that is so for every
    class, the zeros are taken as one very small number: the classes with the fewest zeros
    share the support in proportion to the product of the rest.

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
    by product (printed there without the division).

    Examples
    --------
    >>> import ilk
    >>> rule = ilk.combiner("product")
    >>> combined = rule.combine([[[0.45, 0.55]], [[0.6, 0.4]]])  # 0.27 : 0.22
    >>> combined.round(3).tolist(), rule.decide(combined)[0].tolist()
    ([[0.551, 0.449]], [0])
    """

    @classmethod
    def examples(cls) -> list[Self]:
        """Both ways with ties."""
        return [cls(), cls(ties="reject")]

    def combine(self, outputs: Any, X: Any = None) -> np.ndarray:
        from ilk_ensembles.combiners.product_kernels import product

        self.check_parameters()
        return combined(self, outputs, product)
