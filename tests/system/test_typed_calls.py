"""Type checkers take right calls of components and refuse wrong ones."""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CALLS = ROOT / "tests" / "typed_calls.py"
SOURCES = [ROOT / "core/src", *ROOT.glob("plugins/*/src"), ROOT / "examples/ilk-example/src"]


def wrong_lines(output):
    return {int(line) for line in re.findall(rf"{CALLS.name}:(\d+):[\d: -]*error", output)}


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_right_calls_pass_and_wrong_ones_do_not(checker, tmp_path, monkeypatch):
    if find_spec(checker) is None:
        pytest.skip(f"{checker} is in the extra dev")
    monkeypatch.setenv("MYPYPATH", ":".join(map(str, SOURCES)))
    monkeypatch.setenv("PYTHONPATH", ":".join(map(str, SOURCES)))
    project = tmp_path / "pyrightconfig.json"
    paths = ", ".join(f'"{source}"' for source in SOURCES)
    shutil.copy(CALLS, tmp_path)
    project.write_text(f'{{"include": ["{CALLS.name}"], "extraPaths": [{paths}]}}')
    command = {
        "mypy": ["--follow-imports=silent", "--cache-dir", ".cache", CALLS.name],
        "pyright": ["--pythonpath", sys.executable, "--project", str(project)],
    }[checker]
    done = subprocess.run(
        [sys.executable, "-m", checker, *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = CALLS.read_text().splitlines()
    expected = {number for number, line in enumerate(lines, 1) if "# error:" in line}
    assert wrong_lines(done.stdout) == expected, done.stdout + done.stderr
