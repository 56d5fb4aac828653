"""Soft votes in blocks, beside sums over pairs and numeric gradients."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

import ilk
from cases import in_one_test
from ilk_learners.metric_learners import soft_votes as module
from ilk_learners.metric_learners.kernel_error import CutVotes
from ilk_learners.metric_learners.nca import LogVotes
from ilk_learners.metric_learners.soft_votes import (
    SoftVotes,
    expected_errors,
    one_column_each,
    softmax,
    squared_error,
    votes_of,
)


def _data(seed=0, n=23, p=4, classes=3, dtype=float):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(classes), rng.integers(0, classes, n - classes)])
    return rng.normal(size=(n, p)).astype(dtype), y, rng.uniform(0.3, 3, size=n).astype(dtype)


def _weights(X, L, widths):
    Z = X @ L.T if L.ndim == 2 else X * L
    K = np.exp(-widths[:, None] * cdist(Z, Z, "sqeuclidean"))
    np.fill_diagonal(K, 0)
    return K / K.sum(axis=1, keepdims=True)


def _losses(X, y, widths):
    Y = one_column_each(y, X.dtype)
    near = np.argsort(cdist(X, X), axis=1)[:, 1:8]
    return {
        "squared": SoftVotes(X, Y, squared_error(y, Y, 0.5), widths=widths),
        "expected": SoftVotes(X, Y, expected_errors(Y), widths=widths),
        "log": LogVotes(X, y, widths=widths),
        "cut": CutVotes(X, Y, squared_error(y, Y, 0.5), near, widths=widths),
        "numbers": SoftVotes(X, X[:, :1], squared_error(X[:, 0], X[:, :1], 1.0), widths=widths),
    }


def _numeric(loss, L, step=1e-5):
    gradient = np.zeros(L.shape)
    for place in np.ndindex(L.shape):
        e = np.zeros(L.shape)
        e[place] = step
        gradient[place] = (loss(L + e)[0] - loss(L - e)[0]) / (2 * step)
    return gradient


@in_one_test
@pytest.mark.parametrize("kind", ["squared", "expected", "log", "cut", "numbers"])
@pytest.mark.parametrize("shape", [(4, 4), (1, 4), (3, 4), (4,)])
def test_gradient_is_that_of_the_loss(kind, shape):
    X, y, widths = _data()
    loss = _losses(X, y, widths)[kind]
    L = np.random.default_rng(1).normal(size=shape) * 0.7
    found, expected = loss(L)[1], _numeric(loss, L)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


def test_losses_are_sums_over_pairs():
    X, y, widths = _data()
    L = np.random.default_rng(1).normal(size=(4, 4))
    P, Y = _weights(X, L, widths), one_column_each(y, float)
    own = (P * (y[:, None] == y)).sum(axis=1)
    losses = _losses(X, y, widths)
    assert losses["squared"](L)[0] == pytest.approx(0.5 * np.sum((P @ Y - Y) ** 2))
    assert losses["expected"](L)[0] == pytest.approx(np.sum(1 - own))
    assert losses["log"](L)[0] == pytest.approx(-np.sum(np.log(own)))
    np.testing.assert_allclose(losses["squared"].votes(L), P @ Y, atol=1e-14)


def test_cut_with_all_others_is_the_whole_sum():
    X, y, widths = _data()
    Y = one_column_each(y, float)
    others = np.array([[j for j in range(len(X)) if j != i] for i in range(len(X))])
    cut = CutVotes(X, Y, squared_error(y, Y, 0.5), others, widths=widths)
    for L in (np.random.default_rng(2).normal(size=(2, 4)), np.arange(1.0, 5)):
        loss, gradient = _losses(X, y, widths)["squared"](L)
        assert cut(L)[0] == pytest.approx(loss)
        np.testing.assert_allclose(cut(L)[1], gradient, atol=1e-12)


@pytest.mark.parametrize("kind", ["squared", "expected", "log", "cut"])
def test_blocks_and_threads_change_no_bit(kind, monkeypatch):
    X, y, widths = _data(n=300)
    L = np.random.default_rng(1).normal(size=(4, 4))
    monkeypatch.setattr(module, "_NUMBERS", 300 * 20)
    with threadpool_limits(1, user_api="blas"):
        with ilk.threads(1):
            alone = _losses(X, y, widths)[kind](L)
        with ilk.threads(2):
            shared = _losses(X, y, widths)[kind](L)
    assert alone[0] == shared[0]
    np.testing.assert_array_equal(alone[1], shared[1])


def test_block_size_changes_rounding_only(monkeypatch):
    X, y, widths = _data(n=300)
    L = np.random.default_rng(1).normal(size=(4, 4))
    whole = _losses(X, y, widths)["squared"](L)
    monkeypatch.setattr(module, "_NUMBERS", 300 * 17)
    parts = _losses(X, y, widths)["squared"](L)
    assert parts[0] == pytest.approx(whole[0])
    np.testing.assert_allclose(parts[1], whole[1], rtol=1e-10, atol=1e-10)


@in_one_test
@pytest.mark.parametrize("kind", ["squared", "expected", "log", "cut"])
def test_float32_is_near_float64(kind):
    X, y, widths = _data(n=100)
    L = np.random.default_rng(1).normal(size=(4, 4))
    double = _losses(X, y, widths)[kind](L)
    single = _losses(X.astype(np.float32), y, widths.astype(np.float32))[kind](L)
    assert single[0] == pytest.approx(double[0], rel=1e-4)
    np.testing.assert_allclose(single[1], double[1], atol=1e-4 * np.abs(double[1]).max())


def test_small_errors_are_exact_in_float32():
    X, y = np.array([[0.0], [1.0], [5.0], [6.0]]), np.array([0, 0, 1, 1])
    expected = np.sum(_weights(X, np.eye(1), np.ones(4)) * (y[:, None] != y))
    Y = one_column_each(y, np.float32)
    loss = SoftVotes(X.astype(np.float32), Y, expected_errors(Y))(np.eye(1))[0]
    assert expected < 1e-6  # less than the rounding of a vote near 1
    assert loss == pytest.approx(expected, rel=1e-4)


def test_class_of_one_member_is_left_out_of_the_logarithms():
    X = np.array([[0.0], [1.0], [2.0]])
    loss, gradient = LogVotes(X, np.array([0, 0, 1]))(np.eye(1))
    own = [1 / (1 + np.exp(-3)), 0.5]
    assert loss == pytest.approx(-np.log(own).sum())
    assert np.isfinite(gradient).all()


def test_logarithms_stay_finite_for_an_outlier():
    X = np.array([[0.0], [1.0], [1000.0], [1001.0]])
    loss, gradient = LogVotes(X, np.array([0, 1, 0, 1]))(np.eye(1))
    assert loss == pytest.approx(4 * (1000**2 - 1))
    assert np.isfinite(gradient).all()
    assert gradient.any()


def test_votes_of_numbers_have_variance_one():
    votes = votes_of(np.array([1e12, 2e12, 4e12]), float)
    assert votes.mean() == pytest.approx(0, abs=1e-15)
    assert votes.std() == pytest.approx(1)


@given(st.lists(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3), min_size=1, max_size=5))
def test_softmax_sums_to_one(scores):
    weights = softmax(np.array(scores))
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert (weights > 0).all()
