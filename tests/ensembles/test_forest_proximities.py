"""Proximities of a random forest: shares of trees in which cases end in the same leaf."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier

import ilk
from cases import in_one_test
from ilk_ensembles.forest.proximities import (
    dense_proximities,
    largest_proximities,
    sparse_rows,
)


def slow(leaves, others):
    """Plain numpy, a few rows at a time."""
    return np.concatenate([(row[None] == others).mean(axis=1)[None] for row in leaves])


def slow_out(leaves, out):
    """Only the trees grown without either case."""
    P = np.full((len(leaves), len(leaves)), np.nan)
    for i in range(len(leaves)):
        for j in range(len(leaves)):
            both = out[i] & out[j]
            if both.any():
                P[i, j] = (leaves[i] == leaves[j])[both].mean()
    return P


@pytest.fixture(scope="module")
def wine():
    return ilk.dataset("wine").load().Xy


@pytest.fixture(scope="module", params=[{}, {"n_combined": 3}, {"max_depth": 2}], ids=str)
def forest(request, wine):
    forest = ilk.classifier("random_forest", n_members=70, random_state=0, **request.param)
    return forest.fit(*wine)


def test_of_training_cases(forest, wine):
    P = forest.proximities()
    np.testing.assert_array_equal(P, slow(forest.leaves_, forest.leaves_))
    np.testing.assert_array_equal(P, forest.proximities(wine[0]))
    np.testing.assert_array_equal(np.diagonal(P), 1)
    np.testing.assert_array_equal(P, P.T)


def test_of_two_sets(forest, wine):
    X = wine[0]
    P = forest.proximities()
    np.testing.assert_array_equal(forest.proximities(X[:5], X[50:]), P[:5, 50:])
    np.testing.assert_array_equal(forest.proximities(X[:40], X[7:8]), P[:40, 7:8])
    single = forest.proximities(X[:3].astype(np.float32))
    assert single.dtype == np.float32
    assert forest.proximities(X[:3].astype(np.float32), X).dtype == np.float64


def test_they_are_inner_products(forest):
    assert np.linalg.eigvalsh(forest.proximities()).min() > -1e-9


def test_cases_of_a_class_are_nearer(forest, wine):
    P, y = forest.proximities(), wine[1]
    same = y[:, None] == y
    assert P[same].mean() > 3 * P[~same].mean()


def test_out_of_bag(forest):
    got = forest.proximities(out_of_bag=True)
    np.testing.assert_array_equal(got, slow_out(forest.leaves_, forest.out_of_bag_))
    some = got[:, :9]
    assert not np.array_equal(some, forest.proximities()[:, :9])


def test_pairs_never_out_of_bags_are_nan(wine):
    few = ilk.classifier("random_forest", n_members=3, random_state=0).fit(*wine)
    got = few.proximities(out_of_bag=True)
    assert 0 < np.isnan(got).mean() < 1
    np.testing.assert_array_equal(got, slow_out(few.leaves_, few.out_of_bag_))
    sparse = few.proximities(top_k=len(got), out_of_bag=True)
    np.testing.assert_array_equal(sparse.toarray(), np.nan_to_num(got))


def largest(P, k):
    """The k largest entries of each row, ties by lower column, as a matrix."""
    kept = np.zeros_like(P)
    best = np.argsort(-P, axis=1, kind="stable")[:, :k]
    np.put_along_axis(kept, best, np.take_along_axis(P, best, axis=1), axis=1)
    return kept


@in_one_test
@pytest.mark.parametrize("k", [1, 7, 178])
def test_top_k_are_the_largest_entries(k, forest, wine):
    got = forest.proximities(top_k=k)
    assert sp.issparse(got)
    assert got.format == "csr"
    assert got.has_sorted_indices
    assert (got.data > 0).all()
    np.testing.assert_array_equal(got.toarray(), largest(forest.proximities(), k))
    two = forest.proximities(wine[0][:9], top_k=min(k, 9))
    np.testing.assert_array_equal(two.toarray(), largest(forest.proximities()[:9, :9], min(k, 9)))


def test_top_k_out_of_bag(forest):
    P = np.nan_to_num(forest.proximities(out_of_bag=True))
    got = forest.proximities(top_k=5, out_of_bag=True).toarray()
    np.testing.assert_array_equal(got, largest(P, 5))


@given(
    st.integers(0, 2**31 - 1),
    st.integers(1, 40),
    st.integers(1, 30),
    st.integers(1, 300),
    st.sampled_from([2, 9, 250, 60_000, 70_000]),
)
def test_any_leaves(seed, n, m, n_trees, n_leaves):
    rng = np.random.default_rng(seed)
    dtype = np.min_scalar_type(n_leaves)
    pool = rng.integers(0, n_leaves, 4)
    leaves, others = (pool[rng.integers(0, 4, (size, n_trees))].astype(dtype) for size in (n, m))
    P = slow(leaves, others)
    np.testing.assert_array_equal(dense_proximities(leaves, others), P)
    k = int(rng.integers(1, m + 1))
    shares, columns = largest_proximities(leaves, others, k)
    best = np.argsort(-P, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(columns, best)
    np.testing.assert_array_equal(shares, np.take_along_axis(P, best, axis=1))
    np.testing.assert_array_equal(sparse_rows(shares, columns, m).toarray(), largest(P, k))


def test_more_columns_than_a_tile():
    rng = np.random.default_rng(0)
    leaves, others = (rng.integers(0, 5, (n, 20)).astype(np.uint8) for n in (3, 9001))
    np.testing.assert_array_equal(dense_proximities(leaves, others), slow(leaves, others))


def test_agree_with_those_of_scikit_learns_forest(wine):
    X, y = wine
    theirs = RandomForestClassifier(30, random_state=0).fit(X, y)
    leaves = theirs.apply(X)
    d = ilk.distance("forest", forest=ilk.frozen(theirs))
    np.testing.assert_allclose(1 - d.pairwise(X), slow(leaves, leaves), atol=1e-15)


def test_top_k_of_many_cases_needs_no_matrix():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 4))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    forest = ilk.classifier("random_forest", n_members=10, random_state=0).fit(X, y)
    forest.proximities(X[:10], top_k=5)
    with ilk.threads(1):
        tracemalloc.start()
        got = forest.proximities(top_k=5)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert got.shape == (8000, 8000)
    assert got.nnz == 40_000
    assert peak < 8000 * 8000 / 4  # a byte a pair would be 64 MB


def test_errors(forest, wine):
    X = wine[0]
    with pytest.raises(ilk.InputError, match="Y is compared with X"):
        forest.proximities(Y=X)
    with pytest.raises(ilk.InputError, match="only training cases are out of bags"):
        forest.proximities(X, out_of_bag=True)
    for k in (0, len(X) + 1):
        with pytest.raises(ilk.InputError, match="k must be an integer between 1 and"):
            forest.proximities(top_k=k)
    with pytest.raises(ilk.InputError, match="12 features"):
        forest.proximities(X[:, :12])
