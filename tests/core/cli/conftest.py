"""The command line in this process, and fake distributions for it to find."""

import sys
import textwrap
from dataclasses import dataclass

import click
import pytest

from ilk.cli.shell import run
from ilk.registries import refresh


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


@pytest.fixture
def cli(capsys):
    """Run a command line: exit code, output and errors."""

    def call(*arguments):
        capsys.readouterr()
        code = run(arguments)
        out, err = capsys.readouterr()
        return Result(code, click.unstyle(out), click.unstyle(err))

    return call


@pytest.fixture
def terminal(monkeypatch):
    """Make the output a terminal of some width."""

    def of_width(columns):
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)

    return of_width


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a fake distribution for the time of the test."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    modules = set()

    def fake(name, entry_points, module=""):
        package = name.replace("-", "_")
        info = site / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(textwrap.dedent(entry_points))
        (site / f"{package}.py").write_text(textwrap.dedent(module))
        modules.add(package)
        refresh()

    yield fake
    monkeypatch.undo()
    for name in modules:
        sys.modules.pop(name, None)
    refresh()


@pytest.fixture
def only(monkeypatch):
    """Let only some distributions be seen."""

    def see(*names):
        monkeypatch.setenv("ILK_PLUGINS", ",".join(names))
        refresh()

    yield see
    monkeypatch.undo()
    refresh()
