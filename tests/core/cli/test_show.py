"""`ilk show`: a component in full, and what a kind asks for."""

import json
import re
from collections.abc import Mapping

import pytest

import ilk
from cases import in_one_test
from ilk.cli.docstrings import read_docstring, without_markup
from ilk.kinds import kinds


class Shown(ilk.Distance):
    """Distance for the tests of what is shown.

    d(x, y) = 0, which is
    not much.

    References
    ----------
    A. Nobody, On nothing, 1999.

    Examples
    --------
    >>> 1 + 1
    2

    A second example.

    >>> 2 + 2
    4
    """

    power: float = ilk.param(default=float("inf"), type=float, gt=0, doc="Exponent.")
    parts: Mapping[str, ilk.DistanceLike] | None = ilk.slots(
        "distance",
        default=None,
        many=dict,
        doc="One for each view.",
    )
    missing: str = ilk.param(
        default="keep",
        choices=("keep", "drop"),
        doc="What is done with gaps.",
    )
    capabilities = ilk.Capabilities(inputs=("tables", "vectors"), symmetric=True, nan=True)

    def pairwise(self, X, Y=None):
        raise NotImplementedError


class Wordy(Shown):
    """A distance with more to say about itself than ``d(x, y) = 0``.

    The first paragraph is longer
    than a line, and names `fit` and x * y * z::

        d(x, y) = sum_f  |x_f - y_f|,
                not more

    - One thing, which is told at some length
      so that it does not fit.
    - Another.

    References
    ----------
    .. [1] A. Nobody, *On nothing and on
       much else that has a long title*, 1999.
    .. [2] B. Nobody, On nothing *again, 2000.

    Examples
    --------
    >>> 1
    1
    """


@pytest.fixture(autouse=True)
def shown():
    ilk.registry("distance").register("shown", Shown)
    yield
    ilk.registry("distance").unregister("shown")


def test_a_component_in_full(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert cli("show", "distances", "shown").out.splitlines() == [
        "distance shown: Distance for the tests of what is shown.",
        f"{__name__}:Shown of (session)",
        "",
        "d(x, y) = 0, which is not much.",
        "",
        "Parameters",
        "  power             a number > 0; default 'inf'",
        "                    Exponent.",
        "  parts             a table (each value a distance) or None; default None",
        "                    One for each view.",
        "  missing           'keep' or 'drop'; default 'keep'",
        "                    What is done with gaps.",
        "",
        "Capabilities",
        "  takes             tables, vectors",
        "  is, has           symmetric, nan",
        "",
        "Source",
        "  A. Nobody, On nothing, 1999.",
        "",
        "Example",
        "  >>> 1 + 1",
        "  2",
    ]


def test_parameters_are_a_table_on_a_terminal(cli, terminal):
    terminal(80)
    lines = cli("show", "distance", "shown").out.splitlines()
    at = lines.index("Parameters")
    assert lines[at + 1].split() == ["name", "accepts", "default", "meaning"]
    rows = [re.split(r" {2,}", line) for line in lines[at + 3 : at + 6]]
    assert rows == [
        ["power", "a number > 0", "'inf'", "Exponent."],
        ["parts", "a table (each value a distance) or", "None", "One for each view."],
        ["", "None"],
    ]
    methods = cli("show", "distance").out.partition("Must define\n")[2].splitlines()
    assert methods[0].split() == ["method", "summary"]
    assert methods[2].startswith("pairwise(X, Y=None)  ")


def test_json(cli):
    record = json.loads(cli("show", "distance", "shown", "--json").out)
    assert record["summary"] == "Distance for the tests of what is shown."
    assert record["parameters"][2] == {
        "name": "missing",
        "accepts": "'keep' or 'drop'",
        "default": "keep",
        "doc": "What is done with gaps.",
    }
    assert record["capabilities"]["nan"] is True
    assert record["capabilities"]["inputs"] == ["tables", "vectors"]


def test_a_kind(cli):
    result = cli("show", "distance")
    assert result.code == 0
    assert "entry points in the group ilk.distances" in result.out
    assert "Must define\n  pairwise(X, Y=None)" in result.out
    assert "kneighbors(X, Y, k)" in result.out
    assert "power, " in result.out.partition("Installed\n")[2]


@pytest.mark.parametrize("kind", kinds())
def test_every_kind_tells_what_must_be_defined(cli, kind):
    interfaces = json.loads(cli("show", kind, "--json").out)["interfaces"]
    assert interfaces
    for interface in interfaces:
        assert interface["summary"]
        assert interface["must_define"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("distance", "powr"), "there is no distance 'powr'; did you mean 'power'?"),
        (("classifier", "power"), "there is no classifier 'power'; 'power' is a distance"),
        (("powr",), "there is no kind 'powr'; the kinds are distance, "),
        (("power",), "there is no kind 'power'; 'power' is a component: `ilk show distance power`"),
    ],
)
def test_what_is_not_there(cli, arguments, message):
    result = cli("show", *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"Error: {message}")


def test_text_is_wrapped_without_markup(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    ilk.registry("distance").register("wordy", Wordy)
    try:
        lines = cli("show", "distance", "wordy").out.splitlines()
    finally:
        ilk.registry("distance").unregister("wordy")
    assert lines[0:2] == [
        "distance wordy: A distance with more to say about itself",
        "  than d(x, y) = 0.",
    ]
    assert lines[4:14] == [
        "The first paragraph is longer than a line, and names fit and",
        "x * y * z:",
        "",
        "    d(x, y) = sum_f  |x_f - y_f|,",
        "            not more",
        "",
        "- One thing, which is told at some length so that it does",
        "  not fit.",
        "- Another.",
        "",
    ]
    source = lines[lines.index("Source") + 1 : lines.index("Source") + 5]
    assert source == [
        "  [1] A. Nobody, On nothing and on much else that has a long",
        "      title, 1999.",
        "  [2] B. Nobody, On nothing *again, 2000.",
        "",
    ]


@in_one_test
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("``a * b`` and ``c * d``", "a * b and c * d"),
        ("2 * x, *args, **kwargs and x*y*z", "2 * x, *args, **kwargs and x*y*z"),
        ("*On distances*, **bold**, `fit`, :class:`ilk.Distance`", None),
        ("x'x - 2 x_f + y_f", "x'x - 2 x_f + y_f"),
    ],
)
def test_markup_is_told_from_formulas(text, shown):
    assert without_markup(text) == (shown or "On distances, bold, fit, ilk.Distance")


@pytest.mark.parametrize("kind", kinds())
def test_inputs_are_shown_where_data_come_in(cli, kind):
    takes = kind not in {"combiner", "comparison", "dataset", "executor", "measure", "resampling"}
    for name in ilk.registry(kind).names():
        assert ("\n  takes " in cli("show", kind, name).out) == takes, name


def test_docstrings_in_parts():
    doc = read_docstring(Shown)
    assert doc.description == "d(x, y) = 0, which is\nnot much."
    assert doc.section("References") == "A. Nobody, On nothing, 1999."
    assert doc.section("Notes") == ""


def test_no_docstring_is_empty():
    assert read_docstring(lambda: None) == read_docstring(type("Bare", (), {"__doc__": ""}))
    assert read_docstring(type("Bare", (Shown,), {})).summary == ""


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("zaidi 4.7", {"megm"}),
        ("Zaidi eq. 6.2", {"dann"}),
        ("zaidi algorithms 1", {"megm"}),
        ("cunningham 2.4.4.2", {"icf", "competence", "rt1", "rt2", "rt3"}),
        ("arras feature scal", {"minmax"}),
        ("evaluation 5 x 2", {"five_by_two", "paired_t_5x2"}),
        ("ntoutsi figure 5.40", {"random_forest"}),
        ("zaidi (4.7)", {"megm"}),
        ("zaidi equations 4.8-4.12", {"megm", "mahalanobis_rbf"}),
        ("cunningham Fish-and-Shrink", {"fish_and_shrink"}),
    ],
)
def test_what_cites_a_place(cli, source, names):
    records = json.loads(cli("show", "--source", source, "--json").out)
    components = {each["name"] for each in records if each["kind"] in kinds()}
    assert names <= components
    assert len(components) <= len(names) + 2
    lines = cli("show", "--source", source).out.splitlines()
    assert len(lines) == len(records)
    assert all(line.split()[1] == each["name"] for line, each in zip(lines, records, strict=True))


def test_a_text_lists_all_that_cites_it(cli):
    everything = json.loads(cli("show", "--source", "zaidi", "--json").out)
    assert len(everything) > 80
    assert {each["kind"] for each in everything} > {"classifier", "function", "metric_learner"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--source", "zadi 4"], "the texts are arras, cunningham, .*; did you mean 'zaidi'"),
        (["--source", "zaidi 4.99"], "nothing cites '4.99' of Zaidi 2011"),
        (["--source", "zaidi F"], "nothing cites 'F' of Zaidi 2011"),
        (["--source", "zaidi 4.12-4.8"], "nothing cites '4.12-4.8' of Zaidi 2011"),
        (["--source", "zaidi 90-999999999"], "nothing cites '90-999999999' of Zaidi 2011"),
        (["--source", "cunningham 2.4\u00e9"], "nothing cites '2.4\u00e9' of Cunningham"),
        (["classifier", "--source", "zaidi"], "give a KIND, with or without a NAME, or --source"),
        ([], "give a KIND"),
    ],
)
def test_what_no_text_has(cli, arguments, message):
    result = cli("show", *arguments)
    assert (result.code, result.out) == (2, "")
    assert re.search(message, " ".join(result.err.split()))
