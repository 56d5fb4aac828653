"""Fish and Shrink: bounds, pivots, the anytime mode."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ilk
from cases import in_one_test


def fish_and_shrink(X, **parameters):
    return ilk.index("fish_and_shrink", **parameters).fit(X, distance=ilk.distance("euclidean"))


def test_by_hand():
    """With pivots 0 and 9, a query at 6 is at least 2 from 4 (0 is 6 away, and 4 is 4 from 0)."""
    index = fish_and_shrink([[0.0], [4.0], [6.0], [9.0]], n_pivots=2)
    assert index.pivots_.tolist() == [0, 3]
    np.testing.assert_array_equal(index.table_, [[0, 4, 6, 9], [9, 5, 3, 0]])
    answer = index.search([[6.0]], 1)
    assert (answer.distances[0, 0], answer.indices[0, 0], answer.exact[0]) == (0, 2, True)


def test_pivots_are_far_apart_and_distinct():
    X = np.repeat([[0.0], [1.0], [10.0]], 5, axis=0)
    index = fish_and_shrink(X)
    assert index.pivots_.tolist() == [0, 10, 5]
    assert index.n_build_evaluations_ == 3 * 15


def test_takes_few_comparisons():
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(20, 6)) * 9
    X = centres[rng.integers(0, 20, 3000)] + rng.normal(size=(3000, 6)) * 0.2
    index = fish_and_shrink(X)
    index.kneighbors(X[:50] + 0.01, 3)
    assert index.n_distance_evaluations_ < 50 * 300


@in_one_test
@pytest.mark.parametrize("budget", [1, 3, 10, 60, 1000])
def test_budget(budget):
    rng = np.random.default_rng(1)
    X, Q = rng.normal(size=(400, 3)), rng.normal(size=(20, 3))
    index = fish_and_shrink(X, n_pivots=5, budget=budget)
    assert index.exact is False
    before = index.n_distance_evaluations_
    near, where = index.kneighbors(Q, 4)
    assert index.n_distance_evaluations_ - before <= 20 * max(budget, 4)
    D = index.distance_.pairwise(Q, X)
    np.testing.assert_array_equal(near, np.take_along_axis(D, where, axis=1))
    assert min(len(set(row)) for row in where.tolist()) == 4


def test_more_budget_finds_more():
    rng = np.random.default_rng(2)
    X, Q = rng.normal(size=(500, 4)), rng.normal(size=(30, 4))
    index = fish_and_shrink(X)
    errors = [index.search(Q, 3, budget=budget).distances.mean() for budget in (5, 40, 120, 500)]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > errors[-1]


grids = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 50), st.just(2)), elements=st.integers(-4, 4).map(float)
)


@given(X=grids, Q=grids, budget=st.integers(1, 60), pivots=st.integers(1, 8))
def test_what_an_answer_says_of_itself(X, Q, budget, pivots):
    """Where it says exact it is; no row that was not compared is nearer than the bound."""
    Q = Q[:5]
    index = fish_and_shrink(X, n_pivots=pivots)
    k = min(3, len(X))
    answer = index.search(Q, k, budget=budget)
    D = index.distance_.pairwise(Q, X)
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    for i in range(len(Q)):
        if answer.exact[i]:
            np.testing.assert_array_equal(answer.indices[i], order[i])
        sure = answer.distances[i] < answer.bounds[i]
        np.testing.assert_array_equal(answer.distances[i][sure], D[i, order[i]][sure])
    assert index.search(Q, k).exact.all()


def test_radius_knows_no_budget():
    X = np.arange(100.0)[:, None]
    _, where = fish_and_shrink(X, budget=1).radius_neighbors([[50.0]], 10)
    assert sorted(where[0]) == list(range(40, 61))


def test_without_a_budget_it_is_exact():
    assert ilk.index("fish_and_shrink").exact is True


@pytest.mark.parametrize("parameters", [{"n_pivots": 0}, {"budget": 0}, {"budget": 1.5}])
def test_bad_parameters(parameters):
    with pytest.raises(ilk.ParameterError, match=f"fish_and_shrink: {next(iter(parameters))} must"):
        fish_and_shrink([[0.0]], **parameters)
