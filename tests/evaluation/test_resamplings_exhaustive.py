"""Leave-p-out, resubstitution, 5x2: counts, caps, lazy splits, and what is known beforehand."""

import math
import tracemalloc
from itertools import combinations, islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import model_selection

import ilk
from cases import in_one_test

X = np.zeros((12, 1))
Y = np.array(list("abc") * 4)


def split(name, n=12, y=None, groups=None, random_state=0, **parameters):
    labels = Y if n == 12 and y is None else y
    scheme = ilk.resampling(name, **parameters)
    return list(scheme.splits(np.zeros((n, 1)), labels, groups, random_state=random_state))


@given(st.integers(2, 8), st.integers(1, 4))
def test_leave_p_out_is_that_of_scikit_learn(n, p):
    if p >= n:
        with pytest.raises(ilk.InputError, match=f"p = {p} of {n} cases leaves nothing"):
            split("leave_p_out", n, p=p)
        return
    theirs = model_selection.LeavePOut(p).split(np.zeros(n))
    ours = split("leave_p_out", n, p=p)
    assert len(ours) == math.comb(n, p)
    for each, (train, test) in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(each.train, train)
        np.testing.assert_array_equal(each.test, test)


def test_leave_p_groups_out():
    groups = np.array(list("uvwx") * 3)
    tested = [set(groups[each.test]) for each in split("leave_p_out", groups=groups)]
    assert tested == [set(pair) for pair in combinations("uvwx", 2)]


@pytest.mark.parametrize(
    ("n", "parameters", "message"),
    [
        (1000, {"p": 2}, "p = 2 of 1000 cases makes 499,500 splits, more than max_splits = 10,000"),
        (12, {"p": 6, "max_splits": 923}, "makes 924 splits, more than max_splits = 923"),
        (1000, {"p": 500}, r"makes about 10\^299 splits"),
    ],
)
def test_too_many_splits_are_counted_not_made(n, parameters, message):
    if n == 12:
        parameters = {"p": 6, "max_splits": 923}
        assert len(split("leave_p_out", p=6, max_splits=924)) == 924
    with pytest.raises(ilk.InputError, match=f"leave_p_out: .*{message}"):
        ilk.resampling("leave_p_out", **parameters).splits(np.zeros((n, 1)), None)


def test_resubstitution_trains_with_what_it_tests():
    (each,) = split("resubstitution", groups=np.zeros(12))
    assert each.train.tolist() == each.test.tolist() == list(range(12))
    assert not np.shares_memory(each.train, each.test)
    assert ilk.resampling("resubstitution").estimate([0.5]) == 0.5


def test_five_by_two_is_five_times_two_stratified_halves():
    theirs = model_selection.RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=4)
    ours = split("five_by_two", random_state=4)
    for each, (train, test) in zip(ours, theirs.split(X, Y), strict=True):
        np.testing.assert_array_equal(each.train, train)
        np.testing.assert_array_equal(each.test, test)
    assert [(each.repeat, each.fold) for each in ours] == [(r, f) for r in range(5) for f in (0, 1)]
    for first, second in zip(ours[::2], ours[1::2], strict=True):
        assert first.train.tolist() == second.test.tolist()


@in_one_test
@pytest.mark.parametrize(
    ("name", "parameters", "least"),
    [
        ("resubstitution", {}, 1),
        ("holdout", {"repeats": 3}, 3),
        ("kfold", {"folds": 4}, 4),
        ("stratified_kfold", {"folds": 4}, 4),
        ("repeated_kfold", {"folds": 2, "repeats": 3}, 6),
        ("random_subsampling", {}, 10),
        ("five_by_two", {}, 10),
        ("bootstrap", {"repeats": 7}, 7),
        ("bootstrap_632", {"repeats": 7}, 8),
        ("train_validation_test", {"repeats": 2}, 2),
        ("sklearn", {"splitter": "ShuffleSplit", "params": {"n_splits": 6}}, 6),
    ],
)
def test_number_of_splits_is_known_beforehand(name, parameters, least):
    assert ilk.resampling(name, **parameters).at_least() == least
    assert len(split(name, **parameters)) == least


@pytest.mark.parametrize(
    ("name", "parameters", "least"),
    [
        ("leave_one_out", {}, 2),
        ("leave_p_out", {"p": 3}, 4),
        ("sklearn", {"splitter": "LeaveOneOut"}, 1),
    ],
)
def test_where_the_data_decide_it_is_the_least_there_can_be(name, parameters, least):
    assert ilk.resampling(name, **parameters).at_least() == least
    assert len(split(name, n=4, **parameters)) == 4


@in_one_test
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("leave_p_out", {"p": 2, "max_splits": 10**6}),
        ("leave_one_out", {}),
        ("bootstrap", {"repeats": 10**6}),
        ("bootstrap_632", {"repeats": 10**6}),
        ("random_subsampling", {"repeats": 10**6}),
        ("train_validation_test", {"repeats": 10**6}),
        ("repeated_kfold", {"folds": 2, "repeats": 10**6}),
    ],
)
def test_splits_are_made_as_they_are_asked_for(name, parameters):
    n = 1000
    y = np.arange(n) % 2
    scheme = ilk.resampling(name, **parameters)
    tracemalloc.start()
    try:
        for each in islice(scheme.splits(np.zeros((n, 1)), y, random_state=0), 50):
            assert len(each.test)
        assert tracemalloc.get_traced_memory()[1] < 40 * 8 * n  # a few splits of 8 n bytes
    finally:
        tracemalloc.stop()


@in_one_test
@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("leave_p_out", {"p": 0}, "p must be an integer >= 1, got 0"),
        ("leave_p_out", {"max_splits": 0}, "max_splits must be an integer >= 1"),
        ("leave_p_out", {"p": 10, "max_splits": 10**17}, "max_splits must be an integer >= 1, <= "),
        ("random_subsampling", {"test_size": 1.5}, "test_size must be a share < 1"),
        ("bootstrap", {"repeats": 0}, "repeats must be an integer >= 1, got 0"),
        ("bootstrap_632", {"plus": 1}, "plus must be"),
        ("stratified_kfold", {"small_classes": "merge"}, "small_classes must be 'refuse' or"),
        ("five_by_two", {"small_classes": None}, "small_classes must be"),
        ("train_validation_test", {"sizes": [1, 1]}, r"sizes must be three numbers, got 2: \[1, 1"),
        ("train_validation_test", {"sizes": [1, 0, 1]}, "sizes"),
        ("train_validation_test", {"sizes": 0.5}, "sizes must be a list"),
    ],
)
def test_bad_parameters_are_named(name, parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"{name}: {message}"):
        ilk.resampling(name, **parameters)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": [8, 1, 1]}, "gives 1 of 12 cases to the validation part, too few for 3 classes"),
        ({"sizes": [98, 1, 1], "stratify": False}, "gives 0 of 12 cases to the validation part"),
        ({"groups": [1] * 6 + [2] * 6}, r"class 'a' is in 2 group\(s\), to stratify three parts"),
    ],
)
def test_three_parts_that_cannot_be_are_said(arguments, message):
    with pytest.raises(ilk.InputError, match=f"train_validation_test: .*{message}"):
        split("train_validation_test", **arguments)


def test_sizes_of_any_size_are_proportions():
    for sizes in ([1e308, 1e308, 1e308], [5e-324, 5e-324, 5e-324]):
        (one,) = split("train_validation_test", sizes=sizes)
        assert len(one.train) == len(one.validation) == len(one.test) == 4
