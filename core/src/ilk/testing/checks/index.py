"""Checks of indexes: exactness, ties, and counts of distance evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.errors import InputError
from ilk.inputs import n_rows, take
from ilk.interfaces.index import Index
from ilk.testing.expectations import expect, expect_error, expect_same
from ilk.testing.registered import check
from ilk.testing.use import trial_distance

if TYPE_CHECKING:
    from ilk.testing.subject import Subject


def _fitted(subject: Subject, repeat: int = 1) -> tuple[Any, Any, np.ndarray]:
    """Return a fitted index, queries and all their distances to its rows."""
    X, y = subject.data(40)
    X, y = take(X, np.tile(np.arange(40), repeat)), np.tile(y, repeat)
    distance = trial_distance(subject.cls).fit(X)
    index = subject.seeded().fit(X, y, distance=distance)
    Q = subject.data(40, seed=1).X
    return index, Q, distance.pairwise(Q, X)


@check("index", when=lambda index: index.exact)
def check_equals_brute_force(subject: Subject) -> None:
    """An exact index returns the result of sorting all distances, ties by lower index."""
    for repeat in (1, 3):  # with 3, every distance occurs three times
        index, Q, D = _fitted(subject, repeat)
        for k in (1, 4, D.shape[1]):
            near, where = index.kneighbors(Q, k)
            expected = np.argsort(D, axis=1, kind="stable")[:, :k]
            sorted_distances = np.take_along_axis(D, expected, axis=1)
            expect_same(near, sorted_distances, f"distances, k={k}", atol=1e-7)
            expect_same(where, expected, f"indices, k={k}, each row {repeat} times")


@check("index")
def check_neighbors_are_honest(subject: Subject) -> None:
    """Distances match their indices and ascend, and no index occurs twice."""
    index, Q, D = _fitted(subject)
    near, where = index.kneighbors(Q, 5)
    expect(np.asarray(where).dtype.kind == "i", f"expected integer indices, got {where.dtype}")
    expect_same(near, np.take_along_axis(D, where, axis=1), "distances of the indices", atol=1e-7)
    expect((np.diff(near, axis=1) >= 0).all(), "expected ascending distances, got others")
    distinct = min(len(set(row)) for row in where.tolist())
    expect(distinct == 5, f"expected 5 distinct indices for each query, got {distinct}")


@check("index")
def check_one_training_row(subject: Subject) -> None:
    """An index of one row finds it."""
    X, y = subject.data()
    X_one = take(X, [0])
    distance = trial_distance(subject.cls).fit(X_one)
    index = subject.seeded().fit(X_one, y[:1], distance=distance)
    _, where = index.kneighbors(take(X, [3, 5]), 1)
    expect_same(where, np.zeros((2, 1), dtype=int), "indices")


@check("index")
def check_k_range(subject: Subject) -> None:
    """A k outside 1..n is an error that names k and n."""
    index, Q, D = _fitted(subject)
    n = D.shape[1]
    for k in (0, n + 1):
        expect_error(
            lambda: index.kneighbors(Q, k),  # noqa: B023  # called before the next turn
            f"kneighbors with k={k} among {n}",
            errors=InputError,
            mentions=[subject.names()[0], str(k), str(n)],
        )


@check("index")
def check_counts_evaluations(subject: Subject) -> None:
    """`n_distance_evaluations_` counts distances; a query never lowers it."""
    index, Q, D = _fitted(subject)
    before = index.n_distance_evaluations_
    index.kneighbors(Q, 3)
    after = index.n_distance_evaluations_
    expect(isinstance(after, int), f"expected an int, got {type(after).__name__}")
    expect(after > before, f"expected more than {before} evaluations after a search, got {after}")
    expect(after - before <= 2 * D.size, f"expected at most {2 * D.size}, got {after - before}")


def _has_radius(index: Index) -> bool:
    return type(index).radius_neighbors is not Index.radius_neighbors


@check("index", when=lambda index: index.exact and _has_radius(index))
def check_radius(subject: Subject) -> None:
    """`radius_neighbors` finds all within r, inclusive, nearest first, ties by lower index."""
    index, Q, D = _fitted(subject, 2)
    # halfway between two distances, so that rounding cannot matter; then exactly at a distance
    levels = np.unique(np.round(D, 9))
    for r in (0.0, float(levels[50:52].mean()), float(levels[-1]) + 1):
        near, where = index.radius_neighbors(Q, r)
        expect(len(where) == n_rows(Q), f"expected {n_rows(Q)} lists, got {len(where)}")
        for row in range(len(D)):
            order = np.argsort(D[row], kind="stable")
            expected = order[D[row, order] <= r]
            expect_same(where[row], expected, f"indices within {r} of query {row}")
            expect_same(near[row], D[row, expected], f"distances within {r}", atol=1e-7)
    border, _ = index.kneighbors(take(Q, [0]), 1)
    neighbors = index.radius_neighbors(take(Q, [0]), float(border[0, 0]))[1][0]
    expect(len(neighbors) > 0, "expected the radius to be inclusive, got nothing at distance r")
