"""The site builds without warnings and has every public name."""

import os
import subprocess
import sys

import pytest

import ilk
from ilk.kinds import kinds
from pages import OURS, ROOT

for needed in ("sphinx", "myst_parser", "furo", "sphinx_gallery"):
    pytest.importorskip(needed, reason="the site is built where the extra docs is installed")


def test_site_builds_without_warnings(tmp_path, request):
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", tmp_path / "doctrees", ROOT / "docs", tmp_path / "html"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"ILK_GALLERY": "all" if request.config.option.all else "sample"},
    )
    assert done.returncode == 0, done.stderr
    from sphinx.util.inventory import InventoryFile

    inventory = InventoryFile.loads((tmp_path / "html" / "objects.inv").read_bytes(), uri="")
    documented = {name for domain in inventory.data.values() for name in domain}
    wanted = {f"ilk.{name}" for name in ilk.__all__ if not name.startswith("__")}
    every = [found for kind in kinds() for found in ilk.registry(kind).find()]
    ours = [found for found in every if found.distribution in OURS]
    wanted |= {found.value.replace(":", ".") for found in ours}
    assert not wanted - documented
    reference = tmp_path / "html" / "reference" / "generated"
    assert not [one for one in ours if not (reference / f"{one.kind}.{one.name}.html").exists()]
    formula = (reference / "distance.minkowski.html").read_text(encoding="utf-8")
    assert "<math" in formula
