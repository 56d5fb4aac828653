"""The plan: which cells there are, what their keys depend on, and which splits they share."""

import json

import numpy as np
import pytest

import ilk
from cases import in_one_test
from ilk_evaluation import plan_experiment, source_version
from ilk_evaluation.plan import keys


def key_set(spec):
    return {cell.key for cell in plan_experiment(spec).cells}


def test_cells_are_data_sets_times_splits_times_pipelines(make_spec):
    plan = plan_experiment(make_spec())
    assert len(plan.cells) == 2 * 4 * 2
    places = [(cell.dataset, cell.split, cell.pipeline) for cell in plan.cells]
    assert places == sorted(places)
    assert [(c.repeat, c.fold) for c in plan.cells if c.dataset == c.pipeline == 0] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    ]
    assert [data.n_splits for data in plan.datasets] == [4, 4]


def test_keys_do_not_depend_on_names_order_measures_or_spelt_out_defaults(make_spec):
    spec = make_spec()
    other = make_spec(
        experiment={"name": "another name", "seed": 3},
        datasets=[
            {"use": "t_blobs", "n": 30, "p": 3},
            {"use": "t_blobs", "spread": 0.7, "classes": ["a", "b", "c"]},
        ],
        pipelines=[
            make_spec.pipeline("renamed", "t_shares"),
            make_spec.pipeline("also", "t_nearest", power=2.0),
        ],
    )
    other["evaluation"] = {**spec["evaluation"], "measures": ["accuracy", "fit_seconds"]}
    assert key_set(other) == key_set(spec)


@pytest.mark.parametrize(
    "change",
    [
        {"experiment": {"seed": 4}},
        {"datasets": [{"use": "t_blobs", "n": 25}, {"use": "t_blobs", "p": 3, "n": 31}]},
        {
            "evaluation": {
                "resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 2, "stratify": False}
            }
        },
    ],
    ids=["seed", "data", "resampling"],
)
def test_keys_depend_on_what_decides_a_cell(make_spec, change):
    assert not key_set(make_spec(**change)) & key_set(make_spec())


def test_a_changed_parameter_changes_the_keys_of_its_pipeline_only(make_spec):
    before, after = make_spec(), make_spec()
    after["pipelines"][0]["steps"][0]["classifier"]["power"] = 1.0
    assert len(key_set(before) & key_set(after)) == 8


def test_more_repeats_keep_the_cells_there_are(make_spec):
    more = make_spec(evaluation={"resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 3}})
    assert key_set(make_spec()) < key_set(more)


def test_keys_depend_on_the_version_of_the_code(make_spec, monkeypatch):
    before = key_set(make_spec())
    monkeypatch.setattr(source_version, "_source_suffix", lambda name: "+changed")
    assert not key_set(make_spec()) & before


def test_the_source_of_a_class_made_by_hand_counts(make_spec, monkeypatch):
    code = json.loads(plan_experiment(make_spec()).pipelines[0].versions)
    assert "ilk-core" in code
    assert len(code["(session)/t_nearest"]) == 64
    monkeypatch.setattr(keys.inspect, "getsource", lambda cls: "class Other: ...")
    assert json.loads(plan_experiment(make_spec()).pipelines[0].versions) != code


def test_the_source_of_an_editable_distribution_counts(tmp_path, monkeypatch):
    package = tmp_path / "wobbly_plugin"
    package.mkdir()
    module = package / "__init__.py"
    module.write_text("x = 1\n")
    info = tmp_path / "wobbly-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wobbly\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[ilk.classifiers]\nw = wobbly_plugin:W\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def suffix():
        source_version._source_suffix.cache_clear()
        return source_version._source_suffix("wobbly")

    assert suffix() == ""  # installed from a wheel: its version says all
    (info / "direct_url.json").write_text('{"url": "file:///x", "dir_info": {"editable": true}}')
    before = suffix()
    assert before.startswith("+")
    module.write_text("x = 2\n")
    assert suffix() != before
    module.write_text("x = 1\n")
    assert suffix() == before


def test_splits_follow_from_seed_and_data_only(make_spec):
    plan, other = (
        plan_experiment(make_spec()),
        plan_experiment(
            make_spec(
                pipelines=[make_spec.pipeline("x", "t_lot")], datasets=make_spec()["datasets"][::-1]
            )
        ),
    )
    for split, same in zip(plan.splits(0), other.splits(1), strict=True):
        np.testing.assert_array_equal(split.train, same.train)
        np.testing.assert_array_equal(split.test, same.test)


def test_random_states_differ_between_splits_and_are_shared_by_pipelines(make_spec):
    plan = plan_experiment(make_spec())
    by_split = {}
    for cell in plan.cells:
        by_split.setdefault((cell.dataset, cell.split), set()).add(plan.cell_seed(cell))
    assert all(len(seeds) == 1 for seeds in by_split.values())
    assert len(set.union(*by_split.values())) == len(by_split)


def test_equal_pipelines_under_two_ids_share_their_cells(make_spec):
    twins = [make_spec.pipeline("one", "t_shares"), make_spec.pipeline("two", "t_shares")]
    plan = plan_experiment(make_spec(pipelines=twins))
    assert len(plan.cells) == 2 * len({cell.key for cell in plan.cells})


def test_data_sets_of_one_name_are_told_apart(make_spec):
    sets = [{"use": "t_blobs"}, {"use": "t_blobs", "n": 30}]
    plan = plan_experiment(make_spec(datasets=sets))
    assert [data.label for data in plan.datasets] == ["blobs2", "blobs2 (2)"]


def test_instances_can_stand_in_a_dict(make_spec):
    instance = {"id": "nearest", "steps": [{"classifier": ilk.classifier("t_nearest")}]}
    spec = make_spec(pipelines=[instance, make_spec()["pipelines"][1]])
    assert key_set(spec) == key_set(make_spec())


def test_without_a_store_a_file_gets_one_beside_it_and_a_dict_none(make_spec, tmp_path):
    spec = make_spec()
    del spec["output"]
    assert plan_experiment(spec).store is None
    file = tmp_path / "mine.toml"
    file.write_text(
        'datasets = ["t_blobs"]\n[[pipelines]]\nid = "x"\nsteps = [{ classifier = "t_lot" }]\n'
        '[evaluation]\nresampling = { use = "kfold", folds = 2 }\n'
    )
    plan = plan_experiment(file)
    assert plan.store == tmp_path / "results" / "mine.sqlite"
    assert plan.experiment.name == "mine"
    assert plan_experiment(file, store="here.sqlite").store.as_posix() == "here.sqlite"
    assert not plan.store.parent.exists()


@in_one_test
@pytest.mark.parametrize(
    ("resampling", "comparison", "message"),
    [
        ("kfold", "paired_t_5x2", "needs 5 repeats of 2-fold.*got kfold"),
        ("repeated_kfold", "f_5x2", "got repeated_kfold with folds = 10 and repeats = 10"),
        ("five_by_two", "mcnemar", "each of the 5 repeats of five_by_two"),
        ("bootstrap_632", "mcnemar", r"the 51 repeats of bootstrap_632.*\(repeat = 1\)"),
        ("five_by_two", {"use": "mcnemar", "repeat": 5}, "there is no repeat 5"),
        ("resubstitution", "mcnemar", "it trains with"),
        ("bootstrap", "corrected_resampled_t", "does not fit the resampling bootstrap"),
        ("kfold", {"use": "wilcoxon", "baseline": "nearst"}, "no pipeline 'nearst'.*'nearest'"),
        ("kfold", {"use": "bayesian_signed_rank", "baseline": "z"}, "there is no pipeline 'z'"),
    ],
)
def test_what_can_never_be_compared_is_said_before_the_first_fit(resampling, comparison, message):
    spec = {
        "datasets": ["iris"],
        "pipelines": [
            {"id": "nearest", "steps": [{"classifier": "knn"}]},
            {"id": "means", "steps": [{"classifier": "nearest_mean"}]},
        ],
        "evaluation": {"resampling": resampling, "comparisons": ["robustness", comparison]},
    }
    with pytest.raises(ilk.SpecError, match=rf"evaluation\.comparisons\[1\]: .*{message}"):
        plan_experiment(spec)
