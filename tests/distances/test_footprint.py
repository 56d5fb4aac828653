"""Footprint-based retrieval: the competence model by its definitions, and two-stage search."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
import ilk_distances


def fitted(X, y, distance="euclidean", **parameters):
    distance = ilk.distance(distance).fit(X)
    return ilk.index("footprint", **parameters).fit(X, y, distance=distance)


def model(D, y, k):
    """Coverage, reachability, relative coverage, groups and footprint, word by word."""
    n = len(D)
    k = min(k, n - 1)
    near = [
        sorted((j for j in range(n) if j != t), key=lambda j: (D[t, j], j))[:k] for t in range(n)
    ]
    solves = {(c, t) for t in range(n) for c in near[t] if y[c] == y[t]} | {
        (c, c) for c in range(n)
    }
    coverage = [{t for c_, t in solves if c_ == c} for c in range(n)]
    reachability = [{c for c, t_ in solves if t_ == t} for t in range(n)]
    related = [a | b for a, b in zip(coverage, reachability, strict=True)]
    weight = [sum(1 / len(reachability[t]) for t in coverage[c]) for c in range(n)]
    groups = [{c} for c in range(n)]
    for a in range(n):
        for b in range(n):
            if related[a] & related[b] and groups[a] is not groups[b]:
                groups[a] |= groups[b]
                for member in groups[b]:
                    groups[member] = groups[a]
    chosen, remaining, changes = [], sorted(range(n), key=lambda c: (-round(weight[c], 9), c)), True
    while changes:
        changes = False
        for case in list(remaining):
            if not reachability[case] & set(chosen):
                chosen.append(case)
                remaining.remove(case)
                changes = True
    return coverage, reachability, related, weight, groups, sorted(chosen)


def test_worked_example():
    """Five cases on a line: each is solved by its like neighbours among the two nearest."""
    X, y = [[0.0], [1.0], [2.0], [7.0], [8.0]], list("aaabb")
    index = fitted(X, y, n_neighbors=2, n_references=1)
    assert [index.coverage_[c].tolist() for c in range(5)] == [
        [0, 1, 2],
        [0, 1, 2],
        [0, 1, 2],
        [3, 4],
        [3, 4],
    ]
    np.testing.assert_allclose(index.relative_coverage_, 1)
    assert index.footprint_.tolist() == [0, 3]
    assert index.groups_.tolist() == [0, 0, 0, 1, 1]
    near, where = index.kneighbors([[1.6], [9.0]], 2)
    assert where.tolist() == [[2, 1], [4, 3]]
    np.testing.assert_allclose(near, [[0.4, 0.6], [1, 2]])


def test_the_second_stage_looks_at_the_first_cases_relations_only():
    """The nearest case of the other class is not seen: one reference, related to its own class."""
    X, y = [[0.0], [1.0], [2.1], [2.2], [3.0]], list("aabbb")
    index = fitted(X, y, n_neighbors=1, n_references=1)
    assert index.footprint_.tolist() == [0, 3]
    assert index.related_[3].tolist() == [2, 3, 4]
    assert index.kneighbors([[1.5]], 1)[1].tolist() == [[2]]  # row 1 is nearer, but not row 3's
    assert index.kneighbors([[1.5]], 4)[1].tolist() == [[1, 2, 3, 0]]  # takes the other one too
    assert fitted(X, y, n_neighbors=1, n_references=2).kneighbors([[1.5]], 1)[1].tolist() == [[1]]


@given(st.data())
def test_model_agrees_with_its_definitions(data):
    n = data.draw(st.integers(1, 14))
    cells = st.integers(0, 4)
    X = np.array(data.draw(st.lists(st.tuples(cells, cells), min_size=n, max_size=n)), dtype=float)
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    k = data.draw(st.integers(1, 4))
    index = fitted(X, y, n_neighbors=k)
    D = ilk.distance("euclidean").pairwise(X)
    coverage, reachability, related, weight, groups, chosen = model(D, y, k)
    for c in range(n):
        assert set(index.coverage_[c].tolist()) == coverage[c]
        assert set(index.reachability_[c].tolist()) == reachability[c]
        assert set(index.related_[c].tolist()) == related[c]
        assert set(np.flatnonzero(index.groups_ == index.groups_[c]).tolist()) == groups[c]
    np.testing.assert_allclose(index.relative_coverage_, weight)
    assert set(chosen) & set(index.footprint_.tolist()) or not chosen
    assert all(reachability[t] & set(index.footprint_.tolist()) for t in range(n))


@given(st.integers(1, 30), st.integers(0, 2**32 - 1), st.data())
def test_always_k_rows_with_their_distances(n, seed, data):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 5, (n, 2)).astype(float), rng.integers(0, 3, n)
    k = data.draw(st.integers(1, n))
    index = fitted(X, y, n_neighbors=3, n_references=1)
    Q = rng.integers(-1, 6, (7, 2)).astype(float)
    near, where = index.kneighbors(Q, k)
    D = index.distance_.pairwise(Q, X)
    assert near.shape == where.shape == (7, k)
    assert all(len(set(row)) == k for row in where.tolist())
    np.testing.assert_array_equal(near, np.take_along_axis(D, where, axis=1))
    assert [list(zip(*pair, strict=True)) for pair in zip(near, where, strict=True)] == [
        sorted(zip(*pair, strict=True)) for pair in zip(near, where, strict=True)
    ]
    if k == n:
        np.testing.assert_array_equal(where, np.argsort(D, axis=1, kind="stable"))


def test_the_footprint_is_chosen_in_the_order_of_relative_coverage():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    index = fitted(X, y, n_neighbors=4)
    assert index.footprint_.tolist() == model(index.distance_.pairwise(X), y, 4)[-1]
    assert len(index.footprint_) < 40


def test_finds_most_with_few_distances():
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(8, 5)) * 4
    labels = rng.integers(0, 8, 2200)
    X = centers[labels] + rng.normal(size=(2200, 5))
    index = fitted(X[:2000], labels[:2000])
    before = index.n_distance_evaluations_
    assert before == 2000**2
    index.kneighbors(X[2000:], 5)
    assert index.n_distance_evaluations_ - before < 0.3 * 200 * 2000
    few = ilk_distances.recall(index, X[2000:], 5)
    assert few > 0.85
    more = fitted(X[:2000], labels[:2000], n_references=16)
    assert ilk_distances.recall(more, X[2000:], 5) > max(few, 0.97)


def test_queries_do_not_depend_on_one_another():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 3, 300)
    index = fitted(X, y, n_neighbors=2, n_references=1)
    Q = rng.normal(size=(20, 3))
    near, where = index.kneighbors(Q, 12)
    for i in range(20):
        alone = index.kneighbors(Q[i : i + 1], 12)
        np.testing.assert_array_equal(alone[0][0], near[i])
        np.testing.assert_array_equal(alone[1][0], where[i])


@pytest.mark.parametrize(
    ("name", "X", "query"),
    [
        ("hamming", ["abc", "abd", "xyz", "xyw"], ["abe"]),
        ("levenshtein", ["abc", "abcd", "xyz", "xy"], ["abce"]),
    ],
)
def test_takes_any_distance(name, X, query):
    index = fitted(X, ["a", "a", "x", "x"], name, n_neighbors=1, n_references=1)
    assert set(index.kneighbors(query, 2)[1].ravel().tolist()) == {0, 1}


def test_a_row_among_equals_is_not_taken_for_its_own_neighbour():
    index = fitted(np.ones((6, 2)), np.array([0, 0, 0, 0, 1, 1]), n_neighbors=2)
    assert all(c in index.coverage_[c] for c in range(6))
    assert index.kneighbors([[1.0, 1.0]], 6)[1].tolist() == [[0, 1, 2, 3, 4, 5]]


def test_one_row():
    index = fitted([[3.0]], ["only"])
    assert index.kneighbors([[1.0]], 1)[0] == [[2.0]]
    assert index.footprint_.tolist() == [0]


def test_labels_are_needed():
    with pytest.raises(ilk.InputError, match="footprint: requires y to be passed"):
        ilk.index("footprint").fit([[0.0], [1.0]], distance=ilk.distance("euclidean"))
    with pytest.raises(ilk.InputError, match="footprint: y has 1 values for the 2 rows"):
        fitted([[0.0], [1.0]], [0])


@pytest.mark.parametrize("names", [("yes", "no"), (-1, 1), (True, False)])
def test_labels_may_be_called_anything(names):
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    expected = fitted(X, codes).kneighbors(X, 4)[1]
    got = fitted(X, np.array(names)[codes]).kneighbors(X, 4)[1]
    np.testing.assert_array_equal(got, expected)
