"""Small fits keep BLAS to one thread; large ones leave it as it is."""

from contextlib import contextmanager

import numpy as np
import pytest
import scipy.optimize

import ilk
from ilk_learners import numerics
from ilk_learners.classifiers import gp, logistic
from ilk_learners.gaussian_processes import triangles
from ilk_learners.regressors import gp as gp_regressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
y = (X[:, 0] + 0.3 * RNG.normal(size=30) > 0).astype(int)


@pytest.fixture
def seen(monkeypatch):
    """The limit, or None, at each factor of a covariance and at each logistic fit."""
    found, limits = [], [None]

    @contextmanager
    def limited(n):  # whatever BLAS there is, and however many processors
        limits.append(n)
        yield
        limits.pop()

    def watched(function):
        def call(*args, **kwargs):
            found.append(limits[-1])
            return function(*args, **kwargs)

        return call

    monkeypatch.setattr(numerics, "library_threads", limited)
    monkeypatch.setattr(triangles, "factor", watched(triangles.factor))
    monkeypatch.setattr(scipy.optimize, "minimize", watched(scipy.optimize.minimize))
    yield found
    assert limits == [None]


@pytest.mark.parametrize(
    ("make", "home", "name"),
    [
        (lambda: ilk.classifier("gp"), gp, "SMALL"),
        (lambda: ilk.classifier("gp", optimize="ard"), gp, "SMALL"),
        (lambda: ilk.regressor("gp", optimize="ard"), gp_regressor, "SMALL"),
        (lambda: ilk.classifier("logistic"), logistic, "_SMALL"),
    ],
    ids=["gp", "gp-ard", "gp-regressor", "logistic"],
)
def test_small_fits_have_one_thread(seen, monkeypatch, make, home, name):
    make().fit(X, y)
    assert set(seen) == {1}
    seen.clear()
    monkeypatch.setattr(home, name, 10)
    make().fit(X, y)
    assert set(seen) == {None}
