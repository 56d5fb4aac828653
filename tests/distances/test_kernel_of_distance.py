"""Kernels that are falling functions of a distance, other than the rbf."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import chi2_kernel, rbf_kernel

import ilk
from cases import in_one_test


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(30, 3))


@pytest.fixture
def H():
    return np.random.default_rng(1).dirichlet(np.full(6, 0.4), size=30)


def slope(make, value, X):
    """Derivative of a Gram matrix for the logarithm of a parameter, by differences."""
    up, down = (make(value * np.exp(e)).fit(X).gram(X) for e in (1e-6, -1e-6))
    return (up - down) / 2e-6


def test_rational_by_its_definition(X):
    D = np.linalg.norm(X[:, None] - X, axis=2)
    kernel = ilk.kernel("rational", b=1.7).fit(X)
    np.testing.assert_allclose(kernel.gram(X), 1 - D**2 / (D**2 + 1.7), rtol=1e-12)
    assert kernel.b_ == pytest.approx(1.7, rel=1e-15)
    assert (np.diagonal(kernel.gram(X)) == 1).all()


def test_rational_is_one_half_at_b():
    assert ilk.kernel("rational", b=25.0).fit([[0.0]]).gram([[0.0]], [[5.0]])[0, 0] == 0.5


def test_rational_widths_are_those_of_the_rbf(X):
    for how in ("mean_distance", "neighbors"):
        sigma = ilk.kernel("rbf", sigma=how).fit(X).sigma_
        assert ilk.kernel("rational", b=how).fit(X).b_ == pytest.approx(sigma**2)


@pytest.mark.parametrize("name", ["euclidean", "manhattan"])
def test_rational_gradient(name, X):
    def make(b):
        return ilk.kernel("rational", b=b, distance=name)

    gram, gradient = make(1.7).fit(X).gram_gradient(X)
    np.testing.assert_array_equal(gram, make(1.7).fit(X).gram(X))
    np.testing.assert_allclose(gradient[..., 0], slope(make, 1.7, X), atol=1e-8)


def test_rational_far_away():
    kernel = ilk.kernel("rational", b=1e-300).fit([[0.0]])
    np.testing.assert_array_equal(kernel.gram([[0.0], [1e200]]), np.eye(2))


@given(seed=st.integers(0, 1000), n=st.integers(2, 12), b=st.floats(0.01, 100))
def test_rational_is_positive_semidefinite(seed, n, b):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    assert np.linalg.eigvalsh(ilk.kernel("rational", b=b).fit(X).gram(X))[0] >= -1e-12


@pytest.mark.parametrize("sigma", [0.3, 1.0])
def test_exponential_chi2_agrees_with_scikit_learn(sigma, H):
    kernel = ilk.kernel("exponential_chi2", sigma=sigma).fit(H)
    expected = chi2_kernel(H, H[:7], gamma=1 / (4 * sigma**2))
    np.testing.assert_allclose(kernel.gram(H, H[:7]), expected, rtol=1e-12)


def test_exponential_chi2_by_its_definition():
    h, k = np.array([[0.5, 0.5, 0.0]]), np.array([[0.25, 0.0, 0.75]])
    m = (h + k) / 2
    chi2 = ((h - m) ** 2 / m).sum()
    got = ilk.kernel("exponential_chi2", sigma=2.0).fit(h).gram(h, k)[0, 0]
    assert got == pytest.approx(np.exp(-chi2 / 8), rel=1e-14)


def test_exponential_chi2_width(H):
    chi2 = ilk.distance("chi2").pairwise(H)
    pairs = chi2[np.triu_indices(30, 1)]
    kernel = ilk.kernel("exponential_chi2").fit(H)
    assert kernel.sigma_**2 == pytest.approx(pairs.mean(), rel=1e-12)
    A = pairs.mean()  # of Zhang et al.
    theirs = ilk.kernel("exponential_chi2", sigma=float(np.sqrt(A / 2))).fit(H).gram(H)
    np.testing.assert_allclose(theirs, np.exp(-chi2 / A), rtol=1e-12)
    near = np.sqrt(np.sort(chi2, axis=1)[:, 1:4])
    kernel = ilk.kernel("exponential_chi2", sigma="neighbors", n_neighbors=3).fit(H)
    assert kernel.sigma_ == pytest.approx(near.mean(), rel=1e-12)


def test_exponential_chi2_gradient(H):
    def make(sigma):
        return ilk.kernel("exponential_chi2", sigma=sigma)

    _, gradient = make(0.4).fit(H).gram_gradient(H)
    np.testing.assert_allclose(gradient[..., 0], slope(make, 0.4, H), atol=1e-8)


@given(seed=st.integers(0, 1000), n=st.integers(2, 12), sigma=st.floats(0.05, 5))
def test_exponential_chi2_is_positive_semidefinite(seed, n, sigma):
    H = np.random.default_rng(seed).dirichlet(np.full(4, 0.3), size=n)
    G = ilk.kernel("exponential_chi2", sigma=sigma).fit(H).gram(H)
    assert np.linalg.eigvalsh(G)[0] >= -1e-12


def test_mahalanobis_rbf_as_printed():
    X, y = ilk.dataset("iris").load().Xy
    kernel = ilk.kernel("mahalanobis_rbf", learner="rca", sigma=0.5**0.5).fit(X, y)
    L = kernel.learner_.components_
    np.testing.assert_allclose(kernel.gram(X, X[:5]), rbf_kernel(X @ L.T, X[:5] @ L.T, gamma=1))


def test_mahalanobis_rbf_takes_its_scale_before_the_learner(X):
    kernel = ilk.kernel("mahalanobis_rbf", learner="pca").fit(X)
    D = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)
    near = D[:, 1:3]  # floor(log2 30) = 4 neighbours, half of which is 2
    assert kernel.sigma_**2 == pytest.approx((near**2).mean(axis=1).mean())
    np.testing.assert_allclose(
        kernel.gram(X), rbf_kernel(X, gamma=0.5 / kernel.sigma_**2), rtol=1e-9
    )


def test_mahalanobis_rbf_does_not_depend_on_the_scale_after_rca():
    X, y = ilk.dataset("iris").load().Xy
    X = np.asarray(X, dtype=float)
    kernels = [
        ilk.kernel("mahalanobis_rbf", learner="rca", sigma="mean_distance").fit(Z, y)
        for Z in (X, 1000 * X)
    ]
    np.testing.assert_allclose(kernels[0].gram(X), kernels[1].gram(1000 * X), rtol=1e-6)


def test_mahalanobis_rbf_gradient(X):
    def make(sigma):
        return ilk.kernel("mahalanobis_rbf", sigma=sigma)

    _, gradient = make(1.5).fit(X).gram_gradient(X)
    np.testing.assert_allclose(gradient[..., 0], slope(make, 1.5, X), atol=1e-8)


def test_mahalanobis_rbf_without_a_scale():
    with pytest.raises(ilk.InputError, match="sigma 'local' is 0"):
        ilk.kernel("mahalanobis_rbf").fit(np.repeat([[1.0, 2.0], [3.0, 4.0]], 4, axis=0))


def test_asymmetric_distances_are_made_symmetric():
    matrix = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]], dtype=float)
    distance = ilk.distance("precomputed", matrix=matrix)
    squares = (matrix**2 + matrix.T**2) / 2
    for name, expected in (("rbf", np.exp(-squares / 18)), ("rational", 9 / (9 + squares))):
        width = {"rbf": {"sigma": 3.0}, "rational": {"b": 9.0}}[name]
        kernel = ilk.kernel(name, distance=distance, **width).fit([0, 1, 2])
        np.testing.assert_allclose(kernel.gram([0, 1, 2]), expected, rtol=1e-14)
        np.testing.assert_allclose(kernel.gram([0, 1], [2]), expected[:2, 2:], rtol=1e-14)


def test_the_matrix_of_a_distance_is_not_overwritten(X):
    stored = ilk.distance("euclidean").pairwise(X)
    distance = ilk.distance("callable", function=lambda x, y: 1.0)
    distance.pairwise = lambda X, Y=None: stored
    before = stored.copy()
    ilk.kernel("rbf", sigma=1.0, distance=ilk.frozen(distance)).fit(X).gram(X)
    np.testing.assert_array_equal(stored, before)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_threads_and_width_change_no_bit(dtype):
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(300, 7)).astype(dtype), rng.normal(size=(800, 7)).astype(dtype)
    kernel = ilk.kernel("rbf", sigma=2.0).fit(X)
    with ilk.threads(1):
        G = kernel.gram(X, Y)
    with ilk.threads(2):
        np.testing.assert_array_equal(kernel.gram(X, Y), G)
    np.testing.assert_array_equal(kernel.gram(X[5:6], Y), G[5:6])
    np.testing.assert_array_equal(kernel.gram(X[7:90], Y[100:333]), G[7:90, 100:333])
    np.testing.assert_array_equal(kernel.gram(Y, X), G.T)


def test_near_rows_far_from_the_origin():
    X = np.array([[1e8, 0.0], [1e8 + 1e-3, 0.0], [1e8, 0.0]])
    gap = X[1, 0] - X[0, 0]
    G = ilk.kernel("rbf", sigma=1e-3).fit(X).gram(X)
    assert G[0, 2] == 1
    assert G[0, 1] == pytest.approx(np.exp(-((gap / 1e-3) ** 2) / 2), rel=1e-12)
    assert rbf_kernel(X, gamma=5e5)[0, 1] != pytest.approx(G[0, 1], rel=0.1)  # the expansion


@in_one_test
@pytest.mark.parametrize("n_features", [1, 2, 65, 200])
def test_any_number_of_features(n_features):
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(5, n_features)), rng.normal(size=(500, n_features))
    got = ilk.kernel("rbf", sigma=5.0).fit(X).gram(X, Y)
    np.testing.assert_allclose(got, rbf_kernel(X, Y, gamma=1 / 50), rtol=1e-12)


@pytest.mark.parametrize("sigma", [1e-130, 1e150])
def test_widths_beyond_the_tiles(sigma):
    X = sigma * np.array([[0.0], [1.0], [3.0]])
    G = ilk.kernel("rbf", sigma=sigma).fit(X).gram(X)
    np.testing.assert_allclose(G[0], np.exp([0, -0.5, -4.5]), rtol=1e-12)


def test_widths_beyond_single_precision():
    X = np.array([[0.0], [1e-3]], dtype=np.float32)
    for sigma, expected in ((1e-60, np.eye(2)), (1e60, np.ones((2, 2)))):
        G = ilk.kernel("rbf", sigma=sigma).fit(X).gram(X)
        assert G.dtype == np.float32
        np.testing.assert_array_equal(G, expected)


@pytest.mark.parametrize("name", ["rational", "exponential_chi2", "substitution"])
def test_widths_must_be_finite(name):
    argument = "b" if name == "rational" else "sigma"
    with pytest.raises(ilk.ParameterError, match=f"{name}: {argument} must be finite"):
        ilk.kernel(name, **{argument: np.inf}).fit([[0.5, 0.5]])


@in_one_test
@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("rbf", "sigma"),
        ("substitution", "sigma"),
        ("exponential_chi2", "sigma"),
        ("mahalanobis_rbf", "sigma"),
        ("rational", "b"),
        ("conformal", "tau"),
    ],
)
def test_widths_are_finite_numbers(name, parameter):
    for value in (np.inf, 10**400):
        kernel = ilk.registry("kernel").get(name)(**{parameter: value})
        with pytest.raises(ilk.ParameterError, match=f"{name}: {parameter} must be"):
            kernel.check_parameters()
    X = np.random.default_rng(0).uniform(size=(9, 2))
    kernel = ilk.kernel(name, **{parameter: 10**20}).fit(X, [0, 1, 1] * 3)
    assert np.isfinite(kernel.gram(X)).all()
