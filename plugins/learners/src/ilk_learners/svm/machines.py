"""Binary machines: their problems, solutions by libsvm or in blocks, and votes for many classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sklearn.svm import SVC

    from ilk import Cases
    from ilk_learners.svm.blocks import KernelValues
    from ilk_learners.svm.gram import KnownKernel

Strategy = Literal["ova", "ovo"]


_CACHE_MEBIBYTES = 200  # scikit-learn's default
_STEPS = 10_000_000, 100  # default limits of iterations, in total and per row: as in libsvm


def solve(
    K: np.ndarray, signs: np.ndarray, C: np.ndarray, *, tol: float, max_iter: int | None
) -> Machine:
    """Solve one dual problem.

    Parameters
    ----------
    K : ndarray of shape (n, n), float64, C-contiguous
        Not copied.
    signs : ndarray of shape (n,)
        -1 or 1.
    C : ndarray of shape (n,)
        Non-negative bound of each coefficient.
    tol : float
    max_iter : int or None
        Maximal iterations; None: `most_steps`.
    """
    svc = _fitted("precomputed", K, signs, C, tol, max_iter)
    coef = coefficients(svc, len(signs))
    return _machine(svc, coef, K @ coef, signs, C)


def solve_pairs(
    K: np.ndarray, codes: np.ndarray, C: np.ndarray, *, tol: float, max_iter: int | None
) -> list[Machine]:
    """Solve the problems of all pairs of classes, at least three, in one run of libsvm.

    Parameters
    ----------
    K : ndarray of shape (n, n), float64, C-contiguous
        Gram matrix of all rows; not copied.
    codes : ndarray of int, shape (n,)
        0 to n_classes - 1, each present, ascending: the matrices of pairs are blocks of K.
    C, tol, max_iter
        As in `solve`.

    Returns
    -------
    list of Machine
        Machines of the pairs (0, 1), (0, 2), ..., (1, 2), ...; the first class of a pair has the
        sign 1. Their `rows` count all rows.
    """
    svc = _fitted("precomputed", K, codes, C, tol, max_iter)
    every = np.zeros((len(svc.dual_coef_), len(codes)))
    every[:, svc.support_] = svc.dual_coef_  # a row has a coefficient for each other class
    # rows are sorted by class, so each class is a slice
    ends = np.searchsorted(codes, np.arange(codes[-1] + 2))
    spans = [slice(*ends[code : code + 2]) for code in range(codes[-1] + 1)]
    machines = []
    for (a, b), steps in zip(combinations(range(len(spans)), 2), svc.n_iter_, strict=True):
        A, B = spans[a], spans[b]
        # scikit-learn's layout: a row of class a has its coefficient against b in line b - 1 if a <
        # b, else in line b
        left, right = every[b - 1, A], every[a, B]
        coef = np.concatenate([left, right])
        some = np.flatnonzero(coef)
        rows = some + np.where(some < len(left), A.start, B.start - len(left))
        outputs = [coef[some] @ K[rows, part] for part in (A, B)]
        solved = machine(
            coef,
            np.concatenate(outputs),
            np.repeat([1.0, -1.0], [len(left), len(right)]),
            np.concatenate([C[A], C[B]]),
            n_iter=int(steps),
            # the status is one for all pairs: a pair has converged if it stopped before the limit
            converged=not svc.fit_status_ or int(steps) != svc.max_iter,
        )
        machines.append(replace(solved, rows=rows))
    return machines


def solve_blocks(
    values: KernelValues, signs: np.ndarray, C: np.ndarray, *, tol: float, max_iter: int | None
) -> Machine:
    """Solve one dual problem of many rows by `blocks.minimum`; parameters as in `solve`.

    Raises
    ------
    FloatingPointError
        If a kernel value is not finite.
    """
    from ilk_learners.svm import blocks  # imports numba

    low, high = np.where(signs > 0, 0.0, -C), np.where(signs > 0, C, 0.0)
    coef, wanted, n_iter, converged = blocks.minimum(
        values,
        signs.copy(),
        np.zeros(len(signs)),
        low,
        high,
        tol=tol,
        max_iter=most_steps(len(signs)) if max_iter is None else max_iter,
    )
    return machine(coef, signs - wanted, signs, C, n_iter=n_iter, converged=converged)


Outputs = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of support vectors and coefficients


def hull_margins(
    kernel: KnownKernel | None, X: Cases, signs: np.ndarray, outputs: Outputs, tol: float
) -> tuple[float, float]:
    """Bounds of the largest margin, from one point of the convex hull of each side.

    Half the distance of any two such points is at least the margin. libsvm's nu-SVM, with bounds
    that allow the whole hulls, finds nearly the nearest points.

    Parameters
    ----------
    kernel : KnownKernel or None
        None: X is the Gram matrix.
    outputs : callable
        Maps row numbers and coefficients to the decision values of all rows without the intercept;
        libsvm's own function takes several times as long.
    tol : float
        Tolerance of the products of support vectors with the difference of the points.

    Returns
    -------
    least, most : float
        `least` is at most 0 if the points do not separate the sides; both are 0 if the points are
        equal.
    """
    from sklearn.svm import NuSVC

    n = len(signs)
    nu = 2 / n * (1 - 1e-12)  # the coefficients of a side sum to 1, up to rounding down
    terms = {} if kernel is None else kernel.terms
    svc = NuSVC(
        nu=nu,
        kernel="precomputed" if kernel is None else kernel.name,
        tol=tol,
        max_iter=most_steps(n),
        cache_size=_CACHE_MEBIBYTES,
        **terms,
    )
    try:
        svc = quietly_fitted(svc, X, signs, None)
    except ValueError:  # the distance is 0, and scikit-learn divides by it
        return 0.0, 0.0
    coef = coefficients(svc, n)
    # each side sums to 1: both points lie in the convex hulls
    coef *= 2 / float(np.abs(coef).sum())
    support = np.flatnonzero(coef)
    values = outputs(support, coef[support])
    # |sum a_i s_i phi(x_i)|, the distance of the two points
    distance = max(float(coef @ values), 0.0) ** 0.5
    # the sides are at least this far apart along the line through both points
    gap = float(values[signs > 0].min() - values[signs < 0].max())
    return (gap / distance / 2 if distance else 0.0), distance / 2


def _fitted(
    kernel: str,
    X: np.ndarray,
    labels: np.ndarray,
    C: np.ndarray,
    tol: float,
    max_iter: int | None,
    **terms: float,
) -> SVC:
    from sklearn.svm import SVC

    svc = SVC(
        C=1.0,
        kernel=kernel,
        tol=tol,
        max_iter=most_steps(len(labels)) if max_iter is None else max_iter,
        cache_size=_CACHE_MEBIBYTES,
        **terms,
    )
    return quietly_fitted(svc, X, labels, C)


def quietly_fitted(svm: Any, X: Cases, labels: np.ndarray | None, C: np.ndarray | None) -> Any:
    """Fit a scikit-learn machine on checked data; its warnings are left to the owner."""
    import sklearn

    settings = {"assume_finite": True, "skip_parameter_validation": True}
    with warnings.catch_warnings(), sklearn.config_context(**settings):
        warnings.simplefilter("ignore", UserWarning)
        return svm.fit(X, labels, sample_weight=C)


def most_steps(n: int) -> int:
    """Default limit of libsvm's iterations; scikit-learn's has none.

    Its kernel values have single precision: a tolerance below their rounding is never reached.
    """
    return max(_STEPS[0], _STEPS[1] * n)


def coefficients(svc: Any, n: int) -> np.ndarray:
    """Dual coefficients of all n rows."""
    coef = np.zeros(n)
    dual: Any = svc.dual_coef_  # sparse for sparse rows
    coef[svc.support_] = (dual if isinstance(dual, np.ndarray) else dual.toarray())[0]
    return coef


def _machine(
    svc: SVC, coef: np.ndarray, outputs: np.ndarray, signs: np.ndarray, C: np.ndarray
) -> Machine:
    n_iter, converged = int(svc.n_iter_[0]), not svc.fit_status_
    return machine(coef, outputs, signs, C, n_iter=n_iter, converged=converged)


_ROUNDING = 1e-12  # rounding relative to a bound


@dataclass(frozen=True)
class Machine:
    """The solution of one dual problem.

    ``maximise sum_i a_i - 1/2 sum_ij a_i a_j s_i s_j k(x_i, x_j)`` over ``0 <= a_i <= C_i`` with
    ``sum_i a_i s_i = 0``, for signs s.

    Attributes
    ----------
    rows : ndarray of int, shape (n_support,)
        Support vectors among the rows of the problem, ascending.
    coef : ndarray of shape (n_support,)
        ``a_i s_i`` of each.
    intercept : float
        From the free support vectors, ``0 < a_i < C_i``; without any, the middle of the interval
        allowed by the optimality conditions.
    objective : float
        Value of the dual.
    margin : float
        ``1 / |w|``; infinity if w is 0.
    violation : float
        Violation of the Karush-Kuhn-Tucker conditions: the gap between the lower and upper bounds
        that they impose on the intercept, if these cross; 0 if all hold.
    n_iter : int
    converged : bool
    """

    rows: np.ndarray
    coef: np.ndarray
    intercept: float
    objective: float
    margin: float
    violation: float
    n_iter: int
    converged: bool


def machine(
    coef: np.ndarray,
    outputs: np.ndarray,
    signs: np.ndarray,
    C: np.ndarray,
    *,
    n_iter: int,
    converged: bool,
) -> Machine:
    """Build a machine from the dual coefficients of all rows.

    Parameters
    ----------
    coef : ndarray of shape (n,)
        ``a_i s_i``, exactly 0 for rows of weight 0. Coefficients within rounding of a bound are
        moved onto it: as free ones they would determine the intercept.
    outputs : ndarray of shape (n,)
        Decision of each row without the intercept: the Gram matrix times `coef`.
    signs : ndarray of shape (n,)
        -1 or 1.
    C : ndarray of shape (n,)
        Bounds.
    n_iter, converged
        From the solver.
    """
    rows = np.flatnonzero(coef)
    # a coefficient within rounding of its bound would else count as free and fix the intercept
    coef = np.where(np.abs(coef) > C * (1 - _ROUNDING), signs * C, coef)
    low, high = np.where(signs > 0, 0.0, -C), np.where(signs > 0, C, 0.0)
    bias, violation = intercept(signs - outputs, coef, low, high)
    # |w|^2 = a'Ka, and the margin is 1 / |w|
    square = float(coef[rows] @ outputs[rows])
    return Machine(
        rows,
        coef[rows],
        bias,
        float(np.abs(coef).sum()) - square / 2,
        1 / float(np.sqrt(square)) if square > 0 else np.inf,
        violation,
        n_iter,
        converged,
    )


def dense_coefficients(machines: Sequence[Machine], n: int) -> np.ndarray:
    """Coefficients of all n training rows by machine; array of shape (n_machines, n)."""
    dense = np.zeros((len(machines), n))
    for line, solved in zip(dense, machines, strict=True):
        line[solved.rows] = solved.coef
    return dense


def intercept(
    wanted: np.ndarray, coef: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[float, float]:
    """Intercept, and the violation of the conditions.

    A row whose coefficient can grow is a lower bound of the intercept; a row whose coefficient can
    shrink is an upper bound. Rows of weight 0 are ignored.

    Parameters
    ----------
    wanted : ndarray of shape (n,)
        The intercept at which a row lies exactly on its margin.
    coef, low, high : ndarray of shape (n,)
        Coefficients and their bounds.
    """
    # the KKT conditions: rows whose coefficient can still grow want at least their intercept
    least = float(np.max(wanted[coef < high], initial=-np.inf))
    most = float(np.min(wanted[coef > low], initial=np.inf))
    # free coefficients lie on the margin exactly; their mean evens out rounding
    free = (coef > low) & (coef < high)
    if free.any():
        middle = float(wanted[free].mean())
    elif np.isfinite(least) and np.isfinite(most):
        middle = least / 2 + most / 2
    else:
        middle = least if np.isfinite(least) else most
    return middle, max(least - most, 0.0)


def problems(
    codes: np.ndarray, n_classes: int, strategy: Strategy
) -> Iterator[tuple[np.ndarray | None, np.ndarray]]:
    """Yield rows (None: all) and signs of each binary problem.

    The sign 1 belongs to the second of two classes; one against all: to each class in turn; pairs:
    to the first class of each pair.
    """
    if n_classes == 2 or strategy == "ova":
        for code in range(1 if n_classes == 2 else 0, n_classes):
            yield None, np.where(codes == code, 1.0, -1.0)
        return
    for a, b in combinations(range(n_classes), 2):
        rows = np.flatnonzero((codes == a) | (codes == b))
        yield rows, np.where(codes[rows] == a, 1.0, -1.0)


def class_scores(decisions: np.ndarray, n_classes: int, strategy: Strategy) -> np.ndarray:
    """Score of each class from the decision values of the machines.

    Pairs vote. The sum of decision values for a class, compressed to less than half a vote, settles
    ties: it reorders only classes with equal votes.

    Parameters
    ----------
    decisions : ndarray of shape (m, n_machines)

    Returns
    -------
    ndarray of shape (m,) for two classes, else (m, n_classes)
    """
    if n_classes == 2:
        return decisions[:, 0]
    if strategy == "ova":
        return decisions
    votes = np.zeros((len(decisions), n_classes))
    sums = np.zeros_like(votes)
    for column, (a, b) in zip(decisions.T, combinations(range(n_classes), 2), strict=True):
        votes[:, a] += column > 0
        votes[:, b] += column <= 0
        sums[:, a] += column
        sums[:, b] -= column
    # |sum / (3 (|sum| + 1))| < 1/3: two of them cannot make up for a vote
    return np.asarray(votes + sums / (3 * (np.abs(sums) + 1)))


def winners(scores: np.ndarray) -> np.ndarray:
    """Code of the class with the best of the `class_scores`, for each row."""
    return np.asarray((scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1))


def class_probabilities(positive: np.ndarray, n_classes: int, strategy: Strategy) -> np.ndarray:
    """Probability of each class from the machines' probabilities of the sign 1.

    One against all: normalized. Pairs: coupled by the second method of Wu, Lin and Weng (2004): p
    minimises ``sum_ij (r_ji p_i - r_ij p_j)^2``.

    Parameters
    ----------
    positive : ndarray of shape (m, n_machines)
        Within 0 and 1, both excluded.

    Returns
    -------
    ndarray of shape (m, n_classes)
    """
    if n_classes == 2:
        return np.column_stack([1 - positive[:, 0], positive[:, 0]])
    if strategy == "ova":
        # the machines are calibrated one by one: their probabilities need not add up
        return np.asarray(positive / positive.sum(axis=1, keepdims=True))
    r = np.zeros((len(positive), n_classes, n_classes))
    for column, (a, b) in zip(positive.T, combinations(range(n_classes), 2), strict=True):
        r[:, a, b], r[:, b, a] = column, 1 - column
    return _coupled(r)


def _coupled(r: np.ndarray) -> np.ndarray:
    """Solve ``Q p = const, sum p = 1`` for the matrix Q of the squares; r of shape (m, c, c).

    Q alone is nearly singular if a class wins clearly; the constraint makes the system regular.
    """
    m, n_classes, _ = r.shape
    Q = np.ones((m, n_classes + 1, n_classes + 1))
    # the matrix of the quadratic form: Q_ii = sum_j r_ji^2, Q_ij = -r_ij r_ji
    Q[:, :-1, :-1] = -r * np.swapaxes(r, 1, 2)
    diagonal = np.arange(n_classes)
    Q[:, diagonal, diagonal] = np.square(r).sum(axis=1)
    # the last row and column are the Lagrange multiplier of sum p = 1
    Q[:, -1, -1] = 0.0
    right = np.zeros((m, n_classes + 1, 1))
    right[:, -1] = 1.0
    # rounding may leave a tiny negative probability
    p = np.maximum(np.linalg.solve(Q, right)[:, :-1, 0], 0.0)
    return np.asarray(p / p.sum(axis=1, keepdims=True))
