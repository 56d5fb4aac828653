"""The Canberra distance."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

import ilk


def exactly(x, y):
    terms = ((Fraction(float(a)), Fraction(float(b))) for a, b in zip(x, y, strict=True))
    return float(sum(abs(a - b) / (abs(a) + abs(b)) for a, b in terms if a or b))


@pytest.mark.parametrize("p", [1, 3, 64])
def test_agrees_with_scipy(p, rng):
    X, Y = rng.normal(size=(13, p)), rng.normal(size=(9, p))
    X[0] = Y[0] = 0
    np.testing.assert_allclose(
        ilk.distance("canberra").pairwise(X, Y), cdist(X, Y, "canberra"), rtol=1e-13
    )


@given(arrays(float, (2, 3), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_any_finite_numbers(rows):
    got = ilk.distance("canberra").between(*rows)
    assert got == pytest.approx(exactly(*rows), rel=1e-14)


@given(arrays(float, (3, 3), elements=st.integers(-4, 4).map(float)))
def test_triangle_inequality(rows):
    D = ilk.distance("canberra").pairwise(rows)
    assert D[0, 2] <= D[0, 1] + D[1, 2] + 1e-12


def test_scaling_a_feature_changes_nothing(rng):
    X = rng.normal(size=(6, 3))
    d = ilk.distance("canberra")
    np.testing.assert_allclose(d.pairwise(X * [2, 1e-9, 1e9]), d.pairwise(X), rtol=1e-13)


def test_float32(rng):
    X = rng.normal(size=(5, 30)).astype(np.float32)
    d = ilk.distance("canberra")
    np.testing.assert_allclose(d.pairwise(X), d.pairwise(X.astype(float)), rtol=1e-6)
