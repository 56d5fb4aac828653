"""The sum of minimum distances of sets of points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import ilk

sum_of_minima = ilk.distance("sum_of_minima")


def some_sets(seed, n=6, p=2):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(rng.integers(1, 7), p)) for _ in range(n)]


def test_worked_example():
    X, Y = [[0, 0], [0, 3]], [[4, 0]]  # minima 4, 5 and 4
    assert sum_of_minima.between(X, Y) == 6.5
    assert sum_of_minima.between(X, X) == 0
    assert (
        sum_of_minima.between([[0.0]], [[1.0], [1.0]]) == 1.5
    )  # points count as often as they occur


@given(seed=st.integers(0, 10**6), metric=st.sampled_from(["euclidean", "cityblock"]))
def test_agrees_with_the_formula(seed, metric):
    X, Y = some_sets(seed), some_sets(seed + 1, n=4)
    name = {"cityblock": "manhattan"}.get(metric, metric)
    expected = [
        [(D.min(axis=1).sum() + D.min(axis=0).sum()) / 2 for D in (cdist(x, y, metric) for y in Y)]
        for x in X
    ]
    got = ilk.distance("sum_of_minima", ground=name).pairwise(X, Y)
    np.testing.assert_allclose(got, expected, rtol=1e-13)


@given(seed=st.integers(0, 10**6))
def test_properties(seed):
    X = some_sets(seed)
    D = sum_of_minima.pairwise(X)
    assert not np.diagonal(D).any()
    np.testing.assert_array_equal(D, D.T)
    np.testing.assert_allclose(sum_of_minima.pairwise([2 * x - 5 for x in X]), 2 * D, rtol=1e-10)
    np.testing.assert_allclose(sum_of_minima.pairwise([x[::-1] for x in X]), D, atol=1e-12)
    assert (ilk.distance("hausdorff").pairwise(X) / 2 <= D + 1e-12).all()


def test_it_is_no_metric():
    a, b, c = [[0.0]], [[0.0], [1.0]], [[1.0]] * 4
    D = sum_of_minima.pairwise([a, b, c])
    assert D[0, 2] > D[0, 1] + D[1, 2]
    assert not sum_of_minima.metric


def test_one_direction_of_an_asymmetric_ground():
    ground = ilk.distance("callable", function=lambda x, y: max(float(y[0] - x[0]), 0.0))
    d = ilk.distance("sum_of_minima", ground=ground)
    X, Y = [np.array([[0.0], [5.0]])], [np.array([[3.0]])]
    assert d.pairwise(X, Y) == pytest.approx((3 + 0 + 0) / 2)  # from x: 3, 0; from y: min(0, 2)
    assert d.pairwise(Y, X) == d.pairwise(X, Y)


def test_float32_sums_keep_their_digits():
    rng = np.random.default_rng(0)
    X = [rng.random((3000, 1), dtype=np.float32) for _ in range(2)]
    got = sum_of_minima.pairwise(X[:1], X[1:])
    assert got.dtype == np.float32
    expected = sum_of_minima.pairwise(*[[x.astype(float)] for x in X])
    np.testing.assert_allclose(got, expected, rtol=1e-6)
