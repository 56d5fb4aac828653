"""Classes of 1, 2 and 3 members in every stratified scheme, and stratified groups."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ilk
from cases import in_one_test


def split(name, y, groups=None, random_state=0, **parameters):
    scheme = ilk.resampling(name, **parameters)
    return list(scheme.splits(np.zeros((len(y), 1)), y, groups, random_state=random_state))


def small(members):
    """Two ample classes and one of few members, in no order."""
    y = np.array(["a"] * 12 + ["b"] * 9 + ["few"] * members)
    return np.random.default_rng(members).permutation(y)


FOLDED = {
    "stratified_kfold": ({"folds": 4}, 4),
    "repeated_kfold": ({"folds": 4, "repeats": 3}, 4),
    "five_by_two": ({}, 2),
}


@pytest.mark.parametrize("members", [1, 2, 3])
@pytest.mark.parametrize(("name", "given_"), FOLDED.items(), ids=FOLDED)
def test_folds_refuse_or_spread(name, given_, members):
    (parameters, folds), y = given_, small(members)
    if members < folds:
        message = rf"{name}: class 'few' has {members} case\(s\), stratified folds need .* {folds}"
        with pytest.raises(ilk.InputError, match=message) as caught:
            split(name, y, **parameters)
        assert ("take fewer" in str(caught.value)) == (folds > 2)  # two are the fewest
    splits = split(name, y, small_classes="spread", **parameters)
    for repeat in {each.repeat for each in splits}:
        own = [each for each in splits if each.repeat == repeat]
        parts = [Counter(y[each.test].tolist()) for each in own]
        assert sum(bool(part["few"]) for part in parts) == min(members, folds)
        for label in ("a", "b", "few"):
            counts = [part[label] for part in parts]
            assert max(counts) - min(counts) <= 1
        sizes = [len(each.test) for each in own]
        assert max(sizes) - min(sizes) <= 1
        tested = np.concatenate([each.test for each in own])
        assert sorted(tested.tolist()) == list(range(len(y)))
        for each in own:
            assert sorted([*each.train, *each.test]) == list(range(len(y)))


@pytest.mark.parametrize(("name", "given_"), FOLDED.items(), ids=FOLDED)
def test_spread_is_the_same_where_no_class_is_small(name, given_):
    y = small(4)
    refused = split(name, y, **given_[0])
    spread = split(name, y, small_classes="spread", **given_[0])
    for one, other in zip(refused, spread, strict=True):
        np.testing.assert_array_equal(one.test, other.test)


def test_all_classes_may_be_small():
    y = np.arange(20) // 2
    splits = split("stratified_kfold", y, folds=5, small_classes="spread")
    for each in splits:
        assert len(set(y[each.test].tolist())) == len(each.test) == 4
    first, other = splits, split("stratified_kfold", y, None, 1, folds=5, small_classes="spread")
    assert any(a.test.tolist() != b.test.tolist() for a, b in zip(first, other, strict=True))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(2, 6), st.integers(0, 99))
def test_spread_classes_differ_by_one_at_most(counts, folds, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    assume(len(y) >= folds)
    splits = split("stratified_kfold", y, None, seed, folds=folds, small_classes="spread")
    table = np.array([np.bincount(y[each.test], minlength=len(counts)) for each in splits])
    assert (table.max(axis=0) - table.min(axis=0) <= 1).all()
    assert (table.sum(axis=1) > 0).all()


DRAWN = {
    "holdout": ({"test_size": 0.3}, 2),
    "random_subsampling": ({"test_size": 0.3}, 2),
    "train_validation_test": ({"repeats": 5}, 3),
}


@pytest.mark.parametrize("members", [1, 2, 3])
@pytest.mark.parametrize(("name", "given_"), DRAWN.items(), ids=DRAWN)
def test_parts_have_every_class_or_it_is_refused(name, given_, members):
    (parameters, parts), y = given_, small(members)
    if members < parts:
        message = rf"{name}: class 'few' has {members} case\(s\), to stratify .* set stratify"
        with pytest.raises(ilk.InputError, match=message):
            split(name, y, **parameters)
        assert split(name, y, stratify=False, **parameters)
        return
    for each in split(name, y, **parameters):
        assert set(y[each.train]) == set(y[each.test]) == {"a", "b", "few"}
        if each.validation is not None:
            assert set(y[each.validation]) == {"a", "b", "few"}


@pytest.mark.parametrize("members", [1, 2, 3])
def test_bootstraps_keep_small_classes_in_training(members):
    y = small(members)
    tested = 0
    for each in split("bootstrap", y, repeats=40, stratify=True):
        assert Counter(y[each.train].tolist()) == Counter(y.tolist())
        tested += "few" in y[each.test]
    assert (tested > 0) == (members > 1)  # one that always trains is never tested
    plain = split("bootstrap", y, repeats=40)
    assert any("few" not in y[each.train] for each in plain)


@given(
    st.lists(st.integers(3, 30), min_size=1, max_size=5),
    st.tuples(st.floats(0.1, 1), st.floats(0.1, 1), st.floats(0.1, 1)),
    st.integers(0, 99),
)
def test_three_parts_keep_proportions(counts, sizes, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    assume(len(y) * min(sizes) / sum(sizes) >= len(counts) + 1)
    (each,) = split("train_validation_test", y, None, seed, sizes=list(sizes))
    parts = (each.train, each.validation, each.test)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(y)))
    for rows, size in zip(parts, np.array(sizes) / sum(sizes), strict=True):
        assert abs(len(rows) - size * len(y)) < 1
        share = np.bincount(y[rows], minlength=len(counts))
        assert share.min() >= 1
        if min(counts) * min(sizes) / sum(sizes) >= 2:  # no class is held up by the least of one
            assert np.abs(share - len(rows) * np.array(counts) / len(y)).max() < 2


def test_three_parts_in_proportion():
    y = np.repeat(["a", "b"], 20)
    sizes = [
        Counter(y[rows].tolist())
        for each in split("train_validation_test", y)
        for rows in (each.train, each.validation, each.test)
    ]
    assert sizes == [{"a": 10, "b": 10}, {"a": 5, "b": 5}, {"a": 5, "b": 5}]
    shares = split("train_validation_test", y, sizes=[0.5, 0.25, 0.25])
    parts = split("train_validation_test", y, sizes=[20, 10, 10])
    assert shares[0].test.tolist() == parts[0].test.tolist()


PURE = np.repeat(np.arange(12), 3)  # twelve groups of three cases
PURE_Y = np.repeat(["a"] * 6 + ["b"] * 4 + ["c"] * 2, 3)
ORDER = np.random.default_rng(3).permutation(36)


@in_one_test
@pytest.mark.parametrize("names", [PURE, PURE.astype(str), [f"p{g}" for g in PURE], PURE - 5.5])
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("holdout", {"test_size": 0.5}),
        ("random_subsampling", {"test_size": 0.5, "repeats": 4}),
        ("five_by_two", {}),
        ("repeated_kfold", {"folds": 2, "repeats": 2}),
    ],
)
def test_groups_of_one_class_are_stratified_as_cases_are(name, parameters, names):
    names, y = np.asarray(names)[ORDER], PURE_Y[ORDER]
    for each in split(name, y, names, **parameters):
        assert Counter(y[each.test].tolist()) == {"a": 9, "b": 6, "c": 3}
        assert not set(names[each.train]) & set(names[each.test])


def test_groups_of_small_classes_are_spread():
    y, groups = PURE_Y[ORDER], PURE[ORDER]
    with pytest.raises(ilk.InputError, match=r"class 'c' is in 2 group\(s\), stratified folds"):
        split("stratified_kfold", y, groups, folds=3)
    splits = split("stratified_kfold", y, groups, folds=3, small_classes="spread")
    parts = [Counter(y[each.test].tolist()) for each in splits]
    assert sorted(part["c"] for part in parts) == [0, 3, 3]
    assert {part["a"] for part in parts} == {6}
    assert all(not set(groups[each.train]) & set(groups[each.test]) for each in splits)


def test_mixed_groups_count_as_of_their_rarest_class():
    y = np.array(["a", "a", "b", "a", "c", "a", "b", "a", "a", "c"])
    groups = np.array([0, 0, 0, 1, 1, 2, 2, 3, 4, 4])  # c: groups 1 and 4, b: 0 and 2, a: 3
    for seed in range(10):
        splits = split("stratified_kfold", y, groups, seed, folds=3, small_classes="spread")
        parts = [set(groups[each.test].tolist()) for each in splits]
        assert not any({1, 4} <= part or {0, 2} <= part for part in parts)


EVERY = [
    ("resubstitution", {}),
    ("holdout", {"stratify": False}),
    ("kfold", {"folds": 2}),
    ("stratified_kfold", {"folds": 2}),
    ("repeated_kfold", {"folds": 2, "repeats": 1}),
    ("leave_one_out", {}),
    ("leave_p_out", {}),
    ("random_subsampling", {}),
    ("five_by_two", {}),
    ("bootstrap", {}),
    ("bootstrap_632", {}),
    ("train_validation_test", {}),
    ("sklearn", {"splitter": "GroupKFold", "params": {"n_splits": 2}}),
]


@in_one_test
@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([1.0, np.nan, 2.0, 3.0], r"groups\[1\] is missing, got nan"),
        (["u", "v", None, "w"], r"groups\[2\] is missing, got None"),
        (["u", 1, 2.5, "w"], "groups must be of one type"),
        (np.ones((4, 2)), r"groups must be one name a case, got shape \(4, 2\)"),
        ([1, 2, 3], "groups has 3 values for the 4 rows"),
    ],
)
@pytest.mark.parametrize(("name", "parameters"), EVERY, ids=[name for name, _ in EVERY])
def test_bad_groups_are_named(name, parameters, groups, message):
    given_ = np.array(groups, dtype=object) if isinstance(groups, list) else groups
    scheme = ilk.resampling(name, **parameters)
    with pytest.raises(ilk.InputError, match=f"{name}: {message}"):
        scheme.splits(np.zeros((4, 1)), np.array([0, 1, 0, 1]), given_)


@in_one_test
@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (["u", float("nan"), "v", "w"], r"groups\[1\] is missing, got nan"),
        ([1, "1", 2, 3], "groups must be of one type"),
        (("u", b"u", "v", "w"), "groups must be of one type"),
    ],
)
@pytest.mark.parametrize(("name", "parameters"), EVERY, ids=[name for name, _ in EVERY])
def test_numpy_does_not_name_groups(name, parameters, groups, message):
    with pytest.raises(ilk.InputError, match=f"{name}: {message}"):
        ilk.resampling(name, **parameters).splits(np.zeros((4, 1)), [0, 1, 0, 1], groups)


@in_one_test
@pytest.mark.parametrize("seed", range(10))
def test_plain_folds_have_as_many_groups_each_whatever_their_sizes(seed):
    groups = np.repeat(np.arange(11), np.random.default_rng(seed).integers(1, 30, 11))
    splits = split("kfold", np.zeros(len(groups)), groups, seed, folds=3)
    assert sorted(len(set(groups[each.test])) for each in splits) == [3, 4, 4]
