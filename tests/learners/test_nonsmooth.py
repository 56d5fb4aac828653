"""L-BFGS for functions with kinks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import rosen, rosen_der

from cases import in_one_test
from ilk_learners.metric_learners.linear import minimize_nonsmooth


def quadratic(A, centre):
    return lambda x: ((x - centre) @ A @ (x - centre), 2 * A @ (x - centre))


@given(st.integers(0, 2**31))
def test_quadratic(seed):
    rng = np.random.default_rng(seed)
    B, centre = rng.normal(size=(6, 6)), rng.normal(size=6)
    found = minimize_nonsmooth(quadratic(B @ B.T + np.eye(6), centre), np.zeros(6), 200, 1e-14)
    assert found.stopped
    assert np.allclose(found.x, centre, atol=1e-4)


def test_rosenbrock():
    found = minimize_nonsmooth(lambda x: (rosen(x), rosen_der(x)), np.zeros(5), 500, 1e-12)
    assert np.allclose(found.x, 1, atol=1e-4)


@in_one_test
@pytest.mark.parametrize("seed", range(20))
def test_kinks_at_the_minimum(seed):
    rng = np.random.default_rng(seed)
    weights, centre = rng.uniform(0.1, 10, 4), rng.normal(size=4)

    def function(x):
        return 1 + weights @ np.abs(x - centre), weights * np.sign(x - centre)

    found = minimize_nonsmooth(function, np.zeros(4), 300, 1e-12)
    assert found.curve[-1] == pytest.approx(1, abs=1e-2)  # from 4 to 30
    assert np.all(np.diff(found.curve) < 0)


def test_limits():
    function = quadratic(np.diag([1.0, 100.0, 1e4]), np.ones(3))
    short = minimize_nonsmooth(function, np.zeros(3), 3, 0.0)
    assert (len(short.curve), short.stopped) == (4, False)
    there = minimize_nonsmooth(function, np.ones(3), 3, 0.0)  # no slope
    assert (there.curve, there.stopped) == ([0.0], True)
    wrong = minimize_nonsmooth(
        lambda x: (1 + x @ x, -2 * x), np.ones(3), 3, 0.0
    )  # not its gradient
    assert (wrong.curve, wrong.stopped) == ([4.0], False)
