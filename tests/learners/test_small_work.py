"""Small fits keep BLAS to one thread; large ones leave it as it is."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import ilk
from ilk_learners.classifiers import gp, logistic
from ilk_learners.gaussian_processes import triangles
from ilk_learners.regressors import gp as gp_regressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
y = (X[:, 0] + 0.3 * RNG.normal(size=30) > 0).astype(int)


def blas_threads():
    return {p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"}


@pytest.fixture
def seen(monkeypatch):
    """The limits at each factor of a covariance and at each logistic fit, with 3 outside."""
    found = []

    def watched(function):
        def call(*args, **kwargs):
            found.append(blas_threads())
            return function(*args, **kwargs)

        return call

    monkeypatch.setattr(triangles, "factor", watched(triangles.factor))
    solver = logistic.LogisticRegression
    monkeypatch.setattr(solver, "fit", watched(solver.fit))
    with threadpool_limits(3):
        if blas_threads() != {3}:
            pytest.skip("BLAS takes no limit here")
        yield found
        assert blas_threads() == {3}


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
    assert seen
    assert all(limits == {1} for limits in seen)
    seen.clear()
    monkeypatch.setattr(home, name, 10)
    make().fit(X, y)
    assert seen
    assert all(limits == {3} for limits in seen)
