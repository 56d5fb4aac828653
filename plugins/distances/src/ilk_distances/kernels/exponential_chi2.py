"""The exponential chi-squared kernel of histograms."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from ilk import DistanceLike, param, slot
from ilk_distances.kernels.of_distance import (
    DistanceKernel,
)

if TYPE_CHECKING:
    import ilk


class ExponentialChiSquared(DistanceKernel):
    """Exponential chi-squared kernel: ``k(h, k) = exp(-chi2(h, k) / (2 sigma^2))``.

    ``chi2(h, k) = sum (h - m)^2 / m`` with ``m = (h + k) / 2`` is the distance chi2: half of
    ``sum (h - k)^2 / (h + k)``. It is the square of a metric, so this is the radial basis
    function kernel over that metric, and it is positive definite on histograms.

    Others scale it differently: scikit-learn's ``chi2_kernel(gamma)`` leaves out the half,
    ``gamma = 1 / (4 sigma^2)``. Zhang et al. use ``exp(-chi2 / A)``, ``A = 2 sigma^2``, where A is
    the mean of chi2 over the training rows, which is the ``sigma^2`` of ``"mean_distance"`` here
    (for theirs, pass ``sigma=sqrt(A / 2)``).

    Attributes
    ----------
    sigma_ : float
    distance_ : distance
        Fitted.
    width_ : int or None
        Number of bins.

    Raises
    ------
    ParameterError
        If sigma is not finite and positive.
    InputError
        If a bin is negative, or if sigma is to be computed from training rows that are all equal
        (or fewer than two).

    References
    ----------
    .. [1] J. Zhang, M. Marszalek, S. Lazebnik and C. Schmid, "Local features and kernels for
       classification of texture and object categories: a comprehensive study", *International
       Journal of Computer Vision* 73 (2), 2007.
    .. [2] Y. Rubner, C. Tomasi and L. J. Guibas, "The earth mover's distance as a metric for image
       retrieval", *International Journal of Computer Vision* 40 (2), 2000.

    Examples
    --------
    >>> import ilk
    >>> kernel = ilk.kernel("exponential_chi2", sigma=1.0).fit([[0.5, 0.5]])
    >>> kernel.gram([[0.5, 0.5]], [[0.5, 0.5], [1.0, 0.0]]).round(4)
    array([[1.    , 0.8465]])
    """

    sigma: float | str = param(
        default="mean_distance",
        type=float,
        gt=0,
        choices=("mean_distance", "neighbors"),
        doc="Greater than 0; or computed from the training data as in the kernel rbf, from the "
        "roots of the chi2 distances: ``sigma^2`` is the mean chi2 of different rows, or sigma "
        "is the mean root of chi2 to the `n_neighbors` nearest other rows.",
    )
    distance: DistanceLike = slot(
        "distance",
        default="chi2",
        doc="The chi2 distance, possibly with parameters of its own.",
    )
    capabilities: ClassVar[ilk.Capabilities] = replace(
        DistanceKernel.capabilities, inputs=("histograms",)
    )
    power: ClassVar[int] = 1

    @classmethod
    def examples(cls) -> list[ExponentialChiSquared]:
        """Return one for each way to get sigma."""
        return [cls(), cls(sigma="neighbors"), cls(sigma=0.5)]
