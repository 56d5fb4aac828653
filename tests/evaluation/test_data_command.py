"""``ilk data FILE``, and what runs say of their data."""

from __future__ import annotations

import tomllib

import numpy as np
import pandas as pd
import pytest

import ilk
from cases import in_one_test
from ilk.cli.shell import run as ilk_command
from ilk_evaluation import run_experiment
from ilk_evaluation.datasets.inspection import columns_of, warnings_of
from ilk_evaluation.datasets.table_file import EXAMPLE
from ilk_evaluation.plan.experiment_plan import plan_experiment
from ilk_evaluation.report import html_report

GERMAN = "Länge;Datum;Ort;Art\n" + "".join(
    f"{i},{i % 7};{1 + i % 28}.03.2020;{'Bonn' if i % 3 else 'Köln'};{'ab'[i % 2]}\n"
    for i in range(12)
)


@pytest.fixture
def call(capsys):
    def call(*arguments):
        code = ilk_command([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def german(tmp_path):
    path = tmp_path / "waren.csv"
    path.write_bytes(GERMAN.encode("cp1252"))
    return path


PIPELINE = """\
[[pipelines]]
id = "near"
steps = [{ transformer = "one_hot" }, { classifier = "nearest_mean" }]
[evaluation]
resampling = { use = "kfold", folds = 2 }
"""


def spec_of(path, *datasets):
    path.write_text("".join(f"[[datasets]]\n{dataset}\n" for dataset in datasets) + PIPELINE)
    return path


def test_a_table_is_shown_as_it_is_read(call, german):
    code, out, err = call("data", german, "--target", "Art")
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    head, body = lines[0], "\n".join(lines)
    assert head == "waren: 12 rows, 3 features (Windows-1252, semicolons, decimal commas)"
    assert "Länge number 0 to 11.4 -" in body
    assert "Datum date 2020-03-01 to 2020-03-12 -" in body
    assert "Ort category 2: Bonn, Köln -" in body
    assert "2 classes: a 6, b 6" in body
    assert "note: numbers have decimal commas" in body


def test_a_very_long_name_is_cut(call, tmp_path):
    (tmp_path / "long.csv").write_text(f"{'x' * 5000},class\n1,a\n2,b\n")
    out = call("data", tmp_path / "long.csv")[1]
    assert f"\n{'x' * 57}...  number" in out


def test_the_lines_for_a_spec_read_the_same_table(call, german):
    out = call("data", german, "--target", "-1")[1]
    (table,) = tomllib.loads(out[out.index("[[datasets]]") :])["datasets"]
    data = ilk.build(table, kind="dataset").load()
    assert data.fingerprint == ilk.dataset("csv", path=german, target="Art").load().fingerprint


def test_without_a_target_the_remedy_works(call, german):
    code, out, _ = call("data", german)
    assert code == 0
    assert "no target: --target 'Art' or --target -1 takes the last column" in out
    assert "labels: unknown" in out
    assert "2 classes" in call("data", german, "--target", "Art")[1]


def test_settings_are_parameters_of_the_reader(call, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1;2;a\n3;4;b\n")
    code, out, _ = call("data", path, "--target=c", "--set", 'columns=["u","v","c"]')
    assert code == 0
    assert "t: 2 rows, 2 features (no header, semicolons)" in out
    assert call("data", path, "--set", "colums=1")[0] == 2
    assert call("data", path, "--set", "columns")[0] == 2


def test_data_sets_of_a_spec_are_shown_and_the_others_are_named(call, german, tmp_path):
    spec = spec_of(
        tmp_path / "s.toml",
        'use = "csv"\npath = "waren.csv"\ntarget = "Art"',
        'use = "csv"\npath = "absent.csv"',
        'use = "iris"',
    )
    code, out, err = call("data", spec)
    assert code == 2
    assert "waren: 12 rows" in out
    assert "iris: 150 rows" in out
    assert err.startswith("Error: ")
    assert "absent.csv: cannot be read" in err


def test_the_data_sets_of_a_folder_are_shown(call):
    code, out, _ = call("data", EXAMPLE / "datasets.toml")
    assert code == 0
    assert "fruit: 12 rows, 3 features" in out


def test_an_encoding_that_cannot_be_found_can_be_given(call, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("u;class\n1;a\n2;b\n".encode("cp037"))
    assert call("data", path)[0] == 2
    code, out, _ = call("data", path, "--set", "encoding=cp037")
    assert code == 0
    assert "t: 2 rows, 1 features (cp037, semicolons)" in out


def test_an_unknown_encoding_and_a_link_to_nowhere_are_named(call, german):
    code, _, err = call("data", german, "--set", "encoding=klingon")
    assert (code, "unknown encoding: klingon" in err) == (2, True)
    german.with_name("lost.csv").symlink_to("nowhere.csv")
    code, _, err = call("data", german.with_name("lost.csv"))
    assert (code, "cannot be read" in err, "lost.csv'?" in err) == (2, True, False)


def test_a_dry_run_and_a_run_say_what_was_guessed(call, german, tmp_path):
    spec = spec_of(tmp_path / "s.toml", 'use = "csv"\npath = "waren.csv"\ntarget = "Art"')
    _, out, _ = call("run", spec, "--dry-run")
    assert "waren: 12 rows, 3 features (Windows-1252, semicolons, decimal commas)" in out
    assert "note: numbers have decimal commas" in out
    code, _, err = call("run", spec)
    assert code == 0
    assert "note: waren: numbers have decimal commas" in err
    assert call("run", spec)[2] == ""  # nothing is left to run


def test_what_was_guessed_stays_with_the_results(call, tmp_path, monkeypatch):
    rows = "".join(f"{i};{i % 7},5;{'ab'[i % 2]}\n" for i in range(12))
    for name in "xy":
        (tmp_path / f"{name}.csv").write_text(f"no;size;class\n{rows}")
        rows = rows.replace(",5", ",25")
    both = 'use = "csv"\npath = "x.csv"\n[[datasets]]\nuse = "csv"\npath = "y.csv"'
    spec = spec_of(tmp_path / "s.toml", both)
    assert call("run", spec, "--quiet")[0] == 0
    results = ilk.results(tmp_path / "results" / "s.sqlite")
    (tmp_path / "x.csv").unlink()  # the notes come from the store
    known = [note for note in results.notes if note.startswith(("x: ", "y: "))]
    numbers = "column 'no' numbers the rows; ignore = ['no'] leaves it out"
    assert [note for note in known if "numbers the rows" in note] == [
        f"x: {numbers}",
        f"y: {numbers}",
    ]
    assert any(note.startswith("x: numbers have decimal commas") for note in known)
    assert not any(note.startswith("x: ") for note in results.filter(dataset="y").notes)
    monkeypatch.setattr("ilk_evaluation.report.blocks.find_spec", lambda _: None)  # no figures
    page = html_report(results)
    assert "x: numbers have decimal commas" in page


N = 12
LABELS = np.array(["a", "b"] * (N // 2))
X = np.column_stack([np.arange(N) ** 2.0, np.tile([1.0, 2.0], N // 2)])


def data_of(y=LABELS, **columns):
    frame = pd.DataFrame({"x": X[:, 0], **columns})
    nominal = tuple(name for name in frame if hasattr(frame[name].dtype, "categories"))
    values = frame if nominal else frame.to_numpy(float)
    return ilk.Data(values, np.asarray(y), feature_names=tuple(frame), nominal=nominal)


@in_one_test
@pytest.mark.parametrize(
    ("data", "warning"),
    [
        (data_of(no=np.arange(5, 5 + N)), "column 'no' numbers the rows; ignore = ['no'] leaves"),
        (data_of(id=np.arange(N)[::-1] * 7), "column 'id' looks like an identifier"),
        (data_of(who=pd.Categorical([f"p{i}" for i in range(N)])), "has as many values as rows"),
        (data_of(c=np.ones(N)), "column 'c' has a single value"),
        (data_of(c=np.full(N, np.nan)), "column 'c' has no value"),
        (data_of(c=pd.Categorical(["yes", "Yes"] * 6)), "differ by case or blanks only: 'Yes' and"),
        (
            data_of(y=["a"] * (N - 1) + ["b"]),
            "1 class of one case (b), which cannot be in training",
        ),
        (data_of(y=range(N)), "the target has 12 different values in 12 rows: a quantity"),
        (data_of(y=["a ", "a"] * 6), "the target has values that differ by case or blanks only"),
    ],
)
def test_what_looks_wrong_is_a_warning(data, warning):
    (found,) = warnings_of(data)
    assert warning in found


def test_usual_data_have_no_warning():
    assert warnings_of(data_of()) == []
    assert warnings_of(ilk.dataset("wine").load()) == []
    assert warnings_of(ilk.dataset("tic_tac_toe").load()) == []


def test_many_equal_warnings_are_counted():
    found = warnings_of(data_of(**{f"c{i}": np.ones(N) for i in range(9)}))
    assert len(found) == 6
    assert found[-1] == "4 more columns: has a single value"


def test_columns_are_described():
    size = pd.Categorical(["s", "l"] * 6, ["s", "l"], ordered=True)
    x, c = columns_of(data_of(c=size))
    assert (x.kind, x.values) == ("number", "0 to 121")
    assert (c.kind, c.values) == ("ranks", "2: s, l")


@pytest.fixture
def copies(tmp_path):
    """Three data sets, of which two hold the same data."""
    rng = np.random.default_rng(0)
    for name, seed in (("one", 0), ("two", 0), ("three", 1)):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(rng.normal(size=(40, 2)), columns=["u", "v"])
        frame["class"] = np.where(rng.random(40) < 0.5, "a", "b")
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return {
        "datasets": [
            {"use": "csv", "path": str(tmp_path / f"{name}.csv")}
            for name in ("one", "two", "three")
        ],
        "pipelines": [
            {"id": name, "steps": [{"classifier": name}]}
            for name in ("nearest_mean", "naive_bayes")
        ],
        "evaluation": {
            "resampling": {"use": "kfold", "folds": 4},
            "comparisons": ["wilcoxon"],
        },
    }


def test_equal_data_sets_count_once_in_comparisons(copies):
    results = run_experiment(copies)
    assert "comparisons leave out two: it is the same data as one" in results.notes
    alone = run_experiment({**copies, "datasets": copies["datasets"][::2]})
    assert [v.p_value for v in results.verdicts] == [v.p_value for v in alone.verdicts]
    assert set(results.table()["dataset"]) == {"one", "two", "three"}


def test_equal_data_sets_are_said(call, copies, tmp_path):
    spec = spec_of(
        tmp_path / "s.toml", *(f'use = "csv"\npath = "{name}.csv"' for name in ("one", "two"))
    )
    assert "warning: one, two are the same data" in call("data", spec)[1]
    assert "warning: one, two are the same data" in call("run", spec, "--dry-run")[1]


@pytest.mark.parametrize("label", ["one", "one (2)"])
def test_titles_told_apart_by_order_cannot_be_chosen(copies, label):
    copies["datasets"] = [copies["datasets"][0], {**copies["datasets"][0], "ignore": ["v"]}]
    copies["pipelines"][0]["datasets"] = [label]
    with pytest.raises(ilk.SpecError, match=r"several data sets have the title 'one'.*rename"):
        plan_experiment(copies)


def test_rows_to_predict_are_no_data_to_evaluate_with(copies):
    copies["datasets"][0]["labels"] = "unknown"
    with pytest.raises(ilk.SpecError, match="one: labels = 'unknown' reads rows to predict"):
        plan_experiment(copies)


def test_every_kind_of_data_is_described():
    """Texts, images and arrays without names of columns included."""
    for name in ("csv", "arff", "parquet", "folder", "svmlight", "images", "xor", "waveform"):
        for example in ilk.registry("dataset").get(name).examples():
            data = example.load()
            assert len(columns_of(data)) in (0, len(data.feature_names))
            assert all(isinstance(warning, str) for warning in warnings_of(data))
    texts = ilk.Data(["one", "two"] * 6, LABELS, feature_names=("text",))
    assert (columns_of(texts), warnings_of(texts)) == ([], [])
