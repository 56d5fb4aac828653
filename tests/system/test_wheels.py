"""The wheels that a plain copy of a member gives."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from pages import ROOT

MEMBERS = [ROOT / "core", *sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))]


def components(folder: Path) -> list[str]:
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    groups = project.get("entry-points", {})
    kinds = {group for group in groups if group.startswith("ilk.")}
    others = {"ilk.commands", "ilk.figures", "ilk.functions", "ilk.grammars", "ilk.kinds"}
    others |= {"ilk.plugins"}
    return [name for group in kinds - others for name in groups[group]]


@pytest.mark.parametrize("folder", MEMBERS, ids=lambda folder: folder.name)
def test_a_plain_copy_gives_wheels_of_everything(folder, tmp_path):
    """What is in them does not depend on git; CI installs from a clone by one command."""
    source = tmp_path / "source"
    shutil.copytree(folder, source, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(build, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
        (points,) = (name for name in archive.namelist() if name.endswith("/entry_points.txt"))
        told = archive.read(points).decode()
    ours = (path for path in (source / "src").rglob("*") if path.is_file())
    assert held == {path.relative_to(source / "src").as_posix() for path in ours}
    assert all(re.search(rf"^{name} = ", told, re.MULTILINE) for name in components(folder))
