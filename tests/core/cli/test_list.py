"""`ilk list`: tables for people, lines for pipes, JSON for programs."""

import json
import sys

import pytest

import ilk
from ilk.kinds import kinds

DISTANCE = """
    import ilk


    class Gap(ilk.Distance):
        \"\"\"Difference of single numbers: ``|x - y|``.

        More about it.
        \"\"\"

        def pairwise(self, X, Y=None):
            return abs(X - X.T)
"""


def test_every_line_of_a_pipe_is_a_component(cli, only):
    only("ilk-core")
    listed = cli("list").out.splitlines()
    assert listed == [line.rstrip() for line in listed]
    lines = [line.split()[:4] for line in listed]
    assert ["classifier", "pipeline", "ilk-core", ilk.__version__] in lines
    assert ["distance", "power", "(session)", "-"] in lines
    assert len(lines) == 8  # three components of the core and the five toys of these tests


def test_the_lines_of_a_kind_are_those_of_all(cli):
    every = [line.split() for line in cli("list").out.splitlines()]
    ours = [line.split() for line in cli("list", "distances").out.splitlines()]
    assert ours == [line for line in every if line[0] == "distance"]
    assert ours


@pytest.mark.parametrize("kind", ["distance", "distances", "Distance"])
def test_a_kind_by_either_name(cli, only, kind):
    only("ilk-core")
    result = cli("list", kind)
    assert result.code == 0
    lines = [line.split()[:3] for line in result.out.splitlines()]
    assert sorted(lines) == [
        ["distance", "euclidean", "ilk-core"],
        ["distance", "power", "(session)"],
    ]


def test_a_kind_of_two_words(cli):
    assert cli("list", "metric-learners").code == 0


def test_a_table_on_a_terminal(cli, only, terminal):
    only("ilk-core")
    terminal(60)
    assert cli("list").out.splitlines() == [
        "kind         from       names",
        "─" * 38,
        "distance     (session)  power",
        "             ilk-core   euclidean",
        "index        ilk-core   brute",
        "transformer  (session)  centre",
        "classifier   (session)  nearest, panel",
        "             ilk-core   pipeline",
        "editor       (session)  every_other",
    ]


def test_many_names_are_wrapped(cli, only, terminal, monkeypatch):
    only("ilk-core")
    terminal(50)
    for i in range(12):
        monkeypatch.setitem(ilk.registry("distance")._session, f"distance_{i:02}", object)
    lines = cli("list").out.splitlines()
    assert max(map(len, lines)) <= 50
    assert lines[3].startswith(" " * 24)
    assert sum(line.count("distance_") for line in lines) == 12


def test_a_narrow_terminal_breaks_no_name(cli, install, only, terminal):
    install("fake-gap", "[ilk.distances]\ngap = fake_gap:Gap\n", DISTANCE)
    only("ilk-core", "fake-gap")
    terminal(24)
    lines = cli("list", "distance").out.splitlines()
    start = lines.index("gap  fake-gap")
    assert lines[start + 1 : start + 3] == ["  Difference of single", "  numbers: |x - y|."]


def test_a_table_shows_markup_as_it_is(cli, install, only, terminal):
    odd = DISTANCE.replace("of single", "[bold]of[/] :smile:")
    install("fake-gap", "[ilk.distances]\ngap = fake_gap:Gap\n", odd)
    only("ilk-core", "fake-gap")
    terminal(100)
    assert "Difference [bold]of[/] :smile: numbers" in cli("list", "distance").out


def test_pipes_and_help_do_not_load_the_library_of_tables(cli, monkeypatch):
    for name in ("rich.table", "rich.console"):
        monkeypatch.setitem(sys.modules, name, None)
    assert cli("list").code == cli("show", "distance", "power").code == cli("--help").code == 0


def test_summaries_are_read_without_importing(cli, install, terminal):
    module = DISTANCE + "\n    raise RuntimeError('this is never imported')\n"
    install("fake-gap", "[ilk.distances]\ngap = fake_gap:Gap\n", module)
    line = next(line for line in cli("list", "distance").out.splitlines() if "gap" in line)
    summary = "Difference of single numbers: |x - y|."
    assert line.split(maxsplit=4) == ["distance", "gap", "fake-gap", "1.0", summary]


def test_summaries_are_wrapped_on_a_terminal(cli, install, only, terminal):
    install("fake-gap", "[ilk.distances]\ngap = fake_gap:Gap\n", DISTANCE)
    only("ilk-core", "fake-gap")
    terminal(44)
    lines = cli("list", "distance").out.splitlines()
    assert lines[0].split() == ["name", "from", "summary"]
    start = lines.index("gap        fake-gap   Difference of single")
    assert lines[start + 1] == "                      numbers: |x - y|."
    assert max(map(len, lines)) <= 44


def test_json(cli, install):
    install("fake-gap", "[ilk.distances]\ngap = fake_gap:Gap\n", DISTANCE)
    written = json.loads(cli("list", "distance", "--json").out)
    assert written["schema"] == 1
    assert {
        "kind": "distance",
        "name": "gap",
        "distribution": "fake-gap",
        "version": "1.0",
        "object": "fake_gap:Gap",
        "summary": "Difference of single numbers: ``|x - y|``.",
    } in written["components"]


def test_a_misspelt_kind_gets_a_suggestion(cli):
    result = cli("list", "distence")
    assert result.code == 2
    assert result.err == "Error: there is no kind 'distence'; did you mean 'distance'?\n"


def test_a_kind_like_none_gets_them_all(cli):
    result = cli("list", "foo")
    assert result.code == 2
    assert result.err.startswith("Error: there is no kind 'foo'; the kinds are distance, kernel,")
    assert all(name in result.err for name in kinds())


@pytest.mark.parametrize("command", ["check", "list", "new", "schema", "show"])
def test_help_names_the_kinds(cli, command):
    words = cli(command, "--help").out.partition("Kinds:\n")[2].replace(",", " ").split()
    assert words == list(kinds())


def test_a_component_is_told_from_a_kind(cli):
    result = cli("list", "power")
    assert result.code == 2
    assert "'power' is a component: `ilk show distance power`" in result.err


def test_a_kind_that_nothing_offers(cli, only):
    only("ilk-core")
    result = cli("list", "regressor")
    assert (result.code, result.out, result.err) == (0, "", "no regressor is installed\n")
