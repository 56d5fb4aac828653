"""kd-tree: worked examples, scipy, how much it looks at, what it refuses."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

import ilk
from cases import in_one_test


def kd_tree(X, distance="euclidean", index=None, **parameters):
    fitted = ilk.distance(distance, **parameters).fit(X)
    return ilk.index("kd_tree", **(index or {})).fit(X, distance=fitted)


def test_by_hand():
    """Of the points A, B and C of the text, from A: B at 4, C at 6 by Manhattan."""
    index = kd_tree([[1, 1], [5, 1], [4, 4]], "manhattan")
    near, where = index.kneighbors([[1, 1]], 3)
    assert near.tolist() == [[0, 4, 6]]
    assert where.tolist() == [[0, 1, 2]]


@in_one_test
@pytest.mark.parametrize("p", [1, 1.5, 2, 3, np.inf])
def test_agrees_with_scipy(p):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(2000, 4)), rng.normal(size=(50, 4))
    near, where = kd_tree(X, "minkowski", p=p).kneighbors(Q, 6)
    expected = cKDTree(X).query(Q, 6, p=p)
    np.testing.assert_allclose(near, expected[0], rtol=1e-12)
    np.testing.assert_array_equal(where, expected[1])


def test_looks_at_a_small_part():
    rng = np.random.default_rng(1)
    X, Q = rng.random((20_000, 3)), rng.random((100, 3))
    index = kd_tree(X)
    index.kneighbors(Q, 5)
    assert index.n_distance_evaluations_ < 100 * 500


@pytest.mark.parametrize("weights", [None, [1e-3, 1, 7, 1e3]])
@pytest.mark.parametrize("offset", [0, 1e9])
def test_rounding_inside_the_tree_changes_no_answer(weights, offset):
    """Weighted rows are rounded in the tree; far from the origin as coarsely as they are apart."""
    rng = np.random.default_rng(4)
    rows = offset + rng.integers(0, 50, (4000, 4)) / 16
    X, Q = rows[:3900], rows[3900:]
    index = kd_tree(X, weights=weights)
    expected = ilk.index("brute").fit(X, distance=index.distance_)
    for got, right in zip(index.kneighbors(Q, 7), expected.kneighbors(Q, 7), strict=True):
        np.testing.assert_array_equal(got, right)
    r = float(np.median(index.kneighbors(Q, 7)[0]))
    for got, right in zip(
        index.radius_neighbors(Q, r)[1], expected.radius_neighbors(Q, r)[1], strict=True
    ):
        np.testing.assert_array_equal(got, right)


def test_copies_in_masses():
    """More ties than the tree is asked for: these queries alone are compared with all rows."""
    rng = np.random.default_rng(5)
    X = np.concatenate([np.zeros((3000, 3)), rng.normal(size=(9000, 3))])[rng.permutation(12_000)]
    Q = np.concatenate([np.zeros((1, 3)), rng.normal(size=(40, 3)) + 3])
    index = kd_tree(X)
    expected = ilk.index("brute").fit(X, distance=index.distance_).kneighbors(Q, 5)
    np.testing.assert_array_equal(index.kneighbors(Q, 5), expected)
    assert index.n_distance_evaluations_ == 12_000 + 40 * 6


def test_memory():
    """Sixteen bytes a row for the tree, as documented, and blocks of queries."""
    import tracemalloc

    X = np.random.default_rng(6).normal(size=(60_000, 8))
    kd_tree(X[:100]).kneighbors(X[:9], 3)
    tracemalloc.start()
    try:
        index = kd_tree(X)
        index.kneighbors(X[:6000], 10)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    tree = index._tree.tree
    node = 9 * 8  # numbers and pointers of scipy's nodes
    assert 8 * len(X) + node * tree.size <= 16 * len(X)
    assert np.shares_memory(tree.data, X)
    assert peak < 16 * len(X) + 8 * 2**20


@in_one_test
@pytest.mark.parametrize("order", ["sorted", "reversed", "organ pipe", "one value", "two values"])
def test_building_is_not_slowed_down_by_an_order(order):
    n = 100_000
    line = np.arange(n, dtype=float)
    X = {
        "sorted": line,
        "reversed": line[::-1],
        "organ pipe": np.minimum(line, line[::-1]),
        "one value": np.zeros(n),
        "two values": line % 2,
    }[order][:, None]
    near, _ = kd_tree(X).kneighbors(X[[0, n // 2]], 2)
    assert (near <= 1).all()


def test_a_zero_weight_is_refused():
    with pytest.raises(ilk.InputError, match="kd_tree: distance must be a metric"):
        kd_tree(np.ones((3, 2)), weights=[1, 0])


def test_p_below_one_is_refused():
    with pytest.raises(ilk.InputError, match="kd_tree: distance must be a metric, .* minkowski"):
        kd_tree(np.ones((3, 2)), "minkowski", p=0.5)


def test_other_metrics_are_refused():
    def absolute(x, y):
        return abs(x - y).sum()

    with pytest.raises(ilk.InputError, match=r"kd_tree: distance must be minkowski.* callable"):
        kd_tree(np.ones((3, 2)), "callable", function=absolute, symmetric=True, metric=True)


def test_large_k_is_not_sorted_by_insertion():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 2))
    near, where = kd_tree(X).kneighbors(X[:3], 2500)
    expected = ilk.index("brute").fit(X, distance=ilk.distance("euclidean")).kneighbors(X[:3], 2500)
    np.testing.assert_array_equal(where, expected[1])
    np.testing.assert_array_equal(near, expected[0])


@in_one_test
@pytest.mark.parametrize("p", [1, 2, 3, 40])
@pytest.mark.parametrize("scale", [1.7e308, 1e-300])
@pytest.mark.filterwarnings("ignore:overflow")
def test_numbers_at_the_ends_of_the_range(p, scale):
    """Powers of two bring them into the range of the tree."""
    rng = np.random.default_rng(7)
    X, Q = (rng.uniform(-1, 1, (n, 2)) * scale for n in (300, 9))
    index = kd_tree(X, "minkowski", p=p)
    brute = ilk.index("brute").fit(X, distance=index.distance_)
    np.testing.assert_array_equal(index.kneighbors(Q, 3), brute.kneighbors(Q, 3))
    near = index.radius_neighbors(Q, scale / 8)[1]
    for got, expected in zip(near, brute.radius_neighbors(Q, scale / 8)[1], strict=True):
        np.testing.assert_array_equal(got, expected)
