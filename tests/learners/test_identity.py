"""identity."""

import numpy as np
import pytest

import ilk

pytestmark = pytest.mark.filterwarnings("ignore::ilk_learners.metric_learners.linear.MetricWarning")


def test_keeps_everything_to_the_last_bit():
    X = np.random.default_rng(0).normal(size=(9, 4)) * 1e300
    learner = ilk.metric_learner("identity").fit(X)
    assert np.array_equal(learner.transform(X), X)
    assert np.array_equal(learner.metric_matrix_, np.eye(4))
    assert not np.shares_memory(learner.transform(X), X)


def test_keeps_the_first_features():
    X = np.arange(12.0).reshape(4, 3)
    learner = ilk.metric_learner("identity", n_components=2).fit(X)
    assert np.array_equal(learner.transform(X), X[:, :2])
    assert np.array_equal(learner.components_, [[1, 0, 0], [0, 1, 0]])


def test_is_the_euclidean_distance(blobs):
    X, y, Q = blobs
    learner = ilk.metric_learner("identity").fit(X, y)
    expected = ilk.distance("euclidean").pairwise(Q, X)
    assert np.array_equal(learner.distance().pairwise(Q, X), expected)
    assert learner.report_.before == learner.report_.after


def test_more_components_than_features():
    with pytest.raises(ilk.InputError, match="identity: n_components must be at most 2.*got 3"):
        ilk.metric_learner("identity", n_components=3).fit(np.eye(2))


def test_one_row():
    assert ilk.metric_learner("identity").fit([[1.0, 2.0]], ["a"]).report_ is None
