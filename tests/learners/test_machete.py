"""The machete beside Friedman's algorithm written out, and relevances by hand."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ilk
from cases import in_one_test


def machete(**params):
    return ilk.metric_learner("machete", report=False, **params)


def relevance(near, beyond):
    """Squared differences of the classes' shares near the query and in the whole region."""
    region = near + beyond
    total = Fraction(0)
    for c in set(region):
        share = Fraction(region.count(c), len(region))
        total += (share - Fraction(near.count(c), len(near))) ** 2
    return float(total)


@in_one_test
@pytest.mark.parametrize(
    "params", [{}, {"n_neighbors": 1}, {"n_neighbors": 7, "L": 5, "shrink": 0.5}, {"L": 60}]
)
def test_written_out(shrunk_region, blobs, params):
    X, y, Q = blobs
    learner = machete(**params).fit(X, y)
    near, where = learner.kneighbors(Q[:6], 5)
    options = {("share" if name == "shrink" else name): v for name, v in params.items()}
    for i, q in enumerate(Q[:6].tolist()):
        rows, distances, _ = shrunk_region(
            X.tolist(), y.tolist(), q, 5, relevance, single=True, **options
        )
        assert where[i].tolist() == rows
        np.testing.assert_allclose(near[i], distances, rtol=1e-12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    X=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=14),
    n_neighbors=st.integers(1, 5),
    L=st.integers(1, 4),
)
def test_ties(shrunk_region, X, n_neighbors, L):
    y = [row % 2 for row in range(len(X))]
    learner = machete(n_neighbors=n_neighbors, L=L).fit(np.array(X, dtype=float), y)
    for q in ([1.0, 2.0], [0.5, 2.5]):
        rows, _, weights = shrunk_region(
            X, y, q, 3, relevance, single=True, n_neighbors=max(n_neighbors, 3), L=L
        )
        assert learner.kneighbors([q], 3)[1][0].tolist() == rows
        *_, weights = shrunk_region(
            X, y, q, 1, relevance, single=True, n_neighbors=n_neighbors, L=L
        )
        np.testing.assert_allclose(learner.local_metric(q), weights, rtol=1e-12)


def test_relevance_by_hand():
    """Shares in the region are 1/4 and 3/4, not one half each."""
    X = [[0.0, 0.0], [1.0, 5.0], [2.0, 1.0], [3.0, 6.0]]
    weights = machete(L=2).fit(X, list("abbb")).local_metric([0.0, 5.5])
    # near along feature 0: a and b; along feature 1: b and b
    first, second = 2 * (1 / 4 - 1 / 2) ** 2, 2 * (1 / 4) ** 2
    np.testing.assert_allclose(weights, [first / (first + second), second / (first + second)])


def test_frequent_class_makes_no_feature_relevant():
    """With 1/C for the shares in the region, as printed, both features would be relevant."""
    X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 3
    learner = machete(L=4).fit(X, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    assert learner.local_metric([0.0, 1.0]).tolist() == [0.5, 0.5]


def test_regions_do_not_depend_on_units_of_features(blobs):
    X, y, Q = blobs
    units = np.array([1024.0, 1.0, 1 / 128])
    expected = machete().fit(X, y).kneighbors(Q, 40)[1]
    got = machete().fit(X * units, y).kneighbors(Q * units, 40)[1]
    assert np.array_equal(np.sort(got), np.sort(expected))


@pytest.mark.parametrize("shrink", [0.0, 1.0, -0.5])
def test_share_that_is_none(shrink):
    with pytest.raises(ilk.ParameterError, match="machete: shrink must be"):
        machete(shrink=shrink).fit([[0.0], [1.0]], [0, 1])
