"""The index that chooses: its rule, when it builds a tree, and the answers of brute force."""

import numpy as np
import pytest

import ilk
from cases import in_one_test


def auto(X, distance="euclidean", **parameters):
    return ilk.index("auto").fit(X, distance=ilk.distance(distance, **parameters))


def rows(n, p, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


@in_one_test
@pytest.mark.parametrize(
    ("n", "p", "distance", "expected"),
    [
        (4000, 2, "euclidean", True),
        (3999, 2, "euclidean", False),
        (8000, 2, "chebyshev", True),
        (8000, 2, "manhattan", True),
        (7999, 2, "manhattan", False),
        (130_000, 7, "euclidean", False),
        (20_000, 3, "cosine", False),
        (20_000, 3, "canberra", False),
    ],
)
def test_the_rule(n, p, distance, expected):
    assert auto(np.ones((n, p)), distance).suits_tree_ is expected


def test_no_tree_where_there_is_no_metric():
    assert not auto(rows(9000, 2), "minkowski", p=0.5).suits_tree_
    assert auto(rows(9000, 2), "minkowski", p=3).suits_tree_
    assert not ilk.index("auto").fit(["a", "b"], distance=ilk.distance("levenshtein")).suits_tree_


def test_a_tree_is_built_once_there_are_enough_queries():
    X = rows(4000, 2)
    index, brute = auto(X), ilk.index("brute").fit(X, distance=ilk.distance("euclidean"))
    seen = []
    for _ in range(6):
        got, expected = index.kneighbors(X[:400], 3), brute.kneighbors(X[:400], 3)
        np.testing.assert_array_equal(got, expected)
        seen.append(type(index.index_).__name__)
    assert seen == ["Brute"] * 5 + ["KDTree"]
    assert index.n_distance_evaluations_ == 5 * 400 * 4000 + 400 * 4
    batch = auto(X)
    _, where = batch.radius_neighbors(X[:600], 0.1)
    assert type(batch.index_).__name__ == "KDTree"
    for got, expected in zip(where, brute.radius_neighbors(X[:600], 0.1)[1], strict=True):
        np.testing.assert_array_equal(got, expected)


def test_queries_far_outside_are_left_to_brute_force():
    X = rows(4000, 2)
    index = auto(X)
    index.kneighbors(5 + X[:600], 3)
    assert type(index.index_).__name__ == "Brute"
    index.kneighbors(X[:600], 3)
    assert type(index.index_).__name__ == "KDTree"
    index.kneighbors(np.concatenate([X[:540], 5 + X[:60]]), 3)
    assert type(index.index_).__name__ == "KDTree"


def test_rows_in_a_file_are_read_block_by_block(tmp_path):
    X = np.memmap(tmp_path / "rows", dtype=float, mode="w+", shape=(4000, 2))
    X[:] = rows(4000, 2)
    index = auto(X)
    assert not index.suits_tree_
    expected = auto(np.array(X)).kneighbors(np.array(X), 2)
    np.testing.assert_array_equal(index.kneighbors(X, 2), expected)


def test_in_knn():
    X = rows(4000, 2)
    y = (X[:, 0] > X[:, 1]).astype(int)
    plain, chosen = (ilk.classifier("knn", index=index).fit(X, y) for index in ("brute", "auto"))
    np.testing.assert_array_equal(chosen.predict_proba(X), plain.predict_proba(X))
    assert repr(chosen.index_.index_) == "KDTree()"
    one, other = (model.leave_one_out(X, y).labels for model in (plain, chosen))
    np.testing.assert_array_equal(one, other)
