"""Pipelines that are tried on some of the data sets only."""

import io

import numpy as np
import pandas as pd
import pytest

import ilk
from ilk_evaluation import plan_experiment, run_experiment
from ilk_evaluation.commands.terminal_tables import console_on, print_results


def chosen(make_spec, *names, **changes):
    """The usual experiment, whose second pipeline is tried on the named data sets only."""
    spec = make_spec(**changes)
    spec["pipelines"][1]["datasets"] = list(names)
    return spec


def test_only_the_chosen_cells_are_planned(make_spec):
    everything = plan_experiment(make_spec())
    labels = [data.label for data in everything.datasets]
    part = plan_experiment(chosen(make_spec, labels[1]))
    expected = [c for c in everything.cells if c.pipeline == 0 or c.dataset == 1]
    assert list(part.cells) == expected  # with the same keys: what is done stays done


def test_tables_have_no_rows_for_what_is_not_tried(make_spec):
    everything = run_experiment(make_spec())
    labels = list(dict.fromkeys(everything.table()["dataset"]))
    part = run_experiment(chosen(make_spec, labels[0]))
    full, table = everything.table(), part.table()
    first, second = everything.summary()["pipeline"]
    assert list(zip(table["dataset"], table["pipeline"], strict=True)) == [
        (labels[0], first),
        (labels[0], second),
        (labels[1], first),
    ]
    assert table["n_missing"].sum() == 0
    expected = full[(full["dataset"] == labels[0]) & (full["pipeline"] == second)]["error"]
    summary = part.summary().set_index("pipeline")
    assert summary.loc[second, "error"] == expected.item()
    assert (
        summary.loc[first, "error"]
        == everything.summary().set_index("pipeline").loc[first, "error"]
    )
    file = io.StringIO()
    print_results(console_on(file), part)
    assert "missing" not in file.getvalue()


def test_a_comparison_that_needs_all_cells_says_so(make_spec):
    evaluation = {"resampling": {"use": "kfold", "folds": 2}, "comparisons": ["friedman_nemenyi"]}
    labels = [data.label for data in plan_experiment(make_spec()).datasets]
    results = run_experiment(chosen(make_spec, labels[0], evaluation=evaluation))
    assert not results.verdicts
    assert any("friedman_nemenyi was not computed" in note for note in results.notes)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["blobs"], r"datasets\[0\]: there is no data set 'blobs'; did you mean 'blobs"),
        ([], "needs at least 1"),
        (["blobs2", "blobs2"], "must not name one twice"),
        ([3], "datasets"),
    ],
)
def test_bad_choices(make_spec, names, message):
    with pytest.raises(ilk.SpecError, match=message):
        plan_experiment(chosen(make_spec, *names))


def test_a_data_set_that_nothing_is_tried_on_is_a_mistake(make_spec):
    labels = [data.label for data in plan_experiment(make_spec()).datasets]
    spec = chosen(make_spec, labels[0])
    spec["pipelines"][0]["datasets"] = [labels[0]]
    with pytest.raises(ilk.SpecError, match=rf"no pipeline is tried on '{labels[1]}'"):
        plan_experiment(spec)


def test_seeds_and_splits_are_those_of_the_full_experiment(make_spec):
    everything, part = make_spec(), None
    labels = [data.label for data in plan_experiment(everything).datasets]
    part = run_experiment(chosen(make_spec, labels[1]))
    full = run_experiment(everything)
    name = part.summary()["pipeline"][1]
    own = [p.labels for _, p in part.predictions(labels[1], name)]
    theirs = [p.labels for _, p in full.predictions(labels[1], name)]
    assert all(np.array_equal(a, b) for a, b in zip(own, theirs, strict=True))


@pytest.mark.parametrize("first", [0, 1])
def test_the_store_alone_tells_the_same(make_spec, first):
    labels = [data.label for data in plan_experiment(make_spec()).datasets]
    spec = chosen(make_spec, labels[first])
    spec["pipelines"][0]["datasets"] = [labels[1 - first]]  # none is tried on all
    run = run_experiment(spec)
    opened = ilk.results(run.design.store)
    assert len(run.table()) == 2
    for what in ("table", "summary", "scores", "cells", "predictions", "failures"):
        pd.testing.assert_frame_equal(opened.to_pandas(what), run.to_pandas(what))
    for label in labels:
        part = opened.filter(dataset=label)
        assert list(part.table()["dataset"]) == [label]
        assert part.n_missing == 0
    before = [cell.key for cell in plan_experiment(spec).cells]
    assert [cell.key for cell in opened.design.cells] == before


def test_running_it_again_does_nothing(make_spec):
    labels = [data.label for data in plan_experiment(make_spec()).datasets]
    spec = chosen(make_spec, labels[1])
    run = run_experiment(spec)
    again = run_experiment(spec)
    pd.testing.assert_frame_equal(again.table(), run.table())  # seconds and all
