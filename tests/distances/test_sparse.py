"""Sparse rows under distances, kernels and indexes: the answers of dense rows, in less memory."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import cosine_distances, rbf_kernel
from sklearn.neighbors import NearestNeighbors

import ilk
from ilk.neighbors import sparse

# sums of differences in the order of the features, and what is computed from them alike
SAME_BITS = [
    {"use": "euclidean"},
    {"use": "manhattan"},
    {"use": "chebyshev"},
    {"use": "cosine"},
    {"use": "canberra"},
    {"use": "bray_curtis"},
    {"use": "hamming"},
    {"use": "jaccard"},
]
# the same terms, grouped or scaled otherwise
SAME_VALUES = [
    {"use": "minkowski", "p": 3},
    {"use": "minkowski", "p": 2.5},
    {"use": "minkowski", "p": 0.3},
    {"use": "correlation"},
    {"use": "chi2"},
    {"use": "chi2", "normalize": True},
    {"use": "hellinger"},
    {"use": "hellinger", "normalize": False},
    {"use": "histogram_intersection"},
    {"use": "histogram_intersection", "normalize": True},
    {"use": "kullback_leibler", "smoothing": 0.1},
    {"use": "kullback_leibler", "normalize": False},
    {"use": "jeffrey"},
    {"use": "jeffrey", "smoothing": 0.2, "normalize": False},
    {"use": "jensen_shannon", "base": 2},
    {"use": "symmetric_kl", "smoothing": 0.1},
]


def distance(table):
    return ilk.build(table, kind="distance")


def rows(n, p, seed, density=0.1, dtype=float):
    """Non-negative rows: none empty or constant, some equal, some multiples of others."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, p)) * (rng.random((n, p)) < density)
    X[:, 0], X[:, 1] = 0.5, rng.random(n)
    X[n // 2], X[n // 3] = X[0], 4 * X[1]
    return X.astype(dtype)


def test_worked_example():
    X = sp.csr_array([[1.0, 0.0, 2.0], [0.0, 0.0, 2.0]])
    assert ilk.distance("manhattan").pairwise(X).tolist() == [[0, 1], [1, 0]]
    assert ilk.distance("hamming", normalize=False).pairwise(X).tolist() == [[0, 1], [1, 0]]
    cosine = ilk.distance("cosine").pairwise(X)
    np.testing.assert_allclose(cosine[0, 1], 1 - 2 / np.sqrt(5))
    near, where = ilk.nearest(X, 1, sp.csr_array([[0.0, 0.0, 3.0]]), distance="cosine")
    assert (near.tolist(), where.tolist()) == ([[0.0]], [[1]])


@pytest.mark.parametrize("table", SAME_BITS, ids=str)
@pytest.mark.parametrize("p", [30, 2500])
def test_the_bits_of_dense_rows(table, p):
    X, Y = rows(20, p, 0), rows(30, p, 1)
    d = distance(table)
    np.testing.assert_array_equal(d.pairwise(sp.csr_array(X), sp.csr_array(Y)), d.pairwise(X, Y))
    np.testing.assert_array_equal(d.pairwise(sp.csr_array(X)), d.pairwise(X))
    np.testing.assert_array_equal(d.pairwise(X, sp.csc_matrix(Y)), d.pairwise(X, Y))
    for got, expected in zip(
        d.kneighbors(sp.csr_array(X), sp.csr_array(Y), 7), d.kneighbors(X, Y, 7), strict=True
    ):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("table", SAME_VALUES, ids=str)
def test_the_values_of_dense_rows(table):
    X, Y = rows(20, 200, 0), rows(30, 200, 1)
    d = distance(table)
    np.testing.assert_allclose(
        d.pairwise(sp.csr_array(X), sp.csr_array(Y)), d.pairwise(X, Y), rtol=1e-9, atol=1e-15
    )


@pytest.mark.parametrize("table", SAME_BITS + SAME_VALUES, ids=str)
def test_single_precision(table):
    X = rows(20, 60, 0, dtype=np.float32)
    d = distance(table)
    got = d.pairwise(sp.csr_array(X))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, d.pairwise(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "chebyshev"])
def test_weights(name):
    X = rows(20, 60, 0)
    weights = np.where(np.arange(60) % 7 == 0, 0.0, np.linspace(0.5, 2, 60))
    d = ilk.distance(name, weights=weights)
    np.testing.assert_allclose(d.pairwise(sp.csr_array(X)), d.pairwise(X), rtol=1e-12)


@pytest.mark.parametrize("size", [1e-200, 1e200, 1e-320])
@pytest.mark.parametrize("name", ["euclidean", "minkowski", "cosine", "canberra"])
def test_magnitudes(name, size):
    X = rows(10, 20, 0) * size
    d = ilk.distance(name)
    np.testing.assert_allclose(d.pairwise(sp.csr_array(X)), d.pairwise(X), rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    density=st.sampled_from([0.02, 0.3, 1.0]),
    name=st.sampled_from(["euclidean", "cosine", "manhattan", "jaccard"]),
    k=st.integers(1, 40),
)
def test_searches_agree_with_sorting(seed, density, name, k):
    """Small integers: many ties, which go to the lower index."""
    X = np.round(3 * rows(40, 15, seed, density))
    X[:, 1] += 1
    d = ilk.distance(name)
    D = d.pairwise(X[:9], X)
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    near, where = ilk.nearest(sp.csr_array(X), k, sp.csr_array(X[:9]), distance=name)
    np.testing.assert_array_equal(where, order)
    np.testing.assert_array_equal(near, np.take_along_axis(D, order, axis=1))


def test_each_row_leaves_itself_out_not_its_twins():
    X = rows(40, 300, 2)
    for name in ("cosine", "euclidean", "chi2"):
        got, expected = (ilk.nearest(Z, 3, distance=name)[1] for Z in (sp.csr_array(X), X))
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("name", "r"),
    [("cosine", 0.7), ("cosine", 2), ("euclidean", 2.5), ("chi2", 1.5), ("cosine", 0)],
)
def test_radius(name, r):
    X = rows(30, 300, 3)
    r = float(ilk.distance(name).pairwise(X)[0, 5]) if r == 2.5 else r  # a row at the border
    got, expected = (ilk.within(Z, r, distance=name) for Z in (sp.csr_array(X), X))
    for one, other in zip(got, expected, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_other_libraries():
    X = sp.random_array((50, 400), density=0.05, rng=0, format="csr")
    dense = X.toarray()
    np.testing.assert_allclose(ilk.distance("cosine").pairwise(X), cosine_distances(X), atol=1e-12)
    for name, theirs in [("manhattan", "cityblock"), ("canberra", "canberra")]:
        np.testing.assert_allclose(
            ilk.distance(name).pairwise(X), cdist(dense, dense, theirs), rtol=1e-12
        )
    peer = NearestNeighbors(n_neighbors=4, metric="cosine", algorithm="brute").fit(X)
    _, where = ilk.nearest(X, 4, X[:20], distance="cosine")
    np.testing.assert_array_equal(where, peer.kneighbors(X[:20], return_distance=False))
    rbf = ilk.kernel("rbf", sigma=2.0).gram(X)
    np.testing.assert_allclose(rbf, rbf_kernel(X, gamma=1 / 8), rtol=1e-10)


@pytest.mark.parametrize(
    "kernel",
    [
        {"use": "rbf"},
        {"use": "rbf", "sigma": np.linspace(1, 2, 40)},
        {"use": "rbf", "distance": "cosine"},
        {"use": "rational"},
        {"use": "exponential_chi2"},
    ],
    ids=str,
)
def test_kernels_of_distances(kernel):
    X = rows(20, 40, 0)
    fitted = ilk.build(kernel, kind="kernel").fit(X)
    sparse_fitted = ilk.build(kernel, kind="kernel").fit(sp.csr_array(X))
    np.testing.assert_allclose(
        sparse_fitted.gram(sp.csr_array(X[:5]), sp.csr_array(X)), fitted.gram(X[:5], X), rtol=1e-9
    )


@pytest.mark.parametrize("name", ["cosine", "euclidean", "manhattan"])
def test_lsh_finds_what_it_finds_in_dense_rows(name):
    X = rows(120, 200, 0)
    d = ilk.distance(name)
    answers = [
        ilk.index("lsh", n_tables=4, random_state=0).fit(Z, distance=d).kneighbors(Z[:30], 3)[1]
        for Z in (sp.csr_array(X), X)
    ]
    np.testing.assert_array_equal(*answers)


def test_lsh_names_brute_for_other_families():
    X = sp.csr_array(rows(10, 20, 0))
    with pytest.raises(ilk.InputTypeError, match="lsh: X has sparse rows.*jaccard.*brute"):
        ilk.index("lsh").fit(X, distance=ilk.distance("jaccard"))


def test_untidy_rows():
    """Unsorted columns, a value in two parts, a stored zero, 64-bit indices; X is not changed."""
    X = sp.csr_array(
        (
            np.array([2.0, 1.0, 0.5, 0.5, 0.0]),
            np.array([2, 0, 1, 1, 0], dtype=np.int64),
            np.array([0, 2, 5], dtype=np.int64),
        ),
        shape=(2, 3),
    )
    before = X.data.copy(), X.indices.copy(), X.indptr.copy()
    for name in ("euclidean", "manhattan", "hamming", "correlation", "chi2", "cosine"):
        d = ilk.distance(name)
        np.testing.assert_allclose(d.pairwise(X), d.pairwise(X.toarray()), rtol=1e-12)
    for part, old in zip((X.data, X.indices, X.indptr), before, strict=True):
        np.testing.assert_array_equal(part, old)


def test_indices_out_of_range_are_refused():
    X = sp.csr_array(np.eye(3))
    X.indices[1] = 7
    with pytest.raises(ilk.InputError, match="euclidean: X has sparse rows with wrong indices"):
        ilk.distance("euclidean").pairwise(X)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("euclidean", np.nan, "euclidean: X has NaN at row 1, column 2"),
        ("cosine", np.inf, r"cosine: X has infinity \(inf\) at row 1, column 2"),
        ("chi2", -1.0, r"chi2: X has a negative bin \(-1\) at row 1, column 2"),
        ("jaccard", -1.0, "jaccard: X must not be negative, got -1.0 at row 1, column 2"),
    ],
)
def test_bad_values_are_named_by_row_and_column(name, value, said):
    X = sp.csr_array([[1.0, 0.0, 0.0], [0.0, 0.0, 5.0]])
    X.data[1] = value
    with pytest.raises(ilk.InputError, match=said):
        ilk.distance(name).pairwise(X)


def test_empty_rows():
    X = sp.csr_array([[0.0, 0.0], [3.0, 4.0]])
    assert ilk.distance("euclidean").pairwise(X).tolist() == [[0, 5], [5, 0]]
    with pytest.raises(ilk.InputError, match="cosine: X has a row that is zero.*row 0"):
        ilk.distance("cosine").pairwise(X)
    with pytest.raises(ilk.InputError, match="correlation: X has a row that is constant.*row 0"):
        ilk.distance("correlation").pairwise(X)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (lambda X: ilk.distance("mahalanobis").fit(X), "mahalanobis.*distance cosine takes them"),
        (
            lambda X: ilk.index("kd_tree").fit(X, distance=ilk.distance("euclidean")),
            "kd_tree.*index brute",
        ),
    ],
)
def test_what_takes_no_sparse_rows_names_what_does(run, said):
    with pytest.raises(ilk.InputTypeError, match=said):
        run(sp.csr_array(np.eye(3)))


def test_candidates_are_few():
    """Products rule out nearly all rows: few pairs are compared one by one."""
    X = sp.random_array((400, 3000), density=0.05, rng=1, format="csr")
    d, merged = ilk.distance("euclidean"), []

    class Counting(type(d)):
        def merge(self, X, rows, Y, columns):
            merged.append(len(rows))
            return super().merge(X, rows, Y, columns)

    sparse.nearest(Counting(), X, X, 3)
    assert sum(merged) < 5 * 400
    sparse.within(Counting(), X, X, 1e-3)
    assert sum(merged) < 7 * 400
