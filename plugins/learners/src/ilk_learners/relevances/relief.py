"""relief: what tells a row from its nearest one of another class, but not of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ilk import Param, Relevance, Seed, check_vectors
from ilk_learners.relevances.draws import N_DRAWS, by_class, draw, in_ranges, summed
from ilk_learners.targets import read_classes


class Relief(Relevance):
    """Relief: how much more a feature differs at the nearest miss than at the nearest hit.

    With features divided by their ranges, NH(x) the nearest other row of the class of x and
    NM(x) the nearest one of any other class, by Euclidean distance over all features::

        c_p = mean over drawn x of |x_p - NM(x)_p| - |x_p - NH(x)_p|

    Negative scores become 0. Since neighbours are sought in all features, one that matters
    only together with others is found (exclusive or), as long as there are not too many
    that do not matter.

    Rows at the same distance share the place of the nearest, so neither their order nor
    the features' changes the scores. A row that is alone in its class is not drawn.

    Parameters
    ----------
    n_draws : int or None, default=None
        Rows x that are drawn, none twice; None, or more than there are: all, and nothing is
        left to chance.
    random_state : int, Generator, RandomState or None, default=None
        For drawing.

    Raises
    ------
    InputError
        If y has one class only, or holds numbers that are no labels, or if no class has two
        rows.

    References
    ----------
    Kira and Rendell, "A practical approach to feature selection", ICML 1992 (with squared
    differences). Zaidi 2011, equation (5.3), which prints a plus before the second difference.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> ilk.relevance("relief").scores(X, ["a", "a", "b", "b"])
    array([1., 0.])
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "n_draws": N_DRAWS,
        "random_state": Param(Seed, doc="For drawing."),
    }

    def __init__(self, n_draws: int | None = None, random_state: Any = None) -> None:
        self.n_draws = n_draws
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(n_draws=25, random_state=0)]

    def scores(self, X: Any, y: Any) -> np.ndarray:
        """Relief's score of each feature, from 0 to 1; array of shape (p,)."""
        from ilk_learners.relevances.nearest_kernels import margins

        self.check_parameters()
        X = check_vectors(self, X, min_rows=2)
        known = by_class(self, in_ranges(X), read_classes(self, y, X))
        drawn = draw(self, known.paired)
        one = np.empty(0)

        def add(some: np.ndarray, out: np.ndarray) -> None:
            margins(known.rows, known.columns, known.starts, one, some, 1, True, out)

        return np.clip(summed(add, drawn, (X.shape[1],)) / len(drawn), 0, 1)
