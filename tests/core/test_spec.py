"""Loading, resolving, building and writing specs."""

import json
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test, unix_only
from ilk import Many, Param, Table
from ilk.locate import lines_of
from ilk.spec import load_spec

GRAMMAR = Table(
    {
        "experiment": Table({"name": Param(str), "seed": Param(int, ge=0)}, required=("name",)),
        "pipelines": Many(Table({"id": Param(str), "steps": Param(slot="step", many=list)})),
        "data": Param(ilk.FilePath),
    },
    required=("experiment", "pipelines"),
)

GOOD = """\
data = "here/there.csv"
[experiment]
name = "x"
[[pipelines]]
id = "a"
steps = [{ transformer = "centre" }, { classifier = { use = "nearest", distance = "power" } }]
"""

BAD = """\
[experiment]
name = 3
sede = 0
[[pipelines]]
id = "a"
steps = [
  { transformer = "center" },
  { clasifier = "nearest" },
  { classifier = { use = "nearest", distance = { use = "power", p = 0 } } },
  { distance = "power" },
  { classifier = { use = "nearest", distanc = "power" } },
  "nearest",
  { classifier = { k = 1 } },
]
[pipeline]
"""


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "spec.toml"
        path.write_text(text)
        return path

    return write


def test_a_good_file_resolves(write, tmp_path):
    resolved = ilk.resolve(ilk.load(write(GOOD)), grammar=GRAMMAR)
    assert resolved.data["pipelines"][0]["steps"][1] == {
        "classifier": {
            "use": "nearest",
            "distance": {"use": "power", "p": 2.0},
            "parts": None,
            "random_state": None,
            "hook": None,
        }
    }
    assert resolved.data["data"] == str(tmp_path / "here" / "there.csv")


def test_all_errors_at_once_with_lines(write):
    with pytest.raises(ilk.SpecError) as caught:
        ilk.resolve(ilk.load(write(BAD)), grammar=GRAMMAR)
    found = {(problem.line, problem.message) for problem in caught.value.problems}
    expected = [
        (2, "must be a string, got 3"),
        (3, "unknown key 'sede'; did you mean 'seed'? (known: name, seed)"),
        (7, "there is no transformer 'center'; did you mean 'centre'?"),
        (8, "there is no kind 'clasifier'; did you mean 'classifier'?"),
        (9, "must be a number > 0, got 0"),
        (10, "a distance cannot be a step of a pipeline"),
        (11, "nearest has no parameter 'distanc'; did you mean 'distance'?"),
        (12, "a step is a table with one key, its kind"),
        (13, "'use' is missing"),
        (15, "unknown key 'pipeline'; did you mean 'pipelines'?"),
    ]
    assert len(found) == len(expected)
    for line, message in expected:
        assert any(at == line and message in text for at, text in found), (line, message, found)


def test_a_problem_is_one_line_with_file_line_and_path(write):
    path = write(BAD)
    with pytest.raises(ilk.SpecError) as caught:
        ilk.resolve(ilk.load(path), grammar=GRAMMAR)
    line = next(text for text in str(caught.value).split("\n") if "center" in text)
    assert line.startswith(f"{path}:7: pipelines[0].steps[0].transformer: there is no")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = ", r"spec.toml:1: not valid TOML"),
        ("[a]\nb = 1\nb = 2", r"spec.toml:3: not valid TOML"),
        (None, "No such file or directory; did you mean 'spec.toml'"),
    ],
)
def test_an_unreadable_file(write, tmp_path, text, said):
    path = write(text or "")
    with pytest.raises(ilk.SpecError, match=said):
        ilk.load(path if text else tmp_path / "spek.toml")


def test_not_text(tmp_path):
    path = tmp_path / "x.toml"
    path.write_bytes(b"a = '\xff'")
    with pytest.raises(ilk.SpecError, match="not UTF-8"):
        ilk.load(path)
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    with pytest.raises(ilk.SpecError, match="cannot be read"):
        ilk.load(folder)


@in_one_test
@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "'experiment' is missing"),
        ({"experiment": 1, "pipelines": [{}]}, "experiment: must be a table, got 1"),
        ({"experiment": {"name": "x"}, "pipelines": []}, "pipelines: needs at least 1, got 0"),
        ({"experiment": {"name": "x"}, "pipelines": {}}, "pipelines: must be a list of tables"),
    ],
)
def test_the_grammar_of_files(data, said):
    with pytest.raises(ilk.SpecError, match=said.replace("[", r"\[")):
        ilk.resolve(data, grammar=GRAMMAR)


def test_building_builds_what_is_inside():
    pipeline = ilk.build({"steps": [{"classifier": {"use": "nearest", "distance": "power"}}]})
    assert pipeline.steps[0]["classifier"].distance.p == 2.0


def test_building_needs_no_kind_where_one_has_the_name():
    assert ilk.build("power").p == 2.0
    with pytest.raises(ilk.SpecError, match="'nothing' is unknown"):
        ilk.build("nothing")


def test_building_reports_the_path():
    spec = {"use": "panel", "members": ["nearest", {"use": "nearest", "distance": {"use": "x"}}]}
    with pytest.raises(ilk.SpecError, match=r"members\[1\].distance.use: there is no distance 'x'"):
        ilk.build(spec)


SPECS = [
    "power",
    {"use": "power", "p": 1},
    {"use": "nearest", "parts": {"a": "power", "b": {"use": "power", "p": 3}}},
    {"use": "panel", "members": ["nearest", {"use": "nearest", "distance": {"use": "power"}}]},
    {"steps": [{"transformer": "centre"}, {"editor": "every_other"}, {"classifier": "nearest"}]},
]


@in_one_test
@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_what_is_built_is_written_back(spec):
    built = ilk.build(spec)
    written = ilk.to_spec(built)
    assert ilk.to_spec(ilk.build(written)) == written
    assert ilk.to_spec(ilk.build(ilk.resolve(spec).data)) == written


def test_names_tables_and_instances_mean_the_same():
    forms = ["power", {"use": "power"}, {"use": "power", "p": 2.0}, ilk.distance("power")]
    written = [ilk.to_spec(ilk.classifier("nearest", distance=form)) for form in forms]
    assert written == [{"use": "nearest"}] * 4


def test_spellings_of_the_same_resolve_to_the_same():
    forms = [{"use": "minkowski", "p": 1}, {"use": "ilk-distances/minkowski", "p": 1.0}]
    resolved = [json.dumps(ilk.resolve(form, kind="distance").data) for form in forms]
    assert resolved[0] == resolved[1]


def test_what_a_spec_cannot_say(toys):
    fitted = ilk.frozen(ilk.distance("power").fit(np.eye(2)))
    unregistered = type("Other", (toys["power"],), {})()
    for value, said in (
        ({"hook": len}, "hook: a function cannot be written"),
        ({"distance": fitted}, "distance: .* is frozen"),
        ({"distance": unregistered}, "distance: .* is not registered"),
    ):
        with pytest.raises(ilk.SpecError, match=said):
            ilk.to_spec(ilk.classifier("nearest", **value))


def test_arrays_are_written_as_lists():
    seed = np.int64(3)
    assert ilk.to_spec(ilk.classifier("nearest", random_state=seed))["random_state"] == 3
    assert type(ilk.to_spec(ilk.classifier("nearest", random_state=seed))["random_state"]) is int


def test_versions_name_every_distribution_used():
    assert set(ilk.resolve(SPECS[-1]).versions) == {"ilk-core"}


@given(st.floats(min_value=1e-6, allow_nan=False, allow_infinity=False), st.integers(0, 3))
def test_any_value_survives_the_round_trip(p, depth):
    spec = {"use": "nearest", "distance": {"use": "power", "p": p}}
    for _ in range(depth):
        spec = {"use": "panel", "members": [spec, "nearest"]}
    written = ilk.to_spec(ilk.build(spec))
    assert ilk.to_spec(ilk.build(written)) == written
    assert ilk.resolve(written, kind="classifier").data == ilk.resolve(spec, kind="classifier").data


def test_a_local_metric_learner_is_no_step():
    local = type(
        "Local",
        (ilk.LocalMetric,),
        {
            "capabilities": ilk.Capabilities(local=True),
            "fit": lambda self, X, y: self,
            "kneighbors": lambda self, Q, k: (Q, Q),
        },
    )
    ilk.registry("metric_learner").register("local", local)
    try:
        with pytest.raises(ilk.SpecError, match=r"steps\[0\].metric_learner: local .*to knn"):
            ilk.resolve({"steps": [{"metric_learner": "local"}, {"classifier": "nearest"}]})
    finally:
        ilk.registry("metric_learner").unregister("local")


@in_one_test
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"classifier": {"use": 3}}, "'use' must be a name, got 3"),
        ({"transformer": {"use": ["centre"]}}, "'use' must be a name"),
        ({"index": "brute"}, "an index cannot be a step"),
        ({"classifier": {"use": "nearest", "a\nb": 1}}, r"no parameter 'a\\nb'"),
    ],
)
def test_wrong_steps_are_one_line_each(value, said):
    with pytest.raises(ilk.SpecError, match=said) as caught:
        ilk.resolve({"steps": [value]})
    assert len(str(caught.value).split("\n")) == len(caught.value.problems)


def test_a_table_for_a_list_of_tables():
    grammar = Table({"datasets": Param(slot="dataset", many=list)})
    with pytest.raises(ilk.SpecError, match=r"write \[\[datasets\]\]"):
        ilk.resolve({"datasets": {"use": "iris"}}, grammar=grammar)


@pytest.mark.parametrize(("depth", "fine"), [(20, True), (60, False), (400, False)])
def test_depth_has_a_bound(depth, fine):
    spec = "nearest"
    for _ in range(depth):
        spec = {"use": "panel", "members": [spec]}
    if fine:
        assert ilk.to_spec(ilk.build(spec))["use"] == "panel"
        return
    with pytest.raises(ilk.SpecError, match="nested more than 50 deep|nested too deeply"):
        ilk.build(spec)


def test_a_byte_order_mark_is_no_matter(write):
    assert ilk.load(write("\ufeffa = 1")).data == {"a": 1}


def test_a_file_nested_too_deeply_is_refused(write):
    with pytest.raises(ilk.SpecError, match="nested too deeply"):
        ilk.load(write("a = " + "[" * 5000 + "]" * 5000))


def test_long_values_are_cut():
    with pytest.raises(ilk.SpecError) as caught:
        ilk.resolve({"use": "power", "p": "x" * 5000}, kind="distance")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a = 1\nb = 0x" + "f" * 4000,
            ":2: b: must be an integer of at most 64 bits, got an int too",
        ),
        ("a = 1\nb = " + "9" * 5000, ":2: has an integer of more than 64 bits"),
        ("a = 1\n" + ".".join("b" * 100_000) + " = 1", ":2: is nested too deeply"),
        ("[" + ".".join("b" * 100_000) + "]", ":1: is nested too deeply"),
        ("a = 1\nb = " + "{a = " * 340 + "1" + "}" * 340, ":2: is nested too deeply"),
        ('a = "' + "[" * 200 + '"\nb = ' + "[" * 200 + "]" * 200, ":2: is nested too deeply"),
        ("a = 1\nb = {c = 1,\n d = 2}", ":2: .*; the { of line 2 is still open: its table ends on"),
        ("a = [{b = 1},\n  {b = 2}\n\n[t]", r":4: .*; the \[ of line 1 is still open"),
    ],
)
def test_what_cannot_be_read_has_its_line(tmp_path, text, message):
    path = tmp_path / "e.toml"
    path.write_text(text)
    start = time.process_time()
    with pytest.raises(ilk.SpecError, match=rf"e\.toml{message}") as error:
        ilk.resolve(load_spec(path), grammar=ilk.Table({"a": ilk.Param(int), "b": ilk.Param(int)}))
    assert len(error.value.problems) == 1
    assert time.process_time() - start < 2


def test_a_large_string_costs_little_memory(tmp_path):
    """What a regular expression may give back it keeps: a hundred bytes a character."""
    for quotes in ('"', "'", '"""', "'''"):
        text = f"a = {quotes}{'x' * 300_000}{quotes}\nb = 1"
        tracemalloc.start()
        assert lines_of(text)[("b",)] == 2
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 3_000_000


@unix_only
def test_endless_file_is_no_spec():
    with pytest.raises(ilk.SpecError, match="^/dev/zero: is no specification: it has more than 10"):
        load_spec("/dev/zero")


def test_missing_file_suggests_only_what_is_named_like_it(tmp_path):
    for name in ("deep.toml", "experiment.toml", "experimen.csv"):
        (tmp_path / name).write_text("")
    with pytest.raises(ilk.SpecError, match="No such file or directory$"):
        load_spec(tmp_path / "dec.toml")
    with pytest.raises(ilk.SpecError, match=r"did you mean 'experiment\.toml'\?$"):
        load_spec(tmp_path / "experimen.toml")


def test_a_resolved_part_is_built_as_it_is():
    grammar = Table({"one": Param(slot="classifier"), "many": Param(slot="distance", many=list)})
    tables = {"one": {"use": "knn", "k": 2}, "many": ["euclidean", {"use": "minkowski", "p": 1}]}
    resolved = ilk.resolve(tables, grammar=grammar)
    assert sorted(resolved.versions) == ["ilk-core", "ilk-distances", "ilk-learners"]
    assert list(resolved.part("many", 0).versions) == ["ilk-core"]
    assert list(resolved.part("many", 1).versions) == ["ilk-distances"]
    assert ilk.build(resolved.part("many", 1), kind="distance").p == 1
    knn = ilk.build(resolved.part("one"), kind="classifier")
    assert ilk.to_spec(knn) == ilk.to_spec(ilk.classifier("knn", k=2))
