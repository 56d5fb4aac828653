"""mmc: similar pairs near, dissimilar pairs far (Xing's clustering with side information)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from ilk import (
    InputError,
    check_seed,
    check_vectors,
    display_name,
    library_threads,
    param,
)
from ilk_learners.metric_learners.constraints import PairLearner, Pairs, read_pairs
from ilk_learners.metric_learners.linear import (
    Objective,
    minimize_smooth,
    report_where_known,
)
from ilk_learners.metric_learners.whitening import inverse_root
from ilk_learners.numerics import common_deviations, map_back, rounding

if TYPE_CHECKING:
    from ilk import Cases, Labels


class MMC(PairLearner):
    """Bring similar pairs near while dissimilar pairs stay far (Xing et al.).

    With pairs S of similar rows and D of dissimilar ones::

        minimise sum_S d_A(x_i, x_j)^2    subject to  sum_D d_A(x_i, x_j) >= 1,  A psd.

    The thesis prints the constraint (4.1) as a sum of squares that is at most 1; its optimum would
    be A = 0. Distances in the constraint are not squared, as otherwise A would have rank one.

    The problem is convex. L-BFGS solves ``min sum_S d^2 - log sum_D d``, which differs only in
    scale, over L with A = L'L (so A is never indefinite). Coordinates are chosen in which similar
    pairs scatter equally in all directions. So result and speed do not depend on the features'
    units or on the initialization. All pairs enter as one matrix product.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L, scaled to sum_D d = 1.
    objective_ : float
        sum_S d^2 at L.
    loss_curve_ : list of float
        The objective at the start and after each iteration; never rising.
    n_iter_ : int
        Iterations, at most `max_iter`.
    rank_ : int
        Rank of S, before shrinkage.
    shrinkage_ : float
        As given.
    n_similar_, n_dissimilar_ : int
        Numbers of pairs.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after; None without y.

    Raises
    ------
    InputError
        If similar or dissimilar pairs are missing; if the rows of all similar or all dissimilar
        pairs are equal, or differ in no remaining direction; if given pairs are invalid.

    Warns
    -----
    ConvergenceWarning
        If L-BFGS has not converged.

    References
    ----------
    Xing, Ng, Jordan, Russell, "Distance metric learning with application to clustering with
    side-information", *NIPS* 15, 2002.

    Zaidi 2011: section 4.1; equation 4.1.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 0], [0, 1], [3, 5], [4, 0], [4, 1], [7, 5]]
    >>> pairs = [[0, 1, 1], [1, 2, 1], [0, 3, -1], [1, 4, -1]]
    >>> mmc = ilk.metric_learner("mmc", constraints=pairs, diagonal=True, report=False).fit(X)
    >>> mmc.metric_matrix_.round(3)
    array([[0.016, 0.   ],
           [0.   , 0.   ]])
    """

    diagonal: bool = param(default=False, doc="Whether A is diagonal: weights of features.")
    shrinkage: float = param(
        default=0.0,
        ge=0,
        le=1,
        doc="s in 0..1: with the scatter S = sum_S (x_i - x_j)(x_i - x_j)', S becomes (1 - s) S + "
        "s trace(S)/p I.",
    )
    singular: Literal["reduce", "error"] = param(
        default="reduce",
        choices=("reduce", "error"),
        doc="What to do if S is singular: in a direction without differences of similar pairs, "
        'distances cost nothing and would become infinite. "reduce": leave such directions out, '
        "by projecting on the leading principal components of all points in which S is not "
        'singular (`diagonal`: by leaving out such features). "error": raise.',
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(random_state=0, report=False),
            cls(diagonal=True, random_state=0, report=False),
            cls(shrinkage=0.1, n_constraints=60, random_state=0),
        ]

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn L from rows X and labels y (not needed if pairs are given)."""
        self.check_parameters()
        X = check_vectors(self, X, reset=True, min_rows=2)
        pairs = read_pairs(self, X, y, check_seed(self, self.random_state))
        _, rows, exponent = common_deviations(X)
        with library_threads(1):  # products too small for several threads
            components = self._learned(rows, pairs, rounding(X, exponent))
        self.components_ = map_back(self, components, exponent, X.dtype)
        self.report_ = report_where_known(self, X, y)
        return self

    def _learned(self, rows: np.ndarray, pairs: Pairs, noise: np.ndarray) -> np.ndarray:
        similar, dissimilar = self._differences(rows, pairs)
        basis = self._basis(similar, rows, np.sqrt(2) * noise)  # of differences of two rows
        # |L|^2 - log mean |L step| has its minimum at the direction of the constrained problem; the
        # constraint fixes the length
        L = self._minimum(dissimilar @ basis.T)
        components = (np.diag(np.abs(L)) if L.ndim == 1 else L) @ basis
        # the constraint: distances of dissimilar pairs sum to 1
        components /= np.linalg.norm(dissimilar @ components.T, axis=1).sum()
        self.objective_ = float(((similar @ components.T) ** 2).sum())
        return np.asarray(components)

    def _differences(self, rows: np.ndarray, pairs: Pairs) -> tuple[np.ndarray, np.ndarray]:
        """Differences of the rows of each pair."""
        self.n_similar_, self.n_dissimilar_ = len(pairs.similar), len(pairs.dissimilar)
        differences = []
        for what, chosen in zip(("similar", "dissimilar"), pairs, strict=True):
            steps = rows[chosen[:, 0]] - rows[chosen[:, 1]]
            if not len(chosen):
                raise InputError(
                    f"{display_name(self)}: there are no {what} pairs; both are needed"
                )
            if not steps.any():
                raise InputError(f"{display_name(self)}: in all {what} pairs the rows are equal")
            differences.append(steps)
        return differences[0], differences[1]

    def _basis(self, similar: np.ndarray, rows: np.ndarray, noise: np.ndarray) -> np.ndarray:
        """Coordinates in which the scatter of similar pairs is the identity."""
        what = "the scatter of similar pairs"
        if not self.diagonal:
            return inverse_root(self, similar, lambda: rows, what=what, noise=noise)
        squares = (similar**2).sum(axis=0)
        squares[squares <= len(similar) * noise**2] = 0.0
        self.rank_, self.shrinkage_ = int((squares > 0).sum()), float(self.shrinkage)
        if self.rank_ < len(squares) and not self.shrinkage and self.singular == "error":
            raise InputError(
                f"{display_name(self)}: {what} is singular (feature {int(np.argmin(squares))} does "
                f"not differ); set shrinkage, or singular to 'reduce'"
            )
        squares = (1 - self.shrinkage) * squares + self.shrinkage * squares.mean()
        # a feature that does not differ in similar pairs is left out: 1 / sqrt(inf) = 0
        return np.diag(1 / np.sqrt(np.where(squares > 0, squares, np.inf)))

    def _minimum(self, steps: np.ndarray) -> np.ndarray:
        """Minimise ``|L|^2 - log mean |L step|``; sets `loss_curve_` and `n_iter_`."""
        size = float(np.abs(steps).max())
        if size == 0:
            raise InputError(
                f"{display_name(self)}: dissimilar pairs differ only in directions in which "
                f"similar pairs do not, and these are left out; set shrinkage"
            )
        d = steps.shape[1]
        # the best multiple of the identity: along multiples s of L the slope 2 s |L|^2 - 1 / s is 0
        start = (np.ones(d) if self.diagonal else np.eye(d)) / np.sqrt(2 * d)
        return minimize_smooth(self, _objective(steps / size, self.diagonal), start)


def _objective(steps: np.ndarray, diagonal: bool) -> Objective:
    """Return loss and gradient of L; a vector is the diagonal of a matrix."""
    mapped = np.empty_like(steps)  # reused: allocation would take longer than the products

    def objective(L: np.ndarray) -> tuple[float, np.ndarray]:
        if diagonal:
            np.multiply(steps, L, out=mapped)
        else:
            np.matmul(steps, L.T, out=mapped)
        lengths = np.sqrt(np.einsum("ij,ij->i", mapped, mapped))
        total = float(lengths.sum())
        # a pair mapped to 0 is at a kink of its length: 0 is a subgradient
        np.divide(mapped, np.where(lengths > 0, lengths, 1.0)[:, None], out=mapped)
        slope = np.einsum("ij,ij->j", mapped, steps) if diagonal else mapped.T @ steps
        loss = float(np.vdot(L, L)) - np.log(total / len(steps))
        return float(loss), 2 * L - slope / total

    return objective
