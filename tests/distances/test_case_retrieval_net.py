"""Case retrieval net: activation by hand, and the answers of brute force on what it accepts."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk_distances.indexes.case_retrieval_net import coded


def net(X, distance="heterogeneous", **parameters):
    distance = ilk.distance(distance, **parameters).fit(X)
    return ilk.index("case_retrieval_net").fit(X, distance=distance)


def expect_brute(index, Q, ks, radii=()):
    """Compare with the sorted matrix of all distances."""
    D = index.distance_.pairwise(Q, index.X_)
    for k in ks:
        expected = np.argsort(D, axis=1, kind="stable")[:, :k]
        near, where = index.kneighbors(Q, k)
        np.testing.assert_array_equal(where, expected)
        np.testing.assert_array_equal(near, np.take_along_axis(D, expected, axis=1))
    for r in radii:
        near, where = index.radius_neighbors(Q, r)
        for row, values in enumerate(D):
            order = np.argsort(values, kind="stable")
            expected = order[values[order] <= r]
            np.testing.assert_array_equal(where[row], expected)
            np.testing.assert_array_equal(near[row], values[expected])


TRIPS = pd.DataFrame(
    {
        "by": ["train", "plane", "plane", "car"],
        "to": ["Rome", "Rome", "Oslo", "Oslo"],
        "days": [2.0, 4.0, 4.0, 12.0],
    }
)


def test_activation_by_hand():
    """A trip of 2 days is like one of 4 by 1 - 2/10, like one of 12 not at all."""
    index = net(TRIPS)
    assert index.n_entities_ == 3 + 2 + 3
    query = pd.DataFrame({"by": ["plane"], "to": ["Rome"], "days": [2.0]})
    ((_, activation),) = index._activations(query)
    np.testing.assert_allclose(activation, [[2.0, 2.8, 1.8, 0.0]])
    assert index.net_.terms.total == 3
    near, where = index.kneighbors(query, 4)
    assert where.tolist() == [[1, 0, 2, 3]]
    np.testing.assert_allclose(near, [[0.2, 1, 1.2, 3]])


def test_values_nobody_has_activate_nothing():
    index = net(TRIPS[["by", "to"]])
    query = pd.DataFrame({"by": ["ship", None], "to": ["Rome", "Bonn"]})
    ((_, activation),) = index._activations(query)
    assert activation.tolist() == [[1, 1, 0, 0], [0, 0, 0, 0]]
    assert index.kneighbors(query, 2)[1].tolist() == [[0, 1], [0, 1]]


def random_table(rng, n, p=5, holes=0.1, levels=4):
    columns = {}
    for f in range(p):
        values = rng.integers(0, levels, n).astype(float)
        values[rng.random(n) < holes] = np.nan
        if f % 2 == 0:
            known = np.array(["red", "blue", "grey", "green", "pink"], dtype=object)
            cells = np.where(np.isnan(values), None, known[np.nan_to_num(values).astype(int)])
            columns[f"n{f}"] = pd.Categorical(cells, known)
        else:
            columns[f"x{f}"] = values * 1.7
    return pd.DataFrame(columns)


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 40),
    scale=st.sampled_from(["range", "std", None]),
    weighted=st.booleans(),
)
def test_equals_brute_force_on_tables(seed, n, scale, weighted):
    rng = np.random.default_rng(seed)
    X, Q = random_table(rng, n), random_table(rng, 6, levels=5)
    weights = rng.choice([0, 0.1, 1 / 3, 1, 7], 5) if weighted else None
    if weighted and not weights.any():
        weights[0] = 1
    index = net(X, numeric=scale, weights=weights)
    expect_brute(index, Q, {1, (n + 1) // 2, n}, [0, 0.75, 2.0, 1e9])


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 50),
    p=st.integers(1, 6),
    normalize=st.booleans(),
)
def test_equals_brute_force_under_hamming(seed, n, p, normalize):
    rng = np.random.default_rng(seed)
    X, Q = rng.integers(0, 3, (n, p)), rng.integers(0, 4, (6, p))
    index = net(X, "hamming", normalize=normalize)
    expect_brute(index, Q, {1, (n + 1) // 2, n}, [0, 0.5, p])


@in_one_test
@pytest.mark.parametrize("write", ["texts", "bytes", "objects", "floats"])
def test_takes_what_hamming_takes(write):
    rng = np.random.default_rng(0)
    codes, wanted = rng.integers(0, 3, (80, 6)), rng.integers(0, 4, (9, 6))
    letters = np.array(list("acgt"))
    made = {
        "texts": lambda Z: ["".join(row) for row in letters[Z]],
        "bytes": lambda Z: ["".join(row).encode() for row in letters[Z]],
        "objects": lambda Z: np.array([1, "one", 2.5, True], dtype=object)[Z],
        "floats": lambda Z: Z / 3,
    }[write]
    expect_brute(net(made(codes), "hamming"), made(wanted), [1, 10], [0.5])


def test_numbers_in_float32():
    rng = np.random.default_rng(0)
    X, Q = (np.round(rng.normal(size=(m, 4)), 1).astype(np.float32) for m in (300, 20))
    index = net(X)
    assert index.kneighbors(Q, 3)[0].dtype == np.float32
    expect_brute(index, Q, [1, 5, 300], [0.5])


def test_far_outside_the_training_range():
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0], "y": ["a", "b", "b"]})
    Q = pd.DataFrame({"x": [1e12, -1e308], "y": ["b", "c"]})
    expect_brute(net(X), Q, [1, 3], [1e12])


def test_features_that_add_nothing():
    X = pd.DataFrame({"same": [5.0, 5.0, 5.0], "word": ["a", "a", "b"]})
    index = net(X, weights=[1.0, 0.0])
    assert index.n_entities_ == 0
    expect_brute(index, X, [1, 3], [0])


def test_ties_go_to_the_lower_index():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 3))
    for weights in (None, [1, 1, 2], [0.1, 0.2, 0.3]):
        table = pd.DataFrame(X.astype(str))
        expect_brute(net(table, weights=weights), table.iloc[:8], [1, 30, 400], [0.2])


def test_looks_at_few_cases():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 30, (5000, 8)).astype(str))
    index = net(table)
    index.kneighbors(table.iloc[:20], 5)
    assert 0 < index.n_distance_evaluations_ < 0.05 * 20 * 5000
    assert len(index.net_.cases) == 5000 * 8


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    X, Q = random_table(rng, 200), random_table(rng, 50)
    expected = net(X).kneighbors(Q, 7)
    monkeypatch.setattr("ilk_distances.indexes.case_retrieval_net._BLOCK", 500)
    got = net(X).kneighbors(Q, 7)
    np.testing.assert_array_equal(got[0], expected[0])
    np.testing.assert_array_equal(got[1], expected[1])


def test_missing_values():
    rng = np.random.default_rng(0)
    X = random_table(rng, 50, holes=0.5)
    expect_brute(net(X), X, [1, 20], [1.5])
    whole = random_table(rng, 50, holes=0)
    expect_brute(net(whole, missing="error"), whole, [1, 20], [1.5])


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("euclidean", {}), ("heterogeneous", {"missing": "ignore"}), ("levenshtein", {})],
)
def test_other_distances_are_refused_by_name(name, parameters):
    X = ["ab", "cd"] if name == "levenshtein" else np.eye(2)
    with pytest.raises(ilk.InputError, match=f"case_retrieval_net: distance must be.*got.*{name}"):
        net(X, name, **parameters)


def test_bad_arguments():
    index = net(TRIPS)
    with pytest.raises(ilk.InputError, match="case_retrieval_net: k must be .*4"):
        index.kneighbors(TRIPS, 5)
    with pytest.raises(ilk.InputError, match="case_retrieval_net: r must be"):
        index.radius_neighbors(TRIPS, -1)


def test_codes_of_an_array():
    rows = coded(np.array([["b", "a"], ["a", "a"]]))
    assert rows.codes.tolist() == [[0, 0], [1, 0]]
    assert rows.numbers.shape == (2, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_infinite_distances_tie(dtype):
    """Then the lower index comes first, whatever the activation and the other queries."""
    X = np.random.default_rng(0).uniform(-0.45, 0.45, size=(60, 5)) * np.finfo(dtype).max
    X = X.astype(dtype)
    distance = ilk.distance("heterogeneous", numeric=None).fit(X)
    index = ilk.index("case_retrieval_net").fit(X, distance=distance)
    expected = ilk.index("brute").fit(X, distance=distance).kneighbors(X, 30)
    assert np.isinf(expected[0]).any()
    for i in range(60):
        near, where = index.kneighbors(X[i : i + 1], 30)
        np.testing.assert_array_equal(near[0], expected[0][i])
        np.testing.assert_array_equal(where[0], expected[1][i])
