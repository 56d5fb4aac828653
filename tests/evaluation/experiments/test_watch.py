"""``ilk watch``: what it says of runs that go on, finished, stopped or died, and of no run."""

import io
import os
import re
import shutil
import threading
import time

import pytest
from rich.console import Console

from ilk.cli.shell import run as ilk_command
from ilk_evaluation import Store, StoreError, plan_experiment, run_experiment
from ilk_evaluation.commands.observer import Observation, Observer, State, follow, wait_for
from ilk_evaluation.commands.terminal_tables import console_on
from ilk_evaluation.lock import Lock, holder
from ilk_evaluation.run.cell import Outcome
from ilk_evaluation.run.database import lock_of
from ilk_evaluation.run.run_state import RunState
from ilk_evaluation.run.run_view import View


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.sqlite"


@pytest.fixture
def call(capsys):
    def run(*arguments):
        code = ilk_command(["watch", *map(str, arguments)])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def stop_early(make_spec, components):
    """A function that leaves a store with four of sixteen cells, as Ctrl-C does."""

    def stop(shard=None, **changes):
        fussy = make_spec.pipeline("fussy", "t_fussy", how="interrupt")
        pipelines = [make_spec.pipeline("nearest", "t_nearest"), fussy]
        with pytest.raises(KeyboardInterrupt):
            run_experiment(make_spec(pipelines=pipelines, **changes), shard=shard)

    return stop


def files(path):
    return {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in path.iterdir()}


@pytest.mark.parametrize("option", ["--interval", "--wait"])
@pytest.mark.parametrize("number", ["nan", "-1", "inf", "1e300", "x"])
def test_what_is_no_time_is_refused(call, path, option, number):
    path.touch()  # of a store that is none, another error would tell
    code, _, err = call(path, f"{option}={number}", "--once")
    assert code == 2
    assert option in err


def test_a_finished_run(call, make_spec, path):
    run_experiment(make_spec())
    before = files(path.parent)
    code, out, err = call(path)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "tiny: finished",
        "16/16 cells, 0 failed",
        f"its tables: ilk results show {path}",
    ]
    assert call(path, "--once") == (code, out, err)
    assert files(path.parent) == before  # nothing was written, not even beside it


def test_a_finished_run_with_failures(call, make_spec, path):
    run_experiment(
        make_spec(pipelines=[make_spec.pipeline("fussy", "t_fussy", features=3)]), keep_going=True
    )
    code, out, _ = call(path)
    assert code == 1
    assert "8/8 cells, 4 failed" in out
    assert "  blobs3, fussy (4 cells): ValueError: no appetite for 3 features" in out


def test_a_run_that_was_stopped(call, stop_early, path):
    stop_early()
    code, out, _ = call(path, "--wait", 0)
    assert code == 4
    assert out.startswith("tiny: stopped before its end\n5/16 cells, 0 failed\n")
    assert "run the same command again to go on" in out


def test_a_run_that_died(call, stop_early, path):
    """Its lock is left behind, but nobody holds it."""
    stop_early()
    lock_of(path).write_text("process 1 on somewhere")
    code, out, _ = call(path, "--wait", 0)
    assert (code, out.splitlines()[0]) == (5, "tiny: died before its end")
    assert lock_of(path).exists()


def test_a_run_that_goes_on(call, stop_early, path):
    stop_early()
    with Store.open(path) as store:
        store.add_pipeline("key", "[]", "{}")  # it writes ahead
        before = sorted(files(path.parent))
        began = lock_of(path).stat().st_mtime - 100
        os.utime(lock_of(path), (began, began))
        code, out, _ = call(path, "--once")
        assert sorted(files(path.parent)) == before
    assert code == 0
    assert out.startswith("tiny: running\n5/16 cells, 0 failed, about ")


def test_a_run_that_has_the_store_but_has_not_begun_tells_no_time_of_the_one_before(
    call, stop_early, path
):
    stop_early()
    with Store.open(path):
        later = lock_of(path).stat().st_mtime + 100
        os.utime(lock_of(path), (later, later))
        code, out, _ = call(path, "--once")
    assert (code, out) == (0, "tiny: running\n5/16 cells, 0 failed\n")


def test_a_run_that_is_about_to_go_on_is_not_taken_for_stopped(make_spec, stop_early, path):
    stop_early()
    held = []
    runner = threading.Timer(0.3, lambda: held.append(Store.open(path)))
    runner.start()
    assert wait_for(Observer(path), 60, resumed=True).state is State.RUNNING
    runner.join()
    held[0].close()
    assert wait_for(Observer(path), 0.2, resumed=True).state is State.STOPPED
    assert wait_for(Observer(path), 60).state is State.STOPPED  # at once, as --once says it


def test_a_shard_is_followed_to_its_own_end(call, make_spec, path):
    run_experiment(make_spec(), shard=(1, 4))
    n = len(plan_experiment(make_spec()).cells) // 4
    code, out, err = call(path)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "tiny, shard 1/4: finished",
        f"{n}/{n} cells, 0 failed",
        f"its tables: ilk results show {path}",
        "join the stores of all shards by: ilk results merge OUT STORE...",
    ]
    run_experiment(make_spec(), shard=(3, 4))  # into the same store
    assert f"tiny, shard 3/4: finished\n{2 * n}/{2 * n} cells, 0 failed\n" in call(path)[1]
    run_experiment(make_spec())
    assert f"tiny: finished\n{4 * n}/{4 * n} cells, 0 failed\n" in call(path)[1]


def test_a_shard_that_was_stopped(call, stop_early, path):
    stop_early(shard=(2, 2))
    code, out, _ = call(path, "--wait", 0)
    assert code == 4
    assert out.splitlines()[0] == "tiny, shard 2/2: stopped before its end"
    assert re.match(r"\d/8 cells, 0 failed", out.splitlines()[1])
    code, out, _ = call(path, "--once")
    assert code == 4


def test_the_last_cells_before_a_kill_count_as_the_end(call, make_spec, path):
    run_experiment(make_spec())
    lock_of(path).touch()
    assert call(path)[0] == 0


def test_no_store(call, path, make_spec, tmp_path):
    start = time.monotonic()
    code, out, err = call(path, "--wait", 0.3)
    assert (code, out) == (2, "")
    assert "there is no such store" in err
    assert 0.3 <= time.monotonic() - start < 60
    run_experiment(make_spec())
    assert "did you mean 'store.sqlite'?" in call(tmp_path / "stor.sqlite", "--wait", 0)[2]


@pytest.mark.parametrize(
    ("name", "words"), [("a.toml", "description of an experiment"), ("notes", "is not a store")]
)
def test_what_will_never_be_a_store_is_said_at_once(call, tmp_path, name, words):
    (tmp_path / name).write_text("nothing of the kind\n" * 10)
    start = time.monotonic()
    code, _, err = call(tmp_path / name, "--wait", 600)
    assert code == 2
    assert words in err
    assert time.monotonic() - start < 60
    assert call(tmp_path)[0] == 2
    assert call(".")[0] == 2


def test_a_store_without_a_run(call, path):
    Store.open(path).close()
    code, _, err = call(path)
    assert (code, "holds no run yet" in err) == (2, True)


def test_it_waits_for_a_store_to_come(make_spec, path):
    plan = plan_experiment(make_spec())
    runner = threading.Timer(0.3, lambda: run_experiment(plan))
    runner.start()
    sight = wait_for(Observer(path), 60)
    runner.join()
    assert sight.name == "tiny"
    assert sight.view.run_state.total == 16


def test_it_follows_to_the_end(make_spec, path, with_component, components):
    class Slow(components["t_nearest"]):
        def fit(self, X, y):
            time.sleep(0.03)
            return super().fit(X, y)

    with_component("classifier", "t_slow", Slow)
    plan = plan_experiment(make_spec(pipelines=[make_spec.pipeline("slow", "t_slow")]))
    runner = threading.Timer(0.1, lambda: run_experiment(plan))
    runner.start()
    watch, file = Observer(path), io.StringIO()
    first = wait_for(watch, 60)
    last = follow(watch, first, console_on(file), 0.05, 10)
    runner.join()
    assert last.state is State.FINISHED
    lines = file.getvalue().splitlines()
    assert all(" cells, 0 failed" in line for line in lines)
    counts = [int(line.partition("/")[0]) for line in lines]
    assert counts == sorted(set(counts))
    assert [each.name for each in path.parent.iterdir()] == [path.name]  # it was settled


def test_other_files_and_other_runs_take_its_place(make_spec, path, tmp_path):
    run_experiment(make_spec())
    watch = Observer(path)
    assert watch.look().view.run_state.total == 16
    other = make_spec(
        datasets=[{"use": "t_blobs"}],
        experiment={"name": "other"},
        output={"store": str(tmp_path / "other.sqlite")},
    )
    run_experiment(other)
    shutil.move(tmp_path / "other.sqlite", path)
    sight = watch.look()
    assert (sight.name, sight.view.run_state.total, sight.view.run_state.done) == ("other", 8, 8)
    run_experiment(make_spec(experiment={"name": "third", "seed": 9}))
    sight = watch.look()
    assert (sight.name, sight.view.run_state.total, sight.view.run_state.done) == ("third", 16, 16)
    path.unlink()
    with pytest.raises(StoreError, match="no such store"):
        watch.look()


def test_cells_that_are_run_again_count_once(make_spec, path, components):
    spec = make_spec(pipelines=[make_spec.pipeline("fussy", "t_fussy")])
    run_experiment(spec, keep_going=True)
    watch = Observer(path)
    run_state = watch.look().view.run_state
    assert (run_state.done, run_state.failed) == (8, 8)
    plan = plan_experiment(spec)
    with Store.open(path) as store:  # as a run does that tries three of them again
        number = store.runs()[-1]["id"]
        test = next(plan.splits(0)).test
        for cell in plan.cells[:3]:
            outcome = Outcome(codes=test * 0, fit_seconds=0.1, predict_seconds=0.1)
            own = {"run": number, "pipeline": plan.pipelines[0].key, "split": cell.split_key}
            store.put(cell.key, outcome, fingerprint="", test=test, **own)
    run_state = watch.look().view.run_state
    assert (run_state.done, run_state.failed, run_state.left.sum()) == (8, 5, 0)
    assert "(1 cell)" in run_state.failures()[0] or run_state.n_failures == 2
    run_experiment(spec, fresh=True, keep_going=True)
    run_state = watch.look().view.run_state
    assert (run_state.done, run_state.failed) == (8, 8)


def test_what_others_wrote_into_the_store_does_not_count(make_spec, path):
    run_experiment(make_spec())
    run_experiment(make_spec(pipelines=[make_spec.pipeline("lot", "t_lot")]))
    run_state = Observer(path).look().view.run_state
    assert (run_state.total, run_state.done) == (8, 8)


class Script:
    """A watch that sees what it is told, or fails."""

    path = None

    def __init__(self, path, *scenes):
        self.path = path
        self.scenes = list(scenes)

    def look(self, seconds=0.0):
        scene = self.scenes.pop(0) if len(self.scenes) > 1 else self.scenes[0]
        if isinstance(scene, Exception):
            raise scene
        return scene


@pytest.fixture
def sights(make_spec):
    run_state = RunState(plan_experiment(make_spec()).design)
    view = View(run_state, None, time.monotonic() - 1)
    return {state: Observation("tiny", state, view) for state in State}


@pytest.mark.parametrize("terminal", [False, True])
def test_a_store_that_is_held_for_a_moment_is_waited_for(sights, path, terminal):
    busy = StoreError("database is locked")
    running, stopped = sights[State.RUNNING], sights[State.STOPPED]
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=80)
    script = Script(path, busy, OSError("gone"), running, stopped)
    assert follow(script, running, console, 0.01, 5) is stopped
    assert "0/16 cells" in file.getvalue()
    with pytest.raises(StoreError, match="locked"):
        follow(Script(path, busy), running, console, 0.01, 0.05)
    if terminal:
        assert file.getvalue().count("\x1b[?25l") == file.getvalue().count("\x1b[?25h") == 2


def test_ctrl_c_while_the_display_starts_gives_the_terminal_back(sights, path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("rich.live._RefreshThread.start", interrupted)  # the cursor is hidden
    running = sights[State.RUNNING]
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=80)
    with pytest.raises(KeyboardInterrupt):
        follow(Script(path), running, console, 0.01, 0.05)
    assert file.getvalue().count("\x1b[?25l") == file.getvalue().count("\x1b[?25h") == 1


def test_ctrl_c_ends_the_watch_only(call, sights, monkeypatch, path):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("ilk_evaluation.commands.observer.wait_for", interrupted)
    code, out, _ = call(path)
    assert (code, out) == (130, "")


def test_looking_at_a_lock_does_not_take_it(tmp_path):
    path = tmp_path / "lock"
    assert holder(path) is None
    assert not path.exists()
    lock = Lock(path)
    assert holder(path).startswith(f"process {os.getpid()} on ")
    lock.release()
    assert holder(path) is None
    path.touch()
    fcntl = pytest.importorskip("fcntl", reason="of POSIX")
    with path.open() as file:
        fcntl.flock(file, fcntl.LOCK_SH)  # somebody looks
        threading.Timer(0.2, lambda: fcntl.flock(file, fcntl.LOCK_UN)).start()
        Lock(path).release()
