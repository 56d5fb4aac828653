"""Stratified splits of grouped data, beside all divisions of the groups and scikit-learn's."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedGroupKFold

import ilk
from ilk_evaluation.plan.experiment_plan import plan_experiment
from ilk_evaluation.run.run_record import split_notes

KFOLD = {"use": "kfold", "folds": 3}


@st.composite
def grouped(draw):
    """Labels and groups of a small data set."""
    n_groups = draw(st.integers(3, 6))
    n = draw(st.integers(n_groups, 16))
    extra = st.lists(st.integers(0, n_groups - 1), min_size=n - n_groups, max_size=n - n_groups)
    labels = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    assume(len(set(labels)) > 1)
    return np.unique(labels, return_inverse=True)[1], np.array([*range(n_groups), *draw(extra)])


def n_missing(codes, splits):
    """Number of times that a class is missing from a training or test part."""
    parts = [part for split in splits for part in (split.train, split.test)]
    return sum(len(set(codes)) - len(set(codes[part])) for part in parts)


def fewest(codes, groups, divisions):
    """The smallest such number over divisions of the groups."""
    whole = np.arange(len(codes))
    return min(
        n_missing(codes, [ilk.Split(whole[~test[groups]], whole[test[groups]]) for test in folds])
        for folds in divisions
    )


@given(grouped(), st.integers(2, 3), st.integers(0, 5))
def test_no_class_is_missing_from_folds_without_need(data, folds, seed):
    codes, groups = data
    scheme = ilk.resampling("stratified_kfold", folds=folds, small_classes="spread")
    splits = list(scheme.splits(codes[:, None], codes, groups, random_state=seed))
    assert sorted(np.concatenate([split.test for split in splits])) == list(range(len(codes)))
    assert all(not set(groups[split.train]) & set(groups[split.test]) for split in splits)
    ways = product(range(folds), repeat=int(groups.max()) + 1)
    divisions = [
        [np.array(way) == fold for fold in range(folds)] for way in ways if len(set(way)) == folds
    ]
    assert n_missing(codes, splits) == fewest(codes, groups, divisions)


@given(grouped(), st.integers(0, 5))
def test_no_class_is_missing_from_a_holdout_without_need(data, seed):
    codes, groups = data
    try:
        splits = ilk.resampling("holdout", test_size=0.4).splits(
            codes[:, None], codes, groups, random_state=seed
        )
    except ilk.InputError:  # a class is in one group
        return
    (split,) = splits
    count = int(groups.max()) + 1
    tested = combinations(range(count), len(set(groups[split.test])))
    divisions = [[np.isin(np.arange(count), chosen)] for chosen in tested]
    assert n_missing(codes, [split]) == fewest(codes, groups, divisions)


def lacking(codes, groups, times):
    """Classes missing from the drawn groups, which count twice, and from the others."""
    inside = {c for c, group in zip(codes, groups, strict=True) if times[group]}
    outside = {c for c, group in zip(codes, groups, strict=True) if not times[group]}
    return 2 * len(set(codes) - inside) + len(set(codes) - outside)


def distance(codes, groups, times):
    """Squared deviation of the class counts of a sample, and of its size, from the data."""
    wanted = [np.sum(codes == c) for c in set(codes)] + [len(codes)]
    got = [np.sum(times[groups][codes == c]) for c in set(codes)] + [np.sum(times[groups])]
    return float(np.sum((np.divide(got, wanted) - 1) ** 2))


@given(grouped(), st.integers(0, 5))
def test_no_class_is_missing_from_a_bootstrap_without_need(data, seed):
    codes, groups = data
    try:
        splits = ilk.resampling("bootstrap", repeats=2, stratify=True).splits(
            codes[:, None], codes, groups, random_state=seed
        )
    except ilk.InputError:  # no class is in two groups
        return
    count = int(groups.max()) + 1
    draws = [
        np.bincount(d, minlength=count) for d in combinations_with_replacement(range(count), count)
    ]
    fewest = min(lacking(codes, groups, draw) for draw in draws if not draw.all())
    for each in splits:
        times = np.bincount(groups[each.train], minlength=count) // np.bincount(groups)
        assert times.sum() == count
        assert lacking(codes, groups, times) == fewest
        best = distance(codes, groups, times)
        for a, b in combinations(range(count), 2):  # no exchange brings it nearer
            other = times.copy()
            other[[a, b]] = times[[b, a]]
            if lacking(codes, groups, other) == fewest:
                assert distance(codes, groups, other) >= best - 1e-6


def test_stratified_bootstraps_of_groups_have_nearer_shares_and_stay_random():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), rng.integers(1, 12, 20))
    codes = (rng.random(len(groups)) < rng.random(20)[groups]).astype(int)
    near = {}
    for stratify in (False, True):
        scheme = ilk.resampling("bootstrap", repeats=30, stratify=stratify)
        splits = list(scheme.splits(codes[:, None], codes, groups, random_state=0))
        drawn = [np.bincount(groups[s.train], minlength=20) // np.bincount(groups) for s in splits]
        near[stratify] = np.mean([distance(codes, groups, times) for times in drawn])
        assert len({tuple(times) for times in drawn}) == 30
        assert 0.3 < np.mean(np.equal(drawn, 0)) < 0.45  # as many groups are left out
        assert np.equal(drawn, 0).any(axis=0).all()  # each group is in a test part
    assert near[True] < near[False] / 20


@pytest.mark.parametrize("n_groups", [30, 200])
def test_shares_are_at_least_as_near_as_those_of_scikit_learn(n_groups):
    deviations = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        weight = rng.pareto(2, n_groups) + 0.1
        groups = np.append(
            np.arange(n_groups), rng.choice(n_groups, 5 * n_groups, p=weight / weight.sum())
        )
        classes = rng.dirichlet(np.ones(3), n_groups)
        y = np.array([rng.choice(3, p=classes[group]) for group in groups])
        scheme = ilk.resampling("stratified_kfold", folds=5)
        ours = [split.test for split in scheme.splits(y[:, None], y, groups, random_state=seed)]
        peer = StratifiedGroupKFold(5, shuffle=True, random_state=seed).split(y, y, groups)
        deviations.append((_deviation(y, ours), _deviation(y, [test for _, test in peer])))
    ours, theirs = np.mean(deviations, axis=0)
    assert ours <= theirs


def _deviation(y, tests):
    shares = np.array([np.bincount(y[test], minlength=3) for test in tests]) / np.bincount(y)
    return float(((shares - 0.2) ** 2).sum())


def plan_of(tmp_path, rows, resampling, kind="classifier"):
    path = tmp_path / "grouped.csv"
    path.write_text("x,who,class\n" + "".join(f"{i},{g},{c}\n" for i, (g, c) in enumerate(rows)))
    return plan_experiment(
        {
            "datasets": [{"use": "csv", "path": str(path), "groups": "who"}],
            "pipelines": [{"id": "1-NN", "steps": [{kind: "knn"}]}],
            "evaluation": {"resampling": resampling},
        }
    )


def test_a_class_in_one_group_is_said_to_be_missing(tmp_path):
    rows = [("a", "x"), ("b", "x"), ("b", "x"), ("c", "y"), ("c", "y"), ("d", "x")]
    resampling = {"use": "stratified_kfold", "folds": 2, "small_classes": "spread"}
    notes = list(split_notes(plan_of(tmp_path, rows, resampling), 0))
    assert any("class 'y' is missing from the training part of 1 of 2" in n for n in notes)
    assert any("class 'y' is missing from the test part of 1 of 2 splits" in n for n in notes)


@pytest.mark.parametrize(
    ("resampling", "share"),
    [
        ({"use": "holdout", "test_size": 0.3}, "0.3"),
        ({"use": "train_validation_test", "sizes": [2, 1, 1]}, "0.25"),
    ],
)
def test_unequal_groups_have_another_share_of_the_cases(tmp_path, resampling, share):
    rows = [("a", c) for c in "xy" * 20] + [(g, c) for g in "bcdefghij" for c in "xy"]
    (note,) = split_notes(plan_of(tmp_path, rows, resampling), 0)
    assert f"{share} of the groups are tested, which differ in size: the test parts hold" in note


def test_notes_name_the_reason_for_a_missing_class(tmp_path):
    rows = [(g, c) for g in "abcd" for c in "xx"] + [("e", "y"), ("f", "y")]
    resampling = {"use": "bootstrap", "repeats": 20}
    notes = list(split_notes(plan_of(tmp_path, rows, resampling), 0))
    assert "class 'y' is missing from the test part of" in notes[0]
    assert all(note.endswith("set stratify = true") for note in notes)
    assert not list(split_notes(plan_of(tmp_path, rows, {**resampling, "stratify": True}), 0))


def test_numbers_to_predict_are_no_classes_to_miss(tmp_path):
    plan = plan_of(tmp_path, [(g, i) for i, g in enumerate("aabbcc")], KFOLD, "regressor")
    assert not list(split_notes(plan, 0))


def test_without_groups_nothing_is_said():
    spec = {
        "datasets": ["iris"],
        "pipelines": [{"id": "1-NN", "steps": [{"classifier": "knn"}]}],
        "evaluation": {"resampling": {"use": "kfold", "folds": 2}},
    }
    assert list(split_notes(plan_experiment(spec), 0)) == []
