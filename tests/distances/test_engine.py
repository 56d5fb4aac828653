"""Tiles, threads and the search of neighbours, over every distance that uses them."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk.neighbors.vector_distance import VectorDistance


def engine_distances():
    found = []
    for name in ilk.distances():
        cls = type(ilk.distance(name))
        if issubclass(cls, VectorDistance):
            found += [pytest.param(name, i, id=f"{name}-{i}") for i in range(len(cls.examples()))]
    return found


EVERY = pytest.mark.parametrize(("name", "example"), engine_distances())


def make(name, example, X):
    return ilk.fit_component(type(ilk.distance(name)).examples()[example], X, None)


def data(n, p, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).dirichlet(np.ones(p), n).astype(dtype)


def features(name, example):
    """How many features data for an example have: its own number, or any."""
    return {"mahalanobis": 4}.get(name, 7)


@in_one_test
@EVERY
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_entry_stands_alone(name, example, dtype):
    p = features(name, example)
    X, Y = data(70, p, 0, dtype), data(600, p, 1, dtype)  # more than a tile either way
    d = make(name, example, Y)
    with ilk.threads(1):
        D = d.pairwise(X, Y)
    assert D.dtype == dtype
    with ilk.threads(3):
        np.testing.assert_array_equal(d.pairwise(X, Y), D)
    for i, j in ((0, 0), (69, 599), (33, 511), (34, 512)):
        assert d.pairwise(X[i : i + 1], Y[j : j + 1])[0, 0] == D[i, j]
    np.testing.assert_array_equal(d.pairwise(X[3:8], Y[500:531]), D[3:8, 500:531])
    np.testing.assert_array_equal(d.pairwise(X[::-2], Y[::3]), D[::-2, ::3])


@in_one_test
@EVERY
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_neighbours_are_those_of_the_matrix(name, example, dtype):
    p = features(name, example)
    Y = data(300, p, 1, dtype)
    Y = np.concatenate([Y, Y[::-1], Y[:100]])  # every row at least twice
    X = np.concatenate([data(31, p, 0, dtype), Y[5:25]])
    d = make(name, example, Y)
    D = d.pairwise(X, Y)
    for k in (1, 7, 128, 129, len(Y)):
        near, where = d.kneighbors(X, Y, k)
        expected = np.argsort(D, axis=1, kind="stable")[:, :k]
        np.testing.assert_array_equal(where, expected)
        np.testing.assert_array_equal(near, np.take_along_axis(D, expected, axis=1))
        assert near.dtype == dtype


@in_one_test
@EVERY
@pytest.mark.parametrize("types", ["dd", "ff", "df", "fd"])
def test_pairs_are_those_of_the_matrix(name, example, types):
    """Bit for bit; of norms where squares vanish or overflow, too."""
    norms = ("minkowski", "euclidean", "manhattan", "chebyshev")
    for scale in (1, 1e-20, 1e-170, 1e20, 1e160)[: 3 + 2 * (types == "dd") if name in norms else 1]:
        assert_pairs_are_entries(name, example, types, scale)


def assert_pairs_are_entries(name, example, types, scale):
    p = features(name, example)
    X, Y = data(30, p, 0) * scale, data(90, p, 1) * scale
    X, Y = X.astype(types[0]), np.asfortranarray(np.concatenate([Y, X[:9]]).astype(types[1]))
    d = make(name, example, data(40, p, 2))
    rng = np.random.default_rng(3)
    rows, columns = np.sort(rng.integers(0, 30, 200)), rng.integers(0, 99, 200)
    X, Y = d.check_pair(X, Y)
    D = d.compare(X, Y)
    got = d.compare_pairs(X, rows, Y, columns)
    np.testing.assert_array_equal(got, D[rows, columns])
    assert got.dtype == D.dtype
    assert d.compare_pairs(X, rows[:0], Y, columns[:0]).shape == (0,)


@in_one_test
@EVERY
def test_equal_rows_are_at_distance_exactly_zero(name, example):
    X = data(40, features(name, example))
    assert not np.diagonal(make(name, example, X).pairwise(X, X.copy())).any()


@in_one_test
@EVERY
def test_declared_symmetry_is_exact(name, example):
    X = data(41, features(name, example))
    d = make(name, example, X)
    if d.symmetric:
        np.testing.assert_array_equal(d.pairwise(X), d.pairwise(X).T)


@in_one_test
@EVERY
def test_any_layout_and_no_writing(name, example):
    p = features(name, example)
    X = data(20, p)
    d = make(name, example, X)
    D = d.pairwise(X)
    for same in (np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X[::-1][::-1]):
        np.testing.assert_array_equal(d.pairwise(same), D)
    X.flags.writeable = False
    np.testing.assert_array_equal(d.pairwise(X), D)


@in_one_test
@EVERY
def test_features_that_are_zero_in_all_rows_change_no_bit(name, example):
    X = data(30, 6)
    padded = np.concatenate([X, np.zeros((30, 5))], axis=1)
    d = make(name, example, X)
    if name in ("correlation", "mahalanobis", "hamming") or getattr(d, "smoothing", 0):
        pytest.skip("they count there")
    D = d.pairwise(X)
    np.testing.assert_array_equal(make(name, example, padded).pairwise(padded), D)


@in_one_test
@EVERY
def test_two_threads_at_once(name, example):
    p = features(name, example)
    X = data(150, p)
    d = make(name, example, X)
    D, found = d.pairwise(X), [None] * 4

    def work(place):
        found[place] = d.pairwise(X)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for got in found:
        np.testing.assert_array_equal(got, D)


@in_one_test
@EVERY
@pytest.mark.parametrize("p", [1, 2, 5, 200, 3000])
def test_any_number_of_features(name, example, p):
    if p == 1 and name == "correlation":
        pytest.skip("one feature has no profile")
    if name == "mahalanobis":
        pytest.skip("as many features as it was fitted with")
    X, Y = data(3, p), data(5, p, 1)
    d = make(name, example, X)
    slow = [[d.between(x, y) for y in Y] for x in X]
    np.testing.assert_array_equal(d.pairwise(X, Y), slow)


@in_one_test
@EVERY
def test_single_precision_of_many_features_is_rounded_once(name, example):
    """Compared in double precision: by the matrix, the search of neighbours, and pairs alike."""
    if name == "mahalanobis":
        pytest.skip("as many features as it was fitted with")
    X, Y = data(3, 3000, 0, np.float32), data(40, 3000, 1, np.float32)
    d = make(name, example, X)
    D = d.pairwise(X, Y)
    near, where = d.kneighbors(X, Y, 40)
    np.testing.assert_array_equal(near, np.take_along_axis(D, where, axis=1))
    rows, columns = np.repeat([0, 2], 40), np.tile(np.arange(40), 2)
    X, Y = d.check_pair(X, Y)
    pairs = d.compare_pairs(X, rows, Y, columns)
    np.testing.assert_array_equal(pairs, d.compare(X, Y)[rows, columns])


@given(
    values=st.lists(st.integers(0, 6), min_size=1, max_size=400),
    k=st.integers(1, 128),
    tile=st.integers(1, 100),
)
def test_pushing_is_stable_sorting(values, k, tile):
    from ilk.neighbors.sums import push

    row = np.array([values, values[::-1]], dtype=float)
    row[row == 6] = np.inf
    k = min(k, row.shape[1])
    for squared in (False, True):
        near, where = np.empty((2, k)), np.empty((2, k), dtype=np.int64)
        for first in range(0, row.shape[1], tile):
            part = np.ascontiguousarray(row[:, first : first + tile])
            push(part**2 if squared else part, first, near, where, squared)
        expected = np.argsort(row, axis=1, kind="stable")[:, :k]
        np.testing.assert_array_equal(where, expected)
        np.testing.assert_array_equal(near, np.take_along_axis(row, expected, axis=1))
