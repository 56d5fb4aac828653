"""Plugins as strangers write, install and use them: ilk-example, and what `ilk new` makes."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

from ilk.kinds import kinds
from pages import ROOT

EXAMPLE = ROOT / "examples" / "ilk-example"
BUILT_IN = [kind.name for kind in kinds().values() if kind.interfaces[0].startswith("ilk.")]

pytestmark = pytest.mark.skipif(
    find_spec("pip") is None or find_spec("hatchling") is None,
    reason="plugins are built by pip and hatchling, which are not both installed",
)


class Site:
    """A folder of installed plugins, beside what is installed already."""

    def __init__(self, folder):
        self.folder = folder

    def install(self, *projects):
        pip = "pip install --quiet --no-index --no-deps --no-build-isolation"
        done = self.python("-m", *pip.split(), "--target", self.folder, *projects)
        assert done.returncode == 0, done.stderr

    def python(self, *arguments, cwd=None):
        path = os.pathsep.join([str(self.folder), os.environ.get("PYTHONPATH", "")])
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
        )

    def ilk(self, *arguments, cwd=None):
        return self.python("-c", "from ilk.cli import main; main()", *arguments, cwd=cwd)

    def pytest(self, *arguments, cwd=None):
        return self.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments, cwd=cwd)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Where ilk-example is installed."""
    made = Site(tmp_path_factory.mktemp("site"))
    made.install(EXAMPLE)
    return made


def test_it_is_found(site):
    listed = json.loads(site.ilk("list", "--json").stdout)["components"]
    ours = {(c["kind"], c["name"]) for c in listed if c["distribution"] == "ilk-example"}
    assert ours == {("distance", "great_circle"), ("classifier", "nearest_medoid")}
    assert "ilk-example 0.1.0" in site.ilk("--version").stdout


def test_it_is_used_by_name_from_a_file(site, tmp_path):
    done = site.ilk("run", EXAMPLE / "cities.toml", "--store", tmp_path / "cities.sqlite")
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"(1-NN|medoid)( great circle)? +(0\.\d+) .* (\d+)\n", done.stdout)
    error = {(name, bool(globe)): float(value) for name, globe, value, _ in rows}
    assert len(error) == 4
    assert {failed for *_, failed in rows} == {"0"}
    assert error["1-NN", True] < error["1-NN", False]  # the earth is round
    assert error["medoid", True] < error["medoid", False]


def test_it_is_used_by_name_from_python(site):
    code = (
        "import ilk; X, y = [[0, 179], [0, 90]], ['far', 'near'];"
        "model = ilk.classifier('nearest_medoid', distance='great_circle').fit(X, y);"
        "print(model.predict([[0, -179]])[0], ilk.to_spec(model))"
    )
    done = site.python("-c", code)
    spec = {"use": "nearest_medoid", "distance": {"use": "great_circle"}}
    assert done.stdout.strip() == f"far {spec}", done.stderr


def test_without_it_the_file_says_what_is_missing(tmp_path):
    done = Site(tmp_path).ilk("run", EXAMPLE / "cities.toml", "--store", tmp_path / "store.sqlite")
    assert done.returncode == 2
    assert "cities.toml:22: pipelines[1].steps[0].classifier.distance: there is no" in done.stderr
    assert len(done.stderr.splitlines()) == 4  # their number, and three of them


def test_it_passes_ilk_check(site):
    done = site.ilk("check", "ilk-example")
    assert done.returncode == 0, done.stdout
    assert re.search(r"^  distance great_circle: \d+ passed, 0 failed", done.stdout, re.MULTILINE)
    assert re.search(r"^  classifier nearest_medoid: \d+ passed, 0", done.stdout, re.MULTILINE)


def test_its_own_tests_pass(site):
    done = site.pytest(cwd=EXAMPLE)
    assert done.returncode == 0, done.stdout
    assert "great_circle" in done.stdout  # the kit tells how many checks ran


def test_what_new_makes_passes_at_once(tmp_path):
    site = Site(tmp_path / "site")
    assert site.ilk("new", "distance", "mine", cwd=tmp_path).returncode == 0
    site.install(tmp_path / "ilk-mine")
    done = site.pytest(cwd=tmp_path / "ilk-mine")
    assert done.returncode == 0, done.stdout
    assert re.search(r"^  mine [1-9]\d*$", done.stdout, re.MULTILINE)
    shown = site.ilk("show", "distance", "mine")
    assert shown.stdout.startswith("distance mine: City-block distance")


def test_what_new_makes_passes_for_every_kind(tmp_path):
    site = Site(tmp_path / "site")
    projects = [tmp_path / f"ilk-my-{kind.replace('_', '-')}" for kind in BUILT_IN]
    for kind in BUILT_IN:
        done = site.ilk("new", kind, f"my_{kind}", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    site.install(*projects)
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    done = site.pytest("--import-mode=importlib", "-c", "pytest.ini", *projects, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-5000:]
    ran = re.findall(r"^  my_(\w+) [1-9]\d*$", done.stdout, re.MULTILINE)
    assert sorted(ran) == sorted(BUILT_IN)
