"""BoostML1 and BoostML2: relevances by hand, the printed algorithms written out, what they do."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ilk
from cases import in_one_test

BOTH = pytest.mark.parametrize("name", ["boostml1", "boostml2"])


def boostml(name, **params):
    return ilk.metric_learner(name, report=False, **params)


def relevance(near, beyond, kappa=0.01):
    """Equation (6.6), of the labels of near rows and of those beyond."""

    def share(labels, c):
        return labels.count(c) / len(labels) + kappa

    total = 0.0
    for c in sorted({*near, *beyond}):
        total += abs(0.5 * math.log(share(near, c) / share(beyond, c)))
    return total


def in_order(distances, rows):
    """Rows by their distances; distances that only rounding tells apart tie."""
    return [row for _, row in sorted(zip(np.round(distances, 10).tolist(), rows, strict=True))]


def same_as_written_out(shrunk_region, name, X, y, Q, k, params):
    learner = boostml(name, **params).fit(X, y)
    near, where = learner.kneighbors(Q, k)
    options = dict(params, single=name == "boostml1", share=params.get("zeta", 0.8))
    options.pop("zeta", None)
    for i, q in enumerate(Q):
        rows, distances, _ = shrunk_region(X.tolist(), list(y), q.tolist(), k, relevance, **options)
        assert in_order(near[i], where[i]) == in_order(distances, rows)
        np.testing.assert_allclose(near[i], distances, rtol=1e-12, atol=1e-12)
        *_, weights = shrunk_region(X.tolist(), list(y), q.tolist(), 1, relevance, **options)
        np.testing.assert_allclose(learner.local_metric(q), weights, rtol=1e-12, atol=1e-15)


class TestWrittenOut:
    @in_one_test
    @BOTH
    @pytest.mark.parametrize(
        "params",
        [{}, {"n_neighbors": 1}, {"n_neighbors": 7, "L": 5, "zeta": 0.5}, {"L": 60, "zeta": 0.95}],
    )
    def test_normal_data(self, shrunk_region, blobs, name, params):
        X, y, Q = blobs
        same_as_written_out(shrunk_region, name, X, y.tolist(), Q[:6], 5, params)

    @BOTH
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(data=st.data())
    def test_ties(self, shrunk_region, name, data):
        n, p = data.draw(st.integers(2, 14)), data.draw(st.integers(1, 3))
        cells = st.lists(st.integers(0, 3), min_size=n * p, max_size=n * p)
        X = np.array(data.draw(cells), dtype=float).reshape(n, p)
        labels = st.lists(st.integers(0, 1), min_size=n, max_size=n)
        y = data.draw(labels.filter(lambda values: len(set(values)) > 1))
        params = {
            "n_neighbors": data.draw(st.integers(1, 5)),
            "L": data.draw(st.integers(1, 4)),
            "zeta": data.draw(st.sampled_from([0.3, 0.5, 0.8])),
        }
        k = data.draw(st.integers(1, n))
        same_as_written_out(shrunk_region, name, X, y, X[:2] + 0.5, k, params)
        same_as_written_out(shrunk_region, name, X, y, X[:2], k, params)


class TestByHand:
    def test_relevance(self):
        """Three rows near: all of class a along feature 0, two to one along feature 1."""
        X = [[0, 3], [1, 0], [2, 2], [7, 1], [8, 3], [9, 0]]
        weights = boostml("boostml2").fit(X, list("aaabbb")).local_metric([1, 0])
        first = math.log(1.01 / 0.01)
        # near along feature 1: rows 1, 5, 3; beyond: 0, 2, 4; so a is 1/3 and 2/3
        second = math.log((2 / 3 + 0.01) / (1 / 3 + 0.01))
        np.testing.assert_allclose(weights, [first / (first + second), second / (first + second)])

    def test_kappa(self):
        X = [[0, 3], [1, 0], [2, 2], [7, 1], [8, 3], [9, 0]]
        weights = boostml("boostml2", kappa=1.0).fit(X, list("aaabbb")).local_metric([1, 0])
        first, second = math.log(2 / 1), math.log((2 / 3 + 1) / (1 / 3 + 1))
        np.testing.assert_allclose(weights[0], first / (first + second))

    def test_a_cut_keeps_what_is_near_along_the_first_of_equally_relevant_features(self):
        """Rows 3 and 5 are near the query, but not along feature 0."""
        X = [[0.0, 9.0], [0.1, 8.0], [2.0, 0.0], [2.1, 0.0], [2.2, 9.0], [2.3, 0.1]]
        learner = boostml("boostml1", n_neighbors=3, zeta=0.5).fit(X, list("aabbbb"))
        near, where = learner.kneighbors([[0.9, 0.0]], 3)
        assert where.tolist() == [[2, 1, 0]]
        weights = learner.local_metric([0.9, 0.0])
        assert weights.tolist() == [0.5, 0.5]
        np.testing.assert_allclose(near[0, 1] ** 2, 0.5 * (0.8**2 + 8**2))


class TestSmallRegions:
    @BOTH
    def test_nothing_is_relevant(self, name):
        """Classes are the same everywhere along each feature: all features count the same."""
        X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
        learner = boostml(name).fit(X, [0, 1, 1, 0])
        assert learner.local_metric([0.2, 0.1]).tolist() == [0.5, 0.5]
        assert learner.kneighbors([[0.2, 0.1]], 4)[1].tolist() == [[0, 2, 1, 3]]

    @BOTH
    def test_two_rows(self, name):
        learner = boostml(name).fit([[0.0, 5.0], [1.0, 5.0]], ["a", "b"])
        near, where = learner.kneighbors([[0.4, 5.0]], 2)
        assert where.tolist() == [[0, 1]]
        np.testing.assert_allclose(near, [[0.4, 0.6]])
        assert learner.local_metric([0.4, 5.0]).tolist() == [1.0, 0.0]

    @BOTH
    def test_constant_feature_counts_for_nothing(self, blobs, name):
        X, y, Q = blobs
        more = np.insert(X, 1, 7.0, axis=1), np.insert(Q, 1, 7.0, axis=1)
        learner, plain = boostml(name).fit(more[0], y), boostml(name).fit(X, y)
        assert learner.local_metric(more[1][0])[1] == 0
        for got, expected in zip(
            learner.kneighbors(more[1], 3), plain.kneighbors(Q, 3), strict=True
        ):
            assert np.array_equal(got, expected)

    @BOTH
    def test_more_neighbours_than_the_region_has(self, blobs, name):
        X, y, Q = blobs
        learner = boostml(name, n_neighbors=3, L=5).fit(X, y)
        near, where = learner.kneighbors(Q, 120)
        assert all(sorted(row) == list(range(120)) for row in where.tolist())
        assert (np.diff(near, axis=1) >= 0).all()

    @BOTH
    def test_equal_rows_by_lower_index(self, name):
        X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 4, axis=0)
        learner = boostml(name, n_neighbors=1).fit(X, [0, 0, 0, 1, 1, 1, 1, 1])
        near, where = learner.kneighbors([[0.1, 0.9]], 6)
        assert where.tolist() == [[0, 1, 2, 3, 4, 5]]
        assert near[0, 0] == near[0, 3] < near[0, 4] == near[0, 5]


class TestInvariance:
    @BOTH
    def test_fewer_neighbours_are_the_first_ones(self, blobs, name):
        """Up to n_neighbors all are ranked by the metric that local_metric tells."""
        X, y, Q = blobs
        learner = boostml(name, n_neighbors=30).fit(X, y)
        near, where = learner.kneighbors(Q, 30)
        for k in (1, 5, 12):
            some = learner.kneighbors(Q, k)
            assert np.array_equal(some[0], near[:, :k])
            assert np.array_equal(some[1], where[:, :k])
        for q, distances, rows in zip(Q, near, where, strict=True):
            expected = ((X[rows] - q) ** 2 @ learner.local_metric(q)) ** 0.5
            np.testing.assert_allclose(distances, expected, rtol=1e-12)

    @BOTH
    def test_weights_do_not_depend_on_where_zero_is(self, blobs, name):
        X, y, Q = (np.round(part * 64) for part in blobs)
        learner, moved = boostml(name).fit(X, y), boostml(name).fit(X + 4096, y)
        for got, expected in zip(
            moved.kneighbors(Q + 4096, 4), learner.kneighbors(Q, 4), strict=True
        ):
            assert np.array_equal(got, expected)

    @in_one_test
    @BOTH
    @pytest.mark.parametrize("exponent", [-900, -40, 40, 900])
    def test_one_unit_for_all_features(self, blobs, name, exponent):
        X, y, Q = blobs
        near, where = boostml(name).fit(X, y).kneighbors(Q, 4)
        scaled = boostml(name).fit(np.ldexp(X, exponent), y)
        again, rows = scaled.kneighbors(np.ldexp(Q, exponent), 4)
        assert np.array_equal(rows, where)
        np.testing.assert_allclose(np.ldexp(again, -exponent), near, rtol=1e-14)

    def test_regions_of_boostml1_do_not_depend_on_units_of_features(self, blobs):
        X, y, Q = blobs
        units = np.array([1024.0, 1.0, 1 / 128])
        expected = boostml("boostml1").fit(X, y).kneighbors(Q, 40)[1]
        got = boostml("boostml1").fit(X * units, y).kneighbors(Q * units, 40)[1]
        assert np.array_equal(np.sort(got), np.sort(expected))

    @BOTH
    def test_order_of_rows(self, blobs, name):
        X, y, Q = blobs
        expected = boostml(name).fit(X, y).kneighbors(Q, 4)[1]
        order = np.random.default_rng(0).permutation(len(X))
        shuffled = boostml(name).fit(X[order], y[order]).kneighbors(Q, 4)[1]
        assert np.array_equal(order[shuffled], expected)

    def test_order_of_features(self, blobs):
        X, y, Q = blobs
        expected = boostml("boostml2").fit(X, y).kneighbors(Q, 4)[1]
        turned = boostml("boostml2").fit(X[:, ::-1], y).kneighbors(Q[:, ::-1], 4)[1]
        assert np.array_equal(turned, expected)
