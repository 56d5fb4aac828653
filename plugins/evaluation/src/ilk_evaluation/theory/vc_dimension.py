"""VC dimensions: of hyperplanes with a margin, perceptrons, polynomials and fitted SVMs."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ilk import InputError, ParameterError, display_name, take
from ilk_evaluation.theory.domain import COUNT, LENGTH, POSITIVE, checked, counted, measured, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ilk import ArrayLike, Cases, Estimator, Matrix

_STEPS = 500  # most steps; the bound holds after any number
_GAP = 1e-3  # tolerance of the ball search, relative to the squared radius
_ROUNDING = 1e-4  # of a decision in single precision, relative to the sum of its terms


class VcRange(NamedTuple):
    """Lower and upper bound of a VC dimension.

    Attributes
    ----------
    lower : int
    upper : float
    """

    lower: int
    upper: float


def margin_vc_dimension(
    radius: float | ArrayLike, margin: float | ArrayLike, n_features: int | None = None
) -> Any:
    """Bound on the VC dimension of hyperplanes with a margin to cases within a ball.

    ``h <= min(ceil(R^2 / gamma^2) + 1, d + 1)``: a wide margin makes the capacity independent of
    the dimension. For a hyperplane with ``y (w.x + b) >= 1`` the margin is ``1 / |w|``, and the
    first term ``ceil(R^2 |w|^2) + 1``. The source prints this term only; hyperplanes in d
    dimensions have at most d + 1 (Vapnik).

    Parameters
    ----------
    radius : float or array of float
        R, of a ball that contains all cases; in units of the features, at least 0.
    margin : float or array of float
        gamma, the distance of the nearest case from the hyperplane; in the same units, above 0.
    n_features : int or array of int, optional
        d, if known and finite; at least 1.

    Returns
    -------
    int or ndarray of int

    Raises
    ------
    ParameterError
        Names the argument and its value; or if the bound exceeds 64 bits.

    References
    ----------
    Cunningham 2008: section 2.2.3.

    Evaluation slides: VC Dimension of Margin Machines.

    Vapnik (1998), Statistical Learning Theory.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.margin_vc_dimension(1.0, [0.1, 0.5, 1.0]), theory.margin_vc_dimension(1.0, 0.1, 20)
    (array([101,   5,   2]), 21)
    """
    name = "margin_vc_dimension"
    R = checked(name, "radius", radius, LENGTH)
    gamma = checked(name, "margin", margin, POSITIVE)
    with np.errstate(over="ignore"):
        squared = (R / gamma) ** 2
    bound = np.ceil(squared * (1 - 8 * np.finfo(float).eps)) + 1  # 0.3 / 0.1 rounds above 3
    if n_features is not None:
        bound = np.minimum(bound, measured(name, "n_features", n_features) + 1)
    if np.any(bound >= 2.0**63):
        raise ParameterError(
            f"{name}: margin is so small beside radius that the bound is beyond 64 bits",
            argument="margin",
        )
    return plain(np.asarray(bound).astype(np.int64))


def perceptron_vc_dimension(n_features: int) -> Any:
    """VC dimension of the hyperplanes in l dimensions: ``l + 1``.

    Parameters
    ----------
    n_features : int or array of int
        l; at least 1.

    Returns
    -------
    int or ndarray of int

    Raises
    ------
    ParameterError
        Names the argument and its value.

    References
    ----------
    Evaluation slides: VC Dimension of the Perceptron.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.perceptron_vc_dimension(2)
    3
    """
    return plain(checked("perceptron_vc_dimension", "n_features", n_features, COUNT) + 1)


def polynomial_vc_dimension(n_features: int, degree: int) -> int:
    """VC dimension of the signs of polynomials of l variables: ``C(l + q, q)`` for degree q.

    This is the number of monomials up to that degree. In their space such a border is a
    hyperplane through the origin: the class that a polynomial kernel searches.

    Parameters
    ----------
    n_features : int
        l; at least 1.
    degree : int
        q; at least 1. Degree 1 gives the perceptron.

    Returns
    -------
    int

    Raises
    ------
    ParameterError
        Names the argument and its value.

    References
    ----------
    Cover (1965), IEEE Transactions on Electronic Computers 14.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> [theory.polynomial_vc_dimension(2, degree) for degree in (1, 2, 3)]
    [3, 6, 10]
    """
    width = counted("polynomial_vc_dimension", "n_features", n_features)
    order = counted("polynomial_vc_dimension", "degree", degree)
    return math.comb(width + order, order)


def multilayer_perceptron_vc_dimension(layers: Sequence[int]) -> VcRange:
    """Bounds on the VC dimension of a multilayer perceptron of threshold units with one output.

    ``2 floor(k_h / 2) l <= h <= 2 k_w log2(e k_n)`` with l inputs, k_h hidden nodes, k_n
    computing nodes, and k_w weights including thresholds. The slides print a ceiling on the left,
    which for one hidden node gives 2 l, more than the l + 1 of a perceptron.

    Parameters
    ----------
    layers : sequence of int
        Numbers of inputs, of nodes of each hidden layer, and of outputs, which is 1; successive
        layers are fully connected: ``(4, 10, 1)``.

    Returns
    -------
    VcRange
        `lower`, at least the l + 1 of a perceptron, and `upper`. Of several hidden layers the
        narrowest gives k_h: the others can pass on the outputs of that many nodes.

    Raises
    ------
    ParameterError
        If there is no hidden layer, not one output, or a layer without nodes.

    References
    ----------
    Evaluation slides: VC Dimension of Multilayer Perceptrons (with a ceiling; the floor is right).

    Baum & Haussler (1989), What size net gives valid generalization?, Neural Computation 1.

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> bounds = theory.multilayer_perceptron_vc_dimension((4, 10, 1))
    >>> bounds.lower, round(bounds.upper, 1)
    (40, 598.1)
    """
    name = "multilayer_perceptron_vc_dimension"
    sizes = checked(name, "layers", layers, COUNT)
    if sizes.ndim != 1 or len(sizes) < 3 or sizes[-1] != 1:
        raise ParameterError(
            f"{name}: layers must be numbers of inputs, of hidden nodes layer by layer, and 1 for "
            f"the output, got {layers!r}",
            argument="layers",
        )
    inputs, *hidden, _ = map(int, sizes)
    nodes = sum(hidden) + 1
    widths = [inputs, *hidden, 1]
    weights = sum((a + 1) * b for a, b in pairwise(widths))
    lower, perceptron = 2 * (min(hidden) // 2) * inputs, inputs + 1
    return VcRange(max(lower, perceptron), 2 * weights * math.log2(math.e * nodes))


def svm_vc_dimension(model: Estimator, X: Cases, *, radius: float | None = None) -> int:
    """Estimate the VC dimension of a fitted two-class support vector machine by its margin.

    ``ceil(R^2 |w|^2) + 1``, capped at the number of features plus 1 for a linear machine (one with
    ``coef_`` or the kernel ``linear``), and at the number of monomials for a polynomial one.
    ``|w|^2`` is computed from ``coef_``, or from the support vectors:
    ``sum_i a_i s_i (f(x_i) - b)``. R is the radius of a ball around the cases in the space of the
    kernel, within 0.05 percent of the smallest.

    Parameters
    ----------
    model : classifier
        Fitted, with ``coef_``, or with ``dual_coef_``, ``support_vectors_``, ``intercept_`` and
        `decision_function`: ``svm``, and scikit-learn's. For a pipeline, its last step is used,
        on X as transformed by the other steps.
    X : data of n rows
        The training cases.
    radius : float, optional
        R in the space of the kernel, if known; required if the model has neither ``coef_``
        nor a ``kernel_`` with `gram` and `diagonal` by which it decides (``conformal_svm``
        decides by another).

    Returns
    -------
    int

    Raises
    ------
    InputError
        If the model is none of these, or consists of several machines, or X has another number
        of features than in training.

    Notes
    -----
    The bound holds for hyperplanes whose margin is fixed before the cases are seen, and which no
    case violates. For a machine fitted to the cases this is Vapnik's estimate, useful for
    comparing machines, but not a proven bound.

    References
    ----------
    Vapnik (1998), Statistical Learning Theory.

    Cunningham 2008: section 2.2.3.

    Evaluation slides: VC Dimension of Margin Machines.

    Examples
    --------
    >>> import ilk
    >>> from ilk_evaluation import theory
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> svm = ilk.classifier("svm", kernel="linear", C=100.0).fit(X, y)
    >>> theory.svm_vc_dimension(svm, X)  # R = 2, a margin of 1
    2
    """
    machine, cases = _last_step(model, X)
    trained, given = getattr(machine, "n_features_in_", None), np.shape(cases)[1:]
    if trained is not None and len(given) == 1 and given != (trained,):
        raise InputError(
            f"svm_vc_dimension: X must have the {trained} features of training, got {given[0]}"
        )
    linear = hasattr(machine, "coef_")
    squared_norm = _from_weights(machine) if linear else _from_support(machine)
    if radius is not None:
        radius = float(checked("svm_vc_dimension", "radius", radius, LENGTH).item())
    if squared_norm <= 0:  # constant prediction: one function and its opposite
        return 1
    kernel = None if linear else _own_kernel(machine)
    R = radius
    if R is None:
        R = float(np.sqrt(_squared_radius(machine, kernel, cases, linear=linear)))
    width = np.shape(machine.coef_)[-1] if linear else _monomials(machine, kernel, cases)
    return int(margin_vc_dimension(R, 1 / np.sqrt(squared_norm), width))


def _last_step(model: Any, X: Cases | None) -> tuple[Any, Any]:
    if not hasattr(model, "steps"):
        return model, X
    last = model[len(model) - 1]
    for position in range(len(model) - 1):
        step = model[position]
        X = step.transform(X) if hasattr(step, "transform") else X
    return last, X


def _own_kernel(machine: Any) -> Any:
    """Return ``kernel_``; None if there is none, or the machine decides by another kernel."""
    kernel: Any = getattr(machine, "kernel_", None)
    if not hasattr(kernel, "gram"):
        return None
    support = machine.support_vectors_
    first = take(support, [0])
    terms = np.asarray(machine.dual_coef_)[0] * np.asarray(kernel.gram(first, support))[0]
    decision = float(np.ravel(machine.decision_function(first))[0] - machine.intercept_[0])
    return kernel if abs(terms.sum() - decision) <= _ROUNDING * np.abs(terms).sum() else None


def _monomials(machine: Any, kernel: Any, X: np.ndarray) -> int | None:
    """Number of monomials of a linear or polynomial machine, without the constant; else None."""
    if kernel is None:
        degree = machine.degree if getattr(machine, "kernel", None) == "poly" else 0
    else:
        degree = {"linear": 1, "polynomial": getattr(kernel, "degree", 0)}.get(
            display_name(kernel), 0
        )
    if not degree or degree % 1 or np.ndim(X) != 2:
        return None
    return polynomial_vc_dimension(np.shape(X)[1], int(degree)) - 1


def _from_weights(machine: Any) -> float:
    weights = np.asarray(machine.coef_, dtype=float)
    if weights.ndim == 2 and len(weights) > 1:
        raise _several(machine, len(weights))
    return float((weights**2).sum())


def _from_support(machine: Any) -> float:
    try:
        coefficients = np.asarray(machine.dual_coef_, dtype=float)
        intercept = np.asarray(machine.intercept_, dtype=float).ravel()
        support, decide = machine.support_vectors_, machine.decision_function
    except AttributeError as error:
        raise InputError(
            f"svm_vc_dimension: {display_name(machine)} is no fitted support vector machine: it "
            f"has neither coef_ nor {error.name}"
        ) from None
    if len(coefficients) > 1 or len(intercept) > 1:
        raise _several(machine, len(intercept))
    decisions = np.asarray(decide(support), dtype=float).ravel()
    return max(float(coefficients[0] @ (decisions - intercept[0])), 0.0)


def _several(machine: Estimator, number: int) -> InputError:
    return InputError(
        f"svm_vc_dimension: {display_name(machine)} consists of {number} machines; the VC "
        f"dimension is one of two classes"
    )


def _squared_radius(machine: Estimator, kernel: Any, X: Matrix, *, linear: bool) -> float:
    if linear:
        rows = np.asarray(X, dtype=float)
        return _squared_radius_of_ball((rows**2).sum(axis=1), lambda j: rows @ rows[j])
    if kernel is None:
        raise InputError(
            f"svm_vc_dimension: {display_name(machine)} does not expose its kernel; give the "
            f"radius of the cases in its space"
        )
    diagonal = np.asarray(kernel.diagonal(X)).astype(float)
    return _squared_radius_of_ball(
        diagonal, lambda j: np.asarray(kernel.gram(X, take(X, [j])))[:, 0].astype(float)
    )


def _squared_radius_of_ball(diagonal: np.ndarray, column: Callable[[int], np.ndarray]) -> float:
    """Squared radius of a ball that contains all cases, close to the smallest.

    Frank-Wolfe steps on the dual problem, ``max sum_i b_i k_ii - b'Kb`` over the simplex: the
    centre moves towards the farthest case. Every centre gives a ball that contains all cases,
    so stopping early only overestimates; no Gram matrix is computed.

    Parameters
    ----------
    diagonal : ndarray of shape (n,)
        ``k(x_i, x_i)``.
    column : function
        ``k(x_i, x_j)`` for all i and one j.
    """
    products = column(0)  # inner products of all cases with the centre
    quadratic, mean = float(diagonal[0]), float(diagonal[0])  # b'Kb and sum_i b_i k_ii
    best = np.inf
    for _ in range(_STEPS):
        squared = diagonal - 2 * products + quadratic
        far = int(squared.argmax())
        best = min(best, float(squared[far]))
        dual = mean - quadratic  # lower bound of the smallest squared radius
        if squared[far] <= max(dual, 0) * (1 + _GAP) or squared[far] <= 0:
            break
        # exact line search: the dual is quadratic along the step
        step = min((squared[far] - dual) / (2 * squared[far]), 1)
        quadratic = (
            (1 - step) ** 2 * quadratic
            + 2 * step * (1 - step) * products[far]
            + step**2 * diagonal[far]
        )
        mean = (1 - step) * mean + step * diagonal[far]
        products = (1 - step) * products + step * column(far)
    return max(best, 0.0)
