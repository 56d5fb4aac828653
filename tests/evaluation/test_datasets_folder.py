"""The data set `folder`: real data, and what a bad list or file gets."""

import hashlib
import tomllib
from collections import Counter

import numpy as np
import pytest

import ilk

TABLE = "i,p08,p09,p10,class\n1,0,1,2,a\n2,3,4,5,b\n3,6,7,8,a\n4,9,,1,b\n"
ENTRY = """
[datasets.small]
file = "small.csv"
title = "Small"
rows = 4
columns = ["i", "p08..p10"]
id_columns = ["i"]
views = [{ name = "left", columns = ["i", "p08"] }, { name = "right", columns = ["p09..p10"] }]
splits = { train = [1, 2], test = [3, 4] }
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "small.csv").write_text(TABLE)
    (tmp_path / "datasets.toml").write_text(ENTRY)
    return tmp_path


def load(folder, name="small", **parameters):
    return ilk.dataset("folder", name=name, path=folder, **parameters).load()


def change(folder, old, new):
    text = (folder / "datasets.toml").read_text()
    assert old in text
    (folder / "datasets.toml").write_text(text.replace(old, new))


def test_entry_is_followed(folder):
    data = load(folder)
    np.testing.assert_array_equal(data.X, [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, np.nan, 1]])
    assert data.feature_names == ("p08", "p09", "p10")
    assert data.views == {"left": ("p08",), "right": ("p09", "p10")}
    assert data.name == "small"
    assert data.description == "Small"


def test_split_takes_its_rows(folder):
    assert load(folder, split="train").X[:, 0].tolist() == [0, 3]
    assert load(folder, split="test").X[:, 0].tolist() == [6, 9]


def test_text_column_gives_texts(folder):
    (folder / "sms.csv").write_text('text,class\n" hello, you",ham\nWIN,spam\n')
    with (folder / "datasets.toml").open("a") as file:
        file.write('[datasets.sms]\nfile = "sms.csv"\ntext_columns = ["text"]\n')
    data = load(folder, "sms")
    assert data.X == [" hello, you", "WIN"]
    assert data.feature_names == ("text",)


def test_folder_from_the_environment(folder, monkeypatch):
    monkeypatch.setenv("ILK_DATA", str(folder))
    assert load(None).fingerprint == load(folder).fingerprint


def test_a_folder_may_be_named_in_any_way(folder, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(folder.parent)
    for place in (folder.name, f"{folder.name}/../{folder.name}", tmp_path / "link"):
        assert load(str(place)).name == "small"


def test_no_folder_names_the_variable(monkeypatch):
    monkeypatch.delenv("ILK_DATA", raising=False)
    with pytest.raises(ilk.DataError, match=r"give path, or set .* ILK_DATA"):
        load(None)


def test_wrong_folder_says_where_it_came_from(monkeypatch, tmp_path):
    monkeypatch.setenv("ILK_DATA", str(tmp_path / "nothing"))
    with pytest.raises(ilk.DataError, match="ILK_DATA is no folder"):
        load(None)
    with pytest.raises(ilk.DataError, match="path is no folder"):
        load(tmp_path / "nothing")


def test_checksum_is_verified(folder):
    digest = hashlib.sha256(TABLE.encode()).hexdigest()
    change(folder, 'title = "Small"', f'sha256 = "{digest}"')
    load(folder)
    (folder / "small.csv").write_text(TABLE.replace("9", "8"))
    with pytest.raises(ilk.DataError, match=rf"small\.csv: the file is not .* not {digest}"):
        load(folder)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[datasets.small]", "[datasets.smal]", "no data set 'small'; did you mean 'smal'"),
        ('"small.csv"', '"smal.csv"', r"smal\.csv: cannot be read.*'small\.csv'"),
        ('file = "small.csv"', "file = 1", r"toml:3: datasets\.small\.file: must be a path, got 1"),
        ('"small.csv"', '"../small.csv"', r"file must be in the folder of datasets\.toml"),
        ('"small.csv"', '"/etc/passwd"', r"file must be in the folder of datasets\.toml"),
        ("[datasets.small]", "[datasets.small", r"datasets\.toml:2: not valid TOML"),
        ("p08..p10", "p8..p10", r"header differs from the entry: it lacks \['p8', 'p9'\]"),
        ('"p08..p10"]\nid', '"p08", "p09"]\nid', r"it has \['p10'\]"),
        ("p09..p10", "p10..p9", "'p10..p9' is no range"),
        ("p09..p10", "p10..p11", "view 'right' names no column: 'p11'"),
        ("{ name =", "{ nam =", r"toml:8: datasets\.small\.views\[0\]: 'name' is missing"),
        (
            'id_columns = ["i"]',
            'id_columns = "i"',
            r"toml:7: .*\.id_columns: must be a list",
        ),
        ('id_columns = ["i"]', 'nominal_columns = ["j"]', "nominal names no column: 'j'"),
        ("test = [3, 4]", "test = [3, 5]", r"split 'test' must be \[first row, last row\]"),
        (
            "rows = 4",
            'rows = "x"',
            r"toml:5: .*\.rows: must be an integer >= 1, got 'x'",
        ),
        ("p08..p10", "p1..p99999999999", "'p1..p99999999999' are more than 100,000 columns"),
        (
            "[datasets.small]",
            "[datasets]\nsmall = 3\n[b]",
            r"toml:3: datasets\.small: must be a table",
        ),
        ("[datasets.small]", "datasets = 3\n[b]", "toml:2: datasets: must be a table, got 3"),
        ("rows = 4", "rows = 9", "split 'test' ends at row 9"),
    ],
)
def test_bad_lists_are_described(folder, old, new, message):
    if old == "rows = 4":
        change(folder, "test = [3, 4]", "test = [3, 9]")
    change(folder, old, new)
    with pytest.raises(ilk.DataError, match=message):
        load(folder, split="test")


def test_what_the_list_says_beside_is_not_read(folder):
    change(folder, "rows = 4", "rows = 4\nlicence = 3")
    with (folder / "datasets.toml").open("a") as file:
        file.write("[datasets.other]\nfile = 1\n")
    assert load(folder).name == "small"


def test_unknown_split_lists_those_there_are(folder):
    with pytest.raises(ilk.DataError, match=r"'trian'; did you mean 'train'\? \(it has train, te"):
        load(folder, split="trian")


def test_titles_tell_what_is_taken():
    def title(**parameters):
        return ilk.dataset("folder", name="usps", **parameters).title()

    assert title() == "usps"
    assert title(split="train", missing="complete") == "usps (train, complete)"


def entries(folder):
    with (folder / "datasets.toml").open("rb") as file:
        return tomllib.load(file)["datasets"]


def check_counts(data, entry, counts):
    assert Counter(map(str, data.y.tolist())) == counts
    n_features = entry["features"] - len(entry.get("id_columns", []))
    assert len(data.feature_names) == n_features
    ignored = set(entry.get("id_columns", []))
    assert set(data.nominal) == set(entry.get("nominal_columns", [])) - ignored


@pytest.mark.slow
def test_real_data_are_as_listed(data_folder):
    for name, entry in entries(data_folder).items():
        missing = "complete" if entry["missing_class"] else "keep"
        counts = entry["complete_class_counts" if entry["missing_class"] else "class_counts"]
        data = load(data_folder, name, missing=missing)
        check_counts(data, entry, counts)


def test_small_real_data_are_as_listed(data_folder):
    """Missing values, identity columns, nominal columns and rows without a label."""
    table = entries(data_folder)
    for name in ("hepatitis", "hayesroth", "house_vote", "echocardiogram", "credit_screening"):
        entry = table[name]
        if not entry["missing_class"]:
            data = load(data_folder, name)
            check_counts(data, entry, entry["class_counts"])
            assert int(data.X.isna().sum().sum()) == entry["missing"]
        if "complete_class_counts" in entry:
            data = load(data_folder, name, missing="complete")
            check_counts(data, entry, entry["complete_class_counts"])
            assert not data.X.isna().any().any()


def test_real_rows_without_a_label_are_refused_by_default(data_folder):
    with pytest.raises(ilk.DataError, match=r"echocardiogram\.csv:26: .*58 rows have none"):
        load(data_folder, "echocardiogram")
