"""Declarations: what they take, what they refuse, and the sentence that says so."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk import Array, FilePath, Function, Param, Seed


@in_one_test
@pytest.mark.parametrize(
    ("param", "good", "bad"),
    [
        (Param(int, ge=1), [1, 7, np.int64(3)], [0, 1.0, True, "1", None]),
        (Param(float, gt=0, le=2), [1, 0.5, 2.0, np.float32(1)], [0, 2.5, math.nan, False, "1"]),
        (Param(float, ge=1), [math.inf, 1], [-math.inf, math.nan, 10**400]),
        (Param(bool), [True, False, np.True_], [0, 1, "true", None]),
        (Param(str), ["", "x"], [1, None, b"x"]),
        (Param(choices=("half", "full")), ["half"], ["Half", "third", 1, None]),
        (Param(float, choices=("auto",), none=True), [0.1, "auto", None], ["automatic", []]),
        (Param(choices=(1, "all")), [1, "all"], [True, 1.0]),
        (Param(list, items=Param(int, ge=0)), [[], [1, 2], (3,)], [[1, -1], "12", ["a"], 3]),
        (Param(dict, items=Param(str)), [{}, {"a": "b"}], [{"a": 1}, [("a", "b")]]),
        (Param(Array), [[1, 2], np.eye(2), [[1.5]]], [["a"], [[1], [2, 3]], 1, "12"]),
        (Param(Function), [len, lambda x: x], ["len", 1]),
        (Param(Seed), [0, None, np.random.RandomState(0)], [-1, 0.5, "0", True]),
        (Param(FilePath), ["a/b", "~/x", Path("a")], [1, None, "", "a\0b", "~no_such_user/x"]),
    ],
    ids=lambda value: value.describe() if isinstance(value, Param) else "",
)
def test_what_is_taken_and_refused(param, good, bad):
    assert [param.problem(value) for value in good] == [None] * len(good)
    for value in bad:
        problem = param.problem(value)
        assert problem is not None, value
        assert repr(value)[:10] in problem or "[" in problem


def test_bounds_are_named():
    assert Param(int, ge=1, lt=9).describe() == "an integer >= 1, < 9"
    assert Param(int, choices=("log2",)).describe() == "'log2' or an integer"
    assert Param(slot="index").describe().startswith("an index (name")


def test_what_may_be_a_label_is_called_so():
    label = Param((str, int, float, bool), none=True)
    assert label.describe() == "a label (string, number, true or false) or None"
    assert Param((str, int, bool)).describe() == "a label (string, integer, true or false)"
    assert Param((str, int)).describe() == "a string or an integer"


def test_none_is_named_once():
    assert Param(Seed, none=True).describe().count("None") == 1


def test_the_item_that_is_wrong_is_named():
    assert Param(list, items=Param(int, ge=0)).problem([1, -1]) == (
        "[1] must be an integer >= 0, got -1"
    )


def test_a_choice_is_suggested():
    assert "did you mean 'nearest'?" in Param(choices=("nearest", "prior")).problem("neaerst")


def test_long_values_are_cut():
    assert len(Param(int).problem("x" * 1000)) < 150


@given(st.integers(), st.integers())
def test_integers_respect_their_bounds(value, bound):
    assert (Param(int, ge=bound).problem(value) is None) == (value >= bound)
    assert (Param(int, lt=bound).problem(value) is None) == (value < bound)


def test_names_that_are_not_alike_are_not_suggested():
    with pytest.raises(ilk.ParameterError, match=r"no parameter 'random_state' \(it has"):
        ilk.metric_learner("lmnn", random_state=0)
