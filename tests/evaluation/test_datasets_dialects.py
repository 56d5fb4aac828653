"""Tables as programs and people write them: each file, and the table it must give."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk_evaluation.datasets.rows import read_rows, reader_of

TWO = [[5.1, 3.5], [4.9, 3.0]]
AB = ["a", "b"]
UV = ("u", "v")
PLAIN = "u,v,class\n5.1,3.5,a\n4.9,3.0,b\n"
KEEL = """\
@relation iris
@attribute u real [4.3, 7.9]
@attribute v real[0,10]
@attribute class {a, b}
@inputs u, v
@outputs class
@data
5.1, 3.5, a
4.9, 3.0, b
"""
ARFF = "@relation r\n@attribute u real\n@attribute v numeric\n@attribute class {a,b}\n@data\n"


def zipped(text: str, *more: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("table.csv", text)
        for name in more:
            archive.writestr(name, text)
    return file.getvalue()


# name, content, parameters, names of the features, X, y, part of the dialect, part of a note
CASES = [
    ("plain", PLAIN, {}, UV, TWO, AB, "", ""),
    ("CRLF", PLAIN.replace("\n", "\r\n"), {}, UV, TWO, AB, "", ""),
    ("CR", PLAIN.replace("\n", "\r"), {}, UV, TWO, AB, "", ""),
    ("no newline at the end", PLAIN.rstrip(), {}, UV, TWO, AB, "", ""),
    ("blank lines", PLAIN.replace("\n", "\n\n \n"), {}, UV, TWO, AB, "", ""),
    ("byte order mark", "\ufeff" + PLAIN, {}, UV, TWO, AB, "", ""),
    ("UTF-16", PLAIN.encode("utf-16"), {}, UV, TWO, AB, "UTF-16", ""),
    ("UTF-16 without a mark", PLAIN.encode("utf-16-le"), {}, UV, TWO, AB, "UTF-16-LE", ""),
    ("big-endian UTF-16", PLAIN.encode("utf-16-be"), {}, UV, TWO, AB, "UTF-16-BE", ""),
    ("UTF-32", PLAIN.encode("utf-32"), {}, UV, TWO, AB, "UTF-32", ""),
    (
        "Latin-1",
        PLAIN.replace("u,", "größe,").encode("latin-1"),
        {},
        ("größe", "v"),
        TWO,
        AB,
        "Windows-1252",
        "byte 0xf6 of line 1 is not UTF-8",
    ),
    (
        "encoding given",
        PLAIN.replace("u,", "größe,").encode("cp437"),
        {"encoding": "cp437"},
        ("größe", "v"),
        TWO,
        AB,
        "cp437",
        "",
    ),
    ("gzip", gzip.compress(PLAIN.encode()), {}, UV, TWO, AB, "gzip", ""),
    ("xz", lzma.compress(PLAIN.encode()), {}, UV, TWO, AB, "xz", ""),
    ("bzip2", bz2.compress(PLAIN.encode()), {}, UV, TWO, AB, "bzip2", ""),
    ("zip", zipped(PLAIN), {}, UV, TWO, AB, "zip", ""),
    ("zip with a Mac's folder", zipped(PLAIN, "__MACOSX/._t"), {}, UV, TWO, AB, "zip", ""),
    ("semicolons", PLAIN.replace(",", ";"), {}, UV, TWO, AB, "semicolons", ""),
    ("tabs", PLAIN.replace(",", "\t"), {}, UV, TWO, AB, "tabs", ""),
    ("bars", PLAIN.replace(",", "|"), {}, UV, TWO, AB, "bars", ""),
    ("blanks", PLAIN.replace(",", " "), {}, UV, TWO, AB, "blanks", ""),
    (
        "aligned by blanks",
        "   u    v class\n 5.1  3.5     a\n 4.9  3.0     b  \n",
        {},
        UV,
        TWO,
        AB,
        "blanks",
        "",
    ),
    ("blanks and tabs", "u v\tclass\n5.1\t3.5 a\n4.9 3.0  b\n", {}, UV, TWO, AB, "blanks", ""),
    ("blanks after commas", PLAIN.replace(",", ", "), {}, UV, TWO, AB, "", ""),
    ("another delimiter", PLAIN.replace(",", "^"), {"delimiter": "^"}, UV, TWO, AB, "'^'", ""),
    ("sep=", "sep=;\n" + PLAIN.replace(",", "\t"), {"delimiter": "\t"}, UV, TWO, AB, "tabs", ""),
    ("sep= of Excel", "sep=;\n" + PLAIN.replace(",", ";"), {}, UV, TWO, AB, "semicolons", ""),
    (
        "quotes",
        '"u","v","class"\n"5.1","3.5","a"\n"4.9","3.0","b"\n',
        {},
        UV,
        TWO,
        AB,
        "",
        "",
    ),
    ("delimiters at the ends", PLAIN.replace("\n", ",\n"), {}, UV, TWO, AB, "", ""),
    (
        "delimiters at the ends of rows",
        PLAIN.replace("a\n", "a,\n").replace("b\n", "b,\n"),
        {},
        UV,
        TWO,
        AB,
        "",
        "",
    ),
    ("delimiter after the header", PLAIN.replace("class", "class,"), {}, UV, TWO, AB, "", ""),
    ("empty columns", PLAIN.replace("\n", ",,,\n"), {}, UV, TWO, AB, "", ""),
    (
        "index of to_csv",
        ",u,v,class\n0,5.1,3.5,a\n1,4.9,3.0,b\n",
        {},
        UV,
        TWO,
        AB,
        "",
        "tells the rows apart: it is left out",
    ),
    (
        "row names of write.csv",
        '"","u","v","class"\n"Ann",5.1,3.5,"a"\n"Bob",4.9,3,"b"\n',
        {},
        UV,
        TWO,
        AB,
        "",
        "it is left out",
    ),
    (
        "row names of write.table",
        '"u" "v" "class"\n"1" 5.1 3.5 "a"\n"2" 4.9 3 "b"\n',
        {},
        UV,
        TWO,
        AB,
        "blanks",
        "it is left out",
    ),
    (
        "no header, target by position",
        "5.1,3.5,a\n4.9,3.0,b\n",
        {"target": -1},
        ("x0", "x1"),
        TWO,
        AB,
        "no header",
        "the first row looks like data",
    ),
    (
        "no header, a column ignored by the name it gets",
        "7,5.1,3.5,a\n8,4.9,3.0,b\n",
        {"target": -1, "ignore": ["x0"]},
        ("x1", "x2"),
        TWO,
        AB,
        "no header",
        "the first row looks like data",
    ),
    (
        "no header, told",
        "5.1,3.5,a\n4.9,3.0,b\n",
        {"header": False, "target": 2},
        ("x0", "x1"),
        TWO,
        AB,
        "no header",
        "",
    ),
    (
        "UCI .data with columns",
        "5.1,3.5,a\n4.9,3.0,b\n\n",
        {"columns": ["u", "v", "class"]},
        UV,
        TWO,
        AB,
        "no header",
        "",
    ),
    (
        "columns that are the header",
        PLAIN,
        {"columns": ["u", "v", "class"]},
        UV,
        TWO,
        AB,
        "",
        "",
    ),
    (
        "columns in place of the header",
        PLAIN,
        {"columns": ["s", "t", "c"], "header": True, "target": "c"},
        ("s", "t"),
        TWO,
        AB,
        "",
        "",
    ),
    (
        "target first",
        "class,u,v\na,5.1,3.5\nb,4.9,3.0\n",
        {"target": 0},
        UV,
        TWO,
        AB,
        "",
        "",
    ),
    ("names that are numbers", "0,1,class\n5.1,3.5,a\n4.9,3,b\n", {}, ("0", "1"), TWO, AB, "", ""),
    (
        "names of a numbered matrix",
        "0,1,2,3\n5,3.5,1,0\n4,3,2,1\n",
        {"target": -1},
        ("0", "1", "2"),
        [[5, 3.5, 1], [4, 3, 2]],
        [0, 1],
        "",
        "",
    ),
    (
        "a header that tells sizes",
        "150,4,class\n5.1,3.5,0\n4.9,3,1\n",
        {},
        ("150", "4"),
        TWO,
        [0, 1],
        "",
        "names of columns are numbers ('150', '4')",
    ),
    ("comments", "# made by hand\n# in 2020\n" + PLAIN, {}, UV, TWO, AB, "", "2 comments left out"),
    (
        "comments between rows",
        PLAIN.replace("4.9", "% pause\n4.9"),
        {},
        UV,
        TWO,
        AB,
        "",
        "1 comment left out",
    ),
    (
        "the header in a comment",
        "# of numpy.savetxt\n# u v class\n5.1 3.5 0\n4.9 3.0 1\n",
        {},
        UV,
        TWO,
        [0, 1],
        "blanks",
        "1 comment",
    ),
    (
        "another sign of comments",
        "// by hand\n" + PLAIN,
        {"comment": "//"},
        UV,
        TWO,
        AB,
        "",
        "1 comment",
    ),
    (
        "duplicate names",
        "u,u,class\n5.1,3.5,a\n4.9,3.0,b\n",
        {},
        ("u", "u (2)"),
        TWO,
        AB,
        "",
        "several columns are named 'u'",
    ),
    (
        "decimal commas",
        "u;v;class\n5,1;3,5;a\n4,9;3;b\n",
        {},
        UV,
        TWO,
        AB,
        "decimal commas",
        "numbers have decimal commas",
    ),
    (
        "decimal commas between blanks",
        "u v class\n5,1 3,5 a\n4,9 3,0 b\n",
        {},
        UV,
        TWO,
        AB,
        "blanks, decimal commas",
        "",
    ),
    (
        "decimal commas in quotes",
        'u,v,class\n"5,1","3,5",a\n"4,9",3,b\n',
        {},
        UV,
        TWO,
        AB,
        "decimal commas",
        "",
    ),
    (
        "decimal commas told",
        "u;v;class\n1,234;3,5;a\n4,900;3;b\n",
        {"decimal": ","},
        UV,
        [[1.234, 3.5], [4.9, 3]],
        AB,
        "decimal commas",
        "",
    ),
    (
        "points between thousands",
        "u;v;class\n1.234,5;3;a\n12.345;4;b\n",
        {},
        UV,
        [[1234.5, 3], [12345, 4]],
        AB,
        "decimal commas, thousands by point",
        "",
    ),
    (
        "commas between thousands",
        'u,v,class\n"1,234",3.5,a\n"12,345",4,b\n',
        {},
        UV,
        [[1234, 3.5], [12345, 4]],
        AB,
        "thousands by comma",
        "",
    ),
    (
        "commas between thousands, told",
        'u,v,class\n"1,234",3,a\n"12,345",4,b\n',
        {"thousands": ","},
        UV,
        [[1234, 3], [12345, 4]],
        AB,
        "thousands by comma",
        "",
    ),
    (
        "blanks between thousands",
        "u,v,class\n1 234,3,a\n12\u202f345.5,4,b\n",
        {"thousands": " "},
        UV,
        [[1234, 3], [12345.5, 4]],
        AB,
        "thousands by blank",
        "",
    ),
    (
        "apostrophes between thousands",
        "u,v,class\n1'234,3,a\n12\u2019345,4,b\n",
        {"thousands": "'"},
        UV,
        [[1234, 3], [12345, 4]],
        AB,
        "thousands by apostrophe",
        "",
    ),
    ("exponents", "u,v,class\n51e-1,3.5,a\n+4.9E0,.3e1,b\n", {}, UV, TWO, AB, "", ""),
    (
        "missing values",
        "u,v,class\n?,NA,a\n,1,b\nNULL,N/A,b\n2,<NA>,a\n",
        {},
        UV,
        [[None, None], [None, 1], [None, None], [2, None]],
        ["a", "b", "b", "a"],
        "",
        "",
    ),
    (
        "missing values told",
        "u,v,class\n-,1,a\n2,-999,b\n",
        {"missing_values": ["-", "-999"]},
        UV,
        [[None, 1], [2, None]],
        AB,
        "",
        "",
    ),
    (
        "rows without a label",
        "u,v,class\n1,,a\n,2,b\n3,4,?\n",
        {"missing": "labelled"},
        UV,
        [[1, None], [None, 2]],
        AB,
        "",
        "",
    ),
    (
        "rows to predict",
        "u,v\n5.1,3.5\n4.9,3.0\n",
        {"labels": "unknown"},
        UV,
        TWO,
        [None, None],
        "",
        "",
    ),
    (
        "rows to predict beside their labels",
        PLAIN,
        {"labels": "unknown"},
        UV,
        TWO,
        [None, None],
        "",
        "column 'class' is left out",
    ),
    (
        "dates of ISO 8601",
        "u,class\n1970-01-02,a\n2000-01-01T12:00,b\n",
        {},
        ("u",),
        [[1], [10957.5]],
        AB,
        "",
        "they are read as days since 1970-01-01",
    ),
    (
        "dates with points",
        "u,class\n1.2.1970,a\n,b\n31.12.1969,b\n",
        {},
        ("u",),
        [[31], [None], [-1]],
        ["a", "b", "b"],
        "",
        "dates",
    ),
    (
        "dates, day first",
        "u,class\n01/02/1970,a\n13/01/1970,b\n",
        {},
        ("u",),
        [[31], [12]],
        AB,
        "",
        "dates",
    ),
    (
        "dates, month first",
        "u,class\n02/01/1970,a\n01/13/1970,b\n",
        {},
        ("u",),
        [[31], [12]],
        AB,
        "",
        "dates",
    ),
    (
        "dates told",
        "u,class\n01.02.70,a\n2.1.70,b\n",
        {"date_format": "%d.%m.%y"},
        ("u",),
        [[31], [1]],
        AB,
        "",
        "",
    ),
    ("KEEL", KEEL, {}, UV, TWO, AB, "", ""),
    (
        "KEEL with an unused attribute and <null>",
        KEEL.replace("@inputs u, v", "@inputs u").replace("5.1", "<null>"),
        {},
        ("u",),
        [[None], [4.9]],
        AB,
        "",
        "v left out: not among @inputs",
    ),
    (
        "KEEL without blanks after keywords",
        KEEL.replace("@attribute v", "@attributev").replace("@relation ", "@relation"),
        {},
        UV,
        TWO,
        AB,
        "",
        "",
    ),
    ("ARFF by tabs", ARFF + "5.1\t3.5\ta\n4.9\t3.0\tb\n", {}, UV, TWO, AB, "", ""),
    ("ARFF by blanks", ARFF + "5.1 3.5  a\n4.9, 3.0 b\n", {}, UV, TWO, AB, "", ""),
    ("ARFF with a comma at the end", ARFF + "5.1,3.5,a,\n4.9,3.0,b,\n", {}, UV, TWO, AB, "", ""),
    ("ARFF of CR", (ARFF + "5.1,3.5,a\n4.9,3,b\n").replace("\n", "\r"), {}, UV, TWO, AB, "", ""),
    (
        "ARFF with weights of attributes",
        ARFF.replace("{a,b}", "{a,b} {2}").replace("real", "real {0.5}") + "5.1,3.5,a\n4.9,3,b\n",
        {},
        UV,
        TWO,
        AB,
        "",
        "",
    ),
    (
        "ARFF with weights of rows",
        ARFF + "5.1,3.5,a,{2}\n{0 4.9, 1 3, 2 b}, {0.5}\n",
        {},
        UV,
        TWO,
        AB,
        "",
        "weights of rows are left out (2)",
    ),
    (
        "ARFF of MOA",
        ARFF.replace("\n", "\n\n").replace("@data", "@DATA") + "5.1,3.5,a,\n\n4.9,3.0,b,\n",
        {},
        UV,
        TWO,
        AB,
        "",
        "",
    ),
    (
        "ARFF with dates",
        ARFF.replace("real", "date 'dd.MM.yyyy HH:mm'") + "'1.2.1970 12:00',1,a\n?,2,b\n",
        {},
        UV,
        [[31.5, 1], [None, 2]],
        AB,
        "",
        "",
    ),
    ("ARFF, target by position", ARFF + "1,3.5,a\n2,3,b\n", {"target": 0, "ignore": ["class"]},
     ("v",), [[3.5], [3]], [1, 2], "", ""),
    ("LIBSVM", "1 1:5.1 2:3.5\n-1 1:4.9 2:3\n", {}, ("x1", "x2"), TWO, [1, -1], "LIBSVM", ""),
    (
        "LIBSVM from position 0, sparse",
        "# a comment\na 2:1 # one\nb 0:0.5\n",
        {},
        ("x0", "x1", "x2"),
        [[0, 0, 1], [0.5, 0, 0]],
        AB,
        "LIBSVM",
        "",
    ),
]  # fmt: skip


@pytest.fixture
def write(tmp_path):
    def write(content, name="table.dat"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def load(path, **parameters):
    return reader_of(path)(path=path, **parameters).load()


@in_one_test
@pytest.mark.parametrize(
    ("name", "content", "parameters", "features", "X", "y", "dialect", "note"), CASES
)
def test_tables_as_they_are_found(write, name, content, parameters, features, X, y, dialect, note):
    data = load(write(content), **parameters)
    assert data.feature_names == features
    np.testing.assert_array_equal(data.X, np.array(X, dtype=float))
    assert data.y.tolist() == y
    assert dialect in data.dialect
    assert bool(dialect) == bool(data.dialect)
    assert note in " ".join(data.notes)
    if not note and not dialect:
        assert not data.notes


def test_there_are_enough_cases():
    assert len({name for name, *_ in CASES}) == len(CASES) >= 60


# content, parameters, message
REFUSED = [
    (
        "u,class\n1.2.20,a\n1.2.20,b\n",
        {"date_format": "%d/%m/%y"},
        r"'%d/%m/%y' fits all cells of no column",
    ),
    ("a|b;class\nx|y;z\nu|v;w\n", {}, r"the delimiter cannot be told: ';' or '\|'; give delimiter"),
    ('u,class\n"1,234",a\n"5,678",b\n', {}, r"'1,234' may be 1.234 or 1234; give decimal = ',' or"),
    ("u,class\n1/2/2020,a\n3/4/2020,b\n", {}, r"column 'u': .*give date_format = '%d/%m/%Y' or"),
    (
        "5.1,3.5,a\n4.9,3.0,b\n",
        {},
        r"the first row looks like data, so there is no header: columns",
    ),
    (PLAIN, {"target": 3}, r"target = 3 is no position: there are 3 columns, 0 to 2"),
    (PLAIN, {"target": -1, "ignore": ["class"]}, r"ignore names the target 'class'"),
    ("u,u,class\n1,2,a\n3,4,b\n", {"target": "u"}, r"target names several columns: 'u'"),
    (PLAIN, {"columns": ["u", "v"]}, r"columns has 2 names, the rows have 3 cells"),
    (
        "u,v,class\n1,2,3,a\n4,5,6,b\n4,5,6,b\n",
        {},
        r":2: the row has 4 cells, the header 3; a cell",
    ),
    (",v,class\n1,2,a\n1,3,b\n", {}, r":1: column 1 of the header has no name; .*header = true"),
    ("u;class\n39,1;a\n4.5;b\n", {}, r":2: column 'u': '39,1' is not a number \(1 of 2 cells"),
    ("u;class\n39,1;a\n4.5;b\n", {"decimal": ","}, r":3: .*'4.5' is not a number with decimal com"),
    ("u,class\n1 234,a\n12,b\n", {}, r"'1 234' is not a number.*; give thousands = ' ', correct"),
    ("u,v,class\n1,2,a\nx,y,b\n", {}, r"column 'u': 'x' is not a number.*; the same for 'v'"),
    ("u,class\n1,a\n2,?\n", {}, r":3: .*no label .* missing = 'labelled' leaves them out"),
    ("u,class\n1,?\n2,?\n", {"missing": "labelled"}, r"but no row is labelled"),
    (PLAIN.encode("utf-16")[:-1], {}, r"not UTF-16 text"),
    (PLAIN.encode("latin-1") + b"\xe9", {"encoding": "utf-8"}, r"encoding = 'utf-8' does not fit"),
    (b"u,v,class\n1,\x01\x02,a\n", {}, r":2: not a text file: it has the control character 0x01"),
    (b"u,v\n\x00\x01", {}, r":2: not a text file: it has the control character 0x00"),
    (gzip.compress(PLAIN.encode())[:-5], {}, r"the gzip file is damaged"),
    (lzma.compress(PLAIN.encode())[:20], {}, r"the xz file is damaged"),
    (zipped(PLAIN)[:40], {}, r"the zip file is damaged"),
    (zipped(PLAIN, "other.csv"), {}, r"holds 2 files \(table.csv, other.csv\); unpack it"),
    (zipped(PLAIN, "[Content_Types].xml"), {}, r"an Excel file; save the sheet as CSV"),
    (b"\xd0\xcf\x11\xe0 xls", {}, r"an old Excel file"),
    (b"SQLite format 3\x00", {}, r"an SQLite database"),
    (KEEL.replace("@outputs class", "@outputs u, class"), {}, r"several @outputs .*give target"),
    (ARFF + "5.1 3.5\n", {}, r":6: the row has 1 values, there are 3 attributes"),
    (ARFF.replace("real", "date 'Q'") + "'1',1,a\n", {}, r"'1' is no date of its format; list it"),
    ("1 1:2 1:3\n2 1:1\n", {}, r":1: position 1 stands twice"),
    ("1 1:2\n1,2 1:1\n", {}, r":2: '1,2' are several labels"),
    ("1 1:2\n2 1:1 2:x\n", {}, r":2: expected position:number, got '2:x'"),
    ("1 1:2\n2 3:1\n", {"n_features": 2}, r":2: position 3 is not within 1 to 2"),
    ("1 1:2\n1 3:1\n", {}, r"one class only"),
]


@in_one_test
@pytest.mark.parametrize(("content", "parameters", "message"), REFUSED)
def test_what_cannot_be_told_is_asked_for(write, content, parameters, message):
    with pytest.raises(ilk.DataError, match=message):
        load(write(content), **parameters)


# distinct cells of a column, a note it must give
DOUBTFUL = [
    (["5 cm", "12 cm"], "numbers with a unit, such as '5 cm'"),
    (["5%", "12.5 %"], "a percent sign"),
    (["$5", "$1,200"], "a currency sign"),
    (["5 €", "6 €"], "a currency sign"),
    (["0x1F", "0xA0"], "hexadecimal digits"),
    (["1.0D+02", "2.5D+00"], "a Fortran exponent"),
    (["1 234", "5 678"], "thousands separators"),
    (["\u22125", "\u22126.5"], "a minus sign of typography"),
    (["<5", ">=10"], "a bound"),
    (["(5)", "(6.5)"], "brackets"),
    (["3 May 2020", "4 June 2021"], "looks like dates"),
    (["12:30", "13:45"], "looks like dates"),
    (["2020-01", "2020-02"], "looks like dates"),
]


@in_one_test
@pytest.mark.parametrize(("cells", "note"), DOUBTFUL)
def test_numbers_in_another_spelling_are_noted(write, cells, note):
    path = write("u,v,class\n" + "".join(f'"{cell}",1,{at}\n' for at, cell in enumerate(cells)))
    data = load(path)
    assert data.nominal == ("u",)
    assert note in " ".join(data.notes)
    assert "read as categories" in " ".join(data.notes)
    assert not load(path, nominal=["u"]).notes  # the remedy works


def test_a_first_row_of_categories_that_stand_below_again_is_data(write):
    path = write("red,round,a\nblue,round,b\nred,square,a\nblue,square,b\n")
    data = load(path, target=-1)
    assert (len(data), data.feature_names) == (4, ("x0", "x1"))
    with pytest.raises(ilk.DataError, match="the first row looks like data, so there is no header"):
        load(path)


def test_long_texts_do_not_hide_the_delimiter(write):
    text = "one; two, three\n" * 1000
    rows = "".join(f'"{text}{at}";{at};{"ab"[at % 2]}\n' for at in range(9))
    data = load(write("text;n;class\n" + rows))
    assert (len(data), data.nominal, data.dialect) == (9, ("text",), "semicolons")


def test_a_stray_control_character_is_noted(write):
    path = write("u,v,class\nre\x19d,1,a\n" + "blue,2,b\n" * 200)
    assert load(path).notes == ("line 2 has the control character 0x19",)


def test_usual_categories_have_no_note(write):
    data = load(write("u,v,class\nred,A1,x\ngreen,B2,y\nblue 2,none,y\n"))
    assert data.nominal == UV
    assert not data.notes


def test_position_and_name_of_the_target_give_the_same_data(write):
    path = write(PLAIN)
    by_name, by_position = load(path), load(path, target=-1)
    assert by_name.fingerprint == by_position.fingerprint


def test_unknown_labels_are_no_classes(write):
    data = load(write(PLAIN), labels="unknown")
    assert not data.labelled
    assert data.classes.tolist() == []


cells = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=6)
tables = st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=6)


@given(tables, st.sampled_from(",;\t| "), st.sampled_from(["utf-8", "utf-16", "cp1252"]))
def test_any_text_is_read_or_refused(tmp_path_factory, rows, delimiter, encoding):
    path = tmp_path_factory.mktemp("any") / "table.csv"
    text = "\n".join(delimiter.join(row) for row in [("u", "v", "class"), *rows])
    path.write_bytes(text.encode(encoding, "ignore"))
    _read_or_refused(path)


@given(
    st.binary(max_size=60), st.integers(0, 200), st.sampled_from([PLAIN, KEEL, ARFF + "1,2,a\n"])
)
def test_any_bytes_are_read_or_refused(tmp_path_factory, raw, at, text):
    path = tmp_path_factory.mktemp("any") / "table.csv"
    whole = text.encode()
    path.write_bytes(whole[:at] + raw + whole[at + len(raw) // 2 :])
    _read_or_refused(path)
    path.write_bytes(raw)
    _read_or_refused(path)


def _read_or_refused(path):
    """Read a file, or get one of ilk's errors; any other fails the test."""
    for parameters in ({}, {"labels": "unknown"}):
        with suppress(ilk.IlkError):
            data = load(path, **parameters)
            assert len(data.y) == len(data) > 0


@given(st.data())
def test_a_frame_is_read_as_it_was_however_it_is_written(tmp_path_factory, draw):
    """Delimiter, decimal sign, index and encoding are found; pandas reads the same."""
    number = st.floats(-1e6, 1e6).map(lambda x: round(x, 2))
    values = st.lists(number, min_size=3, max_size=8)
    u = draw.draw(values)
    frame = pd.DataFrame(
        {"u": u, "v": [x / 2 + 0.25 for x in u], "class": ["é", "b", "b"] + ["é"] * (len(u) - 3)}
    )
    sep, decimal = draw.draw(
        st.sampled_from([(",", "."), (";", ","), ("\t", "."), ("\t", ","), ("|", ".")])
    )
    encoding = draw.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    path = tmp_path_factory.mktemp("frame") / "table.csv"
    frame.to_csv(path, sep=sep, decimal=decimal, encoding=encoding, index=draw.draw(st.booleans()))
    data = load(path)
    np.testing.assert_array_equal(data.X, frame[["u", "v"]])
    assert data.y.tolist() == frame["class"].tolist()


class TestRowsToPredict:
    def test_columns_in_the_order_of_the_model(self, write):
        path = write("id,v,class,u\nr1,3.5,a,5.1\nr2,3.0,b,4.9\n")
        rows = read_rows(path, UV)
        np.testing.assert_array_equal(rows.X, TWO)
        assert rows.feature_names == UV
        assert not rows.labelled

    def test_without_a_header_by_position(self, write):
        rows = read_rows(write("5.1,3.5\n4.9,3.0\n"), UV)
        np.testing.assert_array_equal(rows.X, TWO)
        assert rows.feature_names == UV

    def test_categories_that_look_like_numbers(self, write):
        rows = read_rows(write("zip,u\n10,1\n20,2\n"), ("u", "zip"), nominal=["zip"])
        assert rows.nominal == ("zip",)
        assert rows.X["zip"].tolist() == ["10", "20"]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("u,w\n1,2\n", r"lacks the columns 'v'"),
            ("a,b,c\n1,2,3\n", r"has none of the columns u, v \(it has: a, b, c\)"),
            ("u,v\nred,2\n", r":2: column 'u': 'red' is not a number"),
        ],
    )
    def test_other_columns_are_named(self, write, text, message):
        with pytest.raises(ilk.DataError, match=message):
            read_rows(write(text), UV)


def test_an_attribute_that_cannot_be_read_can_be_ignored(write):
    text = ARFF.replace("real", "date 'Q'").replace("numeric", "string") + "1,two,a\n2,three,b\n"
    with pytest.raises(ilk.DataError, match="list it in ignore"):
        load(write(text))
    assert load(write(text), ignore=["u"]).X == ["two", "three"]


def test_a_wide_position_needs_a_word(tmp_path):
    path = tmp_path / "wide.svm"
    path.write_text("1 3000000:1\n-1 2:3\n")
    with pytest.raises(ilk.DataError, match=r"3,000,000 columns; n_features = 3000000"):
        ilk.dataset("svmlight", path=path).load()
    assert ilk.dataset("svmlight", path=path, n_features=3000000).load().X.shape == (2, 3000000)


@pytest.mark.parametrize(("text", "use"), [(KEEL, "arff"), ("1 1:5 2:3\n-1 1:4\n", "svmlight")])
def test_csv_names_the_reader_of_another_format(write, text, use):
    path = write(text)
    with pytest.raises(ilk.DataError, match=f"no delimited table; read it with use = '{use}'"):
        ilk.dataset("csv", path=path, target=0).load()
    assert len(ilk.build({"use": use, "path": path}, kind="dataset").load()) == 2
