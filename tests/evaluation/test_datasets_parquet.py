"""The data set `parquet`: types of columns, missing values, and what a bad file gets."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk_evaluation.datasets.table_file import EXAMPLE

pa = pytest.importorskip("pyarrow", reason="Parquet is read by pyarrow")


@pytest.fixture
def write(tmp_path):
    def write(table, name="fruit.parquet"):
        path = tmp_path / name
        pd.DataFrame(table).to_parquet(path)
        return path

    return write


def load(path, **parameters):
    return ilk.dataset("parquet", path=path, **parameters).load()


def test_types_of_columns(write):
    data = load(
        write(
            {
                "count": [3, 1, 2],
                "maybe": pd.array([1, None, 3], dtype="Int64"),
                "flag": [True, False, True],
                "size": pd.Categorical(["mid", "big", None], ["small", "mid", "big"]),
                "colour": ["red", None, "green"],
                "class": ["a", "b", "b"],
            }
        )
    )
    assert data.nominal == ("size", "colour")
    assert data.X["count"].tolist() == [3, 1, 2]
    np.testing.assert_array_equal(data.X["maybe"], [1, np.nan, 3])
    assert data.X["flag"].tolist() == [1, 0, 1]
    assert data.X["size"].cat.categories.tolist() == ["small", "mid", "big"]
    assert data.X["colour"].cat.categories.tolist() == ["green", "red"]
    assert data.X["colour"].isna().tolist() == [False, True, False]
    assert data.y.tolist() == ["a", "b", "b"]


@given(st.lists(st.floats(allow_infinity=False), min_size=2, max_size=6), st.booleans())
def test_numbers_are_read_exactly(tmp_path_factory, values, narrow):
    path = tmp_path_factory.mktemp("parquet") / "t.parquet"
    dtype = np.float32 if narrow else np.float64
    with np.errstate(over="ignore"):
        column = np.nan_to_num(np.array(values).astype(dtype), posinf=1, neginf=-1, nan=np.nan)
    frame = pd.DataFrame({"a": column, "b": column[::-1].copy(), "class": np.arange(len(column))})
    frame.to_parquet(path)
    data = load(path)
    assert data.X.dtype == dtype
    np.testing.assert_array_equal(data.X, frame[["a", "b"]].to_numpy())


@pytest.mark.parametrize(
    "labels",
    [["u", "v"], [-1, 1], [True, False], pd.Categorical(["x", "y"]), pd.Categorical([2, 1])],
)
def test_labels_keep_their_type(write, labels):
    data = load(write({"a": [1.0, 2.0], "class": labels}))
    assert data.y.tolist() == list(labels)
    assert data.y.dtype != object


def test_complete_rows_groups_and_ignored_columns(write):
    table = {
        "a": [1.0, None, 3.0, 4.0],
        "b": [None, 1.0, 1.0, 1.0],
        "who": ["p", "p", "q", None],
        "class": pd.array([1, 0, 0, 1], dtype="Int64"),
    }
    data = load(write(table), missing="complete", ignore=["b"], groups="who")
    np.testing.assert_array_equal(data.X, [[1], [3]])
    assert data.y.tolist() == [1, 0]
    assert data.groups.tolist() == ["p", "q"]


def test_integers_named_nominal_are_sorted_as_numbers(write):
    data = load(write({"zip": [10, 9, 10], "class": [1, 2, 2]}), nominal=["zip"])
    assert data.nominal == ("zip",)
    assert data.X["zip"].cat.categories.tolist() == [9, 10]


@pytest.mark.parametrize("labels", [[2**64 - 1, 2**64 - 2], [-(2**63), 2**63 - 1]])
def test_the_largest_integers_stay_apart(write, labels):
    assert load(write({"a": [1.0, 2.0], "class": labels})).y.tolist() == labels


def test_the_index_is_no_feature(write):
    frame = pd.DataFrame({"a": [1.0, 2.0], "class": ["x", "y"]}, index=["r1", "r2"])
    assert load(write(frame)).feature_names == ("a",)


GOOD = {"a": [1.0, 2.0], "class": ["x", "y"]}


@pytest.mark.parametrize(
    ("table", "parameters", "message"),
    [
        (GOOD, {"target": "clas"}, r"target names no column: 'clas'; did you mean 'class'\?"),
        (GOOD, {"ignore": ["b"]}, r"ignore names no column: 'b' \(columns: a, class\)"),
        (GOOD, {"nominal": ["b"]}, r"nominal names no column: 'b'"),
        (GOOD, {"ignore": ["a"]}, r"no feature beside the target 'class'"),
        ({"a": [], "class": []}, {}, r"the file has no rows"),
        ({"a": [1.0, np.inf], "class": [0, 1]}, {}, r"column 'a', row 1: inf is not a finite"),
        ({"a": [1, 2], "class": ["x", "x"]}, {}, r"column 'class' has one class only \('x'\)"),
        (
            {"a": [1, 2], "class": ["x", None]},
            {},
            r"'class', row 1: no label \(1 row has .*labelled",
        ),
        ({"a": [1, 2], "class": [np.inf, 1.0]}, {}, r"'class': a label must be text, an integer"),
        ({"a": [b"r", b"s"], "class": [0, 1]}, {}, r"column 'a' of type .* numeric; list it in ig"),
        ({"a": ["r", "s"], "class": [0, 1]}, {"nominal": []}, r"column 'a' of type \w+ is not nu"),
        ({"a": [timedelta(1)] * 2, "class": [0, 1]}, {}, r"column 'a' of type .* ignore"),
        ({"a": [[1], [2]], "class": [0, 1]}, {"nominal": ["a"]}, r"'a' of type .* cannot be nom"),
        ({"a": [None, None], "class": [0, 1]}, {"missing": "complete"}, r"no row is complete"),
    ],
)
def test_bad_tables_are_described(write, table, parameters, message):
    with pytest.raises(ilk.DataError, match=rf"fruit\.parquet: .*{message}"):
        load(write(table), **parameters)


def test_floats_are_the_target_of_a_regression(write):
    data = load(write({"a": [1, 2], "class": [0.5, 1e300]}))
    assert data.task == "regression"
    assert data.y.tolist() == [0.5, 1e300]
    assert not len(data.classes)


def test_other_files_are_refused(tmp_path, write):
    path = tmp_path / "fruit.parquet"
    path.write_text("a,class\n1,x\n")
    with pytest.raises(ilk.DataError, match=r"fruit\.parquet: cannot be read as Parquet"):
        load(path)
    with pytest.raises(ilk.DataError, match="cannot be read: No such file.*'fruit"):
        load(path.with_name("friut.parquet"))


def test_without_pyarrow_the_error_says_what_to_install(write, monkeypatch):
    path = write(GOOD)
    monkeypatch.setattr("ilk_evaluation.datasets.parquet_file.find_spec", lambda _: None)
    with pytest.raises(ilk.DataError, match=r"pip install pyarrow"):
        load(path)


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "argument"),
    [
        ({}, "path"),
        ({"path": "a.parquet", "ignore": ["class"]}, "ignore"),
        ({"path": "a.parquet", "nominal": ["class"]}, "nominal"),
        ({"path": "a.parquet", "groups": "class"}, "groups"),
        ({"path": "a.parquet", "groups": "g", "ignore": ["g"]}, "ignore"),
    ],
)
def test_bad_parameters_are_named(parameters, argument):
    with pytest.raises(ilk.ParameterError, match=f"parquet: {argument} ") as caught:
        ilk.dataset("parquet", **parameters)
    assert caught.value.argument == argument


def test_what_pandas_noted_in_the_file_may_be_wrong(tmp_path):
    """pandas looks up in its notes what need not be there; texts may be no UTF-8."""
    raw = (EXAMPLE / "fruit.parquet").read_bytes()
    path = tmp_path / "a.parquet"
    for old, new in ((b"numpy_type", b"numpy_typo"), (b"apple", b"app\xe0\xff")):
        assert old in raw
        path.write_bytes(raw.replace(old, new))
        with pytest.raises(ilk.DataError, match=r"a\.parquet: cannot be read as Parquet"):
            ilk.dataset("parquet", path=path).load()


def test_dates_are_days(write):
    table = {
        "a": [date(1970, 1, 2), None, date(1969, 12, 31)],
        "b": [datetime(1970, 1, 1, 12), datetime(1970, 1, 2), None],  # noqa: DTZ001  # as pandas
        "class": [0, 1, 1],
    }
    data = load(write(table))
    assert data.dates == ("a", "b")
    np.testing.assert_array_equal(data.X, [[1, 0.5], [np.nan, 1], [-1, np.nan]])


def test_target_by_position_labelled_rows_and_rows_to_predict(write):
    path = write({"a": [1.0, 2.0, 3.0], "b": ["x", "y", None]})
    data = load(path, target=-1, missing="labelled")
    assert data.X.tolist() == [[1], [2]]
    assert data.y.tolist() == ["x", "y"]
    assert load(path, target="b", labels="unknown").X.tolist() == [[1], [2], [3]]
    with pytest.raises(ilk.DataError, match="target = 2 is no position of 2 columns"):
        load(path, target=2)


def test_texts_that_look_like_numbers_are_noted(write):
    data = load(write({"a": ["39,1", "40,2"], "class": [0, 1]}))
    assert "a decimal comma, such as '39,1', but is read as categories" in data.notes[0]
