"""value_difference and heterogeneous by class shares, against a slow reading of the formulas."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk

COLOR = ["red", "red", "blue", "blue", "green"]
CLASSES = ["a", "a", "a", "b", "b"]


def shares(train, y, value, smoothing):
    """Class shares of a value by counting; None is a value, an unseen one has those of all rows."""
    names = sorted(set(y))
    everywhere = [sum(label == c for label in y) / len(y) for c in names]
    its = [label for cell, label in zip(train, y, strict=True) if cell == value]
    if not its and smoothing == 0:
        return everywhere
    return [
        (sum(label == c for label in its) + smoothing * prior) / (len(its) + smoothing)
        for c, prior in zip(names, everywhere, strict=True)
    ]


def gap(train, y, u, v, q, smoothing):
    pairs = zip(shares(train, y, u, smoothing), shares(train, y, v, smoothing), strict=True)
    return sum(abs(s - t) ** q for s, t in pairs)


values = st.sampled_from(["red", "green", "blue", None])
rows = st.tuples(values, values)


@st.composite
def training(draw):
    cells = draw(st.lists(rows, min_size=2, max_size=8))
    y = draw(st.lists(st.sampled_from("abc"), min_size=len(cells), max_size=len(cells)))
    return pd.DataFrame(cells, columns=["f", "g"], dtype=object), y


@given(
    training(),
    st.lists(st.tuples(values, st.sampled_from(["red", "violet"])), min_size=1, max_size=4),
    st.sampled_from([1.0, 2.0, 3.5]),
    st.sampled_from([0.0, 1.5]),
    st.booleans(),
    st.sampled_from([None, [2.0, 0.5], [0.0, 1.0]]),
)
def test_agrees_with_the_formula(data, queries, q, smoothing, weighted, weights):
    X, y = data
    Q = pd.DataFrame(queries, columns=["f", "g"], dtype=object)
    d = ilk.distance(
        "value_difference", q=q, smoothing=smoothing, weighted=weighted, weights=weights
    ).fit(X, y)
    expected = np.zeros((len(Q), len(X)))
    for i, j in np.ndindex(expected.shape):
        for name, weight in zip("fg", weights or [1, 1], strict=True):
            u, v = Q[name][i], X[name][j]
            if weighted:
                expected[i, j] += (
                    weight
                    * math.hypot(*shares(X[name], y, u, smoothing))
                    * gap(X[name], y, u, v, q, smoothing)
                )
                continue
            expected[i, j] += weight * gap(X[name], y, u, v, q, smoothing)
    np.testing.assert_allclose(d.pairwise(Q, X), expected, atol=1e-12)
    near, _ = d.kneighbors(Q, X, 1)
    np.testing.assert_allclose(near[:, 0], d.pairwise(Q, X).min(axis=1))


def test_worked_example():
    X = pd.DataFrame({"color": COLOR})
    d = ilk.distance("value_difference").fit(X, CLASSES)
    # shares of a and b: red (1, 0), blue (1/2, 1/2), green (0, 1), unseen (3/5, 2/5)
    assert d.between(["red"], ["blue"]) == 0.5
    assert d.between(["red"], ["green"]) == 2
    assert d.between(["red"], ["violet"]) == pytest.approx(2 * 0.4**2)
    weighted = ilk.distance("value_difference", weighted=True).fit(X, CLASSES)
    assert weighted.between(["blue"], ["red"]) == pytest.approx(0.5 * math.sqrt(0.5))
    assert weighted.between(["red"], ["blue"]) == 0.5
    assert not weighted.symmetric


@given(training(), st.permutations(["red", "green", "blue"]), st.permutations([0, 1]))
def test_names_and_orders_do_not_matter(data, names, columns):
    """Renamed values, other names of classes, other orders of columns and rows: same distances."""
    X, y = data
    d = ilk.distance("value_difference").fit(X, y)
    renamed = X.replace(dict(zip(["red", "green", "blue"], names, strict=True)))
    other = renamed.iloc[::-1, columns]
    twin = ilk.distance("value_difference").fit(other, [label + "!" for label in reversed(y)])
    np.testing.assert_allclose(twin.pairwise(renamed), d.pairwise(X), atol=1e-12)


def hvdm(**more):
    return ilk.distance(
        "heterogeneous", nominal="value_difference", numeric="4std", p=2, missing="one", **more
    )


def test_hvdm_by_its_definition():
    rng = np.random.default_rng(0)
    n = 40
    X = pd.DataFrame(
        {
            "size": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "color": rng.choice(["red", "blue", "green", None], n, p=[0.3, 0.3, 0.3, 0.1]),
            "age": rng.integers(0, 50, n),
        }
    )
    y = rng.choice(["a", "b", "c"], n)
    D = hvdm().fit(X, y).pairwise(X)
    four = {name: 4 * np.nanstd(X[name]) for name in ("size", "age")}
    for i, j in np.ndindex(n, n):
        total = 0.0
        for name in X:
            u, v = X[name][i], X[name][j]
            if pd.isna(u) or pd.isna(v):
                total += 1
            elif name in four:
                total += (abs(u - v) / four[name]) ** 2
            else:
                total += gap(X[name], y, u, v, 2, 0)
        assert D[i, j] == pytest.approx(math.sqrt(total), abs=1e-12)


@pytest.mark.parametrize("missing", ["max", "ignore"])
def test_root_of_squares_of_overlaps_and_gaps(missing):
    X = pd.DataFrame({"a": [0.0, 4.0, None], "b": ["u", "v", "v"]})
    D = ilk.distance("heterogeneous", p=2, missing=missing).fit(X).pairwise(X)
    assert D[0, 1] == pytest.approx(math.sqrt(2))
    # a lacks a value: at most 1, or left out and b counts twice
    assert D[0, 2] == pytest.approx(math.sqrt(2))
    assert D[1, 2] == (1 if missing == "max" else 0)


def test_numbers_alone_are_euclidean_with_gaps():
    from sklearn.metrics.pairwise import nan_euclidean_distances

    rng = np.random.default_rng(1)
    X = np.where(rng.random((30, 5)) < 0.2, np.nan, rng.normal(size=(30, 5)))
    d = ilk.distance("heterogeneous", numeric=None, p=2, missing="ignore").fit(X)
    np.testing.assert_allclose(d.pairwise(X), nan_euclidean_distances(X), rtol=1e-12)
    far = ilk.distance("heterogeneous", numeric=None, p=2, missing="ignore").fit(X * 1e200)
    np.testing.assert_allclose(far.pairwise(X * 1e200), d.pairwise(X) * 1e200, rtol=1e-12)


def delta(column, y, u, v, q, smoothing, scale):
    """Difference of two values of a column, and None if one is missing."""
    if u is None or v is None or pd.isna(u) or pd.isna(v):
        return None
    if scale is not None:
        return abs(u - v) / scale if scale else 0.0
    return gap(column, y, u, v, q, smoothing) ** (1 / q)


@given(
    training(),
    st.lists(st.sampled_from([0.0, 1.0, 2.5, -3.0, math.nan]), min_size=8, max_size=8),
    st.sampled_from(["max", "one", "ignore"]),
    st.sampled_from([1, 2]),
    st.sampled_from([1.0, 2.0, 3.0]),
    st.sampled_from([0.0, 2.0]),
    st.sampled_from([None, [1.0, 2.0, 0.5], [1.0, 0.0, 3.0]]),
)
def test_mixed_tables_by_the_formula(data, numbers, missing, p, q, smoothing, weights):
    X, y = data
    X = X.assign(n=numbers[: len(X)])
    d = ilk.distance(
        "heterogeneous",
        nominal="value_difference",
        p=p,
        q=q,
        smoothing=smoothing,
        missing=missing,
        weights=weights,
        nominal_columns=["f", "g"],
    ).fit(X, y)
    full = X["n"].max() - X["n"].min() if X["n"].notna().any() else 0.0
    scales = {"f": None, "g": None, "n": full}
    weights = dict(zip("fgn", weights or [1.0] * 3, strict=True))
    if full == 0:
        weights["n"] = 0.0  # a constant feature is left out
    D = d.pairwise(X)
    for i, j in np.ndindex(D.shape):
        terms = {
            c: delta(X[c], y, X[c][i], X[c][j], q, smoothing, scales[c]) for c in X if weights[c]
        }
        known = {c: term for c, term in terms.items() if term is not None}
        total = sum(weights[c] * term**p for c, term in known.items())
        if missing != "ignore":
            total += sum(weights[c] for c in terms if c not in known)
        elif not sum(weights[c] for c in known):
            total = sum(weights[c] for c in terms)
        else:
            total *= sum(weights[c] for c in terms) / sum(weights[c] for c in known)
        assert D[i, j] == pytest.approx(total ** (1 / p), abs=1e-9)


def test_many_values_take_the_memory_of_the_pairs():
    import tracemalloc

    X = np.arange(6000).reshape(-1, 1)
    d = ilk.distance("value_difference").fit(X, np.arange(6000) % 2)
    d.kneighbors(X[:3], X, 1)
    tracemalloc.start()
    _, where = d.kneighbors(X[:500], X, 3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert where[:2].tolist() == [[0, 2, 4], [1, 3, 5]]  # ties by index among rows of one class
    assert peak < 150e6


def test_learners_fit_it_with_the_classes():
    X, y = ilk.dataset("tic_tac_toe").load().Xy
    some = np.random.default_rng(0).permutation(len(X))[:200]
    X, y = X.iloc[some], np.asarray(y)[some]
    d = ilk.distance("value_difference").fit(X, y)
    for model in (
        ilk.classifier("knn", k=1, distance="value_difference"),
        ilk.classifier("knn", k=1, distance=ilk.frozen(d)),
    ):
        expected = y[d.kneighbors(X, X, 1)[1][:, 0]]
        np.testing.assert_array_equal(model.fit(X, y).predict(X), expected)
    edited, labels = ilk.editor("enn", distance="value_difference").fit_resample(X, y)
    assert 0 < len(edited) == len(labels) < len(X)
    near, _ = ilk.nearest(X, 2, distance=ilk.frozen(d))
    assert near.shape == (200, 2)


@pytest.mark.parametrize(
    "distance",
    [
        ilk.distance("value_difference"),
        ilk.distance("heterogeneous", nominal="value_difference"),
    ],
)
def test_classes_are_needed(distance):
    X = pd.DataFrame({"color": COLOR})
    with pytest.raises(
        ilk.InputError, match=r"y is missing: .*fit\(X, y\).*ilk.frozen\(distance\)"
    ):
        distance.fit(X)
    with pytest.raises(ilk.InputError, match="y is missing"):
        ilk.nearest(X, 1, distance=distance)
    with pytest.raises(ilk.IlkError, match="is no single value"):
        distance.fit(pd.DataFrame({"color": [[1], [2]]}), ["a", "b"])


def test_columns_are_taken_by_name():
    X = pd.DataFrame({"color": COLOR, "size": [1, 1, 2, 2, 2]})
    d = ilk.distance("value_difference").fit(X, CLASSES)
    np.testing.assert_array_equal(d.pairwise(X[["size", "color"]], X), d.pairwise(X))
    with pytest.raises(ilk.InputError, match=r"X lacks \['size'\]"):
        d.pairwise(X[["color"]])


def test_the_case_retrieval_net_refuses_class_shares():
    X = pd.DataFrame({"color": COLOR})
    distance = ilk.distance("heterogeneous", nominal="value_difference").fit(X, CLASSES)
    with pytest.raises(ilk.InputError, match="nominal='overlap'"):
        ilk.index("case_retrieval_net").fit(X, distance=distance)
