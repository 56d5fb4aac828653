"""README and docs say what is true: code runs, files resolve, links lead somewhere."""

import doctest
import io
import re
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import click
import pytest
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

import ilk
import shipped
from ilk.cli import shell
from ilk.kinds import kinds
from pages import PAGES, README, ROOT, assert_shown, blocks, commands, ignore, ilk_calls, parse
from registrations import registrations_undone

# Commands that read metadata.
QUICK = re.compile(r'ilk (--debug )?(list|show|schema)([\w ]*| --source "[\w .]+")')


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    """The blocks of a page are one session, in a folder that holds the files it shows."""
    monkeypatch.chdir(tmp_path)
    python = PythonCodeBlockParser(doctest_optionflags=doctest.ELLIPSIS)
    with registrations_undone():
        for example in parse(page, CodeBlockParser("toml", ignore), python):
            example.evaluate()


def every_command() -> Iterator[tuple]:
    for page in PAGES:
        for example in blocks(page, "console"):
            for command, shown in commands(example):
                yield example, command, shown


def test_commands_are_parsed(subtests, monkeypatch, capsys):
    """Every call of ilk has a command and options that exist; none is run."""
    monkeypatch.setattr(click.Command, "invoke", lambda self, context: 0)
    calls = [call for _, command, _ in every_command() for call in ilk_calls(command)]
    assert len(calls) > 30
    for call in calls:
        with subtests.test(" ".join(call)):
            assert shell.run(call) == 0, capsys.readouterr().err


class Terminal(io.StringIO):
    """A text stream that ilk takes for a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def nothing_registered_by_hand(monkeypatch):
    """Hide what the fixtures of a session have registered."""
    for kind in kinds():
        monkeypatch.setattr(ilk.registry(kind), "_session", {})
        monkeypatch.setattr(ilk.registry(kind), "_sorted", None)


@pytest.mark.usefixtures("nothing_registered_by_hand")
def test_quick_commands_print_what_is_shown(subtests, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    quick = [each for each in every_command() if each[2] and QUICK.fullmatch(each[1])]
    assert len(quick) >= 5
    for example, command, shown in quick:
        with subtests.test(command):
            with redirect_stdout(Terminal()) as screen, redirect_stderr(screen):
                shell.run(shlex.split(command)[1:])
            assert_shown(example, command, shown, click.unstyle(screen.getvalue()))


def test_experiments_resolve(subtests, tmp_path):
    """A file that shows what errors look like is called wrong."""
    from ilk_evaluation.claims.claim import read_claim
    from ilk_evaluation.plan.experiment_file import read

    texts = [example.parsed for page in PAGES for example in blocks(page, "toml")]
    experiments = [
        text for text in texts if {"datasets", "pipelines"} <= tomllib.loads(text).keys()
    ]
    assert len(experiments) >= 5
    path = tmp_path / "experiment.toml"
    for text in experiments:
        path.write_text(text, encoding="utf-8")
        with subtests.test(text.partition("\n")[0]):
            if text.startswith("# wrong"):
                with pytest.raises(ilk.SpecError):
                    read(path)
            elif "claim" in tomllib.loads(text):
                assert read_claim(path).rules
            else:
                assert read(path).pipelines


def test_first_screen_holds_the_two_commands():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    phases = re.findall(r'^phase "(.*?)"', script, re.MULTILINE)
    screen = README.read_text(encoding="utf-8").splitlines()[:45]
    assert [f"$ {command}" in screen for command in phases[:2]] == [True, True]
    assert "ilk run" in phases[0]
    assert "pytest" in phases[1]


def table() -> dict[str, list[str]]:
    """The names that the table of the README has, by the kinds it has them under."""
    screen = README.read_text(encoding="utf-8").splitlines()[:45]
    rows = [line.strip("| ").split(" | ") for line in screen if line.startswith("| ")]
    return {kinds: re.findall(r"`(\w+)`", names) for kinds, names in rows if "`" in names}


def test_first_screen_holds_an_example_and_the_table():
    """Ten lines of Python, and in the table the names of what is installed, all that ships."""
    example = blocks(README, "python")[0]
    assert len(example.parsed.splitlines()) <= 10
    assert example.line < 45
    assert len(table()) >= 8
    for row, names in table().items():
        plurals = [re.sub(" (of|made) .*", "", each).replace(" ", "_") for each in row.split(", ")]
        known = {
            name
            for kind in kinds().values()
            if kind.plural in plurals
            for name in ilk.registry(kind.name).names()
        }
        assert names
        assert set(names) <= known, row
    lacking = [*shipped.missing(README.read_text(encoding="utf-8"))]
    assert not lacking, "python tests/helpers/shipped.py adds them"


def test_pip_installs_paths_only():
    """No distribution of ours is on an index."""
    texts = [*ROOT.glob("*.md"), *PAGES[1:], *ROOT.glob("*/*/README.md")]
    wrong = re.compile(r"pip install (?:-\S+ )*'?ilk\b")
    assert not [page for page in texts if wrong.search(page.read_text(encoding="utf-8"))]


def links() -> Iterator[tuple[Path, str]]:
    """The links of our texts that lead to files or headings of ours."""
    members = [ROOT / "core", *ROOT.glob("plugins/*")]
    readmes = [folder / "README.md" for folder in members]
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *readmes]:
        text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if not re.match(r"[a-z]+:", target):
                yield page, target


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub and MyST make of the headings."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}


def leads_nowhere(page: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    file = page.parent / name if name else page
    made = not {"generated", "sources"}.isdisjoint(file.parts)  # when the site is built
    if not made and not file.exists():
        return True
    if page.name == "README.md" and page.parent != ROOT and not file.is_relative_to(page.parent):
        return True  # an index shows it without the repository
    return bool(anchor) and anchor not in anchors(file)


def test_links_lead_somewhere():
    assert not [(page, target) for page, target in links() if leads_nowhere(page, target)]


def test_map_names_files_that_exist():
    """Also each folder that it names with a slash at its end."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = {name.rstrip("/") for name in re.findall(r"[\w/]+(?:\.py\b|/(?=[` ]))", text)}
    assert len(named) > 20
    trees = [ROOT / name for name in ("core", "plugins", "tests", "benchmarks", "tools")]
    there = [path.as_posix() for tree in trees for path in [tree, *tree.rglob("*")]]
    assert not [name for name in named if not any(path.endswith(f"/{name}") for path in there)]
