"""Resampling schemes: what is divided, how evenly, and what cannot be."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import model_selection

import ilk
from cases import in_one_test

SCHEMES = {
    "holdout": {"test_size": 0.4, "repeats": 2},
    "kfold": {"folds": 3},
    "stratified_kfold": {"folds": 3},
    "repeated_kfold": {"folds": 2, "repeats": 3},
    "leave_one_out": {},
    "leave_p_out": {},
    "random_subsampling": {"test_size": 0.25, "repeats": 3},
    "five_by_two": {},
}
FIXED = {"leave_one_out", "leave_p_out", "resubstitution"}
Y = np.array(["a"] * 9 + ["b"] * 6 + ["c"] * 3)
X = np.zeros((len(Y), 1))


def split(name, n=None, y=Y, groups=None, random_state=0, **parameters):
    data = X[: len(y)] if n is None else np.zeros((n, 1))
    scheme = ilk.resampling(name, **parameters)
    return list(scheme.splits(data, y, groups, random_state=random_state))


def rows(splits):
    return [(s.train.tolist(), s.test.tolist(), s.repeat, s.fold) for s in splits]


@in_one_test
@pytest.mark.parametrize(("name", "parameters"), SCHEMES.items())
def test_parts_are_disjoint_and_make_the_whole(name, parameters):
    for each in split(name, **parameters):
        together = np.concatenate([each.train, each.test])
        assert sorted(together.tolist()) == list(range(len(Y)))
        assert each.train.dtype.kind == each.test.dtype.kind == "i"
        assert each.validation is None


@in_one_test
@pytest.mark.parametrize(("name", "parameters"), SCHEMES.items())
def test_seed_decides(name, parameters):
    first = rows(split(name, **parameters))
    assert rows(split(name, **parameters)) == first
    if name not in FIXED:
        assert rows(split(name, random_state=1, **parameters)) != first


@in_one_test
@pytest.mark.parametrize(
    ("name", "repeats"),
    [
        ("kfold", 1),
        ("stratified_kfold", 1),
        ("repeated_kfold", 3),
        ("leave_one_out", 1),
        ("five_by_two", 5),
    ],
)
def test_each_case_is_tested_once_a_repeat(name, repeats):
    tested = Counter()
    for each in split(name, **SCHEMES[name]):
        tested.update((each.repeat, row) for row in each.test.tolist())
    assert tested == Counter({(r, row): 1 for r in range(repeats) for row in range(len(Y))})


@given(st.integers(2, 6), st.integers(0, 20), st.integers(0, 2**31))
def test_folds_are_even(folds, more, seed):
    n = folds + more
    sizes = [
        len(each.test)
        for each in split("kfold", n, np.zeros(n, dtype=int), random_state=seed, folds=folds)
    ]
    assert max(sizes) - min(sizes) <= 1


@given(st.lists(st.integers(3, 12), min_size=1, max_size=4), st.integers(0, 2**31))
def test_stratified_folds_keep_proportions(counts, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    splits = split("stratified_kfold", len(y), y, random_state=seed, folds=3)
    for label in range(len(counts)):
        parts = [int(np.sum(y[each.test] == label)) for each in splits]
        assert max(parts) - min(parts) <= 1


def test_repeats_are_fresh_shuffles():
    splits = split("repeated_kfold", folds=2, repeats=40)
    assert [(s.repeat, s.fold) for s in splits] == [(r, f) for r in range(40) for f in range(2)]
    assert len({tuple(s.test) for s in splits}) > 70


@pytest.mark.parametrize("stratify", [True, False])
def test_agreement_with_scikit_learn(stratify):
    repeated = "RepeatedStratifiedKFold" if stratify else "RepeatedKFold"
    theirs = getattr(model_selection, repeated)(n_splits=3, n_repeats=4, random_state=7)
    ours = split("repeated_kfold", folds=3, repeats=4, stratify=stratify, random_state=7)
    for (train, test), each in zip(theirs.split(X, Y), ours, strict=True):
        np.testing.assert_array_equal(each.train, train)
        np.testing.assert_array_equal(each.test, test)


def test_holdout_keeps_proportions_and_sizes():
    (one,) = split("holdout", test_size=1 / 3)
    assert Counter(Y[one.test].tolist()) == {"a": 3, "b": 2, "c": 1}
    assert len(split("holdout", test_size=4)[0].test) == 4
    assert len(split("holdout", test_size=0.26, stratify=False)[0].test) == 5  # rounded up
    assert len({tuple(each.test) for each in split("holdout", repeats=5)}) > 1


def test_leave_one_out_needs_no_labels():
    assert rows(split("leave_one_out", 3, None)) == [
        ([1, 2], [0], 0, 0),
        ([0, 2], [1], 0, 1),
        ([0, 1], [2], 0, 2),
    ]


@given(st.integers(1, 3), st.none() | st.integers(1, 2), st.integers(0, 2**31))
def test_so_many_of_each_class(n_train, n_test, seed):
    y = np.random.default_rng(seed).permutation(list("aaaaaaaabbbbbcccccc"))
    parameters = {"n_train": n_train, "n_test": n_test, "repeats": 3}
    splits = split("per_class", 19, y, random_state=seed, **parameters)
    for each in splits:
        assert Counter(y[each.train]) == dict.fromkeys("abc", n_train)
        tested = (
            Counter(y) - Counter(y[each.train]) if n_test is None else dict.fromkeys("abc", n_test)
        )
        assert Counter(y[each.test]) == tested
        assert not set(each.train) & set(each.test)
    assert [each.repeat for each in splits] == [0, 1, 2]
    assert rows(split("per_class", 19, y, random_state=seed, **parameters)) == rows(splits)


def test_every_case_of_a_class_is_as_likely():
    # of 2 "b", one trains and one is tested; of 4 "a", each trains in a quarter of the splits
    y = np.array(list("ababaa"))
    counts = Counter()
    for each in split("per_class", 6, y, n_train=1, n_test=1, repeats=2000):
        counts.update(("train", i) for i in each.train)
        counts.update(("test", i) for i in each.test)
    for part in ("train", "test"):
        shares = [counts[part, i] / 2000 for i in range(6)]
        assert shares == pytest.approx([0.25, 0.5, 0.25, 0.5, 0.25, 0.25], abs=0.05)


def test_per_class_refuses_small_classes_and_groups():
    with pytest.raises(ilk.InputError, match="class 'c' has 3 case.*n_train = 2 .* need 4"):
        split("per_class", n_train=2, n_test=2)
    with pytest.raises(ilk.InputError, match="groups would be divided"):
        split("per_class", n_train=1, groups=GROUPS)


GROUPS = np.array([f"g{i}" for i in (0, 0, 1, 2, 3, 3, 4, 4, 5, 0, 1, 1, 2, 2, 5, 3, 4, 5)])


@in_one_test
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("holdout", {"stratify": False, "repeats": 3}),
        ("holdout", {"repeats": 3}),
        ("random_subsampling", {}),
        ("five_by_two", {}),
        ("five_by_two", {"stratify": False}),
        ("leave_p_out", {"p": 2}),
        ("bootstrap", {"repeats": 5}),
        ("bootstrap", {"repeats": 5, "stratify": True}),
        ("train_validation_test", {}),
        ("train_validation_test", {"stratify": False}),
        ("kfold", {"folds": 3}),
        ("stratified_kfold", {"folds": 3}),
        ("repeated_kfold", {"folds": 2, "repeats": 3}),
        ("repeated_kfold", {"folds": 2, "repeats": 3, "stratify": False}),
    ],
)
def test_groups_are_never_divided(name, parameters):
    splits = split(name, groups=GROUPS, **parameters)
    for each in splits:
        assert not set(GROUPS[each.train]) & set(GROUPS[each.test])
        assert len(each.test)
        if each.validation is not None:
            assert not set(GROUPS[each.validation]) & set(GROUPS[each.train])
            assert not set(GROUPS[each.validation]) & set(GROUPS[each.test])
    assert rows(split(name, groups=GROUPS, **parameters)) == rows(splits)


@in_one_test
@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("kfold", {"folds": 19}, "kfold: folds = 19, but there are 18 cases"),
        ("kfold", {"folds": 7, "groups": GROUPS}, "folds = 7, but there are 6 groups"),
        ("kfold", {"folds": 2, "groups": ["u"] * 18}, "folds = 2, but all cases are of one group"),
        ("stratified_kfold", {"folds": 4}, "class 'c' has 3 .* need at least 4"),
        ("repeated_kfold", {"folds": 4}, "repeated_kfold: class 'c' has 3 case"),
        ("stratified_kfold", {"folds": 2, "n": 4, "y": None}, "requires y"),
        ("kfold", {"folds": 2, "n": 1, "y": None}, r"X has 1 case\(s\), at least 2"),
        ("kfold", {"folds": 2, "n": 4}, "y has 18 values for the 4 rows"),
        ("kfold", {"folds": 2, "groups": GROUPS[:5]}, "groups has 5 values for the 18"),
        ("leave_one_out", {"groups": GROUPS}, "18 cases belong to 6 groups"),
        ("holdout", {"groups": ["u", "v", "w"] * 5 + ["u"] * 3}, r"class 'c' is in 1 group\(s\)"),
        ("holdout", {"test_size": 18}, "test_size = 18 of 18 cases leaves nothing to train"),
        ("holdout", {"y": Y[8:10], "n": 2}, "class 'a' has 1 case"),
        ("holdout", {"test_size": 2}, "16 training and 2 test cases are too few for 3 classes"),
    ],
)
def test_what_cannot_be_divided_is_said(name, arguments, message):
    with pytest.raises(ilk.InputError, match=message):
        split(name, **arguments)


@in_one_test
@pytest.mark.parametrize(("name", "parameters"), SCHEMES.items())
def test_errors_come_before_the_first_split(name, parameters):
    with pytest.raises(ilk.InputError, match="at least 2"):
        ilk.resampling(name, **parameters).splits(X[:1], Y[:1])


@in_one_test
@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("kfold", {"folds": 1}, "folds must be an integer >= 2, got 1"),
        ("holdout", {"test_size": 1.5}, "test_size must be a share < 1 or a whole number"),
        ("holdout", {"test_size": 0}, "test_size must be .* got 0"),
        ("repeated_kfold", {"repeats": 0}, "repeats must be an integer >= 1"),
    ],
)
def test_bad_parameters_are_named(name, parameters, message):
    with pytest.raises(ilk.ParameterError, match=message):
        ilk.resampling(name, **parameters)


@in_one_test
@pytest.mark.parametrize(("percent", "n"), [(7, 100), (14, 50), (28, 25), (55, 100), (56, 25)])
def test_a_share_that_is_a_whole_number_is_not_rounded_up(percent, n):
    share = percent / 100
    (one,) = split("holdout", n=n, y=None, test_size=share, stratify=False)
    assert len(one.test) == percent * n // 100 < share * n  # binary fractions come out larger


RANDOM = [*((n, p) for n, p in SCHEMES.items() if not n.startswith("leave_")), ("sklearn", {})]


@in_one_test
@pytest.mark.parametrize("state", [-1, 2**32, 1.5, "0"])
@pytest.mark.parametrize(("name", "parameters"), RANDOM)
def test_bad_seeds_are_named_before_the_first_split(name, parameters, state):
    with pytest.raises(ilk.ParameterError, match=f"{name}: random_state must be a random seed"):
        ilk.resampling(name, **parameters).splits(X, Y, random_state=state)
