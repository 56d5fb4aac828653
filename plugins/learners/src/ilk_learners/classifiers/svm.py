"""svm: support vector machines over any kernel."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from ilk import (
    INPUT_KINDS,
    Capabilities,
    Classifier,
    KernelLike,
    Outputs,
    Param,
    available_if,
    check_fitted,
    check_labels,
    check_weights,
    display_name,
    fit_component,
    param,
    take,
)
from ilk_learners.classifiers.training_cases import TrainingCases, case_weights
from ilk_learners.svm.dual import Dual
from ilk_learners.svm.gram import KERNEL, MAX_ITER, MEMORY, products
from ilk_learners.svm.machines import (
    Strategy,
    class_probabilities,
    class_scores,
    dense_coefficients,
    problems,
    winners,
)
from ilk_learners.svm.tuning import tune
from ilk_learners.validation import check_objects, with_input_tags

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ilk import ArrayLike, Cases, Kernel, Labels
    from ilk_learners.svm.machines import Machine

LEAST = 1e-7  # smallest probability of a side: pairs need positive ones (as in libsvm)


def _calibrated(self: SVM) -> bool:
    if not self.probability:
        raise AttributeError("svm: predict_proba needs probability=True, got False")
    return True


class SVM(Classifier):
    """Support vector machine over any kernel, with hard or soft margin.

    Each binary problem maximises

    ``sum_i a_i - 1/2 sum_ij a_i a_j s_i s_j k(x_i, x_j)``

    over ``0 <= a_i <= C_i`` with ``sum_i a_i s_i = 0``, where s_i is the sign of the side of row
    i. The sign of ``sum_i a_i s_i k(x_i, x) + b`` decides. C_i is C times the weights of the row
    and of its class. The input is that of the kernel: vectors, tables, texts, ...

    Of up to 2048 training rows the Gram matrix is computed once, by matrix products where these are
    exact enough, and shared by all binary problems; libsvm solves them. More rows are solved in
    blocks of up to 2048 coefficients, with the kernel values that a block needs. A kernel that is
    not positive semi-definite on the training rows (of many: on 2048 of them) raises a warning; the
    kernel `substitution` turns any distance into a kernel and repairs it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    kernel_ : Kernel
        Fitted.
    support_ : ndarray of int, shape (n_support,)
        Row numbers of the support vectors of any machine, ascending.
    support_vectors_ : data of n_support rows
    dual_coef_ : ndarray of shape (n_machines, n_support)
        ``a_i s_i`` of each machine: one for two classes, else one per class or pair.
    intercept_ : ndarray of shape (n_machines,)
        b, computed from the free support vectors.
    margin_ : ndarray of shape (n_machines,)
        ``1 / |w|``, in the space of the kernel.
    dual_objective_ : ndarray of shape (n_machines,)
    kkt_violation_ : float
        Largest violation of the Karush-Kuhn-Tucker conditions by any machine: the gap between the
        bounds that they impose on b, if these cross; in units of the decision.
    vc_dimension_ : int or None
        Of two classes, for the kernels linear and polynomial of p features: p + 1, and the number
        of products of at most `degree` features.
    n_iter_ : ndarray of int, shape (n_machines,)
    tuning_ : Tuning or None
        Result of the tuning of the kernel.
    n_features_in_ : int
        Where the rows are vectors or tables.

    Raises
    ------
    InputError
        If there are fewer than two classes, a class has weight 0, a kernel value is not finite, a
        hard margin does not exist, or it needs a Gram matrix (as for a kernel unknown to libsvm)
        that exceeds `memory`.

    Warns
    -----
    ConvergenceWarning
        If a machine has not converged after max_iter iterations.
    IndefiniteKernelWarning
        If the kernel is not positive semi-definite on the training rows.

    References
    ----------
    .. [1] Cunningham 2008: sections 2.3.1-2.3.3; equations 2.3-2.11.
    .. [2] Zaidi 2011: section 2.4.3; appendix D; equations 2.24, D.2-D.19; figure D.3.
    .. [3] R.-E. Fan, P.-H. Chen and C.-J. Lin, "Working set selection using second order
       information for training support vector machines", *Journal of Machine Learning Research* 6,
       2005.
    .. [4] C.-C. Chang and C.-J. Lin, "LIBSVM: a library for support vector machines", ACM
       Transactions on Intelligent Systems and Technology 2(3), 2011.
    .. [5] Evaluation slides: Support Vector Machines; Karush-Kuhn-Tucker Conditions; Dual Problem;
       Non-Separable Classes; Training the SVM; Multi-class Generalization; Effect of C; SVM
       Formulation.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    >>> svm = ilk.classifier("svm", kernel="rbf", C=float("inf")).fit(X, ["no", "no", "yes", "yes"])
    >>> svm.predict([[0.1, 0.9], [0.9, 0.9]]).tolist()
    ['yes', 'no']
    >>> svm.support_.tolist(), bool(svm.kkt_violation_ < 1e-3)
    ([0, 1, 2, 3], True)
    """

    gram_parameters: ClassVar[tuple[str, ...]] = ("kernel", "kernel_tuning")
    kernel: KernelLike = KERNEL
    C: float = param(
        default=1.0,
        gt=0,
        doc="Cost of a violated margin. ``inf``: a hard margin.",
    )
    strategy: Strategy = param(
        default="ova",
        choices=("ova", "ovo"),
        doc="For more than two classes: each class against the rest, the largest decision value "
        "wins; or each pair of classes, which vote (the sum of decision values settles ties).",
    )
    solver: Literal["libsvm", "qp"] = param(
        default="libsvm",
        choices=("libsvm", "qp"),
        doc="libsvm by scikit-learn, or blocks of coefficients for more than 2048 rows; or a "
        "quadratic program by cvxpy, the reference, for at most 2000 rows. All find the same "
        "optimum.",
    )
    class_weight: Mapping[str, Any] | str | None = param(
        default=None,
        type=dict,
        choices=("balanced",),
        items=Param(float, gt=0),
        form='dict, "balanced" or None',
        doc="Factor of C for the rows of a class: 1 for labels missing in a dict; "
        '"balanced": n / (n_classes n_c).',
    )
    probability: bool = param(
        default=False,
        doc="Whether to provide `predict_proba`: Platt's sigmoid, fitted on decision values of "
        "held-out rows in 5-fold cross-validation (fewer folds if the rarer side has fewer rows; "
        "on training rows if it has one). `predict` then returns the most probable class. It may "
        "differ from that of `decision_function`: each machine has its own sigmoid with an "
        "offset. Without `probability`, decision values determine labels.",
    )
    calibration: Literal["sigmoid", "slope"] = param(
        default="sigmoid",
        choices=("sigmoid", "slope"),
        doc="Calibration of probabilities: Platt's sigmoid for each machine; or one common slope "
        "without offset. The latter keeps the order of decision values, so `probability` changes "
        'no label. With more than two classes it needs strategy="ova". Its probabilities fit the '
        "data less well.",
    )
    tol: float = param(
        default=0.001,
        gt=0,
        le=2,
        doc="Violation of the optimality conditions at which the solver stops. libsvm has kernel "
        "values in single precision: `kkt_violation_` may reach 1e-7 times the sum of the "
        "products of coefficients and kernel values, however small `tol` is.",
    )
    max_iter: int | None = MAX_ITER
    memory: float = MEMORY
    kernel_tuning: Literal["none", "alignment", "polarization"] = param(
        default="none",
        choices=("none", "alignment", "polarization"),
        doc="Criterion that sets the kernel's hyper-parameters first: its alignment with the "
        "labels, or its polarization.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=INPUT_KINDS,
        sample_weight=True,
        sparse=True,
    )
    waivers: ClassVar[Mapping[str, str]] = {
        f"sklearn:check_sample_weight_equivalence_on_{rows}_data": (
            "the kernel takes its sigma from the rows without weights, and libsvm stops at tol; "
            "test_svm.py compares weights with repeated rows for a kernel of fixed sigma"
        )
        for rows in ("dense", "sparse")
    }

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(C=10.0, strategy="ovo", class_weight="balanced"),
            cls(kernel="linear", tol=1e-5),
            cls(kernel="polynomial", memory=1e-4, tol=1e-5),
            cls(kernel="rational", solver="qp"),
        ]

    @property
    def probabilistic(self) -> bool:
        """Whether there is `predict_proba`."""
        return bool(self.probability)

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Solve the dual problem of each binary machine.

        Parameters
        ----------
        X : data of n rows, of any kind that the kernel takes
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Factor of C for each row; rows of weight 0 are dropped. Kernel parameters learned from
            the rows, such as sigma, do not depend on the weights.
        """
        self.check_parameters()
        kernel: Any = self.resolve_slot("kernel")
        X = check_objects(self, kernel, X, reset=True)
        cases, numbers = self._cases(X, y, sample_weight)
        self.classes_ = cases.classes
        self._check_calibration()
        self.kernel_ = self._fitted_kernel(kernel, cases.X, cases.classes[cases.codes])
        cases, numbers = self._grouped(cases, numbers)
        weights = case_weights(self, cases)
        # C times a weight: the cost of the errors of a row
        with np.errstate(over="ignore"):  # an overflow means a hard margin
            C = np.full(len(cases.codes), float(self.C)) * (1.0 if weights is None else weights)
        dual = Dual(self, self.kernel_, cases.X)
        machines = dual.solve_each(cases.codes, len(cases.classes), self.strategy, C)
        if self.probability:
            parts = problems(cases.codes, len(cases.classes), self.strategy)
            # decisions about rows that a machine was trained on are too sure to calibrate it
            held_out = [
                (
                    left_out_decisions(dual, solved, rows, signs, C if rows is None else C[rows]),
                    signs,
                )
                for solved, (rows, signs) in zip(machines, parts, strict=True)
            ]
            self._sigmoids = sigmoids(held_out, self.calibration)
        self._collect(machines, cases.X, numbers)
        return self

    def _check_calibration(self) -> None:
        pairs = self.strategy == "ovo" and len(self.classes_) > 2
        if self.probability and self.calibration == "slope" and pairs:
            raise self.parameter_error(
                "calibration",
                "'slope' keeps no order of votes: with more than two classes it "
                "needs strategy='ova'",
            )

    def _cases(
        self, X: Any, y: Labels, sample_weight: ArrayLike | None
    ) -> tuple[TrainingCases, np.ndarray]:
        """Rows of positive weight, and their numbers."""
        classes, codes = check_labels(self, y, X, min_classes=2)
        if sample_weight is None:
            return TrainingCases(X, classes, codes, None), np.arange(len(codes))
        weights = check_weights(self, sample_weight, X)
        numbers = np.flatnonzero(weights)
        if len(numbers) < len(codes):
            X, weights = take(X, numbers), weights[numbers]
            classes, codes = check_labels(self, classes[codes[numbers]], min_classes=2)
        return TrainingCases(X, classes, codes, weights), numbers

    def _grouped(
        self, cases: TrainingCases, numbers: np.ndarray
    ) -> tuple[TrainingCases, np.ndarray]:
        """Sort rows by class for pairs of classes: their Gram matrices are then blocks."""
        if self.strategy == "ova" or len(cases.classes) == 2:
            return cases, numbers
        order = np.argsort(cases.codes, kind="stable")
        weights = None if cases.weights is None else cases.weights[order]
        grouped = TrainingCases(take(cases.X, order), cases.classes, cases.codes[order], weights)
        return grouped, numbers[order]

    def _fitted_kernel(self, kernel: Kernel, X: Cases, labels: np.ndarray) -> Any:
        """The kernel, fitted on rows and optionally tuned to their labels."""
        fitted = fit_component(kernel, X, labels)
        self.tuning_ = None
        if self.kernel_tuning == "none":
            return fitted
        codes = np.unique(labels, return_inverse=True)[1]
        tuned, self.tuning_ = tune(self, fitted, X, codes, self.kernel_tuning)
        return fit_component(tuned, X, labels)

    def learn_kernel(self, X: Cases, y: Labels) -> Any:
        """Kernel that `fit` would learn from rows and labels; it does not depend on C.

        To fit many machines on the same rows, compute its Gram matrix once and pass it to each by
        `with_kernel`.
        """
        return self._fitted_kernel(self.resolve_slot("kernel"), X, np.asarray(y))

    def with_kernel(self, kernel: Kernel) -> Self:
        """Set an already learned (frozen) kernel; returns self."""
        return self.set_params(kernel=kernel, kernel_tuning="none")

    def _collect(self, machines: list[Machine], X: Cases, numbers: np.ndarray) -> None:
        """Combine the machines: the union of their support vectors, coefficients of each."""
        from sklearn.exceptions import ConvergenceWarning

        dense = dense_coefficients(machines, len(numbers))
        support = np.flatnonzero(dense.any(axis=0))
        # in the order of the given rows, whatever the grouping by class
        support = support[np.argsort(numbers[support])]
        self.support_ = numbers[support]
        self.support_vectors_ = take(X, support)
        self.dual_coef_ = dense[:, support]
        self.intercept_ = np.array([solved.intercept for solved in machines])
        self.margin_ = np.array([solved.margin for solved in machines])
        self.dual_objective_ = np.array([solved.objective for solved in machines])
        self.kkt_violation_ = max(solved.violation for solved in machines)
        self.n_iter_ = np.array([solved.n_iter for solved in machines])
        if not all(solved.converged for solved in machines):
            warnings.warn(
                f"{display_name(self)}: not converged after {self.n_iter_.max()} iterations "
                f"(violation {self.kkt_violation_:.2g}, tol {self.tol:g}); "
                + ("raise max_iter, or " if self.solver == "libsvm" else "")
                + "lower C",
                ConvergenceWarning,
                stacklevel=3,
            )

    @property
    def vc_dimension_(self) -> int | None:
        """VC dimension of the borders of the kernel, None where it is not known or infinite."""
        degree = {"linear": 1, "polynomial": getattr(self.kernel_, "degree", None)}.get(
            display_name(self.kernel_)
        )
        return math.comb(self.n_features_in_ + degree, degree) if degree else None

    def _decisions(self, X: Cases) -> np.ndarray:
        """Decision value of each machine; array of shape (m, n_machines)."""
        check_fitted(self)
        X = check_objects(self, self.kernel_, X, reset=False)
        values = products(self.kernel_, X, self.support_vectors_, self.dual_coef_.T)
        return np.asarray(values + self.intercept_)

    def decision_function(self, X: Cases) -> np.ndarray:
        """Signed distance from the border in units of the margin; scores of classes.

        Two classes: array of shape (m,), positive for the second. More: array of shape
        (m, n_classes); for pairs the votes, plus less than half a vote for the sum of decision
        values.
        """
        return self._scores(self._decisions(X))

    def _scores(self, decisions: np.ndarray) -> np.ndarray:
        return class_scores(decisions, len(self.classes_), self.strategy)

    @available_if(_calibrated)
    def predict_proba(self, X: Cases) -> np.ndarray:
        """Calibrated probability of each class; array of shape (m, n_classes)."""
        return self._probabilities(self._decisions(X))

    def _probabilities(self, decisions: np.ndarray) -> np.ndarray:
        from scipy.special import expit

        slopes, offsets = np.array(self._sigmoids).T
        positive = np.clip(expit(decisions * slopes + offsets), LEAST, 1 - LEAST)
        return class_probabilities(positive, len(self.classes_), self.strategy)

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        return self._labels(self._decisions(X))

    def _labels(self, decisions: np.ndarray) -> np.ndarray:
        if self.probability and self.calibration == "sigmoid":
            best = self._probabilities(decisions).argmax(axis=1)
        else:
            best = winners(self._scores(decisions))
        return np.asarray(self.classes_[best])

    def outputs(self, X: Cases) -> Outputs:
        """Labels, probabilities and scores, from the same decision values."""
        decisions = self._decisions(X)
        return Outputs(
            partial(self._labels, decisions),
            partial(self._probabilities, decisions) if hasattr(self, "predict_proba") else None,
            partial(self._scores, decisions),
        )

    def __sklearn_tags__(self) -> Any:
        """Take the input tags of the kernel."""
        return with_input_tags(self, "kernel", super().__sklearn_tags__())


FOLDS = 5  # as in libsvm
_FLATTEST = 1e-3  # smallest slope, for decision values scaled to at most 1: keeps their order


def left_out_decisions(
    dual: Dual, solved: Machine, rows: np.ndarray | None, signs: np.ndarray, C: np.ndarray
) -> np.ndarray:
    """Cross-validated decision values of the rows of one binary problem.

    Parameters
    ----------
    dual : Dual
        Also solves the problems without a fold.
    solved : Machine
        The machine of all rows; used if a sign has only one row.
    rows, signs, C
        The problem, as in `Dual.solve`.
    """
    numbers = np.arange(len(signs)) if rows is None else rows
    folds = fold_numbers(signs)
    if folds is None:
        # too few rows to hold any out: the decision values of training
        return dual.outputs(solved, numbers)
    decisions = np.empty(len(signs))
    for fold in range(folds.max() + 1):
        out = folds == fold
        part = dual.solve(numbers[~out], signs[~out], C[~out])
        decisions[out] = dual.outputs(part, numbers[out])
    return decisions


def sigmoids(
    held_out: list[tuple[np.ndarray, np.ndarray]], calibration: Literal["sigmoid", "slope"]
) -> list[tuple[float, float]]:
    """Slope and offset for the decision values and signs of each machine.

    ``"slope"``: a common slope without offset, which keeps the order of decision values.
    """
    if calibration == "sigmoid":
        return [sigmoid(decisions, signs) for decisions, signs in held_out]
    decisions, signs = (np.concatenate(parts) for parts in zip(*held_out, strict=True))
    return [sigmoid(decisions, signs, offset=False)] * len(held_out)


def fold_numbers(signs: np.ndarray) -> np.ndarray | None:
    """Fold of each row: as many folds as rows of the rarer sign, at most five; None below two.

    Rows of a sign are assigned in turn, without randomness.
    """
    n_folds = min(FOLDS, int((signs > 0).sum()), int((signs < 0).sum()))
    if n_folds < 2:
        return None
    folds = np.empty(len(signs), dtype=np.intp)
    for sign in (-1, 1):
        members = np.flatnonzero(signs == sign)
        folds[members] = np.arange(len(members)) % n_folds
    return folds


def sigmoid(
    decisions: np.ndarray, signs: np.ndarray, *, offset: bool = True
) -> tuple[float, float]:
    """Maximum-likelihood slope and offset of ``1 / (1 + exp(-(slope d + offset)))``.

    As in Platt, targets are ``(n_+ + 1) / (n_+ + 2)`` and ``1 / (n_- + 2)`` instead of 1 and 0. The
    slope is at least 0: larger decision values are not less probable. Without an offset it is
    positive, so that probabilities keep the order of decision values.

    References
    ----------
    J. C. Platt, "Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods", *Advances in Large Margin Classifiers*, MIT Press, 1999.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    n_positive = int((signs > 0).sum())
    n_negative = len(signs) - n_positive
    targets = np.where(signs > 0, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    # scaled to at most 1, so that the start and the tolerances suit any machine
    unit = float(np.abs(decisions).max()) or 1.0
    d = decisions / unit

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        z = at[0] * d + at[1]
        error = expit(z) - targets
        # the cross-entropy with soft targets, log(1 + e^z) - t z
        value = np.mean(np.logaddexp(0, z) - targets * z)
        return float(value), np.array([np.mean(error * d), np.mean(error)])

    # the start has the prior log odds as its offset
    start = np.array([1.0, np.log((n_positive + 1) / (n_negative + 1)) if offset else 0.0])
    bounds = [(0, None), (None, None)] if offset else [(_FLATTEST, None), (0, 0)]
    solution = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return float(solution.x[0]) / unit, float(solution.x[1])
