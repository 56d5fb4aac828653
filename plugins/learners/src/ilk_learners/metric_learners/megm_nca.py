"""megm_nca: the error of megm and the expected accuracy of nca in one loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from ilk import Param, check_labels
from ilk_learners.metric_learners.kernel_error import KERNEL, KernelErrorLearner
from ilk_learners.metric_learners.soft_votes import SoftVotes, expected_errors, one_column_each

if TYPE_CHECKING:
    from ilk_learners.metric_learners.descent import Objective


class MEGMNCA(KernelErrorLearner):
    """MEGM with NCA: the squared error of votes less the expected accuracy of one neighbour.

    With E, what `megm` minimises, and p_i of `nca`, what is minimised is ::

        gamma1 E(L) - gamma2 sum_i p_i(L) + regularization |L|^2.

    In E row i's kernel has its own sigma_i; in p_i there is none, so that L is in units of one
    scale for all rows (the mean of sigma_i^2), as in `nca`. ``gamma2=0`` gives `megm`.

    Parameters
    ----------
    n_components : int or None, default=None
        Rows of L; as many as features if left out.
    gamma1, gamma2 : float, default=1.0
        Weights of the two; not both 0.
    n_neighbors : int or "log2", default="log2"
        The k of sigma, see `megm`.
    regularization : float or None, default=None
        Weight of the squares of L, in units of its scale, in the loss; 0.1 if left out.
    init : {"identity", "pca", "lda"} or array of shape (n_components, p), default="identity"
        The map to begin with; an array as ``components_`` would be.
    n_restarts : int, default=0
        Further starts, at random near the first; the one that ends lowest is kept.
    max_iter : int, default=100
        Most iterations of each start.
    tol : float, default=1e-6
        Improvement (L-BFGS) or slope (CG) at which the solver stops.
    solver : {"lbfgs", "cg"}, default="lbfgs"
        L-BFGS, or conjugate gradients (Polak and Ribiere).
    warm_start : bool, default=False
        Whether to begin with the result of the fit before.
    report : bool, default=True
        Whether the error of the nearest neighbour is measured before and after.
    random_state : None, int, RandomState or Generator, default=None
        Seed of the further starts.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, p)
        L.
    widths_ : ndarray of shape (n,)
        w of each training row in E, see `megm`.
    loss_curve_ : list of float
        What is minimised: at the start, then after each iteration. It never rises.
    n_iter_ : int
        Iterations of the start that is kept.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour ``before`` and ``after``.

    Raises
    ------
    ParameterError
        If both weights are 0.
    InputError
        If y has one class only, or n_components is larger than the number of features.

    Warns
    -----
    ConvergenceWarning
        If max_iter was too small, or the loss has no slope where L begins.
    MetricWarning
        If the nearest neighbour errs more often than with the Euclidean distance.

    References
    ----------
    Zaidi 2011, equation (4.18). As printed its first term has a j that nothing runs over and
    the kernel in place of the vote; it means E.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 5], [1, -5], [0, 4], [1, -4], [6, 5], [5, -5], [6, 4], [5, -4]]
    >>> both = ilk.metric_learner("megm_nca").fit(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> A = both.metric_matrix_
    >>> bool(A[0, 0] > 3 * A[1, 1])
    True
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        **{
            name: param
            for name, param in KERNEL.items()
            if name not in {"bandwidth", "neighborhood", "refresh", "targets"}
        },
        "gamma1": Param(float, ge=0, le=1e12, doc="Weight of the error of votes."),
        "gamma2": Param(float, ge=0, le=1e12, doc="Weight of the expected accuracy."),
    }
    bandwidth = "local"
    neighborhood = "all"

    def __init__(
        self,
        n_components: int | None = None,
        gamma1: float = 1.0,
        gamma2: float = 1.0,
        n_neighbors: int | Literal["log2"] = "log2",
        regularization: float | None = None,
        init: Any = "identity",
        n_restarts: int = 0,
        max_iter: int = 100,
        tol: float = 1e-6,
        solver: Literal["lbfgs", "cg"] = "lbfgs",
        warm_start: bool = False,
        report: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.n_neighbors = n_neighbors
        self.regularization = regularization
        self.init = init
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.warm_start = warm_start
        self.report = report
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(gamma1=0.5, gamma2=2.0, n_components=1, init="lda")]

    def check_parameters(self) -> None:
        """Check each parameter, and that one of the weights is above 0."""
        super().check_parameters()
        if self.gamma1 == 0 and self.gamma2 == 0:
            raise self.parameter_error("gamma2", "must be above 0 where gamma1 is 0, got 0")

    def _targets(self, X: np.ndarray, y: Any) -> np.ndarray:
        return check_labels(self, y, X, min_classes=2)[1]

    def _objective(self, X: np.ndarray, y: np.ndarray) -> Objective:
        error = super()._objective(X, y)
        Y = one_column_each(y, X.dtype)
        expected = SoftVotes(X, Y, expected_errors(Y))
        return _Sum(error, expected, self.gamma1, self.gamma2, len(X))


@dataclass(frozen=True)
class _Sum:
    """``gamma1 E(L) - gamma2 sum_i p_i(L)``, where what is expected is the errors of n rows."""

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
            loss, gradient = loss + self.gamma2 * (errors - self.n), gradient + self.gamma2 * slope
        return float(loss), gradient
