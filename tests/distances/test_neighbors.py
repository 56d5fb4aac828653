"""Blocked neighbour search: exact, ties by lower index, whatever the blocks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ilk
from cases import in_one_test
from ilk.neighbors.blocked import nearest_blocked, smallest, within_blocked

EUCLIDEAN = ilk.distance("euclidean")


def by_sorting(D, k):
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, order, axis=1), order


values = st.sampled_from([0.0, 1.0, 1.5, 2.0, np.inf])


@given(D=hnp.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 9)), elements=values))
def test_smallest_sorts_stably(D):
    for k in range(1, D.shape[1] + 1):
        for got, expected in zip(smallest(D, k), by_sorting(D, k), strict=True):
            np.testing.assert_array_equal(got, expected)


@in_one_test
@pytest.mark.parametrize("k", [1, 2, 5, 30])
@pytest.mark.parametrize("levels", [None, 1, 3, 50, 4000])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_smallest_of_many(k, levels, dtype):
    """Few levels mean many ties; in the last columns too, which are in no group."""
    rng = np.random.default_rng(k)
    for m in (100, 64 * k, 64 * k + 17, 5003):
        D = rng.random((7, m)) if levels is None else rng.integers(0, levels, (7, m))
        D = D.astype(dtype)
        D[0, :-3] = np.inf
        D[1] = np.inf
        D[2, ::-1].sort()
        k_here = min(k, m)
        near, where = smallest(D, k_here)
        np.testing.assert_array_equal(near, by_sorting(D, k_here)[0])
        np.testing.assert_array_equal(where, by_sorting(D, k_here)[1])
        assert where.dtype == np.int64
        assert near.dtype == dtype


@in_one_test
@pytest.mark.parametrize("block_bytes", [1, 800, 8 * 64 * 10, 2**25])
@pytest.mark.parametrize("k", [1, 3, 40])
def test_blocks_change_nothing(block_bytes, k):
    rng = np.random.default_rng(1)
    X, Q = rng.integers(0, 3, (40, 2)), rng.integers(0, 3, (9, 2))
    near, where = nearest_blocked(EUCLIDEAN, Q, X, k, block_bytes=block_bytes)
    expected = by_sorting(EUCLIDEAN.pairwise(Q, X), k)
    np.testing.assert_array_equal(near, expected[0])
    np.testing.assert_array_equal(where, expected[1])


@in_one_test
@pytest.mark.parametrize("block_bytes", [1, 800, 8 * 64 * 10, 2**25])
@pytest.mark.parametrize("r", [0, 1, 2**0.5, 10])
def test_radius_whatever_the_blocks(block_bytes, r):
    rng = np.random.default_rng(1)
    X, Q = rng.integers(0, 3, (40, 2)), rng.integers(0, 4, (9, 2))
    D = EUCLIDEAN.pairwise(Q, X)
    distances, indices = within_blocked(EUCLIDEAN, Q, X, r, block_bytes=block_bytes)
    assert len(distances) == len(indices) == 9
    for row, near, where in zip(D, distances, indices, strict=True):
        order = np.argsort(row, kind="stable")
        np.testing.assert_array_equal(where, order[row[order] <= r])
        np.testing.assert_array_equal(near, row[where])


class Broken(ilk.Distance):
    """Gives NaN for one pair of values."""

    def pairwise(self, X, Y=None):
        X, Y = self.check_pair(X, Y)
        return np.where((X == 7) & (Y.T == 5), np.nan, np.abs(X - Y.T))


@pytest.mark.parametrize("block_bytes", [8, 800, 2**25])
def test_nan_is_an_error_that_names_the_pair(block_bytes):
    Q, X = np.arange(20.0)[:, None], np.arange(10.0)[:, None]
    message = "the distance of query 7 to training row 5 is NaN"
    with pytest.raises(ilk.InputError, match=message):
        nearest_blocked(Broken(), Q, X, 2, block_bytes=block_bytes)
    with pytest.raises(ilk.InputError, match=message):
        within_blocked(Broken(), Q, X, 2, block_bytes=block_bytes)


def test_bad_cells_are_named_by_their_row_in_all_queries():
    Q = np.zeros((1000, 1))
    Q[900] = np.nan
    with pytest.raises(ilk.InputError, match="X has NaN at row 900, column 0"):
        nearest_blocked(EUCLIDEAN, Q, np.zeros((5, 1)), 1, block_bytes=80)


@in_one_test
@pytest.mark.parametrize("k", [0, 6, -1, 2.0, True, "1", None])
def test_bad_k(k):
    with pytest.raises(ilk.InputError, match="k must be an integer between 1 and .* \\(5\\), got"):
        nearest_blocked(EUCLIDEAN, np.zeros((1, 1)), np.zeros((5, 1)), k)


def test_lists_and_tables():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"a": [1.0, 2.0, 4.0]}, index=[7, 7, 9])
    for X in (table, table.to_numpy().tolist(), table.to_numpy()):
        _, where = nearest_blocked(EUCLIDEAN, X, X, 2, block_bytes=16)
        assert where.tolist() == [[0, 1], [1, 0], [2, 1]]
