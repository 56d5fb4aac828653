"""The Hausdorff distance of sets of points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, directed_hausdorff

import ilk
from cases import in_one_test

hausdorff = ilk.distance("hausdorff")


def of_texts(**parameters):
    """Hausdorff distance over the difference of the lengths of texts."""
    ground = ilk.distance("callable", function=lambda x, y: abs(len(x) - len(y)), **parameters)
    return ilk.distance("hausdorff", ground=ground)


def ahead(x, y):
    return max(float(y[0] - x[0]), 0.0)


def some_sets(seed, n=6, p=2, most=7):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 9, (rng.integers(1, most), p)).astype(float) for _ in range(n)]


def by_definition(X, Y, ground):
    there = max(min(ground(x, y) for y in Y) for x in X)
    back = max(min(ground(y, x) for x in X) for y in Y)
    return max(there, back)


def test_worked_example():
    square = [[0, 0], [0, 2], [2, 0], [2, 2]]
    D = hausdorff.pairwise([square, [[1, 1]]], [square, [[1, 1]], [[5, 2], [0, 0]]])
    np.testing.assert_allclose(D, [[0, 2**0.5, 3], [2**0.5, 0, 17**0.5]])
    assert hausdorff.between(square, [[5, 2], [0, 0]]) == 3
    assert hausdorff.metric
    assert not ilk.distance("hausdorff", ground="precomputed").metric


@given(seed=st.integers(0, 10**6), name=st.sampled_from(["euclidean", "manhattan", "chebyshev"]))
def test_agrees_with_the_definition(seed, name):
    X, Y = some_sets(seed), some_sets(seed + 1, n=4)
    order = {"euclidean": 2, "manhattan": 1, "chebyshev": np.inf}[name]
    expected = [
        [by_definition(x, y, lambda a, b: np.linalg.norm(a - b, order)) for y in Y] for x in X
    ]
    got = ilk.distance("hausdorff", ground=name).pairwise(X, Y)
    np.testing.assert_allclose(got, expected, rtol=1e-14)


def test_agrees_with_scipy():
    X = some_sets(0, n=12, p=5, most=30)
    expected = [
        [max(directed_hausdorff(x, y)[0], directed_hausdorff(y, x)[0]) for y in X] for x in X
    ]
    np.testing.assert_allclose(hausdorff.pairwise(X), expected, rtol=1e-14)


@given(seed=st.integers(0, 10**6))
def test_axioms(seed):
    X = some_sets(seed)
    X.append(np.concatenate([X[0][::-1], X[0]]))  # the same set
    D = hausdorff.pairwise(X)
    assert not np.diagonal(D).any()
    assert D[0, -1] == 0
    np.testing.assert_array_equal(D, D.T)
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12).all()
    moved = hausdorff.pairwise([3 * x + 7 for x in X])
    np.testing.assert_allclose(moved, 3 * D, rtol=1e-12)


def test_an_asymmetric_ground_distance_is_used_both_ways():
    X, Y = some_sets(3), some_sets(4)
    ground = ilk.distance("callable", function=ahead)
    d = ilk.distance("hausdorff", ground=ground)
    expected = [[by_definition(x, y, ahead) for y in Y] for x in X]
    np.testing.assert_array_equal(d.pairwise(X, Y), expected)
    np.testing.assert_array_equal(d.pairwise(Y, X), np.transpose(expected))
    assert not d.metric


@pytest.mark.parametrize("size", [1, 3, 10, 50, 10**6])
@pytest.mark.parametrize("name", ["hausdorff", "sum_of_minima"])
def test_blocks_change_no_bit(size, name, monkeypatch):
    X = some_sets(0, n=9, p=3, most=12)
    d = ilk.distance(name)
    expected = d.pairwise(X)
    monkeypatch.setattr("ilk_distances.sets._PAIRS", size)
    np.testing.assert_array_equal(d.pairwise(X), expected)
    checked = d.check_input(X)
    np.testing.assert_array_equal(
        d.pairwise(checked[2:5], checked[[7, 0, 7]]), expected[2:5][:, [7, 0, 7]]
    )
    near, where = d.kneighbors(X, checked, 3)
    np.testing.assert_array_equal(where, np.argsort(expected, axis=1, kind="stable")[:, :3])
    np.testing.assert_array_equal(d.prepare(X).to(X[4], [1, 8]), expected[4, [1, 8]])
    np.testing.assert_array_equal(near[:, 0], 0)


def test_large_sets_need_no_matrix_of_all_points():
    import tracemalloc

    rng = np.random.default_rng(0)
    X = [rng.random((4000, 2)), rng.random((4000, 2))]
    hausdorff.pairwise(X[:1], [x[:5] for x in X])
    tracemalloc.start()
    try:
        got = hausdorff.between(*X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert got == pytest.approx(max(directed_hausdorff(*X)[0], directed_hausdorff(*X[::-1])[0]))
    assert peak < 100 * 2**20  # the matrix takes 122


def test_forms_of_sets():
    X = [np.array([[0, 250], [7, 3]], dtype=np.uint8), np.array([[3, 1]], dtype=np.uint8)]
    expected = [[0, np.hypot(3, 249)], [np.hypot(3, 249), 0]]
    in_array = np.empty(2, dtype=object)
    in_array[:] = X
    for form in (X, [x.tolist() for x in X], tuple(X), in_array, [np.asfortranarray(x) for x in X]):
        np.testing.assert_allclose(hausdorff.pairwise(form), expected)
    cube = np.random.default_rng(0).random((4, 5, 2))
    np.testing.assert_array_equal(hausdorff.pairwise(cube), hausdorff.pairwise(list(cube)))
    single = [x.astype(np.float32) for x in X]
    assert hausdorff.pairwise(single).dtype == np.float32
    assert hausdorff.pairwise(single, X).dtype == np.float64


@pytest.mark.parametrize("symmetric", [True, False])
def test_sets_of_texts(symmetric):
    X = [["a", "bbb"], ["cc"], ["dddd", "e", "ff"]]
    got = of_texts(symmetric=symmetric).pairwise(X)
    np.testing.assert_array_equal(got, [[0, 1, 1], [1, 0, 2], [1, 2, 0]])
    knn = ilk.classifier("knn", k=1, distance=of_texts()).fit(X, [1, 2, 3])
    assert knn.predict([["x", "yyy"], ["zz"]]).tolist() == [1, 2]


def test_the_ground_distance_is_fitted_on_points():
    X = some_sets(5, n=10, p=2)
    d = ilk.distance("hausdorff", ground="mahalanobis").fit(X, np.arange(10) % 2)
    ground = ilk.distance("mahalanobis").fit(np.concatenate(X))
    expected = [[by_definition(x, y, ground.between) for y in X[:3]] for x in X[:3]]
    np.testing.assert_allclose(d.pairwise(X[:3]), expected, rtol=1e-12)
    index = ilk.index("brute").fit(X, distance=d)
    assert index.kneighbors(X[:2], 1)[1].tolist() == [[0], [1]]


def test_points_of_tables_have_ground_distances_that_take_missing_values():
    X = [np.array([[0.0, np.nan], [1.0, 2.0]]), np.array([[0.5, 1.0]])]
    D = ilk.distance("hausdorff", ground="heterogeneous").fit(X).pairwise(X)
    np.testing.assert_array_equal(D, [[1, 1.5], [1.5, 0]])


BAD = {
    "no sets": ([], "X has no sets"),
    "empty": ([[[1, 2]], []], r"X\[1\] is an empty set"),
    "empty array": ([np.ones((1, 2)), np.ones((0, 2))], r"X\[1\] is an empty set"),
    "a vector": ([[[1, 2]], [1, 2]], r"X\[1\] must be a set of vectors"),
    "a matrix": (np.ones((3, 2)), r"X\[0\] must be a set of vectors"),
    "a number": ([3.0], r"X\[0\] must be a set of points, got 3.0"),
    "a text": (["abc"], r"X\[0\] must be a set of points, got 'abc'"),
    "ragged": ([[[1, 2], [3]]], r"hausdorff: X\[0\]"),
    "widths": ([[[1, 2]], [[1]]], "set 0 has points of 2 features, but set 1 of 1 features"),
    "texts": ([[[1, 2]], ["a"]], "set 0 has points of 2 features, but set 1 of no vector"),
    "NaN": ([[[1, 2]], [[1, 2], [3, np.nan]]], "X has NaN in set 1, point 1, feature 1"),
    "inf": ([[[np.inf, 2]]], r"X has infinity \(inf\) in set 0, point 0, feature 0"),
    "words": ([[["a", "b"]]], r"X\[0\] must be a set of vectors"),
    "a dict": ({"a": [[1]]}, "X must be a sequence of sets, got a dict"),
}


@in_one_test
@pytest.mark.parametrize("name", BAD)
def test_what_is_no_list_of_sets_is_named(name):
    X, message = BAD[name]
    with pytest.raises((ilk.InputError, ilk.InputTypeError), match=message):
        hausdorff.pairwise(X)
    with pytest.raises((ilk.InputError, ilk.InputTypeError), match=message.replace("X", "Y")):
        hausdorff.pairwise([[[1, 2]]], X)


def test_sets_of_other_width_than_the_first():
    with pytest.raises(ilk.InputError, match="features"):
        hausdorff.pairwise([[[1, 2]]], [[[1]]])


def test_close_points_far_away():
    X = [np.array([[1e8, 1e8]]), np.array([[1e8 + 1e-6, 1e8]])]
    gap = X[1][0, 0] - X[0][0, 0]
    np.testing.assert_array_equal(hausdorff.pairwise(X), [[0, gap], [gap, 0]])
    assert cdist(*X)[0, 0] == gap
