"""Nearest neighbours by products and few differences: the same bits as by differences alone."""

import pickle
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ilk
from adversarial import SHAPES, adversarial
from ilk.neighbors import Euclidean, filter_refine
from ilk.neighbors.blocked import within_blocked
from ilk.neighbors.filter_refine import nearest_refined, within_refined


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Several tiles and blocks of queries, and no limit of what is worth it or promising."""
    for name, value in {
        "_TILE": 64,
        "_QUERIES": 8,
        "FEWEST_IN": {np.float32: 1, np.float64: 1},
        "_LOST": 2,
        "FEWEST_QUERIES": {np.float64: 1, np.float32: 1},
        "FEWEST_TERMS": 0,
    }.items():
        monkeypatch.setattr(filter_refine, name, value)


def same(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(SHAPES),
    st.integers(1, 300),
    st.integers(1, 40),
    st.integers(1, 300),
    st.sampled_from(["dd", "ff", "df", "fd"]),
    st.floats(0, 1e30),
    st.integers(0, 2**32 - 1),
)
def test_same_bits_as_differences(shape, n, p, k, types, away, seed):
    both = adversarial(shape, n + 9, p, seed)
    with np.errstate(over="ignore", under="ignore"):
        X, Y = (
            np.clip(rows, -3e38, 3e38).astype(np.float32) if kind == "f" else rows
            for rows, kind in zip((both[n - 3 :], both[:n]), types, strict=True)
        )
    X[-1] += X.dtype.type(away)  # one query may be far from everything
    d, k = Euclidean(), min(k, n)
    expected = d.nearest_by_differences(X, Y, k)
    same(nearest_refined(d, X, Y, k), expected)
    with patch.dict(filter_refine.FEWEST_IN, {np.float32: p + 1}):  # products in double, too
        same(nearest_refined(d, X, Y, k), expected)
    D = d.compare(X, Y)
    for r in (0.0, float(np.median(D)), *D[-1, :2].tolist(), np.inf):
        same_lists(within_refined(d, X, Y, r), within_blocked(d, X, Y, r))


def same_lists(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert len(one) == len(other)
        for part in zip(one, other, strict=True):
            same(*([x] for x in part))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(SHAPES), st.integers(1, 9), st.booleans(), st.integers(0, 2**32 - 1))
def test_bounds_hold_in_exact_arithmetic(shape, p, single, seed):
    dtype = np.float32 if single else np.float64
    X = adversarial(shape, 12, p, seed)
    d = Euclidean()
    rows = filter_refine._project(d, X, X, dtype)
    if rows is None:
        return
    search = filter_refine._Search(d, X, X, 12, rows)
    queries = np.arange(12)
    _, found, lower, count, upper = search._filter(queries)
    exact = [[Fraction(v) * Fraction(rows.scale) for v in row] for row in X.tolist()]
    for i in range(12):
        if count[i] < 0:
            continue
        own = exact_square(filter_refine._centred(X[i : i + 1], rows.centre, rows.scale)[0])
        true = [
            sum((a - b) ** 2 for a, b in zip(exact[i], row, strict=True)) - own for row in exact
        ]
        assert sorted(found[i, : count[i]]) == list(range(12))  # all rows are among the 12 nearest
        for column, least in zip(found[i], lower[i, : count[i]], strict=False):
            assert Fraction(least) <= true[column]
        for most, value in zip(sorted(upper[i]), sorted(true), strict=True):
            assert value <= Fraction(most)


def exact_square(row):
    return sum(Fraction(v) ** 2 for v in row.tolist())


def test_rows_converted_in_parts(monkeypatch):
    monkeypatch.setattr(filter_refine, "_SLAB", 0)
    Y = np.repeat(np.random.default_rng(0).normal(size=(1700, 5)), 3, axis=0)  # ties across parts
    d = Euclidean()
    same(nearest_refined(d, Y[:40], Y, 5), d.nearest_by_differences(Y[:40], Y, 5))


def test_rows_are_kept_for_searches_of_few_queries(monkeypatch):
    """Converted once, after several searches; not saved; not those of other rows."""
    monkeypatch.setattr(filter_refine, "FEWEST_QUERIES", {np.float64: 20, np.float32: 20})
    made = []
    project = filter_refine._project
    monkeypatch.setattr(
        filter_refine,
        "_project",
        lambda d, X, Y, dtype: (made.append(len(Y)), project(d, X, Y, dtype))[1],
    )
    X = np.random.default_rng(0).normal(size=(2000, 60))
    d = Euclidean()
    index = ilk.index("brute").fit(X, distance=d)
    size = len(pickle.dumps(index))
    for start in range(0, 60, 6):
        Q = X[start : start + 6] + 0.1
        same(index.kneighbors(Q, 7), d.nearest_by_differences(Q, X, 7))
        assert made.count(2000) == (start >= 18)
    Q32, n_made = Q.astype(np.float32), made.count(2000)
    same(index.kneighbors(Q32, 7), d.nearest_by_differences(Q32, X, 7))
    assert made.count(2000) == n_made
    assert len(pickle.dumps(index)) <= size + 9
    index.fit(X + 1, distance=d)
    same(index.kneighbors(X[:30], 7), d.nearest_by_differences(X[:30], X + 1, 7))


@pytest.mark.parametrize("threads", [1, 3])
def test_brute_searches_by_products(threads, monkeypatch):
    """Rows in memory, their own neighbours, and a file: the answers of differences."""
    used = []
    monkeypatch.setattr(
        "ilk.neighbors.vector_distance.nearest_refined",
        lambda *given: used.append(given) or nearest_refined(*given),
    )
    X = np.random.default_rng(0).normal(size=(2500, 60))
    d = Euclidean()
    with ilk.threads(threads):
        index = ilk.index("brute").fit(X, distance=d)
        same(index.kneighbors(X[:99], 7), d.nearest_by_differences(X[:99], X, 7))
        near, where = ilk.nearest(X, 3)
    assert len(used) == 2
    expected = d.nearest_by_differences(X, X, 4)
    same((near, where), (expected[0][:, 1:], expected[1][:, 1:]))


@pytest.mark.exhaustive
@pytest.mark.parametrize("p", [700, 2049, 5000])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("single", [False, True])
def test_wide_rows(shape, p, single):
    with np.errstate(over="ignore", under="ignore"):
        Y = np.clip(adversarial(shape, 400, p, 0), -3e38, 3e38)
        Y = Y.astype(np.float32) if single else adversarial(shape, 400, p, 0)
    d = Euclidean()
    for k in (1, 10, 128):
        same(nearest_refined(d, Y[:50], Y, k), d.nearest_by_differences(Y[:50], Y, k))


@pytest.mark.exhaustive
def test_mapped_file(tmp_path):
    X = np.random.default_rng(0).integers(0, 50, (60_000, 50)).astype(float)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")  # more than one block
    d = Euclidean()
    index = ilk.index("brute").fit(mapped, distance=d)
    same(index.kneighbors(X[:150], 20), d.nearest_by_differences(X[:150], X, 20))
