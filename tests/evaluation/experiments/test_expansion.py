"""Shared steps, families of pipelines and titles: the same as tables written out by hand."""

import re
import tomllib

import jsonschema
import pytest
from sklearn.preprocessing import StandardScaler

import ilk
from cases import in_one_test
from ilk.schema import installed_file_schema
from ilk_evaluation import plan_experiment, run_experiment

FILE = """\
[experiment]
name = "shared"
[[datasets]]
use = "t_blobs"
title = "Blobs"
[defaults]
steps = [{ transformer = "standardize" }]
[[pipelines]]
id = "k-NN"
datasets = ["Blobs"]
steps = [{ classifier = "knn" }]
[pipelines.grid]
classifier.k = [1, 3]
classifier.distance.use = ["minkowski"]
classifier.distance.p = [1, 2.5]
[[pipelines]]
id = "plain"
defaults = false
steps = [{ use_steps = "reduced" }]
[[pipelines]]
id = "reduced"
steps = [{ transformer = { use = "pca", n_components = 1 } }, { classifier = "lda" }]
[evaluation]
resampling = { use = "kfold", folds = 2 }
"""
STANDARD = {"transformer": "standardize"}
REDUCED = [{"transformer": {"use": "pca", "n_components": 1}}, {"classifier": "lda"}]


def by_hand():
    """The pipelines of the file, each written out."""
    for k in (1, 3):
        for p in (1, 2.5):
            knn = {"use": "knn", "k": k, "distance": {"use": "minkowski", "p": p}}
            mark = f"k-NN[k={k}, distance=minkowski, p={p}]"
            yield {"id": mark, "steps": [STANDARD, {"classifier": knn}], "datasets": ["Blobs"]}
    yield {"id": "plain", "steps": REDUCED}
    yield {"id": "reduced", "steps": [STANDARD, *REDUCED]}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "shared.toml"
    path.write_text(FILE)
    return path


def test_cells_are_those_of_pipelines_written_out(file):
    spec = tomllib.loads(FILE)
    del spec["defaults"]
    plan = plan_experiment({**spec, "pipelines": [*by_hand()]})
    expanded = plan_experiment(file)
    assert [one.id for one in expanded.pipelines] == [one["id"] for one in by_hand()]
    assert [cell.key for cell in expanded.cells] == [cell.key for cell in plan.cells]
    assert [one.label for one in expanded.datasets] == ["Blobs"]


def test_the_plan_shows_them(file, capsys):
    from ilk.cli.shell import run

    assert run(["run", str(file), "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert re.search(
        r"k-NN\[k=3, distance=minkowski, p=1\] +standardize > knn\(k=3, distance=mink", out
    )
    assert re.search(r"plain +pca\(n_components=1\) > lda\n", out)
    assert "Blobs" in out


def test_the_schema_has_them():
    schema = jsonschema.Draft202012Validator(installed_file_schema("experiment"))
    good = tomllib.loads(FILE)
    good["datasets"][0]["use"] = "iris"  # a class of this session is in no schema by its name
    assert schema.is_valid(good)
    for key, value in (("grid", {"classifier": {"k": 3}}), ("grid", {}), ("defaults", "no")):
        assert not schema.is_valid({**good, "pipelines": [{**good["pipelines"][0], key: value}]})
    assert not schema.is_valid({**good, "defaults": {}})
    two = [{"use_steps": "a", "classifier": "knn"}]
    assert not schema.is_valid({**good, "pipelines": [{"id": "x", "steps": two}]})


MISTAKES = {
    "a wrong value": (
        ("[1, 3]", "[1, -3]"),
        (
            r"shared\.toml:13: pipelines\[0\]\.grid\.classifier\.k\[1\]: must be an integer >= 1, "
            r"got -3"
        ),
    ),
    "a wrong parameter": (
        ("classifier.k = [1, 3]", "classifier.kk = [1]"),
        r"shared\.toml:13: pipelines\[0\]\.grid\.classifier\.kk\[0\]: knn has no parameter 'kk'.*",
    ),
    "no list": (
        ("[1, 3]", "1"),
        (
            r"shared\.toml:13: pipelines\[0\]\.grid\.classifier\.k: must be a list of the values "
            r"to try, got 1"
        ),
    ),
    "twice": (
        ("[1, 3]", "[1, 1]"),
        r"shared\.toml:13: .*grid\.classifier\.k: must not have a value twice, got \[1, 1\]",
    ),
    "no such step": (
        ("classifier.k", "classifer.k"),
        (
            r"shared\.toml:13: .*grid\.classifer\.k: a path begins with the kind of a step or its "
            r"component, got 'classifer'; did you mean 'classifier'\? \(there are: .*\)"
        ),
    ),
    "shared steps": (
        ('"standardize"', '"standardise"'),
        r"shared\.toml:7: defaults\.steps\[0\]\.transformer: there is no transformer .*",
    ),
    "inserted steps": (
        ("n_components = 1", "n_components = 0"),
        r"shared\.toml:22: pipelines\[2\]\.steps\[0\]\.transformer\.n_components: .*got 0",
    ),
    "no such pipeline": (
        ('use_steps = "reduced"', 'use_steps = "reduce"'),
        (
            r"shared\.toml:19: pipelines\[1\]\.steps\[0\]\.use_steps: there is no pipeline "
            r"'reduce'; did you mean 'reduced'\? .*"
        ),
    ),
    "a family": (
        ('use_steps = "reduced"', 'use_steps = "k-NN"'),
        r"shared\.toml:19: .*use_steps: 'k-NN' has a grid, so it is a family of pipelines; .*",
    ),
    "a circle": (
        ('{ transformer = { use = "pca", n_components = 1 } }', '{ use_steps = "plain" }'),
        (
            r"shared\.toml:19: pipelines\[1\]\.steps\[0\]\.use_steps: is a circle: "
            r"reduced > plain > reduced"
        ),
    ),
    "an id twice": (
        ('id = "reduced"', 'id = "plain"'),
        r"shared\.toml:21: pipelines\[2\]\.id: 'plain' is already the id of pipelines\[1\]",
    ),
    "an unknown key": (
        ("[defaults]\n", "[defaults]\nstep = 1\n"),
        r"shared\.toml:7: defaults\.step: unknown key 'step'; did you mean 'steps'\? .*",
    ),
    "no flag": (
        ("defaults = false", "defaults = 0"),
        r"shared\.toml:18: pipelines\[1\]\.defaults: must be true or false, got 0",
    ),
    "a title": (
        ('"Blobs"\n[def', '" "\n[def'),
        r"shared\.toml:5: datasets\[0\]\.title: must be a text of printable characters, .*got ' '",
    ),
}


@in_one_test
@pytest.mark.parametrize("case", sorted(MISTAKES))
def test_mistakes_have_the_line_where_they_were_written(file, case):
    (old, new), expected = MISTAKES[case]
    assert old in FILE
    file.write_text(FILE.replace(old, new, 1))
    with pytest.raises(ilk.SpecError) as caught:
        plan_experiment(file)
    messages = [str(problem).removeprefix(f"{file.parent}/") for problem in caught.value.problems]
    assert any(re.fullmatch(expected, message) for message in messages), messages
    assert len(messages) == len(set(messages)) <= 2


def spec_of(*pipelines, **tables):
    return {
        "datasets": ["t_blobs"],
        "pipelines": [{"id": f"{i}", **one} for i, one in enumerate(pipelines)],
        "evaluation": {"resampling": {"use": "kfold", "folds": 2}},
        **tables,
    }


def ids_of(*pipelines, **tables):
    return [one.id for one in plan_experiment(spec_of(*pipelines, **tables)).pipelines]


def test_a_grid_chooses_whole_components_and_defaults_of_slots():
    knn = {"steps": [{"classifier": "knn"}]}
    grid = {"classifier.distance": ["manhattan", {"use": "minkowski", "p": 3}]}
    assert ids_of({**knn, "grid": grid}) == ["0[distance=manhattan]", "0[distance=minkowski(p=3)]"]
    kernel = {"classifier": {"kernel": {"sigma": [0.5, 1.0]}}}
    assert ids_of({"steps": [{"classifier": {"use": "svm"}}], "grid": kernel}) == [
        "0[sigma=0.5]",
        "0[sigma=1.0]",
    ]


def test_equal_last_parts_are_told_apart_by_the_part_before():
    voting = {"use": "voting", "members": [{"use": "knn", "k": 1}, "knn"]}
    grid = {"classifier": {"members": {"0": {"k": [1, 3]}, "1": {"k": [5]}}}}
    assert ids_of({"steps": [{"classifier": voting}], "grid": grid}) == [
        "0[0.k=1, 1.k=5]",
        "0[0.k=3, 1.k=5]",
    ]


def test_of_several_steps_of_a_kind_the_component_is_named():
    steps = [STANDARD, {"transformer": "pca"}, {"classifier": "lda"}]
    assert ids_of({"steps": steps, "grid": {"pca.n_components": [1, 2]}}) == [
        "0[n_components=1]",
        "0[n_components=2]",
    ]
    with pytest.raises(ilk.SpecError, match=r"2 steps are 'transformer' \(standardize, pca\)"):
        ids_of({"steps": steps, "grid": {"transformer.n_components": [1, 2]}})


def test_objects_are_cloned():
    knn, scaler = ilk.classifier("knn", k=7), StandardScaler()
    steps = [scaler, {"classifier": knn}]
    grid = {"transformer.with_mean": [True, False], "classifier.k": [1, 2]}
    plan = plan_experiment(spec_of({"steps": steps, "grid": grid}))
    assert len({cell.key for cell in plan.cells}) == 4 * 2
    assert (knn.k, scaler.with_mean) == (7, True)
    with pytest.raises(ilk.SpecError, match=r"grid\.'classifier\.q': .*no parameter 'q'"):
        ids_of({"steps": [{"classifier": knn}], "grid": {"classifier.q": [1]}})


def test_what_would_grow_without_bound_is_refused():
    double = [{"steps": [{"use_steps": f"{i + 1}"}] * 2} for i in range(40)]
    with pytest.raises(ilk.SpecError, match="has 1000 steps or more"):
        ids_of(*double, {"steps": []})
    knn = {"steps": [{"classifier": "knn"}]}
    with pytest.raises(ilk.SpecError, match="makes 1,000,000 pipelines; at most 10,000"):
        ids_of({**knn, "grid": {f"classifier.x{i}": [*range(10)] for i in range(6)}})


def test_compare_takes_tables_with_grids():
    X, y = ilk.dataset("iris").load().Xy
    family = {"steps": [{"classifier": "knn"}], "grid": {"classifier.k": [1, 5]}}
    found = ilk.compare({"k-NN": family}, X, y, resampling={"use": "kfold", "folds": 2})
    assert list(found.table()["pipeline"]) == ["k-NN[k=1]", "k-NN[k=5]"]


def test_results_know_the_pipelines_of_a_family(file):
    results = run_experiment(file, store=file.parent / "x.sqlite")
    pipeline = results.pipeline("k-NN[k=3, distance=minkowski, p=1]")
    expected = [STANDARD, {"classifier": {"use": "knn", "k": 3, "distance": "manhattan"}}]
    X, y = ilk.dataset("t_blobs").load().Xy
    model, other = pipeline.fit(X, y), ilk.Pipeline(expected).fit(X, y)
    assert model[-1].distance_.p == 1
    assert model.predict(X + 0.3).tolist() == other.predict(X + 0.3).tolist()
