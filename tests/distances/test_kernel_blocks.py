"""Gram matrices in bounded memory."""

import itertools
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC

import ilk
from cases import in_one_test
from ilk_distances.kernels.gram import GramRows, gram_blocks, gram_product


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(50, 3))


@pytest.fixture
def kernel(X):
    return ilk.kernel("rbf", sigma=1.3).fit(X)


@pytest.mark.parametrize("block_bytes", [1, 8 * 50 * 7, 2**20])
def test_blocks_are_the_matrix(block_bytes, kernel, X):
    rows, blocks = zip(*gram_blocks(kernel, X, block_bytes=block_bytes), strict=True)
    np.testing.assert_array_equal(np.vstack(blocks), kernel.gram(X))
    assert rows[0].start == 0
    assert rows[-1].stop == 50
    assert all(a.stop == b.start for a, b in itertools.pairwise(rows))
    assert all(len(b) * 50 * 8 <= max(block_bytes, 400) for b in blocks)


def test_blocks_of_other_rows_and_kinds(kernel, X):
    Y = X[:11]
    got = np.vstack([b for _, b in gram_blocks(kernel, X, Y, block_bytes=8 * 11 * 4)])
    np.testing.assert_array_equal(got, kernel.gram(X, Y))
    linear = ilk.kernel("linear")
    for Z in (pd.DataFrame(X), X.tolist(), sp.csr_matrix(X)):
        got = np.vstack([b for _, b in gram_blocks(linear, Z, block_bytes=3000)])
        np.testing.assert_allclose(got, X @ X.T, rtol=1e-12)


@pytest.mark.parametrize("shape", [(50,), (50, 4)])
def test_product(shape, kernel, X):
    V = np.random.default_rng(1).normal(size=shape)
    got = gram_product(kernel, X, V, block_bytes=3000)
    np.testing.assert_allclose(got, kernel.gram(X) @ V, rtol=1e-12)
    got = gram_product(kernel, X[:5], V, X, block_bytes=500)
    np.testing.assert_allclose(got, kernel.gram(X[:5], X) @ V, rtol=1e-12)


def test_product_holds_no_matrix():
    X = np.random.default_rng(2).normal(size=(5000, 2))
    kernel = ilk.kernel("rbf", sigma=1.0).fit(X)
    gram_product(kernel, X[:10], np.ones(5000), X)  # whatever is imported or compiled
    tracemalloc.start()
    try:
        gram_product(kernel, X, np.ones(5000), block_bytes=2**21)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20 * 2**20 < 8 * 5000**2


def test_rows_on_demand(kernel, X):
    G = kernel.gram(X)
    rows = GramRows(kernel, X, cache_bytes=8 * 50 * 5)
    np.testing.assert_array_equal(rows[7], G[7])
    np.testing.assert_array_equal(rows[[3, 7, 3, -1]], G[[3, 7, 3, -1]])
    np.testing.assert_array_equal(rows[np.array([7, 49])], G[[7, 49]])
    assert rows.n_computed == 3
    np.testing.assert_array_equal(rows.diagonal, np.diagonal(G))
    assert len(rows) == 50


def test_rows_used_last_are_kept(kernel, X):
    rows = GramRows(kernel, X, cache_bytes=8 * 50 * 3)
    rows[[0, 1, 2]], rows[0], rows[3]  # 1 is the one used longest ago
    assert rows.n_computed == 4
    rows[[0, 2, 3]]
    assert rows.n_computed == 4
    rows[1]
    assert rows.n_computed == 5
    rows[2], rows[3]
    assert rows.n_computed == 5
    rows[0]
    assert rows.n_computed == 6


def test_more_rows_than_are_kept(kernel, X):
    rows = GramRows(kernel, X, cache_bytes=1)
    np.testing.assert_array_equal(rows[[5, 6, 5]], kernel.gram(X)[[5, 6, 5]])
    rows[5], rows[6], rows[6]
    assert rows.n_computed == 4


def test_kept_rows_cannot_be_written_to(kernel, X):
    rows = GramRows(kernel, X)
    with pytest.raises(ValueError, match="read-only"):
        rows[0][0] = 7
    rows[[0, 1]][0, 0] = 7  # a copy
    assert rows[0][0] == 1
    with pytest.raises(IndexError, match="index 50 is out of bounds"):
        rows[50]


def test_a_support_vector_machine_needs_no_matrix():
    """Coordinate steps on pairs of rows, as SMO takes them, reach libsvm's objective."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=80) > 0, 1.0, -1.0)
    kernel = ilk.kernel("rbf", sigma=1.0).fit(X)
    rows = GramRows(kernel, X, cache_bytes=8 * 80 * 20)
    alpha = _smo(rows, y, 1.0)
    value = alpha.sum() - (alpha * y) @ gram_product(kernel, X, alpha * y) / 2
    peer = SVC(C=1.0, gamma=0.5, tol=1e-8).fit(X, y)
    beta = np.zeros(80)
    beta[peer.support_] = peer.dual_coef_[0]
    expected = np.abs(beta).sum() - beta @ kernel.gram(X) @ beta / 2
    assert value == pytest.approx(expected, rel=1e-6)


def _smo(rows, y, C):
    alpha, gradient = np.zeros(len(y)), -np.ones(len(y))
    for _ in range(5000):
        score = -y * gradient
        up = np.where((y > 0) & (alpha < C) | (y < 0) & (alpha > 0), score, -np.inf)
        low = np.where((y < 0) & (alpha < C) | (y > 0) & (alpha > 0), score, np.inf)
        i, j = up.argmax(), low.argmin()
        if up[i] - low[j] < 1e-8:
            break
        K = rows[[i, j]]
        curve = max(K[0, i] + K[1, j] - 2 * K[0, j], 1e-12)
        step = (up[i] - low[j]) / curve
        step = min(step, C - alpha[i] if y[i] > 0 else alpha[i])
        step = min(step, alpha[j] if y[j] > 0 else C - alpha[j])
        alpha[i] += y[i] * step
        alpha[j] -= y[j] * step
        gradient += y * (K[0] - K[1]) * step
    return alpha


def test_rows_are_chosen_as_numpy_does(kernel, X):
    rows, K = GramRows(kernel, X), kernel.gram(X)
    for chosen in ([], [1, 1, -1], slice(3, 9, 2), np.arange(50) % 7 == 0, np.int64(4), range(3)):
        np.testing.assert_array_equal(rows[chosen], K[chosen])
    assert len(list(rows)) == 50
    for bad in (1.5, None, "a", [1.5], True, np.zeros((2, 2), dtype=int), [[1]]):
        with pytest.raises(IndexError):
            rows[bad]


@pytest.mark.parametrize("kernel", ["linear", None, ilk.distance("euclidean")])
def test_no_kernel(kernel, X):
    for make in (lambda: list(gram_blocks(kernel, X)), lambda: GramRows(kernel, X)):
        with pytest.raises(ilk.InputTypeError, match=": kernel must be a fitted kernel, got"):
            make()


@in_one_test
@pytest.mark.parametrize("size", [0, -1, 1.5, None, "a", True, np.nan])
def test_no_size(size, X):
    linear = ilk.kernel("linear")
    with pytest.raises(ilk.InputError, match="gram_blocks: block_bytes must be an integer >= 1"):
        list(gram_blocks(linear, X, block_bytes=size))
    with pytest.raises(ilk.InputError, match="GramRows: cache_bytes must be an integer >= 1"):
        GramRows(linear, X, cache_bytes=size)


@in_one_test
@pytest.mark.parametrize("V", [np.ones(3), None, "a", np.ones((50, 1, 1)), [["a"]] * 50])
def test_no_factor(V, X):
    with pytest.raises(ilk.InputError, match="gram_product: V must have one number, or one row"):
        gram_product(ilk.kernel("linear"), X, V)
