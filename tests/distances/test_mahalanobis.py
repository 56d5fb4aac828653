"""The Mahalanobis distance: estimates, given maps, singular and indefinite matrices, digits."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.covariance import EmpiricalCovariance, LedoitWolf
from sklearn.exceptions import NotFittedError

import ilk
from cases import in_one_test


def mahalanobis(covariance="empirical", **parameters):
    return ilk.distance("mahalanobis", covariance=covariance, **parameters)


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 5)) @ rng.normal(size=(5, 5)) + 3


def test_worked_example():
    d = mahalanobis(covariance=[[2, 1], [1, 2]])  # its inverse is [[2, -1], [-1, 2]] / 3
    expected = [[0, (2 / 3) ** 0.5, (2 / 3) ** 0.5], [(2 / 3) ** 0.5, 0, 2**0.5]]
    got = d.pairwise([[0, 0], [1, 0]], [[0, 0], [1, 0], [0, 1]])
    np.testing.assert_allclose(got, expected, rtol=1e-15)
    np.testing.assert_array_equal(d.fit([[5, 9], [0, 1]]).pairwise([[0, 0]], [[0, 0]]), [[0]])


def test_agrees_with_scipy(X):
    S = np.cov(X.T)
    expected = cdist(X, X[:7], "mahalanobis", VI=np.linalg.inv(S))
    d = mahalanobis().fit(X)
    np.testing.assert_allclose(d.pairwise(X, X[:7]), expected, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(mahalanobis(S).pairwise(X, X[:7]), expected, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(d.metric_matrix_, np.linalg.inv(S), rtol=1e-10)
    np.testing.assert_allclose(d.components_ @ S @ d.components_.T, np.eye(5), atol=1e-12)
    assert d.metric
    assert d.rank_ == 5


@pytest.mark.parametrize("shape", [(60, 5), (4, 5), (5, 5)])
def test_agrees_with_scikit_learn(shape):
    X = np.random.default_rng(1).normal(size=shape) * [1, 1e3, 1e-3, 1, 1]
    expected = LedoitWolf().fit(X)
    d = mahalanobis("ledoit_wolf").fit(X)
    to_mean = d.pairwise(X, expected.location_[None])[:, 0]
    np.testing.assert_allclose(to_mean**2, expected.mahalanobis(X), rtol=1e-6)
    if shape[0] > 5:
        n, empirical = shape[0], EmpiricalCovariance().fit(X)
        to_mean = mahalanobis().fit(X).pairwise(X, empirical.location_[None])[:, 0]
        np.testing.assert_allclose(to_mean**2, empirical.mahalanobis(X) * (n - 1) / n, rtol=1e-8)


@pytest.mark.parametrize("share", [0.001, 0.3, 1.0])
def test_shrinkage(X, share):
    X[:, 4] = X[:, 0]
    S = np.cov(X.T)
    shrunk = (1 - share) * S + share * np.trace(S) / 5 * np.eye(5)
    expected = cdist(X, X, "mahalanobis", VI=np.linalg.inv(shrunk))
    for d in (mahalanobis(shrinkage=share).fit(X), mahalanobis(S, shrinkage=share)):
        np.testing.assert_allclose(d.pairwise(X), expected, rtol=1e-9, atol=1e-9)


@given(
    seed=st.integers(0, 10**6),
    p=st.integers(1, 6),
    units=st.integers(-8, 8),
    offset=st.sampled_from([0.0, 1.0, -100.0]),
)
def test_affine_maps_change_nothing(seed, p, units, offset):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(p + 6, p))
    U, _ = np.linalg.qr(rng.normal(size=(p, p)))
    V, _ = np.linalg.qr(rng.normal(size=(p, p)))
    A = U * rng.uniform(0.5, 2, p) @ V * 10.0 ** rng.integers(-abs(units), abs(units) + 1, p)
    Z = X @ A + offset * np.abs(X @ A).max(axis=0)
    expected = mahalanobis().fit(X).pairwise(X)
    np.testing.assert_allclose(mahalanobis().fit(Z).pairwise(Z), expected, rtol=1e-7, atol=1e-9)


@given(seed=st.integers(0, 10**6), n=st.integers(3, 20), p=st.integers(1, 5))
def test_axioms(seed, n, p):
    X = np.random.default_rng(seed).normal(size=(n, p))
    X[-1] = X[0]
    d = mahalanobis(shrinkage=0.2).fit(X)
    D = d.pairwise(X)
    assert not np.diagonal(D).any()
    assert D[0, -1] == 0
    np.testing.assert_array_equal(D, D.T)
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12).all()
    np.testing.assert_array_equal(d.pairwise(X[1:3], X), D[1:3])


def dependent(X):
    return np.column_stack([X, X[:, 0] + X[:, 1]])


SINGULAR = {
    "dependent": (dependent, 5),
    "in other units": (lambda X: dependent(X) * [1, 1e9, 1e-9, 1, 1, 1e5], None),
    "constant": (lambda X: np.insert(X, 2, 0.1, axis=1), 5),
    "twice": (lambda X: np.column_stack([X, X[:, 2] * 3]), 5),
    "far away": (lambda X: dependent(X + 1e7), 5),
    "few rows": (lambda X: X[:4], 3),
    "float32": (lambda X: dependent(X.astype(np.float32)), 5),
    "two rows": (lambda X: X[:2], 1),
}


@in_one_test
@pytest.mark.parametrize("name", SINGULAR)
def test_a_singular_covariance_is_refused_with_its_rank(X, name):
    make, rank = SINGULAR[name]
    Z = make(X)
    if rank is None:
        Z[:, 5], rank = Z[:, 0] * 7, 5
    p = Z.shape[1]
    message = f"mahalanobis: the covariance of X is singular: its rank is {rank} for {p} features"
    with pytest.raises(ilk.InputError, match=message):
        mahalanobis().fit(Z)
    d = mahalanobis(pinv=True).fit(Z)
    assert d.rank_ == rank
    assert d.components_.shape == (rank, p)
    assert not d.metric
    if len(Z) > 2:  # of two rows nothing is shrunk
        assert mahalanobis("ledoit_wolf").fit(Z).metric


def test_the_pseudo_inverse_is_that_of_moore_and_penrose(X):
    Z = dependent(X)
    d = mahalanobis(pinv=True).fit(Z)
    np.testing.assert_allclose(
        d.metric_matrix_, np.linalg.pinv(np.cov(Z.T), rcond=1e-10), atol=1e-9
    )
    np.testing.assert_allclose(d.pairwise(Z), mahalanobis().fit(X).pairwise(X), atol=1e-11)
    given = mahalanobis(np.cov(Z.T), pinv=True)
    np.testing.assert_allclose(given.pairwise(Z), d.pairwise(Z), atol=1e-6)


def test_small_variances_are_not_taken_for_none(X):
    Z = dependent(X)
    Z[:, 5] += 1e-9 * np.random.default_rng(0).normal(size=60)  # 1e-18 in the covariance
    d = mahalanobis().fit(Z)
    assert d.rank_ == 6
    A = np.eye(6)
    A[:2, 5] = -1e9
    A[5, 5] = 1e9
    np.testing.assert_allclose(d.pairwise(Z), mahalanobis().fit(Z @ A).pairwise(Z @ A), rtol=1e-4)


BAD_COVARIANCES = {
    "indefinite": ([[1.0, 2.0], [2.0, 1.0]], "positive semi-definite.*eigenvalue -1$"),
    "negative": ([[1.0, 0.0], [0.0, -1.0]], "positive semi-definite, got the variance -1.0 at 1"),
    "asymmetric": (
        [[1.0, 0.5], [0.1, 1.0]],
        r"symmetric, got 0.5 at \[0, 1\] and 0.1 at \[1, 0\]",
    ),
    "singular": ([[1.0, 2.0], [2.0, 4.0]], "is singular: its rank is 1 for 2 features"),
    "zero": (np.zeros((2, 2)), "is singular: its rank is 0"),
    "no variance": ([[0.0, 1.0], [1.0, 1.0]], "positive semi-definite"),
    "not square": (np.ones((2, 3)), "must be square"),
    "no matrix": ([1.0, 2.0], "must be a matrix"),
    "NaN": ([[1.0, np.nan], [0.0, 1.0]], r"must be finite, got nan at \[0, 1\]"),
}


@in_one_test
@pytest.mark.parametrize("name", BAD_COVARIANCES)
@pytest.mark.parametrize("size", [1.0, 1e-200, 1e200])
def test_what_is_no_covariance_is_refused(name, size):
    S, message = BAD_COVARIANCES[name]
    if size != 1:
        message = message.partition(", got")[0].partition(".*")[0].removesuffix(" at 1")
    for use in (
        lambda d: d.fit([[0, 0], [1, 2]]),
        lambda d: d.pairwise([[0, 0], [1, 2]]),
    ):
        with pytest.raises(ilk.ParameterError, match=message):
            use(mahalanobis(np.asarray(S) * size))


def test_given_components(X):
    L = np.array([[1.0, 0, 0, 0, 0], [0, 2.0, 0, 0, 1.0]])
    d = mahalanobis(components=L)
    np.testing.assert_allclose(d.pairwise(X), cdist(X @ L.T, X @ L.T), rtol=1e-9, atol=1e-12)
    assert not d.metric
    assert mahalanobis(components=np.eye(3) * [1, 1e-30, 1e30]).metric
    np.testing.assert_allclose(d.fit(X).pairwise(X), cdist(X @ L.T, X @ L.T), atol=1e-12)
    for parameters in ({"covariance": np.eye(5)}, {"pinv": True}, {"shrinkage": 0.5}):
        with pytest.raises(ilk.ParameterError, match="components must be None where"):
            mahalanobis(components=L, **parameters).fit(X)


def exactly(x, y, A):
    """The distance in rational arithmetic, its root in floating point."""
    gap = [Fraction(float(a)) - Fraction(float(b)) for a, b in zip(x, y, strict=True)]
    total = sum(
        g * Fraction(float(A[i, j])) * h for i, g in enumerate(gap) for j, h in enumerate(gap)
    )
    return float(total) ** 0.5


@in_one_test
@pytest.mark.parametrize("gap", [1e-3, 1e-7, 1e-11])
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_close_rows_keep_their_digits(X, gap, offset, dtype):
    X = (X + offset).astype(dtype)
    Y = (X + gap * np.random.default_rng(1).normal(size=X.shape)).astype(dtype)
    d = mahalanobis(components=np.linalg.cholesky(np.linalg.inv(np.cov(X.T.astype(float)))).T)
    got = np.diagonal(d.pairwise(X, Y))
    L = d.components
    A = np.array(
        [
            [
                float(sum(Fraction(a) * Fraction(b) for a, b in zip(L[:, i], L[:, j], strict=True)))
                for j in range(5)
            ]
            for i in range(5)
        ]
    )
    expected = [exactly(x, y, A) for x, y in zip(X, Y, strict=True)]
    np.testing.assert_allclose(got, expected, rtol=1e-8 if dtype == np.float64 else 1e-5)
    near, where = d.kneighbors(X, Y, 1)
    D = d.pairwise(X, Y)
    np.testing.assert_array_equal(where[:, 0], D.argmin(axis=1))
    np.testing.assert_array_equal(near[:, 0], D.min(axis=1))


def test_no_negative_number_comes_under_the_root():
    x = np.array([[1e8, 1e8 + 1], [1e8, 1e8 + 1]])
    S = [[1.0, 1 - 1e-12], [1 - 1e-12, 1.0]]
    np.testing.assert_array_equal(mahalanobis(S).pairwise(x), np.zeros((2, 2)))


def test_neighbours_are_those_of_pairwise(X):
    X = np.concatenate([X, X[:20], X[:5] + 1e-12])
    Q = np.concatenate([X[:10], X[:10] + 0.1])
    d = mahalanobis().fit(X)
    D = d.pairwise(Q, X)
    near, where = d.kneighbors(Q, X, 6)
    np.testing.assert_array_equal(where, np.argsort(D, axis=1, kind="stable")[:, :6])
    np.testing.assert_array_equal(near, np.take_along_axis(D, where, axis=1))
    index = ilk.index("brute").fit(X, distance=d)
    np.testing.assert_array_equal(index.kneighbors(Q, 6)[1], where)


def test_blocks_change_no_bit(X, monkeypatch):
    d = mahalanobis().fit(X)
    expected = d.pairwise(X)
    monkeypatch.setattr("ilk_distances.vectors.mapped._BLOCK", 16)
    monkeypatch.setattr("ilk_distances.vectors.mahalanobis._CLOSE", 3)
    np.testing.assert_array_equal(d.pairwise(np.asfortranarray(X)), expected)
    checked = d.check_input(X)
    np.testing.assert_array_equal(
        d.pairwise(checked[3:9], checked[[5, 0]]), expected[3:9][:, [5, 0]]
    )


def test_magnitudes():
    X = np.random.default_rng(0).normal(size=(20, 3))
    expected = mahalanobis().fit(X).pairwise(X)
    for size in (1e-300, 1e-150, 1e150, 1e300):
        got = mahalanobis().fit(X * size).pairwise(X * size)
        np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_numbers_too_large_for_the_map_are_named():
    d = mahalanobis().fit(np.random.default_rng(0).normal(size=(20, 3)) * 1e-10)
    far = np.array([[0.0, 0, 0], [1e300, 1, 1]])
    for call in (d.pairwise, d.prepare, lambda X: d.kneighbors(X, X, 1)):
        with pytest.raises(ilk.InputError, match="mahalanobis: X has numbers too large .* row 1"):
            call(far)
    with pytest.raises(ilk.InputError, match="mahalanobis: Y has numbers too large .* row 1"):
        d.pairwise(far[:1], far)


def test_bad_data(X):
    with pytest.raises(ilk.InputError, match="X has 1 row, a covariance needs at least 2"):
        mahalanobis().fit(X[:1])
    with pytest.raises(ilk.InputError, match="all rows of X are equal"):
        mahalanobis(pinv=True).fit(np.full((4, 2), 0.1))
    with pytest.raises(ilk.InputError, match="X has 4 features, but the map takes 5 features"):
        mahalanobis().fit(X).pairwise(X[:, :4])
    with pytest.raises(ilk.InputError, match="X has 3 features, but the map takes 2 features"):
        mahalanobis(np.eye(2)).fit(np.ones((2, 3)))
    with pytest.raises(NotFittedError):
        mahalanobis().pairwise(X)
    with pytest.raises(
        ilk.ParameterError, match="shrinkage must be 0 if covariance is .ledoit_wolf."
    ):
        mahalanobis("ledoit_wolf", shrinkage=0.5).fit(X)


def test_the_unit_changes_no_shrinkage(X):
    """Its fourth powers left the range of floats: an error, or a wrong answer without a word."""
    expected = mahalanobis("ledoit_wolf").fit(X).pairwise(X)
    for unit in (2.0**-600, 2.0**600, 2.0**1000):
        got = mahalanobis("ledoit_wolf").fit(X * unit).pairwise(X * unit)
        np.testing.assert_allclose(got, expected, rtol=1e-12)
