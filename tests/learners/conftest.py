"""Components made for the tests of the learners."""

import numpy as np
import pytest

import ilk


class Weighted(ilk.LocalMetric):
    """A local metric: the feature in which the query is largest counts a hundred times."""

    def fit(self, X, y):
        self.X_ = np.asarray(X)
        return self

    def local_metric(self, x):
        return np.where(np.arange(len(x)) == np.argmax(x), 100.0, 1.0)

    def kneighbors(self, Q, k):
        distances = np.array([((self.X_ - q) ** 2 @ self.local_metric(q)) ** 0.5 for q in Q])
        order = np.argsort(distances, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(distances, order, axis=1), order


class Linear(ilk.Kernel):
    """The inner product."""

    def gram(self, X, Y=None):
        return np.asarray(X) @ np.asarray(X if Y is None else Y).T


def _registered(kind, name, cls):
    registry = ilk.registry(kind)
    registry.register(name, cls)
    yield cls
    registry.unregister(name)


@pytest.fixture
def local_metric():
    yield from _registered("metric_learner", "weighted", Weighted)


@pytest.fixture
def linear_kernel():
    yield from _registered("kernel", "linear_for_tests", Linear)


@pytest.fixture
def blobs():
    """Three overlapping classes of 40 points in 3 dimensions, and 30 queries."""
    rng = np.random.default_rng(5)
    y = np.repeat([2, -1, 7], 40)
    X = rng.normal(size=(120, 3)) + np.repeat(rng.normal(size=(3, 3)), 40, axis=0)
    return X, y, rng.normal(size=(30, 3))
