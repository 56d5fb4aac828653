"""fisher: the distance of class means relative to the spread within classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ilk import Relevance, check_vectors
from ilk_learners.relevances.draws import sums_of_squares
from ilk_learners.targets import read_classes

if TYPE_CHECKING:
    from ilk import Cases, Labels


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
