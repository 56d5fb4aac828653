"""one_hot and ordinal."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

import ilk
from cases import in_one_test

BOTH = pytest.mark.parametrize("name", ["one_hot", "ordinal"])


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "color": pd.Categorical(["red", "blue", "red"], categories=["red", "green", "blue"]),
            "size": [1.5, 2.5, 3.5],
            "shape": ["round", "flat", "flat"],
            "sold": [True, False, True],
        },
        index=[7, 8, 9],
    )


def test_one_hot_worked(frame):
    encoder = ilk.transformer("one_hot").fit(frame)
    assert encoder.get_feature_names_out().tolist() == [
        "color_red",
        "color_green",
        "color_blue",
        "size",
        "shape_flat",
        "shape_round",
        "sold",
    ]
    assert encoder.transform(frame).tolist() == [
        [1, 0, 0, 1.5, 0, 1, 1],
        [0, 0, 1, 2.5, 1, 0, 0],
        [1, 0, 0, 3.5, 1, 0, 1],
    ]


def test_ordinal_worked(frame):
    encoder = ilk.transformer("ordinal").fit(frame)
    assert encoder.transform(frame).tolist() == [[0, 1.5, 1, 1], [2, 2.5, 0, 0], [0, 3.5, 0, 1]]
    assert encoder.get_feature_names_out().tolist() == ["color", "size", "shape", "sold"]
    assert encoder.categories_ == {0: ["red", "green", "blue"], 2: ["flat", "round"]}


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), min_size=1))
def test_agree_with_sklearn(rows):
    X = np.array(rows, dtype=object)
    one_hot = OneHotEncoder(sparse_output=False).fit_transform(X)
    assert np.array_equal(ilk.transformer("one_hot").fit_transform(X), one_hot)
    assert np.array_equal(
        ilk.transformer("ordinal").fit_transform(X), OrdinalEncoder().fit_transform(X)
    )


def test_declared_categories_that_training_lacks_are_no_surprise(frame):
    encoder = ilk.transformer("one_hot").fit(frame[["color"]].iloc[:1])
    assert encoder.transform(frame[["color"]].iloc[1:2]).tolist() == [[0, 0, 1]]


def test_categories_need_not_be_declared_in_the_same_order(frame):
    encoder = ilk.transformer("ordinal").fit(frame)
    other = frame.assign(color=frame["color"].cat.reorder_categories(["blue", "red", "green"]))
    assert np.array_equal(encoder.transform(other), encoder.transform(frame))


@BOTH
def test_unseen_category_is_an_error_that_names_the_cell(name, frame):
    encoder = ilk.transformer(name).fit(frame)
    frame.loc[8, "shape"] = "flatt"
    expected = "unseen category 'flatt' in column 'shape' at row 1; did you mean 'flat'"
    with pytest.raises(ilk.InputError, match=expected):
        encoder.transform(frame)


def test_unseen_category_let_through(frame):
    changed = frame.assign(shape=["oval", "flat", "round"])
    zeros = ilk.transformer("one_hot", unseen="zeros").fit(frame).transform(changed)
    assert zeros[:, 4:6].tolist() == [[0, 0], [1, 0], [0, 1]]
    number = ilk.transformer("ordinal", unseen=-1).fit(frame).transform(changed)
    assert number[:, 2].tolist() == [-1, 0, 1]


@BOTH
def test_missing_value_is_an_error_that_names_the_cell(name, frame):
    frame.loc[9, "color"] = None
    with pytest.raises(ilk.InputError, match="missing value in column 'color' at row 2"):
        ilk.transformer(name).fit(frame).transform(frame)


@BOTH
def test_missing_number_is_an_error(name, frame):
    frame.loc[9, "size"] = np.nan
    with pytest.raises(ilk.InputError, match="column 'size', has NaN at row 2"):
        ilk.transformer(name).fit(frame)


def test_missing_value_let_through(frame):
    frame["shape"] = ["round", None, "flat"]
    zeros = ilk.transformer("one_hot", missing="zeros").fit_transform(frame)
    assert zeros[:, 4:6].tolist() == [[0, 1], [0, 0], [1, 0]]
    encoder = ilk.transformer("one_hot", missing="category").fit(frame)
    assert encoder.get_feature_names_out()[4:7].tolist() == [
        "shape_flat",
        "shape_round",
        "shape_None",
    ]
    assert encoder.transform(frame)[:, 4:7].tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    kept = ilk.transformer("ordinal", missing="keep").fit_transform(frame)
    assert np.array_equal(kept[:, 2], [1, np.nan, 0], equal_nan=True)
    number = ilk.transformer("ordinal", missing=9).fit_transform(frame)
    assert number[:, 2].tolist() == [1, 9, 0]


def test_missing_category_that_training_lacked_is_unseen(frame):
    encoder = ilk.transformer("one_hot", missing="category").fit(frame)
    frame.loc[8, "shape"] = None
    with pytest.raises(ilk.InputError, match="missing value in column 'shape' at row 1"):
        encoder.transform(frame)


@BOTH
def test_chosen_columns(name):
    X = np.array([[3, 0.5], [1, 0.25], [3, 0.0]])
    encoder = ilk.transformer(name, columns=[0]).fit(X)
    assert encoder.categories_ == {0: [1, 3]}
    expected = [[0, 1, 0.5], [1, 0, 0.25], [0, 1, 0]]
    if name == "ordinal":
        expected = [[1, 0.5], [0, 0.25], [1, 0]]
    assert encoder.transform(X).tolist() == expected


def test_chosen_columns_must_exist_and_cover_the_nominal_ones(frame):
    with pytest.raises(ilk.ParameterError, match="'colour'.*did you mean 'color'"):
        ilk.transformer("one_hot", columns=["colour"]).fit(frame)
    with pytest.raises(ilk.InputError, match="not among those to encode: 'shape'"):
        ilk.transformer("one_hot", columns=["color"]).fit(frame)


@BOTH
def test_numbers_pass_through(name):
    X = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)
    Z = ilk.transformer(name).fit_transform(X)
    assert Z.dtype == np.float32
    assert np.array_equal(Z, X)


@BOTH
def test_polars(name, frame):
    frame["color"] = frame["color"].astype(object)
    expected = ilk.transformer(name).fit_transform(frame.reset_index(drop=True))
    table = pl.DataFrame({column: frame[column].tolist() for column in frame.columns})
    assert np.array_equal(ilk.transformer(name).fit_transform(table), expected)


@BOTH
def test_other_columns_than_in_training(name, frame):
    encoder = ilk.transformer(name).fit(frame)
    with pytest.raises(ilk.InputError, match="feature names"):
        encoder.transform(frame.rename(columns={"size": "length"}))
    with pytest.raises(ilk.InputError, match="'size', is of type .* numeric in training"):
        encoder.transform(frame.assign(size=["a", "b", "c"]))


@BOTH
def test_empty_table(name, frame):
    with pytest.raises(ilk.InputError, match="0 rows"):
        ilk.transformer(name).fit(frame.iloc[:0])


@in_one_test
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([True, 1, "x"], [1, True, "x"]),
        ([0, False, 1, True], [0, 1, False, True]),
        ([1, 1.0, "1"], [1, "1"]),
        ([True, "True"], [True, "True"]),
    ],
)
@pytest.mark.parametrize("name", ["one_hot", "ordinal"])
def test_equal_values_of_different_meaning_are_different_categories(name, cells, expected):
    frame = pd.DataFrame({"a": cells}, dtype=object)
    encoder = ilk.transformer(name, columns=["a"]).fit(frame)
    assert list(map(repr, encoder.categories_[0])) == list(map(repr, expected))
    codes = encoder.transform(pd.DataFrame({"a": expected}, dtype=object))
    places = codes[:, 0] if name == "ordinal" else codes.argmax(axis=1)
    assert places.tolist() == list(range(len(expected)))


def test_true_is_unseen_where_one_was_trained():
    encoder = ilk.transformer("one_hot").fit(pd.DataFrame({"a": [1, "x"]}, dtype=object))
    with pytest.raises(ilk.InputError, match="unseen category True"):
        encoder.transform(pd.DataFrame({"a": [True, "x"]}, dtype=object))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"a": ["b_c"], "a_b": ["c"]}, ["a_b_c", "a_b_c_2"]),
        ({"a": ["b", "c"], "a_b": [1, 2]}, ["a_b_2", "a_c", "a_b"]),
        ({"a": [1, "1", "1_2"]}, ["a_1", "a_1_2", "a_1_2_2"]),
    ],
)
def test_names_do_not_collide(table, expected):
    encoder = ilk.transformer("one_hot").fit(pd.DataFrame(table))
    assert encoder.get_feature_names_out().tolist() == expected
    framed = encoder.set_output(transform="pandas").transform(pd.DataFrame(table))
    assert framed.columns.is_unique


def test_numbers_of_type_object_are_told_their_type():
    for name in ("one_hot", "ordinal"):
        encoder = ilk.transformer(name).fit(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
        again = pd.DataFrame({"a": np.array([1, 2], dtype=object), "b": ["x", "y"]})
        with pytest.raises(ilk.InputError, match="'a', is of type object, was numeric in training"):
            encoder.transform(again)


@pytest.mark.parametrize("name", ["ordinal", "one_hot"])
def test_dates_are_numbers_of_days_unless_they_are_named(name):
    when = pd.to_datetime(["1970-01-02", "1970-01-11", "1970-01-02"])
    X = pd.DataFrame({"when": when, "size": ["s", "l", "s"]})
    encoder = ilk.transformer(name).fit(X)
    np.testing.assert_array_equal(encoder.transform(X)[:, 0], [1, 10, 1])
    assert list(encoder.categories_) == [1]
    named = ilk.transformer(name, columns=["when", "size"]).fit(X)
    assert list(named.categories_) == [0, 1]


@pytest.mark.parametrize("drop", [None, "first", "if_binary"])
def test_dropped_categories_are_those_of_scikit_learn(drop):
    from sklearn.preprocessing import OneHotEncoder

    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.choice(["u", "v"], 30), "b": rng.choice(["p", "q", "r"], 30)})
    ours = ilk.transformer("one_hot", drop=drop).fit(X)
    theirs = OneHotEncoder(drop=drop, sparse_output=False).fit(X)
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert ours.origins_.tolist() == sorted(ours.origins_)
    assert len(ours.origins_) == {None: 5, "first": 3, "if_binary": 4}[drop]


def test_dropping_counts_a_category_of_missing_values():
    X = pd.DataFrame({"a": ["u", None, "v"], "b": [1.0, 2.0, 3.0], "c": ["s", "s", "s"]})
    encoder = ilk.transformer("one_hot", drop="if_binary", missing="category", unseen="zeros")
    assert encoder.fit(X).get_feature_names_out().tolist() == ["a_u", "a_v", "a_None", "b", "c_s"]
    encoder = ilk.transformer("one_hot", drop="first", missing="category", unseen="zeros").fit(X)
    np.testing.assert_array_equal(encoder.transform(X), [[0, 0, 1], [0, 1, 2], [1, 0, 3]])


def test_ranks_of_ordered_categories():
    size = pd.Categorical(["s", "l", None], ["s", "m", "l"], ordered=True)
    X = pd.DataFrame({"size": size, "color": ["red", "blue", "red"], "size_s": [1.0, 2.0, 3.0]})
    encoder = ilk.transformer("one_hot", ordered="ranks", missing="category", drop="first").fit(X)
    assert encoder.get_feature_names_out().tolist() == ["size", "color_red", "size_s"]
    np.testing.assert_array_equal(encoder.transform(X), [[0, 1, 1], [2, 0, 2], [-1, 1, 3]])
    with pytest.raises(ilk.InputError, match=r"one_hot: X has a missing value in column .size."):
        ilk.transformer("one_hot", ordered="ranks").fit(X).transform(X)
