"""itml: the metric nearest to a prior one under bounds on pairs."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ilk import Array as ArrayParam
from ilk import (
    InputError,
    check_seed,
    check_vectors,
    display_name,
    library_threads,
    param,
)
from ilk_learners.metric_learners.constraints import (
    PairLearner,
    Pairs,
    any_pairs,
    read_pairs,
)
from ilk_learners.metric_learners.linear import (
    MetricWarning,
    Objective,
    minimize_smooth,
    report_where_known,
)
from ilk_learners.numerics import (
    common_deviations,
    map_back,
    rounding,
    significant,
    thin_spectrum,
)

if TYPE_CHECKING:
    from ilk import Cases, Labels

_N_BOUND_PAIRS = 20_000  # pairs for the percentiles of distances: enough to estimate them
_NUMBERS = 2**22  # most differences of these pairs held: 32 MiB


class ITML(PairLearner):
    """Change a prior metric as little as bounds on pairs ask for (information-theoretic).

    With the prior A0, an upper bound u for similar pairs and a lower bound l for dissimilar pairs,
    in squared distances::

        minimise D(A, A0) + gamma sum_c D(xi_c, b_c)
        subject to (x_i - x_j)' A (x_i - x_j) <= xi_c  (similar),  >= xi_c  (dissimilar),

    where ``D(A, B) = tr(A B^-1) - log det(A B^-1) - p`` is the LogDet divergence, of numbers and
    matrices alike, and b_c is u or l. The problem is convex. The paper solves its dual by Bregman
    projections on one constraint after the other; convergence takes hundreds of passes. Here the
    optimal xi is inserted: b_c if the bound holds, else the squared distance. L-BFGS minimises the
    sum over L with A = L'L (so A is never indefinite), with all pairs in one matrix product. The
    optimum is the same, as the tests show.

    Bounds are squared distances, like the quantities they bound; a well-known library takes them
    from unsquared distances. (The printed projection step ``delta/2 (1/p - gamma/xi)`` is correct
    only for gamma = 1; the authors' program has ``gamma/(gamma + 1) (1/p - 1/xi)``.)

    Neither the result nor the number of iterations depends on the unit of the data. The optimum is
    unique, so the search starts from the prior, and there is no warm start.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L; d is p unless A0 is singular.
    bounds_ : ndarray of shape (2,)
        u and l, in the units of the data.
    loss_curve_ : list of float
        The objective at the start and after each iteration; never rising.
    n_iter_ : int
        Iterations, at most `max_iter`.
    n_similar_, n_dissimilar_ : int
        Numbers of used pairs.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after; None without y.

    Raises
    ------
    InputError
        If the rows of a given dissimilar pair are equal, or differ in no direction of a singular A0
        (drawn pairs of this kind are left out, and so are such similar pairs, as every metric
        satisfies them); if no pair is left; if given pairs are invalid.
    ParameterError
        If the prior is not symmetric or is indefinite, or bounds are not ascending.

    Warns
    -----
    ConvergenceWarning
        If L-BFGS has not converged.
    MetricWarning
        If there is nothing to learn: all pairs satisfy the bounds under the prior.

    References
    ----------
    Davis, Kulis, Jain, Sra, Dhillon, "Information-theoretic metric learning", *ICML* 2007,
    algorithm 1 (there by projections).

    Zaidi 2011: section 4.1.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 0], [2, 0], [0, 1], [2, 1]]
    >>> pairs = [[0, 1, 1], [2, 3, 1], [0, 2, -1], [1, 3, -1]]
    >>> itml = ilk.metric_learner("itml", constraints=pairs, bounds=[1, 2], gamma=1e6).fit(X)
    >>> itml.metric_matrix_.round(3)
    array([[0.25, 0.  ],
           [0.  , 2.  ]])
    """

    prior: Any = param(
        default="identity",
        type=ArrayParam,
        choices=("identity", "covariance"),
        doc='A0. "covariance": the inverse covariance matrix of all points, within the directions '
        "in which they vary. An array must be symmetric and positive semi-definite; if it is "
        "singular, A stays in its range.",
    )
    gamma: float = param(
        default=1.0,
        gt=0,
        le=1000000000000.0,
        doc="Weight of violated bounds.",
    )
    bounds: Any = param(
        default=None,
        type=ArrayParam,
        doc="u and l, 0 < u < l. None: the 5th and 95th percentile of the non-zero squared "
        "distances between rows under A0.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(random_state=0),
            cls(prior="covariance", random_state=0, report=False),
            cls(gamma=10.0, n_constraints=60, random_state=0, report=False),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that bounds are two ascending numbers above 0."""
        super().check_parameters()
        if self.bounds is None:
            return
        bounds = np.asarray(self.bounds, dtype=float)
        if bounds.shape != (2,) or not 0 < bounds[0] < bounds[1] < np.inf:
            raise self.parameter_error(
                "bounds", f"must be two numbers, 0 < u < l, got {bounds.tolist()}"
            )

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn L from rows X and labels y (not needed if pairs are given)."""
        self.check_parameters()
        X = check_vectors(self, X, reset=True, min_rows=2)
        rng = check_seed(self, self.random_state)
        pairs = read_pairs(self, X, y, rng)
        _, rows, exponent = common_deviations(X)
        # coordinates in which the prior is the identity
        basis = self._root_of_prior(rows, rounding(X, exponent))
        Z = rows @ basis.T
        unit = (
            2 * exponent if not self._follows_unit() else 0
        )  # exponent of squared distances under A0
        self.bounds_, bounds = self._bounds(Z, unit, rng)
        problem = self._problem(Z, pairs, bounds)
        with library_threads(1):
            L = minimize_smooth(self, _objective(problem, float(self.gamma)), np.eye(len(basis)))
        self._warn_unless_moved()
        self.components_ = map_back(
            self, L @ basis, exponent if self._follows_unit() else 0, X.dtype
        )
        self.report_ = report_where_known(self, X, y)
        return self

    def _warn_unless_moved(self) -> None:
        self.n_iter_: int
        if self.n_iter_ == 0:
            warnings.warn(
                f"{display_name(self)}: nothing to learn: all pairs keep to the bounds under the "
                f"prior, which stays",
                MetricWarning,
                stacklevel=3,
            )

    def _follows_unit(self) -> bool:
        """Whether the prior scales with the common unit of the data."""
        return isinstance(self.prior, str) and self.prior == "covariance"

    def _root_of_prior(self, rows: np.ndarray, noise: np.ndarray) -> np.ndarray:
        """L0 of shape (r, p) with L0'L0 = A0."""
        p = rows.shape[1]
        if not isinstance(self.prior, str):
            return self._root_of_given(np.asarray(self.prior, dtype=float), p)
        if self.prior == "identity":
            return np.eye(p)
        values, axes = thin_spectrum(rows)
        kept = significant(values, axes, len(rows), noise)
        if not kept.any():
            raise InputError(f"{display_name(self)}: X has no variance: all rows are equal")
        scaled = axes[kept] * (np.sqrt(len(rows) - 1) / values[kept, None])
        # the symmetric root keeps the axes of the features where the prior is regular
        return np.asarray(axes[kept].T @ scaled if kept.sum() == p else scaled)

    def _root_of_given(self, A: np.ndarray, p: int) -> np.ndarray:
        if A.shape != (p, p):
            raise self.parameter_error("prior", f"must be of shape {(p, p)}, got {A.shape}")
        if not np.isfinite(A).all():
            raise self.parameter_error("prior", "must be finite, got NaN or infinity")
        largest = float(np.abs(A).max())
        if np.abs(A - A.T).max() > 1e-8 * largest:
            raise self.parameter_error("prior", "must be symmetric")
        values, vectors = np.linalg.eigh((A + A.T) / 2)
        rounding = p * np.finfo(float).eps * max(abs(values[0]), abs(values[-1]))
        if values[0] < -max(rounding, 1e-10 * values[-1]):
            raise self.parameter_error(
                "prior", f"must have no negative eigenvalue, got {values[0]:.4g} (indefinite)"
            )
        positive = values > rounding
        if not positive.any():
            raise self.parameter_error("prior", "must not be 0")
        root = np.sqrt(values[positive])[:, None] * vectors[:, positive].T
        return np.asarray(vectors @ root if positive.all() else root)

    def _bounds(
        self, Z: np.ndarray, unit: int, rng: np.random.RandomState
    ) -> tuple[np.ndarray, np.ndarray]:
        """Bounds u and l in the units of the data, and those for Z."""
        if self.bounds is not None:
            given = np.asarray(self.bounds, dtype=float)
            return given, np.ldexp(given, -unit)
        number = min(_N_BOUND_PAIRS, max(_NUMBERS // Z.shape[1], 100))
        first, second = any_pairs(len(Z), number, rng).T
        squares = ((Z[first] - Z[second]) ** 2).sum(axis=1)
        squares = squares[squares > 0]
        if not len(squares):
            raise InputError(f"{display_name(self)}: all rows are equal: there is nothing to learn")
        # as in Davis et al.: most similar pairs are below u, most dissimilar ones above l
        bounds = np.percentile(squares, [5, 95])
        with np.errstate(over="ignore"):
            return np.ldexp(bounds, unit), bounds

    def _problem(self, Z: np.ndarray, pairs: Pairs, bounds: np.ndarray) -> _Problem:
        """Differences, signs and bounds of the used pairs."""
        steps = []
        for sign, chosen in zip((1, -1), pairs, strict=True):
            difference = Z[chosen[:, 0]] - Z[chosen[:, 1]]
            # equal rows have distance 0 under every metric: such a pair cannot be moved
            apart = np.square(difference).sum(axis=1) > np.finfo(float).tiny
            if sign < 0 and not isinstance(self.constraints, str) and not apart.all():
                i, j = chosen[np.argmin(apart)].tolist()
                raise InputError(
                    f"{display_name(self)}: constraints: rows {i} and {j} are dissimilar, but "
                    f"they are equal (under the prior), so no metric separates them"
                )
            steps.append(difference[apart])
        counts = [len(each) for each in steps]
        self.n_similar_, self.n_dissimilar_ = counts
        if not sum(counts):
            raise InputError(f"{display_name(self)}: in all pairs the rows are equal")
        return _Problem(np.concatenate(steps), np.repeat([1, -1], counts), bounds.repeat(counts))


class _Problem(NamedTuple):
    steps: np.ndarray
    signs: np.ndarray
    bounds: np.ndarray


def _objective(problem: _Problem, gamma: float) -> Objective:
    """Return loss and gradient of L, in coordinates in which the prior is the identity."""
    steps, signs, bounds = problem
    mapped = np.empty_like(steps)  # reused: allocation would take longer than the products

    def objective(L: np.ndarray) -> tuple[float, np.ndarray]:
        _, logdet = np.linalg.slogdet(L)
        if logdet == -np.inf:  # singular A has an infinite loss: evaluate right beside it
            L = L + 1e-8 * np.eye(len(L))
            _, logdet = np.linalg.slogdet(L)
        np.matmul(steps, L.T, out=mapped)
        squares = np.einsum("ij,ij->i", mapped, mapped)
        ratios = squares / bounds
        # the best xi of a pair that keeps its bound is its distance: such pairs cost nothing
        broken = signs * (ratios - 1) > 0
        ratios[~broken] = 1.0
        # the LogDet divergence of two numbers, x / b - log(x / b) - 1
        slack = ratios - np.log(ratios) - 1
        slopes = np.where(broken, 1 / bounds - 1 / np.where(broken, squares, 1.0), 0.0)
        # tr(A) - log det(A) - p, the LogDet divergence of A = L'L and the identity
        loss = float(np.vdot(L, L)) - 2 * float(logdet) - len(L) + gamma * float(slack.sum())
        np.multiply(mapped, slopes[:, None], out=mapped)
        return loss, 2 * (L - np.linalg.inv(L).T + gamma * (mapped.T @ steps))

    return objective
