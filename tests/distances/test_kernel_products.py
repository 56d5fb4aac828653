"""Kernels that are functions of the dot product."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import pairwise

import ilk
from cases import in_one_test

KERNELS = {
    "linear": (ilk.kernel("linear"), pairwise.linear_kernel),
    "cubic": (
        ilk.kernel("polynomial", gamma=0.3, coef0=2.0),
        lambda X, Y: pairwise.polynomial_kernel(X, Y, degree=3, gamma=0.3, coef0=2),
    ),
    "homogeneous": (
        ilk.kernel("polynomial", degree=6, coef0=0.0),
        lambda X, Y: pairwise.polynomial_kernel(X, Y, degree=6, gamma=1, coef0=0),
    ),
    "sigmoid": (
        ilk.kernel("sigmoid", eta1=0.2, eta2=-0.5),
        lambda X, Y: pairwise.sigmoid_kernel(X, Y, gamma=0.2, coef0=-0.5),
    ),
}


@pytest.fixture(params=KERNELS)
def pair(request):
    """A kernel and scikit-learn's."""
    return KERNELS[request.param]


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 5))


def test_agrees_with_scikit_learn(pair, X):
    kernel, peer = pair
    np.testing.assert_allclose(kernel.gram(X), peer(X, X), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(kernel.gram(X[:3], X), peer(X[:3], X), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(peer(X, X)), rtol=1e-11)


def test_large_matrices_are_made_in_parts(pair):
    kernel, peer = pair
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(700, 3)), rng.normal(size=(900, 3))
    with ilk.threads(2):
        np.testing.assert_allclose(kernel.gram(X, Y), peer(X, Y), rtol=1e-10, atol=1e-12)


def test_symmetric_bit_for_bit(pair, X):
    G = pair[0].gram(X)
    np.testing.assert_array_equal(G, G.T)


@in_one_test
@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_array, sp.coo_matrix])
def test_sparse(pair, make, X):
    kernel, _ = pair
    X = np.where(np.abs(X) < 0.7, 0, X)
    dense = kernel.gram(X, X[:4])
    sparse = kernel.gram(make(X), make(X[:4]))
    assert isinstance(sparse, np.ndarray)
    np.testing.assert_allclose(sparse, dense, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.gram(make(X), X[:4]), dense, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.diagonal(make(X)), kernel.diagonal(X), rtol=1e-12)


def test_float32_far_from_the_origin_keeps_all_digits(pair, X):
    """As differences of rows are in the last digits of their products."""
    kernel, peer = pair
    far = (X + 1000).astype(np.float32)
    exact = far.astype(float)
    assert kernel.gram(far).dtype == kernel.diagonal(far).dtype == np.float64
    np.testing.assert_allclose(kernel.gram(far), peer(exact, exact), rtol=1e-13)


@in_one_test
@pytest.mark.parametrize("degree", range(1, 12))
def test_powers(degree):
    x = np.array([[1.5]])
    value = ilk.kernel("polynomial", degree=degree, coef0=0.25).gram(x)[0, 0]
    assert value == pytest.approx(2.5**degree, rel=1e-14)


@pytest.mark.parametrize("name", ["linear", "cubic", "homogeneous"])
@given(seed=st.integers(0, 1000), n=st.integers(1, 12), p=st.integers(1, 6))
def test_positive_semidefinite(name, seed, n, p):
    X = np.random.default_rng(seed).normal(size=(n, p))
    values = np.linalg.eigvalsh(KERNELS[name][0].gram(X))
    assert values[0] >= -1e-11 * max(values[-1], 1)


def test_sigmoid_is_indefinite_here():
    X = np.array([[1.0], [-1.0]])
    assert np.linalg.eigvalsh(ilk.kernel("sigmoid", eta1=1.0, eta2=-2.0).gram(X))[0] < -0.1


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("polynomial", {"gamma": 0.3, "coef0": 2.0}),
        ("polynomial", {"gamma": 0.3, "coef0": 0.0, "degree": 2}),
        ("sigmoid", {"eta1": 0.2, "eta2": -0.5}),
    ],
)
def test_gradient_with_respect_to_logarithms(name, parameters, X):
    X = X[:8]
    gram, gradient = ilk.kernel(name, **parameters).gram_gradient(X)
    np.testing.assert_allclose(gram, ilk.kernel(name, **parameters).gram(X), rtol=1e-13)
    order = [key for key in ilk.registry("kernel").get(name).parameters if key in parameters]
    order = [key for key in order if key != "degree"]
    assert gradient.shape == (8, 8, len(order))
    for column, key in enumerate(order):
        up, down = (
            ilk.kernel(name, **{**parameters, key: parameters[key] * np.exp(e)}).gram(X)
            for e in (1e-6, -1e-6)
        )
        np.testing.assert_allclose(gradient[..., column], (up - down) / 2e-6, atol=1e-6, rtol=1e-7)


@in_one_test
@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("polynomial", {"degree": 0}, "degree must be an integer >= 1, <= 1000, got 0"),
        ("polynomial", {"coef0": -1.0}, "coef0 must be a number >= 0, got -1.0"),
        ("polynomial", {"gamma": 0.0}, "gamma must be"),
        ("sigmoid", {"eta1": 0.0}, "eta1 must not be 0"),
        ("sigmoid", {"eta2": np.inf}, "eta2 must be finite"),
    ],
)
def test_bad_parameters(name, parameters, message, X):
    kernel = ilk.registry("kernel").get(name)(**parameters)
    with pytest.raises(ilk.ParameterError, match=message):
        kernel.gram(X)


def test_bad_input(pair, X):
    kernel, _ = pair
    with pytest.raises(ilk.InputError, match="X has 5 features but Y has 4"):
        kernel.gram(X, X[:, :4])
    X[3, 1] = np.nan
    with pytest.raises(ilk.InputError, match="X has NaN at row 3, column 1"):
        kernel.gram(X)
    with pytest.raises(ilk.InputError, match="X has NaN at row 3, column 1"):
        kernel.diagonal(X)


@in_one_test
@pytest.mark.parametrize("name", ["linear", "polynomial", "sigmoid"])
def test_values_beyond_all_floats_are_no_kernel(name):
    """An error that says where: never NaN, nor a warning, nor the limit of what overflowed."""
    huge = np.finfo(float).max / 2
    X = np.array([[1, 2], [huge, huge], [huge, -huge]])
    kernel = ilk.kernel(name)
    with pytest.raises(ilk.InputError, match=rf"{name}: the kernel of rows is too large .*\["):
        kernel.gram(X)
    with pytest.raises(ilk.InputError, match=rf"{name}: the kernel of a row with itself .*\[1\]"):
        kernel.diagonal(X)


@in_one_test
@pytest.mark.parametrize(
    ("name", "parameter"),
    [("polynomial", "coef0"), ("polynomial", "gamma"), ("sigmoid", "eta1"), ("sigmoid", "eta2")],
)
@pytest.mark.parametrize("value", [np.inf, 10**400])
def test_numbers_are_finite(name, parameter, value):
    kernel = ilk.registry("kernel").get(name)(**{parameter: value})
    with pytest.raises(ilk.ParameterError, match=f"{name}: {parameter} must be"):
        kernel.check_parameters()


def test_integers_larger_than_those_of_numpy():
    ilk.kernel("sigmoid", eta2=10**20).gram([[1.0]])
    ilk.kernel("polynomial", coef0=10**20).gram([[1.0]])
