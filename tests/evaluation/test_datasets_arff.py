"""The data set `arff`: beside scipy's reader, what the format allows, and what a bad file gets."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import arff as scipys

import ilk
from cases import in_one_test

FRUIT = """\
% a comment
@RELATION 'some fruit'

@Attribute weight\tREAL
@attribute 'its length' integer
@attribute colour {yellow, red, 'dark green'}
@attribute class {apple,banana}
@data
152, 7, red, apple
% another
171,?, 'dark green' ,apple

118, 19.25, ?, banana
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="fruit.arff"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def load(path, **parameters):
    return ilk.dataset("arff", path=path, **parameters).load()


def header(*attributes):
    return "@relation r\n" + "".join(f"@attribute {one}\n" for one in attributes) + "@data\n"


def test_mixed_columns(write):
    data = load(write(FRUIT))
    assert (data.name, data.description) == ("fruit", "some fruit")
    assert data.feature_names == tuple(data.X.columns) == ("weight", "its length", "colour")
    assert data.nominal == ("colour",)
    assert data.X["weight"].tolist() == [152, 171, 118]
    np.testing.assert_array_equal(data.X["its length"], [7, np.nan, 19.25])
    assert data.X["colour"].astype(object).tolist()[:2] == ["red", "dark green"]
    assert data.X["colour"].isna().tolist() == [False, False, True]
    assert data.y.tolist() == ["apple", "apple", "banana"]


def test_declared_values_keep_their_order_even_unused(write):
    data = load(write(header("size {small, mid, big}", "class {0,1}") + "big,0\nsmall,1\n"))
    assert data.X["size"].cat.categories.tolist() == ["small", "mid", "big"]
    assert data.X["size"].cat.codes.tolist() == [2, 0]
    assert data.y.tolist() == [0, 1]


def test_the_same_table_as_in_other_files():
    folder = __import__("ilk_evaluation.datasets.csv_file", fromlist=["EXAMPLE"]).EXAMPLE
    read = {
        kind: ilk.dataset(kind, path=folder / f"fruit.{kind}").load()
        for kind in ("csv", "arff", "parquet")
    }
    for kind in ("arff", "parquet"):
        pd.testing.assert_frame_equal(read[kind].X, read["csv"].X)
        assert read[kind].y.tolist() == read["csv"].y.tolist()
        assert read[kind].fingerprint == read["csv"].fingerprint


def test_numeric_attributes_give_an_array(write):
    data = load(write(FRUIT), ignore=["colour"], missing="complete")
    assert isinstance(data.X, np.ndarray)
    np.testing.assert_array_equal(data.X, [[152, 7], [118, 19.25]])


def test_sparse_rows(write):
    text = header("a numeric", "b {x, y, 'z,}'}", "c numeric", "class {no, yes}")
    data = load(write(text + "{0 3, 3 yes}\n{}\n{ 1 'z,}' , 2 ? }\n{2 -1.5,1 y,3 no}\n"))
    np.testing.assert_array_equal(data.X["a"], [3, 0, 0, 0])
    assert data.X["b"].tolist() == ["x", "x", "z,}", "y"]
    np.testing.assert_array_equal(data.X["c"], [0, 0, np.nan, -1.5])
    assert data.y.tolist() == ["yes", "no", "no", "no"]


def test_quotes_and_escapes(write):
    text = header(r"'a \'b\' % c' {'x, y', \"it's\", '?', 'a\tb'}".replace(r"\"", '"'), "k {0,1}")
    data = load(write(text + "'x, y',0\n\"it's\",1\n'?',1\n?,0\n'a\\tb',0\n"))
    assert data.feature_names == ("a 'b' % c",)
    column = data.X.iloc[:, 0]
    assert column.isna().tolist() == [False, False, False, True, False]
    assert column.dropna().tolist() == ["x, y", "it's", "?", "a\tb"]


def test_comments_end_lines_but_not_quotes_and_values(write):
    """Wherever Weka's reader has them, but for a sign that is part of a value."""
    text = """\
  % alone
@relation r % of what
@attribute 'a % b' real % in 'cm'
@attribute share {50%, '5 % of', "x % \\" % y"} % in "per cent
@attribute class {p,q}% two
@data % now
1, 50%, p % it's
2, '5 % of', q %
% 3, 50%, p
{0 3, 1 "x % \\" % y"} % sparse
{2 q}% sparse
"""
    data = load(write(text))
    assert data.feature_names == ("a % b", "share")
    assert data.description == "r"
    assert data.X.to_numpy().tolist() == [
        [1, "50%"],
        [2, "5 % of"],
        [3, 'x % " % y'],
        [0, "50%"],
    ]
    assert data.y.tolist() == ["p", "q", "p", "q"]
    words = load(write(header("s string", "c {p,q}") + "O'Neill,p % he's\nb,q\n"))
    assert words.X == ["O'Neill", "b"]


def test_a_single_string_is_a_text(write):
    text = header("message string", "class {ham, spam}")
    data = load(write(text + "'hello, you',ham\nO'Neill,ham\n'win\\n now',spam\n"))
    assert data.X == ["hello, you", "O'Neill", "win\n now"]
    assert data.nominal == ()


def test_target_groups_and_gzip(write):
    text = FRUIT.replace("class {apple,banana}", "who {p,q}").replace("apple", "p")
    text = text.replace("banana", "q").replace("118, 19.25, ?", "118, 19.25, yellow")
    path = write(gzip.compress(text.replace("\n", "\r\n").encode()), "f.arff.gz")
    data = load(path, target="colour", groups="who")
    assert data.y.tolist() == ["red", "dark green", "yellow"]
    assert data.groups.tolist() == ["p", "p", "q"]
    assert data.feature_names == ("weight", "its length")
    assert ilk.dataset("arff", path=path, missing="complete").title() == "f (complete)"


names = st.text("abcXYZ_-09", min_size=1, max_size=6).map(lambda s: f"v{s}w")


@given(st.data())
def test_scipy_reads_the_same(tmp_path_factory, draw):
    values = draw.draw(st.lists(names, min_size=2, max_size=4, unique=True))
    number = st.none() | st.floats(-1e9, 1e9)
    rows = draw.draw(
        st.lists(
            st.tuples(number, st.none() | st.sampled_from(values), number, st.sampled_from("ab")),
            min_size=2,
            max_size=6,
        )
    )
    if len({row[-1] for row in rows}) < 2:
        rows = [(*rows[0][:3], "a"), (*rows[1][:3], "b")]
    text = header("n1 numeric", f"k {{{','.join(values)}}}", "'n 2' real", "c {a,b}")
    for row in rows:
        cells = ["?" if c is None else str(c) for c in row]
        text += ",".join(cells) + "\n"
    path = tmp_path_factory.mktemp("arff") / "t.arff"
    path.write_text(text)
    ours = load(path)
    theirs, meta = scipys.loadarff(path)
    assert ours.feature_names == tuple(meta.names())[:-1]
    np.testing.assert_array_equal(ours.X["n1"], theirs["n1"])
    np.testing.assert_array_equal(ours.X["n 2"], theirs["n 2"])
    nominal = [v.decode() for v in theirs["k"]]
    assert [
        "?" if v is None else v for v in ours.X["k"].astype(object).where(ours.X["k"].notna(), None)
    ] == nominal
    assert ours.y.tolist() == [v.decode() for v in theirs["c"]]


AB = header("a numeric", "b {x,y}", "class {0,1}")


@pytest.mark.parametrize("kind", ["real", "integer", "numeric"])
def test_equal_numbers_are_one_class_and_one_group(write, kind):
    written = ["1", "1.0", " 1e0", "+1", "-2", "-2.00", "0", "-0.0"]
    text = header(f"g {kind}", "a real", f"c {kind}") + "".join(f"{w},0,{w}\n" for w in written)
    data = load(write(text), groups="g")
    assert data.y.tolist() == data.groups.tolist() == [1, 1, 1, 1, -2, -2, 0, 0]
    text = header("a real", f"c {kind}") + "0,0.50\n0,5e-1\n0,2\n"
    assert load(write(text)).y.tolist() == ["0.5", "0.5", "2"]
    big = 2**53 + 1
    text = header("a real", f"c {kind}") + f"0,{big}\n0,{big - 1}\n"
    assert load(write(text)).y.tolist() == [big, big - 1]


@pytest.mark.parametrize(
    ("text", "parameters", "message"),
    [
        ("", {}, r"fruit\.arff: no ARFF file: it has no @data"),
        ("a,b\n1,2\n", {}, r"fruit\.arff:1: expected @relation, @attribute or @data, got 'a,b'"),
        ("@relation r\n@data\n1\n", {}, r"fruit\.arff: no @attribute before @data"),
        (AB, {}, r"fruit\.arff: the file has no rows after @data"),
        (AB + "1,x\n", {}, r"fruit\.arff:6: the row has 2 values, there are 3 attributes"),
        (AB + "1,x,0\none,x,1\n", {}, r"fruit\.arff:7: attribute 'a': 'one' is not a number"),
        (AB + "1,x,0\n'2',z,1\n", {}, r"fruit\.arff:7: attribute 'b': 'z' is none of its 2"),
        (AB + "1,x,0\ninf,x,1\n", {}, r"fruit\.arff:7: column 'a': 'inf' is not a finite"),
        (AB + "1,x,0\ninf,x,1\n", {"target": "a"}, r"fruit\.arff:7: column 'a': 'inf' is not a fi"),
        (AB + "{0 1', 2 1}\n", {}, r"fruit\.arff:6: attribute 'a': \"1'\" is not a number"),
        (AB + "1,'x,0\n", {}, r"fruit\.arff:6: attribute 'b': \"'x\" is none of its"),
        (AB + "1,x,0\n2,y,0\n", {}, r"column 'class' has one class only \(0\)"),
        (AB + "1,x,0\n2,y,?\n3,x,1\n", {}, r"fruit\.arff:7: column 'class': no label"),
        (AB + "{0 1, 7 x}\n", {}, r"fruit\.arff:6: expected a position from 0 to 2, .* '7 x'"),
        (AB + "{0 1, 0 2}\n", {}, r"fruit\.arff:6: expected a position .* got '0 2'"),
        (AB + "{0 1} 2\n", {}, r"fruit\.arff:6: expected a sparse row in braces"),
        (header("a numbr", "c {0,1}"), {}, r":2: attribute 'a': the type 'numbr' .*'numeric'"),
        (header("a {x,y", "c {0,1}"), {}, r"fruit\.arff:2: attribute 'a': .* closing brace"),
        (header("a {x,x}", "c {0,1}"), {}, r"fruit\.arff:2: attribute 'a': .* stands twice"),
        (header("a", "c {0,1}"), {}, r"fruit\.arff:2: expected a name and a type"),
        (header("a real", "a real"), {}, r"the attribute 'a' is declared 2 times"),
        (
            header("s string", "a real", "c {0,1}") + "u,1,0\nv,2,1\n",
            {},
            r"attribute 's' is a string, which is no feature",
        ),
        (AB + "1,x,0\n2,y,1\n", {"target": "clas"}, r"target names no column: 'clas'; did you"),
        (AB + "1,x,0\n2,y,1\n", {"ignore": ["class"]}, r"ignore names the target 'class'"),
        (AB + "1,x,0\n2,y,1\n", {"groups": "class"}, r"groups names the target 'class'"),
        (b"@relation caf\xe9\n", {"encoding": "utf-8"}, r"encoding = 'utf-8' does not fit"),
    ],
)
def test_bad_files_are_described(write, text, parameters, message):
    with pytest.raises(ilk.DataError, match=message):
        load(write(text), **parameters)


def test_absent_file_suggests_a_sibling(write):
    path = write(FRUIT).with_name("friut.arff")
    with pytest.raises(ilk.DataError, match=r"friut\.arff: cannot be read: No such file.*'fruit"):
        load(path)


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "argument"),
    [
        ({}, "path"),
        ({"path": "a.arff", "missing": "drop"}, "missing"),
        ({"path": "a.arff", "target": "c", "ignore": ["c"]}, "ignore"),
        ({"path": "a.arff", "target": "c", "groups": "c"}, "groups"),
        ({"path": "a.arff", "groups": "g", "ignore": ["g"]}, "ignore"),
    ],
)
def test_bad_parameters_are_named(parameters, argument):
    with pytest.raises(ilk.ParameterError, match=f"arff: {argument} ") as caught:
        ilk.dataset("arff", **parameters)
    assert caught.value.argument == argument
