"""The scythe beside its algorithm written out."""

from fractions import Fraction

import numpy as np
import pytest

import ilk


def scythe(**params):
    return ilk.metric_learner("scythe", report=False, **params)


def relevance(near, beyond):
    region = near + beyond
    total = Fraction(0)
    for c in set(region):
        share = Fraction(region.count(c), len(region))
        total += (share - Fraction(near.count(c), len(near))) ** 2
    return float(total)


@pytest.mark.parametrize(
    "params", [{}, {"n_neighbors": 1}, {"n_neighbors": 7, "L": 5, "shrink": 0.5}]
)
def test_written_out(shrunk_region, blobs, params):
    X, y, Q = blobs
    learner = scythe(**params).fit(X, y)
    near, where = learner.kneighbors(Q[:6], 5)
    options = {("share" if name == "shrink" else name): v for name, v in params.items()}
    for i, q in enumerate(Q[:6].tolist()):
        rows, distances, _ = shrunk_region(
            X.tolist(), y.tolist(), q, 5, relevance, single=False, **options
        )
        assert where[i].tolist() == rows
        np.testing.assert_allclose(near[i], distances, rtol=1e-12)


def test_every_feature_has_a_say():
    """The machete keeps what is near along feature 0; row 3 is near along both together."""
    X = [[0.0, 9.0], [0.1, 8.0], [2.0, 0.0], [2.1, 0.0], [2.2, 9.0], [2.3, 0.1]]
    y, q = list("aabbbb"), [[0.9, 0.0]]
    options = {"n_neighbors": 3, "shrink": 0.5}
    assert sorted(scythe(**options).fit(X, y).kneighbors(q, 3)[1][0].tolist()) == [2, 3, 5]
    other = ilk.metric_learner("machete", report=False, **options).fit(X, y)
    assert sorted(other.kneighbors(q, 3)[1][0].tolist()) == [0, 1, 2]


def test_order_of_features(blobs):
    X, y, Q = blobs
    expected = scythe().fit(X, y).kneighbors(Q, 4)[1]
    turned = scythe().fit(X[:, ::-1], y).kneighbors(Q[:, ::-1], 4)[1]
    assert np.array_equal(turned, expected)
