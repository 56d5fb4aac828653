"""Cells that die, never end or fail: recorded, answered by a fallback, run again, run alone."""

import re

import pytest

import ilk
from ilk_evaluation import StoreError, run_experiment
from ilk_evaluation.results.failures import lines


def loky(workers):
    return f'{{ use = "loky", workers = {workers}, timeout = 3 }}'


def errors(shell):
    return {row[3] for row in shell.cells().values()}


def test_a_deadly_cell_is_recorded_and_no_other_is_blamed(shell):
    deadly = {how: f'{{ use = "deadly", how = "{how}" }}' for how in ("segfault", "spin")}
    said = {
        "segfault": "the worker died: SIGSEGV(-11)",
        "spin": "exceeded the time limit of 3 s",
    }
    shell.write(pipelines={**deadly, "slow": '"slow"'}, executor=loky(2), repeats=None)
    code, out, err = shell.here("--quiet", "--keep-going")
    assert (code, err) == (1, "")
    for how in deadly:
        assert f"wine, {how} (1 cell): {said[how]}" in out
    assert len(shell.cells()) == 6
    failures = ilk.results(shell.store).failures
    assert dict(zip(failures["pipeline"], failures["error"], strict=True)) == said
    assert errors(shell) == {None, *said.values()}
    assert failures["traceback"].str.contains("calamity.py").all()
    shown = "\n".join(lines(ilk.results(shell.store), "e.toml"))
    assert shown.count("calamity.py") >= 2
    assert "scheduler.py" not in shown
    assert shell.left_over() == []


def test_serial_has_no_time_limit_to_set(shell):
    shell.write(pipelines={"slow": '"slow"'}, executor='{ use = "serial", timeout = 60 }')
    code, _, err = shell.here()
    assert code == 2
    assert "run.executor.timeout: serial has no parameter 'timeout'" in err


def test_a_death_once_is_forgotten(shell):
    once = shell.folder / "died"
    deadly = f'{{ use = "deadly", how = "kill", once = "{once}" }}'
    pipelines = {"deadly": deadly, "slow": '"slow"'}
    shell.write(pipelines=pipelines, executor=loky(1), repeats=None, datasets=["wine"])
    code, _, err = shell.here("--quiet")
    assert once.exists()
    assert (code, err) == (0, "")
    assert errors(shell) == {None}


@pytest.fixture
def spec(installed, tmp_path):
    """An experiment in which half the cells of a pipeline fail, as tables."""

    def make(**run):
        deadly = {"use": "deadly", "how": "fail"}
        return {
            "datasets": ["iris", "wine"],
            "pipelines": [
                {"id": "deadly", "steps": [{"classifier": deadly}]},
                {"id": "slow", "steps": [{"classifier": "slow"}]},
            ],
            "evaluation": {"resampling": {"use": "kfold", "folds": 2}},
            "run": run,
            "output": {"store": str(tmp_path / "x.sqlite")},
        }

    return make


FALLBACK = {"on_error": "fallback", "fallback": "nearest_mean"}


@pytest.fixture
def told():
    """Listeners that remember the cells they are told of."""

    class Remember:
        def __init__(self):
            self.cells = []

        @ilk.hookimpl
        def ilk_cell_finished(self, cell):
            self.cells.append(cell)

    remember = Remember()
    remember.listeners = ilk.Listeners(remember)
    return remember


def run(spec, told, **options):
    """Run; return the results and how many cells were fitted."""
    before = len(told.cells)
    results = run_experiment(spec, listeners=told.listeners, keep_going=True, **options)
    return results, len(told.cells) - before


@pytest.mark.parametrize("executor", ["serial", {"use": "loky", "workers": 1}])
def test_a_fallback_answers_and_is_counted_apart(spec, told, executor):
    results, n_run = run(spec(executor=executor, **FALLBACK), told)
    assert n_run == 8
    table = results.table().set_index(["dataset", "pipeline"])
    assert table["n_fallback"].to_dict() == {
        ("iris", "deadly"): 0,
        ("iris", "slow"): 0,
        ("wine", "deadly"): 2,
        ("wine", "slow"): 0,
    }
    assert table["n_failed"].sum() == 0
    assert table["error"].notna().all()
    failures = results.failures
    assert set(failures["error"]) == {"ValueError: no appetite"}
    assert failures["traceback"].str.contains("in fail").all()
    assert failures["fallback"].all()
    answered = [cell for cell in told.cells if cell.fallback]
    assert {(cell.dataset, cell.pipeline, cell.error) for cell in answered} == {
        ("wine", "deadly", "ValueError: no appetite")
    }
    direct = ilk.Pipeline([{"classifier": "nearest_mean"}])
    data = ilk.dataset("wine").load()
    for _, prediction in results.predictions(dataset="wine", pipeline="deadly"):
        train = [i for i in range(len(data)) if i not in set(prediction.indices)]
        expected = direct.fit(data.X[train], data.y[train]).predict(data.X[prediction.indices])
        assert (prediction.labels == expected).all()


def test_a_failed_cell_is_run_again_when_it_is_to_be_dealt_with_differently(spec, told):
    assert run(spec(), told)[1] == 8
    assert run(spec(), told)[1] == 0
    assert run(spec(), told, retry_failed=True)[1] == 2
    answered, n_run = run(spec(**FALLBACK), told)
    assert (answered.n_failed, n_run) == (0, 2)
    assert run(spec(**FALLBACK), told)[1] == 0
    assert run(spec(**FALLBACK), told, retry_failed=True)[1] == 2
    other = {**FALLBACK, "fallback": {"use": "knn", "k": 3}}
    assert run(spec(**other), told)[1] == 2
    recorded, n_run = run(spec(), told)
    assert (recorded.n_failed, n_run) == (2, 2)
    assert run(spec(), told, fresh=True)[1] == 8


@pytest.mark.parametrize(
    ("run_table", "message"),
    [
        ({"on_error": "fallback"}, "run.on_error: is 'fallback', so run.fallback must name"),
        ({"fallback": "knn"}, "run.fallback: has no effect without on_error = 'fallback'"),
        ({"on_error": "fallback", "fallback": "lda2"}, "run.fallback: there is no classifier"),
    ],
)
def test_a_fallback_goes_with_on_error(spec, run_table, message):
    with pytest.raises(ilk.SpecError, match=message):
        run_experiment(spec(**run_table))


@pytest.fixture
def command(spec, tmp_path, capsys):
    """Return a function that runs ``ilk run`` on the experiment, in this process."""
    from ilk.cli.shell import run as ilk_command

    file = tmp_path / "x.toml"
    file.write_text(
        'datasets = ["iris", "wine"]\n'
        '[[pipelines]]\nid = "deadly"\n'
        'steps = [{ classifier = { use = "deadly", how = "fail" } }]\n'
        '[[pipelines]]\nid = "slow"\nsteps = [{ classifier = "slow" }]\n'
        '[evaluation]\nresampling = { use = "kfold", folds = 2 }\n'
        '[run]\nexecutor = { use = "loky", workers = 2 }\n'
        'on_error = "record"\n'
    )

    def call(*arguments, debug=False, on_error="record"):
        file.write_text(re.sub("on_error = .*", f'on_error = "{on_error}"', file.read_text()))
        code = ilk_command([*(["--debug"] if debug else []), "run", str(file), *arguments])
        return code, *capsys.readouterr()

    return call


def test_one_cell_alone(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command("--quiet", "--executor", "serial", "--keep-going")[0] == 1
    results = ilk.results(tmp_path / "results" / "x.sqlite")
    keys = results.failures["key"]
    where = r"wine, deadly, repeat 0, fold 0 failed: ValueError: no appetite"
    code, out, err = command("--only", keys[0][:12], "--executor", "serial")
    assert (code, out, err) == (1, "", f"{where}\n")
    code, _, err = command("--only", keys[0], "--executor", "serial", debug=True)
    assert code == 1
    assert "in fail\n    raise ValueError" in err

    import calamity

    monkeypatch.setitem(calamity.HOW, "fail", lambda: None)
    code, out, err = command("--only", keys[0], "--executor", "serial")
    assert (code, err) == (0, "")
    assert out.startswith("wine, deadly, repeat 0, fold 0: done, fit ")
    assert list(ilk.results(tmp_path / "results" / "x.sqlite").failures["key"]) == [keys[1]]


def test_the_first_failure_ends_it_where_that_is_wanted(command):
    arguments = ("--quiet", "--executor", "serial", "--keep-going")
    code, out, err = command(*arguments, on_error="raise")
    assert (code, out) == (1, "")
    first, second = err.splitlines()
    assert first == "wine, deadly, repeat 0, fold 0 failed: ValueError: no appetite"
    assert second.startswith("4 of 8 cells are kept in ")
    code, _, err = command(*arguments, on_error="raise", debug=True)
    assert code == 1
    assert "in fail\n    raise ValueError" in err


def test_a_key_of_no_cell_or_of_several_is_an_error(command):
    code, _, err = command("--only", "xyz")
    assert (code, err.count("no cell has this key")) == (2, 1)
    code, _, err = command("--only", "")
    assert (code, err.count("8 cells have a key that begins so")) == (2, 1)


def test_an_executor_that_is_none(command):
    code, _, err = command("--executor", "serail")
    assert code == 2
    assert "there is no executor 'serail'; did you mean 'serial'?" in err


def test_store_errors_say_what_is_kept(spec, told, monkeypatch):
    from ilk_evaluation import Store

    usual, calls = Store.put, []

    def put(self, *args, **keywords):
        calls.append(args)
        if len(calls) > 1:
            raise StoreError("x.sqlite: cannot be written: the disk is full")
        return usual(self, *args, **keywords)

    monkeypatch.setattr(Store, "put", put)
    with pytest.raises(StoreError, match="the disk is full\n1 of 8 cells are kept in it"):
        run(spec(), told)
    monkeypatch.undo()
    assert run(spec(), told)[1] == 7
