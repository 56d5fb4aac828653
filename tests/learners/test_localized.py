"""localized beside the learner fitted by hand around each query."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import ilk
from ilk_learners.metric_learners.linear import MetricWarning


def localized(learner="rca", **params):
    return ilk.metric_learner("localized", learner=learner, report=False, **params)


@pytest.mark.parametrize(
    ("learner", "n_neighbors"),
    [("rca", 50), ("rca", 500), ("lda", 30), ("lfda", 40), ({"use": "pca", "n_components": 2}, 15)],
)
def test_written_out(blobs, learner, n_neighbors):
    X, y, Q = blobs
    local = localized(learner, n_neighbors=n_neighbors).fit(X, y)
    near, where = local.kneighbors(Q[:10], 5)
    for i, q in enumerate(Q[:10]):
        around = np.sort(np.argsort(np.sum((X - q) ** 2, axis=1), kind="stable")[:n_neighbors])
        single = ilk.make("metric_learner", learner) if isinstance(learner, str) else None
        single = single or ilk.metric_learner("pca", n_components=2)
        single.set_params(report=False).fit(X[around], y[around])
        A = single.metric_matrix_
        np.testing.assert_allclose(local.local_metric(q), A, rtol=1e-9, atol=1e-12)
        d = np.linalg.norm(single.transform(X[around]) - single.transform(q[None]), axis=1)
        assert where[i].tolist() == around[np.argsort(d, kind="stable")[:5]].tolist()
        np.testing.assert_allclose(near[i], np.sort(d)[:5], rtol=1e-9, atol=1e-9)


def test_more_neighbors_than_the_region_has(blobs):
    """As many rows are ranked, but the metric is that of the region."""
    X, y, Q = blobs
    learner = localized(n_neighbors=20).fit(X, y)
    near, where = learner.kneighbors(Q[:3], 120)
    for q, distances, rows in zip(Q, near, where, strict=False):
        assert sorted(rows.tolist()) == list(range(120))
        d = X[rows] - q
        A = learner.local_metric(q)
        expected = np.sqrt(np.einsum("nf,fg,ng->n", d, A, d))
        np.testing.assert_allclose(distances, expected, rtol=1e-9)


def test_one_class_around_is_euclidean():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 100])
    learner = localized(n_neighbors=20).fit(X, np.repeat(["a", "b"], 30))
    assert np.array_equal(learner.local_metric([0.0, 0.0]), np.eye(2))
    near, where = learner.kneighbors([[0.0, 0.0]], 4)
    expected = np.sqrt(np.sum(X**2, axis=1))
    assert where[0].tolist() == np.argsort(expected)[:4].tolist()
    np.testing.assert_allclose(near[0], np.sort(expected)[:4])


def test_learner_that_refuses_is_euclidean_and_says_so():
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]), ["a", "b", "c"]
    learner = localized().fit(X, y)
    with pytest.warns(MetricWarning, match=r"localized: the learner rejects .* Euclidean: rca: "):
        near, where = learner.kneighbors([[0.1, 0.0]], 3)
    assert where.tolist() == [[0, 1, 2]]
    np.testing.assert_allclose(near, [[0.1, 0.9, np.hypot(0.1, 2)]])


def test_equal_rows_by_lower_index(blobs):
    X, y, Q = blobs
    learner = localized().fit(np.vstack([X, X]), np.r_[y, y])
    near, where = learner.kneighbors(Q, 4)
    assert np.array_equal(where[:, 1], where[:, 0] + 120)
    assert np.array_equal(near[:, 0], near[:, 1])


def test_frozen_learner_is_the_same_everywhere(blobs):
    X, y, Q = blobs
    rca = ilk.metric_learner("rca", report=False).fit(X, y)
    learner = localized(ilk.frozen(rca), n_neighbors=120).fit(X, y)
    np.testing.assert_allclose(learner.local_metric(Q[0]), rca.metric_matrix_, rtol=1e-12)
    d = np.linalg.norm(rca.transform(X)[None] - rca.transform(Q)[:, None], axis=2)
    assert np.array_equal(learner.kneighbors(Q, 3)[1], np.argsort(d, axis=1)[:, :3])
    few = localized(ilk.frozen(rca)).fit(X[:, :2], y)
    with pytest.raises(ilk.InputError, match="localized: the learner is frozen, and for 3"):
        few.kneighbors(Q[:, :2], 1)


def test_learner_that_draws_does_so_the_same_way_for_each_query(blobs):
    X, y, Q = blobs
    options = {"learner": {"use": "itml", "max_iter": 2}, "n_neighbors": 12, "random_state": 0}
    learner = localized(**options).fit(X, y)
    assert learner.learner_.random_state is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        metrics = [learner.local_metric(Q[0]) for _ in range(2)]
        again = localized(**options).fit(X, y).local_metric(Q[0])
    assert np.array_equal(*metrics)
    assert np.array_equal(metrics[0], again)


def test_local_metric_is_no_learner_here(blobs):
    with pytest.raises(ilk.ParameterError, match="localized: learner must have a linear map, got"):
        localized("machete").fit(*blobs[:2])


def test_unknown_learner(blobs):
    with pytest.raises(ilk.ParameterError, match="did you mean 'rca'"):
        localized("rcaa").fit(*blobs[:2])


def test_map_that_no_number_holds(blobs):
    X, y, Q = blobs
    learner = localized().fit(X * 1e-300, y)
    with pytest.raises(ilk.InputError, match="localized: a distance has infinity"):
        learner.kneighbors(Q * 1e-300, 1)
