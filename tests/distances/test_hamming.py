"""Hamming distance."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import cdist

import ilk
from cases import in_one_test

SMALL = hnp.arrays(
    st.sampled_from([np.float64, np.float32, np.int64, np.int8, np.uint16, np.bool_]),
    st.tuples(st.integers(1, 6), st.just(5)),
    elements=st.sampled_from([0, 1]),
)


def plain(X, Y):
    return np.array([[np.mean([a != b for a, b in zip(x, y, strict=True)]) for y in Y] for x in X])


def test_known_numbers():
    distance = ilk.distance("hamming")
    assert distance.between([1, 0, 0, 1], [1, 1, 0, 0]) == 0.5
    assert distance.between("karolin", "kathrin") == pytest.approx(3 / 7)
    count = ilk.distance("hamming", normalize=False)
    assert count.between("karolin", "kathrin") == 3
    assert count.between(b"\0\1", b"\0\0") == 1
    assert count.between(["red", 2, True], ["red", 3, True]) == 1
    assert count.pairwise([[1, 2]]).dtype == float


@given(SMALL, SMALL)
def test_agrees_with_scipy(X, Y):
    expected = cdist(X.astype(float), Y.astype(float), "hamming")
    got = ilk.distance("hamming").pairwise(X, Y)
    np.testing.assert_allclose(got, expected, atol=1e-7)
    single = X.dtype == Y.dtype == np.float32
    assert got.dtype == (np.float32 if single else np.float64)
    counts = ilk.distance("hamming", normalize=False).pairwise(X, Y)
    np.testing.assert_array_equal(counts, np.round(expected * 5))


@given(st.lists(st.text("ab\0\u00df\U0001f600", min_size=4, max_size=4), min_size=3, max_size=5))
def test_axioms_on_texts(X):
    distance = ilk.distance("hamming")
    assert distance.metric
    D = distance.pairwise(X)
    np.testing.assert_allclose(D, plain(X, X))
    np.testing.assert_array_equal(D, D.T)
    assert ((D == 0) == [[x == y for y in X] for x in X]).all()
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12).all()


def test_bytes_and_other_ways_to_give_texts():
    texts = ["abc\0", "abcd", "xbcd"]
    expected = plain(texts, texts)
    for X in (
        texts,
        tuple(texts),
        pd.Series(texts, index=[3, 3, 3]),
        [list(text) for text in texts],
    ):
        np.testing.assert_allclose(ilk.distance("hamming").pairwise(X), expected)
        np.testing.assert_allclose(ilk.distance("hamming").pairwise(texts, X), expected)
    encoded = [text.encode() for text in texts]
    np.testing.assert_allclose(ilk.distance("hamming").pairwise(encoded), expected)
    assert ilk.distance("hamming").pairwise(["", ""]).tolist() == [[0, 0], [0, 0]]
    assert ilk.distance("hamming").kneighbors([""], ["", ""], 2)[1].tolist() == [[0, 1]]


def test_lists_of_hashable_values():
    X = [["a", 1, (1, 2)], ["a", "1", (1, 3)], ["b", 1.0, (1, 2)]]
    D = ilk.distance("hamming", normalize=False).pairwise(X)
    assert D.tolist() == [[0, 2, 1], [2, 0, 3], [1, 3, 0]]
    unseen = [["c", 1, (1, 2)], ["c", 2, (7,)]]
    assert ilk.distance("hamming", normalize=False).pairwise(unseen, X).tolist() == [
        [1, 3, 1],
        [3, 3, 3],
    ]


def test_tables():
    table = pd.DataFrame(
        {
            "color": pd.Categorical(["red", "blue", "red"]),
            "size": [1, 2, 2],
            "weight": [0.5, 0.5, 1.5],
        },
        index=[9, 9, 1],
    )
    distance = ilk.distance("hamming", normalize=False)
    expected = [[0, 2, 2], [2, 0, 2], [2, 2, 0]]
    assert distance.pairwise(table).tolist() == expected
    other = table.assign(color=pd.Categorical(["red", "blue", "red"], ["none", "blue", "red"]))
    assert distance.pairwise(table, other).tolist() == expected
    assert distance.pairwise(pl.from_pandas(table.reset_index(drop=True))).tolist() == expected
    assert distance.between(table.iloc[0], table.iloc[1]) == 2
    assert distance.pairwise(table[["size"]], table[["size"]]).tolist() == [
        [0, 1, 1],
        [1, 0, 0],
        [1, 0, 0],
    ]
    with pytest.raises(ilk.InputError, match="hamming: Y has the columns of X in another order"):
        distance.pairwise(table, table[["size", "color", "weight"]])


def test_numbers_and_cells_are_compared_by_value():
    cells = np.array([[1, "a"], [2.5, "b"]], dtype=object)
    assert ilk.distance("hamming", normalize=False).pairwise(
        cells, np.array([[1, 7]])
    ).tolist() == [
        [1],
        [2],
    ]
    assert ilk.distance("hamming").between([0.0, 1.0], [-0.0, 1.0]) == 0


@in_one_test
@pytest.mark.parametrize("large", [2**24, 2**53, 2**62, 2**70])
def test_large_numbers_are_told_apart(large):
    count = ilk.distance("hamming", normalize=False)
    assert count.pairwise([[large, 1], [large + 1, 1]]).tolist() == [[0, 1], [1, 0]]
    assert count.pairwise([[-large, 1], [-large - 1, 1]]).tolist() == [[0, 1], [1, 0]]
    assert count.pairwise([[large, 0.5], [large + 1, 0.5]])[0, 1] == 1
    if large < 2**63:
        for dtype in (np.int64, np.uint64):
            X = np.array([[large], [large + 1]], dtype=dtype)
            assert count.pairwise(X).tolist() == [[0, 1], [1, 0]]


def test_small_integers_do_not_wrap():
    X = np.array([[0], [255]], dtype=np.uint8)
    assert ilk.distance("hamming", normalize=False).pairwise(X, X.astype(np.int8)).tolist() == [
        [0, 1],
        [1, 1],
    ]


@in_one_test
@pytest.mark.parametrize("n_features", [1, 3, 255, 256, 300, 2049, 5000])
def test_many_positions(n_features):
    rng = np.random.default_rng(n_features)
    X, Y = (rng.integers(0, 3, size=(n, n_features)) for n in (5, 7))
    got = ilk.distance("hamming", normalize=False).pairwise(X, Y)
    np.testing.assert_array_equal(got, (X[:, None] != Y).sum(axis=2))
    single = ilk.distance("hamming").pairwise(X.astype(np.float32), Y.astype(np.float32))
    np.testing.assert_allclose(single, got / n_features, rtol=1e-6)


@given(st.integers(1, 90), st.integers(1, 90), st.booleans())
def test_neighbours_do_not_depend_on_threads(n, m, texts):
    rng = np.random.default_rng([n, m])
    Q, X = (rng.integers(0, 2, size=(size, 6)) for size in (n, m))
    if texts:
        Q, X = (["".join("ab"[cell] for cell in row) for row in each] for each in (Q, X))
    distance = ilk.distance("hamming")
    with ilk.threads(1):
        D = distance.pairwise(Q, X)
    k = min(m, 5)
    expected = np.argsort(D, axis=1, kind="stable")[:, :k]
    with ilk.threads(3):
        near, where = distance.kneighbors(Q, X, k)
        np.testing.assert_array_equal(distance.pairwise(Q, X), D)
    np.testing.assert_array_equal(where, expected)
    np.testing.assert_array_equal(near, np.take_along_axis(D, expected, axis=1))
    np.testing.assert_array_equal(distance.prepare(X).to(Q[0]), D[0])


@in_one_test
@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (["abc", "ab"], ilk.InputError, "X must have rows of one length, got 3 at row 0 and 2 at"),
        ([[1, 2], [1]], ilk.InputError, "X must have rows of one length, got 2 at row 0 and 1 at"),
        (["ab", b"ab"], ilk.InputTypeError, "X has 'ab' at row 0 and b'ab' at row 1"),
        ([[1.0, np.nan]], ilk.InputError, "X has NaN at row 0, column 1"),
        ([["a", None]], ilk.InputError, r"X has a missing value \(None\) at row 0, column 1"),
        (
            pd.DataFrame({"a": ["x", None]}),
            ilk.InputError,
            r"X has a missing value \((None|nan)\) at row 1, column 0",
        ),
        (
            np.array([["2020-01-01"], ["NaT"]], dtype="datetime64[D]"),
            ilk.InputError,
            r"X has a missing value \(NaT\) at row 1, column 0",
        ),
        (np.ma.masked_array([[1, 2]], mask=[[0, 1]]), ilk.InputError, "X has masked values"),
        ([["a", []]], ilk.InputTypeError, "X has a cell that is no single value"),
        ("text", ilk.InputError, "X must be a list of rows, got the single 'text'"),
        ([], ilk.InputError, "X has no rows"),
        ([1, 2], ilk.InputError, "X"),
        (np.zeros((2, 2, 2)), ilk.InputError, "X"),
    ],
    ids=str,
)
def test_what_cannot_be_compared(X, error, message):
    with pytest.raises(error, match=f"hamming: {message}"):
        ilk.distance("hamming").pairwise(X)


def test_inputs_that_do_not_go_together():
    distance = ilk.distance("hamming")
    with pytest.raises(ilk.InputError, match="hamming: X has 3 features but Y has 2"):
        distance.pairwise(["abc"], ["ab"])
    with pytest.raises(ilk.InputTypeError, match="hamming: X has characters but Y has bytes"):
        distance.pairwise(["ab"], [b"ab"])
    with pytest.raises(ilk.InputTypeError, match="hamming: X has numbers but Y has characters"):
        distance.pairwise([[1, 2]], ["ab"])


def test_dates_are_values():
    dates = np.array([["2020-01-01", "2020-01-02"], ["2020-01-01", "2020-01-03"]], dtype="M8[D]")
    assert ilk.distance("hamming").pairwise(dates)[0, 1] == 0.5
