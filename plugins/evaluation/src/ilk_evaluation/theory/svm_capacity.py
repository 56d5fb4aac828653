"""The capacity that a fitted support vector machine shows by its margin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk import InputError, display_name, take
from ilk_evaluation.theory.capacity import margin_vc_dimension, polynomial_vc_dimension
from ilk_evaluation.theory.domain import LENGTH, checked
from ilk_evaluation.theory.enclosing import squared_radius


def svm_vc_dimension(model: Any, X: Any, *, radius: float | None = None) -> int:
    """Estimate the VC dimension of a fitted two-class support vector machine by its margin.

    ``ceil(R^2 |w|^2) + 1``, and no more than the number of features plus 1 where the machine is
    linear in them, nor than the number of monomials where it is a polynomial. ``|w|^2`` comes
    from ``coef_``, or from the support vectors: ``sum_i a_i s_i (f(x_i) - b)``. R is that of a
    ball around the cases in the space of the kernel, within 0.05 percent of the smallest.

    Parameters
    ----------
    model : classifier
        Fitted, with ``coef_``, or with ``dual_coef_``, ``support_vectors_``, ``intercept_`` and
        `decision_function`: ``svm``, and scikit-learn's. A pipeline is taken by its last step,
        which sees X through the others.
    X : data of n rows
        What it was fitted on.
    radius : float, optional
        R in the space of the kernel, if it is known; needed where the model has neither ``coef_``
        nor a ``kernel_`` with `gram` and `diagonal`.

    Returns
    -------
    int

    Raises
    ------
    InputError
        If the model is none of these, or has several machines.

    Notes
    -----
    The bound is one for hyperplanes whose margin is fixed before the cases are seen, and which no
    case violates. Of a machine fitted to the cases it is Vapnik's estimate, good for comparing
    machines; no theorem makes it a bound.

    References
    ----------
    Vapnik (1998), Statistical Learning Theory; Cunningham, Cord & Delany (2008), sec. 2.2.3.

    Examples
    --------
    >>> import ilk
    >>> from ilk_evaluation import theory
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> svm = ilk.classifier("svm", kernel="linear", C=100.0).fit(X, y)
    >>> theory.svm_vc_dimension(svm, X)  # R = 2, a margin of 1
    5
    """
    machine, cases = _last_step(model, X)
    linear = hasattr(machine, "coef_")
    squared_norm = _from_weights(machine) if linear else _from_support(machine)
    if radius is not None:
        R = float(checked("svm_vc_dimension", "radius", radius, LENGTH).item())
    else:
        R = float(np.sqrt(_squared_radius(machine, cases, linear=linear)))
    if squared_norm <= 0:  # the same answer everywhere: one function and its opposite
        return 1
    width = np.shape(machine.coef_)[-1] if linear else _monomials(machine, cases)
    return int(margin_vc_dimension(R, 1 / np.sqrt(squared_norm), width))


def _last_step(model: Any, X: Any) -> tuple[Any, Any]:
    if not hasattr(model, "steps"):
        return model, X
    last = model[len(model) - 1]
    for position in range(len(model) - 1):
        step = model[position]
        X = step.transform(X) if hasattr(step, "transform") else X
    return last, X


def _monomials(machine: Any, X: Any) -> int | None:
    """Number of features of a polynomial machine, but for the constant; None of any other."""
    kernel = getattr(machine, "kernel_", None)
    named = display_name(kernel) if kernel is not None else getattr(machine, "kernel", None)
    if named not in {"poly", "polynomial"} or np.ndim(X) != 2:
        return None
    degree = float(machine.degree if kernel is None else kernel.degree)
    return polynomial_vc_dimension(np.shape(X)[1], int(degree)) - 1 if degree % 1 == 0 else None


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


def _several(machine: Any, number: int) -> InputError:
    return InputError(
        f"svm_vc_dimension: {display_name(machine)} consists of {number} machines; the VC "
        f"dimension is one of two classes"
    )


def _squared_radius(machine: Any, X: Any, *, linear: bool) -> float:
    if linear:
        rows = np.asarray(X, dtype=float)
        return squared_radius((rows**2).sum(axis=1), lambda j: rows @ rows[j])
    kernel: Any = getattr(machine, "kernel_", None)
    if not hasattr(kernel, "gram"):
        raise InputError(
            f"svm_vc_dimension: {display_name(machine)} does not show its kernel; give the radius "
            f"of the cases in its space"
        )
    diagonal = np.asarray(kernel.diagonal(X)).astype(float)
    return squared_radius(
        diagonal, lambda j: np.asarray(kernel.gram(X, take(X, [j])))[:, 0].astype(float)
    )
