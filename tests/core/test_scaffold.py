"""`ilk new`: what it writes, what it refuses, and that nothing partial is left."""

import ast
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import ilk
from cases import in_one_test
from ilk.cli.shell import run
from ilk.errors import IlkError
from ilk.kinds import kind_of, kinds
from ilk.scaffold.project import Project

BUILT_IN = [kind for kind in kinds().values() if kind.interfaces[0].startswith("ilk.")]


@pytest.fixture
def new(tmp_path, monkeypatch, capsys):
    """Run `ilk new` in an empty folder: exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        code = run(["new", *arguments])
        return code, *capsys.readouterr()

    return call


def test_it_says_what_it_made_and_what_to_do(new, tmp_path):
    code, out, err = new("distance", "mine")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "ilk-mine: the distance 'mine', src/ilk_mine/mine.py",
        "next, in the environment that has ilk: cd ilk-mine && pip install -e '.[test]' && pytest",
    ]
    assert sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.*")) == [
        "ilk-mine/.gitignore",
        "ilk-mine/README.md",
        "ilk-mine/pyproject.toml",
        "ilk-mine/src/ilk_mine/__init__.py",
        "ilk-mine/src/ilk_mine/mine.py",
        "ilk-mine/tests/test_conformance.py",
        "ilk-mine/tests/test_mine.py",
    ]


def test_folder_and_distribution_can_be_chosen(new, tmp_path):
    code, *_ = new("kernels", "own_one", "--path", "here", "--dist", "Acme.Tools")
    assert code == 0
    project = tomllib.loads((tmp_path / "here" / "pyproject.toml").read_text())["project"]
    assert project["name"] == "Acme.Tools"
    assert project["entry-points"] == {"ilk.kernels": {"own_one": "acme_tools.own_one:OwnOne"}}


@in_one_test
@pytest.mark.parametrize("kind", BUILT_IN, ids=lambda kind: kind.name)
def test_every_kind_has_a_project(kind):
    project = Project(kind, "my_own", "ilk-my-own")
    written = project.files()
    for path, text in written.items():
        assert "$" not in text, path
        if path.endswith(".py"):
            assert max(map(len, text.splitlines())) <= 100, path
            assert "NotImplemented" not in text, path
            ast.parse(text)
    table = tomllib.loads(written["pyproject.toml"])["project"]
    assert table["entry-points"] == {
        kind.group: {"my_own": f"ilk_my_own.my_own:{project.class_name}"}
    }
    assert f"class {project.class_name}(" in written["src/ilk_my_own/my_own.py"]


@pytest.mark.skipif(find_spec("ruff") is None, reason="ruff comes with the extra dev")
def test_every_project_is_clean_by_ruff(tmp_path):
    for name in ("x", "my_own", "a_component_whose_name_is_long"):
        for kind in BUILT_IN:
            dist = f"ilk-{name.replace('_', '-')}"
            Project(kind, name, dist).write(tmp_path / f"{kind.name}-{name}")
    for command in (["format", "--check"], ["check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, tmp_path],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout


def test_the_readme_says_where_ilk_must_be():
    text = Project(kind_of("distance"), "mine", "ilk-mine").files()["README.md"]
    assert "in the same environment" in text.partition("pip install -e")[0]


def test_the_core_is_asked_for_by_range():
    text = Project(kind_of("distance"), "mine", "ilk-mine").files()["pyproject.toml"]
    (core,) = tomllib.loads(text)["project"]["dependencies"]
    from packaging.requirements import Requirement

    assert Requirement(core).name == "ilk-core"
    assert Requirement(core).specifier.contains(ilk.__version__)


@pytest.mark.parametrize("name", ["any", "self"])
def test_a_class_keeps_clear_of_what_its_module_uses(name):
    project = Project(kind_of("classifier"), name, "ilk-mine")
    assert project.class_name == f"{name.capitalize()}Classifier"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("distnace", "mine"), "there is no kind 'distnace'; did you mean 'distance'?"),
        (("distance", "MyOwn"), "got 'MyOwn'; 'my_own' would do"),
        (("distance", "my-own"), "got 'my-own'; 'my_own' would do"),
        (("distance", "class"), "got 'class'; 'class_' would do"),
        (("distance", "3d"), "got '3d'; 'd' would do"),
        (("distance", "_"), "got '_'"),
        (("distance", "power"), "(session) has a distance 'power' already"),
        (("distance", "mine", "--dist", "3d"), "got '3d'"),
        (("distance", "mine", "--dist", "../mine"), "got '../mine'"),
        (("distance", "mine", "--dist", "ilk_core"), "there is a distribution 'ilk_core' already"),
        (("distance", "mine", "--dist", "ilk"), "there is a distribution 'ilk' already"),
        (("distance", "mine", "--path", "no/such/folder"), "cannot be written: No such file"),
    ],
)
def test_what_is_refused(new, tmp_path, arguments, message):
    code, out, err = new(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert message in err
    assert not any(tmp_path.iterdir())


def test_a_folder_is_never_overwritten(new, tmp_path):
    (tmp_path / "ilk-mine").mkdir()
    code, _, err = new("distance", "mine")
    assert code == 2
    assert err == "Error: ilk-mine exists already; nothing was written\n"
    assert not any((tmp_path / "ilk-mine").iterdir())


def test_nothing_partial_is_left(tmp_path, monkeypatch):
    project = Project(kind_of("distance"), "mine", "ilk-mine")
    write_text = Path.write_text

    def full(self, *arguments, **keywords):
        if self.name.startswith("test_"):
            raise OSError(28, "No space left on device")
        return write_text(self, *arguments, **keywords)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(IlkError, match="cannot be written: No space left on device"):
        project.write(tmp_path / "ilk-mine")
    assert not any(tmp_path.iterdir())


def test_a_kind_without_a_template(monkeypatch):
    from ilk.kinds import Kind

    with pytest.raises(IlkError, match="no template for a rule"):
        Project(Kind("rule", "rules", ("x:Rule",), "a rule"), "mine", "ilk-mine")
