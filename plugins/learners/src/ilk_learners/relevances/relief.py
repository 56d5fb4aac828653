"""relief and relieff: features that differ at near rows of other classes, not of the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from ilk import RandomState, Relevance, Seed, check_vectors, param
from ilk_learners.relevances.draws import N_DRAWS, by_class, draw, in_ranges, summed
from ilk_learners.targets import TARGETS, Targets, read_classes, read_targets

if TYPE_CHECKING:
    from ilk import Cases, Labels


class Relief(Relevance):
    """Relief: difference of a feature at the nearest miss minus that at the nearest hit.

    With features divided by their ranges, NH(x) the nearest other row of the class of x and
    NM(x) the nearest one of any other class, by Euclidean distance over all features::

        c_p = mean over drawn x of |x_p - NM(x)_p| - |x_p - NH(x)_p|

    Negative scores become 0. Neighbours are searched in all features, so features that matter only
    together with others (exclusive or) are found, unless too many features are irrelevant.

    Rows at the same smallest distance share the weight of the nearest, so scores do not depend on
    the order of rows or features. A row that is alone in its class is not drawn.

    Raises
    ------
    InputError
        If y has only one class, or holds numbers that are not labels, or no class has two rows.

    References
    ----------
    Kira and Rendell, "A practical approach to feature selection", ICML 1992 (with squared
    differences).

    Zaidi 2011: section 5.2; equation 5.3 (which prints a plus before the second difference).

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> ilk.relevance("relief").scores(X, ["a", "a", "b", "b"])
    array([1., 0.])
    """

    n_draws: int | None = N_DRAWS
    random_state: RandomState = param(default=None, type=Seed, doc="For drawing.")

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(n_draws=25, random_state=0)]

    def scores(self, X: Cases, y: Labels) -> np.ndarray:
        """Relief's score of each feature, from 0 to 1; array of shape (p,)."""
        from ilk_learners.relevances.margin_kernels import margins

        self.check_parameters()
        X = check_vectors(self, X, min_rows=2)
        known = by_class(self, in_ranges(X), read_classes(self, y, X))
        drawn = draw(self, known.paired)
        one = np.empty(0)

        def add(some: np.ndarray, out: np.ndarray) -> None:
            margins(known.rows, known.columns, known.starts, one, some, 1, True, out)

        return np.clip(summed(add, drawn, (X.shape[1],)) / len(drawn), 0, 1)


class ReliefF(Relevance):
    """ReliefF: Relief over the k nearest rows of each class; RReliefF for numbers y.

    With features divided by their ranges, H(x) the k nearest other rows of the class of x by
    city-block distance over all features, M(x, c) those of class c, and P(c) its share of
    the rows::

        c_p = mean over drawn x of
              sum_{c other than class(x)} P(c) / (1 - P(class(x))) mean_{z in M(x, c)} |x_p - z_p|
              - mean_{z in H(x)} |x_p - z_p|

    For numbers y, divided by their range, z runs over the k nearest rows of each of the m
    rows x; with the sums over x of the mean over z of ``D = |y_x - y_z|``, of ``F_p = |x_p - z_p|``
    and of their product::

        c_p = sum D F_p / sum D - (sum F_p - sum D F_p) / (m - sum D)

    This is the difference of a feature between rows that differ in y minus that between rows that
    do not. A sum divided by 0 counts as 0. Neighbours have equal weights, as in the paper's simpler
    form.

    Negative scores become 0. Neighbours are searched in all features, so features that matter only
    together with others are found. Ties for the last place among the k share its weight, so scores
    do not depend on the order of rows or features. A class with fewer than k other rows uses all; a
    row that is alone in its class is not drawn.

    Raises
    ------
    InputError
        If y has only one class, or one constant number, or no class has two rows.

    References
    ----------
    Kononenko, "Estimating attributes: analysis and extensions of Relief", ECML 1994. Robnik-Šikonja
    and Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF", Machine Learning
    53, 2003.

    Zaidi 2011: section 5.2.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> ilk.relevance("relieff").scores(X, ["a", "a", "b", "b"])
    array([1., 0.])
    >>> ilk.relevance("relieff", n_neighbors=1).scores(X, [0.5, 0.5, 1.5, 1.5])
    array([1., 0.])
    """

    n_neighbors: int = param(default=10, ge=1, doc="k.")
    n_draws: int | None = N_DRAWS
    targets: Targets = TARGETS
    random_state: RandomState = param(default=None, type=Seed, doc="For drawing.")

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(n_neighbors=3, n_draws=25, random_state=0)]

    def scores(self, X: Cases, y: Labels) -> np.ndarray:
        """ReliefF's score of each feature, from 0 to 1; array of shape (p,)."""
        self.check_parameters()
        X = check_vectors(self, X, min_rows=2)
        y = read_targets(self, y, X, self.targets)
        scores = self._of_numbers(X, y) if y.dtype.kind == "f" else self._of_classes(X, y)
        return np.asarray(np.clip(scores, 0, 1))

    def _of_classes(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from ilk_learners.relevances.margin_kernels import margins

        known = by_class(self, in_ranges(X), y)
        drawn = draw(self, known.paired)
        prior = np.bincount(y) / len(y)

        def add(some: np.ndarray, out: np.ndarray) -> None:
            k = self.n_neighbors
            margins(known.rows, known.columns, known.starts, prior, some, k, False, out)

        return summed(add, drawn, (X.shape[1],)) / len(drawn)

    def _of_numbers(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from ilk_learners.relevances.margin_kernels import coincidences

        rows, numbers = in_ranges(X), in_ranges(y[:, None])[:, 0]
        columns = np.ascontiguousarray(rows.T)
        drawn = draw(self, np.arange(len(X)))
        k = min(self.n_neighbors, len(X) - 1)

        def add(some: np.ndarray, out: np.ndarray) -> None:
            coincidences(rows, columns, numbers, some, k, out)

        alone, both = summed(add, drawn, (2, X.shape[1] + 1))
        unlike, like = alone[-1], len(drawn) - alone[-1]
        # Robnik-Sikonja and Kononenko: P(differs | unlike y) - P(differs | like y), by Bayes' rule
        where_unlike = both[:-1] / unlike if unlike > 0 else 0.0
        where_like = (alone - both)[:-1] / like if like > 0 else 0.0
        return np.asarray(where_unlike - where_like)
