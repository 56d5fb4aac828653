"""ADAMENN beside its formulas written out with lists, and what small regions do."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test


def adamenn(**params):
    return ilk.metric_learner("adamenn", report=False, **params)


def nearest(X, q, weights, k, rows):
    def key(j):
        total = 0.0
        for w, x, z in zip(weights, X[j], q, strict=True):
            total += w * ((x - z) * (x - z))
        return total, j

    return sorted(rows, key=key)[:k]


def loss(X, y, z, f, near, within, L):
    """r_f(z) of the errata, of row z."""
    reach = sorted(abs(X[j][f] - X[z][f]) for j in within)[L - 1]
    slab = [j for j in within if abs(X[j][f] - X[z][f]) <= reach]
    total = 0.0
    for c in sorted(set(y)):
        here = sum(y[j] == c for j in near) / len(near)
        alone = sum(y[j] == c for j in slab) / len(slab)
        total += (here - alone) ** 2 / (alone or 1 / (2 * len(slab)))
    return total


def written_out(X, y, q, K0=40, K1=1, K2=50, L=20, M=1, c=5.0, left_out=None):
    rows = [j for j in range(len(X)) if j != left_out]
    K0, K1, K2, L = (min(size, len(rows)) for size in (K0, K1, K2, L))
    p = len(q)
    weights = [1 / p] * p
    for _ in range(M):
        losses = [0.0] * p
        for z in nearest(X, q, weights, K0, rows):
            within = nearest(X, X[z], weights, K2, rows)
            for f in range(p):
                losses[f] += loss(X, y, z, f, within[:K1], within, L) / K0
        worst = max(losses)
        grown = [math.exp(c * (worst - r)) for r in losses]
        weights = [value / sum(grown) for value in grown]
    return weights


VARIANTS = pytest.mark.parametrize(
    "params",
    [
        {},
        {"K0": 1, "K1": 1, "K2": 1, "L": 1},
        {"K0": 7, "K1": 3, "K2": 20, "L": 5, "M": 3, "c": 2.0},
        {"K0": 500, "K1": 30, "K2": 500, "L": 400},
    ],
)


class TestWrittenOut:
    @in_one_test
    @VARIANTS
    def test_normal_data(self, blobs, params):
        X, y, Q = blobs
        learner = adamenn(**params).fit(X, y)
        near, where = learner.kneighbors(Q[:4], 6)
        for i, q in enumerate(Q[:4]):
            weights = np.array(written_out(X.tolist(), y.tolist(), q.tolist(), **params))
            np.testing.assert_allclose(learner.local_metric(q), weights, rtol=1e-9)
            d = np.sqrt((X - q) ** 2 @ weights)
            assert where[i].tolist() == np.argsort(d, kind="stable")[:6].tolist()
            np.testing.assert_allclose(near[i], d[where[i]], rtol=1e-9)

    @in_one_test
    @VARIANTS
    def test_row_left_out(self, blobs, params):
        X, y, _ = blobs
        learner = adamenn(**params).fit(X, y)
        for i in (0, 50):
            got = learner._metrics(learner._scaled(X[i : i + 1]), np.array([i]))[0]
            weights = written_out(X.tolist(), y.tolist(), X[i].tolist(), left_out=i, **params)
            np.testing.assert_allclose(got, weights, rtol=1e-9)

    @given(data=st.data())
    def test_ties(self, data):
        n, p = data.draw(st.integers(2, 14)), data.draw(st.sampled_from([1, 2, 4]))
        cells = st.lists(st.integers(0, 3), min_size=n * p, max_size=n * p)
        X = np.array(data.draw(cells), dtype=float).reshape(n, p)
        labels = st.lists(st.integers(0, 2), min_size=n, max_size=n)
        y = data.draw(labels.filter(lambda values: len(set(values)) > 1))
        K2 = data.draw(st.integers(1, 8))
        params = {
            "K0": data.draw(st.integers(1, 6)),
            "K1": data.draw(st.integers(1, K2)),
            "K2": K2,
            "L": data.draw(st.integers(1, K2)),
        }
        learner = adamenn(**params).fit(X, y)
        for q in (X[0], X[1] + 0.5):
            expected = written_out(X.tolist(), y, q.tolist(), **params)
            np.testing.assert_allclose(learner.local_metric(q), expected, rtol=1e-9)


class TestByHand:
    def test_loss(self):
        """The row at 0 is of class a; along feature 0 so are 3 of 4, along feature 1 one of 4."""
        X = [[0.0, 0.0], [1.0, 9.0], [2.0, 8.0], [3.0, 7.0], [9.0, 1.0], [8.0, 2.0], [7.0, 3.0]]
        y = list("aaabbbb")
        options = {"K0": 1, "K1": 1, "K2": 7, "L": 4, "c": 0.5}
        weights = adamenn(**options).fit(X, y).local_metric([0.0, 0.0])
        first = (1 / 4) ** 2 / (3 / 4) + (1 / 4) ** 2 / (1 / 4)
        second = (3 / 4) ** 2 / (1 / 4) + (3 / 4) ** 2 / (3 / 4)
        assert weights[1] / weights[0] == pytest.approx(math.exp(-0.5 * (second - first)))

    def test_class_of_which_none_is_along_a_feature(self):
        X, y = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]], list("abb")
        options = {"K0": 1, "K1": 3, "K2": 3, "L": 1, "c": 1.0}
        weights = adamenn(**options).fit(X, y).local_metric([0.0, 0.0])
        # along feature 0 only the row itself: 1 of class a, none of b, half a row below
        first = (2 / 3) ** 2 / 1 + (2 / 3) ** 2 / (1 / 2)
        assert weights[0] / weights[1] == pytest.approx(math.exp(-first))

    def test_nothing_matters(self, blobs):
        weights = adamenn(c=0.0).fit(*blobs[:2]).local_metric(blobs[2][0])
        assert weights.tolist() == [1 / 3] * 3

    def test_all_that_matters(self, blobs):
        """No overflow, however much losses matter."""
        weights = adamenn(c=1e6).fit(*blobs[:2]).local_metric(blobs[2][0])
        assert sorted(weights.tolist()) == [0.0, 0.0, 1.0]

    def test_weights_do_not_depend_on_the_unit(self, blobs):
        X, y, Q = blobs
        expected = adamenn(M=2).fit(X, y).local_metric(Q[0])
        for exponent in (-900, -40, 40, 900):
            learner = adamenn(M=2).fit(np.ldexp(X, exponent), y)
            assert np.array_equal(learner.local_metric(np.ldexp(Q[0], exponent)), expected)


def test_first_step_by_lists_is_that_by_search(blobs):
    """What `fit` has found once is what later steps find anew under equal weights."""
    X, y, Q = blobs
    once = adamenn(c=0.0).fit(X, y)
    again = adamenn(c=0.0, M=3).fit(X, y)
    assert np.array_equal(once.kneighbors(Q, 5), again.kneighbors(Q, 5))


@in_one_test
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"K1": 60}, "K1 must be at most K2 = 50, got 60"),
        ({"K2": 10}, "L must be at most K2 = 10, got 20"),
        ({"c": math.inf}, "c must be finite"),
        ({"M": 0}, "M must be"),
    ],
)
def test_parameters(blobs, params, message):
    with pytest.raises(ilk.ParameterError, match=f"adamenn: {message}"):
        adamenn(**params).fit(*blobs[:2])
