"""A distribution of components that misbehave, and the command line run with it installed."""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path

import pytest

import ilk
from ilk.cli import main
from ilk.registries import refresh
from ilk_evaluation import run_experiment
from ilk_evaluation.executors import remote

MODULE = Path(__file__).with_name("calamity.py").read_text(encoding="utf-8")
ENTRY_POINTS = """\
[ilk.classifiers]
deadly = calamity:Deadly
held = calamity:Held
slow = calamity:Slow
[ilk.plugins]
calamity = calamity
"""
PROGRAM = "from ilk.cli import main; main()"
# Reads lines, and starts the command at each: a copy of this process has all its imports.
NURSERY = """
import os, sys
import ilk_evaluation.commands.terminal_tables, ilk_evaluation.experiment
from ilk.cli import main
for _ in sys.stdin:
    if pid := os.fork():
        print(pid, flush=True)
        os.waitpid(pid, 0)
        print("gone", flush=True)
    else:
        os.setsid()
        main()
"""


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
    """An experiment file; pipelines are classifiers by id, in TOML. No repeats: a single split."""
    lines = [f'[[datasets]]\nuse = "{name}"' for name in datasets]
    lines += [
        f'[[pipelines]]\nid = "{name}"\nsteps = [{{ classifier = {classifier} }}]'
        for name, classifier in pipelines.items()
    ]
    resampling = '"holdout"'
    if repeats is not None:
        resampling = f'{{ use = "repeated_kfold", folds = 2, repeats = {repeats} }}'
    lines += [f"[evaluation]\nresampling = {resampling}", f"[run]\nexecutor = {executor}\n{run}"]
    return "\n".join(lines) + "\n"


@contextmanager
def visited(folder, environment):
    """Have in this process what one has that is started in a folder with an environment."""
    folders = [path for path in environment["PYTHONPATH"].split(os.pathsep) if path not in sys.path]
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        for name in environment.keys() - {"PYTEST_CURRENT_TEST"}:
            patch.setenv(name, environment[name])
        for path in reversed(folders):
            patch.syspath_prepend(path)
        patch.chdir(folder)
        patch.setattr("tempfile.tempdir", None)
        patch.setattr("warnings.formatwarning", warnings.formatwarning)  # the command has its own
        patch.setattr("warnings.showwarning", show_warning)
        warnings.simplefilter("default")
        refresh()
        try:
            yield
        finally:
            for name, module in list(sys.modules.items()):
                if (getattr(module, "__file__", None) or "").startswith(tuple(folders)):
                    del sys.modules[name]
            remote.versions.cache_clear()  # which lists this distribution
    refresh()


def show_warning(message, category, filename, lineno, file=None, line=None):
    """Write a warning where it is written outside of pytest, which collects them."""
    sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))


class Shell:
    """Runs ``ilk run`` on a file in a folder of its own."""

    spec_text = staticmethod(spec_text)

    def __init__(self, folder, site, capture=None):
        self.folder = folder
        self.capture = capture
        self.spared = set()
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

    def here(self, *arguments, meanwhile=None):
        """Do what `run` does in this process, which has its imports; in a thread something else."""
        self.capture.readouterr()
        with (
            visited(self.folder, self.environment),
            futures.ThreadPoolExecutor(1) as thread,
            pytest.MonkeyPatch.context() as patch,
        ):
            patch.setattr("sys.argv", ["ilk", "run", str(self.file), *arguments])
            other = thread.submit(meanwhile) if meanwhile else None
            with pytest.raises(SystemExit) as end:
                main()
        if other:
            other.result()
        return end.value.code, *self.capture.readouterr()

    @contextmanager
    def nursery(self):
        """Give a function that starts a run at once: its process id, and what waits for its end.

        All are copies of one process, which is none of those that are left over.
        """
        with self.start(program=NURSERY, stdin=subprocess.PIPE) as process:
            self.spared.add(process.pid)

            def begin():
                process.stdin.write("\n")
                process.stdin.flush()
                return int(process.stdout.readline()), process.stdout.readline

            yield begin
            process.communicate(timeout=60)

    def wait_for_cells(self, n, process=None, seconds=90):
        """Wait until so many cells are in the store."""
        deadline = time.monotonic() + seconds
        while self.n_cells() < n:
            assert time.monotonic() < deadline, "no cell is finished"
            assert process is None or process.poll() is None, process.communicate()
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

    def left_over(self, seconds=60, *, folders=True):
        """Wait until nothing of ours is left; return what remains: processes and folders."""
        deadline = time.monotonic() + seconds
        while left := [*self.processes(), *(self.temporary.iterdir() if folders else ())]:
            if time.monotonic() > deadline:
                break
            time.sleep(0.05)
        return left

    def processes(self):
        """Processes that have our temporary folder in their environment.

        Those that watch over what this process leaves behind are left out: they end with it.
        """
        mark = f"TMPDIR={self.temporary}".encode()
        for entry in Path("/proc").glob("[0-9]*/environ"):
            pid = int(entry.parent.name)
            try:
                if mark not in entry.read_bytes().split(b"\0") or pid in self.spared:
                    continue
                command = (entry.parent / "cmdline").read_bytes()
                if not (b"resource_tracker" in command and parent_of(pid) == os.getpid()):
                    yield f"{pid} {command!r}"
            except OSError:  # gone, or not ours
                continue

    def children(self, parent, word):
        """Process ids of the children of a process that have a word in their command."""
        pids = [int(line.split()[0]) for line in self.processes() if word in line]
        return [pid for pid in pids if parent_of(pid) == parent]


def parent_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.fixture
def shell(tmp_path, calamity, capfd):
    made = Shell(tmp_path, calamity, capfd)
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
    """Run cells that take next to no time: it is the same that comes of them."""
    shell = Shell(folder, site)
    shell.write(pipelines={**PIPELINES, "a": '{ use = "slow", seconds = 0.0001 }'}, repeats=repeats)
    with visited(folder, shell.environment):
        run_experiment(shell.file)
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
