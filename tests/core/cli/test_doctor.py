"""``ilk doctor``."""

from importlib.util import find_spec

import pytest

import ilk
from ilk.cli import doctor


def test_what_it_tells(cli):
    result = cli("doctor")
    assert result.code == 0
    for part in (ilk.__version__, "ilk-distances", "numpy", "fine", "processors"):
        assert part in result.out
    assert "broken" not in result.out


def test_where_compiled_code_is_kept(cli):
    pytest.importorskip("numba")
    about = cli("doctor").out.partition("\nnumba\n")[2]
    assert "threading layer" in about
    assert "cache" in about


def test_numba_need_not_be_installed(cli, monkeypatch):
    monkeypatch.setattr(
        doctor, "find_spec", lambda name: None if name == "numba" else find_spec(name)
    )
    result = cli("doctor")
    assert result.code == 0
    assert "\nnumba\n  state                 not installed\n" in result.out


def test_what_is_broken_is_named(cli, install):
    points = "[ilk.distances]\nspoiled = fake_sick:X\n[ilk.plugins]\near = fake_sick\n"
    install("fake-sick", points, "import no_such_module")
    result = cli("doctor")
    assert result.code == 1
    flat = " ".join(result.out.split())
    assert "distance fake-sick/spoiled" in flat
    assert "listener ear of fake-sick cannot be used" in flat
    assert "no_such_module" in flat


def test_the_new_lines_of_a_class_in_the_old_form_keep_apart(cli, install):
    module = "import ilk\nclass X(ilk.Distance):\n    parameters = {'p': ilk.Param(float, gt=0)}\n"
    install("fake-old", "[ilk.distances]\nold = fake_old:X\n", module)
    result = cli("doctor")
    assert "\n    p: float = ilk.param(default=..., type=float, gt=0)\n" in result.out


def test_names_that_clash_are_named(cli, install):
    module = (
        "import ilk\nclass X(ilk.Distance):\n    def pairwise(self, X, Y=None):\n        return 0\n"
    )
    install("fake-one", "[ilk.distances]\nsame = fake_one:X\n", module)
    install("fake-two", "[ilk.distances]\nsame = fake_two:X\n", module)
    result = cli("doctor")
    assert result.code == 1
    assert "offered by fake-one and fake-two" in " ".join(result.out.split())
