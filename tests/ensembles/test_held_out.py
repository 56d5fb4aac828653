"""Outputs for rows held out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, StratifiedKFold

import ilk
from cases import in_one_test
from ilk_ensembles.base.held_out import held_out_outputs, random_folds, stratified_folds

OWNER = ilk.classifier("voting")


def splits(codes, seed=0):
    return list(stratified_folds(OWNER, np.asarray(codes), np.random.RandomState(seed)))


def echo(train, test):
    """Two members: one tells the row, one how many rows it was fitted on."""
    return np.stack([test, np.full(len(test), len(train))])[:, :, None].astype(float)


def held_out(codes, scheme=None, folds=stratified_folds):
    X, codes = np.zeros((len(codes), 1)), np.asarray(codes)
    rng = np.random.RandomState(0)
    return held_out_outputs(OWNER, echo, X, codes, scheme, rng, folds)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=40), st.integers(0, 5))
def test_training_parts_keep_every_class(labels, seed):
    codes = np.unique(labels, return_inverse=True)[1]
    counts = np.bincount(codes)
    if counts.max() < 2:
        return
    found = splits(codes, seed)
    tested = np.sort(np.concatenate([test for _, test in found]))
    np.testing.assert_array_equal(tested, np.flatnonzero(counts[codes] > 1))
    for train, test in found:
        assert len(test)
        assert set(codes[train]) == set(codes)
        assert sorted([*train, *test]) == list(range(len(codes)))
    sizes = [len(test) for _, test in found]
    assert max(sizes) - min(sizes) <= 1
    for code in range(len(counts)):
        each = [(codes[test] == code).sum() for _, test in found]
        assert max(each) - min(each) <= 1


def test_only_row_of_a_class_is_never_held_out():
    codes = [0, 0, 0, 1, 2, 2]
    for train, test in splits(codes):
        assert 3 in train
        assert 3 not in test


def test_small_class_does_not_cost_the_large_one_its_training_rows():
    """Five folds, though one class has two rows."""
    assert [len(train) for train, _ in splits([0] * 48 + [1] * 2)] == [40] * 5


@pytest.mark.parametrize("codes", [[0], [0, 1], [0, 1, 2]], ids=str)
def test_nothing_can_be_held_out(codes):
    with pytest.raises(ilk.InputError, match="voting: no class has two cases"):
        splits(codes)


def test_folds_of_numbers():
    y = np.linspace(0, 1, 12)
    found = list(random_folds(OWNER, y, np.random.RandomState(0)))
    assert [len(test) for _, test in found] == [3, 3, 2, 2, 2]
    assert sorted(np.concatenate([test for _, test in found])) == list(range(12))
    with pytest.raises(ilk.InputError, match="one row"):
        next(random_folds(OWNER, y[:1], np.random.RandomState(0)))


def test_outputs_belong_to_their_rows():
    codes = np.arange(23) % 3
    rows, outputs = held_out(codes)
    assert rows.tolist() == list(range(23))
    assert outputs[0, :, 0].tolist() == list(range(23))
    assert set(outputs[1, :, 0]) <= {18, 19}


def test_row_held_out_twice_has_two_entries():
    class Twice:
        def split(self, X, y):
            yield np.array([0, 1]), np.array([3, 2])
            yield np.array([0, 3]), np.array([2, 1])

    rows, outputs = held_out([0, 0, 1, 1], Twice())
    assert rows.tolist() == [1, 2, 2, 3]
    assert outputs[0, :, 0].tolist() == [1, 2, 2, 3]


@pytest.mark.parametrize(
    "scheme",
    [ilk.resampling("kfold", folds=3), KFold(3), StratifiedKFold(3)],
    ids=["ilk", "scikit-learn", "stratified"],
)
def test_given_scheme(scheme):
    rows, outputs = held_out(np.arange(12) % 2, scheme)
    assert rows.tolist() == list(range(12))
    assert set(outputs[1, :, 0]) == {8}


class Given:
    def __init__(self, *found):
        self.found = [
            (np.array(train, dtype=int), np.array(test, dtype=int)) for train, test in found
        ]

    def split(self, X, y):
        return iter(self.found)


@in_one_test
@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        (Given(), "resampling must give splits with training and test rows"),
        (Given(([], [1])), "resampling must give splits with training and test rows"),
        (Given(([0, 1], [])), "resampling must give splits with training and test rows"),
        (
            Given(([0, 1, 2], [2, 3])),
            "resampling must hold rows out, but row 2 is in training and test",
        ),
        (KFold(9), "resampling: Cannot have number of splits"),
    ],
    ids=["none", "no training", "no test", "overlap", "too many"],
)
def test_schemes_that_hold_nothing_out_are_refused(scheme, message):
    with pytest.raises(ilk.InputError, match=f"voting: {message}"):
        held_out([0, 1, 0, 1], scheme)
