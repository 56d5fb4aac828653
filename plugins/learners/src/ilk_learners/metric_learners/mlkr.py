"""mlkr: metric learning for kernel regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from ilk import Array, ArrayLike, param
from ilk_learners.metric_learners.descent import (
    N_COMPONENTS,
    SOLVER,
    DescentLearner,
    Objective,
)
from ilk_learners.metric_learners.soft_votes import (
    SoftVotes,
    squared_bandwidths,
    squared_error,
    votes_of,
)
from ilk_learners.targets import Targets, read_targets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ilk import Labels


class MLKR(DescentLearner):
    """Metric learning for kernel regression: minimise the leave-one-out error of a kernel mean.

    It minimises ``sum_i (y_i - v_i)^2``, where ::

        v_i = sum_j k_ij y_j / sum_j k_ij,   j != i,      k_ij = exp(-|L(x_i - x_j)|^2).

    Numbers are first standardized to mean 0 and variance 1, so the loss is in units of their
    variance. Classes are one-hot encoded, and the squares are summed over columns. The initial L
    is `init` divided by ``sqrt(2 s)``, where s is the mean squared distance of rows to the nearer
    half of their floor(log2 n) neighbours: results do not depend on a common unit of the features,
    nor on that of y. In `megm`, each row's kernel has its own bandwidth instead.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, p)
        L.
    loss_curve_ : list of float
        The objective at the start, then after each iteration. It never rises.
    n_iter_ : int
        Iterations.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour ``before`` and ``after``.

    Raises
    ------
    InputError
        If y is constant, or n_components exceeds the number of features.

    Warns
    -----
    ConvergenceWarning
        If the solver has not converged, or the gradient is 0 at the initial L.
    MetricWarning
        If the nearest neighbour's error is larger than with the Euclidean distance.

    References
    ----------
    Weinberger, Tesauro, "Metric learning for kernel regression", AISTATS 2007.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 0], [1, 9], [2, 1], [3, 8], [4, 2], [5, 7], [6, 0], [7, 9]]
    >>> mlkr = ilk.metric_learner("mlkr", n_components=1).fit(X, [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5])
    >>> L = abs(mlkr.components_[0])
    >>> bool(L[0] > 10 * L[1])
    True
    >>> round(mlkr.report_.before, 2), round(mlkr.report_.after, 2)
    (1.0, 0.25)
    """

    n_components: int | None = N_COMPONENTS
    init: ArrayLike | str = param(
        default="identity",
        type=Array,
        choices=("identity", "pca", "lda"),
        form='{"identity", "pca", "lda"} or array of shape (n_components, p)',
        doc='The initial map; an array has the form of ``components_``. "lda" needs classes.',
    )
    solver: Literal["lbfgs", "cg"] = SOLVER
    targets: Targets = param(
        default="auto",
        choices=("auto", "classes", "numbers"),
        doc='Type of y. "auto": numbers if y has floats that are not integers; else classes. Set '
        '"numbers" for integer targets.',
    )

    waivers: ClassVar[Mapping[str, str]] = {
        "sklearn:check_transformer_n_iter": "classes this far apart leave nothing to improve"
    }

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(n_components=1, init="pca"), cls(solver="cg")]

    def _targets(self, X: np.ndarray, y: Labels | None) -> np.ndarray:
        return read_targets(self, y, X, self.targets)

    def _scale(self, X: np.ndarray) -> float:
        # with s the mean squared bandwidth, exp(-|x - y|^2 / (2 s)) is the kernel of rows over
        # sqrt(2 s)
        return float(np.sqrt(2 * squared_bandwidths(self, X).mean()))

    def _objective(self, X: np.ndarray, y: np.ndarray) -> Objective:
        Y = votes_of(y, X.dtype)
        return SoftVotes(X, Y, squared_error(y, Y, 1.0))
