"""Data at the door."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test


@pytest.fixture
def power():
    return ilk.distance("power")


@in_one_test
@pytest.mark.parametrize(
    ("X", "said"),
    [
        (
            [[1.0, np.nan]],
            "power: X has NaN at row 0, column 1; the transformer impute fills it in",
        ),
        ([[1.0, np.inf]], r"power: X has infinity \(inf\) at row 0, column 1$"),
        ([[1.0, 2.0], [np.inf, 0]], "power: X has infinity .inf. at row 1, column 0"),
        ([[1e200, -np.inf]], "infinity .inf. at row 0, column 1"),
        ([1.0, 2.0], "power: X: Expected 2D array, got 1D array"),
        (np.empty((0, 2)), "power: X: Found array with 0 sample"),
        (np.empty((2, 0)), "0 feature"),
        ([["a"]], "could not convert string"),
        ([[1], [1, 2]], "power: X: "),
        ([[10**400, 1]], "power: X: int too large"),
        (3.0, "power: X: Expected 2D array, got scalar"),
        (np.ones((2, 2), complex), "Complex data not supported"),
        (np.ones((2, 2, 2)), "dim 3"),
    ],
)
def test_what_is_wrong_with_vectors(power, X, said):
    with pytest.raises(ilk.InputError, match=said):
        power.pairwise(X)


def test_sparse_is_refused_by_type(power):
    with pytest.raises(ilk.InputTypeError, match="power: X has sparse rows.*cosine takes them"):
        power.pairwise(sp.eye_array(3).tocsr())


def test_large_finite_values_are_let_through(power):
    assert ilk.check_vectors(power, [[1e308, 1e308]]).shape == (1, 2)


def test_widths_must_agree(power):
    with pytest.raises(ilk.InputError, match="power: X has 2 features but Y has 3"):
        power.pairwise(np.ones((1, 2)), np.ones((1, 3)))


def test_nominal_columns_are_named_with_what_to_do(power):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical(["x", "y"]), "c": ["u", "v"]})
    with pytest.raises(ilk.InputError, match="nominal columns .'b', 'c'.*one_hot.*heterogeneous"):
        power.pairwise(frame)


def test_types_are_kept_or_made_float64(power):
    for dtype, expected in ((np.float32, np.float32), (np.uint8, np.float64), (bool, np.float64)):
        assert ilk.check_vectors(power, np.ones((2, 2), dtype)).dtype == expected


def test_arrays_are_not_copied(power):
    X = np.ones((3, 2))
    X.flags.writeable = False
    assert np.shares_memory(ilk.check_vectors(power, X), X)


def test_polars_becomes_pandas():
    frame = pl.DataFrame(
        {"a": [1.5, None], "b": ["x", None], "c": pl.Series(["u", "u"], dtype=pl.Categorical)}
    )
    table = ilk.as_table(frame)
    assert ilk.nominal_columns(table) == ["b", "c"]
    assert table["b"].isna().tolist() == [False, True]
    assert table["a"].tolist()[0] == 1.5
    assert np.isnan(table["a"].tolist()[1])
    assert ilk.as_table(table) is table


@in_one_test
@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["b", "a", "b"], ["a", "b"]),
        ([1, -1, 1], [-1, 1]),
        ([True, False, True], [False, True]),
        (np.array(["b", "a", "b"], dtype=object), ["a", "b"]),
        (pd.Series(["b", "a", "b"], dtype="category"), ["a", "b"]),
        (pd.Series(["b", "a", "b"]), ["a", "b"]),
        (pl.Series(["b", "a", "b"]), ["a", "b"]),
        ([7, 7, 7], [7]),
    ],
)
def test_labels(power, y, classes):
    found, codes = ilk.check_labels(power, y)
    assert found.tolist() == classes
    assert found[codes].tolist() == list(y)


@in_one_test
@pytest.mark.parametrize(
    ("y", "said"),
    [
        (None, "requires y to be passed"),
        ([0.5, 1.7], "continuous"),
        ([1e300, -1e300, 2.5], "continuous"),
        ([[1, 0], [0, 1]], "y: y should be a 1d array"),
        ([1.0, np.nan], "NaN or None at row 1"),
        (["a", None], "NaN or None at row 1"),
        (pd.Categorical(["a", "b", None]), "NaN or None at row 2"),
        (pd.Series(["a", np.nan], dtype=object), "NaN or None at row 1"),
    ],
)
def test_what_is_wrong_with_labels(power, y, said):
    with pytest.raises(ilk.InputError, match=f"power: .*{said}"):
        ilk.check_labels(power, y)


def test_labels_and_rows_must_agree(power):
    with pytest.raises(ilk.InputError, match="y has 1 values for the 2 rows"):
        ilk.check_labels(power, [1], np.ones((2, 1)))
    with pytest.raises(ilk.InputError, match="y has 1 class .*at least 2"):
        ilk.check_labels(power, [1, 1], min_classes=2)


@given(st.lists(st.integers(0, 4), max_size=8))
def test_rows_are_taken_alike_from_every_container(rows):
    array = np.arange(10.0).reshape(5, 2)
    containers = [array, pd.DataFrame(array), sp.csr_matrix(array), array.tolist()]
    rows = np.array(rows, dtype=int)
    for container in containers:
        taken = ilk.take(container, rows)
        assert ilk.n_rows(taken) == len(rows)
        dense = taken.toarray() if sp.issparse(taken) else np.asarray(taken).reshape(-1, 2)
        assert np.array_equal(dense, array[rows])


def test_rows_of_what_has_none():
    with pytest.raises(ilk.InputTypeError, match="expected a sequence of rows, got int"):
        ilk.n_rows(3)
    with pytest.raises(ilk.InputError, match="got the scalar"):
        ilk.n_rows(np.float64(3))


def test_column_labels():
    assert ilk.column_labels(np.ones((1, 2))) == ["x0", "x1"]
    assert ilk.column_labels(pd.DataFrame({"u": [1]})) == ["u"]


@in_one_test
@pytest.mark.parametrize(
    ("X", "said"),
    [
        (np.array([["2020-01-01"], ["NaT"]], dtype="M8[D]"), "dates or durations"),
        (np.array([[3], [4]], dtype="m8[s]"), "dates or durations"),
        (np.ma.masked_array([[0.0], [1.0]], mask=[[0], [1]]), r"masked value at \(1, 0\)"),
        (np.array([["1"], ["2"]]), "holds texts"),
        (np.array([[b"1"], [b"2"]]), "holds texts"),
    ],
)
def test_what_only_looks_like_numbers(power, X, said):
    with pytest.raises(ilk.IlkError, match=f"power: X .*{said}"):
        power.pairwise(X)


def test_a_mask_that_hides_nothing_is_no_matter(power):
    assert power.pairwise(np.ma.masked_array([[0.0], [1.0]], mask=False)).shape == (2, 2)


@in_one_test
@pytest.mark.parametrize(
    ("y", "said"),
    [
        (["1", 1, "b"], "mixes numbers and texts"),
        ([True, 0, 5], "mixes numbers and true or false"),
        (np.array(["a", 1, 1], dtype=object), "mixes numbers and texts"),
        (["a", "a\0"], "null character at row 1"),
        (np.array(["a", "a\0"], dtype=object), "null character at row 1"),
        (np.ma.masked_array([1, 2], mask=[0, 1]), "masked label at row 1"),
    ],
)
def test_labels_that_would_be_merged(power, y, said):
    with pytest.raises(ilk.InputError, match=f"power: y: .*{said}"):
        ilk.check_labels(power, y)


@pytest.mark.parametrize("missing", [np.nan, None, float("nan")])
def test_a_missing_label_among_texts_is_no_class(power, missing):
    for y in (["a", missing, "b"], ("a", missing, "b")):
        with pytest.raises(ilk.InputError, match="power: y: has NaN or None at row 1"):
            ilk.check_labels(power, y)


def test_polars_enums_keep_the_order_they_declare():
    column = pl.Series(["lo", "hi"], dtype=pl.Enum(["lo", "mid", "hi"]))
    table = ilk.as_table(pl.DataFrame({"a": column}))
    assert table["a"].cat.categories.tolist() == ["lo", "mid", "hi"]


@in_one_test
@pytest.mark.parametrize(
    "state", [0, 2**32 - 1, np.int64(7), None, np.random.RandomState(1), np.random.default_rng(1)]
)
def test_every_random_state_works(power, state):
    assert isinstance(ilk.check_seed(power, state), np.random.RandomState)


@in_one_test
@pytest.mark.parametrize("state", [-1, 2**32, 0.5, "0", True])
def test_other_random_states_are_named(power, state):
    with pytest.raises(ilk.ParameterError, match="power: random_state must be a random seed"):
        ilk.check_seed(power, state)


def test_seeds_are_repeatable(power):
    first, second = (ilk.check_seed(power, 5).random_sample(3) for _ in range(2))
    assert np.array_equal(first, second)


@in_one_test
@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1.0, np.nan], "got nan at row 1"),
        ([-1.0, 1.0], "got -1.0 at row 0"),
        ([0, 0], "must not be all 0"),
        ([1.0], "has 1 values for the 2 rows"),
        (["a", "b"], "must be numbers"),
        (["1", "2"], "must be numbers, got values of <U1"),
        ([1j, 1], "must be numbers, got values of complex128"),
        ([[1.0], [1.0]], "one dimension"),
    ],
)
def test_weights_that_are_none(power, weights, said):
    with pytest.raises(ilk.InputError, match=f"power: sample_weight .*{said}"):
        ilk.check_weights(power, weights, np.ones((2, 1)))


def test_weights_become_floats(power):
    assert ilk.check_weights(power, [1, 0], np.ones((2, 1))).tolist() == [1.0, 0.0]


def test_nested_polars_cells_stay_one_a_row():
    frame = pl.DataFrame({"s": [{"x": 1}, {"x": 2}], "l": [[1], [2, 3]]})
    table = ilk.as_table(frame)
    assert table.shape == (2, 2)
    assert table["s"].tolist() == [{"x": 1}, {"x": 2}]


def test_dates_and_ordered_categories_are_told_from_names(power):
    dates = pd.DataFrame({"when": pd.to_datetime(["2020-01-01", "2020-02-01"])})
    with pytest.raises(ilk.InputError, match="X has dates .'when'.; the transformer ordinal makes"):
        power.pairwise(dates)
    mixed = dates.assign(size=pd.Categorical(["s", "l"], ["s", "l"], ordered=True))
    message = (
        "nominal columns .'when', 'size'.*keeps the order of 'size'; dates .'when'. become days"
    )
    with pytest.raises(ilk.InputError, match=message):
        power.pairwise(mixed)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
def test_rows_are_taken_of_sparse_matrices_of_any_format(form):
    X = np.arange(12.0).reshape(4, 3)
    for matrix in (sp.csr_array(X).asformat(form), sp.csr_matrix(X).asformat(form)):
        np.testing.assert_array_equal(ilk.take(matrix, [3, 0]).toarray(), X[[3, 0]])
        np.testing.assert_array_equal(ilk.as_table(matrix).toarray(), X)


def test_saved_sparse_rows_with_wrong_indices_are_refused():
    from ilk.frames import decode_state, encode_state, frames_as_arrays

    with frames_as_arrays():
        state = encode_state({"X_": sp.csr_array(np.eye(3)), "n": 3})
    np.testing.assert_array_equal(decode_state(state)["X_"].toarray(), np.eye(3))
    state["X_"]["indices"][0] = 8
    with pytest.raises(ValueError, match="indices"):
        decode_state(state)
