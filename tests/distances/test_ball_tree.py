"""Ball tree: worked example, scikit-learn, the balls themselves, what it refuses."""

import numpy as np
import pytest
from sklearn.neighbors import BallTree

import ilk


def ball_tree(X, distance="euclidean", index=None, **parameters):
    fitted = ilk.distance(distance, **parameters).fit(X)
    return ilk.index("ball_tree", **(index or {})).fit(X, distance=fitted)


def test_by_hand():
    index = ball_tree([[1, 1], [5, 1], [4, 4]])
    near, where = index.kneighbors([[1, 1]], 3)
    np.testing.assert_allclose(near, [[0, 4, 18**0.5]])
    assert where.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "chebyshev"])
def test_agrees_with_scikit_learn(name):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(1000, 4)), rng.normal(size=(20, 4))
    near, where = ball_tree(X, name).kneighbors(Q, 6)
    peer = BallTree(X, metric=name)
    expected = peer.query(Q, 6)
    np.testing.assert_allclose(near, expected[0], rtol=1e-9)
    np.testing.assert_array_equal(where, expected[1])
    near, where = ball_tree(X, name).radius_neighbors(Q, 0.8)
    expected = peer.query_radius(Q, 0.8, return_distance=True, sort_results=True)
    for got, right in zip(where, expected[0], strict=True):
        np.testing.assert_array_equal(got, right)


@pytest.mark.parametrize("leaf_size", [1, 4, 1000])
def test_balls_hold_what_is_in_them(leaf_size):
    X = np.random.default_rng(1).normal(size=(300, 3))
    tree = ball_tree(X, index={"leaf_size": leaf_size}).tree_
    np.testing.assert_array_equal(np.sort(tree.rows), np.arange(300))
    below = [[] for _ in tree.rows]
    for ball in range(len(tree.rows) - 1, -1, -1):
        children = range(tree.first[ball], tree.first[ball] + tree.count[ball])
        below[ball] = [tree.rows[ball], *(row for child in children for row in below[child])]
        D = np.sqrt(((X[below[ball]] - X[tree.rows[ball]]) ** 2).sum(axis=1))
        np.testing.assert_allclose(tree.radii[ball], D.max(), rtol=1e-12)
        for child in children:
            up = np.sqrt(((X[tree.rows[child]] - X[tree.rows[ball]]) ** 2).sum())
            np.testing.assert_allclose(tree.up[child], up, rtol=1e-12)
    assert len(below[0]) == 300


def test_looks_at_a_small_part():
    rng = np.random.default_rng(2)
    X, Q = rng.random((5000, 3)), rng.random((30, 3))
    index = ball_tree(X)
    index.kneighbors(Q, 5)
    assert index.n_distance_evaluations_ < 30 * 500


def test_objects_are_refused():
    def lengths(x, y):
        return float(abs(len(x) - len(y)))

    distance = ilk.distance("callable", function=lengths, symmetric=True, metric=True)
    with pytest.raises(ilk.InputError, match="ball_tree: X must be vectors, .*callable"):
        ilk.index("ball_tree").fit(["a", "bb"], distance=distance)


def test_huge_numbers():
    X = np.array([[1.7e308, 0], [-1.7e308, 1], [1e308, 2], [0, 3]] * 5)
    near, where = ball_tree(X, "chebyshev", {"leaf_size": 1}).kneighbors([[0.0, 3.0]], 2)
    assert near.tolist() == [[0, 0]]
    assert where.tolist() == [[3, 7]]
