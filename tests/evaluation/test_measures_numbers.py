"""Measures of predicted numbers, of outliers and of clusters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn import metrics

import ilk

CLASSES = np.array(["inlier", "outlier"])


def numbers(truth, labels):
    truth, labels = np.asarray(truth, float), np.asarray(labels, float)
    return ilk.Prediction(truth, labels, np.array([]), predictor="regressor")


def ranked(outliers, scores):
    truth, s = CLASSES[np.asarray(outliers, int)], np.asarray(scores, float)
    return ilk.Prediction(truth, truth, CLASSES, scores=np.column_stack([-s, s]))


@given(st.integers(0, 10**6), st.integers(3, 30), st.booleans())
def test_numbers_agree_with_other_libraries(seed, n, ties):
    rng = np.random.default_rng(seed)
    truth, labels = rng.normal(size=(2, n))
    if ties:
        truth, labels = np.append(0, truth.round()), np.append(1, labels.round())
        truth[-1], labels[-1] = 3, 4
    expected = {
        "rmse": metrics.root_mean_squared_error(truth, labels),
        "absolute_error": metrics.mean_absolute_error(truth, labels),
        "r2": metrics.r2_score(truth, labels),
        "rank_correlation": spearmanr(truth, labels).statistic,
    }
    for name, value in expected.items():
        assert ilk.measure(name)(numbers(truth, labels)) == pytest.approx(value, abs=1e-12), name


def test_numbers_by_hand():
    prediction = numbers([1, 2, 3, 6], [2, 2, 3, 3])  # errors 1, 0, 0, 3; mean 3
    assert ilk.measure("rmse")(prediction) == pytest.approx(np.sqrt(10 / 4))
    assert ilk.measure("absolute_error")(prediction) == 1
    assert ilk.measure("r2")(prediction) == pytest.approx(1 - 10 / 14)
    # ranks 1, 2, 3, 4 and 1.5, 1.5, 3.5, 3.5: covariance 4, variances 5 and 4
    assert ilk.measure("rank_correlation")(prediction) == pytest.approx(4 / np.sqrt(20))


@pytest.mark.parametrize("name", ["r2", "rank_correlation"])
def test_what_has_no_spread_is_not_defined(name):
    with pytest.raises(ilk.InputError, match=rf"{name}: not defined, as the truth .* pooled"):
        ilk.measure(name)(numbers([2, 2], [1, 3]))
    if name == "rank_correlation":
        with pytest.raises(ilk.InputError, match="all predictions are the same number"):
            ilk.measure(name)(numbers([1, 3], [2, 2]))


def test_precision_at_n():
    measure = ilk.measure("precision_at_n")
    assert measure(ranked([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])) == 0.5  # of the two highest
    assert ilk.measure("precision_at_n", n=3)(ranked([1, 0, 1, 0], [4, 3, 2, 1])) == 2 / 3
    # the second place is one of three equal ones, of which one is an outlier
    assert measure(ranked([1, 1, 0, 0, 0], [5, 2, 2, 2, 1])) == pytest.approx((1 + 1 / 3) / 2)
    with pytest.raises(ilk.ParameterError, match="n must be at most 2 answered cases, got 3"):
        ilk.measure("precision_at_n", n=3)(ranked([1, 0], [1, 2]))


def test_clusters_against_classes():
    truth, clusters = np.array(list("aaabbb")), np.array([0, 0, 1, 1, 2, -1])
    prediction = ilk.Prediction(truth, clusters, np.array(["a", "b"]), predictor="clusterer")
    # pairs: 1 together in both; 2 within clusters, 6 within classes, 15 in all
    expected = 2 * 6 / 15
    assert ilk.measure("adjusted_rand")(prediction) == pytest.approx(
        (1 - expected) / ((2 + 6) / 2 - expected)
    )
    assert ilk.measure("adjusted_mutual_information")(prediction) == pytest.approx(
        metrics.adjusted_mutual_info_score(truth, clusters)
    )
    with pytest.raises(ilk.InputError, match="silhouette: there are no silhouettes"):
        ilk.measure("silhouette")(prediction)
