"""README and docs say what is true: code runs, files resolve, links lead somewhere."""

import doctest
import importlib
import inspect
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

import ilk
from ilk.cli.docstrings import read_docstring
from ilk.discovery import Found
from ilk.kinds import kinds
from ilk.testing import registered
from ilk_evaluation.experiments.reading import read

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted(ROOT.glob("docs/*.md"))]
TYPED = [ROOT / "docs" / name for name in ("cli.md", "guide.md")]  # whose commands are run
SOURCES = [ROOT / "core" / "src", *sorted(ROOT.glob("plugins/*/src"))]
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONAL = {"hnswlib"}
OURS = {"ilk-core", *(f"ilk-{path.parent.name}" for path in ROOT.glob("plugins/*/pyproject.toml"))}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page, with the line its text starts on."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def file(self) -> str | None:
        """Name of the file this is, where the first line says so: ``# wine.toml``."""
        match = re.match(r"# (\S+\.(?:toml|csv|py))\n", self.text)
        return match.group(1) if match else None

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, match.start(2)) + 1, match.group(1), match.group(2))
        for match in FENCE.finditer(text)
    ]


BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """An empty current folder; what is registered by hand is taken back afterwards."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name, check in [*registered._CHECKS.items()]:
        if check.run.__module__.startswith("page_"):
            del registered._CHECKS[name]
    for kind in kinds():
        for found in ilk.registry(kind).find():
            if found.distribution == "(session)":
                ilk.registry(kind).unregister(found.name)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_run(page, scratch, request):
    """The blocks of a page are one session, in a folder that holds the files it shows."""
    names = {"__name__": f"page_{page.stem}"}
    for block in blocks_of(page):
        if block.file:
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            run_python(block, names)
        elif block.language == "console" and page in TYPED:
            run_console(block, scratch, request.getfixturevalue("warm_python"))


def run_python(block: Block, names: dict) -> None:
    if not block.text.lstrip().startswith(">>>"):
        source = "\n" * (block.line - 1) + block.text  # so that tracebacks tell the page's lines
        exec(compile(source, str(block.page), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(
        block.text, names, str(block), str(block.page), block.line - 1
    )
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
        test, out=said.append, clear_globs=False
    )
    names.update(test.globs)
    assert not said, "".join(said)


def run_console(block: Block, folder: Path, python: str) -> None:
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE)
    outputs = typed([command for command, _ in commands], folder, python)
    for (command, shown), got in zip(commands, outputs, strict=True):
        parts = re.split(r"\s*(?<!\.)\.\.\.(?!\.)\s*", comparable(shown))  # "...": anything
        same = re.fullmatch(".*".join(map(re.escape, parts)), comparable(got), re.DOTALL)
        assert same, f"{block}: $ {command}\n{got}"


def comparable(output: str) -> str:
    """Leave out of an output what changes from run to run or with every component we add."""
    output = re.sub(r"^\d+/\d+ cells, .*\n", "", output, flags=re.MULTILINE)
    output = re.sub(
        r" +(fit\b|[\d.]+ m?s\b)", lambda m: f"  {m[1]}", output
    )  # as wide as the times
    output = re.sub(r"[\d.]+ (m?s|ok|passed|checks passed)\b", r"# \1", output)
    output = re.sub(r"\b\d+\.\d+\.\d+\b", "#.#.#", output)
    output = re.sub("─+", "─", output)
    return re.sub(r"[ \t]+$", "", output, flags=re.MULTILINE)


def typed(commands: list[str], folder: Path, python: str) -> list[str]:
    """Type commands into one shell at a terminal 100 columns wide; errors follow the output."""
    errors = folder.with_suffix(".errors")
    ours = shlex.join([python, str(Path(sys.executable).with_name("ilk"))])
    script = f'ilk() {{ {ours} "$@"; }}\n' + "".join(
        f"{{ {command}\n}} 2>{errors}; code=$?; cat {errors}; echo '<end>'; (exit $code)\n"
        for command in commands
    )
    environment = {
        **os.environ,
        "COLUMNS": "100",
        "ILK_PLUGINS": ",".join(OURS),
        "PYTHONWARNINGS": "default",
    }
    ours, shells = os.openpty()
    said = b""
    with subprocess.Popen(
        ["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=shells
    ):
        os.close(shells)
        with suppress(OSError):  # how Linux says that the other end is closed
            while part := os.read(ours, 65536):
                said += part
    os.close(ours)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode()).replace("\r\n", "\n")
    return plain.split("<end>\n")[:-1]


def modules() -> Iterator[str]:
    """The dotted names of all our modules, none of them imported."""
    for source in SOURCES:
        for path in sorted(source.rglob("*.py")):
            folder = path.parent
            while folder != source and (folder / "__init__.py").exists():
                folder = folder.parent
            if folder == source:  # else a template, or a data file
                dotted = ".".join(path.relative_to(source).with_suffix("").parts)
                yield dotted.removesuffix(".__init__")


def registered_by_us() -> list[Found]:
    every = (found for kind in kinds() for found in ilk.registry(kind).find())
    return [found for found in every if found.distribution in OURS]


@pytest.mark.parametrize("name", list(modules()))
def test_doctests(name, scratch):
    module = importlib.import_module(name)
    for library in {lib for cls in vars(module).values() for lib in getattr(cls, "relies_on", ())}:
        if library in OPTIONAL:  # not among those that the tests install
            pytest.importorskip(library, reason=f"{library} is not installed")
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    components = {found.value.replace(":", ".") for found in registered_by_us()}
    for test in doctest.DocTestFinder(exclude_empty=True).find(module):
        owner = ".".join(test.name.split(".")[: name.count(".") + 2])
        if owner not in components:  # whose examples the conformance kit runs
            runner.run(test, out=said.append)
    assert not said, "".join(said)


def is_experiment(text: str) -> bool:
    with suppress(tomllib.TOMLDecodeError):
        return {"datasets", "pipelines"} <= tomllib.loads(text).keys()
    return False


def expect_wrong(block: Block) -> bool:
    """A file that shows what errors look like is called so."""
    return (block.file or "").startswith("wrong")


EXPERIMENTS = [block for block in BLOCKS if block.language == "toml" and is_experiment(block.text)]


def test_experiments_are_found():
    assert ROOT / "docs" / "guide.md" in {block.page for block in EXPERIMENTS}


@pytest.mark.parametrize("block", EXPERIMENTS, ids=str)
def test_experiments_resolve(block, scratch):
    path = scratch / "experiment.toml"
    path.write_text(block.text, encoding="utf-8")
    if expect_wrong(block):
        with pytest.raises(ilk.SpecError):
            read(path)
    else:
        assert read(path).pipelines


def summary_problem(obj: object) -> str | None:
    """What is wrong with the first line of a docstring."""
    lines = (inspect.getdoc(obj) or "").splitlines()
    if not lines or not lines[0].strip():
        return "no docstring"
    if not lines[0].endswith((".", "?")):
        return f"the first line is no sentence: {lines[0]!r}"
    if len(lines) > 1 and lines[1].strip():
        return f"the summary goes on after the first line: {lines[0]!r}"
    return None


@pytest.mark.parametrize(
    ("package", "name"),
    [
        (package, name)
        for package in ("ilk", "ilk.testing", "ilk_distances", "ilk_evaluation")
        for name in importlib.import_module(package).__all__
        if not name.startswith("__")
    ],
)
def test_public_names_have_a_summary(package, name):
    value = getattr(importlib.import_module(package), name)
    assert value.__doc__ is not None  # its own, not one it inherits
    assert summary_problem(value) is None


@pytest.mark.parametrize(
    "found", registered_by_us(), ids=lambda found: f"{found.kind}-{found.name}"
)
def test_components_are_documented(found):
    """A summary, an example, and each parameter once, in the order of the constructor."""
    cls = ilk.registry(found.kind).get(found.qualified)
    assert cls.__doc__ is not None
    assert summary_problem(cls) is None
    doc = read_docstring(cls)
    assert ">>>" in doc.section("Examples")
    heads = re.findall(r"^(\w[\w, ]*?)(?: :.*)?$", doc.section("Parameters"), re.MULTILINE)
    documented = [name for head in heads for name in head.split(", ")]
    assert documented == list(inspect.signature(cls).parameters)
    undocumented = [name for name, param in cls.parameters.items() if not param.doc]
    assert not undocumented


@pytest.mark.parametrize(
    ("doc", "problem"),
    [
        ("", "no docstring"),
        ("Say it", "no sentence"),
        ("Say it\nand more.", "no sentence"),
        ("Say it.\nAnd more.", "goes on"),
    ],
)
def test_summaries_are_told_apart(doc, problem):
    def function():
        pass

    function.__doc__ = doc
    assert problem in summary_problem(function)


def test_first_screen_holds_the_two_commands():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    phases = re.findall(r'^phase "(.*?)"', script, re.MULTILINE)
    screen = README.read_text(encoding="utf-8").splitlines()[:45]
    assert [f"$ {command}" in screen for command in phases[:2]] == [True, True]
    assert "ilk run" in phases[0]
    assert "pytest" in phases[1]


def box() -> dict[str, list[str]]:
    """The names that the table of the README has, by the kinds it has them under."""
    screen = README.read_text(encoding="utf-8").splitlines()[:45]
    rows = [line.strip("| ").split(" | ") for line in screen if line.startswith("| ")]
    return {kinds: re.findall(r"`(\w+)`", names) for kinds, names in rows if "`" in names}


def test_first_screen_holds_an_example_and_the_table():
    """Ten lines of Python, and nothing in the box that is not installed."""
    example = next(block for block in blocks_of(README) if block.language == "python")
    assert len(example.text.splitlines()) <= 10
    assert example.line < 45
    assert len(box()) >= 8
    for row, names in box().items():
        plurals = [re.sub(" (of|made) .*", "", each).replace(" ", "_") for each in row.split(", ")]
        known = {
            name
            for kind in kinds().values()
            if kind.plural in plurals
            for name in ilk.registry(kind.name).names()
        }
        assert names
        assert set(names) <= known, row


def test_what_an_index_would_be_needed_for_is_not_told():
    """None of ours is on an index: pip takes paths only."""
    for page in [*sorted(ROOT.glob("*.md")), *PAGES[1:], *ROOT.glob("*/*/README.md")]:
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r"pip install (?:-\S+ )*'?ilk\b", text), page


def links() -> Iterator[tuple[Path, str]]:
    """The links of our texts that lead to files or headings of ours."""
    members = [ROOT / "core", *sorted(ROOT.glob("plugins/*"))]
    pages = [folder / "README.md" for folder in members]
    for page in [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")), *pages]:
        text = FENCE.sub("", page.read_text(encoding="utf-8"))
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if not re.match(r"[a-z]+:", target):
                yield page, target


def slug(title: str) -> str:
    """The anchor that GitHub and MyST make of a heading."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize(
    ("page", "target"), list(links()), ids=lambda part: str(part).rpartition("/")[2]
)
def test_links_lead_somewhere(page, target):
    name, _, anchor = target.partition("#")
    file = (page.parent / name) if name else page
    if "generated" not in file.parts:  # that is made when the site is built
        assert file.exists()
    if anchor:
        titles = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in map(slug, titles)
    if page.name == "README.md" and page.parent != ROOT:  # an index shows it without the repository
        assert file.is_relative_to(page.parent)


@pytest.mark.slow
def test_site_builds_without_warnings(tmp_path):
    """Every public name has its place on it."""
    for needed in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(needed, reason="the site is built where the extra docs is installed")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", tmp_path / "doctrees", ROOT / "docs", tmp_path / "html"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    from sphinx.util.inventory import InventoryFile

    inventory = InventoryFile.loads((tmp_path / "html" / "objects.inv").read_bytes(), uri="")
    documented = {name for domain in inventory.data.values() for name in domain}
    wanted = {f"ilk.{name}" for name in ilk.__all__ if not name.startswith("__")}
    wanted |= {found.value.replace(":", ".") for found in registered_by_us()}
    assert not wanted - documented
