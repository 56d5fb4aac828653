"""Content keys: what changes a cell reruns exactly that cell, and nothing else reruns any."""

import dataclasses
import shutil
import sys

import numpy as np
import pytest

import ilk
from cases import in_one_test
from ilk.registries import refresh
from ilk_evaluation import Store, plan_experiment, run_experiment, source_version
from ilk_evaluation.plan import keys

SPEC = """\
[experiment]
seed = 3
[[datasets]]
use = "csv"
path = "{folder}/one.csv"
target = "kind"
[[datasets]]
use = "csv"
path = "{folder}/two.csv"
target = "kind"
[[pipelines]]
id = "nearest"
steps = [{{ classifier = "t_nearest" }}]
[[pipelines]]
id = "guest"
steps = [{{ classifier = "guest" }}]
[evaluation]
resampling = {{ use = "repeated_kfold", folds = 2, repeats = 2 }}
"""
CELLS = 2 * 4  # of a pipeline
GUEST = """\
import numpy as np
import ilk

class Guest(ilk.Classifier):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])
"""


def write_table(path, seed):
    X = np.random.default_rng(seed).normal(size=(30, 2)).round(3)
    rows = [f"{a},{b},{kind}" for (a, b), kind in zip(X, ["p", "q"] * 15, strict=True)]
    path.write_text("\n".join(["u,v,kind", *rows]) + "\n")


@pytest.fixture
def guest(tmp_path, monkeypatch):
    """A distribution, installed for the time of a test; the function changes it."""
    (tmp_path / "guest_plugin.py").write_text(GUEST)
    info = tmp_path / "ilk_guest-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[ilk.classifiers]\nguest = guest_plugin:Guest\n")

    def install(version="1.0", *, editable=False):
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: ilk-guest\nVersion: {version}\n"
        )
        if editable:
            text = '{"url": "file:///guest", "dir_info": {"editable": true}}'
            (info / "direct_url.json").write_text(text)
        source_version._source_suffix.cache_clear()
        refresh()

    monkeypatch.syspath_prepend(str(tmp_path))
    install()
    yield install
    monkeypatch.undo()
    sys.modules.pop("guest_plugin", None)
    source_version._source_suffix.cache_clear()
    refresh()


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    write_table(folder / "one.csv", 1)
    write_table(folder / "two.csv", 2)
    return folder


@pytest.fixture
def rerun(tmp_path, folder, guest):
    """Run the experiment, then once more after a change; return the cells that ran again."""

    def run(text):
        file = tmp_path / "experiment.toml"
        file.write_text(text)
        return run_experiment(file)

    def cells_in(store):
        with Store.read(store) as opened:
            return len(opened.statuses())

    text = SPEC.format(folder=folder)
    design = run(text).design
    first = {cell.key for cell in design.cells}

    def again(changed=text):
        before = cells_in(design.store)
        results = run(changed)
        assert results.n_missing == 0
        new = [cell for cell in results.design.cells if cell.key not in first]
        assert cells_in(design.store) == before + len(new)
        places = {results.design.place(cell)[:2] for cell in new}
        return sorted(places), len(new)

    again.text = text
    return again


def everything_of(pipeline):
    return [("one", pipeline), ("two", pipeline)], CELLS


NOTHING = [], 0
ALL = [("one", "guest"), ("one", "nearest"), ("two", "guest"), ("two", "nearest")]


def test_what_ships_with_ilk_is_hashed_by_its_plain_name():
    step = {"use": "ilk-learners/knn", "distance": {"use": "nasty/euclidean"}, "index": ["x", 1]}
    (plain,) = keys.plain_names(({"classifier": step},))
    assert plain == {"classifier": step | {"use": "knn"}}
    assert keys.plain_names({"use": "ilk-core/euclidean"}) == {"use": "euclidean"}


def test_the_same_again_reruns_nothing(rerun):
    assert rerun() == NOTHING


def test_a_parameter_reruns_its_pipeline(rerun):
    changed = rerun.text.replace('"t_nearest"', '{ use = "t_nearest", power = 1.5 }')
    assert rerun(changed) == everything_of("nearest")


def test_a_default_reruns_the_pipelines_that_leave_it_open(rerun, components, monkeypatch):
    fields = components["t_nearest"].parameters
    changed = {**fields, "power": dataclasses.replace(fields["power"], default=1.5)}
    monkeypatch.setattr(components["t_nearest"], "parameters", changed)
    assert rerun() == everything_of("nearest")
    spelt_out = rerun.text.replace('"t_nearest"', '{ use = "t_nearest", power = 2.0 }')
    assert rerun(spelt_out) == NOTHING


def test_a_version_reruns_the_pipelines_of_that_distribution(rerun, guest):
    guest("1.1")
    assert rerun() == everything_of("guest")
    guest("1.0")
    assert rerun() == NOTHING


def test_source_in_an_editable_installation_reruns_the_pipelines_of_that_distribution(
    rerun, guest, tmp_path
):
    module = tmp_path / "guest_plugin.py"
    guest(editable=True)
    before = {cell.key for cell in plan_experiment(tmp_path / "experiment.toml").cells}
    module.write_text(GUEST + "# another line\n")
    guest(editable=True)
    plan = plan_experiment(tmp_path / "experiment.toml")
    new = [cell for cell in plan.cells if cell.key not in before]
    assert {plan.design.pipeline(cell) for cell in new} == {"guest"}
    assert len(new) == CELLS


def test_what_is_cached_beside_source_is_no_source(tmp_path, monkeypatch):
    package = tmp_path / "pkg"
    (package / "__pycache__").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    info = tmp_path / "pkg-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pkg\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[ilk.classifiers]\nc = pkg:C\n")
    (info / "direct_url.json").write_text('{"url": "file:///x", "dir_info": {"editable": true}}')
    monkeypatch.syspath_prepend(str(tmp_path))

    def suffix():
        source_version._source_suffix.cache_clear()
        return source_version._source_suffix("pkg")

    before = suffix()
    (package / "__pycache__" / "k.fit-12.py311.nbi").write_text("compiled")
    (package / ".hidden").write_text("x")
    assert suffix() == before
    (package / "more.py").write_text("x = 1")
    assert suffix() != before


def test_the_version_of_a_wrapped_library_reruns_what_relies_on_it(monkeypatch):
    pipeline = ilk.build({"steps": [{"classifier": "sklearn"}]})
    resolved = ilk.resolve({"steps": [{"classifier": "sklearn"}]}).versions
    before = keys.code_versions(pipeline, resolved)
    assert "scikit-learn" in before
    monkeypatch.setattr(keys, "version", lambda name: "99.0")
    assert keys.code_versions(pipeline, resolved)["scikit-learn"] == "99.0"


@pytest.mark.parametrize(
    ("old", "new"),
    [(",p\n", ",q\n"), ("u,v,kind", "u,w,kind"), ("u,v,kind\n", "u,v,kind\n0.5,0.25,p\n")],
    ids=["a label", "a feature's name", "a row"],
)
def test_data_rerun_the_cells_of_their_data_set(rerun, folder, old, new):
    path = folder / "two.csv"
    path.write_text(path.read_text().replace(old, new, 1))
    assert rerun() == ([("two", "guest"), ("two", "nearest")], CELLS)


def test_a_value_reruns_the_cells_of_its_data_set(rerun, folder):
    write_table(folder / "two.csv", 3)
    assert rerun() == ([("two", "guest"), ("two", "nearest")], CELLS)


@pytest.mark.parametrize(
    ("old", "new"),
    [("seed = 3", "seed = 4"), ("folds = 2, repeats = 2", "folds = 3, repeats = 2")],
    ids=["seed", "resampling"],
)
def test_seed_and_resampling_rerun_everything(rerun, old, new):
    pairs, number = rerun(rerun.text.replace(old, new))
    assert pairs == ALL
    assert number >= 2 * CELLS


def test_more_repeats_run_what_is_more(rerun):
    pairs, number = rerun(rerun.text.replace("repeats = 2", "repeats = 3"))
    assert (pairs, number) == (ALL, CELLS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('id = "nearest"', 'id = "another name"'),
        ("[experiment]", '[experiment]\nname = "another"'),
        ("[[pipelines]]", "# a comment\n[[pipelines]]"),
        ("[evaluation]", '[evaluation]\nmeasures = ["accuracy", "fit_seconds"]'),
        ("[evaluation]", '[run]\nexecutor = { use = "t_threads", workers = 3 }\n[evaluation]'),
        ('"t_nearest"', '{ use = "t_nearest" }'),
        ('"t_nearest"', '{ use = "t_nearest", power = 2.0 }'),
        ('"t_nearest"', '{ power = 2, use = "t_nearest" }'),
        ('"guest"', '"ilk-guest/guest"'),
        (
            'use = "repeated_kfold", folds = 2, repeats = 2',
            'repeats = 2, folds = 2, use = "repeated_kfold"',
        ),
    ],
    ids=[
        *("id", "name", "comment", "measures", "workers", "table", "explicit default"),
        *("order of keys", "qualified name", "order of keys in the resampling"),
    ],
)
def test_what_decides_no_cell_reruns_none(rerun, old, new):
    last = old if old != '"guest"' else 'classifier = "guest"'
    assert rerun(rerun.text.replace(last, new if last == old else f"classifier = {new}")) == NOTHING


def test_the_order_of_pipelines_and_data_sets_reruns_nothing(rerun):
    head, *tables = rerun.text.split("[[")
    last, rest = tables[-1].split("[evaluation]")
    one, two, three = tables[:3]
    turned = f"{head}[[{two}[[{one}[[{last}[[{three}[evaluation]{rest}"
    assert rerun(turned) == NOTHING


def test_renaming_a_file_and_moving_the_folder_rerun_nothing(rerun, folder, tmp_path):
    (folder / "two.csv").rename(folder / "renamed.csv")
    text = rerun.text.replace("two.csv", "renamed.csv")
    assert rerun(text) == NOTHING
    shutil.move(folder, tmp_path / "elsewhere")
    assert rerun(text.replace(str(folder), str(tmp_path / "elsewhere"))) == NOTHING


@in_one_test
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"p": 2.0}, {"p": 2}),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        ({"a": np.array([1.0, 2.5])}, {"a": [1, 2.5]}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": np.float64(0.5)}, {"a": 0.5}),
    ],
)
def test_equal_values_are_written_alike(one, other):
    assert keys.canonical(one) == keys.canonical(other)


@in_one_test
@pytest.mark.parametrize(
    ("one", "other"),
    [({"a": 1}, {"a": True}), ({"a": 1}, {"a": "1"}), ({"a": None}, {}), ({"a": 1}, {"a": 1.5})],
)
def test_other_values_are_written_otherwise(one, other):
    assert keys.canonical(one) != keys.canonical(other)


def test_what_has_no_content_cannot_be_part_of_a_key():
    with pytest.raises(TypeError, match="cannot be part of a key"):
        keys.canonical({"a": object()})


def test_sparse_data_of_other_width_are_other_data():
    from scipy.sparse import csr_array

    y = np.array(["a", "b"])
    narrow, wide = (ilk.Data(csr_array((2, p)), y).fingerprint for p in (2, 3))
    assert narrow != wide


def test_what_only_a_grid_names_counts_too():
    grid = {"distance": ["euclidean", "mahalanobis"]}
    tuned = {"use": "tuned", "classifier": "knn", "grid": grid}
    plain = {"use": "tuned", "classifier": "logistic", "grid": {"C": [1.0, 2.0]}}
    versions = []
    for classifier in (tuned, plain):
        resolved = ilk.resolve({"steps": [{"classifier": classifier}]}, kind="classifier")
        pipeline = ilk.build(resolved.data, kind="classifier")
        versions.append(keys.code_versions(pipeline, resolved.versions))
    assert "ilk-distances" in versions[0]
    assert "ilk-distances" not in versions[1]


def test_what_a_grid_wraps_counts_too():
    tuned = {"use": "tuned", "classifier": {"use": "tuned", "classifier": "nearest_mean"}}
    tuned["grid"] = {"classifier": ["nearest_mean", "sklearn"]}
    steps = [{"classifier": tuned}]
    resolved = ilk.resolve({"steps": steps}, kind="classifier")
    pipeline = ilk.build(resolved.data, kind="classifier")
    assert "scikit-learn" in keys.code_versions(pipeline, resolved.versions)
