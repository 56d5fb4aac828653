"""Members of ensembles, fitted and asked one by one."""

import threading
import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import ilk
from cases import in_one_test
from ilk_ensembles.base.members import (
    each_member,
    each_place,
    failure,
    fit_each,
    fit_member,
    jobs_for,
    seed_members,
)
from ilk_ensembles.base.outputs import ABSTAINS, aligned, member_codes
from ilk_ensembles.base.progress import Progress


class Owner(ilk.Combiner):
    def combine(self, outputs, X=None):
        return outputs[0]


@pytest.fixture
def owner():
    return Owner()


def reciprocal(position, member):
    if member < 0:
        raise ValueError("is negative")
    return position, 1 / member


@in_one_test
@pytest.mark.parametrize("jobs", [None, 1, 3, -1])
def test_members_keep_their_order(owner, jobs):
    assert each_member(owner, range(20), lambda m: m**2, jobs) == [m**2 for m in range(20)]
    assert each_place(owner, "abc", lambda at, m: (at, m), jobs) == [(0, "a"), (1, "b"), (2, "c")]


def test_members_work_at_once(owner):
    """Each waits for the other: only threads get through."""
    barrier = threading.Barrier(2, timeout=20)
    each_member(owner, range(2), lambda _: barrier.wait(), 2)


@in_one_test
@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (ValueError("because"), ilk.InputError),
        (TypeError("because"), ilk.InputTypeError),
        (ilk.ParameterError("because"), ilk.InputError),
        (OSError("because"), ilk.IlkError),
    ],
    ids=["value", "type", "parameter", "other"],
)
def test_failures_name_owner_place_and_member(owner, raised, expected):
    def fail(_):
        raise raised

    pattern = r"^Owner: members\[1\] \(GaussianNB\): .*because$"
    with pytest.raises(expected, match=pattern) as caught:
        each_place(owner, ["knn", GaussianNB()], lambda at, m: at and fail(m), None)
    assert caught.value.__cause__ is raised
    assert type(failure(owner, "here", 3, raised)) is expected


def test_argument_may_name_each(owner):
    with pytest.raises(ilk.IlkError, match=r"^Owner: view 'b' \(int\): ZeroDivisionError"):
        each_member(owner, [1, 0], lambda m: 1 / m, None, argument=["view 'a'", "view 'b'"])


def test_interrupts_pass(owner):
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        each_member(owner, [1], stop, None)


@pytest.mark.parametrize("jobs", [None, 2])
def test_failing_members_are_left_out_and_counted(owner, jobs, capsys):
    progress = Progress(owner, 4, 2)
    kept, fitted = fit_each(
        owner, [1, -1, 2, 0], reciprocal, jobs, on_failure="drop", progress=progress
    )
    assert kept == [0, 2]
    assert fitted == [(0, 1.0), (2, 0.5)]
    assert list(owner.failures_) == [1, 3]
    assert str(owner.failures_[1]) == "Owner: members[1] (int): is negative"
    assert str(owner.failures_[3]).startswith("Owner: members[3] (int): ZeroDivisionError")
    assert len(capsys.readouterr().out.splitlines()) == progress.done == 4


def test_failing_member_is_an_error_by_default(owner):
    with pytest.raises(ilk.InputError, match=r"members\[1\] \(int\): is negative"):
        fit_each(owner, [1, -1, 0], reciprocal, None)


def test_all_members_fail(owner):
    with pytest.raises(
        ilk.InputError, match=r"every member failed; the first: Owner: members\[0\]"
    ):
        fit_each(owner, [-1, 0], reciprocal, None, on_failure="drop")


def test_weights_go_to_members_that_take_them():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    weights = np.array([1.0, 3.0, 1.0, 1.0])
    assert fit_member(GaussianNB(), X, y, weights).class_prior_.tolist() == [4 / 6, 2 / 6]
    assert fit_member(KNeighborsClassifier(1), X, y, weights).predict(X).tolist() == y.tolist()
    fitted = GaussianNB().fit(X, y)
    assert fit_member(ilk.frozen(fitted), X, 1 - y).predict(X).tolist() == y.tolist()


def test_seeds(owner):
    def seeds(state):
        members = [RandomForestClassifier(), RandomForestClassifier(random_state=7), GaussianNB()]
        seed_members(owner, members, state)
        return [member.random_state for member in members[:2]]

    assert seeds(None) == [None, 7]
    assert seeds(0) == seeds(0)
    assert seeds(0) != seeds(1)
    assert seeds(0)[1] == 7


class Says:
    def __init__(self, labels, classes=None):
        self.labels = labels
        if classes is not None:
            self.classes_ = np.array(classes)

    def predict(self, X):
        return self.labels


@in_one_test
@pytest.mark.parametrize(
    ("classes", "labels", "expected"),
    [
        (["a", "b"], np.array(["b", "a", "?"]), [1, 0, ABSTAINS]),
        (["a", "b"], ["bb", "zz", "A"], [ABSTAINS] * 3),
        ([-1, 1], np.array([1, -1, 0]), [1, 0, ABSTAINS]),
        ([-1, 1], np.array([1, None, "?"], dtype=object), [1, ABSTAINS, ABSTAINS]),
        ([-1, 1], np.array([1.0, -1.0]), [1, 0]),
        ([False, True], np.array([True, False]), [1, 0]),
        (np.array(["a", "b"], dtype=object), np.array(["b"]), [1]),
    ],
    ids=["texts", "other texts", "numbers", "objects", "floats", "bool", "object classes"],
)
def test_codes_of_labels(classes, labels, expected):
    assert (
        member_codes(Says(labels), np.zeros((len(labels), 1)), np.asarray(classes)).tolist()
        == expected
    )


def test_member_must_not_know_more_classes():
    with pytest.raises(ilk.InputError, match="knows the class 'c', which y does not have"):
        member_codes(Says(["a"], ["a", "c"]), np.zeros((1, 1)), np.array(["a", "b"]))
    with pytest.raises(ilk.InputError, match="knows the class 2"):
        aligned(np.ones((1, 1)), np.array([2]), np.array([0, 1]))


def test_columns_follow_the_classes():
    given = np.array([[0.2, 0.8], [1, 0]])
    classes = np.array(["a", "b", "c"])
    expected = [[0.8, 0, 0.2], [0, 0, 1]]
    assert aligned(given, np.array(["c", "a"]), classes).tolist() == expected
    assert aligned(given, np.array(["a", "b"]), classes[:2]) is given


@pytest.mark.parametrize(("verbose", "lines"), [(0, 0), (1, 10), (2, 25)])
def test_progress(owner, verbose, lines, capsys):
    progress = Progress(owner, 25, verbose, "rounds")
    for _ in range(25):
        progress.step("error 0.1")
    found = capsys.readouterr().out.splitlines()
    assert progress.done == 25
    assert abs(len(found) - lines) <= (3 if verbose == 1 else 0)
    if found:
        assert found[-1].startswith("Owner: 25 of 25 rounds, ")
        assert found[-1].endswith(" s, error 0.1")


def test_filters_of_warnings_stay_as_they_were(owner):
    """Members that ignore warnings at once put back filters in the wrong order."""
    first, last = threading.Event(), threading.Event()

    def ignoring(number):
        if number:
            first.wait(20)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first.set()
            if number:
                last.wait(20)
        last.set()

    before = list(warnings.filters)
    each_member(owner, range(2), ignoring, 2)
    assert list(warnings.filters) == before
    fit_each(owner, range(2), lambda _, member: warnings.simplefilter("ignore"), None)
    assert list(warnings.filters) == before


@in_one_test
@pytest.mark.parametrize(("jobs", "expected"), [(None, None), (-1, -1), (2, 2), (10**9, 5)])
def test_no_more_threads_than_members(owner, jobs, expected):
    assert jobs_for(5, jobs) == expected
    assert each_member(owner, range(5), int, jobs) == list(range(5))
    assert each_member(owner, [], int, jobs) == []
