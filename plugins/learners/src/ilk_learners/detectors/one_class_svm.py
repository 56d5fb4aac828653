"""one_class_svm: the support of one class, by libsvm or as a quadratic program."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from ilk import (
    INPUT_KINDS,
    Capabilities,
    Detector,
    InputError,
    KernelLike,
    check_fitted,
    check_weights,
    display_name,
    fit_component,
    n_rows,
    param,
    take,
)
from ilk_learners.svm import machines
from ilk_learners.svm.dual import Dual, check_few, minimum, settled
from ilk_learners.svm.gram import FEW, KERNEL, MAX_ITER, MEMORY, products
from ilk_learners.svm.machines import intercept
from ilk_learners.validation import check_objects, with_input_tags

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ilk import ArrayLike, Cases, Kernel, Labels


_LEAST = 1e-100  # the largest weight must be in [1e-100, 1e100]: its square is then finite


class OneClassSVM(Detector):
    """Estimate the support of the training rows by a hyperplane away from the origin.

    In the space of the kernel the plane separates the training rows from the origin with the
    largest margin; at most the share `nu` of them is on the wrong side. The dual problem is::

        minimise 1/2 sum_ij a_i a_j k(x_i, x_j) over 0 <= a_i <= 1 with sum_i a_i = nu n

    and x is an inlier if ``sum_i a_i k(x_i, x) >= rho``. (The texts have ``a_i <= 1 / (nu n)``
    and the sum 1: all decisions divided by nu n.) At most a share `nu` of the training rows are
    outliers, at least a share `nu` are support vectors.

    Attributes
    ----------
    kernel_ : Kernel
        Fitted.
    support_ : ndarray of int, shape (n_support,)
        Row numbers of the support vectors, ascending.
    support_vectors_ : data of n_support rows
    dual_coef_ : ndarray of shape (1, n_support)
        a.
    offset_ : float
        rho, from the support vectors with ``0 < a_i < 1``; without any, the middle of the interval
        allowed by the optimality conditions. It is lowered by the violation that `tol` leaves, so
        that no row with ``a_i < 1`` is an outlier.
    dual_objective_ : float
        Minimum of the dual problem.
    kkt_violation_ : float
        Largest violation of the optimality conditions: the gap between the bounds that they
        impose on rho, if these cross.
    n_iter_ : int
    n_features_in_ : int
        Where the rows are vectors or tables.

    Raises
    ------
    InputError
        If a kernel value is not finite.

    Warns
    -----
    ConvergenceWarning
        If the solver has not converged after max_iter iterations.
    IndefiniteKernelWarning
        If the kernel is not positive semi-definite on the training rows.

    References
    ----------
    .. [1] B. Schoelkopf, J. C. Platt, J. Shawe-Taylor, A. J. Smola and R. C. Williamson,
       "Estimating the support of a high-dimensional distribution", Neural Computation 13(7), 2001.
    .. [2] Cunningham 2008: section 2.3.3.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [0.1], [0.2], [0.3], [0.4], [9.0]]
    >>> detector = ilk.detector("one_class_svm", nu=0.2).fit(X)
    >>> detector.predict([[0.2], [30.0]]).tolist()
    [1, -1]
    """

    kernel: KernelLike = KERNEL
    nu: float = param(default=0.5, gt=0, le=1, doc="Greater than 0, at most 1.")
    solver: Literal["libsvm", "qp"] = param(
        default="libsvm",
        choices=("libsvm", "qp"),
        doc="libsvm by scikit-learn, or blocks of coefficients for more than 2048 rows; or a "
        "quadratic program by cvxpy, the reference, for at most 2000 rows.",
    )
    tol: float = param(
        default=0.001,
        gt=0,
        doc="Violation of the optimality conditions, in units of the mean k(x, x), at which "
        "the solver stops. libsvm stores kernel values in single precision: `kkt_violation_` may "
        "reach 1e-7 times the sum of the products of coefficients and kernel values, however "
        "small `tol` is.",
    )
    max_iter: int | None = MAX_ITER
    memory: float = MEMORY
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=INPUT_KINDS,
        sample_weight=True,
        sparse=True,
    )
    waivers: ClassVar[Mapping[str, str]] = {
        f"sklearn:check_sample_weight_equivalence_on_{rows}_data": (
            "the kernel takes its sigma from the rows without weights, and libsvm stops at tol; "
            "test_one_class_svm.py compares weights with repeated rows for a kernel of fixed "
            "sigma"
        )
        for rows in ("dense", "sparse")
    }

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(nu=0.1, tol=1e-6), cls(kernel="polynomial", solver="qp")]

    def fit(
        self, X: Cases, y: Labels | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Solve the dual problem; y is ignored.

        Parameters
        ----------
        X : data of n rows, of any kind that the kernel takes
        sample_weight : array of shape (n,), optional
            Bound of each a_i, default 1: a row of weight 2 counts as two; rows of weight 0 are
            dropped. Kernel parameters learned from the rows do not depend on the weights.
        """
        from sklearn.exceptions import ConvergenceWarning

        self.check_parameters()
        kernel: Any = self.resolve_slot("kernel")
        X = check_objects(self, kernel, X, reset=True)
        weights = np.ones(n_rows(X))
        if sample_weight is not None:
            weights = check_weights(self, sample_weight, X)
            if not _LEAST <= weights.max() <= 1 / _LEAST:
                raise InputError(
                    f"{display_name(self)}: sample_weight must be of a size that can be squared, "
                    f"got {weights.max():g} as the largest"
                )
        numbers = np.flatnonzero(weights)
        if len(numbers) < 2:
            rows = "row (n_samples = 1)" if len(weights) == 1 else "row of some weight"
            raise InputError(f"{display_name(self)}: X has 1 {rows}, at least 2 are needed")
        if len(numbers) < len(weights):
            X, weights = take(X, numbers), weights[numbers]
        self.kernel_ = fit_component(kernel, X)
        solved = _solve(self, self.kernel_, X, weights)
        support = np.flatnonzero(solved.coef)
        self.support_ = numbers[support]
        self.support_vectors_ = take(X, support)
        self.dual_coef_ = solved.coef[None, support]
        self.offset_ = solved.offset
        self.dual_objective_ = solved.objective
        self.kkt_violation_ = solved.violation
        self.n_iter_ = solved.n_iter
        if not solved.converged:
            warnings.warn(
                f"{display_name(self)}: not converged after {self.n_iter_} iterations (violation "
                f"{self.kkt_violation_:.2g}, tol {self.tol:g}); raise max_iter",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def score_samples(self, X: Cases) -> np.ndarray:
        """``sum_i a_i k(x_i, x)``; array of shape (m,)."""
        check_fitted(self)
        X = check_objects(self, self.kernel_, X, reset=False)
        return products(self.kernel_, X, self.support_vectors_, self.dual_coef_[0])

    def decision_function(self, X: Cases) -> np.ndarray:
        """``sum_i a_i k(x_i, x) - rho``, negative for outliers; array of shape (m,)."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Cases) -> np.ndarray:
        """+1 for inliers, -1 for outliers; array of shape (m,)."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def __sklearn_tags__(self) -> Any:
        """Take the input tags of the kernel."""
        return with_input_tags(self, "kernel", super().__sklearn_tags__())


Solved = tuple[np.ndarray, int, bool]  # coefficients, iterations, whether converged
_ROUNDING = 1e-12  # rounding relative to the largest output
_SOME = 1000  # rows that suffice to estimate the mean of k(x, x)


@dataclass(frozen=True)
class OneClass:
    """A solution of ``minimise 1/2 a'Ka`` over ``0 <= a <= w`` with ``sum a = nu sum w``.

    Attributes
    ----------
    coef : ndarray of shape (n,)
        a, exactly 0 or w at the bounds.
    offset, objective, violation : float
    n_iter : int
    converged : bool
    """

    coef: np.ndarray
    offset: float
    objective: float
    violation: float
    n_iter: int
    converged: bool


def _solve(owner: Any, kernel: Kernel | None, X: Cases, weights: np.ndarray) -> OneClass:
    """Solve on the Gram matrix, or in blocks if there are many rows.

    Parameters
    ----------
    owner : Component
        Has `nu`, `solver`, `tol`, `max_iter` and `memory`; named in errors.
    kernel : Kernel
        Fitted.
    X : data of n rows
    weights : ndarray of shape (n,)
        w, positive.

    Raises
    ------
    InputError
        If a kernel value is not finite; if the solver of the quadratic program fails, or there are
        more than 2000 rows.
    """
    qp, n = owner.solver == "qp", len(weights)
    if qp:
        check_few(owner, n)
    dual = Dual(owner, kernel, X)
    if dual.K is None or n > FEW:
        return _in_blocks(dual, weights)
    K = dual.K
    # the solution does not depend on a factor of the kernel, but tolerances do
    unit = float(np.diagonal(K).mean()) or 1.0
    if owner.nu == 1:
        solved = _all(weights)
    elif qp:
        solved = _by_qp(owner, K / unit, weights)
    else:
        solved = _by_libsvm(owner, K if unit == 1 else K / unit, weights)
    return _solution(solved, K @ solved[0], weights)


def _in_blocks(dual: Dual, weights: np.ndarray) -> OneClass:
    owner = dual.owner
    # the mean of some k(x, x) suffices, as the unit only sets tolerances
    some = take(dual.X, np.arange(min(len(weights), _SOME)))
    unit = float(np.mean(dual.kernel.diagonal(some))) or 1.0
    # the first rows have the largest coefficients at the start, as in libsvm
    before = np.cumsum(weights) - weights
    coef = np.clip(owner.nu * weights.sum() - before, 0.0, weights)
    tol, max_iter = _tolerance(owner, weights) * unit, _most_steps(owner, weights)
    coef, wanted, n_iter, converged = dual.minimum(
        coef, np.zeros(len(coef)), weights, tol, max_iter
    )
    return _solution((coef, n_iter, converged), -wanted, weights)


def _all(weights: np.ndarray) -> Solved:
    """The unique solution for nu=1, for which libsvm finds no offset."""
    return weights, 0, True


def _solution(solved: Solved, outputs: np.ndarray, weights: np.ndarray) -> OneClass:
    """Offset and violation: outputs of rows with a < w are at least rho, with a > 0 at most.

    If the solver's tolerance leaves such a row below, rho is lowered to it. Then outliers have
    a = w, and so are at most a share nu.
    """
    coef, n_iter, converged = solved
    bias, violation = intercept(-outputs, coef, np.zeros(len(coef)), weights)
    lowest = float(np.min(outputs[coef < weights], initial=np.inf))
    # rounding must not make outliers of rows on the border, which have a < w
    offset = min(-bias, lowest - _ROUNDING * float(np.abs(outputs).max()))
    return OneClass(coef, offset, float(coef @ outputs) / 2, violation, n_iter, converged)


def _tolerance(owner: Any, weights: np.ndarray) -> float:
    """`tol`, in units of the mean k(x, x), times the sum of the coefficients if that is below 1."""
    return float(owner.tol * min(owner.nu * weights.sum(), 1.0))


def _most_steps(owner: Any, weights: np.ndarray) -> int:
    return machines.most_steps(len(weights)) if owner.max_iter is None else int(owner.max_iter)


def _by_libsvm(owner: Any, K: np.ndarray, weights: np.ndarray) -> Solved:
    """Solve by libsvm, through scikit-learn, on a Gram matrix."""
    import sklearn.svm

    machine = sklearn.svm.OneClassSVM(
        kernel="precomputed",
        nu=owner.nu,
        tol=_tolerance(owner, weights),
        max_iter=_most_steps(owner, weights),
    )
    machine = machines.quietly_fitted(machine, K, None, weights)
    coef = machines.coefficients(machine, len(weights))
    return coef, int(machine.n_iter_), not machine.fit_status_


def _by_qp(owner: Any, K: np.ndarray, weights: np.ndarray) -> Solved:
    """Solve by cvxpy; for few rows."""
    # sum_i a_i = nu sum_i w_i with a_i <= w_i: at most the share nu of the weight lies outside
    n, total = len(K), owner.nu * weights.sum()
    coef, n_iter, converged = minimum(K, np.zeros(n), np.ones(n), weights, total)
    if coef is None:
        raise InputError(
            f"{display_name(owner)}: the solver of the quadratic program finds no solution"
        )
    return settled(K, np.zeros(n), coef, np.zeros(n), weights, total), n_iter, converged
