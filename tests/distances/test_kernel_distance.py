"""The distance in the feature space of a kernel."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

import ilk
from cases import in_one_test
from ilk_distances.kernels.feature_space import same_objects

KERNELS = {
    "linear": "linear",
    "quadratic": {"use": "polynomial", "degree": 2},
    "quintic": {"use": "polynomial", "degree": 5, "gamma": 0.5, "coef0": 0.5},
    "rbf": {"use": "rbf", "sigma": 1.5},
    "rational": {"use": "rational", "b": 2.0},
    "sum": {"use": "weighted_sum", "kernels": ["polynomial", "rbf"], "weights": [0.1, 2.0]},
    "conformal": {"use": "conformal", "tau": 1.0, "centers": [[0.0, 0.0, 0.0]]},
    "repaired": {"use": "substitution", "distance": "chebyshev", "sigma": 5.0},
    "mahalanobis": {"use": "mahalanobis_rbf", "sigma": 1.0},
}


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(25, 3))


@in_one_test
@pytest.mark.parametrize("name", KERNELS)
def test_by_its_definition(name, X):
    d = ilk.distance("kernel", kernel=KERNELS[name]).fit(X)
    G = d.kernel_.gram(X)
    own = np.diagonal(G)
    expected = np.sqrt(np.maximum(own[:, None] + own - 2 * G, 0))
    np.testing.assert_allclose(d.pairwise(X), expected, rtol=1e-6, atol=1e-7 * own.max() ** 0.5)
    np.testing.assert_allclose(
        d.pairwise(X[:4], X), expected[:4], rtol=1e-6, atol=1e-7 * own.max() ** 0.5
    )


def test_linear_is_euclidean(X):
    d = ilk.distance("kernel", kernel="linear").fit(X)
    expected = ilk.distance("euclidean").pairwise(X)
    np.testing.assert_allclose(d.pairwise(X), expected, rtol=1e-14)


@in_one_test
@pytest.mark.parametrize("name", [*KERNELS, "sigmoid"])
@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_equal_rows_are_at_zero(name, offset, X):
    X = np.vstack([X, X[::-1]]) + offset
    d = ilk.distance("kernel", kernel=KERNELS.get(name, name)).fit(X)
    for D in (d.pairwise(X), d.pairwise(X, X.copy())):
        assert (np.diagonal(D) == 0).all()
        assert (D[np.arange(25), 49 - np.arange(25)] == 0).all()
        assert (D >= 0).all()


def exact(kernel, x, y):
    """Squared distance by rational numbers."""
    x, y = ([Fraction(float(v)) for v in row] for row in (x, y))

    def k(a, b):
        product = sum(p * q for p, q in zip(a, b, strict=True))
        gamma, c = (Fraction(getattr(kernel, n, d)) for n, d in (("gamma", 1), ("coef0", 0)))
        return (gamma * product + c) ** getattr(kernel, "degree", 1)

    return k(x, x) + k(y, y) - 2 * k(x, y)


@in_one_test
@pytest.mark.parametrize("name", ["linear", "quadratic", "quintic"])
@pytest.mark.parametrize("gap", [1e-2, 1e-5, 1e-9])
@pytest.mark.parametrize("offset", [0.0, 10.0, 1e4])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_near_rows_keep_their_digits(name, gap, offset, make, X):
    X = X + offset
    Y = X + gap * np.random.default_rng(1).normal(size=X.shape)
    d = ilk.distance("kernel", kernel=KERNELS[name]).fit(make(X))
    got = np.diagonal(d.pairwise(make(X), make(Y)))
    expected = [float(exact(d.kernel_, x, y)) ** 0.5 for x, y in zip(X, Y, strict=True)]
    np.testing.assert_allclose(got, expected, rtol=1e-9)


@in_one_test
@pytest.mark.parametrize("name", ["rbf", "rational"])
@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12])
def test_near_rows_of_a_gaussian(name, gap):
    X = np.array([[0.0], [gap]])
    d = ilk.distance("kernel", kernel=KERNELS[name]).fit(X)
    slope = {"rbf": 1 / 1.5, "rational": 1.0}[name]  # the root of 2 u, and of 4 u
    assert d.between([0.0], [gap]) == pytest.approx(slope * gap, rel=1e-5)


def test_float32(X):
    for name, kernel in KERNELS.items():
        wide = ilk.distance("kernel", kernel=kernel).fit(X.astype(np.float32).astype(float))
        d = ilk.distance("kernel", kernel=ilk.frozen(wide.kernel_))
        single = X.astype(np.float32)
        got = d.fit(single).pairwise(single)
        assert got.dtype == np.float32
        expected = wide.pairwise(single.astype(float))
        np.testing.assert_allclose(got, expected, rtol=1e-6, err_msg=name)


def test_near_rows_in_float32():
    X = np.array([[1000.0, 1.0], [1000.0, 1.001]], dtype=np.float32)
    d = ilk.distance("kernel", kernel={"use": "polynomial", "degree": 2}).fit(X)
    assert d.between(*X) == pytest.approx(float(exact(d.kernel_, *X)) ** 0.5, rel=1e-5)


@in_one_test
@pytest.mark.parametrize(
    ("kernel", "metric"),
    [
        ("linear", True),
        ("rbf", True),
        ("rational", True),
        ({"use": "polynomial", "degree": 2}, True),
        ({"use": "polynomial", "degree": 3, "coef0": 0.0}, True),
        ({"use": "polynomial", "degree": 2, "coef0": 0.0}, False),
        ({"use": "rbf", "distance": "manhattan"}, False),
        ({"use": "rbf", "distance": {"use": "euclidean", "weights": [1, 1, 0]}}, False),
        ("sigmoid", False),
        ("substitution", False),
        ({"use": "weighted_sum", "kernels": ["linear", "rbf"]}, True),
        ({"use": "weighted_sum", "kernels": ["linear", "sigmoid"]}, False),
        ({"use": "weighted_sum", "kernels": ["rbf"], "views": [[0]]}, False),
    ],
)
def test_what_is_a_metric(kernel, metric, X):
    assert ilk.distance("kernel", kernel=kernel).metric is metric
    assert ilk.distance("kernel", kernel=kernel).fit(X).metric is metric


def test_a_quadratic_kernel_does_not_tell_x_from_its_negative():
    d = ilk.distance("kernel", kernel={"use": "polynomial", "degree": 2, "coef0": 0.0})
    assert d.fit([[1.0, 2.0]]).between([1.0, 2.0], [-1.0, -2.0]) == 0


@pytest.mark.parametrize("name", KERNELS)
@given(seed=st.integers(0, 1000), n=st.integers(3, 10))
def test_triangle_inequality(name, seed, n):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    D = ilk.distance("kernel", kernel=KERNELS[name]).fit(X).pairwise(X)
    excess = D[:, None] - (D[:, :, None] + D[None])
    assert excess.max() <= 1e-6 * (1 + D.max())


def test_indefinite_kernels_are_clipped():
    X = np.array([[1.0], [-1.0], [2.0]])
    d = ilk.distance("kernel", kernel={"use": "sigmoid", "eta1": 1.0}).fit(X)
    G = d.kernel_.gram(X)
    own = np.diagonal(G)
    raw = own[:, None] + own - 2 * G
    assert (raw < -0.1).any()
    np.testing.assert_allclose(d.pairwise(X), np.sqrt(np.maximum(raw, 0)), atol=1e-12)


def test_a_kernel_of_no_method_but_gram(X):
    class Bare(ilk.Kernel):
        capabilities = ilk.Capabilities(symmetric=True)

        def gram(self, X, Y=None):
            X, Y = np.asarray(X), np.asarray(X if Y is None else Y)
            return np.exp(-np.abs(X[:, None] - Y).sum(axis=2))

    d = ilk.distance("kernel", kernel=Bare()).fit(X)
    D = d.pairwise(X, np.vstack([X, -X]))
    assert (np.diagonal(D) == 0).all()
    np.testing.assert_allclose(D[0, 25], np.sqrt(2 - 2 * np.exp(-2 * np.abs(X[0]).sum())))
    assert not d.metric


def test_missing_values_are_not_at_zero_from_themselves():
    X = np.array([[0.0], [1.0], [np.nan]])
    d = ilk.distance("kernel", kernel={"use": "rbf", "sigma": 1.0, "distance": "heterogeneous"})
    G = d.fit(X).kernel_.gram(X)
    own = np.diagonal(G)
    assert own[2] < 1
    expected = np.sqrt(np.maximum(own[:, None] + own - 2 * G, 0))
    np.testing.assert_allclose(d.pairwise(X), expected, atol=1e-12)


def test_works_unfitted_if_the_kernel_is_frozen(X):
    kernel = ilk.kernel("rbf", sigma=1.5).fit(X)
    d = ilk.distance("kernel", kernel=ilk.frozen(kernel))
    expected = ilk.distance("kernel", kernel=KERNELS["rbf"]).fit(X).pairwise(X)
    np.testing.assert_array_equal(d.pairwise(X), expected)
    with pytest.raises(NotFittedError, match="call fit first"):
        ilk.distance("kernel").pairwise(X)


def test_nearest_neighbours(X):
    knn = ilk.classifier("knn", k=3, distance={"use": "kernel", "kernel": "linear"})
    y = X[:, 0] > 0
    expected = ilk.classifier("knn", k=3).fit(X, y).predict(-X)
    np.testing.assert_array_equal(knn.fit(X, y).predict(-X), expected)


def test_same_objects():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [np.nan, 1.0], [2.0, 1.0]])
    same = same_objects(X)
    np.testing.assert_array_equal(same, np.eye(4) + np.eye(4)[[1, 0, 3, 2]] * [[1], [1], [0], [0]])
    np.testing.assert_array_equal(same_objects(X, X[[3, 0]]), same[:, [3, 0]])
    np.testing.assert_array_equal(same_objects(sp.csr_matrix(X[[0, 3]]), X), same[[0, 3]])
    np.testing.assert_array_equal(same_objects(X.astype(np.float32), X), same)
    texts = ["a", "b", "a"]
    np.testing.assert_array_equal(same_objects(texts), [[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    sets = [[[1, 2], [3, 4]], np.array([[1, 2], [3, 4]]), [[1, 2]]]
    assert same_objects(sets[:1], sets)[0].sum() == 1  # a list is no array
    table = pd.DataFrame({"a": [1.0, 1.0, np.nan, np.nan], "b": ["x", "y", "x", "x"]})
    np.testing.assert_array_equal(same_objects(table)[2], [False, False, True, True])


def test_bad_input(X):
    d = ilk.distance("kernel", kernel="linear").fit(X)
    with pytest.raises(ilk.InputError, match="Y has 2 features, but kernel was fitted with 3"):
        d.pairwise(X, X[:, :2])
    X[3, 1] = np.nan
    with pytest.raises(ilk.InputError, match="linear: X has NaN at row 3, column 1"):
        d.pairwise(X)


@in_one_test
@pytest.mark.parametrize("kernel", ["linear", "polynomial", "rbf", "sigmoid"])
@pytest.mark.parametrize("bad", [None, "abc", 3.0, [], [None]])
def test_no_data(kernel, bad, X):
    d = ilk.distance("kernel", kernel=kernel).fit(X)
    for pair in ((bad,), (bad, X)):
        with pytest.raises((ilk.InputError, ilk.InputTypeError)):
            d.pairwise(*pair)


def test_kernel_values_beyond_all_floats():
    X = np.array([[1.0], [1e200], [2e200]])
    with pytest.raises(ilk.InputError, match="too large for a float at"):
        ilk.distance("kernel", kernel="polynomial").fit(X).pairwise(X)
    with pytest.raises(ilk.InputError, match=r"too large for a float at \[1, 0\]"):
        ilk.distance("kernel", kernel="linear").fit(X).pairwise(X[:2], X[:1])
