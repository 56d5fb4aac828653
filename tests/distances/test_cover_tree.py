"""Cover tree: its invariants, how few distances it takes, any kind of objects."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.neighbors import BallTree

import ilk
from ilk_distances.indexes.cover_tree import FEW


def cover_tree(X, base=1.3, distance="euclidean"):
    return ilk.index("cover_tree", base=base).fit(X, distance=ilk.distance(distance).fit(X))


def clusters(rng, n, p, k, spread):
    centres = rng.random((k, p)) * 10
    return lambda m: centres[rng.integers(0, k, m)] + rng.normal(size=(m, p)) * spread


def test_by_hand():
    index = cover_tree([[0.0], [1.0], [1.0], [5.0], [9.0]])
    near, where = index.kneighbors([[1.5]], 3)
    assert near.tolist() == [[0.5, 0.5, 1.5]]
    assert where.tolist() == [[1, 2, 0]]


def edit(x, y):
    """Levenshtein's distance, by the book."""
    row = list(range(len(y) + 1))
    for i, a in enumerate(x, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(y, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return float(row[-1])


def test_texts():
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("ab"), rng.integers(0, 9))) for _ in range(120)]
    distance = ilk.distance("callable", function=edit, symmetric=True, metric=True)
    index = ilk.index("cover_tree").fit(texts, distance=distance)
    near, where = index.kneighbors(["abba", "", "bbbbbb"], 5)
    D = np.array([[edit(q, x) for x in texts] for q in ("abba", "", "bbbbbb")])
    np.testing.assert_array_equal(where, np.argsort(D, axis=1, kind="stable")[:, :5])
    np.testing.assert_array_equal(near, np.sort(D, axis=1)[:, :5])


@pytest.mark.parametrize("base", [1.3, 2.0])
def test_invariants(base):
    """Balls hold what is below them; middles in a ball are apart by radius / base and cover it."""
    X = np.random.default_rng(1).normal(size=(400, 2))
    tree = cover_tree(X, base).tree_
    assert len(tree.rows) <= 2 * len(X)
    assert set(tree.rows) == set(range(400))
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    below = [set() for _ in tree.rows]
    for ball in range(len(tree.rows) - 1, -1, -1):
        row, first = tree.rows[ball], tree.first[ball]
        children = np.arange(first, first + tree.count[ball])
        below[ball] = {row}.union(*(below[child] for child in children))
        np.testing.assert_allclose(tree.radii[ball], D[row, list(below[ball])].max(), rtol=1e-12)
        np.testing.assert_allclose(tree.up[children], D[row, tree.rows[children]], rtol=1e-12)
        if len(below[ball]) - 1 <= FEW:
            continue
        scale = tree.radii[ball] / base
        assert (tree.radii[children] <= scale * (1 + 1e-12)).all()
        middles = list({row, *tree.rows[children].tolist()})
        apart = D[np.ix_(middles, middles)][~np.eye(len(middles), dtype=bool)]
        assert apart.min() > scale * (1 - 1e-12)
    assert len(below[0]) == 400


@pytest.mark.parametrize(("p", "k", "spread"), [(8, 100, 0.1), (16, 50, 0.3), (10, 20, 1.0)])
def test_few_distances_on_clusters(p, k, spread):
    """A quarter of a ball tree's a query, 100 a row to build."""
    rng = np.random.default_rng(2)
    draw = clusters(rng, 5000, p, k, spread)
    X, Q = draw(5000), draw(50)
    index = cover_tree(X)
    assert index.n_build_evaluations_ <= 100 * len(X)
    for neighbors in (1, 10):
        peer = BallTree(X, leaf_size=10)
        peer.reset_n_calls()
        peer.query(Q, neighbors)
        before = index.n_distance_evaluations_
        index.kneighbors(Q, neighbors)
        assert index.n_distance_evaluations_ - before <= peer.get_n_calls() / 4


def test_counts_are_true():
    """What the distance itself has seen."""
    seen = []

    class Counted(ilk.Distance):
        """Counts."""

        capabilities = ilk.Capabilities(symmetric=True, metric=True)

        def pairwise(self, X, Y=None):
            X, Y = self.check_pair(X, Y)
            seen.append(len(X) * len(Y))
            return np.abs(X[:, :1] - Y[:, 0])

    X = np.random.default_rng(3).random((500, 1))
    index = ilk.index("cover_tree").fit(X, distance=Counted())
    assert index.n_build_evaluations_ == sum(seen)
    seen.clear()
    index.kneighbors(X[:30], 3)
    index.radius_neighbors(X[:30], 0.01)
    assert index.n_distance_evaluations_ == sum(seen) < 60 * 100


def test_a_star_is_not_quadratic():
    """All rows at distance 1 from one of them, and at 2 from one another: no ball covers two."""
    n = 600
    matrix = np.full((n, n), 2.0)
    matrix[0], matrix[:, 0] = 1, 1
    np.fill_diagonal(matrix, 0)
    distance = ilk.distance("precomputed", matrix=matrix, metric=True, symmetric=True)
    index = ilk.index("cover_tree").fit(np.arange(n), distance=distance)
    assert index.n_build_evaluations_ <= 100 * n
    assert index.kneighbors([[5]], 3)[1].tolist() == [[5, 0, 1]]


def test_points_without_structure_are_not_quadratic():
    X = np.random.default_rng(4).normal(size=(1000, 200))
    assert cover_tree(X).n_build_evaluations_ <= 100 * 1000


def test_infinite_distances():
    """Two islands that are infinitely far apart."""
    line = np.abs(np.subtract.outer(np.arange(30.0), np.arange(30.0)))
    matrix = np.block([[line, np.full((30, 30), np.inf)], [np.full((30, 30), np.inf), line]])
    matrix = matrix[::-1, ::-1][np.ix_(np.arange(60), np.arange(60))]
    distance = ilk.distance("precomputed", matrix=matrix, metric=True, symmetric=True)
    index = ilk.index("cover_tree").fit(np.arange(60), distance=distance)
    brute = ilk.index("brute").fit(np.arange(60), distance=distance)
    for k in (1, 5, 29, 60):
        got, expected = index.kneighbors(np.arange(60), k), brute.kneighbors(np.arange(60), k)
        np.testing.assert_array_equal(got, expected)


points = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 80), st.just(1)), elements=st.floats(-9, 9)
)


@given(X=points, q=st.floats(-9, 9), base=st.sampled_from([1.1, 1.3, 2, 5]))
def test_on_the_line(X, q, base):
    D = np.abs(X[:, 0] - q)
    k = (len(X) + 2) // 3
    near, where = cover_tree(X, base).kneighbors([[q]], k)
    np.testing.assert_array_equal(where[0], np.argsort(D, kind="stable")[:k])
    np.testing.assert_array_equal(near[0], np.sort(D)[:k])


def test_a_distance_that_is_no_metric():
    distance = ilk.distance("minkowski", p=0.5)
    with pytest.raises(ilk.InputError, match="cover_tree: distance must be a metric, .*minkowski"):
        ilk.index("cover_tree").fit(np.ones((3, 2)), distance=distance)
