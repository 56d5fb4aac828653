"""lmnn: target neighbours within, impostors outside a margin of one."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from ilk import Array, ArrayLike, InputError, check_labels, display_name, param
from ilk import Array as ArrayParam
from ilk_learners.metric_learners.descent import N_COMPONENTS, Descent, DescentLearner
from ilk_learners.metric_learners.linear import minimize_nonsmooth

if TYPE_CHECKING:
    from ilk import Labels

_AUTO = 3  # target neighbours, as in Weinberger and Saul
_COLLAPSED = 0.999  # share of the loss of L = 0: above it, L has collapsed to 0


class LMNN(DescentLearner):
    """Large margin nearest neighbour: pull target neighbours, push impostors out of the margin.

    Every point i has target neighbours j, the nearest of its class. L minimises::

        E(L) = sum_ij |L(x_i - x_j)|^2
               + c sum_ij sum_l (1 - y_il) [1 + |L(x_i - x_j)|^2 - |L(x_i - x_l)|^2]_+

    with y_il = 1 if the labels of i and l agree, else 0, and [a]_+ = max(a, 0). A row l with a
    positive term is an impostor. Every step uses all impostors, without sampling: candidates are
    listed, and lists are updated only when rows have moved so far that an impostor could be
    missing. The loss is convex in L'L, so with all dimensions the result does not depend on the
    initialization.

    The margin of 1 has no unit. A named initialization is scaled to minimise the loss along its
    multiples (up to a factor of sqrt(2), estimated on some rows), so data times 1000 give L divided
    by 1000. Large features dominate the loss: standardise them first.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L.
    loss_curve_ : list of float
        E at the start, then after each iteration; never rising, also between rounds.
    n_iter_ : int
        Total iterations of all rounds, at most `max_iter`.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after.

    Raises
    ------
    InputError
        If there are fewer than two classes, if a class has at most `n_neighbors` members, if no
        class has two, or if the result overflows.
    ParameterError
        If triplets name missing rows, repeat or contradict one another.

    Warns
    -----
    ConvergenceWarning
        If the solver has not converged, or there is nothing to learn.
    MetricWarning
        If the error after is larger than before.

    References
    ----------
    Weinberger and Saul, "Distance metric learning for large margin nearest neighbor
    classification", JMLR 10, 2009.

    Zaidi 2011: section 4.1; equation 4.4 (where a parenthesis is misplaced).

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 0], [4, 1], [8, 0], [1, 3], [5, 4], [9, 3]]
    >>> lmnn = ilk.metric_learner("lmnn", n_neighbors=1).fit(X, list("aaabbb"))
    >>> lmnn.report_.before, lmnn.report_.after
    (1.0, 0.0)
    """

    n_neighbors: int | Literal["auto"] = param(
        default="auto",
        type=int,
        ge=1,
        choices=("auto",),
        doc='Target neighbours of each row. "auto": 3; all others in a smaller class. The row of '
        "a one-member class has none and is only an impostor to others.",
    )
    push: float = param(
        default=0.25,
        gt=0,
        le=1000000000000.0,
        doc="Weight c of impostors. 0.25 was within one point of error of the best of 0.1, 0.25, "
        "0.5 and 1 on 10 of 12 data sets.",
    )
    n_rounds: int = param(
        default=1,
        ge=1,
        doc="Number of rounds; each selects target neighbours, after the first under the metric "
        "learned so far.",
    )
    triplets: Any = param(
        default="labels",
        type=ArrayParam,
        choices=("labels",),
        doc="Row numbers i, j, l, where i should be nearer to j than to l. Each pair i, j is "
        "pulled once. The triplets replace target neighbours and impostors, and y is optional.",
    )
    n_components: int | None = N_COMPONENTS
    init: ArrayLike | str = param(
        default="identity",
        type=Array,
        choices=("identity", "pca", "lda"),
        form='{"identity", "pca", "lda"} or array of shape (d, p)',
        doc="The initial map.",
    )
    max_iter: int = param(default=50, ge=1, doc="Maximal total iterations of all rounds.")
    tol: float = param(
        default=0.001,
        ge=0,
        doc="Stop after two consecutive iterations with at most this relative gain. A smaller one "
        "seldom changes the error: 1e-5 lowered the loss by at most 1.2 % on 7 data sets and took "
        "two to three times the iterations, more than `max_iter` on three of them.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(n_neighbors=1, push=1.0),
            cls(n_components=1, init="lda"),
            cls(n_rounds=2, init="pca"),
        ]

    def _targets(self, X: np.ndarray, y: Labels | None) -> np.ndarray:
        if isinstance(self.triplets, str):
            classes, codes = check_labels(self, y, X, min_classes=2)
            self._counts(classes, codes)
            return codes
        if y is None:
            return np.empty(0)  # triplets need no y
        return check_labels(self, y, X)[1]

    def _objective(self, X: np.ndarray, y: np.ndarray) -> Any:
        from ilk_learners.metric_learners.large_margin import GivenTriplets, LargeMargin

        if isinstance(self.triplets, str):
            return LargeMargin(X, y, self._counts(None, y), float(self.push))
        return GivenTriplets(X, self._given(len(X)), float(self.push))

    def _sized(self, L: np.ndarray, X: np.ndarray, y: np.ndarray, scale: float) -> np.ndarray:
        from ilk_learners.metric_learners.large_margin import best_multiple

        return L * best_multiple(self._objective(X, y), L, scale)

    def _scale(self, X: np.ndarray) -> float:
        # the root mean squared distance of two rows
        return float(np.sqrt(2 * np.var(X, axis=0, dtype=float).sum()))

    def _descend(self, objective: Any, start: np.ndarray, scale: float) -> Descent:
        """Minimise in rounds; later rounds use the remaining iterations."""
        curve: list[float] = []
        L, left, moved = start, int(self.max_iter), False
        for rounds in range(int(self.n_rounds), 0, -1):
            # the remaining iterations, divided evenly and rounded up
            descent = self._solve(objective, L, scale, -(-left // rounds))
            L, left, moved = descent.L, left - descent.n_iter, moved or descent.moved
            curve[-1:] = descent.curve  # new target neighbours change the loss at L
            if left == 0:
                break
            if rounds > 1:
                objective = objective.anew(L)
        if curve[-1] > _COLLAPSED * objective.at_zero:
            _warn_of_collapse(self)
        return Descent(L, curve, int(self.max_iter) - left, descent.stopped, moved)

    def _solve(self, objective: Any, start: np.ndarray, scale: float, max_iter: int) -> Descent:
        """Run a solver for nonsmooth losses."""

        def flat(values: np.ndarray) -> tuple[float, np.ndarray]:
            loss, gradient = objective(values.reshape(start.shape) / scale)
            return loss, gradient.ravel() / scale

        # L in units of 1 / scale: the solver's steps then have a size near 1
        minimum = minimize_nonsmooth(flat, start.ravel() * scale, max_iter, float(self.tol))
        L = minimum.x.reshape(start.shape) / scale
        n_iter = len(minimum.curve) - 1
        return Descent(L, minimum.curve, n_iter, minimum.stopped, n_iter > 0 or not minimum.stopped)

    def _counts(self, classes: np.ndarray | None, codes: np.ndarray) -> np.ndarray:
        """Number of target neighbours of the members of each class."""
        others = np.bincount(codes) - 1
        if others.max() == 0:
            raise InputError(
                f"{display_name(self)}: y has one member in each class, so no row has a "
                f"target neighbour"
            )
        if isinstance(self.n_neighbors, str):
            return np.minimum(others, _AUTO)
        k = int(self.n_neighbors)
        if classes is not None and k > others.min():
            smallest = classes.tolist()[int(others.argmin())]
            raise InputError(
                f"{display_name(self)}: n_neighbors must be at most {others.min()}, as class "
                f"{smallest!r} has {others.min() + 1} members, got {k}; 'auto' uses fewer there"
            )
        return np.full(len(others), k)

    def _given(self, n: int) -> np.ndarray:
        """Return the checked triplets."""
        triplets = np.asarray(self.triplets)
        if triplets.ndim != 2 or triplets.shape[1] != 3 or triplets.dtype.kind not in "iu":
            raise self.parameter_error(
                "triplets",
                f"must be integers of shape (m, 3), got {triplets.dtype} {triplets.shape}",
            )
        triplets = triplets.astype(np.int64)
        self._refuse(
            triplets, ((triplets < 0) | (triplets >= n)).any(axis=1), f"are rows 0..{n - 1}"
        )
        i, j, l = triplets.T  # noqa: E741  # as in the formula
        self._refuse(triplets, (i == j) | (i == l) | (j == l), "name three different rows")
        _, first, times = np.unique(triplets, axis=0, return_inverse=True, return_counts=True)
        self._refuse(triplets, times[first] > 1, "do not repeat")
        turned = {(a, c, b) for a, b, c in triplets.tolist()}
        against = np.array([tuple(one) in turned for one in triplets.tolist()], dtype=bool)
        self._refuse(triplets, against, "do not contradict one another")
        return triplets

    def _refuse(self, triplets: np.ndarray, wrong: Any, rule: str) -> None:
        if wrong.any():
            place = int(np.argmax(wrong))
            raise self.parameter_error(
                "triplets",
                f"must be such that they {rule}, got {triplets[place].tolist()} at {place}",
            )


def _warn_of_collapse(owner: LMNN) -> None:
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(
        f"{display_name(owner)}: nothing to learn: no metric is better than zero, as rows are not "
        f"nearer to their target neighbours than to others; a larger push may help",
        ConvergenceWarning,
        stacklevel=4,
    )
