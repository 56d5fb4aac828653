"""Bad experiments: one clear message each, with file, line, path, value and suggestion."""

import os
import re

import pytest

import ilk
from cases import in_one_test, unix_only
from ilk.cli.shell import run as ilk_command
from ilk_evaluation import plan_experiment

GOOD = """\
[experiment]
seed = 1
[[datasets]]
use = "t_blobs"
[[pipelines]]
id = "first"
steps = [{ transformer = "standardize" }, { classifier = { use = "knn", k = 1 } }]
[evaluation]
resampling = { use = "kfold", folds = 2 }
"""


@pytest.fixture
def complain(tmp_path, monkeypatch, capsys):
    """Return a function that runs a bad experiment and returns its complaint, line by line."""
    monkeypatch.chdir(tmp_path)

    def run(text, *options):
        (tmp_path / "bad.toml").write_text(text)
        before = sorted(tmp_path.rglob("*"))
        code = ilk_command(["run", "bad.toml", *options])
        out, err = capsys.readouterr()
        assert code == 2
        assert out == ""
        assert "Traceback" not in err
        assert sorted(tmp_path.rglob("*")) == before  # nothing was written
        first, *more = err.splitlines()
        assert first.startswith("Error: ")
        return more if first.endswith(" problems") else [first.removeprefix("Error: "), *more]

    return run


def changed(old, new):
    assert old in GOOD
    return GOOD.replace(old, new)


GRAMMAR = {
    "component": (
        changed('"standardize"', '"standardise"'),
        (
            r"bad\.toml:7: pipelines\[0\]\.steps\[0\]\.transformer: there is no transformer "
            r"'standardise'; did you mean 'standardize'\?"
        ),
    ),
    "dataset": (
        changed('"t_blobs"', '"t_blob"'),
        r"bad\.toml:4: datasets\[0\]\.use: there is no dataset 't_blob'; did you mean 't_blobs'\?",
    ),
    "parameter": (
        changed("k = 1", "kk = 1"),
        r"bad\.toml:7: pipelines\[0\]\.steps\[1\]\.classifier\.kk: knn has no parameter 'kk'.*",
    ),
    "table": (
        changed("[evaluation]", "[evalution]"),
        r"bad\.toml:8: evalution: unknown key 'evalution'; did you mean 'evaluation'\? .*",
    ),
    "key": (
        changed("seed", "sede"),
        r"bad\.toml:2: experiment\.sede: unknown key 'sede'; did you mean 'seed'\? .*",
    ),
    "type": (
        changed("k = 1", 'k = "one"'),
        (
            r"bad\.toml:7: pipelines\[0\]\.steps\[1\]\.classifier\.k: must be an integer >= 1, "
            r"got 'one'"
        ),
    ),
    "range": (
        changed("folds = 2", "folds = 1"),
        r"bad\.toml:9: evaluation\.resampling\.folds: must be an integer >= 2, got 1",
    ),
    "seed": (
        changed("seed = 1", "seed = -1"),
        r"bad\.toml:2: experiment\.seed: must be an integer >= 0, .*, got -1",
    ),
    "seed that no store can hold": (
        changed("seed = 1", "seed = 9223372036854775808"),
        r"bad\.toml:2: experiment\.seed: must be an integer of at most 64 bits, got 92233720.*",
    ),
    "wrong kind of step": (
        changed('transformer = "standardize"', 'transformer = "knn"'),
        (
            r"bad\.toml:7: pipelines\[0\]\.steps\[0\]\.transformer: there is no transformer 'knn'"
            r".*; 'knn' is a classifier and a regressor"
        ),
    ),
    "no kind of step": (
        changed('transformer = "standardize"', 'distance = "euclidean"'),
        r"bad\.toml:7: pipelines\[0\]\.steps\[0\]\.distance: a distance cannot be a step .*",
    ),
    "on_error": (
        GOOD + '[run]\non_error = "rise"\n',
        (
            r"bad\.toml:11: run\.on_error: must be 'record' or 'raise' or 'fallback', got 'rise'; "
            r"did you mean 'raise'\?"
        ),
    ),
    "no pipeline": (
        GOOD[: GOOD.index("[[pipelines]]")],
        r"bad\.toml: 'pipelines' is missing",
    ),
    "not TOML": (changed("seed = 1", "seed = "), r"bad\.toml:2: not valid TOML: .*"),
}


@in_one_test
@pytest.mark.parametrize("case", GRAMMAR)
def test_mistakes_of_grammar(complain, case):
    text, expected = GRAMMAR[case]
    (message,) = complain(text)
    assert re.fullmatch(expected, message), message


BEYOND = {
    "no classifier": (
        changed(', { classifier = { use = "knn", k = 1 } }', ""),
        (
            "bad.toml:7: pipelines[0].steps: a pipeline without a predictor: the last step must "
            "be one (classifier, regressor, detector, clusterer), it is of kind transformer"
        ),
    ),
    "editor last": (
        changed('{ classifier = { use = "knn", k = 1 } }', '{ editor = "enn" }'),
        (
            "bad.toml:7: pipelines[0].steps: a pipeline without a predictor: the last step must "
            "be one (classifier, regressor, detector, clusterer), it is of kind editor; the cases "
            "that an editor keeps are judged by the classifier after it: append { classifier = "
            '{ use = "knn", k = 1 } }'
        ),
    ),
    "metric learner last": (
        changed('{ classifier = { use = "knn", k = 1 } }', '{ metric_learner = "rca" }'),
        (
            "bad.toml:7: pipelines[0].steps: a pipeline without a predictor: the last step must "
            "be one (classifier, regressor, detector, clusterer), it is of kind metric_learner; a "
            "learned metric is judged by the classifier after it: append { classifier = "
            '"knn" }'
        ),
    ),
    "classifier first": (
        changed('{ transformer = "standardize" }', '{ classifier = "knn" }'),
        (
            "bad.toml:7: pipelines[0].steps[0]: a classifier ends a pipeline, so it must be the "
            "last step"
        ),
    ),
    "no steps": (
        changed('{ transformer = "standardize" }, { classifier = { use = "knn", k = 1 } }', ""),
        "bad.toml:7: pipelines[0].steps: a pipeline needs at least one step, its predictor",
    ),
    "no data sets": (
        "datasets = []\n" + GOOD.replace('[[datasets]]\nuse = "t_blobs"\n', ""),
        "bad.toml:1: datasets: needs at least 1, got an empty list",
    ),
    "no measures": (
        GOOD + "measures = []\n",
        "bad.toml:10: evaluation.measures: needs at least 1, got an empty list",
    ),
    "a data set twice": (
        GOOD + '[[datasets]]\nuse = "t_blobs"\nn = 24\n',
        "bad.toml:10: datasets[1]: is the same as datasets[0]; leave one out",
    ),
    "a measure twice": (
        GOOD + 'measures = ["error", "accuracy", "error"]\n',
        "bad.toml:10: evaluation.measures[2]: is the same as evaluation.measures[0]; leave one out",
    ),
    "an id twice": (
        GOOD + '[[pipelines]]\nid = "first"\nsteps = [{ classifier = "knn" }]\n',
        "bad.toml:11: pipelines[1].id: 'first' is already the id of pipelines[0]",
    ),
    "an id with blanks": (
        changed('"first"', '"first "'),
        "bad.toml:6: pipelines[0].id: must be printable, without blanks at its ends, got 'first '",
    ),
    "an empty id": (
        changed('"first"', '" "'),
        "bad.toml:6: pipelines[0].id: must not be empty",
    ),
}


@in_one_test
@pytest.mark.parametrize("case", BEYOND)
def test_mistakes_beyond_grammar(complain, case):
    text, expected = BEYOND[case]
    assert complain(text) == [expected]


def test_everything_wrong_is_said_at_once_in_the_order_of_the_file(complain):
    text = changed("seed = 1", "seed = 1.5").replace("k = 1", "k = 0")
    text = text.replace("folds = 2", "fold = 2")
    text += '[[pipelines]]\nid = "first"\nsteps = [{ transformer = "standardize" }]\n'
    messages = complain(text)
    lines = [int(message.split(":")[1]) for message in messages]
    assert lines == [2, 7, 9, 11, 12]


def test_a_missing_file_is_named_with_its_neighbour(complain, capsys):
    complain(changed("k = 1", "k = 0"))
    assert ilk_command(["run", "bed.toml"]) == 2
    assert capsys.readouterr().err == (
        "Error: bed.toml: cannot be read: No such file or directory; did you mean 'bad.toml'?\n"
    )


TABLES = {
    "no target": ("a,b,kind\n1,2,x\n3,4,y\n", r"target names no column: 'class'.*"),
    "ragged": ("a,b,class\n1,2,x\n3,y\n", r":3: the row has 2 cells, the header 3"),
    "not a number": ("a,b,class\n1,2,x\n3,oops,y\n", r":3: .*'b'.*'oops'.*"),
    "empty": ("", r"the file is empty.*"),
    "no rows": ("a,b,class\n", r".*no rows.*"),
    "one class": ("a,b,class\n1,2,x\n3,4,x\n", r".*'x'.*"),
}


@pytest.mark.parametrize("case", TABLES)
def test_mistakes_of_data_name_the_data_set_and_the_file(complain, tmp_path, case):
    table, expected = TABLES[case]
    (tmp_path / "data.csv").write_text(table)
    (message,) = complain(changed('use = "t_blobs"', 'use = "csv"\npath = "data.csv"'))
    head, path, rest = message.partition("data.csv")
    assert head.startswith("bad.toml:5: datasets[0].path: ")
    assert re.search(expected, path + rest), message


def test_a_quantity_is_no_target(complain, tmp_path):
    rows = "".join(f"{i},{i / 4}\n" for i in range(21))
    (tmp_path / "data.csv").write_text(f"a,class\n{rows}")
    (message,) = complain(changed('use = "t_blobs"', 'use = "csv"\npath = "data.csv"'))
    assert message == (
        "bad.toml:5: datasets[0].path: data: its target has 21 different values with decimals, "
        "such as '0.0': a quantity, no classes; a regressor predicts it"
    )


@pytest.mark.parametrize(
    "labels",
    [
        [f"3.{i}" for i in range(20)],  # as versions are called
        [f"{i}.0" for i in range(30)],
        [*map(str, range(30)), "2.5.1"],
        [*(f"{i}.5" for i in range(30)), "inf", "unknown"],
    ],
    ids=["few", "whole", "dots", "words"],
)
def test_numbers_may_be_names_of_classes(make_spec, tmp_path, labels):
    rows = "".join(f"{i},{label}\n" for i, label in enumerate(2 * labels))
    (tmp_path / "data.csv").write_text(f"a,class\n{rows}")
    spec = make_spec(datasets=[{"use": "csv", "path": str(tmp_path / "data.csv")}])
    assert plan_experiment(spec).n_cells > 0


def test_a_missing_table_is_named_with_its_neighbour(complain, tmp_path):
    (tmp_path / "fruit.csv").write_text("a,class\n1,x\n2,y\n")
    (message,) = complain(changed('use = "t_blobs"', 'use = "csv"\npath = "friut.csv"'))
    assert message.startswith("bad.toml:5: datasets[0].path: ")
    assert message.endswith("did you mean 'fruit.csv'?")


def test_all_data_are_checked_before_the_first_fit(complain, components):
    text = GOOD.replace('use = "knn", k = 1', 'use = "t_nearest"')
    text += '[[datasets]]\nuse = "t_blobs"\nclasses = ["a"]\n'
    text += '[[datasets]]\nuse = "csv"\npath = "none.csv"\n'
    one_class, no_file = complain(text)
    assert one_class == (
        "bad.toml:10: datasets[1]: blobs2: has 1 class ('a'); a classifier needs at least two"
    )
    assert no_file.startswith("bad.toml:15: datasets[2].path: ")
    assert components["t_nearest"].fits == 0


def test_data_that_cannot_be_split_are_named(complain):
    (message,) = complain(changed("folds = 2", "folds = 25"))
    assert message == (
        "bad.toml:9: evaluation.resampling: cannot split blobs2: "
        "kfold: folds = 25, but there are 24 cases"
    )


OUTPUT = '[output]\nstore = "out.sqlite"\n'


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_store_that_is_none_is_refused(complain, tmp_path, options):
    (tmp_path / "out.sqlite").write_text("not a database, but long enough to be read as one\n" * 9)
    (message,) = complain(GOOD + OUTPUT, *options)
    assert re.fullmatch(
        r"bad\.toml:11: output\.store: .*out\.sqlite: is not a store of ilk", message
    )


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_store_that_cannot_be_written_is_refused(complain, tmp_path, options):
    (tmp_path / "out.sqlite").mkdir()
    (message,) = complain(GOOD + OUTPUT, *options)
    assert re.fullmatch(r"bad\.toml:11: output\.store: .*: is a folder, not a file", message)


def test_a_store_asked_for_on_the_command_line_is_named_as_such(complain, tmp_path):
    (tmp_path / "folder").mkdir()
    assert complain(GOOD + OUTPUT, "--store", "folder") == ["folder: is a folder, not a file"]


def test_a_plan_too_large_to_be_meant_is_refused_at_once(complain):
    text = changed("folds = 2", "folds = 2, repeats = 1_000_000_000")
    (message,) = complain(text.replace('"kfold"', '"repeated_kfold"'))
    assert "the plan would have more than 1,000,000 cells" in message


@in_one_test
@pytest.mark.parametrize(
    ("store", "said"),
    [
        ("", "must be a path, got ''"),
        ("a\\u0000b", "must be a path"),
        ("~no_such_user/x", "must be a path"),
        ("a\\nb.sqlite", "must be a path without control characters"),
        (".", "must end in .sqlite"),
        ("~/.ssh/authorized_keys", "must end in .sqlite"),
        ("x" * 300 + ".sqlite", "File name too long"),
        ("/proc/none/x.sqlite", "is neither in the folder of the file nor in the working folder"),
        ("../x.sqlite", "is neither in the folder of the file nor in the working folder"),
    ],
)
def test_stores_at_odd_places_are_refused(complain, store, said):
    message = "".join(complain(f'{GOOD}\n[output]\nstore = "{store}"\n'))
    assert said in message
    assert "output.store" in message or len(store) > 200


def test_a_trusted_file_writes_elsewhere(complain):
    message = "".join(complain(f'{GOOD}\n[output]\nstore = "/proc/none/x.sqlite"\n', "--trust"))
    assert "cannot be written: No such file or directory" in message


@in_one_test
@pytest.mark.parametrize("link", ["", "-wal", "-journal", "-shm", ".lock"])
def test_no_link_leads_out_of_the_folder(complain, tmp_path, tmp_path_factory, link):
    theirs = tmp_path_factory.mktemp("theirs") / "precious"
    theirs.write_text("kept")
    (tmp_path / "results").mkdir(exist_ok=True)
    place = tmp_path / "results" / f"bad.sqlite{link}"
    place.symlink_to(theirs)
    message = "".join(complain(GOOD))
    assert "is a link, no part of a store" in message if link else "must end in .sqlite" in message
    assert theirs.read_text() == "kept"
    place.unlink()


def test_an_address_needs_trust(complain, tmp_path):
    """Of every executor that has one, also where the command line names another one."""
    text = f'{GOOD}[run]\nexecutor = {{ use = "dask", address = "tcp://evil:1" }}\n'
    for options in ((), ("--executor", "serial")):
        (message,) = complain(text, *options)
        assert message.startswith("bad.toml:11: run.executor.address: is taken from a file only if")
    assert plan_experiment(tmp_path / "bad.toml").executor.address == "tcp://evil:1"


def test_an_address_of_the_command_line(complain, tmp_path, monkeypatch):
    seen = []

    def keep(plan, **_):
        seen.append(plan.executor)
        raise ilk.InputError("seen")

    (message,) = complain(GOOD, "--address", "tcp://mine:1")
    assert message.startswith("address: serial has no parameter 'address'")
    monkeypatch.setattr("ilk_evaluation.experiment.run_experiment", keep)
    complain(GOOD, "--executor", "dask", "--address", "tcp://mine:1")
    assert seen.pop().address == "tcp://mine:1"


def test_an_address_of_the_user(monkeypatch):
    monkeypatch.setenv("ILK_DASK_ADDRESS", "ours.json")
    with (
        pytest.raises(ilk.IlkError, match=r"^ours\.json: is neither the address nor the file"),
        ilk.executor("dask").open(),
    ):
        pass
    assert ilk.executor("dask", workers=3).n_workers == 3


def test_names_are_printable(complain):
    (message,) = complain(changed("seed = 1", 'name = "a\\nssh-rsa AAAA"'))
    assert message == "bad.toml:2: experiment.name: must be printable, got 'a\\nssh-rsa AAAA'"


def test_a_message_does_not_steer_the_terminal(complain):
    (message,) = complain(changed("seed = 1", '"\\u001b[2J" = 1'))
    assert message.isprintable()


@unix_only
@in_one_test
@pytest.mark.parametrize("use", ["csv", "arff", "parquet"])
@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_devices_and_pipes_are_no_data(complain, tmp_path, use, kind):
    path = tmp_path / f"{kind}-{use}"
    if kind == "pipe":
        os.mkfifo(path)
    path = path if kind == "pipe" else "/dev/zero"
    (message,) = complain(changed('use = "t_blobs"', f'use = "{use}"\npath = "{path}"'))
    assert message.endswith(f"{path}: cannot be read: it is a device or a pipe, not a file")


def test_a_short_file_is_no_empty_store(complain, tmp_path):
    path = tmp_path / "one.sqlite"
    path.write_text("A")
    (message,) = complain(f'{GOOD}\n[output]\nstore = "{path}"\n')
    assert "is not a store of ilk" in message
    assert path.read_text() == "A"
