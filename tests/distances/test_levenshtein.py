"""Levenshtein distance."""

import sys
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk_distances.strings.extras import MissingLibraryError

pytest.importorskip("rapidfuzz")

WORDS = st.lists(st.text("abc", max_size=6), min_size=3, max_size=3)
SYMBOLS = ["a", "b", 97, -1, -2, 0, 2**61 - 1, (1, 2), None, 1.5]
LISTS = st.lists(st.lists(st.sampled_from(SYMBOLS), max_size=5), min_size=2, max_size=4)


def plain(x, y, insert=1, delete=1, substitute=1):
    """The recursion by which the distance is defined."""

    @cache
    def cost(i, j):
        if i == 0 or j == 0:
            return i * delete + j * insert
        return min(
            cost(i - 1, j) + delete,
            cost(i, j - 1) + insert,
            cost(i - 1, j - 1) + substitute * (x[i - 1] != y[j - 1]),
        )

    return cost(len(x), len(y))


def test_known_distances():
    distance = ilk.distance("levenshtein")
    pairs = {
        ("kitten", "sitting"): 3,
        ("intention", "execution"): 5,
        ("Saturday", "Sunday"): 3,
        ("", "abc"): 3,
        ("Grüße", "Grusse"): 3,
        ("", ""): 0,
        ("\U0001f600a", "a"): 1,
    }
    for (x, y), expected in pairs.items():
        got = distance.between(x, y)
        assert got == expected
        assert isinstance(got, float)
    assert distance.between(b"\0a", b"a") == 1
    assert distance.pairwise(["ab", "b"]).dtype == np.float64


@given(WORDS, WORDS, st.sampled_from([None, [1, 1, 1], [1, 2, 3], [2, 2, 3], [3, 1, 1], [2, 2, 9]]))
def test_as_defined(X, Y, weights):
    got = ilk.distance("levenshtein", weights=weights).pairwise(X, Y)
    assert got.tolist() == [[plain(x, y, *(weights or [])) for y in Y] for x in X]
    own = ilk.distance("levenshtein", weights=weights).pairwise(X)
    assert own.tolist() == [[plain(x, y, *(weights or [])) for y in X] for x in X]


@given(LISTS, LISTS)
def test_lists_of_anything_hashable(X, Y):
    """-1 and -2, 0 and 2**61 - 1 have the same hash, "a" and 97 the same code."""
    got = ilk.distance("levenshtein").pairwise(X, Y)
    assert got.tolist() == [[plain(x, y) for y in Y] for x in X]
    assert ilk.distance("levenshtein").between(X[0], Y[0]) == got[0, 0]
    texts = [bytes(len(x)) for x in X]
    assert ilk.distance("levenshtein").pairwise(texts).tolist() == [
        [abs(len(x) - len(y)) for y in X] for x in X
    ]


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"weights": [2, 2, 3]},
        {"normalize": "metric"},
        {"weights": [3, 3, 1], "normalize": "metric"},
    ],
)
@given(X=WORDS)
def test_axioms_of_a_metric(parameters, X):
    distance = ilk.distance("levenshtein", **parameters)
    assert distance.metric
    assert distance.symmetric
    D = distance.pairwise(X)
    np.testing.assert_array_equal(D, D.T)
    assert ((D == 0) == [[x == y for y in X] for x in X]).all()
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12).all()
    if distance.normalize:
        assert D.max() <= 1


def test_divided_by_the_largest_it_is_no_metric():
    distance = ilk.distance("levenshtein", normalize="max")
    assert not distance.metric
    assert distance.symmetric
    there, back = distance.between("ab", "aba"), distance.between("aba", "ba")
    assert there == back == pytest.approx(1 / 3)
    assert distance.between("ab", "ba") == 1 > there + back
    worst = max(
        ilk.distance("levenshtein", normalize="metric").between(x, z)
        - ilk.distance("levenshtein", normalize="metric").between(x, y)
        - ilk.distance("levenshtein", normalize="metric").between(y, z)
        for x, y, z in product(["", "a", "b", "ab", "ba", "aba"], repeat=3)
    )
    assert worst <= 1e-12


@given(WORDS, st.sampled_from([None, [1, 2, 5], [2, 1, 2], [0, 1, 1], [0, 0, 0]]))
def test_the_largest_is_that_of_disjoint_texts(X, weights):
    distance = ilk.distance("levenshtein", weights=weights, normalize="max")
    for x, y in product(X, X):
        other = "x" * len(y)
        largest = plain(x, other, *(weights or []))
        expected = plain(x, y, *(weights or [])) / largest if largest else 0
        assert distance.between(x, y) == pytest.approx(expected)
        if weights is None and x != y:
            assert distance.between(x, y) == plain(x, y) / max(len(x), len(y))


def test_normalized_by_hand():
    distance = ilk.distance("levenshtein", normalize="metric")
    assert distance.between("kitten", "sitting") == 2 * 3 / (13 + 3)
    weighted = ilk.distance("levenshtein", normalize="metric", weights=[2, 2, 3])
    assert weighted.between("ab", "b") == 2 * 2 / (2 * 3 + 2)
    assert distance.between("", "") == 0


@in_one_test
@pytest.mark.parametrize(
    ("weights", "symmetric", "metric"),
    [
        ([1, 1, 1], True, True),
        ([2, 2, 9], True, True),
        ([1, 2, 3], False, False),
        ([0, 0, 1], True, False),
        ([1, 1, 0], True, False),
    ],
)
def test_what_is_claimed_of_weights(weights, symmetric, metric):
    distance = ilk.distance("levenshtein", weights=weights)
    assert (distance.symmetric, distance.metric) == (symmetric, metric)


def test_large_weights_do_not_overflow():
    distance = ilk.distance("levenshtein", weights=[10**6, 10**6, 10**6])
    assert distance.between("a" * 5000, "") == 5e9


@given(st.lists(st.text("ab", max_size=5), min_size=1, max_size=20), st.integers(1, 20))
def test_neighbours_and_threads(X, k):
    assume(k <= len(X))
    distance = ilk.distance("levenshtein")
    with ilk.threads(2):
        D = distance.pairwise(["ab", "ba"], X)
        near, where = distance.kneighbors(["ab", "ba"], X, k)
    expected = np.argsort(D, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(where, expected)
    np.testing.assert_array_equal(near, np.take_along_axis(D, expected, axis=1))
    handle = distance.prepare(X)
    np.testing.assert_array_equal(handle.to("ab"), D[0])
    np.testing.assert_array_equal(handle.to("ba", [0, 0]), D[1, [0, 0]])


def test_arrays_of_symbols():
    X = np.array([[1, 2, 3], [2, 3, 4]])
    assert ilk.distance("levenshtein").pairwise(X).tolist() == [[0, 2], [2, 0]]
    assert ilk.distance("levenshtein").between(X[0], X[1]) == 2
    words = [["the", "cat"], ["the", "dog", "cat"]]
    assert ilk.distance("levenshtein").pairwise(words)[0, 1] == 1


@in_one_test
@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ("text", ilk.InputError, "X must be a list of objects, got the single 'text'"),
        (["a", b"a"], ilk.InputTypeError, "X has texts at row 0 and bytes at row 1"),
        (["a", ["a"]], ilk.InputTypeError, "X has texts at row 0 and lists at row 1"),
        (["a", None], ilk.InputError, r"X has a missing value \(None\) at row 1"),
        ([["a"], [["b"]]], ilk.InputTypeError, "X has at row 1 an unhashable type"),
        ([["a"], [float("nan")]], ilk.InputError, r"X has a missing value \(nan\) at row 1"),
        ([3], ilk.InputTypeError, "X has a int at row 0"),
        ([], ilk.InputError, "X has no rows"),
    ],
    ids=str,
)
def test_what_is_no_sequence(X, error, message):
    with pytest.raises(error, match=f"levenshtein: {message}"):
        ilk.distance("levenshtein").pairwise(X)


def test_texts_and_bytes_are_not_compared():
    with pytest.raises(ilk.InputTypeError, match="levenshtein: X has texts but Y has bytes"):
        ilk.distance("levenshtein").pairwise(["a"], [b"a"])


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"weights": [1, 2]}, "weights must be 3 integers, got"),
        ({"weights": [1, 1, -1]}, "weights"),
        ({"weights": [1, 1, 0.5]}, "weights"),
        ({"weights": [1, 2, 1], "normalize": "metric"}, "weights must have the same cost"),
        ({"normalize": True}, "normalize must be 'max' or 'metric' or None, got True"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"levenshtein: {message}"):
        ilk.distance("levenshtein", **parameters).pairwise(["a"])


def test_the_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz.process", None)
    message = (
        r"levenshtein needs rapidfuzz, which is not installed \(pip install rapidfuzz; the extra"
    )
    with pytest.raises(MissingLibraryError, match=message):
        ilk.distance("levenshtein").pairwise(["a"])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, complex])
def test_vectors_are_no_sequences(dtype):
    with pytest.raises(ilk.InputTypeError, match="levenshtein: X is an array of .*no symbols"):
        ilk.distance("levenshtein").pairwise(np.ones((3, 2), dtype=dtype))
