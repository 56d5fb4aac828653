"""nca: neighbourhood components analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from ilk import ArrayLike, check_labels, param
from ilk_learners.metric_learners.descent import (
    N_COMPONENTS,
    SOLVER,
    DescentLearner,
    Objective,
)
from ilk_learners.metric_learners.linear import INIT
from ilk_learners.metric_learners.soft_votes import (
    Softmax,
    SoftVotes,
    expected_errors,
    exponentials,
    one_column_each,
    squared_bandwidths,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ilk import Labels


class NCA(DescentLearner):
    """Neighbourhood components analysis: maximise the accuracy of a random neighbour.

    Row i chooses row j as its neighbour with probability ::

        p_ij = exp(-|L(x_i - x_j)|^2) / sum over k != i of exp(-|L(x_i - x_k)|^2),   p_ii = 0.

    Let p_i be the sum of p_ij over the rows j of i's class. The loss is ``sum_i (1 - p_i)``, the
    expected number of errors (`objective` "expected_accuracy"), or ``-sum_i log p_i`` ("log"),
    which emphasizes the rows furthest from their class. Rows that are alone in their class have
    p_i = 0 for every L: they count as errors in the first loss, and are left out of the second.

    The initial L is `init` divided by ``sqrt(2 s)``, where s is the mean squared distance of rows
    to the nearer half of their floor(log2 n) neighbours: results do not depend on a common unit of
    the features. The gradient takes a few matrix products per block of rows.

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
        If y has only one class, or n_components exceeds the number of features.

    Warns
    -----
    ConvergenceWarning
        If the solver has not converged, or the gradient is 0 at the initial L.
    MetricWarning
        If the nearest neighbour has more errors than with the Euclidean distance.

    References
    ----------
    Goldberger, Roweis, Hinton, Salakhutdinov, "Neighbourhood components analysis", NIPS 2005.

    Zaidi 2011: section 4.1; equations 4.2-4.3 (there "A = L'T" stands for A = L'L, and of the two
    objectives only the logarithms).

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 5], [1, -5], [0, 4], [1, -4], [6, 5], [5, -5], [6, 4], [5, -4]]
    >>> nca = ilk.metric_learner("nca", n_components=1).fit(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> bool(abs(nca.components_[0, 0]) > 20 * abs(nca.components_[0, 1]))
    True
    >>> nca.report_.before, nca.report_.after
    (0.0, 0.0)
    """

    n_components: int | None = N_COMPONENTS
    objective: Literal["expected_accuracy", "log"] = param(
        default="expected_accuracy",
        choices=("expected_accuracy", "log"),
        doc="Maximise the sum of p_i, or of their logarithms.",
    )
    init: ArrayLike | str = INIT
    solver: Literal["lbfgs", "cg"] = SOLVER

    waivers: ClassVar[Mapping[str, str]] = {
        "sklearn:check_transformer_n_iter": "classes this far apart leave nothing to improve"
    }

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(objective="log"),
            cls(n_components=1, init="lda"),
            cls(solver="cg"),
        ]

    def _targets(self, X: np.ndarray, y: Labels | None) -> np.ndarray:
        return check_labels(self, y, X, min_classes=2)[1]

    def _scale(self, X: np.ndarray) -> float:
        # with s the mean squared bandwidth, exp(-|x - y|^2 / (2 s)) is the kernel of rows over
        # sqrt(2 s)
        return float(np.sqrt(2 * squared_bandwidths(self, X).mean()))

    def _objective(self, X: np.ndarray, y: np.ndarray) -> Objective:
        if self.objective == "log":
            return LogVotes(X, y)
        Y = one_column_each(y, X.dtype)
        return SoftVotes(X, Y, expected_errors(Y))


@dataclass(frozen=True)
class LogVotes(Softmax):
    """``-sum_i log sum_j P_ij`` over the j of i's class, as a function of L.

    With Q, the weights P of i's class normalized to sum 1, S = P - Q. For i's class it is computed
    as Q times the weight of all others, which loses no digits if that is small. Rows that are alone
    in their class are left out: L does not affect their loss.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        The class of each row.
    """

    codes: np.ndarray

    def _slopes(self, rows: slice, scores: np.ndarray, S: np.ndarray) -> float:
        other = self.codes[rows, None] != self.codes
        # Q: the softmax over the rows of the same class only
        np.copyto(S, scores)
        S[other] = -np.inf
        # a row alone in its class gets no vote for it: it has neither loss nor slope
        alone = ~np.isfinite(S.max(axis=1))
        S[alone] = 0
        # both softmaxes are scaled by their own maximum; the difference enters the loss
        above = (scores.max(axis=1) - S.max(axis=1)).astype(float)
        P, same_class = exponentials(scores), exponentials(S)
        sums, same_sums = P.sum(axis=1), same_class.sum(axis=1)
        # 1 - p_i summed over the other classes, which loses no digits if it is small
        wrong = np.einsum("ij,ij->i", P, other, dtype=P.dtype) / sums
        wrong[alone] = 0
        losses = np.log(sums) - np.log(same_sums) + above
        exact = wrong < 0.5  # there the difference of two logarithms loses digits
        losses[exact] = -np.log1p(-wrong[exact].astype(float))
        # S = P - Q: within the class it is -wrong Q, elsewhere P
        same_class *= (-wrong / same_sums)[:, None]
        np.divide(P, sums[:, None], out=same_class, where=other & ~alone[:, None])
        if self.widths is not None:
            same_class *= self.widths[rows, None]
        return float(losses.sum())
