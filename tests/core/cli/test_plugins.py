"""Plugins that are wrong: one clear message, the right exit code, and all else goes on."""

import json

import pytest

from ilk.registries import refresh

DISTANCE = """
    import click
    import ilk


    class Mine(ilk.Distance):
        \"\"\"A distance.\"\"\"

        def pairwise(self, X, Y=None):
            return 0


    @click.command()
    def greet():
        click.echo("hello from {name}")
"""


@pytest.fixture
def good(install):
    """A distribution in which everything is right."""
    entry_points = """
        [ilk.distances]
        fine = good_one:Mine
        [ilk.commands]
        greet = good_one:greet
    """
    install("good-one", entry_points, DISTANCE.replace("{name}", "good-one"))


def test_a_command_of_a_plugin_is_listed_and_called(cli, good):
    assert "greet Provided by good-one." in " ".join(cli("--help").out.split())
    assert cli("greet").out == "hello from good-one\n"
    assert cli("good-one/greet").out == "hello from good-one\n"


def test_help_imports_no_plugin(cli, install):
    install("fake-loud", "[ilk.commands]\nshout = fake_loud:shout\n", "raise RuntimeError('no')")
    result = cli("--help")
    assert result.code == 0
    assert "shout" in result.out


def test_a_plugin_that_cannot_be_imported(cli, good, install, only):
    install("fake-broken", "[ilk.distances]\nbent = fake_broken:Bent\n", "import no_such_module")
    only("ilk-core", "good-one", "fake-broken")
    result = cli("show", "distance", "bent")
    assert result.code == 2
    assert result.err == (
        "Error: distance 'bent' of fake-broken 1.0 (fake_broken:Bent) cannot be imported: "
        "ModuleNotFoundError: No module named 'no_such_module'\n"
    )
    assert cli("show", "distance", "fine").code == 0
    checked = cli("list", "--check", "distance")
    assert checked.code == 1
    assert (
        "broken  distance  bent       fake-broken\n  distance 'bent' of fake-broken" in checked.out
    )
    assert "ok      distance  fine       good-one" in checked.out
    assert checked.out.endswith("3 ok, 1 broken, 0 ambiguous\n")


def test_a_name_that_two_distributions_offer(cli, install, only):
    for name in ("fake-a", "fake-b"):
        module = DISTANCE.replace("{name}", name)
        entry_points = f"[ilk.distances]\nmine = {name.replace('-', '_')}:Mine\n"
        install(name, entry_points, module)
    only("ilk-core", "fake-a", "fake-b")
    result = cli("show", "distance", "mine")
    assert result.code == 2
    assert result.err == (
        "Error: distance 'mine' is offered by fake-a and fake-b; write 'fake-a/mine' or "
        "'fake-b/mine'\n"
    )
    assert "fake_b:Mine of fake-b 1.0" in cli("show", "distance", "fake-b/mine").out
    checked = cli("list", "--check", "--json", "distance")
    assert checked.code == 1
    status = {c["distribution"]: c["status"] for c in json.loads(checked.out)["components"]}
    assert status == {
        "(session)": "ok",
        "fake-a": "ambiguous",
        "fake-b": "ambiguous",
        "ilk-core": "ok",
    }


@pytest.mark.parametrize(
    ("module", "problem"),
    [
        ("Bent = 3", "it is int 3, not a class"),
        (
            "import ilk\nclass Bent(ilk.Kernel):\n    def gram(self, X, Y=None): return 0",
            "class Bent is no distance: it must subclass ilk.Distance",
        ),
        ("import ilk\nclass Bent(ilk.Distance): pass", "class Bent does not define pairwise"),
    ],
    ids=["no class", "another kind", "incomplete"],
)
def test_an_object_of_the_wrong_kind(cli, install, module, problem):
    install("fake-bent", "[ilk.distances]\nbent = fake_bent:Bent\n", module)
    result = cli("show", "distance", "bent")
    assert result.code == 2
    assert result.err == f"Error: distance 'bent' of fake-bent 1.0 (fake_bent:Bent): {problem}\n"


@pytest.mark.parametrize(
    ("module", "problem"),
    [
        ("import no_such_module", " cannot be imported: ModuleNotFoundError: No module named"),
        ("raise SystemExit(4)", " cannot be imported: SystemExit: 4"),
        ("def act(): pass", ": it is function <function act at "),
    ],
    ids=["import fails", "exits", "no command"],
)
def test_a_broken_command(cli, good, install, module, problem):
    install("fake-tool", "[ilk.commands]\nact = fake_tool:act\n", module)
    result = cli("act")
    assert result.code == 2
    assert result.err.startswith(f"Error: command 'act' of fake-tool 1.0 (fake_tool:act){problem}")
    assert len(result.err.splitlines()) == 1
    assert cli("greet").code == 0
    assert cli("--help").code == 0


def test_a_command_that_two_distributions_offer(cli, good, install):
    module = DISTANCE.replace("{name}", "other-one")
    install("other-one", "[ilk.commands]\ngreet = other_one:greet\n", module)
    assert "Ambiguous: write good-one/greet or other-one/greet." in cli("--help").out
    result = cli("greet")
    assert result.code == 2
    assert result.err == (
        "Error: command 'greet' is offered by good-one and other-one; write 'good-one/greet' or "
        "'other-one/greet'\n"
    )
    assert cli("other-one/greet").out == "hello from other-one\n"


def test_a_command_cannot_take_the_place_of_one_of_ours(cli, install):
    install("fake-list", "[ilk.commands]\nlist = fake_list:greet\n", DISTANCE)
    assert "hello" not in cli("list").out
    assert cli("fake-list/list").out.startswith("hello")


def test_a_misspelt_group_is_found_by_checking(cli, install, only):
    install("fake-typo", "[ilk.distance]\nmine = fake_typo:Mine\n", DISTANCE)
    only("ilk-core", "fake-typo")
    result = cli("list", "--check")
    assert result.code == 1
    assert "there is no group 'ilk.distance'; did you mean 'ilk.distances'?" in result.out


def test_checking_everything_checks_commands(cli, good, install, only):
    install("fake-tool", "[ilk.commands]\nact = fake_tool:act\n", "")
    only("good-one", "fake-tool")
    result = cli("list", "--check")
    assert result.code == 1
    assert "ok      ilk.commands  greet" in result.out
    assert "broken  ilk.commands  act" in result.out


def test_only_some_distributions_are_seen(cli, good, only):
    assert "fine" in cli("list", "distance").out
    only("ilk-core")
    assert "fine" not in cli("list", "distance").out
    assert cli("greet").code == 2


@pytest.mark.parametrize(
    ("metadata", "entry_points"),
    [
        ("", "[ilk.distances]\nmine = nameless:Mine\n"),
        ("Name: spoiled\nVersion: 1.0\n", "[ilk.distances]\nthis is no entry point\n"),
    ],
    ids=["no name", "no entry point"],
)
def test_spoiled_metadata_is_left_out(cli, good, tmp_path, metadata, entry_points):
    info = tmp_path / "site" / "spoiled-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(metadata)
    (info / "entry_points.txt").write_text(entry_points)
    refresh()
    with pytest.warns(UserWarning, match="is left out"):
        listed = cli("list", "distance")
    assert listed.code == 0
    assert "fine" in listed.out


def test_an_interrupt_in_an_import_is_named(cli, install, only):
    """It may be the plugin's own, and then nobody has pressed a key."""
    points = "[ilk.distances]\nstop = fake_stop:Stop\n[ilk.commands]\nhalt = fake_stop:halt\n"
    install("fake-stop", points, "raise KeyboardInterrupt")
    only("ilk-core", "fake-stop")
    for arguments in (("doctor",), ("show", "distance", "stop"), ("halt",)):
        result = cli(*arguments)
        assert result.code == 130
        assert "Error: interrupted while" in result.err
        assert "of fake-stop 1.0 (fake_stop:" in result.err
