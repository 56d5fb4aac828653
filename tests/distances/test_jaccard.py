"""Jaccard distance."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import cdist

import ilk
from cases import in_one_test

BINARY = hnp.arrays(np.bool_, st.tuples(st.integers(1, 5), st.just(6)))
WEIGHTS = hnp.arrays(
    np.float64,
    st.tuples(st.integers(3, 4), st.integers(1, 4)),
    elements=st.floats(0, 1e6) | st.sampled_from([0.0, 5e-324, 1e-300, 1e300, 1.7e308]),
)
SETS = st.lists(st.frozensets(st.integers(0, 6) | st.sampled_from("ab")), min_size=3, max_size=5)


def plain(x, y):
    return len(x ^ y) / len(x | y) if x | y else 0.0


def test_known_numbers():
    distance = ilk.distance("jaccard")
    assert distance.between([1, 1, 0, 0], [1, 0, 1, 0]) == pytest.approx(2 / 3)
    assert distance.between({1, 2, 3}, {2, 3, 4}) == 0.5
    assert distance.between([2.0, 1.0], [1.0, 3.0]) == pytest.approx(1 - 2 / 5)
    assert distance.pairwise([[0, 0], [0, 0], [1, 0]]).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    assert distance.pairwise([set(), frozenset(), {1}])[0].tolist() == [0, 0, 1]


@given(BINARY, BINARY)
def test_agrees_with_scipy_and_with_sets(X, Y):
    got = ilk.distance("jaccard").pairwise(X, Y)
    np.testing.assert_allclose(got, cdist(X, Y, "jaccard"), rtol=1e-15)
    x, y = ([set(np.flatnonzero(row).tolist()) for row in each] for each in (X, Y))
    np.testing.assert_array_equal(got, ilk.distance("jaccard").pairwise(x, y))
    for dtype in (np.float32, np.uint8, np.int64):
        same = ilk.distance("jaccard").pairwise(X.astype(dtype), Y.astype(dtype))
        np.testing.assert_allclose(same, got, rtol=1e-7)
        assert same.dtype == (np.float32 if dtype == np.float32 else np.float64)


@given(WEIGHTS)
def test_axioms_on_vectors(X):
    D = ilk.distance("jaccard").pairwise(X)
    np.testing.assert_array_equal(D, D.T)
    assert D.max() <= 1
    assert not np.diagonal(D).any()
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12).all()
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = X / max(X.max(), 1e-290)
        least = np.minimum(scaled[:, None], scaled).sum(axis=2)
        most = np.maximum(scaled[:, None], scaled).sum(axis=2)
    expected = 1 - np.divide(least, most, out=np.ones_like(most), where=most > 0)
    sure = most > 1e-280
    np.testing.assert_allclose(D[sure], expected[sure], atol=1e-12)


@given(SETS, SETS)
def test_sets_of_hashable_things(X, Y):
    distance = ilk.distance("jaccard")
    got = distance.pairwise(X, Y)
    assert got.tolist() == [[plain(x, y) for y in Y] for x in X]
    D = distance.pairwise(X)
    assert ((D == 0) == [[x == y for y in X] for x in X]).all()
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12).all()
    k = len(Y)
    expected = np.argsort(got, axis=1, kind="stable")
    with ilk.threads(3):
        near, where = distance.kneighbors(X, Y, k)
    np.testing.assert_array_equal(where, expected)
    np.testing.assert_array_equal(near, np.take_along_axis(got, expected, axis=1))
    handle = distance.prepare(Y)
    np.testing.assert_array_equal(handle.to(X[0]), got[0])
    np.testing.assert_array_equal(handle.to(X[1], [1, 0, 1]), got[1, [1, 0, 1]])


def test_texts_are_sets_of_substrings():
    distance = ilk.distance("jaccard")
    assert distance.between("abcd", "bcde") == pytest.approx(2 / 3)
    assert distance.between("ab", "ab") == 0
    assert distance.between("ab", "abc") == 1
    assert distance.between("", "") == 0
    letters = ilk.distance("jaccard", shingle=1)
    assert letters.between("abca", "cab") == 0
    assert letters.between(b"ab", b"bc") == pytest.approx(2 / 3)
    X = ["the cat sat", "the cat sits", "a dog ran"]
    sets = [{x[i : i + 3] for i in range(len(x) - 2)} for x in X]
    np.testing.assert_array_equal(distance.pairwise(X), distance.pairwise(sets))
    np.testing.assert_array_equal(distance.pairwise(np.array(X)), distance.pairwise(X))


def test_lists_of_words():
    X = [["the", "cat"], ["the", "the", "dog"], []]
    D = ilk.distance("jaccard").pairwise(X)
    np.testing.assert_allclose(D, [[0, 2 / 3, 1], [2 / 3, 0, 1], [1, 1, 0]])
    assert ilk.distance("jaccard").between(["a", "b"], ["b"]) == 0.5
    np.testing.assert_array_equal(
        ilk.distance("jaccard").pairwise(pd.Series(X, index=[1, 1, 2])), D
    )


def test_never_above_1_nor_lost_in_rounding():
    rng = np.random.default_rng(0)
    X = rng.random((200, 40)) * 10.0 ** rng.integers(-9, 9, size=(200, 40))
    X[:100, ::2] = 0
    X[100:, 1::2] = 0
    D = ilk.distance("jaccard").pairwise(X)
    np.testing.assert_allclose(D[:100, 100:], 1, rtol=1e-15)
    assert D.max() <= 1
    near = X * (1 + 1e-13)
    single = ilk.distance("jaccard").pairwise(X[:1], near[:1])[0, 0]
    assert single == pytest.approx(1e-13, rel=1e-2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_neighbours_of_vectors(dtype):
    rng = np.random.default_rng(1)
    Q, X = ((rng.random((n, 9)) < 0.4).astype(dtype) for n in (20, 300))
    D = ilk.distance("jaccard").pairwise(Q, X)
    expected = np.argsort(D, axis=1, kind="stable")[:, :7]
    with ilk.threads(2):
        near, where = ilk.distance("jaccard").kneighbors(Q, X, 7)
    np.testing.assert_array_equal(where, expected)
    np.testing.assert_array_equal(near, np.take_along_axis(D, expected, axis=1))


@in_one_test
@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([[1, 0], [0, -2]], ilk.InputError, "X must not be negative, got -2.0 at row 1, column 1"),
        ([[1, np.nan]], ilk.InputError, "X has NaN at row 0, column 1"),
        ([[1, 2], [3]], ilk.InputTypeError, "X has numbers in a list at row 0; vectors must be"),
        ([{1}, {None}], ilk.InputError, r"X has a set with a missing member \(None\) at row 1"),
        ([{1}, {float("nan")}], ilk.InputError, r"a missing member \(nan\) at row 1"),
        ([{1}, 3], ilk.InputTypeError, "X has a int at row 1, expected a set"),
        ([["a", []]], ilk.InputTypeError, "X has at row 0 an unhashable type"),
        ({1, 2}, ilk.InputTypeError, "X must be a list of rows, got one set"),
        ("text", ilk.InputTypeError, "X must be a list of rows, got one str"),
        ([], ilk.InputError, "X has no rows"),
    ],
    ids=str,
)
def test_what_is_no_set(X, error, message):
    with pytest.raises(error, match=f"jaccard: .*{message}"):
        ilk.distance("jaccard").pairwise(X)


def test_vectors_and_sets_are_not_compared():
    with pytest.raises(ilk.InputTypeError, match="jaccard: X has vectors but Y has sets"):
        ilk.distance("jaccard").pairwise([[1, 0]], [{1}])
    with pytest.raises(ilk.ParameterError, match="shingle must be an integer >= 1, got 0"):
        ilk.distance("jaccard", shingle=0).pairwise(["a"])


def test_vectors_of_objects_are_told_what_they_are():
    with pytest.raises(ilk.InputTypeError, match="rows of one array of a numeric type"):
        ilk.distance("jaccard").pairwise(np.array([[1, 0], [0, 1]], dtype=object))
