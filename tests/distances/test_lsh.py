"""Locality-sensitive hashing: the families by their collision rates, recall, and honest answers."""

import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
import ilk_distances
from cases import in_one_test
from ilk_distances.indexes.hash_families import (
    MinHash,
    Positions,
    Samples,
    Signs,
    Stable,
    collision,
)


def lsh(X, distance="euclidean", parameters=None, **options):
    distance = ilk.distance(distance, **(parameters or {})).fit(X)
    return ilk.index("lsh", random_state=0, **options).fit(X, distance=distance)


def clustered(rng, n, p=12, centers=60):
    return rng.normal(size=(centers, p))[rng.integers(0, centers, n)] * 3 + rng.normal(size=(n, p))


def both(n, m, p=12):
    """Data and queries around the same centres."""
    rows = clustered(np.random.default_rng(0), n + m, p)
    return rows[:n], rows[n:]


SETTINGS = {
    "euclidean": ("euclidean", {}, clustered),
    "weighted": ("euclidean", {"weights": [1, 9] * 6}, clustered),
    "manhattan": ("manhattan", {}, clustered),
    "minkowski": ("minkowski", {"p": 1}, clustered),
    "cosine": ("cosine", {}, clustered),
    "hamming": ("hamming", {}, lambda rng, n: np.digitize(clustered(rng, n), [-2, 0, 2])),
    "jaccard": ("jaccard", {}, lambda rng, n: (clustered(rng, n, 30) > 2.5).astype(float)),
    "weighted jaccard": ("jaccard", {}, lambda rng, n: np.maximum(clustered(rng, n), 0)),
}


def split(kind, n=3000, m=60):
    """Data and queries from the same source."""
    name, parameters, make = SETTINGS[kind]
    rows = make(np.random.default_rng(0), n + m)
    return name, parameters, rows[:n], rows[n:]


# ---- the families


def rate(family, x, y):
    values = family.values(np.array([x, y]))[0]
    return (values[0] == values[1]).mean()


@in_one_test
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("gap", [0.1, 1.0, 3.0, 20.0])
def test_stable_projections_collide_as_computed(p, gap):
    rng = np.random.RandomState(0)
    x = np.array([5.0, -3.0, 2.0, 8.0])
    y = x + gap * np.array([0.5, 0.5, -0.5, 0.5]) / (1 if p == 2 else 2)
    distance = ilk.distance("minkowski", p=p)
    assert distance.between(x, y) == pytest.approx(gap)
    family = Stable.draw(rng, np.array([x, y]), 20_000, distance, 2.5)
    expected = collision("minkowski", np.array(gap), p=p, width=2.5)
    assert rate(family, x, y) == pytest.approx(expected, abs=0.015)


def test_sides_of_planes_collide_as_computed():
    x, y = np.array([1.0, 0.0]), np.array([1.0, np.sqrt(3)])  # 60 degrees
    family = Signs.draw(np.random.RandomState(0), np.array([x]), 20_000)
    assert collision("cosine", np.array(0.5)) == pytest.approx(2 / 3)
    assert rate(family, x, y) == pytest.approx(2 / 3, abs=0.015)
    assert rate(family, x, 1e-3 * x) == 1


def test_positions_collide_as_computed():
    x, y = np.array([1.0, 2, 3, 4, -0.0]), np.array([1.0, 2, 0, 0, 0.0])
    family = Positions.draw(np.random.RandomState(0), np.array([x]), 20_000)
    assert rate(family, x, y) == pytest.approx(0.6, abs=0.015)


def test_minima_collide_as_computed():
    sets = ilk.distance("jaccard").check_input([{1, 2, 3}, {2, 3, 4}, set(), set()])
    values = MinHash.draw(np.random.RandomState(0), 20_000).values(sets)[0]
    assert (values[0] == values[1]).mean() == pytest.approx(2 / 4, abs=0.015)
    assert (values[2] == values[3]).all()
    assert not (values[0] == values[2]).any()


def test_samples_collide_as_computed():
    x, y = np.array([1.0, 2.5, 0, 0.3, 0]), np.array([0.4, 3.0, 1, 0.3, 0])
    family = Samples.draw(np.random.RandomState(0), np.array([x]), 20_000)
    distance = ilk.distance("jaccard")
    assert rate(family, x, y) == pytest.approx(1 - distance.between(x, y), abs=0.015)
    members = [1.0, 1, 1, 0, 0], [0.0, 1, 1, 1, 0]
    assert rate(family, *members) == pytest.approx(2 / 4, abs=0.015)
    assert rate(family, 0 * x, 0 * x) == 1
    assert rate(family, 0 * x, y) == 0


def test_equal_rows_always_collide():
    for name in ("minkowski", "cosine", "hamming", "jaccard"):
        assert collision(name, np.zeros(3), width=0.5) == pytest.approx([1, 1, 1])


# ---- the index


@pytest.mark.parametrize("kind", SETTINGS)
def test_finds_what_it_is_tuned_for(kind):
    name, parameters, X, Q = split(kind)
    index = lsh(X, name, parameters)
    assert index.expected_recall_ >= 0.9
    assert ilk_distances.recall(index, Q, 10) == pytest.approx(index.expected_recall_, abs=0.08)
    before = index.n_distance_evaluations_
    index.kneighbors(Q, 10)
    assert index.n_distance_evaluations_ - before < 0.7 * len(Q) * len(X)


@pytest.mark.parametrize("kind", SETTINGS)
def test_answers_are_honest(kind):
    name, parameters, X, Q = split(kind, 500)
    index = lsh(X, name, parameters)
    D = index.distance_.pairwise(Q, X)
    for k in (1, 10, 500):
        near, where = index.kneighbors(Q, k)
        assert near.shape == where.shape == (60, k)
        assert all(len(set(row)) == k for row in where.tolist())
        np.testing.assert_array_equal(near, np.take_along_axis(D, where, axis=1))
        assert (np.diff(near, axis=1) >= 0).all()
        ties = np.diff(near, axis=1) == 0
        assert (np.diff(where, axis=1)[ties] > 0).all()
    np.testing.assert_array_equal(where, np.argsort(D, axis=1, kind="stable"))  # k = n: all


@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.data())
def test_always_k_rows(n, seed, data):
    rng = np.random.default_rng(seed)
    X, Q = (rng.integers(0, 4, (m, 2)).astype(float) for m in (n, 6))
    k = data.draw(st.integers(1, n))
    index = lsh(X, n_tables=2, n_bits=4, width=0.7)
    near, where = index.kneighbors(Q, k)
    assert all(len(set(row)) == k for row in where.tolist())
    D = index.distance_.pairwise(Q, X)
    np.testing.assert_array_equal(near, np.take_along_axis(D, where, axis=1))
    assert (where >= 0).all()
    assert (where < n).all()


def test_a_query_with_too_few_candidates_is_compared_with_all():
    X = np.arange(20.0)[:, None]
    index = lsh(X, n_tables=1, n_bits=8, width=0.01)
    assert index.n_distance_evaluations_ == index.n_fallbacks_ == 0
    assert index.kneighbors([[3.2]], 2)[1].tolist() == [[3, 4]]
    assert index.n_fallbacks_ == 1
    assert index.n_distance_evaluations_ == 20
    assert ilk_distances.recall(index, [[3.2]], 5) == 1


def test_queries_do_not_depend_on_one_another(monkeypatch):
    X, Q = both(800, 40)
    index = lsh(X, n_probes=2)
    near, where = index.kneighbors(Q, 5)
    for i in range(0, 40, 7):
        alone = index.kneighbors(Q[i : i + 1], 5)
        np.testing.assert_array_equal(alone[0][0], near[i])
        np.testing.assert_array_equal(alone[1][0], where[i])
    monkeypatch.setattr("ilk_distances.indexes.lsh._BLOCK", 300)
    got = lsh(X, n_probes=2).kneighbors(Q, 5)
    np.testing.assert_array_equal(got[0], near)
    np.testing.assert_array_equal(got[1], where)


def test_threads_change_nothing():
    X, Q = both(1500, 300)
    with ilk.threads(1):
        expected = lsh(X).kneighbors(Q, 5)
    with ilk.threads(3):
        got = lsh(X).kneighbors(Q, 5)
    np.testing.assert_array_equal(got[1], expected[1])
    np.testing.assert_array_equal(got[0], expected[0])


def test_the_seed_decides():
    X, _ = both(1000, 0)
    distance = ilk.distance("euclidean")
    first, again, other = (
        ilk.index("lsh", n_tables=2, random_state=seed).fit(X, distance=distance).ordered_
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.filterwarnings("ignore::ilk_distances.RecallWarning")
def test_probing_finds_more_in_the_same_tables():
    X, Q = both(4000, 100)
    given_ = {"n_tables": 4, "n_bits": 8, "width": 8.0}
    found = []
    for n_probes in (0, 4, 16):
        index = lsh(X, n_probes=n_probes, **given_)
        rows = [
            set(members[queries == query].tolist())
            for part, queries, members in index._candidates(Q)
            for query in range(part.stop - part.start)
        ]
        if found:
            assert all(fewer <= more for fewer, more in zip(found[-1], rows, strict=True))
        found.append(rows)
    assert sum(map(len, found[0])) < sum(map(len, found[1])) < sum(map(len, found[2]))


def test_a_probe_is_the_bucket_next_door():
    """Width 1, one function: rows of the next strip are reached by the probe on that side."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 40, (2000, 1))
    index = lsh(X, n_tables=1, n_bits=1, width=3.0, n_probes=1)
    strips, margins = index.family_.values(X)
    query = np.array([[20.0]])
    own, sides = index.family_.values(query)
    ((_, _, rows),) = index._candidates(query)
    step = -1 if sides[0, 0, 0] < sides[1, 0, 0] else 1
    wanted = np.flatnonzero(np.isin(strips[:, 0], [own[0, 0], own[0, 0] + step]))
    np.testing.assert_array_equal(np.sort(rows), wanted)
    np.testing.assert_allclose(margins.sum(axis=0), 1)


def test_radius():
    X, Q = both(1500, 30)
    index = lsh(X)
    D = index.distance_.pairwise(Q, X)
    r = float(np.sort(D, axis=1)[:, 5].mean())
    near, where = index.radius_neighbors(Q, r)
    found = 0
    for row in range(30):
        inside = np.flatnonzero(D[row] <= r)
        assert set(where[row].tolist()) <= set(inside.tolist())
        np.testing.assert_array_equal(near[row], D[row, where[row]])
        assert (np.diff(near[row]) >= 0).all()
        found += len(where[row])
    assert found > 0.8 * (r >= D).sum() > 100
    assert [len(rows) for rows in index.radius_neighbors(Q + 1e6, 1.0)[1]] == [0] * 30
    with pytest.raises(ilk.InputError, match="lsh: r must be a number of at least 0"):
        index.radius_neighbors(Q, -1)


@pytest.mark.parametrize("shift", [0.0, 1e8])
def test_far_from_the_origin(shift):
    X, Q = both(2000, 40)
    X, Q = X + shift, Q + shift
    assert ilk_distances.recall(lsh(X), Q, 5) > 0.8


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_of_any_magnitude(scale):
    X, Q = both(2000, 40)
    X, Q = X * scale, Q * scale
    assert ilk_distances.recall(lsh(X), Q, 5) > 0.8


def test_all_rows_equal_and_one_row():
    index = lsh(np.ones((50, 3)))
    assert index.kneighbors(np.ones((1, 3)), 4)[1].tolist() == [[0, 1, 2, 3]]
    assert lsh([[3.0]]).kneighbors([[1.0]], 1)[0] == [[2.0]]


def test_one_and_two_hundred_features():
    rng = np.random.default_rng(0)
    line = rng.normal(size=(1000, 1))
    assert ilk_distances.recall(lsh(line), rng.normal(size=(50, 1)), 5) > 0.8
    X = clustered(rng, 1000, 200)
    assert ilk_distances.recall(lsh(X), X[:40] + 0.1, 5) > 0.8


@pytest.mark.parametrize("name", ["hamming", "jaccard"])
def test_texts(name):
    rng = np.random.default_rng(0)
    words = ["".join(row) for row in rng.choice(list("ab"), (600, 12), p=[0.8, 0.2])]
    index = lsh(words[:550], name)
    assert ilk_distances.recall(index, words[550:], 5) > 0.8
    again = pickle.loads(pickle.dumps(index))
    np.testing.assert_array_equal(again.kneighbors(words, 3)[1], index.kneighbors(words, 3)[1])


@in_one_test
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("chebyshev", {}), ("minkowski", {"p": 3}), ("levenshtein", {}), ("heterogeneous", {})],
)
def test_other_distances_are_refused_by_name(name, parameters):
    X = ["ab", "cd"] if name == "levenshtein" else np.eye(2)
    with pytest.raises(ilk.InputError, match=f"lsh: distance must be one of.*got {name}"):
        lsh(X, name, parameters)


def test_parameters_without_use_are_refused():
    X = np.eye(3)
    with pytest.raises(ilk.ParameterError, match="lsh: width must be None for cosine, got 2"):
        lsh(X, "cosine", width=2)
    with pytest.raises(ilk.ParameterError, match="lsh: n_probes must be 0 for hamming, got 1"):
        lsh(X, "hamming", n_probes=1)


def test_k_beyond_all():
    with pytest.raises(ilk.InputError, match="lsh: k must be an integer between 1 and .*3"):
        lsh(np.eye(3)).kneighbors(np.eye(3), 4)


def mapped(path, X):
    X.tofile(path)
    return np.memmap(path, dtype=X.dtype, mode="r", shape=X.shape)


@pytest.mark.parametrize("name", ["brute", "lsh"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_mapped_from_a_file_are_not_copied(name, dtype, tmp_path):
    """What is held beside the file is a fraction of it; answers are those for rows in memory."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(40, 1000))[rng.integers(0, 40, 6000)] * 3).astype(dtype)
    X += rng.normal(size=X.shape).astype(dtype)
    rows, Q = mapped(tmp_path / "rows", X), X[:20] + dtype(0.1)
    distance = ilk.distance("euclidean")
    options = {"random_state": 0} if name == "lsh" else {}
    make = lambda: ilk.index(name, **options)  # noqa: E731
    expected = make().fit(X, distance=distance).kneighbors(Q, 5)
    tracemalloc.start()
    try:
        index = make().fit(rows, distance=distance)
        got = index.kneighbors(Q, 5)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    held = getattr(index.X_, "values", index.X_)  # brute reads them block by block
    assert np.shares_memory(held, rows)
    assert peak < X.nbytes / 2
    np.testing.assert_array_equal(got[1], expected[1])
    np.testing.assert_array_equal(got[0], expected[0])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"width": np.inf}, "width must be finite, got inf"),
        ({"width": 10**400}, "width must be a number > 0 or None, got 1000"),
        ({"n_tables": 10**10}, "n_tables must be an integer >= 1, <= 10000"),
    ],
)
def test_no_parameters(parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"lsh: {message}"):
        ilk.index("lsh", **parameters)


@pytest.mark.parametrize("distance", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_that_overflow(distance, dtype):
    X = (np.random.default_rng(0).normal(size=(60, 5)) / 5 * np.finfo(dtype).max).astype(dtype)
    near, where = lsh(X, distance).kneighbors(X, 3)
    np.testing.assert_array_equal(where[:, 0], np.arange(60))
    assert (near[:, 0] < 1e-5).all()


def test_errors_name_the_queries():
    index = lsh(np.eye(3))
    with pytest.raises(ilk.InputError, match="Q has NaN at row 0, column 1"):
        index.kneighbors([[1.0, np.nan, 0.0]], 1)


@in_one_test
@pytest.mark.parametrize("width", [1e-320, 1e308, np.float32(2), 10**20])
def test_widths_of_any_size(width):
    X = np.random.default_rng(0).normal(size=(30, 3))
    near, where = lsh(X, width=width).kneighbors(X, 1)
    np.testing.assert_array_equal(where[:, 0], np.arange(30))
    assert not near.any()
