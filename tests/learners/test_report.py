"""What a learned metric does to the error of the nearest neighbour."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import ilk
from ilk_learners.metric_learners.linear import MOST_QUERIES, MetricWarning, report

OWNER = ilk.metric_learner("nca")


def _data(n=80):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 3))
    X[:, 0] += 2 * y
    return X, y


def test_is_the_leave_one_out_error():
    X, y = _data()
    Z = X * [1, 0.1, 0.1]
    found = report(OWNER, X, Z, y)
    for rows, error in ((X, found.before), (Z, found.after)):
        right = cross_val_score(KNeighborsClassifier(1), rows, y, cv=LeaveOneOut())
        assert error == pytest.approx(1 - right.mean())
    assert found.n_queries == 80


def test_numbers_are_compared_by_their_squares():
    X = np.array([[0.0], [1.0], [3.0]])
    found = report(OWNER, X, X, np.array([0.5, 1.5, 4.0]))
    assert found.before == found.after == pytest.approx((1 + 1 + 2.5**2) / 3)


def test_duplicates_are_others():
    X = np.array([[0.0], [0.0], [5.0], [5.0]])
    assert report(OWNER, X, X, np.array([0, 1, 0, 1])).before == 1
    assert report(OWNER, X, X, np.array([0, 0, 1, 1])).before == 0


def test_worse_is_told_and_better_is_not():
    X, y = _data()
    with pytest.warns(MetricWarning, match="nca: the learned metric is worse"):
        report(OWNER, X, X * [0, 1, 1], y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report(OWNER, X * [1, 9, 9], X, y)
        report(OWNER, X, X, y)


def test_many_rows_are_sampled_evenly():
    X, y = _data(3 * MOST_QUERIES)
    found = report(OWNER, X, X, y)
    assert found.n_queries == MOST_QUERIES
    everyone = cross_val_score(KNeighborsClassifier(1), X, y, cv=5).mean()
    assert found.before == pytest.approx(1 - everyone, abs=0.08)
