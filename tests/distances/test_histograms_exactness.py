"""Distances of histograms beside hundreds of digits: close, tiny, huge; and equal bits."""

import math
from decimal import Context, Decimal, localcontext

import numpy as np
import pytest

import ilk
from cases import in_one_test

NAMES = [
    "chi2",
    "hellinger",
    "histogram_intersection",
    "jeffrey",
    "jensen_shannon",
    "kullback_leibler",
    "symmetric_kl",
]
POLICIES = [
    (name, normalize)
    for name in NAMES
    for normalize in (True, False)
    if normalize or name != "jensen_shannon"
]
DIGITS = Context(prec=320, Emin=-99999, Emax=99999)


def made(name, normalize=True, **parameters):
    if name != "jensen_shannon":
        parameters["normalize"] = normalize
    return ilk.distance(name, **parameters)


def exact(name, x, y, normalize, smoothing=0.0):
    """Return the distance by its definition, of the very numbers given."""
    with localcontext(DIGITS):
        h = [Decimal(float(v)) + Decimal(smoothing) for v in x]
        k = [Decimal(float(v)) + Decimal(smoothing) for v in y]
        if normalize:
            h, k = [v / sum(h) for v in h], [v / sum(k) for v in k]
        if name == "histogram_intersection":
            return float(1 - sum(map(min, h, k)) / min(sum(h), sum(k)))
        total = sum((TERMS[name](a, b) for a, b in zip(h, k, strict=True) if a != b), Decimal(0))
        return float(total.sqrt() if name in {"hellinger", "jensen_shannon"} else total)


def _weighted_log(a, b):
    if a == 0:
        return Decimal(0)
    return a * (a / b).ln() if b else Decimal("inf")


def _jeffrey(a, b):
    return _weighted_log(a, (a + b) / 2) + _weighted_log(b, (a + b) / 2)


TERMS = {
    "chi2": lambda a, b: (a - b) ** 2 / (a + b) / 2,
    "hellinger": lambda a, b: (a.sqrt() - b.sqrt()) ** 2 / 2,
    "jeffrey": _jeffrey,
    "jensen_shannon": lambda a, b: _jeffrey(a, b) / 2,
    "kullback_leibler": lambda a, b: _weighted_log(a, b) - a + b,
    "symmetric_kl": lambda a, b: (
        _weighted_log(a, b) + _weighted_log(b, a) if a and b else Decimal("inf")
    ),
}


def check(name, X, Y, normalize, rtol, smoothing=0.0, atol=0.0):
    parameters = {"smoothing": smoothing} if smoothing else {}
    got = made(name, normalize, **parameters).pairwise(X, Y)
    expected = np.array([[exact(name, x, y, normalize, smoothing) for y in Y] for x in X])
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol)


def base(dtype=float, p=6, n=3):
    return np.random.default_rng(0).dirichlet(np.ones(p), n).astype(dtype)


@pytest.mark.parametrize(("name", "normalize"), POLICIES)
@pytest.mark.parametrize("step", [1e-2, 1e-4, 1e-6, 1e-8, 1e-11, 1e-15])
def test_close_histograms_keep_their_digits(name, normalize, step):
    X = base()
    noise = np.random.default_rng(1).normal(size=X.shape)
    check(name, X, X * (1 + step * noise), normalize, 1e-11)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("step", [1e-3, 1e-7, 1e-12])
def test_close_shapes_of_other_masses_keep_their_digits(name, step):
    X = base()
    noise = np.random.default_rng(1).normal(size=X.shape)
    check(name, X, 7.3 * X * (1 + step * noise), True, 1e-11)


@in_one_test
@pytest.mark.parametrize(("name", "normalize"), POLICIES)
@pytest.mark.parametrize("step", [1e-1, 1e-2, 1e-3, 1e-4, 1e-6])
def test_close_histograms_of_float32_keep_their_digits(name, normalize, step):
    X = base(np.float32)
    noise = np.random.default_rng(1).normal(size=X.shape)
    Y = (X * (1 + step * noise)).astype(np.float32)
    assert made(name, normalize).pairwise(X, Y).dtype == np.float32
    check(name, X, Y, normalize, 2e-6, atol=1e-37)


@in_one_test
@pytest.mark.parametrize("name", ["jeffrey", "kullback_leibler", "symmetric_kl"])
@pytest.mark.parametrize("normalize", [True, False])
def test_smoothed_histograms_keep_their_digits(name, normalize):
    X = np.round(1000 * base())
    Y = X + np.random.default_rng(1).integers(0, 2, X.shape) * 1e-6
    check(name, X, Y, normalize, 1e-11, smoothing=0.3)


@in_one_test
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [5e-324, 1e-318, 1e-308, 1e-300, 1e-150, 1e150, 1e300])
def test_size_of_bins_does_not_matter_once_normalized(name, scale):
    X = np.round(50 * base()) + 1
    Y = np.round(30 * np.roll(base(), 1, axis=0)) + 1
    check(name, X * scale, Y * scale, True, 1e-11)
    assert (np.diag(made(name).pairwise(X * scale, X * scale)) == 0).all()


@in_one_test
@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
@pytest.mark.parametrize(("name", "normalize"), POLICIES)
def test_huge_and_tiny_histograms_as_they_are(name, normalize, scale):
    X, Y = scale * base(), scale * np.roll(base(), 1, axis=0)
    check(name, X, Y, normalize, 1e-11)


@in_one_test
@pytest.mark.parametrize(("name", "normalize"), POLICIES)
def test_subnormal_histograms_as_they_are(name, normalize):
    X, Y = np.array([[2, 30, 7], [9, 1, 0]]) * 5e-324, np.array([[2, 31, 7], [40, 9, 1]]) * 5e-324
    D = made(name, normalize).pairwise(X, Y)
    assert not np.isnan(D).any()
    assert (D >= 0).all()
    if name != "hellinger" or normalize:
        check(name, X, Y, normalize, 1e-11, atol=2e-323)


@in_one_test
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("name", "normalize"), POLICIES)
def test_bins_of_all_sizes_in_one_histogram(name, normalize, dtype):
    rng = np.random.default_rng(2)
    lowest = -280 if dtype == np.float64 else -30
    X, Y = (base(p=5) * 10.0 ** rng.integers(lowest, 1, (3, 5)) for _ in range(2))
    X[:, 0], Y[:, 0], X[0, 3], Y[1, 4] = 0.5, 0.25, 0, 0
    check(name, X.astype(dtype), Y.astype(dtype), normalize, 1e-11 if dtype == np.float64 else 2e-6)


@in_one_test
@pytest.mark.parametrize("name", NAMES)
def test_a_single_bin(name):
    D = made(name).pairwise([[3.0], [1e-310], [7e200]])
    np.testing.assert_array_equal(D, np.zeros((3, 3)))


def test_a_bin_that_is_tiny_beside_an_empty_one_is_infinitely_far():
    d = made("kullback_leibler", normalize=False)
    assert d.between([1, 5e-324], [1, 0]) == math.inf
    assert made("symmetric_kl", normalize=False).between([1, 0], [1, 5e-324]) == math.inf
    assert d.between([1, 0], [1, 5e-324]) < 1e-300


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("name", "normalize"), POLICIES)
def test_an_entry_does_not_depend_on_what_is_beside_it(name, normalize, dtype):
    rng = np.random.default_rng(3)
    X = rng.dirichlet(np.full(37, 0.5), 700)
    X[rng.random(X.shape) < 0.1] = 0
    X[600:] = X[:100] * (1 + 1e-9)
    X[::97, :5] *= 1e-200
    X = X.astype(dtype)
    d = made(name, normalize)
    D = d.pairwise(X)
    with ilk.threads(1):
        np.testing.assert_array_equal(d.pairwise(X), D)
    np.testing.assert_array_equal(d.pairwise(X, X.copy()), D)
    np.testing.assert_array_equal(d.pairwise(np.asfortranarray(X), X[:, ::-1][:, ::-1]), D)
    for i in (0, 1, 97, 600, 699):
        np.testing.assert_array_equal(d.pairwise(X[i : i + 1], X[3:650])[0], D[i, 3:650])
        np.testing.assert_array_equal(d.pairwise(X[5:620], X[i : i + 1])[:, 0], D[5:620, i])
    assert d.between(X[2], X[602]) == D[2, 602]


@in_one_test
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("name", "normalize"), POLICIES)
def test_neighbours_are_those_of_the_whole_matrix(name, normalize, dtype):
    rng = np.random.default_rng(4)
    Y = rng.multinomial(6, np.full(5, 0.2), 600).astype(dtype)  # with many ties
    X = Y[::20]
    d = made(name, normalize)
    D = d.pairwise(X, Y)
    near, where = d.kneighbors(X, Y, 7)
    order = np.argsort(D, axis=1, kind="stable")[:, :7]
    np.testing.assert_array_equal(where, order)
    np.testing.assert_array_equal(near, np.take_along_axis(D, order, axis=1))
