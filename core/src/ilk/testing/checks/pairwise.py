"""Checks of distances, and of kernels: the Gram matrix and its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.errors import InputError
from ilk.inputs import n_rows, take
from ilk.params import Array
from ilk.testing.checks.learning import trained
from ilk.testing.expectations import expect, expect_error, expect_same
from ilk.testing.registered import check, claims
from ilk.testing.subject import Subject, learned

if TYPE_CHECKING:
    from ilk.arrays import Cases, Labels
    from ilk.interfaces.kernel import Kernel


def _fitted(subject: Subject) -> tuple[Any, Any, Any]:
    """Return a fitted distance, its data and some queries."""
    X = subject.data().X
    return learned(subject), X, take(X, [4, 0, 17, 4, 9])


def _one(X: Cases, position: int) -> Any:
    """Return one object: a row, or an element of a list."""
    return X.iloc[position] if hasattr(X, "iloc") else X[position]


@check("distance")
def check_pairwise_shape(subject: Subject) -> None:
    """`pairwise(Q, X)` has one row for each of Q and one column for each of X."""
    distance, X, Q = _fitted(subject)
    got = distance.pairwise(Q, X)
    expect(isinstance(got, np.ndarray), f"expected an ndarray, got {type(got).__name__}")
    expected = (n_rows(Q), n_rows(X))
    expect(got.shape == expected, f"expected pairwise(Q, X) of shape {expected}, got {got.shape}")
    expect(got.dtype.kind == "f", f"expected floats, got {got.dtype}")


@check("distance")
def check_non_negative(subject: Subject) -> None:
    """No distance is negative or NaN."""
    distance, X, _ = _fitted(subject)
    D = distance.pairwise(X)
    expect((D >= 0).all(), f"expected distances >= 0, got {np.min(D)}")


@check("distance")
def check_default_second(subject: Subject) -> None:
    """`pairwise(X)` is `pairwise(X, X)`."""
    distance, X, _ = _fitted(subject)
    expect_same(distance.pairwise(X), distance.pairwise(X, X), "pairwise(X)", atol=1e-7)


@check("distance")
def check_blocks(subject: Subject) -> None:
    """Distances of selected rows equal the selected rows of all distances."""
    distance, X, Q = _fitted(subject)
    D = distance.pairwise(X, X)
    expect_same(distance.pairwise(Q, X), D[[4, 0, 17, 4, 9]], "pairwise(Q, X)", atol=1e-7)
    got = distance.pairwise(Q, take(X, [3, 8]))
    expect_same(got, D[[4, 0, 17, 4, 9]][:, [3, 8]], "pairwise(Q, X[[3, 8]])", atol=1e-7)


@check("distance")
def check_checked_input(subject: Subject) -> None:
    """`pairwise` gives the same result on the return value of `check_input` as on X."""
    distance, X, Q = _fitted(subject)
    got = distance.pairwise(*distance.check_pair(Q, X))
    expect_same(got, distance.pairwise(Q, X), "pairwise of what check_pair(Q, X) returns")


@check("distance", when=lambda distance: not claims(distance, "needs_fit"))
def check_works_unfitted(subject: Subject) -> None:
    """A distance that needs no training data gives the same results before and after fit."""
    distance, X, Q = _fitted(subject)
    got = subject.seeded().pairwise(Q, X)
    expect_same(got, distance.pairwise(Q, X), "pairwise before fit")


@check("distance")
def check_between(subject: Subject) -> None:
    """`between(x, y)` is the entry of `pairwise`, as a float."""
    distance, X, _ = _fitted(subject)
    D = distance.pairwise(X)
    for i, j in ((0, 1), (5, 2), (7, 7)):
        got = distance.between(_one(X, i), _one(X, j))
        expect(isinstance(got, float), f"expected a float from between, got {type(got).__name__}")
        expect_same(got, D[i, j], f"between(X[{i}], X[{j}])", atol=1e-7)


@check("distance")
def check_prepare(subject: Subject) -> None:
    """`prepare(X).to(q)` is the row of `pairwise`, for all rows or for some."""
    distance, X, Q = _fitted(subject)
    D = distance.pairwise(Q, X)
    handle = distance.prepare(X)
    expect(len(handle) == n_rows(X), f"expected len {n_rows(X)} of the handle, got {len(handle)}")
    some = np.array([3, 0, 3, 21])
    for i in range(n_rows(Q)):
        q = _one(Q, i)
        expect_same(handle.to(q), D[i], "prepare(X).to(q)", atol=1e-7)
        expect_same(handle.to(q, some), D[i, some], "prepare(X).to(q, indices)", atol=1e-7)


@check("distance")
def check_kneighbors(subject: Subject) -> None:
    """`kneighbors` finds the k smallest distances in order, ties by lower index."""
    distance, X, Q = _fitted(subject)
    twice = take(X, [*range(n_rows(X)), *range(n_rows(X))])  # every distance occurs twice
    D = distance.pairwise(Q, twice)
    for k in (1, 5, n_rows(twice)):
        expected = np.argsort(D, axis=1, kind="stable")[:, :k]
        near, where = distance.kneighbors(Q, twice, k)
        expect_same(near, np.take_along_axis(D, expected, axis=1), f"distances, k={k}", atol=1e-7)
        expect_same(where, expected, f"indices, k={k}")
        expect(where.dtype.kind == "i", f"expected integer indices, got {where.dtype}")


@check("distance")
def check_kneighbors_range(subject: Subject) -> None:
    """A k outside 1..n is an error that names k and n."""
    distance, X, Q = _fitted(subject)
    n = n_rows(X)
    for k in (0, n + 1):
        expect_error(
            lambda: distance.kneighbors(Q, X, k),  # noqa: B023  # called before the next turn
            f"kneighbors with k={k} among {n}",
            errors=InputError,
            mentions=[subject.names(), str(k), str(n)],
        )


@check("distance", on="first", when=lambda distance: distance.capabilities.metric)
def check_metric_by_default(subject: Subject) -> None:
    """A class that declares a metric is a metric with its default parameters."""
    expect(subject.cls().metric, "expected metric with default parameters, got metric=False")


@check("distance", capability="metric")
def check_metric_is_symmetric(subject: Subject) -> None:
    """A component that claims to be a metric claims to be symmetric."""
    expect(subject.new().symmetric, "expected a metric to claim symmetric, got symmetric=False")


@check("distance", capability="symmetric")
def check_symmetric(subject: Subject) -> None:
    """d(x, y) = d(y, x)."""
    distance, X, Q = _fitted(subject)
    D = distance.pairwise(X)
    expect_same(D.T, D, "the transposed pairwise(X)", atol=1e-7)
    expect_same(distance.pairwise(X, Q).T, distance.pairwise(Q, X), "pairwise(X, Q)'", atol=1e-7)


@check("distance", capability="metric")
def check_identity(subject: Subject) -> None:
    """The distance of an object to itself is 0, and positive to any different object."""
    distance, X, _ = _fitted(subject)
    D = distance.pairwise(X)
    worst = float(np.abs(np.diagonal(D)).max())
    expect(worst <= 1e-6 * (1 + D.max()), f"expected 0 on the diagonal, got {worst}")
    others = D[~np.eye(len(D), dtype=bool)]
    expect(others.min() > 0, "expected positive distances of distinct objects, got 0")
    for column in range(X.shape[1]) if subject.data_kind == "vectors" else ():
        moved = X.copy()
        moved[:, column] += 1
        apart = np.diagonal(distance.pairwise(X, moved)).min()
        expect(apart > 0, f"expected more than 0 where column {column} differs, got {apart}")


@check("distance", capability="metric")
def check_triangle(subject: Subject) -> None:
    """d(x, z) <= d(x, y) + d(y, z)."""
    distance, X, _ = _fitted(subject)
    D = distance.pairwise(X).astype(float)
    excess = D[:, None, :] - (D[:, :, None] + D[None, :, :])  # x, y, z
    x, y, z = np.unravel_index(int(excess.argmax()), excess.shape)
    expect(
        excess[x, y, z] <= 1e-7 * (1 + D.max()),
        f"expected d({x}, {z}) <= d({x}, {y}) + d({y}, {z}) = {D[x, y] + D[y, z]}, got {D[x, z]}",
    )


def _fitted_kernel(subject: Subject) -> tuple[Any, Any]:
    X = subject.data().X
    return learned(subject), X


@check("kernel")
def check_gram_shape(subject: Subject) -> None:
    """`gram(Q, X)` has one row for each of Q and one column for each of X."""
    kernel, X = _fitted_kernel(subject)
    Q = take(X, [4, 0, 17])
    got = kernel.gram(Q, X)
    expected = (3, n_rows(X))
    expect(got.shape == expected, f"expected gram(Q, X) of shape {expected}, got {got.shape}")
    expect_same(got, kernel.gram(X)[[4, 0, 17]], "gram(Q, X)")


@check("kernel", when=lambda kernel: not claims(kernel, "needs_fit"))
def check_gram_unfitted(subject: Subject) -> None:
    """A kernel that needs no training data gives the same results before and after fit."""
    kernel, X = _fitted_kernel(subject)
    expect_same(subject.seeded().gram(X), kernel.gram(X), "gram before fit")


@check("kernel")
def check_diagonal(subject: Subject) -> None:
    """`diagonal(X)` is the diagonal of `gram(X)`."""
    kernel, X = _fitted_kernel(subject)
    expect_same(kernel.diagonal(X), np.diagonal(kernel.gram(X)), "diagonal(X)")


@check("kernel", capability="symmetric")
def check_gram_symmetric(subject: Subject) -> None:
    """k(x, y) = k(y, x)."""
    kernel, X = _fitted_kernel(subject)
    G = kernel.gram(X)
    expect_same(G.T, G, "the transposed gram(X)")


@check("kernel")
def check_positive_semidefinite(subject: Subject) -> None:
    """`gram(X)` has no negative eigenvalue; kernels that are not definite waive this."""
    kernel, X = _fitted_kernel(subject)
    values = np.linalg.eigvalsh(kernel.gram(X).astype(float))
    expect(
        values[0] >= -1e-8 * max(values[-1], 1.0),
        f"expected eigenvalues >= 0, got {values[0]} (the largest is {values[-1]})",
    )


@check("kernel", on="first", capability="gram_gradient")
def check_gram_gradient(subject: Subject) -> None:
    """`gram_gradient` is the derivative by the logarithms of the numeric parameters.

    Parameters are in the order of `parameters` (those declared as float or Array), element by
    element; the check uses each example with numeric values.
    """
    every = [Subject(subject.found, subject.cls, i) for i in range(len(subject.cls.examples()))]
    numeric = [each for each in every if _positions(each.new())]
    expect(numeric, "expected an example whose parameters are numbers, got none")
    for each in numeric:
        _check_gradient(each)


def _positions(kernel: Kernel) -> list[tuple[str, int]]:
    """Return name and element of each numeric parameter."""
    return [
        (name, i)
        for name, param in kernel.parameters.items()
        if {float, Array} & set(param.types)
        if (value := _as_vector(getattr(kernel, name))) is not None
        for i in range(value.size)
    ]


def _as_vector(value: object) -> np.ndarray | None:
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


def _moved(subject: Subject, name: str, element: int, by: float, X: Cases, y: Labels) -> np.ndarray:
    """Return the Gram matrix with one log parameter changed."""
    kernel = subject.seeded()
    value = getattr(kernel, name)
    moved = np.array(value, dtype=float)
    moved.reshape(-1)[element] *= np.exp(by)
    setattr(kernel, name, moved if np.ndim(value) else float(moved))
    return np.asarray(kernel.fit(X, y).gram(X))
