"""Cosine and correlation distances."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import ilk
from cases import in_one_test

BOTH = pytest.mark.parametrize("name", ["cosine", "correlation"])


@in_one_test
@BOTH
@pytest.mark.parametrize("p", [2, 3, 64])
def test_agrees_with_scipy(name, p, rng):
    X, Y = rng.normal(size=(13, p)), rng.normal(size=(9, p))
    np.testing.assert_allclose(
        ilk.distance(name).pairwise(X, Y), cdist(X, Y, name), rtol=1e-12, atol=1e-14
    )


def test_worked():
    d = ilk.distance("cosine")
    assert d.between([1, 0], [1, 1]) == pytest.approx(1 - 2**-0.5, rel=1e-15)
    assert d.between([3, 4], [-3, -4]) == 2
    assert ilk.distance("correlation").between([1, 2, 3], [1, 3, 2]) == pytest.approx(0.5)


@pytest.mark.parametrize("angle", [1e-3, 1e-5, 1e-7])
def test_small_angles_keep_their_digits(angle):
    d = ilk.distance("cosine").between([1.0, 0.0], [np.cos(angle), np.sin(angle)])
    assert d == pytest.approx(2 * np.sin(angle / 2) ** 2, rel=1e-8)


def exactly(name, x, y):
    """Compute a distance with 80 digits."""
    with localcontext() as context:
        context.prec = 80
        x, y = ([Decimal(float(value)) for value in row] for row in (x, y))
        if name == "correlation":
            x, y = ([value - sum(row) / len(row) for value in row] for row in (x, y))
        xx, yy, xy = (
            sum(a * b for a, b in zip(*pair, strict=True)) for pair in ((x, x), (y, y), (x, y))
        )
        return float(1 - xy / (xx * yy).sqrt())


@in_one_test
@BOTH
@pytest.mark.parametrize("step", [2.0**-52, 1e-14, 1e-11, 1e-8, 1e-6, 1e-4])
@pytest.mark.parametrize(("factor", "offset"), [(1.0, 0.0), (0.7, 0.0), (3.3, 1e4)])
def test_nearly_parallel_rows_keep_their_digits(name, step, factor, offset, rng):
    x = rng.normal(size=9) + offset
    Y = factor * x * (1 + rng.integers(-4, 5, (6, 9)) * step)
    D = ilk.distance(name).pairwise([x], Y)
    np.testing.assert_allclose(D[0], [exactly(name, x, y) for y in Y], rtol=1e-9)
    np.testing.assert_array_equal(ilk.distance(name).pairwise(Y, [x]).T, D)
    assert not ilk.distance(name).pairwise(Y, Y * 4.0)[np.eye(6, dtype=bool)].any()


@in_one_test
@BOTH
@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e200, 1.7e308])
def test_length_does_not_matter(name, size):
    X = np.array([[0.5, 0.25, 1.0], [1.0, -0.5, 0.25]])
    expected = ilk.distance(name).pairwise(X)
    np.testing.assert_allclose(ilk.distance(name).pairwise(X * size, X), expected, atol=1e-5)


@given(
    st.lists(
        st.lists(
            st.floats(-100, 100).filter(lambda x: x == 0 or abs(x) > 1e-3), min_size=4, max_size=4
        ).filter(lambda row: np.ptp(row) > 1e-3),
        min_size=2,
        max_size=5,
    ),
    st.sampled_from([1.5, 3.0, 1e5]),
)
def test_invariances(rows, factor):
    X = np.array(rows)
    cosine, correlation = ilk.distance("cosine"), ilk.distance("correlation")
    np.testing.assert_allclose(cosine.pairwise(X * factor, X), cosine.pairwise(X), atol=1e-12)
    shifted = X * factor + 7
    np.testing.assert_allclose(correlation.pairwise(shifted, X), correlation.pairwise(X), atol=1e-7)
    D = cosine.pairwise(X)
    assert ((D >= 0) & (D <= 2)).all()


def test_profiles_far_from_zero():
    d = ilk.distance("correlation")
    near, far = d.between([1, 2, 4], [1, 3, 2]), d.between([1e8 + 1, 1e8 + 2, 1e8 + 4], [1, 3, 2])
    assert far == pytest.approx(near, rel=1e-12)


@BOTH
def test_float32_is_as_good_as_its_type(name, rng):
    X = rng.normal(size=(20, 50)).astype(np.float32)
    Y = (X + rng.normal(size=X.shape) * 1e-3).astype(np.float32)
    got = ilk.distance(name).pairwise(X, Y)
    assert got.dtype == np.float32
    expected = ilk.distance(name).pairwise(X.astype(float), Y.astype(float))
    np.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "row", "what"),
    [
        ("cosine", [0, 0, 0], "zero"),
        ("correlation", [0, 0, 0], "constant"),
        ("correlation", [0.1, 0.1, 0.1], "constant"),
    ],
)
def test_rows_without_direction_are_named(name, row, what):
    with pytest.raises(ilk.InputError, match=rf"{name}.*Y .*{what}.*row 1"):
        ilk.distance(name).pairwise([[1, 2, 3]], [[1, 2, 3], row])


def test_no_metric():
    assert not ilk.distance("cosine").metric
    assert ilk.distance("cosine").symmetric
