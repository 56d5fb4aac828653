"""The substitution kernel: its check of definiteness and its repairs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk_distances.kernels.gram import least_eigenvalue, positive_part


def substitution(distance="chebyshev", sigma=3.0, **parameters):
    return ilk.kernel("substitution", distance=distance, sigma=sigma, **parameters)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 3))


@pytest.fixture
def Q():
    return np.random.default_rng(1).normal(size=(15, 3))


def plain(X, Y=None, distance="chebyshev", sigma=3.0):
    return np.exp(-(ilk.distance(distance).pairwise(X, Y) ** 2) / (2 * sigma**2))


def test_the_kernel_needs_repair(X):
    values = np.linalg.eigvalsh(plain(X))
    assert values[0] < -0.01
    kernel = substitution().fit(X)
    assert kernel.least_eigenvalue_ == pytest.approx(values[0], rel=1e-9)


def test_clip_gives_the_nearest_definite_matrix(X):
    values, vectors = np.linalg.eigh(plain(X))
    expected = vectors @ np.diag(np.maximum(values, 0)) @ vectors.T
    kernel = substitution().fit(X)
    np.testing.assert_allclose(kernel.gram(X), expected, atol=1e-9)
    np.testing.assert_allclose(kernel.gram(X, X), expected, atol=1e-9)
    np.testing.assert_allclose(kernel.gram(X[3:9], X[20:]), expected[3:9, 20:], atol=1e-9)
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(expected), atol=1e-9)


def test_clip_projects_new_rows(X, Q):
    values, vectors = np.linalg.eigh(plain(X))
    P = vectors[:, values > 0] @ vectors[:, values > 0].T
    np.testing.assert_allclose(substitution().fit(X).gram(Q, X), plain(Q, X) @ P, atol=1e-9)


def test_clip_compares_new_rows_only():
    words = ["kitten", "sitting", "mitten", "bitten", "fitting", "sit", "kit", "tin", "nit"]
    seen = []

    def distance(x, y):
        seen.append((x, y))
        return _letters(x, y)

    edit = ilk.distance("callable", function=distance, metric=True, symmetric=True)
    kernel = substitution(edit, 6.0).fit(words)
    seen.clear()
    kernel.gram(["tan", "kit"], words)
    assert seen == [("tan", word) for word in words]


def test_clip_is_definite_on_any_rows(X, Q):
    kernel = substitution().fit(X)
    both = np.vstack([Q, X])
    G = kernel.gram(both)
    assert np.linalg.eigvalsh(G)[0] >= -1e-9
    np.testing.assert_array_equal(G, G.T)
    np.testing.assert_allclose(G[:15, 15:], kernel.gram(Q, X), atol=1e-9)
    np.testing.assert_allclose(kernel.diagonal(Q), np.diagonal(kernel.gram(Q)), rtol=1e-12)


def test_shift_raises_the_diagonal(X, Q):
    kernel = substitution(repair="shift").fit(X)
    s = -np.linalg.eigvalsh(plain(X))[0]
    np.testing.assert_allclose(kernel.gram(X), plain(X) + s * np.eye(40), rtol=1e-12)
    np.testing.assert_allclose(kernel.gram(Q, X), plain(Q, X), rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X), 1 + s, rtol=1e-12)
    assert np.linalg.eigvalsh(kernel.gram(X))[0] >= -1e-12


def test_shift_takes_rows_for_themselves_wherever_they_stand(X):
    kernel = substitution(repair="shift").fit(X)
    G = kernel.gram(X)
    np.testing.assert_array_equal(kernel.gram(X[[7, 2]], X), G[[7, 2]])
    np.testing.assert_array_equal(kernel.gram(X[[7, 2]], X[[2, 7, 7]]), G[[7, 2]][:, [2, 7, 7]])


@pytest.mark.parametrize("repair", ["clip", "shift"])
def test_repeated_rows(repair, X):
    twice = np.vstack([X, X])
    G = substitution(repair=repair).fit(twice).gram(twice)
    assert np.linalg.eigvalsh(G)[0] >= -1e-9
    np.testing.assert_allclose(G[:40, :40], G[40:, :40], atol=1e-9)


def test_an_indefinite_kernel_is_an_error_if_asked(X):
    with pytest.raises(
        ilk.InputError, match=r"substitution: .* eigenvalue -0\.524: the kernel over chebyshev"
    ):
        substitution(repair="error").fit(X)


@pytest.mark.parametrize("repair", ["clip", "shift", "error"])
def test_a_definite_kernel_stays_as_it_is(repair, X, Q):
    kernel = substitution("euclidean", repair=repair).fit(X)
    assert kernel.least_eigenvalue_ == 0
    assert kernel.projection_ is None
    expected = ilk.kernel("rbf", sigma=3.0).fit(X)
    np.testing.assert_allclose(kernel.gram(Q, X), expected.gram(Q, X), rtol=1e-13)
    np.testing.assert_array_equal(kernel.diagonal(X), np.ones(40))


def test_widths_are_those_of_the_rbf(X):
    for how in ("mean_distance", "neighbors"):
        kernel = substitution(sigma=how, n_neighbors=3).fit(X)
        peer = ilk.kernel("rbf", sigma=how, n_neighbors=3, distance="chebyshev").fit(X)
        assert kernel.sigma_ == peer.sigma_


@pytest.mark.parametrize("repair", ["clip", "shift"])
def test_texts(repair):
    words = ["kitten", "sitting", "mitten", "bitten", "fitting", "sit", "kit", "tin", "nit"]
    edit = ilk.distance("callable", function=_letters, metric=True, symmetric=True)
    kernel = substitution(edit, 6.0, repair=repair).fit(words)
    assert kernel.least_eigenvalue_ < 0
    assert ilk.is_positive_semidefinite(kernel.gram(words), 1e-9)
    np.testing.assert_allclose(kernel.gram(["tin"], words), kernel.gram(words)[[7]], atol=1e-9)


def _letters(x, y):
    return max(len(x), len(y)) - sum(a == b for a, b in zip(x, y, strict=False))


def test_tables():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 9.0], "b": ["x", "y", "x", "z"]})
    kernel = substitution("heterogeneous", 2.0).fit(table)
    assert ilk.is_positive_semidefinite(kernel.gram(table), 1e-9)


def test_an_asymmetric_distance():
    H = np.random.default_rng(4).dirichlet(np.full(4, 1.0), size=12)
    matrix = (H[:, None] * np.log(H[:, None] / H)).sum(axis=2)
    rows = np.arange(12)
    distance = ilk.distance("precomputed", matrix=np.maximum(matrix, 0))
    G = substitution(distance, 0.5).fit(rows).gram(rows)
    np.testing.assert_array_equal(G, G.T)
    assert ilk.is_positive_semidefinite(G, 1e-9)


@pytest.mark.parametrize("repair", ["clip", "shift"])
def test_float32(repair, X, Q):
    single, wide = (substitution(repair=repair).fit(Z) for Z in (X.astype(np.float32), X))
    got = single.gram(Q.astype(np.float32), X.astype(np.float32))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, wide.gram(Q, X), atol=1e-5)
    assert single.gram(X.astype(np.float32), X).dtype == np.float64
    assert single.diagonal(X.astype(np.float32)).dtype == np.float32
    assert substitution("euclidean").fit(X.astype(np.float32)).least_eigenvalue_ == 0


@given(seed=st.integers(0, 1000), n=st.integers(1, 15), sigma=st.floats(0.1, 50))
def test_repaired_training_rows_are_definite(seed, n, sigma):
    X = np.random.default_rng(seed).integers(0, 3, size=(n, 3)).astype(float)
    for repair in ("clip", "shift"):
        G = substitution("manhattan", sigma, repair=repair).fit(X).gram(X)
        assert np.linalg.eigvalsh(G)[0] >= -1e-8


@pytest.mark.parametrize("repair", ["clip", "shift"])
def test_feature_space(repair, X, Q):
    kernel = substitution(repair=repair).fit(X)
    G, own = kernel.gram(Q, X), kernel.diagonal(Q)
    expected = own[:, None] + kernel.diagonal(X) - 2 * G
    np.testing.assert_allclose(kernel.squared_distances(Q, X), expected, atol=1e-9)
    assert (np.diagonal(kernel.squared_distances(X)) == 0).all()


def test_eigenvalues():
    A = np.random.default_rng(6).normal(size=(10, 10))
    A = A + A.T
    values = np.linalg.eigvalsh(A)
    assert least_eigenvalue(A) == pytest.approx(values[0])
    kept, vectors = positive_part(A)
    np.testing.assert_allclose(kept, values[values > 0])
    np.testing.assert_allclose(A @ vectors, vectors * kept, atol=1e-12)


@in_one_test
@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1.0, 2.0]], "must be square"),
        ([[1.0, 2.0], [0.0, 1.0]], "must be symmetric"),
        ([[np.nan]], "must be finite"),
        (np.empty((0, 0)), "must be square"),
    ],
)
def test_no_gram_matrix(matrix, message):
    for function in (ilk.is_positive_semidefinite, least_eigenvalue, positive_part):
        with pytest.raises(ilk.InputError, match=message):
            function(matrix)
