"""Select: columns by name, position or pattern, in the order of the choice."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test


def select(*columns):
    return ilk.transformer("select", columns=list(columns))


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "level0_a": np.array([1.0, np.nan, 3.0], dtype=np.float32),
            "kind": pd.Categorical(["x", None, "y"]),
            "level0_b": [4, 5, 6],
            "level1_a": [7.0, 8.0, np.inf],
        },
        index=[30, 10, 20],
    )


@in_one_test
@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (["level1_a", "kind"], ["level1_a", "kind"]),
        ([-1, 0], ["level1_a", "level0_a"]),
        (["level0_*"], ["level0_a", "level0_b"]),
        (["*_a", "kind"], ["level0_a", "level1_a", "kind"]),
        (["level?_b", "level0_*"], ["level0_b", "level0_a"]),
        (["kind", "kind", 1], ["kind"]),
        (["*"], ["level0_a", "kind", "level0_b", "level1_a"]),
    ],
)
def test_columns_in_the_order_of_the_choice(table, columns, expected):
    model = select(*columns).fit(table)
    out = model.transform(table)
    pd.testing.assert_frame_equal(out, table[expected])  # cells, dtypes and index as they were
    assert model.get_feature_names_out().tolist() == expected


def test_a_name_that_looks_like_a_pattern_is_a_name():
    X = pd.DataFrame([[1, 2]], columns=["a*", "ab"])
    assert list(select("a*").fit_transform(X)) == ["a*"]


def test_names_of_columns_may_be_numbers():
    X = pd.DataFrame([[1.0, 2.0, 3.0]], columns=[2, 0, 1])
    assert select(2, 1).fit_transform(X).to_numpy().tolist() == [[1.0, 3.0]]


def test_arrays():
    X = np.arange(12, dtype=np.float32).reshape(3, 4)
    for columns in ([3, 0], [-1, -4], ["x3", "x0"]):
        model = select(*columns).fit(X)
        out = model.transform(X)
        assert out.dtype == np.float32
        assert np.array_equal(out, X[:, [3, 0]])
        assert model.get_feature_names_out().tolist() == ["x3", "x0"]


def test_arrays_of_texts_and_numbers():
    X = np.array([["a", 1.5], ["b", 2.5]], dtype=object)
    assert select(1, 0).fit_transform(X).tolist() == [[1.5, "a"], [2.5, "b"]]


def test_polars():
    X = pl.DataFrame({"a_1": [1.0], "b": ["x"], "a_2": [2.0]})
    out = select("a_*").fit(X).transform(X)
    assert isinstance(out, pd.DataFrame)
    assert list(out) == ["a_1", "a_2"]


def test_one_row_and_a_pipeline_that_asks_for_names(table):
    one = {"use": "knn", "k": 1}
    steps = [
        {"transformer": {"use": "select", "columns": ["level0_b", "level0_a"]}},
        {"transformer": "impute"},
        {"classifier": {"use": "concatenated", "views": {"v": ["level0_*"]}, "member": one}},
    ]
    model = ilk.Pipeline(steps).fit(table, ["p", "q", "p"])
    assert model.predict(table.iloc[[1]]).tolist() == ["q"]


@in_one_test
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([], "select: columns must name at least one column, got none"),
        (["levl0_a"], "columns names 'levl0_a', which X does not have; did you mean 'level0_a'"),
        (["level7*"], r"columns names 'level7\*', which X does not have"),
        ([4], "columns names 4, which X does not have"),
        ([-5], "columns names -5, which X does not have"),
        ([1.5], "columns .*1.5"),
        ("level0_a", "columns must be a list"),
    ],
)
def test_what_is_no_column_is_refused(table, columns, message):
    with pytest.raises(ilk.ParameterError, match=message):
        ilk.transformer("select", columns=columns).fit(table)


def test_queries_must_have_the_columns_of_training(table):
    model = select("kind").fit(table)
    with pytest.raises(ilk.InputError, match="select: X"):
        model.transform(table.drop(columns="level0_b"))
    with pytest.raises(ilk.InputError, match="select"):
        select(0).fit(np.ones((2, 3))).transform(np.ones((2, 4)))


@given(st.lists(st.integers(-5, 4), min_size=1, max_size=8))
def test_as_numpy_takes_them(columns):
    X = np.arange(10.0).reshape(2, 5)
    once = list(dict.fromkeys(c % 5 for c in columns))
    assert np.array_equal(select(*columns).fit_transform(X), X[:, once])
