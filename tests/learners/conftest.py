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


@pytest.fixture
def shrunk_region():
    """Neighbours and weights by a region that shrinks, written with lists and sorting only."""

    def shrunk(X, y, q, k, relevance, *, single, n_neighbors=40, L=20, share=0.8, left_out=None):
        region = [j for j in range(len(X)) if j != left_out]
        weights = [1 / len(q)] * len(q)
        stop = max(n_neighbors, k)

        def under_weights(j):
            total = 0.0
            for w, x, z in zip(weights, X[j], q, strict=True):
                total += w * ((x - z) * (x - z))
            return total

        def along(f):
            return lambda j: abs(X[j][f] - q[f])

        while True:
            few = max(min(L, len(region) // 2), 1)
            found, total = [], 0.0
            for f in range(len(q)):
                reach = sorted(map(along(f), region))[few - 1]
                near = [y[j] for j in region if along(f)(j) <= reach]
                beyond = [y[j] for j in region if along(f)(j) > reach]
                found.append(relevance(near, beyond) if beyond else 0.0)
                total += found[-1]
            if total > 0:
                weights = [value / total for value in found]
            how = along(weights.index(max(weights))) if single and total > 0 else under_weights
            kept = min(max(stop, int(share * len(region))), len(region))
            region = sorted(sorted(region, key=lambda j: (how(j), j))[:kept])
            if len(region) <= stop:
                break
        nearest = sorted(region, key=lambda j: (under_weights(j), j))[:k]
        return nearest, [under_weights(j) ** 0.5 for j in nearest], weights

    return shrunk


@pytest.fixture
def switched():
    """Rows of twelve features: the first one says which of two others tells the class."""

    def draw(m):
        X = rng.uniform(-1, 1, size=(m, 12))
        return X, np.where(np.where(X[:, 0] < 0, X[:, 1], X[:, 2]) > 0, "above", "below")

    rng = np.random.default_rng(0)
    return *draw(300), *draw(600)
