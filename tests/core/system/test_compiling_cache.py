"""Compiled functions are kept for later processes, and never stale."""

import os
from importlib.util import find_spec

import pytest

pytestmark = pytest.mark.skipif(find_spec("numba") is None, reason="Numba is not installed")

LIBRARY = """
import ilk
from constants import SHIFT
from inner import twice

@ilk.compiled
def shifted(x):
    return twice(x) + SHIFT
"""
MAIN = """
from library import shifted
print(shifted(5.0), sum(shifted.stats.cache_hits.values()))
"""


@pytest.fixture
def program(tmp_path):
    """The folder of a program of four modules."""
    files = {
        "library": LIBRARY,
        "constants": "SHIFT = 1.0\n",
        "inner": "import ilk\n\n@ilk.compiled\ndef twice(x):\n    return 2 * x\n",
        "main": MAIN,
    }
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


@pytest.fixture
def run(program, run_python):
    """A way to run the program in a process of its own."""

    def call(folder=program, **environment):
        env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "ILK_CACHE": str(program / "cache")}
        done = run_python("main.py", cwd=folder, env={**env, **environment})
        assert done.returncode == 0, done.stderr
        value, hits = done.stdout.split()
        return float(value), int(hits)

    return call


def replace(path, old, new):
    """Change a file, but not its size or the time of its last change."""
    before = path.stat()
    assert len(old) == len(new)
    path.write_text(path.read_text().replace(old, new))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_kept_for_the_next_process(run):
    assert run() == (11.0, 0)
    assert run() == (11.0, 1)


def test_kept_for_another_installation(program, run, tmp_path_factory):
    run()
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for path in program.glob("*.py"):
        (elsewhere / path.name).write_text(path.read_text())
    assert run(elsewhere) == (11.0, 1)


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("constants.py", "1.0", "7.0", 17.0),
        ("inner.py", "2 * x", "4 * x", 21.0),
        ("library.py", "+ SHIFT", "- SHIFT", 9.0),
    ],
)
def test_never_stale(program, run, file, old, new, expected):
    run()
    replace(program / file, old, new)
    assert run() == (expected, 0)


def test_without_a_folder_to_write_to_nothing_is_kept(program, run):
    nowhere = program / "file"
    nowhere.write_text("")
    assert run(ILK_CACHE=str(nowhere / "cache")) == (11.0, 0)
    assert run(ILK_CACHE=str(nowhere / "cache")) == (11.0, 0)


@pytest.mark.parametrize(
    ("suffix", "content"), [(".nbi", b""), (".nbi", b"no pickle"), (".nbc", None)]
)
def test_damaged_files_are_made_anew(program, run, suffix, content):
    run()
    for path in (program / "cache").rglob(f"*{suffix}"):
        path.write_bytes(path.read_bytes()[:100] if content is None else content)
    assert run() == (11.0, 0)
    assert run() == (11.0, 1)


def test_a_folder_that_cannot_be_written_to_later_is_no_hindrance(program, run):
    lost = 'import shutil\nshutil.rmtree("cache")\nopen("cache", "w").close()\n'
    (program / "main.py").write_text(f"import library\n{lost}{MAIN}")
    assert run() == (11.0, 0)


def test_a_read_only_installation_is_no_hindrance(program, run):
    run()
    assert not list(program.glob("**/__pycache__"))
    assert {path.suffix for path in (program / "cache").rglob("*.nb*")} == {".nbi", ".nbc"}
