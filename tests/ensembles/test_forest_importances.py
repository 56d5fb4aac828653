"""Permutation importance of a random forest on the cases out of each bag."""

import numpy as np
import pytest

import ilk
from ilk_ensembles.forest.tree_kernels import draw, uniform

KINDS = [{}, {"n_combined": 2}, {"vote": "majority", "max_depth": 3}]


@pytest.fixture(scope="module")
def wine():
    return ilk.dataset("wine").load().Xy


@pytest.fixture(scope="module", params=KINDS, ids=str)
def forest(request, wine):
    forest = ilk.classifier("random_forest", n_members=12, random_state=0, **request.param)
    return forest.fit(*wine)


def slow(forest, X, y, seed, n_repeats=1, weights=None):
    """Ask each tree about permuted copies of the cases; array of shape (T, p)."""
    weights = np.ones(len(X)) if weights is None else weights
    seeds = np.random.RandomState(seed).randint(2**31 - 1, size=len(forest.trees_))
    found = np.zeros((len(seeds), X.shape[1]))
    for t, tree in enumerate(forest.estimators_):
        rows = np.flatnonzero(forest.out_of_bag_[:, t] & (weights > 0))
        state, order = np.array([seeds[t]], dtype=np.uint64), np.arange(len(rows))
        mass = weights[rows]
        before = mass[tree.predict(X[rows]) == y[rows]].sum()
        own = slice(forest.trees_.roots[t], forest.trees_.roots[t + 1])
        inner = forest.trees_.left[own] >= 0
        met = set(forest.trees_.features[own][inner].ravel().tolist())
        for f in range(X.shape[1]):
            if f not in met or not _reached(forest, t, X[rows], f):
                continue
            for _ in range(n_repeats):
                draw(state, order, len(rows), len(rows))
                permuted = X[rows]
                permuted[:, f] = permuted[order, f]
                after = mass[tree.predict(permuted) == y[rows]].sum()
                found[t, f] += (before - after) / mass.sum() / n_repeats
    return found


def _reached(forest, t, X, f):
    """Whether some row meets a node that looks at the feature: others need no permutation."""
    trees = forest.trees_
    for x in trees.rows(X):
        node = trees.roots[t]
        while trees.left[node] >= 0:
            if f in trees.features[node]:
                return True
            value = trees.coefficients[node] @ x[trees.features[node]]
            node = (trees.left if value <= trees.thresholds[node] else trees.right)[node]
    return False


def test_equal_a_slow_loop(forest, wine):
    X, y = wine
    got = forest.importances(X, y, random_state=5)
    np.testing.assert_allclose(got.by_tree, slow(forest, X, y, 5), atol=1e-12)
    np.testing.assert_allclose(got.mean, got.by_tree.mean(axis=0))
    error = got.by_tree.std(axis=0, ddof=1) / np.sqrt(12)
    np.testing.assert_allclose(got.standard_error, error)


def test_repeats_and_weights(forest, wine):
    X, y = wine
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    got = forest.importances(X, y, weights, n_repeats=3, random_state=1)
    expected = slow(forest, X, y, 1, 3, weights)
    np.testing.assert_allclose(got.by_tree, expected, atol=1e-12)


def test_the_same_whatever_n_jobs(forest, wine):
    X, y = wine
    before = forest.n_jobs
    one = forest.importances(X, y)
    forest.n_jobs = 3
    other = forest.importances(X, y)
    forest.n_jobs = before
    np.testing.assert_array_equal(one.by_tree, other.by_tree)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_matters_is_found(kind):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(400, 3)), np.ones(400)])
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0, "yes", "no")
    forest = ilk.classifier("random_forest", n_members=60, random_state=0, **kind).fit(X, y)
    got = forest.importances(X, y)
    assert got.mean[0] > got.mean[1] > got.mean[2]
    assert got.mean[1] > 4 * got.standard_error[1]
    assert abs(got.mean[2]) < 6 * got.standard_error[2] + 0.02
    assert got.mean[3] == got.standard_error[3] == 0


def test_trees_without_cases_out_of_their_bags_do_not_count():
    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 1]
    forest = ilk.classifier("random_forest", n_members=30, random_state=0).fit(X, y)
    full = ~forest.out_of_bag_.any(axis=0)
    got = forest.importances(X, y)
    assert full.any()
    np.testing.assert_array_equal(np.isnan(got.by_tree[:, 0]), full)
    assert got.mean[0] == pytest.approx(got.by_tree[~full].mean())
    one = ilk.classifier("random_forest", n_members=1, max_samples=200, random_state=0).fit(X, y)
    assert not one.out_of_bag_.any()
    assert np.isnan(one.importances(X, y).mean).all()
    assert np.isnan(one.oob_error_)


def test_errors(forest, wine):
    X, y = wine
    with pytest.raises(ilk.InputError, match="must be the cases that the forest was fitted to"):
        forest.importances(X[:-1], y[:-1])
    with pytest.raises(ilk.InputError, match="must be the cases that the forest was fitted to"):
        forest.importances(X[::-1], y)
    with pytest.raises(ilk.InputError, match="which is no class"):
        forest.importances(X, np.where(np.arange(len(y)) == 4, "other", y.astype(str)))
    with pytest.raises(ilk.ParameterError, match="n_repeats"):
        forest.importances(X, y, n_repeats=0)
    with pytest.raises(ilk.InputError, match="sample_weight"):
        forest.importances(X, y, -np.ones(len(X)))


def test_random_numbers_are_uniform_and_permutations_fair():
    state = np.array([7], dtype=np.uint64)
    found = np.array([uniform(state) for _ in range(4000)])
    assert 0 <= found.min() < found.max() < 1
    np.testing.assert_allclose(np.histogram(found, 8, (0, 1))[0], 500, atol=90)
    orders = np.empty((6000, 3), dtype=np.int64)
    pool = np.arange(3)
    for row in orders:
        draw(state, pool, 3, 3)
        row[:] = pool
    counts = np.unique(orders @ [9, 3, 1], return_counts=True)[1]
    np.testing.assert_allclose(counts, 1000, atol=150)
