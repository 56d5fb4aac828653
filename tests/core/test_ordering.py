"""Orders of cases that do not depend on the order in which they are given."""

import numpy as np
import pandas as pd
import pytest

import ilk

RNG = np.random.default_rng(0)
TABLES = {
    "distinct": RNG.normal(size=(60, 3)),
    "whole": RNG.integers(-2, 3, (60, 3)).astype(float),
    "fractions": RNG.integers(0, 3, (60, 25)) / 10,  # more than fit into one integer
    "bools": RNG.random((60, 4)) > 0.5,
    "unsigned": RNG.integers(0, 250, (60, 2)).astype(np.uint8),
    "bytes": RNG.choice([-128, 0, 127], (60, 2)).astype(np.int8),
    "huge": RNG.choice([-1e308, 0.0, 1e-300, 1e308], (60, 2)),
    "frame": pd.DataFrame(RNG.integers(0, 3, (60, 2))),
    "lists": RNG.integers(0, 3, (60, 2)).tolist(),
}


@pytest.mark.parametrize("X", TABLES.values(), ids=TABLES)
def test_rows_are_sorted_by_column_then_by_values(X):
    y, weights = RNG.integers(0, 3, 60), RNG.random(60)
    found = ilk.row_order(X, y, weights)
    keys = weights, y, *np.asarray(X, dtype=float).T[::-1]
    np.testing.assert_array_equal(found, np.lexsort(keys))


def test_a_column_that_spans_as_many_whole_numbers_as_rows_leaves_ties_to_the_next():
    assert ilk.row_order(np.array([[0.0, 5.0], [0.0, 1.0], [2.0, 3.0]])).tolist() == [1, 0, 2]


@pytest.mark.parametrize("X", [["b", "a", "b"], [{1}, {2, 3}, {1}]], ids=["texts", "sets"])
def test_rows_that_are_no_numbers_keep_their_order(X):
    assert ilk.row_order(X, np.array([2, 1, 0])).tolist() == [0, 1, 2]
    assert ilk.case_order(X, np.array([1, 0, 1]))[0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("X", TABLES.values(), ids=TABLES)
def test_cases_in_any_order_and_of_any_names_are_the_same(X):
    codes = np.concatenate([np.arange(4), RNG.integers(0, 4, 56)])
    weights = RNG.choice([0.1, 0.3], 60)
    moved, names = RNG.permutation(60), RNG.permutation(4)
    rows, classes = ilk.case_order(X, codes, weights)
    others, renamed = ilk.case_order(ilk.take(X, moved), names[codes][moved], weights[moved])
    np.testing.assert_array_equal(renamed, names[classes])
    for values in (np.asarray(X), weights, codes):
        mine, theirs = values[rows], values[moved][others]
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.longdouble])
def test_numbers_that_no_double_tells_apart(dtype):
    X = np.array([[2**63 - 1], [2**63 - 2], [0]], dtype=dtype)
    assert ilk.row_order(X).tolist() == np.argsort(X[:, 0], kind="stable").tolist()


def test_no_rows_have_an_order():
    X = np.empty((0, 3))
    assert len(ilk.row_order(X)) == 0
    assert [len(each) for each in ilk.case_order(X, np.arange(0))] == [0, 0]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (lambda X: ilk.row_order(X, np.arange(2)), "row_order: values has 2 values for the 3 rows"),
        (lambda X: ilk.case_order(X, np.arange(2)), "case_order: codes has 2"),
        (lambda X: ilk.case_order(X, np.arange(3), np.ones(4)), "case_order: weights has 4"),
    ],
)
def test_other_lengths_are_refused(order, message):
    with pytest.raises(ilk.InputError, match=message):
        order(np.zeros((3, 1)))
