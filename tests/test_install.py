"""What an installation rests on: one command from a plain copy, and coherent metadata."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import ilk
from cases import in_one_test

ROOT = Path(__file__).parents[1]
MEMBERS = [ROOT / "core", *sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))]


def project(folder: Path) -> dict:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def requirements(folder: Path) -> list[Requirement]:
    extras = project(folder).get("optional-dependencies", {}).values()
    texts = [*project(folder)["dependencies"], *(text for extra in extras for text in extra)]
    return [Requirement(text) for text in texts]


def test_root_installs_every_member():
    ours = {requirement.name for requirement in requirements(ROOT) if requirement.url}
    assert ours == {project(folder)["name"] for folder in MEMBERS}


@in_one_test
@pytest.mark.parametrize("folder", [ROOT, *MEMBERS], ids=lambda folder: folder.name)
def test_versions_match(folder):
    assert project(folder)["version"] == ilk.__version__


@in_one_test
@pytest.mark.parametrize("folder", [ROOT, *MEMBERS], ids=lambda folder: folder.name)
def test_dependencies_are_ranges(folder):
    for requirement in requirements(folder):
        if requirement.url or requirement.name == project(folder)["name"]:
            continue  # a member, or another extra
        operators = {specifier.operator for specifier in requirement.specifier}
        assert ">=" in operators, f"{requirement} has no lower bound"
        assert "==" not in operators, f"{requirement} is pinned"


@in_one_test
@pytest.mark.parametrize("folder", MEMBERS, ids=lambda folder: folder.name)
def test_members_depend_on_this_core(folder):
    core = [r for r in requirements(folder) if r.name.startswith("ilk")]
    assert [r.name for r in core] == ([] if folder.name == "core" else ["ilk-core"])
    assert all(r.specifier.contains(ilk.__version__) for r in core)


@in_one_test
@pytest.mark.parametrize("folder", MEMBERS, ids=lambda folder: folder.name)
def test_members_carry_the_licence(folder):
    assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_workflows_run_on_the_pythons_that_are_declared():
    declared = {
        text.rpartition(" ")[2]
        for text in project(ROOT)["classifiers"]
        if text.startswith("Programming Language :: Python :: 3.")
    }
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    (matrix,) = re.findall(r"^ +python: \[(.*)\]$", workflow, re.MULTILINE)
    assert set(re.findall(r'"([\d.]+)"', matrix)) == declared
