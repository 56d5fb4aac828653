"""The Bray-Curtis distance."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

import ilk


@pytest.fixture
def distance():
    return ilk.distance("bray_curtis")


@pytest.mark.parametrize("p", [1, 3, 64])
def test_agrees_with_scipy(distance, p, rng):
    X, Y = rng.poisson(3, size=(13, p)) + 1, rng.random(size=(9, p))
    np.testing.assert_allclose(distance.pairwise(X, Y), cdist(X, Y, "braycurtis"), rtol=1e-13)


def test_worked(distance):
    assert distance.between([6, 7, 4], [10, 0, 6]) == 13 / 33
    assert distance.between([1, 0], [0, 1]) == 1


def test_empty_samples(distance):
    D = distance.pairwise([[0, 0], [1, 2]], [[0, 0], [1, 2]])
    np.testing.assert_array_equal(D, [[0, 1], [1, 0]])


@given(arrays(float, (2, 3), elements=st.floats(0, 1e306)))
def test_any_amounts(rows):
    x, y = ([Fraction(float(v)) for v in row] for row in rows)
    total = sum(x) + sum(y)
    exact = sum(abs(a - b) for a, b in zip(x, y, strict=True)) / total if total else 0
    got = ilk.distance("bray_curtis").between(*rows)
    assert got == pytest.approx(float(exact), rel=1e-14)
    assert 0 <= got <= 1


def test_scaling_both_changes_nothing(distance, rng):
    X = rng.random((6, 3))
    np.testing.assert_allclose(distance.pairwise(X * 1e-200), distance.pairwise(X), rtol=1e-13)


def test_no_metric(distance):
    D = distance.pairwise([[1, 0], [1, 1], [0, 1]])
    assert D[0, 2] > D[0, 1] + D[1, 2]
    assert not distance.metric


def test_negative_amounts_are_named(distance):
    with pytest.raises(ilk.InputError, match=r"bray_curtis: Y .*-1.* row 1, column 0"):
        distance.pairwise([[1, 2]], [[1, 2], [-1, 2]])
