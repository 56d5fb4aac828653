"""whitening: uncorrelated features of variance 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ilk import InputError, Param, check_vectors, display_name
from ilk_learners.linear import LinearMetricLearner, fix_signs, rank_of, thin_spectrum
from ilk_learners.magnitude import common_deviations, map_back
from ilk_learners.metric_learners.inside import SHRINKAGE
from ilk_learners.metric_learners.report import REPORT, report_where_known
from ilk_learners.metric_learners.starts import check_components


class Whitening(LinearMetricLearner):
    """Make features uncorrelated, of variance 1: the Mahalanobis distance of all points.

    With the covariance matrix ``S = U D U'`` (divided by n - 1), ``L = D^(-1/2) U'``, so that L S
    L' = I and the metric is ``L'L = S^(-1)``. S is never formed: U and D come from a singular
    value decomposition of the deviations from the mean.

    The thesis, below its equation (2.17), mixes two conventions and prints ``L = Phi
    Lambda^(-1/2)``; with its ``A = S^(-1) = Phi Lambda Phi'`` that should be ``Lambda^(1/2) Phi'``,
    which is the L above.

    Where S is singular, by constant or dependent features or too few rows, directions without
    variance are left out (beyond rounding, in relation to the largest), or with `shrinkage`
    all are kept. Data are not centred by `transform`, which changes no distance.

    Parameters
    ----------
    n_components : int or None, default=None
        How many dimensions are kept, those of largest variance first; as many as S has rank if
        left out.
    shrinkage : float, default=0.0
        s in 0..1: S is replaced by (1 - s) S + s trace(S)/p I.
    report : bool, default=True
        Whether `fit` measures the error before and after, where it is given y.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L, the direction of largest variance first.
    rank_ : int
        Rank of S, before shrinkage.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after; None without y.

    Raises
    ------
    InputError
        If all rows are equal, or more components are asked for than there are directions with
        variance; if a number in the result would be too large.

    References
    ----------
    Zaidi, *Metric Learning and Scale Estimation in High Dimensional Machine Learning Problems
    with an Application to Generic Object Recognition*, PhD thesis, Monash University, 2011,
    section 2.4 and equation (2.17).

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 1], [4, 1], [2, 0], [2, 2]]
    >>> ilk.metric_learner("whitening").fit(X).metric_matrix_.round(3)
    array([[0.375, 0.   ],
           [0.   , 1.5  ]])
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "n_components": Param(int, ge=1, none=True, doc="How many dimensions are kept."),
        "shrinkage": SHRINKAGE,
        "report": REPORT,
    }

    def __init__(
        self, n_components: int | None = None, shrinkage: float = 0.0, report: bool = True
    ) -> None:
        self.n_components = n_components
        self.shrinkage = shrinkage
        self.report = report

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(report=False),
            cls(n_components=1, report=False),
            cls(shrinkage=0.1, report=False),
        ]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn L from rows X; y is used for the report only."""
        self.check_parameters()
        X = check_vectors(self, X, reset=True, min_rows=2)
        check_components(self, self.n_components, X.shape[1])
        _, deviations, exponent = common_deviations(X)
        roots, axes = self._axes(deviations)
        d = self._number(roots)
        components = fix_signs(axes[:d]) / roots[:d, None]
        self.components_ = map_back(self, components, exponent, X.dtype)
        self.report_ = report_where_known(self, X, y)
        return self

    def _axes(self, deviations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Standard deviations that are not 0, descending, and the directions they belong to."""
        n, p = deviations.shape
        s = self.shrinkage
        values, axes = thin_spectrum(deviations)
        self.rank_ = rank_of(values, deviations.shape)
        if self.rank_ == 0:
            raise InputError(f"{display_name(self)}: X has no variance: all rows are equal")
        if s == 0:
            return values[: self.rank_] / np.sqrt(n - 1), axes
        if len(axes) < p:
            axes = np.vstack([axes, _rest(axes)])
        variances = np.append(values, np.zeros(p - len(values))) ** 2 / (n - 1)
        return np.sqrt((1 - s) * variances + s * variances.mean()), axes

    def _number(self, roots: np.ndarray) -> int:
        wanted = len(roots) if self.n_components is None else int(self.n_components)
        if wanted > len(roots):
            raise InputError(
                f"{display_name(self)}: n_components must be at most {len(roots)}, the rank of the "
                f"covariance, got {wanted}; with shrinkage all directions are kept"
            )
        return wanted


def _rest(axes: np.ndarray) -> np.ndarray:
    """An orthonormal basis of what is orthogonal to orthonormal rows."""
    return np.linalg.qr(axes.T, mode="complete")[0].T[len(axes) :]
