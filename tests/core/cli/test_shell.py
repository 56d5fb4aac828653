"""The shell: help, versions, errors as one message and an exit code."""

import os
import re
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path

import click
import pytest

import ilk
from ilk.cli import commands
from ilk.discovery import Found

ROOT = Path(__file__).parents[3]
COMMANDS = ("check", "list", "new", "show")


@pytest.fixture
def started(run_python):
    """Run the command line in a process of its own."""
    return partial(run_python, "-m", "ilk")


@pytest.fixture
def command(monkeypatch):
    """Add a command that does as it is told for the time of a test."""

    def add(action):
        module = f"{__name__}_commands"
        holder = type(sys)(module)
        holder.command = click.Command("act", callback=action)
        monkeypatch.setitem(sys.modules, module, holder)
        monkeypatch.setitem(commands.BUILT_IN, "act", (f"{module}:command", "Act."))

    return add


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_help_lists_the_commands(cli, arguments):
    result = cli(*arguments)
    assert (result.code, result.err) == (0, "")
    for name in COMMANDS:
        assert re.search(rf"^  {name} +[A-Z].*\.$", result.out, re.MULTILINE)
    assert "Exit codes: 0 all well" in result.out


def test_help_says_what_our_plugins_commands_do(cli):
    for path in ROOT.glob("plugins/*/pyproject.toml"):
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        for name in project.get("entry-points", {}).get("ilk.commands", {}):
            assert commands._KNOWN[name][0] == project["name"]
            assert commands.summaries()[name] == commands._KNOWN[name][1]
    assert "Provided by" not in cli("--help").out


def test_a_command_of_another_is_not_described_as_ours(cli, monkeypatch):
    theirs = Found("ilk.commands", "run", "fake-run", "1.0", "fake_run:run")
    monkeypatch.setattr(commands, "found_in", lambda group: [theirs])
    assert "run Provided by fake-run." in " ".join(cli("--help").out.split())


def test_it_runs_as_a_module(started):
    done = started("--version")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"ilk {ilk.__version__}")
    assert "Usage: ilk list" in started("list", "--help").stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(cli, name):
    result = cli(name, "--help")
    assert result.code == 0
    assert f"Usage: ilk {name}" in result.out


def test_the_version_of_every_distribution(cli):
    lines = cli("--version").out.splitlines()
    assert lines[0].startswith(f"ilk {ilk.__version__} (Python {sys.version_info[0]}.")
    assert f"ilk-core {ilk.__version__}" in lines[1:]


def test_a_misspelt_command_gets_a_suggestion(cli):
    result = cli("lsit")
    assert (result.code, result.out) == (2, "")
    assert result.err == "Error: there is no command 'lsit'; did you mean 'list'?\n"


@pytest.mark.parametrize(
    ("environment", "reason"),
    [({}, "not installed (pip install ilk-evaluation)"), ({"ILK_PLUGINS": "ilk-core"}, "ILK_PLUG")],
)
def test_a_command_of_a_missing_distribution_says_what_to_install(
    cli, monkeypatch, environment, reason
):
    monkeypatch.setattr(commands, "found_in", lambda group: [])
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    result = cli("run", "experiment.toml")
    assert result.code == 2
    assert result.err.startswith("Error: there is no command 'run'; it is in ilk-evaluation, which")
    assert reason in result.err


def test_a_wrong_option_is_a_usage_error(cli):
    result = cli("list", "--jsn")
    assert result.code == 2
    assert "--jsn" in result.err
    assert "Usage: ilk list" in result.err


def test_an_error_is_one_message(cli, command):
    @command
    def fails():
        raise ilk.DataError("data.csv:3: five cells, not four")

    result = cli("act")
    assert (result.code, result.out) == (2, "")
    assert result.err == "Error: data.csv:3: five cells, not four\n"


def test_several_problems_are_counted(cli, command):
    @command
    def fails():
        raise ilk.SpecError(
            [ilk.Problem((), "one", "a.toml", 1), ilk.Problem((), "two", "a.toml", 2)]
        )

    assert cli("act").err == "Error: 2 problems\na.toml:1: one\na.toml:2: two\n"


def test_a_defect_is_told_from_a_mistake(cli, command):
    @command
    def fails():
        return {}["key"]

    result = cli("act")
    assert result.code == 3
    assert result.err == (
        "Error: internal error: KeyError: 'key'; `ilk --debug act ...` shows the traceback\n"
    )


@pytest.mark.parametrize(("error", "code"), [(ilk.InputError("bad"), 2), (RuntimeError("bad"), 3)])
def test_debug_shows_the_traceback(cli, command, error, code):
    @command
    def fails():
        raise error

    result = cli("--debug", "act")
    assert result.code == code
    assert result.err.startswith("Traceback")
    assert "in fails" in result.err


def test_what_a_command_returns_is_no_exit_code(cli, command):
    command(lambda: 7)
    assert cli("act").code == 0


def test_a_command_chooses_its_exit_code(cli, command):
    command(lambda: click.get_current_context().exit(1))
    assert cli("act").code == 1


def test_an_interrupt_is_130(cli, command):
    @command
    def interrupted():
        raise KeyboardInterrupt

    result = cli("act")
    assert result.code == 130
    assert result.err.strip() == "Error: interrupted"


def test_what_memory_does_not_hold_is_no_defect(cli, command):
    @command
    def large():
        raise MemoryError("Unable to allocate 7 TiB")

    result = cli("act")
    assert result.code == 2
    assert result.err.strip() == "Error: out of memory: Unable to allocate 7 TiB"


@pytest.mark.usefixtures("run_python")
def test_a_reader_that_leaves_early_is_no_error():
    script = "import sys; sys.argv = ['ilk', 'list']; from ilk.cli import main; main()"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", script], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_signs_that_the_terminal_lacks_are_replaced(run_python):
    script = (
        "import click; from ilk.cli import commands, shell;"
        "commands.load = lambda name: click.Command('act', callback=lambda: click.echo('5 ≥ 4'));"
        "raise SystemExit(shell.run(['act']))"
    )
    done = run_python("-c", script, env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    assert (done.returncode, done.stdout.strip()) == (0, "5 ? 4"), done.stderr


def test_warnings_are_one_line_each(started, tmp_path):
    (tmp_path / "odd-1.0.dist-info").mkdir()
    (tmp_path / "odd-1.0.dist-info" / "METADATA").write_text("Name: odd\nVersion: 1.0\n")
    (tmp_path / "odd-1.0.dist-info" / "entry_points.txt").write_text(
        "[ilk.kinds]\nodd = no_such_module:KIND\n"
    )
    done = started("list", "distance", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == 1
    assert "odd 1.0" in done.stderr


def test_names_are_completed_at_the_prompt(started):
    environment = {**os.environ, "_ILK_COMPLETE": "bash_complete", "COMP_WORDS": "ilk sh"}
    done = started(env={**environment, "COMP_CWORD": "1"})
    assert done.stdout.strip() == "plain,show", done.stderr


@pytest.mark.usefixtures("run_python")
@pytest.mark.parametrize("options", ["", "-u"])
@pytest.mark.parametrize(("where", "code"), [(">&-", 0), (">/dev/full", 2)])
def test_output_that_goes_nowhere_is_no_defect(where, code, options):
    command = f"{sys.executable} {options} -m ilk list {where}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    said = "Error: No space left on device\n" if code else ""
    assert (done.returncode, done.stderr) == (code, said)


@pytest.mark.usefixtures("run_python")
@pytest.mark.parametrize("options", ["", "-u"])
@pytest.mark.parametrize("arguments", ["list --json", "schema"])
def test_a_disk_that_fills_up_is_told_of(options, arguments, tmp_path):
    """A file takes only a part of what is written to it: as on a disk that is nearly full."""
    command = f"ulimit -f 2; {sys.executable} -B {options} -m ilk {arguments} >{tmp_path}/out"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "Error: File too large\n")
    assert (tmp_path / "out").stat().st_size == 2048
