"""`ilk fit` and `ilk predict`: models with their columns, and predictions of new rows."""

import csv
import gzip
import json
import os
import signal
import zipfile

import numpy as np
import pandas as pd
import pytest

import ilk
from ilk.cli.shell import run as ilk_command
from ilk_evaluation import run_experiment
from ilk_evaluation.atomic_write import replacing
from ilk_evaluation.commands import models
from ilk_evaluation.commands.common import cleaned_up

EXPERIMENT = """\
[[datasets]]
use = "csv"
path = "fruit.csv"
[[pipelines]]
id = "3-NN"
steps = [{ classifier = { use = "knn", k = 3, distance = "heterogeneous" } }]
[[pipelines]]
id = "edited"
steps = [
    { transformer = "one_hot" },
    { editor = "enn" },
    { classifier = { use = "tuned", classifier = "knn", grid = { k = [1, 3] } } },
]
[[pipelines]]
id = "means"
steps = [{ transformer = "one_hot" }, { classifier = "nearest_mean" }]
"""
COLOURS = ["blue", "green", "red"]


def fruit(n, seed):
    """Rows of two kinds of fruit: weight, colour, size, kind."""
    generator = np.random.default_rng(seed)
    kinds = generator.integers(2, size=n)
    return [
        (
            f"{100 + 20 * kind + generator.normal(0, 8):.1f}",
            COLOURS[generator.integers(kind, kind + 2)],
            f"{generator.random():.3f}",
            "AB"[kind],
        )
        for kind in kinds
    ]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.toml").write_text(EXPERIMENT)
    write(tmp_path / "fruit.csv", ["weight", "colour", "size", "class"], fruit(60, 0))
    write(tmp_path / "new.csv", ["weight", "colour", "size"], [row[:3] for row in fruit(20, 1)])
    return tmp_path


def write(path, header, rows, delimiter=","):
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([header, *rows])


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def call(capsys):
    def run(*arguments):
        code = ilk_command([*map(str, arguments)])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def fit(call, folder):
    def run(pipeline="3-NN"):
        code, out, err = call("fit", "e.toml", "--pipeline", pipeline, "-o", "m.ilk")
        assert code == 0, err
        return out

    return run


def in_python(pipeline):
    """The same fit and predictions without files."""
    steps = {"3-NN": 0, "edited": 1, "means": 2}[pipeline]
    experiment = ilk.load("e.toml").data
    data = ilk.dataset("csv", path="fruit.csv").load()
    fitted = ilk.build({"steps": experiment["pipelines"][steps]["steps"]}, kind="classifier")
    rows = [(*row[:3], "A" if i else "B") for i, row in enumerate(fruit(20, 1))]
    write(
        ilk.load("e.toml").path.parent / "labelled.csv", ["weight", "colour", "size", "class"], rows
    )
    queries = ilk.dataset("csv", path="labelled.csv").load().X
    return fitted.fit(*data.Xy), data, queries


@pytest.mark.parametrize("pipeline", ["3-NN", "means"])
def test_predictions_are_those_of_the_pipeline_in_python(call, fit, pipeline):
    out = fit(pipeline)
    assert "  colour: nominal, 3 levels: blue, green, red\n" in out
    assert call("predict", "m.ilk", "new.csv", "-o", "a.csv")[0] == 0
    fitted, _, queries = in_python(pipeline)
    answers = read(ilk.load("e.toml").path.parent / "a.csv")
    assert [row["prediction"] for row in answers] == fitted.predict(queries).tolist()
    assert [row["row"] for row in answers] == [str(i) for i in range(1, 21)]


def test_the_nearest_cases_are_numbered_as_in_the_data(call, fit, folder):
    """An editor before, and `tuned` around, the nearest neighbours."""
    fit("edited")
    code, _, err = call(
        "predict", "m.ilk", "new.csv", "-o", "a.csv", "--explain", "--probabilities"
    )
    assert code == 0, err
    model, data = ilk.load("m.ilk"), ilk.dataset("csv", path="fruit.csv").load()
    encode = model[0]
    queries = encode.transform(in_python("edited")[2])
    kept = model[1].sample_indices_
    assert 0 < len(kept) < 60
    gaps = np.linalg.norm(queries[:, None] - encode.transform(data.X)[None, kept], axis=2)
    for row, gap in zip(read(folder / "a.csv"), gaps, strict=True):
        case = int(row["neighbor_1_case"]) - 1
        assert case in kept
        assert row["neighbor_1_label"] == data.y[case]
        assert float(row["neighbor_1_distance"]) == pytest.approx(gap.min())
        assert float(row["probability_A"]) + float(row["probability_B"]) == pytest.approx(1)


def respelled(rows):
    """Columns in another order, others beside them, semicolons, decimal commas, Windows text."""
    return [
        (f"Käse {i}", s.replace(".", ","), c, w.replace(".", ","))
        for i, (w, c, s) in enumerate(rows)
    ]


def test_any_spelling_gives_the_same_answers(call, fit, folder, monkeypatch):
    fit()
    call("predict", "m.ilk", "new.csv", "-o", "a.csv")
    rows = [row[:3] for row in fruit(20, 1)]
    write(folder / "x.csv", ["id", "size", "colour", "weight"], respelled(rows), ";")
    (folder / "y.csv").write_bytes(gzip.compress((folder / "x.csv").read_text().encode("cp1252")))
    write(folder / "bare.csv", *[rows[0], rows[1:]], delimiter="\t")
    monkeypatch.setattr(models, "AT_ONCE", 7)
    code, _, err = call("predict", "m.ilk", "y.csv", "-o", "b.csv", "--keep", "id")
    assert code == 0
    for note in ("Windows-1252", "';'", "decimal commas", "another order", "not used"):
        assert note in err
    assert call("predict", "m.ilk", "bare.csv", "-o", "c.csv", "--no-header")[0] == 0
    first, second, third = (read(folder / f"{name}.csv") for name in "abc")
    assert [row.pop("id") for row in second][:2] == ["Käse 0", "Käse 1"]
    assert first == second == third


WRONG = {
    "lacks the column 'colour' of the model; did you mean 'color'": "weight,color,size\n1,red,1\n",
    "a.csv:1: lacks 3 columns 'weight', 'colour', 'size'": "1,red,1\n2,red,2\n",
    "the header has the column 'size' more than once": "weight,colour,size,size\n1,red,1,2\n",
    "a.csv:3: column 'colour': the level 'rad' was not in training; did you mean 'red'?": (
        "weight,colour,size\n1,red,1\n1,rad,1\n"
    ),
    "a.csv:2: column 'weight': 'heavy' is not a finite number": "weight,colour,size\nheavy,red,1\n",
    "a.csv:2: column 'weight': 'inf' is not a finite number": "weight,colour,size\ninf,red,1\n",
    "a.csv:2: column 'weight': '1_0' is not a finite number": "weight,colour,size\n1_0,red,1\n",
    "a.csv:3: column 'weight': '1.5' is not a finite number with decimal commas": (
        "weight;colour;size\n1,5;red;1\n1.5;red;1\n"
    ),
    "'1,234' may be 1.234 or 1234; give --decimal , or .": "weight;colour;size\n1,234;red;1\n",
    "a.csv:3: the row has 2 cells, not 3": "weight,colour,size\n1,red,1\n1,red\n",
    "a.csv:2: not a delimited table": 'weight,colour,size\n"1,red,1\n',
    "has a header but no rows": "weight,colour,size\n",
    "the file is empty": "",
    "null character": "weight,colour,size\n\0",
    "column 'weight' has a missing value on line 3, and had none in training": (
        "weight,colour,size\n1,red,1\n?,red,1\n"
    ),
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_rows_are_named_and_nothing_is_written(call, fit, folder, message, monkeypatch):
    fit("means")
    (folder / "a.csv").write_text(WRONG[message])
    (folder / "out.csv").write_text("row,before")
    monkeypatch.setattr(models, "AT_ONCE", 1)  # some rows are answered before the wrong one
    code, _, err = call("predict", "m.ilk", "a.csv", "-o", "out.csv")
    assert code == 2
    assert message in err
    assert (folder / "out.csv").read_text() == "row,before"
    assert not [*folder.glob(".*")]


def test_unseen_levels_may_be_missing_values(call, fit, folder):
    fit()
    write(folder / "a.csv", ["weight", "colour", "size"], [("1", "pink", "1"), ("1", "", "1")])
    code, _, err = call("predict", "m.ilk", "a.csv", "-o", "b.csv", "--unseen", "missing")
    assert code == 0
    assert "note: column 'colour': 1 levels not in training, read as missing" in err
    assert "note: column 'weight': 2 values outside the range of training" in err
    first, second = read(folder / "b.csv")
    assert first["prediction"] == second["prediction"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("fit e.toml -o m.ilk", "say which pipeline with --pipeline (there are: 3-NN, edited"),
        ("fit e.toml --pipeline 3NN -o m.ilk", "no pipeline '3NN'; did you mean '3-NN'?"),
        ("fit e.toml --pipeline means --dataset f -o m.ilk", "no data set 'f' (there are: fruit)"),
        ("fit e.toml --pipeline means -o new.csv", "exists and is no model of ilk"),
        ("fit e.toml --pipeline means -o no/m.ilk", "there is no folder no"),
        ("predict new.csv new.csv -o a.csv", "holds no component of ilk"),
        ("predict bare.ilk new.csv -o a.csv", "does not hold the columns that it takes"),
        ("predict m.ilk new.csv -o new.csv", "is another file of this command"),
        ("fit e.toml --pipeline means -o e.toml --force", "is another file of this command"),
        ("fit e.toml --pipeline means -o fruit.csv --force", "is another file of this command"),
        ("predict m.ilk no.csv -o a.csv", "no.csv: cannot be read"),
        ("predict m.ilk new.csv -o a.csv --explain", "nearest_mean has no nearest training cases"),
        ("predict m.ilk new.csv -o a.csv --keep colr", "no column 'colr'; did you mean 'colour'?"),
        ("predict m.ilk new.csv -o a.csv --delimiter ab", "must be one character"),
    ],
)
def test_wrong_commands_are_refused(call, fit, folder, arguments, message):
    fit("means")
    ilk.save(ilk.load("m.ilk"), "bare.ilk")
    code, _, err = call(*arguments.split())
    assert code == 2
    assert message in err


def spoil(path, change):
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(parts["ilk.json"])
    change(header)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (parts | {"ilk.json": json.dumps(header)}).items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    "change",
    [
        lambda about: about["table"].pop("form"),
        lambda about: about["table"]["columns"][0].update(kind="odd"),
        lambda about: about["table"]["columns"][0].pop("name"),
        lambda about: about.update(table=3),
        lambda about: about["table"].update(dtype="odd"),
        lambda about: about.pop("missing_values"),
    ],
)
def test_a_spoiled_model_is_refused(call, fit, folder, change):
    fit("means")
    spoil(folder / "m.ilk", lambda header: change(header["about"]))
    code, _, err = call("predict", "m.ilk", "new.csv", "-o", "a.csv")
    assert code == 2
    assert "is damaged" in err


def test_other_versions_need_a_word(call, fit, folder):
    fit("means")
    spoil(folder / "m.ilk", lambda header: header["versions"].update(numpy="1.0"))
    code, _, err = call("predict", "m.ilk", "new.csv", "-o", "a.csv")
    assert code == 2
    assert "say --any-version at your own risk" in err
    assert call("predict", "m.ilk", "new.csv", "-o", "a.csv", "--any-version")[0] == 0


def test_results_give_their_pipelines(folder):
    experiment = ilk.load("e.toml").data
    experiment["evaluation"] = {"resampling": {"use": "kfold", "folds": 2}}
    experiment["datasets"] = [{"use": "csv", "path": "fruit.csv"}]
    results = run_experiment(experiment)
    assert ilk.to_spec(results.pipeline("means")) == ilk.to_spec(
        ilk.build({"steps": experiment["pipelines"][2]["steps"]})
    )
    data = ilk.dataset("csv", path="fruit.csv").load()
    fitted = results.fit("means", *data.Xy)
    assert fitted.predict(data.X).tolist() == in_python("means")[0].predict(data.X).tolist()
    with pytest.raises(ilk.InputError, match="no pipeline 'mean'; did you mean 'means'"):
        results.pipeline("mean")


def test_a_fit_has_the_seed_of_its_experiment():
    steps = [{"classifier": {"use": "random_forest", "n_members": 3}}]
    results = run_experiment(
        {
            "datasets": ["iris"],
            "pipelines": [{"id": "f", "steps": steps}],
            "evaluation": {"resampling": {"use": "holdout"}},
        }
    )
    X, y = ilk.dataset("iris").load().Xy
    first, second = (results.fit("f", X, y).predict_proba(X) for _ in range(2))
    assert np.array_equal(first, second)


def test_a_tuned_model_of_groups_is_saved(folder):
    """Its inner resampling does not divide groups, and is no part of the model."""
    X, y = ilk.dataset("iris").load().Xy
    steps = [{"classifier": {"use": "tuned", "classifier": "knn", "grid": {"k": [1, 3]}}}]
    results = run_experiment(
        {
            "datasets": ["iris"],
            "pipelines": [{"id": "t", "steps": steps}],
            "evaluation": {"resampling": {"use": "holdout"}},
        }
    )
    data = ilk.Data(X=X, y=y, groups=np.arange(150) // 2)
    fitted = results.fit("t", data)
    twin = ilk.load(ilk.save(fitted, folder / "t.ilk"))
    assert (twin.predict(X) == fitted.predict(X)).all()


def test_dates_are_read_as_in_training(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    days = [f"{day:02}.03.2024" for day in range(1, 21)]
    write(
        tmp_path / "t.csv", ["when", "class"], [(day, "AB"[i // 10]) for i, day in enumerate(days)]
    )
    (tmp_path / "e.toml").write_text(
        '[[datasets]]\nuse = "csv"\npath = "t.csv"\n[[pipelines]]\nid = "1-NN"\n'
        'steps = [{ classifier = { use = "knn", k = 1 } }]\n'
    )
    code, out, err = call("fit", "e.toml", "-o", "m.ilk")
    assert code == 0, err
    assert "when: date, 2024-03-01 to 2024-03-20" in out
    write(tmp_path / "new.csv", ["when"], [["2024-03-02"], ["2024-03-19"]])
    assert call("predict", "m.ilk", "new.csv", "-o", "a.csv", "--explain")[0] == 0
    assert [row["neighbor_1_case"] for row in read(tmp_path / "a.csv")] == ["2", "19"]
    write(tmp_path / "new.csv", ["when"], [["2024-03-02"], ["soon"]])
    code, _, err = call("predict", "m.ilk", "new.csv", "-o", "a.csv")
    assert code == 2
    assert "new.csv:3: column 'when': 'soon' is not a date" in err


@pytest.mark.parametrize("name", ["x.parquet", "x.arff"])
def test_files_of_other_formats_give_the_same_answers(call, fit, folder, name):
    fit()
    call("predict", "m.ilk", "new.csv", "-o", "a.csv")
    frame = pd.read_csv(folder / "new.csv")[["size", "colour", "weight"]]
    if name == "x.parquet":
        frame.to_parquet(folder / name)
    else:
        head = "@relation x\n@attribute size real\n@attribute colour {red,green,blue}\n"
        rows = frame.to_csv(index=False, header=False)
        (folder / name).write_text(f"{head}@attribute weight real\n@data\n{rows}")
    code, _, err = call("predict", "m.ilk", name, "-o", "b.csv")
    assert code == 0, err
    assert read(folder / "a.csv") == read(folder / "b.csv")


GERMAN = """\
[[datasets]]
use = "csv"
path = "t.csv"
date_format = "%d/%m/%Y"
[[pipelines]]
id = "1-NN"
steps = [{ classifier = { use = "knn", k = 1 } }]
"""


@pytest.fixture
def german(call, tmp_path, monkeypatch):
    """A model of incomes with decimal commas and thousands by point, and days before months."""
    monkeypatch.chdir(tmp_path)
    rows = [(f"{n}.500,0", f"0{n}/03/2024", "AB"[n // 5]) for n in range(1, 10)]
    write(tmp_path / "t.csv", ["income", "when", "class"], rows, ";")
    (tmp_path / "e.toml").write_text(GERMAN)
    code, _, err = call("fit", "e.toml", "-o", "m.ilk")
    assert code == 0, err

    def nearest(*rows, options=()):
        write(tmp_path / "new.csv", ["income", "when"], rows, ";")
        code, _, err = call("predict", "m.ilk", "new.csv", "-o", "a.csv", "--explain", *options)
        return err if code else [row["neighbor_1_case"] for row in read(tmp_path / "a.csv")]

    return nearest


def test_doubtful_spellings_are_those_of_training_or_asked_for(german, monkeypatch):
    assert german(["1500", "01/03/2024"], ["9500", "09/03/2024"]) == ["1", "9"]
    error = german(["9.500", "09/03/2024"])
    assert "'9.500' may be 9.500 or, with decimal commas as in training, 9500" in error
    assert german(["9.500", "09/03/2024"], options=["--decimal", ","]) == ["9"]
    assert german(["1.500", "2024-03-01"], options=["--decimal", "."]) == ["1"]
    month_first = ["--date-format", "%m/%d/%Y"]
    assert german(["9500", "03/09/2024"], options=month_first) == ["9"]
    monkeypatch.setattr(models, "AT_ONCE", 1)
    assert german(["1500", "01/03/2024"], ["9.500", "09/03/2024"]) == ["1", "9"]
    assert "try --decimal" in german(["1500", "01/03/2024"], ["9500.25", "09/03/2024"])


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-32", "utf-8"])
def test_columns_between_blanks_are_read_in_any_encoding(call, fit, folder, encoding):
    fit()
    call("predict", "m.ilk", "new.csv", "-o", "a.csv")
    lines = [" ".join(row).replace(" ", "  \t") for row in (row[:3] for row in fruit(20, 1))]
    (folder / "x.data").write_bytes("\n".join(lines).encode(encoding))
    code, _, err = call("predict", "m.ilk", "x.data", "-o", "b.csv", "--no-header")
    assert code == 0, err
    assert (folder / "a.csv").read_text() == (folder / "b.csv").read_text()


KEPT = [
    ("row,weight,colour,size\n7,1,red,1\n", "row", "'row' is a column of the answers"),
    ("prediction,weight,colour,size\n7,1,red,1\n", "prediction", "rename it in x.csv"),
    ("id,weight,colour,size,id\n7,1,red,1,8\n", "id", "the column 'id' twice"),
]


@pytest.mark.parametrize(("text", "name", "message"), KEPT)
def test_no_copied_column_is_lost_behind_another(call, fit, folder, text, name, message):
    fit()
    (folder / "x.csv").write_text(text)
    code, _, err = call("predict", "m.ilk", "x.csv", "-o", "a.csv", "--keep", name)
    assert (code, message in err) == (2, True)
    assert not (folder / "a.csv").exists()


def test_only_answers_are_replaced(call, fit, folder):
    fit()
    before = (folder / "fruit.csv").read_text()
    code, _, err = call("predict", "m.ilk", "new.csv", "-o", "fruit.csv")
    assert (code, "is no answers of ilk" in err) == (2, True)
    assert (folder / "fruit.csv").read_text() == before


def test_columns_without_names_are_no_columns_of_a_model(call, fit, folder):
    fit()
    (folder / "x.svm").write_text("1 1:2 2:3\n-1 1:1 3:2\n")
    code, _, err = call("predict", "m.ilk", "x.svm", "-o", "a.csv")
    assert (code, "lacks the columns 'weight', 'colour', 'size'" in err) == (2, True)


def test_a_terminated_command_leaves_no_partial_file(tmp_path):
    def write_some():
        with cleaned_up(), replacing(tmp_path / "a.csv") as file:
            file.write(b"row,")
            os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as end:
        write_some()
    assert end.value.code == 143
    assert not [*tmp_path.iterdir()]
    assert signal.getsignal(signal.SIGTERM) is before
