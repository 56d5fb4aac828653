"""Brute force: agreement, ties, counting, memory."""

import tracemalloc

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

import ilk
from cases import in_one_test


def brute(X, distance="euclidean", **parameters):
    distance = ilk.distance(distance, **parameters)
    return ilk.index("brute").fit(X, distance=distance.fit(X))


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@in_one_test
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("euclidean", {}),
        ("manhattan", {}),
        ("chebyshev", {}),
        ("minkowski", {"p": 3}),
    ],
)
def test_agrees_with_scikit_learn(name, parameters, rng):
    X, Q = rng.normal(size=(300, 4)), rng.normal(size=(40, 4))
    peer = NearestNeighbors(n_neighbors=7, metric=name, algorithm="brute", **parameters).fit(X)
    expected = peer.kneighbors(Q)
    near, where = brute(X, name, **parameters).kneighbors(Q, 7)
    np.testing.assert_allclose(near, expected[0], rtol=1e-6)
    np.testing.assert_array_equal(where, expected[1])
    near, where = brute(X, name, **parameters).radius_neighbors(Q, 1.0)
    expected = peer.radius_neighbors(Q, 1.0, sort_results=True)
    for got, right in zip(where, expected[1], strict=True):
        np.testing.assert_array_equal(got, right)
    assert max(map(len, where)) > 1


def test_ties_go_to_the_lower_index(rng):
    X = rng.permutation(np.repeat(np.arange(4.0), 50))[:, None]
    index = brute(X)
    for k in (1, 3, 50, 70, 200):
        D = np.abs(X.T - 1.5)
        _, where = index.kneighbors([[1.5]], k)
        np.testing.assert_array_equal(where, np.argsort(D, axis=1, kind="stable")[:, :k])


def test_duplicates_and_all_rows_equal():
    index = brute(np.ones((6, 2)))
    near, where = index.kneighbors(np.ones((2, 2)), 4)
    assert not near.any()
    assert where.tolist() == [[0, 1, 2, 3]] * 2
    assert index.radius_neighbors([[1, 1]], 0)[1][0].tolist() == [0, 1, 2, 3, 4, 5]


def test_one_training_row():
    assert brute([[3.0]]).kneighbors([[1.0]], 1)[0] == [[2.0]]


def test_k_is_all():
    near, where = brute([[0.0], [2.0], [1.0]]).kneighbors([[0.0]], 3)
    assert near.tolist() == [[0, 1, 2]]
    assert where.tolist() == [[0, 2, 1]]


def test_k_beyond_all():
    with pytest.raises(ilk.InputError, match="brute: k must be an integer between 1 and .*3"):
        brute([[0.0], [2.0], [1.0]]).kneighbors([[0.0]], 4)


@in_one_test
@pytest.mark.parametrize("r", [-1, float("nan"), "1", None, True])
def test_bad_radius(r):
    with pytest.raises(ilk.InputError, match="brute: r must be a number of at least 0"):
        brute([[0.0]]).radius_neighbors([[0.0]], r)


def test_infinite_distances_rank_last():
    matrix = np.array([[0, np.inf, 2], [np.inf, 0, np.inf], [2, np.inf, 0]])
    index = brute(np.arange(3), "precomputed", matrix=matrix)
    near, where = index.kneighbors([[0], [1]], 3)
    assert near.tolist() == [[0, 2, np.inf], [0, np.inf, np.inf]]
    assert where.tolist() == [[0, 2, 1], [1, 0, 2]]
    assert index.radius_neighbors([[1]], 1e300)[1][0].tolist() == [1]
    assert index.radius_neighbors([[1]], np.inf)[1][0].tolist() == [1, 0, 2]


def test_counts_since_fit():
    index = brute(np.ones((6, 2)))
    assert index.n_distance_evaluations_ == 0
    index.kneighbors(np.ones((4, 2)), 1)
    index.radius_neighbors(np.ones((1, 2)), 1.0)
    assert index.n_distance_evaluations_ == 5 * 6
    distance = ilk.distance("euclidean")
    assert index.fit(np.ones((3, 2)), distance=distance).n_distance_evaluations_ == 0


def test_float32_stays_float32(rng):
    X = rng.normal(size=(50, 3)).astype(np.float32)
    near, _ = brute(X).kneighbors(X, 3)
    assert near.dtype == np.float32
    assert not near[:, 0].any()


def test_bad_rows_are_named():
    with pytest.raises(ilk.InputError, match="X has NaN at row 1, column 0"):
        brute([[0.0], [np.nan]])
    with pytest.raises(ilk.InputError, match="Q has infinity .* at row 0, column 0"):
        brute([[0.0], [1.0]]).kneighbors([[np.inf]], 1)


def test_training_rows_are_not_copied(rng):
    X = rng.normal(size=(5, 2))
    assert np.shares_memory(brute(X).X_, X)


def test_a_fast_path_of_the_distance_is_used():
    class Known(ilk.Distance):
        """Knows the answer."""

        def pairwise(self, X, Y=None):
            raise AssertionError("not needed")

        def kneighbors(self, X, Y, k):
            return np.zeros((len(X), k)), np.tile(np.arange(k), (len(X), 1))

    index = ilk.index("brute").fit([[1.0], [2.0]], distance=Known())
    assert index.kneighbors([[5.0]], 2)[1].tolist() == [[0, 1]]


@pytest.mark.parametrize("kind", ["continuous", "ties", "equal"])
def test_memory_is_bounded(kind, rng):
    """All distances would be 400 MB."""
    n = 500_000
    X = {
        "continuous": rng.random((n, 2)),
        "ties": rng.integers(0, 3, (n, 2)).astype(float),
        "equal": np.ones((n, 2)),
    }[kind]
    index = brute(X)
    Q = X[:100].copy()
    tracemalloc.start()
    try:
        _, where = index.kneighbors(Q, 5)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200 * 2**20 < 100 * n * 8
    np.testing.assert_array_equal(where[:3], [by_hand(q, X) for q in Q[:3]])


def by_hand(q, X):
    return np.argsort(((X - q) ** 2).sum(axis=1), kind="stable")[:5]


@in_one_test
@pytest.mark.parametrize("name", sorted(ilk.registry("index").names()))
@pytest.mark.parametrize("distance", ["euclidean", None, len, ilk.kernel("linear")])
def test_every_index_needs_a_distance(name, distance):
    if name in {"hnsw", "faiss"}:
        pytest.importorskip("hnswlib" if name == "hnsw" else name, reason="in the extra ann")
    with pytest.raises((ilk.InputError, ilk.InputTypeError), match=f"{name}: distance must be"):
        ilk.index(name).fit([[0.0], [1.0]], [0, 1], distance=distance)


@pytest.mark.parametrize("name", ["brute", "case_retrieval_net", "lsh"])
def test_radii_of_any_size(name):
    X = [[0.0], [1.0]]
    distance = "heterogeneous" if name == "case_retrieval_net" else "euclidean"
    index = ilk.index(name).fit(X, distance=ilk.distance(distance).fit(X))
    for r in (np.inf, 10**400, np.float32(2)):
        assert index.radius_neighbors([[0.0]], r)[1][0][0] == 0
    for r in (-1, np.nan, None, "1", True, 1j, [1]):
        with pytest.raises(ilk.InputError, match=f"{name}: r must be a number of at least 0"):
            index.radius_neighbors(X, r)
