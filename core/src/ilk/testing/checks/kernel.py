"""Checks of kernels: the Gram matrix and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk.inputs import n_rows, take
from ilk.params import Array
from ilk.testing.checks.data import trained
from ilk.testing.expectations import expect, expect_same
from ilk.testing.registered import check, claims
from ilk.testing.subject import Subject
from ilk.testing.usual import learned


def _fitted(subject: Subject) -> tuple[Any, Any]:
    X = subject.data().X
    return learned(subject), X


@check("kernel")
def check_gram_shape(subject: Subject) -> None:
    """`gram(Q, X)` gives one row for each of Q and one column for each of X."""
    kernel, X = _fitted(subject)
    Q = take(X, [4, 0, 17])
    got = kernel.gram(Q, X)
    expected = (3, n_rows(X))
    expect(got.shape == expected, f"expected gram(Q, X) of shape {expected}, got {got.shape}")
    expect_same(got, kernel.gram(X)[[4, 0, 17]], "gram(Q, X)")


@check("kernel", when=lambda kernel: not claims(kernel, "needs_fit"))
def check_gram_unfitted(subject: Subject) -> None:
    """A kernel that needs no training data gives without fit what it gives after."""
    kernel, X = _fitted(subject)
    expect_same(subject.seeded().gram(X), kernel.gram(X), "gram before fit")


@check("kernel")
def check_diagonal(subject: Subject) -> None:
    """`diagonal(X)` is the diagonal of `gram(X)`."""
    kernel, X = _fitted(subject)
    expect_same(kernel.diagonal(X), np.diagonal(kernel.gram(X)), "diagonal(X)")


@check("kernel", capability="symmetric")
def check_gram_symmetric(subject: Subject) -> None:
    """k(x, y) = k(y, x)."""
    kernel, X = _fitted(subject)
    G = kernel.gram(X)
    expect_same(G.T, G, "the transposed gram(X)")


@check("kernel")
def check_positive_semidefinite(subject: Subject) -> None:
    """`gram(X)` has no negative eigenvalue; kernels that are not definite waive this."""
    kernel, X = _fitted(subject)
    values = np.linalg.eigvalsh(kernel.gram(X).astype(float))
    expect(
        values[0] >= -1e-8 * max(values[-1], 1.0),
        f"expected eigenvalues >= 0, got {values[0]} (the largest is {values[-1]})",
    )


@check("kernel", on="first", capability="gram_gradient")
def check_gram_gradient(subject: Subject) -> None:
    """`gram_gradient` is the derivative for the logarithms of the numeric parameters.

    They are taken in the order of `parameters` (those declared as float or Array), element by
    element, on each example that gives any of them as numbers.
    """
    every = [Subject(subject.found, subject.cls, i) for i in range(len(subject.cls.examples()))]
    numeric = [each for each in every if _positions(each.new())]
    expect(numeric, "expected an example whose parameters are numbers, got none")
    for each in numeric:
        _check_gradient(each)


def _positions(kernel: Any) -> list[tuple[str, int]]:
    """Return name and element of each numeric parameter."""
    return [
        (name, i)
        for name, param in kernel.parameters.items()
        if {float, Array} & set(param.types)
        if (value := _number(getattr(kernel, name))) is not None
        for i in range(value.size)
    ]


def _number(value: Any) -> np.ndarray | None:
    if value is None or isinstance(value, str | bool):
        return None
    try:
        return np.asarray(value, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        return None


def _check_gradient(subject: Subject) -> None:
    X, y = subject.data(12)
    gram, gradient = trained(subject, X, y).gram_gradient(X)
    expect_same(gram, trained(subject, X, y).gram(X), "the Gram matrix of gram_gradient")
    positions = _positions(subject.new())
    shape = (*np.shape(gram), len(positions))
    expect(np.shape(gradient) == shape, f"expected {shape} derivatives, got {np.shape(gradient)}")
    step = 1e-5
    for column, (name, element) in enumerate(positions):
        up, down = (_moved(subject, name, element, sign * step, X, y) for sign in (1, -1))
        expected = (up - down) / (2 * step)
        what = f"the derivative for the logarithm of {name}"
        expect_same(gradient[..., column], expected, what, rtol=1e-4, atol=1e-7)


def _moved(subject: Subject, name: str, element: int, by: float, X: Any, y: Any) -> np.ndarray:
    """Return the Gram matrix with one logarithm moved."""
    kernel = subject.seeded()
    value = getattr(kernel, name)
    moved = np.array(value, dtype=float)
    moved.reshape(-1)[element] *= np.exp(by)
    setattr(kernel, name, moved if np.ndim(value) else float(moved))
    return np.asarray(kernel.fit(X, y).gram(X))
