"""Rows read block by block: what is, what is not, and that all come once, in order."""

import numpy as np
import pytest

import ilk
from cases import in_one_test
from ilk.blockwise import DaskRows, MappedRows

da = pytest.importorskip("dask.array", reason="Dask is not installed")
KNN = ilk.classifier("knn")


@pytest.fixture
def mapped(tmp_path):
    """A function that writes an array to a file and maps it."""

    def make(values, mode="r", order="C"):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.bin"
        file = np.memmap(path, dtype=values.dtype, mode="w+", shape=values.shape, order=order)
        file[...] = values
        file.flush()
        return np.memmap(path, dtype=values.dtype, mode=mode, shape=values.shape, order=order)

    return make


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("ilk.blockwise.BLOCK_BYTES", 8 * 3 * 7)  # seven rows of three columns


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u8", "?", ">f8", "f2"])
@pytest.mark.parametrize("kind", ["mapped", "fortran", "dask", "dask_columns"])
def test_all_rows_come_once_in_order_as_floats(mapped, small_blocks, dtype, kind):
    X = np.arange(90).reshape(30, 3).astype(dtype)
    given = {
        "mapped": lambda: mapped(X),
        "fortran": lambda: mapped(X, order="F"),
        "dask": lambda: da.from_array(X, chunks=((11, 0, 1, 18), 3)),
        "dask_columns": lambda: da.from_array(X, chunks=(8, 2)),
    }[kind]()
    blocks = ilk.row_blocks(KNN, given)
    assert isinstance(blocks, MappedRows if kind in {"mapped", "fortran"} else DaskRows)
    assert blocks.shape == (30, 3)
    assert ilk.n_rows(blocks) == len(blocks) == 30
    found = list(blocks)
    assert max(len(block) for _, block in found) == 7
    assert [first for first, _ in found] == np.cumsum([0, *(len(b) for _, b in found)])[
        :-1
    ].tolist()
    joined = np.concatenate([block for _, block in found])
    assert joined.dtype == (np.float32 if dtype == "f4" else np.float64)
    np.testing.assert_array_equal(joined, X)
    folded = blocks.fold(lambda first, block: [(first, block.sum())], lambda a, b: a + b)
    assert folded == [(first, block.sum()) for first, block in found]


def test_what_is_in_memory_is_not_read_by_blocks(mapped):
    table = np.zeros((3, 2))
    for X in (table, table.tolist(), mapped(table)[0], mapped(np.array([["a"]]))):
        assert ilk.row_blocks(KNN, X) is None
    blocks = ilk.row_blocks(KNN, mapped(table))
    assert ilk.row_blocks(KNN, blocks) is blocks


def test_private_changes_of_a_mapped_array_stay(mapped, small_blocks):
    """Pages of a copy-on-write map hold what is nowhere else, and must not be given back."""
    X = mapped(np.zeros((5000, 3)), mode="c")
    X[1, 1] = 5
    blocks = ilk.row_blocks(KNN, X)
    for _ in range(2):
        assert sum(block.sum() for _, block in blocks) == 5
    assert X[1, 1] == 5
    view = X[1:]
    assert sum(block.sum() for _, block in ilk.row_blocks(KNN, view)) == 5
    assert view[0, 1] == 5


def test_changes_of_a_writable_map_are_seen(mapped, small_blocks):
    X = mapped(np.zeros((5000, 3)), mode="r+")
    blocks = ilk.row_blocks(KNN, X)
    assert sum(block.sum() for _, block in blocks) == 0
    X[4999, 2] = 3
    assert sum(block.sum() for _, block in blocks) == 3
    assert X[4999, 2] == 3


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_named_by_its_row(mapped, small_blocks, value):
    X = np.zeros((30, 3))
    X[25, 1] = value
    X[26:] = np.nan
    what = "NaN" if np.isnan(value) else r"infinity \(inf\)"
    for given in (mapped(X), da.from_array(X, chunks=(2, 3))):
        with pytest.raises(ilk.InputError, match=f"knn: Z has {what} at row 25, column 1"):
            ilk.row_blocks(KNN, given).check(KNN, argument="Z")
    ilk.row_blocks(KNN, mapped(np.full((2, 2), np.nan))).check(KNN, nan=True)


BAD = [
    (lambda: da.zeros(5, chunks=2), "knn: X must have rows and columns .* shape"),
    (lambda: da.zeros((5, 0), chunks=2), "knn: X must have rows and columns"),
    (lambda: da.zeros((0, 5), chunks=2), "knn: X has 0 rows"),
    (lambda: da.full((5, 2), "a", chunks=2), "knn: X must hold numbers, got a Dask array of <U1"),
    (lambda: da.ones((5, 2), chunks=2)[da.ones(5, chunks=2) > 0], "call X.compute_chunk_sizes"),
]


@in_one_test
@pytest.mark.parametrize(("make", "message"), BAD, ids=["flat", "narrow", "empty", "texts", "nan"])
def test_a_dask_array_that_cannot_be_read_says_why(make, message):
    with pytest.raises(ilk.InputError, match=message):
        ilk.row_blocks(KNN, make())


def test_other_collections_and_chunks_of_dask_are_refused():
    delayed = pytest.importorskip("dask.bag").from_sequence([1, 2])
    with pytest.raises(ilk.InputTypeError, match=r"knn: X is a Dask collection \(Bag\)"):
        ilk.row_blocks(KNN, delayed)
    masked = da.ones((6, 2), chunks=2).map_blocks(np.ma.masked_equal, 2)
    with pytest.raises(ilk.InputTypeError, match="plain NumPy arrays, got MaskedArray"):
        ilk.row_blocks(KNN, masked).check(KNN)


LIARS = {
    "fewer rows": lambda chunk: chunk[:1],
    "fewer columns": lambda chunk: chunk[:, :1],
    "flat": lambda chunk: chunk[:, 0],
    "texts": lambda chunk: chunk.astype(str),
    "objects": lambda chunk: chunk.astype(object),
    "complex": lambda chunk: chunk.astype(complex),
}


@in_one_test
@pytest.mark.parametrize("lie", LIARS.values(), ids=LIARS)
def test_a_chunk_that_is_not_what_its_array_said_is_refused(lie):
    blocks = ilk.row_blocks(KNN, da.ones((6, 2), chunks=2).map_blocks(lie, dtype=float))
    for read in (lambda: list(blocks), lambda: blocks.check(KNN)):
        with pytest.raises(
            ilk.InputError, match=r"chunk .* at row \d .* numbers in shape \(2, 2\)"
        ):
            read()


def test_something_delayed_is_no_array():
    from dask import delayed

    with pytest.raises(ilk.InputTypeError, match=r"knn: X is a Dask collection \(Delayed"):
        ilk.row_blocks(KNN, delayed(np.ones((3, 2))))
