"""Splitters of scikit-learn as resamplings: the same splits, the seed, errors that help."""

import numpy as np
import pytest
from sklearn import model_selection

import ilk
from cases import in_one_test
from ilk_evaluation.resamplings.sklearn_splitters import table_of

X = np.arange(24.0).reshape(12, 2)
y = np.array(["a", "b", "c"] * 4)
GROUPS = np.repeat(["u", "v", "w", "x"], 3)

SPLITTERS = [
    model_selection.KFold(4, shuffle=True, random_state=3),
    model_selection.KFold(3),
    model_selection.StratifiedKFold(2),
    model_selection.GroupKFold(2),
    model_selection.LeaveOneGroupOut(),
    model_selection.LeavePOut(2),
    model_selection.RepeatedKFold(n_splits=3, n_repeats=2, random_state=1),
    model_selection.RepeatedStratifiedKFold(n_splits=2, n_repeats=3, random_state=1),
    model_selection.ShuffleSplit(4, test_size=0.25, random_state=0),
    model_selection.StratifiedShuffleSplit(2, test_size=0.5, random_state=0),
    model_selection.TimeSeriesSplit(3),
    model_selection.PredefinedSplit(np.array([0, 0, 1, 1, 2, 2] * 2)),
]


def groups_for(name):
    return GROUPS if "Group" in name else None


def splits_of(scheme, **options):
    return list(scheme.splits(X, y, groups_for(scheme.splitter), **options))


@in_one_test
@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda splitter: type(splitter).__name__)
def test_splits_are_those_of_scikit_learn(splitter):
    scheme = ilk.build(table_of(splitter), kind="resampling")
    found = splits_of(scheme, random_state=7)
    expected = list(splitter.split(X, y, groups_for(scheme.splitter)))
    assert len(found) == len(expected)
    for split, (train, test) in zip(found, expected, strict=True):
        np.testing.assert_array_equal(split.train, train)
        np.testing.assert_array_equal(split.test, test)
    places = [(split.repeat, split.fold) for split in found]
    assert len(set(places)) == len(places)
    assert max(repeat for repeat, _ in places) + 1 == getattr(splitter, "n_repeats", 1)


@pytest.mark.parametrize(
    ("splitter", "params"),
    [
        ("ShuffleSplit", {"n_splits": 2, "test_size": 0.5}),
        ("KFold", {"n_splits": 3, "shuffle": True}),
        ("RepeatedKFold", {"n_splits": 3, "n_repeats": 2}),
    ],
)
def test_what_is_drawn_follows_from_the_seed(splitter, params):
    scheme = ilk.resampling("sklearn", splitter=splitter, params=params)

    def tests(seed):
        return [split.test.tolist() for split in splits_of(scheme, random_state=seed)]

    assert tests(1) == tests(1)
    assert tests(1) != tests(2)


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"splitter": "KFlod"}, "splitter must be a splitter .*'KFlod'; did you mean 'KFold'"),
        ({"splitter": "GridSearchCV"}, "must be a splitter of scikit-learn"),
        ({"splitter": "BaseShuffleSplit"}, "must be a splitter of scikit-learn"),
        ({"params": {"n_split": 3}}, "'n_split'; did you mean 'n_splits'"),
        ({"params": {"n_splits": 1}}, "params must suit KFold: "),
        ({"splitter": "LeavePOut"}, "params must suit LeavePOut: .*'p'"),
    ],
)
def test_wrong_parameters_are_told(parameters, message):
    with pytest.raises(ilk.ParameterError, match=message):
        ilk.resampling("sklearn", **parameters)


def test_data_that_cannot_be_divided_so_are_told():
    scheme = ilk.resampling("sklearn", splitter="KFold", params={"n_splits": 20})
    with pytest.raises(ilk.InputError, match="KFold cannot divide: .*n_splits=20"):
        splits_of(scheme)
    scheme = ilk.resampling("sklearn", splitter="GroupKFold", params={"n_splits": 2})
    with pytest.raises(ilk.InputError, match="GroupKFold cannot divide"):
        list(scheme.splits(X, y))


@pytest.mark.parametrize("target", [[0.5] * 6 + [np.nan] * 6, [None, "a", 1] * 4])
def test_targets_matter_only_where_classes_are_kept(target):
    drawn = ilk.resampling("sklearn", splitter="ShuffleSplit", params={"n_splits": 2})
    assert len(list(drawn.splits(np.zeros((12, 1)), target, random_state=0))) == 2
    kept = ilk.resampling("sklearn", splitter="StratifiedKFold", params={"n_splits": 2})
    with pytest.raises(ilk.InputError, match="sklearn: y: "):
        kept.splits(np.zeros((12, 1)), target)
    with pytest.raises(ilk.InputError, match="sklearn: requires y"):
        kept.splits(np.zeros((12, 1)), None)


def test_groups_are_not_divided_without_a_word():
    scheme = ilk.resampling("sklearn", splitter="ShuffleSplit")
    with pytest.raises(ilk.InputError, match="ShuffleSplit would divide the groups"):
        scheme.splits(X, y, GROUPS)


def test_only_scikit_learns_own_are_written_as_tables():
    class Mine(model_selection.KFold):
        pass

    assert table_of(Mine()) is None
    assert table_of(3) is None
    assert table_of(model_selection.KFold) is None


def test_splits_without_end_are_refused_at_once():
    splits = ilk.resampling("sklearn", splitter="LeavePOut", params={"p": 10})
    with pytest.raises(ilk.InputError, match="LeavePOut cannot divide: .* splits of 150 cases"):
        next(splits.splits(np.zeros((150, 1)), np.arange(150) % 2))
