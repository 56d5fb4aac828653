"""``ilk doctor``."""

import ilk


def test_what_it_tells(cli):
    result = cli("doctor")
    assert result.code == 0
    for part in (ilk.__version__, "ilk-distances", "numpy", "fine", "processors", "cache"):
        assert part in result.out
    assert "broken" not in result.out


def test_what_is_broken_is_named(cli, install):
    points = "[ilk.distances]\nspoiled = fake_sick:X\n[ilk.plugins]\near = fake_sick\n"
    install("fake-sick", points, "import no_such_module")
    result = cli("doctor")
    assert result.code == 1
    flat = " ".join(result.out.split())
    assert "distance fake-sick/spoiled" in flat
    assert "listener ear of fake-sick cannot be used" in flat
    assert "no_such_module" in flat


def test_names_that_clash_are_named(cli, install):
    module = (
        "import ilk\nclass X(ilk.Distance):\n    def pairwise(self, X, Y=None):\n        return 0\n"
    )
    install("fake-one", "[ilk.distances]\nsame = fake_one:X\n", module)
    install("fake-two", "[ilk.distances]\nsame = fake_two:X\n", module)
    result = cli("doctor")
    assert result.code == 1
    assert "offered by fake-one and fake-two" in " ".join(result.out.split())
