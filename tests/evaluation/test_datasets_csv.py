"""The data set `csv`: what is read, and what a bad file gets."""

import gzip
import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test, unix_only

FRUIT = """\
weight,length,colour,class
152,7.5,red,apple
 171 ,,green,apple

118,19.25,?,banana
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="fruit.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def load(path, **parameters):
    return ilk.dataset("csv", path=path, **parameters).load()


def test_mixed_columns(write):
    data = load(write(FRUIT))
    assert data.feature_names == tuple(data.X.columns) == ("weight", "length", "colour")
    assert data.nominal == ("colour",)
    assert data.X["weight"].tolist() == [152, 171, 118]
    assert np.isnan(data.X["length"][1])
    assert data.X["colour"].dtype == "category"
    assert data.X["colour"].cat.categories.tolist() == ["green", "red"]
    assert data.X["colour"].isna().tolist() == [False, False, True]
    assert data.y.tolist() == ["apple", "apple", "banana"]


def test_numeric_columns_give_an_array(write):
    data = load(write(FRUIT), ignore=["colour"])
    assert isinstance(data.X, np.ndarray)
    assert data.X.dtype == np.float64
    np.testing.assert_array_equal(data.X, [[152, 7.5], [171, np.nan], [118, 19.25]])
    assert data.nominal == ()


def test_complete_rows_only(write):
    table = "a,b,class\n1,2,x\n,3,y\n4,5,\n6,7,y\n"
    data = load(write(table), missing="complete")
    np.testing.assert_array_equal(data.X, [[1, 2], [6, 7]])
    assert data.y.tolist() == ["x", "y"]


def test_cells_of_ignored_columns_do_not_make_a_row_incomplete(write):
    data = load(write("a,b,class\n1,,x\n2,3,y\n"), missing="complete", ignore=["b"])
    assert len(data) == 2


def test_gzip_and_byte_order_mark(write):
    path = write(gzip.compress(b"\xef\xbb\xbf" + FRUIT.encode()), "fruit.csv.gz")
    plain = load(write(FRUIT))
    assert load(path).fingerprint == plain.fingerprint
    assert load(path).name == plain.name == "fruit"


def test_delimiter_and_target(write):
    data = load(write("kind;a\nx;1\ny;2\n"), delimiter=";", target="kind")
    assert data.X.tolist() == [[1], [2]]
    assert data.y.tolist() == ["x", "y"]


def test_named_nominal_columns_may_look_like_numbers(write):
    data = load(write("zip,b,class\n10,1,x\n9,2,y\n10,3,y\n"), nominal=["zip"])
    assert data.nominal == ("zip",)
    assert data.X["zip"].cat.categories.tolist() == ["9", "10"]


def test_groups(write):
    data = load(write("a,who,class\n1,p,x\n2,p,y\n3,q,y\n"), groups="who")
    assert data.groups.tolist() == ["p", "p", "q"]
    assert data.feature_names == ("a",)


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["0", "1", "1"], [0, 1, 1]),
        (["-1", "1", "10"], [-1, 1, 10]),
        (["01", "1", "2"], ["01", "1", "2"]),
        (["1", "1.0", "2"], ["1", "1.0", "2"]),
        (["1", "b", "2"], ["1", "b", "2"]),
    ],
)
def test_labels_are_integers_if_all_are_written_so(write, cells, labels):
    table = "a,class\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells))
    assert load(write(table)).y.tolist() == labels


@given(
    st.lists(
        st.tuples(
            st.floats(allow_nan=False, allow_infinity=False) | st.none(),
            st.text(st.characters(codec="utf-8", categories=["L", "P"]), min_size=1)
            .map(lambda text: "v" + text)
            .filter(lambda text: text not in {"?", "NA"}),
        ),
        min_size=2,
        max_size=8,
    )
)
def test_what_pandas_writes_is_read(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    table = pd.DataFrame(rows, columns=["number", "name"])
    table["class"] = [i % 2 for i in range(len(rows))]
    table.to_csv(path, index=False)
    data = load(path, nominal=["name"])
    np.testing.assert_array_equal(data.X["number"], table["number"].to_numpy(dtype=float))
    assert data.X["name"].tolist() == table["name"].tolist()
    assert data.y.tolist() == table["class"].tolist()


@pytest.mark.parametrize(
    ("text", "parameters", "message"),
    [
        ("", {}, r"fruit\.csv: the file is empty"),
        ("\n\n", {}, r"fruit\.csv: the file is empty"),
        ("a,class\n", {}, r"fruit\.csv: .*header but no rows"),
        ("a,b\n1,x\n", {}, r"target names no column: 'class' \(columns: a, b\)"),
        ("a,clas\n1,x\n", {}, r"'class'; did you mean 'clas'\?"),
        (
            "a;class\n1;x\n",
            {"delimiter": ","},
            r"'class'; is the delimiter ';'\? \(columns: a;class\)",
        ),
        ("a;class\n1,5;x\n", {"delimiter": ","}, r"csv:2: the row has 2 cells, .* delimiter ';'\?"),
        ("a,class\n1,x\n", {"delimiter": ";"}, r"'class'; is the delimiter ','\?"),
        ("class\nx\ny\n", {}, r"no feature beside the target 'class'"),
        ("a,,class\n1,2,x\n", {}, r"fruit\.csv:1: column 2 .* no name"),
        ("a,class\n1,x\n\n2,y,3\n", {}, r"fruit\.csv:4: the row has 3 cells, the header 2"),
        ("a,class\n1,x\n2\n", {}, r"fruit\.csv:3: the row has 1 cell, the header 2"),
        ('a,class\n1,"x\ny"\n2\n', {}, r"fruit\.csv:4: the row has 1"),
        ('a,class\n1,"x\n', {}, r"fruit\.csv:2: not a delimited table"),
        ("a,class\n1,x\nI2,y\n", {}, r"fruit\.csv:3: column 'a': 'I2' is not a number"),
        ("a,class\n1,x\n1_0,y\n", {}, r"fruit\.csv:3: column 'a': '1_0' is not a number"),
        ("a,class\nr,x\ng,y\n", {"nominal": []}, r"fruit\.csv:2: column 'a': 'r' is not a num"),
        ("a,class\n1,x\n-inf,y\n", {}, r"fruit\.csv:3: column 'a': '-inf' is not a finite"),
        ("a,class\n1,x\n2,x\n", {}, r"column 'class' has one class only \('x'\)"),
        ("a,class\n1,x\n2,\n3,y\n", {}, r"fruit\.csv:3: .*no label \(1 row has .*missing = 'label"),
        ("a,class\n,x\n2,\n", {"missing": "complete"}, r"no row is complete"),
        ("a,g,class\n1,p,x\n2,?,y\n", {"groups": "g"}, r"fruit\.csv:3: column 'g': no group"),
        ("abc,class\n1,x\n", {"ignore": ["abd"]}, r"ignore .*'abd'; did you mean 'abc'\?"),
        ("abc,class\n1,x\n", {"nominal": ["abd"]}, r"nominal .*'abd'; did you mean 'abc'\?"),
        (
            b"a,class\n1,caf\xe9\n",
            {"encoding": "utf-8"},
            r"encoding = 'utf-8' does not fit: .*0xe9",
        ),
    ],
)
def test_bad_files_are_described(write, text, parameters, message):
    with pytest.raises(ilk.DataError, match=message):
        load(write(text), **parameters)


def test_absent_file_suggests_a_sibling(write):
    path = write(FRUIT).with_name("friut.csv")
    with pytest.raises(ilk.DataError, match=r"friut\.csv: cannot be read: No such file.*'fruit"):
        load(path)


def test_compression_is_told_by_the_first_bytes(write):
    plain = load(write(FRUIT))
    assert load(write(FRUIT, "fruit.csv.gz")).fingerprint == plain.fingerprint
    assert load(write(gzip.compress(FRUIT.encode()))).fingerprint == plain.fingerprint


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "argument"),
    [
        ({}, "path"),
        ({"path": "a.csv", "delimiter": ";;"}, "delimiter"),
        ({"path": "a.csv", "missing": "drop"}, "missing"),
        ({"path": "a.csv", "decimal": ",", "thousands": ","}, "thousands"),
        ({"path": "a.csv", "columns": ["a", "a"]}, "columns"),
        ({"path": "a.csv", "header": "yes"}, "header"),
        ({"path": "a.csv", "encoding": "utf-9"}, "encoding"),
        ({"path": "a.csv", "date_format": "iso"}, "date_format"),
        ({"path": "a.csv", "nominal": "atuo"}, "nominal"),
        ({"path": "a.csv", "ignore": ["class"]}, "ignore"),
        ({"path": "a.csv", "nominal": ["class"]}, "nominal"),
        ({"path": "a.csv", "groups": "class"}, "groups"),
        ({"path": "a.csv", "groups": "g", "ignore": ["g"]}, "ignore"),
    ],
)
def test_bad_parameters_are_named(parameters, argument):
    with pytest.raises(ilk.ParameterError, match=f"csv: {argument} ") as caught:
        ilk.dataset("csv", **parameters)
    assert caught.value.argument == argument


def test_title_and_spec(write):
    path = write(FRUIT)
    dataset = ilk.dataset("csv", path=path, missing="complete")
    assert dataset.title() == "fruit (complete)"
    spec = ilk.to_spec(dataset)
    assert spec == {"use": "csv", "path": str(path), "missing": "complete"}
    assert ilk.build(spec, kind="dataset").path == str(path)


def test_long_texts_are_read(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("text,class\n" + "x" * 200_000 + ",a\nshort,b\n")
    data = ilk.dataset("csv", path=path, nominal=["text"]).load()
    assert len(str(data.X["text"].iloc[0])) == 200_000


def test_a_folder_is_not_suggested_for_itself(tmp_path):
    (tmp_path / "table").mkdir()
    with pytest.raises(ilk.DataError, match="Is a directory$"):
        ilk.dataset("csv", path=tmp_path / "table").load()


@unix_only
def test_pipes_and_devices_are_no_files(tmp_path):
    """They may never end."""
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for use in ("csv", "arff", "parquet"):
        for path in (pipe, "/dev/zero"):
            with pytest.raises(ilk.DataError, match="is a device or a pipe, not a file"):
                ilk.dataset(use, path=path).load()
    (tmp_path / "datasets.toml").symlink_to("/dev/zero")
    with pytest.raises(ilk.DataError, match="is a device or a pipe, not a file"):
        ilk.dataset("folder", name="a", path=tmp_path).load()


def test_a_file_inflates_up_to_a_limit(tmp_path):
    text = b"a,class\n" + b"1,x\n2,y" + b" " * 2**20
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text))
    with pytest.raises(ilk.DataError, match=r"a\.csv\.gz: inflates to more than inflated_mb = 1 "):
        ilk.dataset("csv", path=tmp_path / "a.csv.gz", inflated_mb=1).load()
    assert len(ilk.dataset("csv", path=tmp_path / "a.csv.gz", inflated_mb=2).load()) == 2
