"""A few rows start no threads, which would take longer than the work; many rows do."""

import numpy as np
import pytest

import ilk
from ilk import parallel
from ilk_learners.metric_learners.large_margin import Impostors

RNG = np.random.default_rng(0)


def of_gaussians(n):
    X = RNG.normal(size=(n, 3))
    return ilk.kernel("rbf", sigma=1.0).gram(X)


def of_distances(n):
    X = RNG.normal(size=(n, 3))
    return ilk.distance("euclidean").pairwise(X)


def of_neighbors(n):
    X = RNG.normal(size=(n, 3))
    return ilk.distance("manhattan").kneighbors(X, X, 3)


def of_impostors(n):
    Z, margins = RNG.normal(size=(n, 2)), np.full((n, 1), 0.5)
    return Impostors(np.arange(n) * 2 // n).hinges(Z, margins).laplacian


def of_presorting(n):
    X, y = RNG.normal(size=(n, 3)), np.arange(n) % 2
    return ilk.classifier("decision_stump").fit(X, y).predict(X)


def of_stumps(n):
    X, y = RNG.normal(size=(n, 3)), np.arange(n) % 2
    return ilk.classifier("gentleboost", n_rounds=1).fit(X, y).predict(X)


@pytest.fixture
def shared(monkeypatch):
    """How often work was shared among threads."""
    found, share = [], parallel._share
    monkeypatch.setattr(
        parallel, "_share", lambda *args: (found.append(args[-1]), share(*args))[-1]
    )
    with ilk.threads(2):
        yield found


MANY = {
    of_distances: 300,
    of_neighbors: 300,
    of_gaussians: 300,
    of_impostors: 30_000,
    of_presorting: 30_000,
    of_stumps: 30_000,
}


@pytest.mark.parametrize(("work", "many"), MANY.items())
def test_threads_are_for_many_rows(shared, work, many):
    work(30)
    assert not shared
    work(many)
    assert shared
