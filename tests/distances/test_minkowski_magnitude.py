"""Minkowski distances of differences and weights of any size, against decimals of fifty digits."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

import ilk
from cases import in_one_test

LARGEST = Decimal(float(np.finfo(float).max))


def by_decimals(x, y, weights, p):
    with localcontext(prec=50, Emax=10**9, Emin=-(10**9)):
        exponent = Decimal(p)
        gaps = (abs(Decimal(float(a)) - Decimal(float(b))) for a, b in zip(x, y, strict=True))
        terms = (Decimal(w) * d**exponent for w, d in zip(weights, gaps, strict=True) if d)
        return sum(terms, Decimal(0)) ** (1 / exponent)


@pytest.mark.parametrize("p", [1e-3, 0.1, 0.3, 0.5, 0.9, 1, 1.01, 2, 3, 300])
def test_any_size_of_differences_and_weights(p):
    rng = np.random.default_rng(0)
    for _ in range(60):
        n = int(rng.integers(1, 5))
        weights = (10.0 ** rng.uniform(-300, 300) * 10 ** rng.uniform(-3, 3, n)).tolist()
        x, y = 1.7 * rng.uniform(-1, 1, size=(2, n)) * 10.0 ** rng.uniform(-308, 308, size=(2, n))
        got = ilk.distance("minkowski", p=p, weights=weights).between(x, y)
        expected = by_decimals(x, y, weights, p)
        if expected > LARGEST:
            assert got == np.inf
        else:
            assert got == pytest.approx(float(expected), rel=1e-12, abs=1e-320)


@in_one_test
@pytest.mark.parametrize(
    ("p", "weights", "x", "y", "expected"),
    [
        (0.5, [1e-200], [1e300], [0], 1e-100),
        (0.1, [1e40], [1e-300], [0], 1e100),
        (1, [1e-10, 1e-10], [1.7e308, 1.7e308], [0, 0], 3.4e298),
        (0.01, [1.0, 1.0], [1e-300, 1e-300], [0, 0], 2.0**100 * 1e-300),
        # The difference itself is beyond the largest number:
        (1, [1e-10], [1.7e308], [-1.7e308], 3.4e298),
        (2, [1e-10, 1e-10], [1.7e308, 0], [-1.7e308, 1], 3.4e303),
        (3, [1e-300], [1.7e308], [-1.7e308], 3.4e208),
    ],
)
def test_worked(p, weights, x, y, expected):
    distance = ilk.distance("minkowski", p=p, weights=weights)
    assert distance.between(x, y) == pytest.approx(expected, rel=1e-12)
    assert distance.between(y, x) == distance.between(x, y)


@pytest.mark.parametrize("p", [0.003, 0.005, 0.01])
def test_small_powers_of_small_ratios_count(p):
    x, weights = [1e200, 1e-200], [0.5, 0.5]
    got = ilk.distance("minkowski", p=p, weights=weights).between(x, [0, 0])
    expected = float(by_decimals(x, [0, 0], weights, p))
    assert 0 < expected < np.inf
    assert got == pytest.approx(expected, rel=1e-12)
    assert expected > 1.001 * float(by_decimals(x[:1], [0], weights[:1], p))


@pytest.mark.parametrize("name", ["manhattan", "euclidean"])
def test_weights_too_unlike_are_refused(name):
    with pytest.raises(
        ilk.ParameterError, match=f"{name}: weights must differ by a factor of at m"
    ):
        ilk.distance(name, weights=[1e-200, 0, 1e200])
    assert ilk.distance("chebyshev", weights=[1e-200, 1e200]).between([0, 0], [2, 1]) == 2
