"""megm_nca: the error of megm and the expected accuracy of nca in one loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from ilk import check_labels, param
from ilk_learners.metric_learners.descent import N_COMPONENTS
from ilk_learners.metric_learners.kernel_error import KernelErrorLearner
from ilk_learners.metric_learners.soft_votes import SoftVotes, expected_errors, one_column_each

if TYPE_CHECKING:
    from ilk import Labels
    from ilk_learners.metric_learners.descent import Objective


class MEGMNCA(KernelErrorLearner):
    """MEGM with NCA: the squared error of votes minus the expected accuracy of one neighbour.

    With the objective E of `megm` and p_i of `nca`, it minimises ::

        gamma1 E(L) - gamma2 sum_i p_i(L) + regularization |L|^2.

    In E each row's kernel has its own sigma_i. In p_i there is none: L is in units of one scale for
    all rows (the mean of sigma_i^2), as in `nca`. ``gamma2=0`` gives `megm`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, p)
        L.
    widths_ : ndarray of shape (n,)
        w of each training row in E, see `megm`.
    loss_curve_ : list of float
        The objective at the start, then after each iteration. It never rises.
    n_iter_ : int
        Iterations from the selected start.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour ``before`` and ``after``.

    Raises
    ------
    ParameterError
        If both weights are 0.
    InputError
        If y has only one class, or n_components exceeds the number of features.

    Warns
    -----
    ConvergenceWarning
        If the solver has not converged, or the gradient is 0 at the initial L.
    MetricWarning
        If the nearest neighbour has more errors than with the Euclidean distance.

    References
    ----------
    Zaidi 2011: section 4.4; equation 4.18. Its printed first term has an unbound index j and the
    kernel instead of the vote; E is meant.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 5], [1, -5], [0, 4], [1, -4], [6, 5], [5, -5], [6, 4], [5, -4]]
    >>> both = ilk.metric_learner("megm_nca").fit(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> A = both.metric_matrix_
    >>> bool(A[0, 0] > 3 * A[1, 1])
    True
    """

    n_components: int | None = N_COMPONENTS
    gamma1: float = param(
        default=1.0,
        ge=0,
        le=1000000000000.0,
        doc="Weights of the two terms; not both 0.",
    )
    gamma2: float = param(
        default=1.0,
        ge=0,
        le=1000000000000.0,
        doc="Weights of the two terms; not both 0.",
    )
    regularization: float | None = param(
        default=None,
        type=float,
        ge=0,
        le=1000000000000.0,
        doc="Weight of the squares of L, in units of its scale, in the loss; None: 0.1.",
    )
    max_iter: int = param(default=100, ge=1, doc="Most iterations of each start.")
    bandwidth = "local"
    neighborhood = "all"

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(gamma1=0.5, gamma2=2.0, n_components=1, init="lda")]

    def check_parameters(self) -> None:
        """Check each parameter, and that one of the weights is above 0."""
        super().check_parameters()
        if self.gamma1 == 0 and self.gamma2 == 0:
            raise self.parameter_error("gamma2", "must be above 0 where gamma1 is 0, got 0")

    def _targets(self, X: np.ndarray, y: Labels | None) -> np.ndarray:
        return check_labels(self, y, X, min_classes=2)[1]

    def _objective(self, X: np.ndarray, y: np.ndarray) -> Objective:
        error = super()._objective(X, y)
        Y = one_column_each(y, X.dtype)
        expected = SoftVotes(X, Y, expected_errors(Y))
        return _Sum(error, expected, self.gamma1, self.gamma2, len(X))


@dataclass(frozen=True)
class _Sum:
    """``gamma1 E(L) - gamma2 sum_i p_i(L)``, from the expected number of errors of n rows."""

    error: Objective
    expected: Objective
    gamma1: float
    gamma2: float
    n: int

    def __call__(self, L: np.ndarray) -> tuple[float, np.ndarray]:
        loss, gradient = np.zeros(()), np.zeros(L.shape)
        if self.gamma1 > 0:
            error, slope = self.error(L)
            loss, gradient = loss + self.gamma1 * error, gradient + self.gamma1 * slope
        if self.gamma2 > 0:
            errors, slope = self.expected(L)
            # the expected number of errors is n - sum_i p_i
            loss, gradient = loss + self.gamma2 * (errors - self.n), gradient + self.gamma2 * slope
        return float(loss), gradient
