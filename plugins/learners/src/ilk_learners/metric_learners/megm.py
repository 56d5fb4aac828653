"""megm and megm_diagonal: minimise the squared error of a kernel classifier by its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from ilk import Array, ArrayLike, param
from ilk_learners.metric_learners.descent import N_COMPONENTS
from ilk_learners.metric_learners.kernel_error import KernelErrorLearner

if TYPE_CHECKING:
    from ilk_learners.targets import Targets


class _Voting(KernelErrorLearner):
    """Parameters of the full and of the diagonal map: voters, targets and bandwidths."""

    bandwidth: Literal["local", "global"] = param(
        default="local",
        choices=("local", "global"),
        doc="A sigma for each row, or its mean for all.",
    )
    neighborhood: int | Literal["all", "log2"] = param(
        default="all",
        type=int,
        ge=1,
        choices=("all", "log2"),
        doc='Voters: all other rows, or a number of the nearest ones ("log2": floor(log2 n)); '
        "memory is for these only.",
    )
    refresh: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Iterations after which the voters of `neighborhood` are found anew, in the space "
        "that is learned; never if left out.",
    )
    targets: Targets = param(
        default="auto",
        choices=("auto", "classes", "numbers"),
        doc='Type of y. "auto": numbers, as in regression, if they are floats and any '
        "is no whole number, else classes. Numbers are brought to mean 0 and variance 1.",
    )


class MEGM(_Voting):
    """MEGM: the linear map whose kernel-weighted votes of all other rows are least wrong.

    Let y_i be the one-hot class of row i, or a number. The squared error of the votes of the other
    rows is minimised by its analytic gradient ::

        E(L) = 1/2 sum_i |y_i - v_i|^2,        v_i = sum_j W_ij y_j / sum_j W_ij,   j != i,
        W_ij = exp(-|L(x_i - x_j)|^2 / (2 sigma_i^2)),

    plus ``regularization |L|^2``. sigma_i^2 is the mean squared distance of row i to the
    nearest max(1, floor(k/2)) others, computed once in the input space. It is at least a hundredth
    of its mean s, so that duplicates have a kernel too. The solver starts from L = I.

    ``components_`` is L divided by ``sqrt(2 s)``: then ``exp(-|L(x - x')|^2)`` is the kernel of a
    row of typical density, for methods that use the metric without sigma. Results do not depend on
    a common unit of the features, nor on the unit of y.

    Gaps and misprints of the source are resolved as follows. Votes are leave-one-out (with its own
    vote, scaling L alone would make a row correct). By default all others vote: the k nearest hold
    only part of the weights, and a sum over them is another objective. Algorithm 1 as printed is
    ``neighborhood="log2", solver="cg"``. The inner factor of the
    gradient is y_j - v_i. L-BFGS replaces conjugate gradients: it reaches no higher loss in fewer
    evaluations. The source has no regularization: 0.1 was chosen on wine, iris, monks2 and xor,
    and lowered the error of one nearest neighbour on 8 of 12 further data sets; 0 was better on
    ionosphere and parkinson.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, p)
        L, divided by ``sqrt(2 s)``.
    widths_ : ndarray of shape (n,)
        s / sigma_i^2: the kernel of training row i is ``exp(-widths_[i] |L(x_i - x)|^2)``.
    loss_curve_ : list of float
        The objective at the start, then after each iteration. It never rises, except at a
        `refresh`, and never ends higher than it starts.
    n_iter_ : int
        Iterations from the selected start.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour ``before`` and ``after``.

    Raises
    ------
    InputError
        If y is constant, n_components exceeds the number of features, or n_neighbors the number of
        other rows.

    Warns
    -----
    ConvergenceWarning
        If the solver has not converged, or the gradient is 0 at the initial L.
    MetricWarning
        If the nearest neighbour has more errors than with the Euclidean distance.

    References
    ----------
    Zaidi 2011: sections 3.2, 4.2, 4.2.1; algorithm 1; equations 2.23, 4.6-4.15.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 5], [1, -5], [0, 4], [1, -4], [6, 5], [5, -5], [6, 4], [5, -4]]
    >>> megm = ilk.metric_learner("megm").fit(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> A = megm.metric_matrix_
    >>> bool(A[0, 0] > 3 * A[1, 1])
    True
    >>> megm.loss_curve_[-1] < megm.loss_curve_[0]
    True
    """

    n_components: int | None = N_COMPONENTS

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(n_components=1, init="lda"),
            cls(n_restarts=1, random_state=0, solver="cg"),
            cls(neighborhood=10, refresh=5),
            cls(neighborhood="log2", solver="cg"),
        ]


class MEGMDiagonal(_Voting):
    """MEGM with a diagonal map: weights of features whose kernel-weighted votes are least wrong.

    The objective of `megm` with a weight w_p for each feature instead of L (MEGM-SNML) ::

        E(w) = 1/2 sum_i |y_i - v_i|^2,        v_i = sum_j W_ij y_j / sum_j W_ij,   j != i,
        W_ij = exp(-sum_p w_p^2 (x_ip - x_jp)^2 / (2 sigma_i^2)),

    plus ``regularization |w|^2``. It learns p numbers instead of p^2. Features are weighted
    jointly, and irrelevant ones get weights near 0. For sigma, units, and differences from the
    source, see `megm`. Component p of the gradient has the factor ``w_p (x_ip - x_jp)^2``, where
    (5.7) prints the sum over all features, and the inner factor y_j - v_i. A regularization of 0.01
    was chosen on wine, iris, xor and waveform, and lowered the error of one nearest neighbour on 6
    of 7 further data sets; ten times as much is harmful with many features and few rows (sonar).

    Attributes
    ----------
    components_ : ndarray of shape (p, p)
        Diagonal: the non-negative weights of the features, divided by ``sqrt(2 s)``.
    widths_ : ndarray of shape (n,)
        s / sigma_i^2: the kernel of training row i is ``exp(-widths_[i] |L(x_i - x)|^2)``.
    loss_curve_ : list of float
        The objective at the start, then after each iteration. It never rises, except at a
        `refresh`, and never ends higher than it starts.
    n_iter_ : int
        Iterations from the selected start.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour ``before`` and ``after``.

    Raises
    ------
    InputError
        If y is constant, or n_neighbors exceeds the number of other rows.

    Warns
    -----
    ConvergenceWarning
        If the solver has not converged, or the gradient is 0 at the initial weights.
    MetricWarning
        If the nearest neighbour has more errors than with the Euclidean distance.

    References
    ----------
    Zaidi 2011: sections 3.1, 5.2.1; algorithm 3; equations 2.22, 5.4-5.7; figures 5.1-5.2.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 5], [1, -5], [0, 4], [1, -4], [6, 5], [5, -5], [6, 4], [5, -4]]
    >>> megm = ilk.metric_learner("megm_diagonal").fit(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> weights = megm.components_.diagonal()
    >>> bool(weights[0] > 3 * weights[1])
    True
    """

    regularization: float | None = param(
        default=None,
        type=float,
        ge=0,
        le=1000000000000.0,
        doc="Weight of the squared weights, in units of ``1 / sqrt(2 s)``, in the loss. None: "
        "0.01, or 0 with a `neighborhood` of few rows: if all their votes are correct, the "
        "penalty alone would shrink the weights to 0.",
    )
    init: ArrayLike | str = param(
        default="identity",
        type=Array,
        choices=("identity",),
        form='{"identity"} or array of shape (p,)',
        doc="The initial weights; an array has the form of the diagonal of ``components_``.",
    )

    usual_regularization = 0.01

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(regularization=1.0, n_restarts=1, random_state=0),
            cls(neighborhood=10, solver="cg"),
        ]

    def _start(
        self, X: np.ndarray, y: np.ndarray, exponent: int, scale: float, noise: np.ndarray
    ) -> np.ndarray:
        p = X.shape[1]
        before: Any = getattr(self, "components_", None) if self.warm_start else None
        if before is not None and before.shape == (p, p):
            return np.asarray(np.ldexp(np.diag(before).astype(float), exponent))
        if isinstance(self.init, str):
            return np.full(p, 1 / scale)
        weights = np.array(self.init, dtype=float)
        if weights.shape != (p,) or not np.isfinite(weights).all():
            raise self.parameter_error(
                "init", f"must be of shape {(p,)} and finite, got shape {weights.shape}"
            )
        return np.asarray(np.ldexp(weights, exponent))
