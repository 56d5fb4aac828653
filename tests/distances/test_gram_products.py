"""Kernels of squared Euclidean distances by products: as precise as promised, for any rows."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import ilk
from adversarial import SHAPES, adversarial
from ilk_distances.kernels import tiled


@pytest.fixture(autouse=True)
def always_products(monkeypatch):
    """Small blocks and groups, and products however few and imprecise."""
    for name, value in {
        "_TALL": 8,
        "_CACHED": 64,
        "_GROUP": 5,
        "_SAMPLE": 1,
        "_LOST": 1,
        "_MIRRORED": 1,
    }.items():
        monkeypatch.setattr(tiled, name, value)
    monkeypatch.setattr(tiled, "FEWEST_FEATURES", {np.float64: 1, np.float32: 1})


def squares(X, Y):
    X, Y = ([[Fraction(v) for v in row] for row in Z.tolist()] for Z in (X, Y))
    return [[sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) for y in Y] for x in X]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example("line", 1, 1, True, 1e7, 2)
@given(
    st.sampled_from(SHAPES),
    st.integers(1, 21),
    st.integers(1, 13),
    st.booleans(),
    st.sampled_from([1e-6, 1.0, 1e7]),
    st.integers(0, 2**32 - 1),
)
def test_squares_have_the_promised_digits(shape, n, p, single, sigma, seed):
    both = adversarial(shape, n + 9, p, seed)
    dtype = np.float32 if single else np.float64
    with np.errstate(over="ignore", under="ignore"):
        both = np.clip(both, -1e12, 1e12).astype(dtype) if single else both
    if not float(np.abs(both).max()) < 1e145:
        return
    for X, Y in ((both[n:], both[:n]), (both, both)):
        U = tiled.of_squares(lambda u: u, X, Y, sigma)
        assert U.dtype == dtype
        if X is Y:
            np.testing.assert_array_equal(U, U.T)
        # of squares that underflow only that much is known
        least = Fraction(float(np.finfo(dtype).tiny)) * Fraction(0.5 / sigma / sigma) * 100 * p
        least += Fraction(float(np.finfo(dtype).smallest_subnormal))
        off = Fraction(tiled.TOLERANCE[dtype]) + Fraction(float(np.finfo(dtype).eps)) * (p + 4)
        for got, true in zip(U.tolist(), squares(X, Y), strict=True):
            for value, square in zip(got, true, strict=True):
                u = square * Fraction(0.5) / Fraction(sigma) ** 2
                assert abs(Fraction(value) - u) <= off * u + least


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["rbf", "rational"])
def test_values_are_those_of_differences(name, dtype, monkeypatch):
    rng = np.random.default_rng(0)
    X, Y = (rng.normal(size=(n, 400)).astype(dtype) for n in (90, 70))
    X[5], X[40] = Y[3], Y[3] + dtype(1e-6)  # equal, and near
    kernel = ilk.kernel(name).fit(X)
    by_products = kernel.gram(X, Y), kernel.gram(X)
    monkeypatch.setattr(tiled, "FEWEST_FEATURES", {np.float64: 999, np.float32: 999})
    rtol = 1e-12 if dtype == np.float64 else 1e-6
    for ours, expected in zip(by_products, (kernel.gram(X, Y), kernel.gram(X)), strict=True):
        assert ours.dtype == dtype
        np.testing.assert_allclose(ours, expected, rtol=rtol)
    assert by_products[0][5, 3] == 1
    assert (np.diagonal(by_products[1]) == 1).all()
    np.testing.assert_array_equal(by_products[1], by_products[1].T)


def test_products_are_left_where_they_are_imprecise(monkeypatch):
    """Rows near one another and far from the rest: differences from the start, with their bits."""
    monkeypatch.setattr(tiled, "_LOST", 1 / 32)
    monkeypatch.setattr(tiled, "_SAMPLE", 30)
    X = np.random.default_rng(0).normal(size=(60, 20))
    X[:30] += 1e9
    kernel = ilk.kernel("rbf", sigma=5.0).fit(X)
    got = kernel.gram(X)
    monkeypatch.setattr(tiled, "FEWEST_FEATURES", {np.float64: 999})
    np.testing.assert_array_equal(got, kernel.gram(X))
