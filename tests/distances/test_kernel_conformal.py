"""The conformal transformation of a kernel."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.svm import SVC

import ilk
from cases import in_one_test


@pytest.fixture
def moons():
    return make_moons(60, noise=0.2, random_state=0)


def factors(X, centers, coefficients, tau):
    squares = ((X[:, None] - centers) ** 2).sum(axis=2)
    return np.exp(-squares / (2 * tau**2)) @ coefficients


def test_given_centers(moons):
    X, _ = moons
    centers, coefficients = X[[3, 9]], np.array([0.5, 2.0])
    kernel = ilk.kernel(
        "conformal", kernel="polynomial", tau=0.7, centers=centers, coefficients=coefficients
    ).fit(X)
    c = factors(X, centers, coefficients, 0.7)
    expected = np.outer(c, c) * ilk.kernel("polynomial").gram(X)
    np.testing.assert_allclose(kernel.gram(X), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel.gram(X[:4], X), expected[:4], rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(expected), rtol=1e-12)
    np.testing.assert_allclose(kernel.factors(X), c, rtol=1e-12)


def test_coefficients_are_one_by_default(moons):
    X, _ = moons
    kernel = ilk.kernel("conformal", tau=1.0, centers=X[:3].tolist()).fit(X)
    np.testing.assert_allclose(kernel.factors(X), factors(X, X[:3], np.ones(3), 1.0), rtol=1e-12)


def test_centers_are_the_support_vectors_of_a_machine(moons):
    X, y = moons
    kernel = ilk.kernel("conformal", kernel={"use": "rbf", "sigma": 0.5}, tau=0.3, svm={"C": 10})
    kernel.fit(X, y)
    machine = SVC(C=10, gamma=2.0, tol=1e-6).fit(X, y)
    np.testing.assert_array_equal(kernel.centers_, X[machine.support_])
    expected = np.abs(machine.dual_coef_[0])
    np.testing.assert_allclose(kernel.coefficients_, expected, rtol=1e-3, atol=1e-4)


def test_several_classes_and_any_labels():
    X, y = ilk.dataset("iris").load().Xy
    X = np.asarray(X)
    kernel = ilk.kernel("conformal").fit(X, y)
    codes = ilk.kernel("conformal").fit(X, np.unique(y, return_inverse=True)[1] * 5 - 1)
    np.testing.assert_array_equal(kernel.gram(X), codes.gram(X))
    assert (kernel.coefficients_ > 0).all()


def test_space_is_enlarged_near_the_border():
    X = np.linspace(-3, 3, 41)[:, None]
    y = X[:, 0] > 0
    kernel = ilk.kernel("conformal", kernel={"use": "rbf", "sigma": 1.0}, tau=0.5).fit(X, y)
    step = np.sqrt(np.diagonal(kernel.squared_distances(X[:-1], X[1:])))
    middle = np.abs(X[:-1, 0]) < 0.5
    assert step[middle].min() > 3 * step[np.abs(X[:-1, 0]) > 2.5].max()


@pytest.mark.parametrize("given", [False, True])
def test_gradient(given, moons):
    X, y = moons
    start = {"tau": 0.6} | ({"coefficients": [0.5, 1.0, 2.0]} if given else {})

    def make(**changed):
        centers = X[[1, 5, 8]] if given else None
        kernel = ilk.kernel("conformal", centers=centers, **(start | changed))
        return kernel.fit(X, y)

    gram, gradient = make().gram_gradient(X)
    np.testing.assert_array_equal(gram, make().gram(X))
    moves = [lambda e: {"tau": 0.6 * np.exp(e)}]
    if given:
        moves += [
            lambda e, i=i: {"coefficients": np.array([0.5, 1, 2]) * np.exp(e * (np.arange(3) == i))}
            for i in range(3)
        ]
    assert gradient.shape == (60, 60, len(moves))
    for column, move in enumerate(moves):
        up, down = (make(**move(e)).gram(X) for e in (1e-6, -1e-6))
        np.testing.assert_allclose(gradient[..., column], (up - down) / 2e-6, atol=1e-6, rtol=1e-6)


def test_squared_distances(moons):
    X, y = moons
    kernel = ilk.kernel("conformal", kernel="polynomial").fit(X, y)
    G, own = kernel.gram(X), kernel.diagonal(X)
    expected = own[:, None] + own - 2 * G
    np.testing.assert_allclose(
        kernel.squared_distances(X), expected, atol=1e-9 * own.max(), rtol=1e-6
    )


def test_texts():
    words = ["aab", "aba", "baa", "bbc", "bcb", "cbb"]
    edit = ilk.distance("callable", function=lambda x, y: sum(map(str.__ne__, x, y)))
    kernel = ilk.kernel("conformal", kernel=ilk.kernel("rbf", distance=edit), distance=edit)
    G = kernel.fit(words, [0, 0, 0, 1, 1, 1]).gram(words)
    np.testing.assert_allclose(G, G.T)
    assert np.isfinite(G).all()


def test_float32(moons):
    X, y = moons
    single = X.astype(np.float32)
    for centers in (None, X[:3]):
        kernel = ilk.kernel("conformal", centers=centers).fit(single, y)
        assert kernel.gram(single).dtype == np.float32
        assert kernel.diagonal(single).dtype == np.float32


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"coefficients": [1.0]}, "coefficients must be None unless centers are given"),
        ({"centers": [[0.0, 0.0]], "coefficients": [1.0, 2.0]}, "one value for each of 1 centers"),
        ({"centers": [[0.0, 0.0]], "coefficients": [0.0]}, "coefficients must be greater than 0"),
        ({"tau": np.inf}, "tau must be finite"),
        ({"tau": "mean"}, "tau must be"),
        ({"svm": {"c": 1}}, r"svm must have parameters of SVC only, got \['c'\]"),
        ({"svm": {"C": -1}}, "svm is invalid"),
    ],
)
def test_bad_parameters(parameters, message, moons):
    kernel = ilk.registry("kernel").get("conformal")(**parameters)
    with pytest.raises(ilk.ParameterError, match=message):
        kernel.fit(*moons)


def test_labels_are_needed_to_find_centers(moons):
    X, y = moons
    with pytest.raises(ilk.InputError, match="conformal: requires y"):
        ilk.kernel("conformal").fit(X)
    with pytest.raises(ilk.InputError, match="1 class"):
        ilk.kernel("conformal").fit(X, np.zeros_like(y))
    ilk.kernel("conformal", centers=X[:2]).fit(X)


@in_one_test
@pytest.mark.parametrize("centers", [[], [1, 2], [[1.0]], [None], [[np.nan, 0.0]], 3, ["ab"]])
def test_centers_are_data_like_those_of_training(centers, moons):
    kernel = ilk.registry("kernel").get("conformal")(centers=centers)
    with pytest.raises(ilk.ParameterError, match="conformal: centers must be"):
        kernel.fit(*moons)
