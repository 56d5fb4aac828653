"""correlation and fisher: how far the target alone explains the values of each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ilk import Relevance, check_vectors
from ilk_learners.relevances.draws import centered, sums_of_squares
from ilk_learners.targets import TARGETS, Targets, read_classes, read_targets

if TYPE_CHECKING:
    from ilk import Cases, Labels


class Correlation(Relevance):
    """Absolute correlation of each feature with the target; with classes, correlation ratio.

    For numbers y it is the absolute value of Pearson's coefficient::

        c_p = |sum_n (x_np - m_p) (y_n - m)| / sqrt(sum_n (x_np - m_p)^2 sum_n (y_n - m)^2)

    For classes it is the correlation ratio, the maximum of this coefficient over all numeric codes
    of the classes, with m_cp the mean of feature p in class c, of n_c rows::

        c_p = sqrt(sum_c n_c (m_cp - m_p)^2 / sum_n (x_np - m_p)^2)

    With two classes both are the same, for any codes. A constant feature has score 0. The measure
    is univariate and linear: it misses features that matter only together with others, and
    symmetric dependence.

    Raises
    ------
    InputError
        If y has only one class, or one constant number.

    References
    ----------
    Zaidi 2011: sections 5.1, 5.2; equation 5.1 (for two classes or numbers; Fisher's coefficient or
    renamed labels are named for more).

    Fisher, *Statistical Methods for Research Workers*, 1925, on the correlation ratio.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 1], [1, 0], [2, 1], [3, 0]]
    >>> ilk.relevance("correlation").scores(X, ["a", "a", "b", "b"]).round(3)
    array([0.894, 0.   ])
    >>> ilk.relevance("correlation").scores(X, [0.0, 0.5, 1.0, 1.5]).round(3)
    array([1.   , 0.447])
    """

    targets: Targets = TARGETS

    def scores(self, X: Cases, y: Labels) -> np.ndarray:
        """Correlation of each feature with y, from 0 to 1; array of shape (p,)."""
        self.check_parameters()
        X = check_vectors(self, X, min_rows=2)
        y = read_targets(self, y, X, self.targets)
        if y.dtype.kind == "f":
            return _pearson(X, y)
        between, _, total = sums_of_squares(X, y)
        ratio = np.divide(between, total, out=np.zeros(len(total)), where=total > 0)
        # the correlation ratio: the root of the share of the variance that lies between the classes
        return np.asarray(np.sqrt(np.minimum(ratio, 1)))


def _pearson(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    every = centered(np.column_stack([X, y]))
    lengths = np.linalg.norm(every, axis=0)
    # the last column is y
    products = np.abs(every[:, -1] @ every[:, :-1])
    scale = lengths[:-1] * lengths[-1]
    coefficients = np.divide(products, scale, out=np.zeros(X.shape[1]), where=scale > 0)
    # rounding may exceed 1
    return np.asarray(np.minimum(coefficients, 1))


class Fisher(Relevance):
    """Fisher's score of each feature: between-class over within-class variance.

    With m_cp the mean of feature p over the n_c rows of class c, and m_p over all rows::

        c_p = sum_c n_c (m_cp - m_p)^2 / sum_c sum_{n in c} (x_np - m_cp)^2

    which for two classes of equal size is ``(m_1 - m_2)^2 / (s_1^2 + s_2^2)`` up to the
    factor 1/2, and in terms of the correlation ratio r is ``r^2 / (1 - r^2)``.

    A constant feature has score 0. For a feature that is constant in each class the denominator
    would be 0; it is at least the rounding error, 2.2e-16 times the total sum of squares. So the
    score is at most 4.5e15.

    Raises
    ------
    InputError
        If y has only one class, or holds numbers that are not labels.

    References
    ----------
    Duda, Hart and Stork, *Pattern Classification*, 2nd ed., Wiley 2001, section 3.8.

    Zaidi 2011: section 5.2 (for more than two classes).

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 1], [2, 0], [4, 1], [6, 0]]
    >>> ilk.relevance("fisher").scores(X, ["a", "a", "b", "b"])
    array([4., 0.])
    """

    def scores(self, X: Cases, y: Labels) -> np.ndarray:
        """Fisher's score of each feature; array of shape (p,)."""
        X = check_vectors(self, X, min_rows=2)
        between, inside, total = sums_of_squares(X, read_classes(self, y, X))
        # the rounding error of the total: a feature that is constant within classes scores finitely
        least = np.where(total > 0, np.finfo(float).eps * total, 1)
        return np.asarray(between / np.maximum(inside, least))
