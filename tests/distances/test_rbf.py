"""The radial basis function kernel."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import approx_fprime
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process.kernels import RBF as Peer  # noqa: N811  # a class
from sklearn.neighbors import NearestNeighbors

import ilk
from cases import in_one_test


def rbf(sigma="mean_distance", **parameters):
    return ilk.kernel("rbf", sigma=sigma, **parameters)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(25, 3))


def test_agrees_with_scikit_learn(X):
    np.testing.assert_allclose(rbf(0.7).fit(X).gram(X), Peer(0.7)(X), rtol=1e-12)
    sigma = [0.5, 2.0, 30.0]
    np.testing.assert_allclose(rbf(sigma).fit(X).gram(X, X[:4]), Peer(sigma)(X, X[:4]), rtol=1e-12)


def test_worked_example():
    kernel = rbf().fit([[0.0], [0.0], [3.0]])  # squared distances 0, 9, 9
    assert kernel.sigma_ == pytest.approx(6**0.5, rel=1e-15)
    assert kernel.gram([[0.0]], [[3.0]])[0, 0] == pytest.approx(np.exp(-9 / 12))


@pytest.mark.parametrize("name", ["euclidean", "manhattan"])
def test_mean_squared_distance(name, X):
    D = ilk.distance(name).pairwise(X)
    pairs = D[np.triu_indices(25, 1)]
    sigma = rbf(distance=name).fit(X).sigma_
    assert sigma**2 == pytest.approx((pairs**2).mean())
    assert sigma**2 * 24 / 25 == pytest.approx((D**2).mean())  # the printed equation
    if name == "euclidean":
        assert sigma**2 == pytest.approx(2 * X.var(axis=0, ddof=1).sum())


@in_one_test
@pytest.mark.parametrize("unit", [1.0, 1e160, 1e-170])
@pytest.mark.parametrize("origin", [0.0, 1e8, [1e200, 0.0, 0.0]])
def test_mean_squared_distance_of_any_rows(origin, unit, X):
    X = unit * (X + origin) if np.ndim(origin) == 0 else unit * X + origin
    D = ilk.distance("euclidean").pairwise(X)
    pairs = D[np.triu_indices(25, 1)]
    expected = pairs.max() * np.sqrt(np.mean((pairs / pairs.max()) ** 2))
    assert rbf().fit(X).sigma_ == pytest.approx(expected, rel=1e-14)


def test_mean_over_ordered_pairs_of_an_asymmetric_distance():
    matrix = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]], dtype=float)
    distance = ilk.distance("precomputed", matrix=matrix)
    sigma = rbf(distance=distance).fit([0, 1, 2]).sigma_
    assert sigma**2 == pytest.approx((1 + 4 + 9 + 16 + 25 + 36) / 6)


@in_one_test
@pytest.mark.parametrize("k", [1, 4, 24, 100])
def test_mean_neighbour_distance(k, X):
    near, _ = NearestNeighbors(n_neighbors=min(k, 24)).fit(X).kneighbors()
    assert rbf("neighbors", n_neighbors=k).fit(X).sigma_ == pytest.approx(near.mean())


def test_duplicates_are_neighbours_of_each_other():
    X = np.array([[0.0]] * 4 + [[6.0]])
    # of each 0 the nearest three others are at 0; of 6 they are at 6
    assert rbf("neighbors", n_neighbors=3).fit(X).sigma_ == pytest.approx(6 / 5)


@in_one_test
@pytest.mark.parametrize("size", [1e-200, 1e-3, 1e8, 1e200])
@pytest.mark.parametrize("sigma", ["mean_distance", "neighbors"])
def test_gram_does_not_depend_on_the_scale(size, sigma, X):
    expected = rbf(sigma).fit(X).gram(X)
    np.testing.assert_allclose(rbf(sigma).fit(size * X).gram(size * X), expected, rtol=1e-10)


@in_one_test
@pytest.mark.parametrize("sigma", ["mean_distance", "neighbors", 1e-3, [1e-3, 1.0, 2.0]])
def test_diagonal_is_one(sigma, X):
    kernel = rbf(sigma).fit(X + 1e6)
    G = kernel.gram(X + 1e6)
    assert (np.diagonal(G) == 1).all()
    assert (kernel.diagonal(np.repeat(X, 10, axis=0)) == 1).all()
    np.testing.assert_array_equal(G, G.T)
    assert (G <= 1).all()


def test_diagonal_where_an_object_is_not_at_zero_from_itself():
    X = np.array([[0.0], [1.0], [np.nan]])
    kernel = rbf(1.0, distance="heterogeneous").fit(X)
    np.testing.assert_array_equal(kernel.diagonal(X), [1, 1, np.exp(-0.5)])


def test_far_apart_is_zero_without_warnings():
    kernel = rbf(1e-200).fit([[0.0], [1.0]])
    np.testing.assert_array_equal(kernel.gram([[0.0], [1e200]]), np.eye(2))
    gram, gradient = kernel.gram_gradient([[0.0], [1e200]])
    np.testing.assert_array_equal(gram, np.eye(2))
    assert not gradient.any()


@in_one_test
@pytest.mark.parametrize("sigma", [0.8, [0.5, 1.0, 3.0]])
@pytest.mark.parametrize("distance", ["euclidean", {"use": "euclidean", "weights": [1, 2, 0]}])
def test_gradient_with_respect_to_log_sigma(sigma, distance, X):
    X = X[:6]
    gram, gradient = rbf(sigma, distance=distance).fit(X).gram_gradient(X)
    theta = np.log(np.atleast_1d(sigma).astype(float))

    def entries(theta):
        width = np.exp(theta) if len(theta) > 1 else float(np.exp(theta[0]))
        return rbf(width, distance=distance).fit(X).gram(X).ravel()

    assert gradient.shape == (6, 6, len(theta))
    np.testing.assert_allclose(gram, entries(theta).reshape(6, 6), rtol=1e-13)
    numeric = approx_fprime(theta, entries, 1e-7).reshape(gradient.shape)
    np.testing.assert_allclose(gradient, numeric, atol=1e-6)
    peer = Peer(sigma)(X, eval_gradient=True)[1]
    if distance == "euclidean":
        np.testing.assert_allclose(gradient, peer, atol=1e-12)


def test_gradient_over_other_distances(X):
    kernel = rbf(0.8, distance="manhattan").fit(X)
    up, down = (rbf(0.8 * np.exp(e), distance="manhattan").fit(X).gram(X) for e in (1e-6, -1e-6))
    np.testing.assert_allclose(kernel.gram_gradient(X)[1][:, :, 0], (up - down) / 2e-6, atol=1e-7)
    with pytest.raises(ilk.ParameterError, match="distance must be euclidean for gradients"):
        rbf([1.0, 1.0, 1.0], distance="manhattan").fit(X).gram_gradient(X)


def test_other_inputs():
    texts = ["aab", "abb", "bbb"]
    edit = ilk.distance("callable", function=lambda x, y: sum(map(str.__ne__, x, y)))
    kernel = rbf(distance=edit).fit(texts)
    assert kernel.gram(["aab"], texts)[0].argsort().tolist() == [2, 1, 0]
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]})
    assert rbf(distance="heterogeneous").fit(table).gram(table).shape == (3, 3)


def test_float32(X):
    X = X.astype(np.float32)
    for sigma in (0.7, "mean_distance", [1.0, 2.0, 3.0]):
        kernel = rbf(sigma).fit(X)
        assert kernel.gram(X).dtype == np.float32
        assert kernel.diagonal(X).dtype == np.float32
        wide = rbf(kernel.sigma_).fit(X.astype(float)).gram(X.astype(float))
        np.testing.assert_allclose(kernel.gram(X), wide, rtol=1e-5)


def test_memory_of_the_heuristics_is_bounded():
    X = np.random.default_rng(0).normal(size=(6000, 2))
    for sigma in ("mean_distance", "neighbors"):
        tracemalloc.start()
        try:
            rbf(sigma).fit(X)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 200 * 2**20 < 6000**2 * 8


@pytest.mark.parametrize("sigma", ["mean_distance", "neighbors"])
def test_equal_rows_give_no_sigma(sigma):
    with pytest.raises(ilk.InputError, match=f"rbf: sigma '{sigma}' is 0"):
        rbf(sigma).fit(np.ones((5, 2)))
    with pytest.raises(ilk.InputError, match="needs at least 2 rows of X, got 1"):
        rbf(sigma).fit(np.ones((1, 2)))
    assert rbf(1.0).fit(np.ones((1, 2))).gram(np.ones((1, 2))) == 1


def test_infinite_distances_give_no_sigma():
    matrix = np.array([[0, np.inf], [np.inf, 0]])
    distance = ilk.distance("precomputed", matrix=matrix)
    with pytest.raises(ilk.InputError, match="a distance is not finite"):
        rbf(distance=distance).fit([0, 1])
    np.testing.assert_array_equal(rbf(1.0, distance=distance).fit([0, 1]).gram([0, 1]), np.eye(2))


@in_one_test
@pytest.mark.parametrize(
    ("sigma", "message"),
    [
        (0, "rbf: sigma must be"),
        (-1.0, "sigma must be"),
        (np.inf, "sigma must be finite"),
        ([1.0, 0.0], "sigma must be finite and greater than 0"),
        ([[1.0]], "a number or a vector"),
        ("mean_distanc", "sigma must be .* got 'mean_distanc'; did you mean 'mean_distance'"),
        ([], "sigma must be"),
    ],
)
def test_bad_sigma(sigma, message):
    with pytest.raises(ilk.ParameterError, match=message):
        rbf(sigma)


def test_bad_input(X):
    with pytest.raises(NotFittedError):
        rbf().gram(X)
    with pytest.raises(ilk.ParameterError, match="one value for each of 3 features, got 2"):
        rbf([1.0, 2.0]).fit(X)
    with pytest.raises(ilk.InputError, match="rbf: Y has 2 features, but rbf was fitted with 3"):
        rbf(1.0).fit(X).gram(X, X[:, :2])
    X[3, 1] = np.nan
    with pytest.raises(ilk.InputError, match="X has NaN at row 3, column 1"):
        rbf().fit(X)


def test_sigmas_that_are_too_small():
    with pytest.raises(ilk.InputError, match="rbf: X / sigma has infinity .* row 1, column 0"):
        rbf([1e-320, 1.0]).fit([[0.0, 1.0], [1.0, 2.0]])


def test_a_kernel_that_learns_nothing_needs_no_fit(X):
    kernels = (rbf(0.7), rbf([0.5, 2.0, 30.0]), ilk.kernel("rational", b=2.0))
    for kernel in kernels:
        fitted = ilk.build(ilk.to_spec(kernel), kind="kernel").fit(X)
        for method in ("gram", "diagonal", "half_squares", "squared_distances"):
            np.testing.assert_array_equal(getattr(kernel, method)(X), getattr(fitted, method)(X))
        np.testing.assert_array_equal(kernel.gram_gradient(X)[1], fitted.gram_gradient(X)[1])
        assert not hasattr(kernel, "sigma_")
    learning = ilk.distance("mahalanobis")
    for kernel in (rbf(), rbf(0.7, distance=learning), ilk.kernel("rational")):
        with pytest.raises(NotFittedError):
            kernel.gram(X)
