"""Correlation distance: the dissimilarity of two profiles, independent of level and scale."""

from __future__ import annotations

from ilk_distances.vectors.cosine import Angle


class Correlation(Angle):
    """Correlation distance: one minus Pearson's correlation of two vectors.

    ``d(x, y) = 1 - corr(x, y)``, from 0 to 2: the cosine distance of the vectors after the mean
    of each is subtracted. Equal vectors are at distance exactly 0; float32 is computed in float64.

    It is no metric: the triangle inequality fails, and ``a x + b`` with a > 0 is at distance 0
    from x, up to rounding.

    Raises
    ------
    InputError
        If a vector is constant (names the row), as one of a single feature is, or has a NaN or
        an infinite value.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4.1, on similarity of vectors.

    Examples
    --------
    >>> import ilk
    >>> d = ilk.distance("correlation")
    >>> d.pairwise([[1.0, 2.0, 3.0]], [[10.0, 20.0, 30.0], [3.0, 2.0, 1.0]]).round(12)
    array([[0., 2.]])
    """

    centres = True
