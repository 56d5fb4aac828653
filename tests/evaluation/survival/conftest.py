"""A distribution of components that misbehave, and the command line run with it installed."""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import ilk

MODULE = '''
"""Classifiers that take their time, die or never end, and a listener that writes a log."""

import ctypes
import json
import os
import re
import signal
import sys
import time

import numpy as np

import ilk


class Slow(ilk.Classifier):
    """Nearest mean by hand, after a while."""

    parameters = {"seconds": ilk.Param(float, ge=0)}

    def __init__(self, seconds=0.0):
        self.seconds = seconds

    def fit(self, X, y):
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        self.means_ = np.stack([np.asarray(X)[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict_proba(self, X):
        gaps = np.linalg.norm(np.asarray(X)[:, None] - self.means_[None], axis=2)
        weights = np.exp(-gaps)
        return weights / weights.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Held(Slow):
    """Needs so long on data with so many features, or until a file is there."""

    parameters = {
        "longest": ilk.Param(float, ge=0),
        "features": ilk.Param(int, ge=1),
        "until": ilk.Param(str),
    }

    def __init__(self, longest=5.0, features=13, until=""):
        self.longest = longest
        self.features = features
        self.until = until

    seconds = 0.0

    def fit(self, X, y):
        end = time.monotonic() + self.longest
        while X.shape[1] == self.features and time.monotonic() < end:
            if os.path.exists(self.until):
                break
            time.sleep(0.01)
        return super().fit(X, y)


class Deadly(Slow):
    """Does something terrible on data with so many features, once or always."""

    parameters = {
        "how": ilk.Param(str),
        "features": ilk.Param(int, ge=1),
        "once": ilk.Param(ilk.FilePath, none=True),
    }

    def __init__(self, how="exit", features=13, once=None):
        self.how = how
        self.features = features
        self.once = once

    seconds = 0.0

    def fit(self, X, y):
        if X.shape[1] == self.features and not (self.once and os.path.exists(self.once)):
            if self.once:
                open(self.once, "w").close()
            HOW[self.how]()
        return super().fit(X, y)


def fail():
    raise ValueError("no appetite")


HOW = {
    "exit": lambda: os._exit(7),
    "fail": fail,
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "segfault": lambda: ctypes.string_at(0),
    "sleep": lambda: time.sleep(1000),
    "spin": lambda: re.match("(a|a)+$", "a" * 60 + "b"),  # holds the interpreter's lock
}


@ilk.hookimpl
def ilk_cell_finished(cell):
    if "CALAMITY_LOG" in os.environ:
        with open(os.environ["CALAMITY_LOG"], "a") as log:
            log.write(json.dumps([cell.key, cell.error]) + "\\n")
'''
ENTRY_POINTS = """\
[ilk.classifiers]
deadly = calamity:Deadly
held = calamity:Held
slow = calamity:Slow
[ilk.plugins]
calamity = calamity
"""
PROGRAM = "from ilk.cli import main; main()"


def install(folder, name, module, entry_points):
    """Install a distribution of one module in a folder."""
    (folder / f"{name}.py").write_text(module)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)


@pytest.fixture(scope="session")
def calamity(tmp_path_factory):
    """The folder in which the distribution is installed."""
    folder = tmp_path_factory.mktemp("site")
    install(folder, "calamity", MODULE, ENTRY_POINTS)
    return folder


def spec_text(*, pipelines, executor='"serial"', repeats=3, run="", datasets=("iris", "wine")):
    """An experiment file; pipelines are classifiers by id, in TOML."""
    lines = [f'[[datasets]]\nuse = "{name}"' for name in datasets]
    lines += [
        f'[[pipelines]]\nid = "{name}"\nsteps = [{{ classifier = {classifier} }}]'
        for name, classifier in pipelines.items()
    ]
    resampling = f'{{ use = "repeated_kfold", folds = 2, repeats = {repeats} }}'
    lines += [f"[evaluation]\nresampling = {resampling}", f"[run]\nexecutor = {executor}\n{run}"]
    return "\n".join(lines) + "\n"


class Shell:
    """Runs ``ilk run`` on a file in a folder of its own."""

    spec_text = staticmethod(spec_text)

    def __init__(self, folder, site):
        self.folder = folder
        self.file = folder / "x.toml"
        self.store = folder / "results" / "x.sqlite"
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        self.environment = {
            **os.environ,
            "CALAMITY_LOG": str(folder / "log"),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")])),
            "PYTHONWARNINGS": "default",
            "TMPDIR": str(self.temporary),
        }

    def install(self, name, module, entry_points):
        """Install a further distribution, for this test."""
        folder = self.folder / name
        folder.mkdir()
        install(folder, name, module, entry_points)
        self.add_to_path(folder)

    def add_to_path(self, folder):
        self.environment["PYTHONPATH"] += os.pathsep + str(folder)

    def write(self, **options):
        self.file.write_text(spec_text(**options))

    def start(self, *arguments, program=PROGRAM, **options):
        """Start the command in a process group of its own."""
        command = [sys.executable, "-c", program, "run", str(self.file), *arguments]
        return subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
            cwd=self.folder,
            start_new_session=True,
            **options,
        )

    def run(self, *arguments, **options):
        """Run the command to its end; return code, output and errors."""
        with self.start(*arguments, **options) as process:
            out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def wait_for_cells(self, n, process, seconds=90):
        """Wait until so many cells are in the store."""
        deadline = time.monotonic() + seconds
        while self.n_cells() < n:
            assert time.monotonic() < deadline, "no cell is finished"
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)

    def n_cells(self, store=None):
        return len(self.cells(store))

    def cells(self, store=None):
        """What is in the store, times aside: rows by key."""
        path = store or self.store
        if not path.exists():
            return {}
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            query = "SELECT key, labels, probabilities, scores, error, fallback FROM cells"
            return {key: rest for key, *rest in connection.execute(query)}
        except sqlite3.OperationalError:  # being made just now
            return {}
        finally:
            connection.close()

    def log(self):
        """What the listener was told: keys and errors."""
        import json

        path = self.folder / "log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def outcome(self, store=None):
        """All that came of it, times aside: what is stored and what is exported."""
        from ilk_evaluation.results.export import frame_of, write

        results = ilk.results(store or self.store)
        tables = [frame_of(results, name, timings=False) for name in ("table", "scores")]
        return sorted(map(repr, self.cells(store).values())), [write(t, "csv") for t in tables]

    def left_over(self, seconds=20, *, folders=True):
        """Wait until nothing of ours is left; return what remains: processes and folders."""
        deadline = time.monotonic() + seconds
        while left := [*self.processes(), *(self.temporary.iterdir() if folders else ())]:
            if time.monotonic() > deadline:
                break
            time.sleep(0.05)
        return left

    def processes(self):
        """Processes that have our temporary folder in their environment."""
        mark = f"TMPDIR={self.temporary}".encode()
        for entry in Path("/proc").glob("[0-9]*/environ"):
            try:
                if mark in entry.read_bytes().split(b"\0"):
                    yield f"{entry.parent.name} {(entry.parent / 'cmdline').read_bytes()!r}"
            except OSError:  # gone, or not ours
                continue

    def children(self, parent, word):
        """Process ids of the children of a process that have a word in their command."""
        lines = (line for line in self.processes() if word in line)
        for pid in (int(line.split()[0]) for line in lines):
            status = Path(f"/proc/{pid}/stat").read_text()
            if int(status.rpartition(")")[2].split()[1]) == parent:
                yield pid


@pytest.fixture
def shell(tmp_path, calamity):
    made = Shell(tmp_path, calamity)
    yield made
    for line in made.processes():
        os.kill(int(line.split()[0]), signal.SIGKILL)


PIPELINES = {"a": '{ use = "slow", seconds = 0.03 }', "b": '"slow"'}


@pytest.fixture(scope="session")
def executors():
    """Executors by name, as written in a file."""
    return {"serial": '"serial"', "loky": '{ use = "loky", workers = 2 }'}


@pytest.fixture
def long_run(shell):
    """A function that writes a file of 80 cells for an executor; it returns the shell."""

    def make(executor, repeats=10):
        shell.write(pipelines=PIPELINES, repeats=repeats, executor=executor)
        return shell

    return make


def run_undisturbed(folder, site, repeats):
    shell = Shell(folder, site)
    shell.write(pipelines=PIPELINES, repeats=repeats)
    assert shell.run("--quiet")[0] == 0
    return shell.outcome()


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory, calamity):
    """What comes of the long run when nothing disturbs it."""
    return run_undisturbed(tmp_path_factory.mktemp("undisturbed"), calamity, repeats=10)


@pytest.fixture(scope="session")
def undisturbed_longer(tmp_path_factory, calamity):
    """The same of a run twice as long."""
    return run_undisturbed(tmp_path_factory.mktemp("undisturbed"), calamity, repeats=20)


@pytest.fixture
def installed(calamity, monkeypatch):
    """The distribution, seen in this process."""
    from ilk.registries import refresh

    monkeypatch.syspath_prepend(calamity)
    refresh()
    yield
    monkeypatch.undo()
    sys.modules.pop("calamity", None)
    refresh()


@pytest.fixture(scope="session")
def temporary_folders():
    """Return a function that lists our temporary folders."""
    return lambda: set(Path(tempfile.gettempdir()).glob("ilk-*"))
