"""The Relief family and simba: features that differ at near rows of other classes only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from ilk import RandomState, Relevance, Seed, check_seed, check_vectors, param
from ilk_learners.relevances.draws import N_DRAWS, Sorted, by_class, draw, in_ranges, summed
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


class IterativeRelief(Relevance):
    """I-RELIEF: Relief with probabilistic neighbours under the current weights.

    With features divided by their ranges, ``d(z) = sum_p w_p |z_p|`` and
    ``f(d) = exp(-d / sigma)``, a row z of another class is the nearest miss of x with
    probability f(d(x - z)) / sum of f over all such rows, and another row of the same class its
    nearest hit likewise. The probability g(x) that x is not an outlier is the share of its own
    class in the sum of f over all other rows. Starting from equal weights of length 1, it repeats::

        v_p = mean over x of g(x) (E |x_p - miss_p| - E |x_p - hit_p|)
        w = max(v, 0) / |max(v, 0)|

    until w changes by less than `tol`. The scores are w, scaled to a maximum of 1, or all 0 if no v
    is positive. With a large sigma the fixed point does not depend on the start; with a small one
    the method is Relief, repeated with its weights. A row that is alone in its class counts only
    for the others.

    Raises
    ------
    InputError
        If y has only one class, or holds numbers that are not labels, or no class has two rows.

    References
    ----------
    Sun, "Iterative RELIEF for feature weighting: algorithms, theories, and applications", IEEE
    TPAMI 29(6), 2007 (I-RELIEF-1 with its extension to several classes); Sun and Li, ICML 2006.

    Zaidi 2011: section 5.2.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> ilk.relevance("iterative_relief").scores(X, ["a", "a", "b", "b"])
    array([1., 0.])
    """

    sigma: float = param(
        default=0.5,
        gt=0,
        le=1000000000000.0,
        doc="Bandwidth of f; distances are at most the root of the number of features. The "
        "default was the best among 0.1 to 5 for feature weights of nearest neighbours, over 17 "
        "data sets.",
    )
    max_iter: int = param(default=30, ge=1, doc="Most repetitions.")
    tol: float = param(
        default=0.0001,
        ge=0,
        doc="Stop at this change of w, in Euclidean length.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(sigma=2.0, max_iter=5)]

    def scores(self, X: Cases, y: Labels) -> np.ndarray:
        """I-RELIEF's weight of each feature, the largest 1; array of shape (p,)."""
        self.check_parameters()
        X = check_vectors(self, X, min_rows=2)
        known = by_class(self, in_ranges(X), read_classes(self, y, X))
        # equal weights of length 1, the constraint of the method
        weights = np.full(X.shape[1], X.shape[1] ** -0.5)
        for _ in range(self.max_iter):
            before, weights = weights, self._step(known, weights)
            length = np.linalg.norm(weights)
            if length == 0:
                return weights
            weights /= length
            if np.linalg.norm(weights - before) < self.tol:
                break
        return np.asarray(weights / weights.max())

    def _step(self, known: Sorted, weights: np.ndarray) -> np.ndarray:
        from ilk_learners.relevances.margin_kernels import expected_margins

        def add(some: np.ndarray, out: np.ndarray) -> None:
            table = known.rows, known.columns, known.starts
            expected_margins(*table, some, weights, self.sigma, out)

        margins = summed(add, known.paired, weights.shape)
        # the closed form of its step: the positive part of the mean margin, normalized by the
        # caller
        return np.maximum(margins / len(known.paired), 0)


class Simba(Relevance):
    """Simba: stochastic gradient ascent of the hypothesis margin of the nearest neighbour.

    With features divided by their ranges, ``|z|_w = sqrt(sum_p w_p^2 z_p^2)``, w = 1 at first,
    and NM(x), NH(x) the nearest row of another class and the nearest other row of its own under
    ``|.|_w``, each drawn x moves the weights along the gradient of its margin
    ``(|x - NM(x)|_w - |x - NH(x)|_w) / 2``::

        w_p += ((x_p - NM(x)_p)^2 / |x - NM(x)|_w - (x_p - NH(x)_p)^2 / |x - NH(x)|_w) w_p / 2

    The scores are ``w_p^2 / max_q w_q^2``, so the largest is 1. Relief searches neighbours in all
    features alike; Simba downweights irrelevant and redundant features as it proceeds.

    A term of distance 0 is left out. Rows at the same smallest distance share the weight of the
    nearest. A row that is alone in its class is not drawn.

    Raises
    ------
    InputError
        If y has only one class, or holds numbers that are not labels, or no class has two rows.

    References
    ----------
    Gilad-Bachrach, Navot and Tishby, "Margin based feature selection - theory and algorithms", ICML
    2004 (algorithm 2, with the linear utility).

    Zaidi 2011: section 5.2.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> simba = ilk.relevance("simba", n_passes=10, random_state=0)
    >>> simba.scores(X, ["a", "a", "b", "b"]).round(3)
    array([1., 0.])
    """

    n_passes: int = param(
        default=1,
        ge=1,
        doc="Number of passes; each draws as many rows as there are, with replacement. As feature "
        "weights of nearest neighbours, over 17 data sets, more were no better.",
    )
    random_state: RandomState = param(default=None, type=Seed, doc="For drawing.")

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(random_state=0), cls(n_passes=5, random_state=0)]

    def scores(self, X: Cases, y: Labels) -> np.ndarray:
        """Simba's score of each feature, from 0 to 1; array of shape (p,)."""
        from ilk_learners.relevances.margin_kernels import ascend

        self.check_parameters()
        X = check_vectors(self, X, min_rows=2)
        known = by_class(self, in_ranges(X), read_classes(self, y, X))
        generator = check_seed(self, self.random_state)
        drawn = generator.choice(known.paired, self.n_passes * len(known.paired))
        # a constant feature has no margin
        weights = np.where(np.ptp(known.rows, axis=0) > 0, 1.0, 0.0)
        ascend(known.rows, known.columns, known.starts, drawn, weights)
        largest = np.abs(weights).max()
        return np.square(weights / largest) if largest > 0 else weights
