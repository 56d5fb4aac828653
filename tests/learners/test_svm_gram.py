"""Kernel values that a support vector machine computes, beside the kernel's own."""

import numpy as np
import pytest

import ilk
from cases import in_one_test
from ilk_learners.svm.blocks import kernel_values
from ilk_learners.svm.gram import gram_matrix, is_definite, known_kernel

KERNELS = {
    "rbf": {"use": "rbf", "sigma": 1.5},
    "mean": "rbf",
    "ard": {"use": "rbf", "sigma": [0.5, 1.0, 2.0, 1e3]},
    "weighted": {"use": "rbf", "distance": {"use": "euclidean", "weights": [1, 2, 0, 1]}},
    "manhattan": {"use": "rbf", "distance": "manhattan"},
    "linear": "linear",
    "polynomial": "polynomial",
    "sigmoid": "sigmoid",
    "rational": "rational",
}


def made(kernel):
    return ilk.classifier("svm", kernel=kernel).resolve_slot("kernel")


def rows(n, scale=1.0, origin=0.0):
    return origin + scale * np.random.default_rng(0).normal(size=(n, 4))


def in_blocks(fitted, X):
    return kernel_values(fitted, X, None, known_kernel(fitted), memory=1)


@in_one_test
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("n", [2, 127, 300])
def test_values_in_blocks_are_the_kernels_own(kernel, n):
    X = rows(n)
    fitted = made(kernel).fit(X)
    own, values = fitted.gram(X), in_blocks(fitted, X)
    some, weights = np.arange(0, n, 2), np.linspace(-1, 1, -(-n // 2))
    np.testing.assert_allclose(values.square(some), own[np.ix_(some, some)], rtol=1e-11, atol=1e-12)
    expected = weights @ own[some]
    scale = np.abs(own).max() * len(some)
    np.testing.assert_allclose(values.combine(some, weights), expected, atol=1e-12 * scale)


@in_one_test
@pytest.mark.parametrize("origin", [0.0, 1e3, 1e7, 1e12])
@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1.0, 1e6, 1e12])
def test_rows_of_any_unit_and_far_from_the_origin(origin, scale):
    X = rows(40, scale, origin * scale)
    fitted = ilk.kernel("rbf").fit(X)
    square = in_blocks(fitted, X).square(np.arange(len(X)))
    assert square == pytest.approx(fitted.gram(X), abs=3e-12)


def test_groups_far_apart_are_left_to_the_kernel():
    X = np.vstack([rows(20), rows(20, origin=1e7)])
    fitted = ilk.kernel("rbf", sigma=1.0).fit(X)
    assert np.array_equal(in_blocks(fitted, X).square(np.arange(len(X))), fitted.gram(X))


def test_rows_that_underflow():
    X = np.array([[0.0], [0.5], [300.0]])
    fitted = ilk.kernel("rbf", sigma=1.0).fit(X)
    K = in_blocks(fitted, X).square(np.arange(len(X)))
    assert K[0] == pytest.approx([1, np.exp(-1 / 8), 0])


def test_rows_of_single_precision():
    X = rows(50).astype(np.float32)
    fitted = ilk.kernel("rbf").fit(X)
    gram = gram_matrix(fitted, X)
    assert gram.dtype == float
    assert gram == pytest.approx(fitted.gram(X.astype(float)), abs=1e-7)


def test_what_is_known_of_kernels():
    X = rows(10)
    found = {name: known_kernel(made(k).fit(X)) for name, k in KERNELS.items()}
    names = {name: known.name for name, known in found.items() if known is not None}
    assert names == {
        "rbf": "rbf",
        "mean": "rbf",
        "ard": "rbf",
        "linear": "linear",
        "polynomial": "poly",
        "sigmoid": "sigmoid",
    }


def test_definiteness_beside_eigenvalues():
    X = rows(60)
    for name, kernel in KERNELS.items():
        fitted = made(kernel).fit(X)
        K = fitted.gram(X)
        values = np.linalg.eigvalsh(K)
        assert is_definite(fitted, K) == (values[0] > -1e-10 * np.linalg.norm(K)), name
    sigmoid = ilk.kernel("sigmoid", eta1=0.5, eta2=1.0)
    assert not is_definite(sigmoid, sigmoid.gram(X))
    assert is_definite(sigmoid, np.zeros((3, 3)))


@pytest.mark.parametrize("unit", [1e-200, 1e-160, 1e160])
def test_widths_whose_squares_are_out_of_range(unit):
    X = np.random.default_rng(0).normal(size=(12, 2)) * unit
    K = gram_matrix(ilk.kernel("rbf").fit(X), X)
    np.testing.assert_allclose(K, gram_matrix(ilk.kernel("rbf").fit(X / unit), X / unit), atol=1e-9)


def test_definiteness_of_many_rows_is_tested_on_some():
    K = np.eye(2500)
    assert is_definite(None, K)
    K[0, -1] = K[-1, 0] = 2.0  # the first and the last row are among the tested ones
    assert not is_definite(None, K)
