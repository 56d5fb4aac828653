"""The stub that types the names which ship with ilk is current."""

import subprocess
import sys
from pathlib import Path

import typed_names


def test_the_stub_is_current(tmp_path):
    written = tmp_path / "shortcuts.pyi"
    written.write_text(typed_names.stub())
    ruff = [sys.executable, "-m", "ruff"]
    config = Path(__file__).parents[1] / "pyproject.toml"
    for command in (["check", "--fix-only", "--select", "I", "-q"], ["format", "-q"]):
        subprocess.run([*ruff, *command, "--config", str(config), str(written)], check=True)
    assert written.read_text() == typed_names.STUB.read_text(), (
        "run python tests/helpers/typed_names.py && ruff check --fix core && ruff format core"
    )
