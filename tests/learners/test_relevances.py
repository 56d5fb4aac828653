"""The relevance measures: worked examples, slow oracles, invariances, degenerate data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.feature_selection import f_classif, mutual_info_classif, mutual_info_regression
from sklearn.metrics import mutual_info_score

import ilk
from cases import in_one_test

NAMES = (
    "correlation",
    "fisher",
    "mutual_information",
    "relief",
    "relieff",
    "simba",
    "iterative_relief",
)
NUMERIC = ("correlation", "mutual_information", "relieff")


def measure(name, **parameters):
    made = ilk.relevance(name, **parameters)
    return made.set_params(random_state=0) if name == "simba" else made


def every_measure():
    return [*map(measure, NAMES), measure("mutual_information", estimator="neighbors")]


@pytest.fixture
def sample():
    """Five features of different units: two for three classes, three of noise."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 90)
    X = rng.normal(size=(90, 5))
    X[:, 0] += y
    X[:, 3] -= 2 * (y == 1)
    return X * [1, 100, 0.01, 3, 1], y


def exclusive_or(n=300, nuisance=8, seed=0):
    X = np.random.default_rng(seed).random((n, 2 + nuisance))
    return X, (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)


# Slow oracles, for data without ties


def ranged(X):
    return (X - X.min(axis=0)) / np.ptp(X, axis=0)


def nearest(distances, rows, k):
    return rows[np.argsort(distances[rows])[:k]]


def slow_relief(X, y, k, metric, pooled):
    Z, total = ranged(X), np.zeros(X.shape[1])
    D = cdist(Z, Z, metric)
    np.fill_diagonal(D, np.inf)
    prior = {c: np.mean(y == c) for c in np.unique(y)}
    for i, own in enumerate(y):
        hits = np.flatnonzero((y == own) & (np.arange(len(y)) != i))
        total -= np.abs(Z[i] - Z[nearest(D[i], hits, k)]).mean(axis=0)
        if pooled:
            total += np.abs(Z[i] - Z[nearest(D[i], np.flatnonzero(y != own), k)]).mean(axis=0)
            continue
        for c in set(prior) - {own}:
            near = nearest(D[i], np.flatnonzero(y == c), k)
            total += prior[c] / (1 - prior[own]) * np.abs(Z[i] - Z[near]).mean(axis=0)
    return np.maximum(total / len(y), 0)


def slow_rrelieff(X, y, k):
    Z, t = ranged(X), ranged(y[:, None])[:, 0]
    D = cdist(Z, Z, "cityblock")
    np.fill_diagonal(D, np.inf)
    of_y, of_x, of_both = 0.0, np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for i in range(len(y)):
        for j in np.argsort(D[i])[:k]:
            apart, steps = abs(t[i] - t[j]), np.abs(Z[i] - Z[j])
            of_y += apart / k
            of_x += steps / k
            of_both += apart * steps / k
    return np.maximum(of_both / of_y - (of_x - of_both) / (len(y) - of_y), 0)


def slow_simba(X, y, drawn):
    Z, w = ranged(X), np.ones(X.shape[1])
    for i in drawn:
        lengths = np.sqrt(((Z - Z[i]) ** 2) @ w**2)
        lengths[i] = np.inf
        hit = np.argmin(np.where(y == y[i], lengths, np.inf))
        miss = np.argmin(np.where(y != y[i], lengths, np.inf))
        slope = (Z[i] - Z[miss]) ** 2 / lengths[miss] - (Z[i] - Z[hit]) ** 2 / lengths[hit]
        w = w + slope * w / 2
    return w**2 / np.max(w**2)


def slow_iterative_relief(X, y, sigma, max_iter):
    Z, p = ranged(X), X.shape[1]
    w = np.full(p, p**-0.5)
    same = y[:, None] == y
    for _ in range(max_iter):
        steps = np.abs(Z[:, None] - Z)
        f = np.exp(-(steps @ w) / sigma)
        np.fill_diagonal(f, 0)
        inlier = (f * same).sum(axis=1) / f.sum(axis=1)
        margins = np.zeros(p)
        for sign, mask in ((1, ~same), (-1, same)):
            P = f * mask / (f * mask).sum(axis=1, keepdims=True)
            margins += sign * np.einsum("i,ij,ijp->p", inlier, P, steps)
        w = np.maximum(margins / len(y), 0)
        w /= np.linalg.norm(w)
    return w / w.max()


def test_relief_is_its_definition(sample):
    X, y = sample
    np.testing.assert_allclose(
        measure("relief").scores(X, y), slow_relief(X, y, 1, "euclidean", True), atol=1e-13
    )


@pytest.mark.parametrize("k", [1, 4, 10])
def test_relieff_is_its_definition(sample, k):
    X, y = sample
    expected = slow_relief(X, y, k, "cityblock", False)
    got = measure("relieff", n_neighbors=k).scores(X, y)
    np.testing.assert_allclose(got, expected, atol=1e-13)


def test_relieff_is_that_of_scikit_rebate():
    """Values of skrebate 0.8.4, ReliefF(n_neighbors=10), negative ones as 0."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 6))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    expected = [0.055029281339712424, 0.04960149468989881, 0, 0, 0, 0]
    np.testing.assert_allclose(measure("relieff").scores(X, y), expected, atol=1e-13)


@pytest.mark.parametrize("k", [1, 10])
def test_rrelieff_is_its_definition(sample, k):
    X, _ = sample
    y = X[:, 0] + 0.02 * X[:, 1] ** 2
    got = measure("relieff", n_neighbors=k).scores(X, y)
    np.testing.assert_allclose(got, slow_rrelieff(X, y, k), atol=1e-12)


def test_simba_is_its_definition(sample):
    X, y = sample
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]  # sorted rows are drawn by the same numbers
    drawn = np.random.RandomState(7).choice(np.arange(90), 180)
    got = measure("simba", n_passes=2).set_params(random_state=7).scores(X, y)
    np.testing.assert_allclose(got, slow_simba(X, y, drawn), rtol=1e-9)


@in_one_test
@pytest.mark.parametrize(("sigma", "max_iter"), [(0.5, 1), (0.5, 6), (0.05, 4), (5.0, 3)])
def test_iterative_relief_is_its_definition(sample, sigma, max_iter):
    X, y = sample
    got = measure("iterative_relief", sigma=sigma, max_iter=max_iter, tol=0.0).scores(X, y)
    expected = slow_iterative_relief(X, y, sigma, max_iter)
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


def test_correlation_is_pearsons(sample):
    X, y = sample
    t = X[:, 0] - X[:, 2] ** 2
    expected = [abs(np.corrcoef(x, t)[0, 1]) for x in X.T]
    np.testing.assert_allclose(measure("correlation").scores(X, t), expected)
    two = y > 0
    expected = [abs(np.corrcoef(x, two)[0, 1]) for x in X.T]
    np.testing.assert_allclose(measure("correlation").scores(X, two), expected)


def test_fisher_is_the_f_statistic_without_its_degrees_of_freedom(sample):
    X, y = sample
    scores = measure("fisher").scores(X, y)
    np.testing.assert_allclose(scores * (90 - 3) / (3 - 1), f_classif(X, y)[0])
    ratio = measure("correlation").scores(X, y)
    np.testing.assert_allclose(scores, ratio**2 / (1 - ratio**2))


@pytest.mark.parametrize("k", [1, 3, 5])
def test_information_from_neighbors_is_scikit_learns(sample, k):
    """Theirs moves rows by noise of 1e-10 standard deviations, which here changes no count."""
    X, y = sample
    ours = measure("mutual_information", estimator="neighbors", n_neighbors=k)
    expected = mutual_info_classif(X, y, n_neighbors=k, random_state=0)
    np.testing.assert_allclose(ours.scores(X, y), expected, atol=1e-12)
    t = X[:, 0] + X[:, 1] / 300
    expected = mutual_info_regression(X, t, n_neighbors=k, random_state=0)
    np.testing.assert_allclose(ours.scores(X, t), expected, atol=1e-12)


def test_information_from_bins_is_that_of_the_contingency_table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 200)
    X = np.column_stack([(y + (rng.random(200) < 0.3)) % 4, rng.integers(0, 9, 200)])
    scores = measure("mutual_information").scores(X, y)
    np.testing.assert_allclose(scores, [mutual_info_score(x, y) for x in X.T], atol=1e-12)
    wide = measure("mutual_information", n_bins=5).scores(np.arange(200.0)[:, None], y)
    assert wide == pytest.approx(mutual_info_score(np.arange(200) // 40, y))


def test_information_of_equal_numbers():
    """A feature that y repeats tells log 2 of two values, and about that by its neighbours."""
    y = np.repeat([0.5, 1.5], 200)
    X = np.column_stack([y, np.tile([0.0, 1.0], 200)])
    exact = measure("mutual_information").scores(X, y)
    np.testing.assert_allclose(exact, [np.log(2), 0], atol=1e-12)
    near = measure("mutual_information", estimator="neighbors").scores(X, y)
    np.testing.assert_allclose(near, [np.log(2), 0], atol=0.01)


def test_neighbors_find_what_is_in_the_features_together():
    """Relief and its kin see the two features of exclusive or; those that look at one do not."""
    X, y = exclusive_or()
    for name in ("relief", "relieff", "simba", "iterative_relief"):
        scores = measure(name).scores(X, y)
        assert set(np.argsort(-scores)[:2]) == {0, 1}, name
        assert min(scores[:2]) > 2 * max(scores[2:]), name
    for name in ("correlation", "fisher", "mutual_information"):
        scores = measure(name).scores(X, y)
        assert max(scores[:2]) < 2 * max(scores[2:]), name


@in_one_test
@pytest.mark.parametrize("component", every_measure(), ids=str)
def test_scores_do_not_depend_on_units_or_origin(sample, component):
    X, y = sample
    expected = component.scores(X, y)
    for scale, origin in ((1e12, 0), (1e-12, 0), (3e-155, 0), (7e155, 0), (1, 12345.0)):
        got = component.scores((X + origin) * scale, y)
        np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-9)
    moved = component.scores(X * [1e-8, 1e8, 1, -3, 7], y)
    np.testing.assert_allclose(moved, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", NUMERIC)
def test_scores_do_not_depend_on_the_unit_of_numbers(sample, name):
    X, _ = sample
    y = X[:, 0] + X[:, 1] / 100
    expected = measure(name).scores(X, y)
    for target in (1e12 * y, 1e-12 * y, 5 - 3e150 * y):
        np.testing.assert_allclose(measure(name).scores(X, target), expected, rtol=1e-7, atol=1e-9)


grids = st.integers(2, 4).flatmap(
    lambda p: st.lists(
        st.tuples(st.integers(0, 2), *[st.integers(0, 3)] * p), min_size=8, max_size=30
    )
)


def is_learnable(rows):
    sizes = np.unique([row[0] for row in rows], return_counts=True)[1]
    return len(sizes) > 1 and max(sizes) > 1


@pytest.mark.parametrize("name", [name for name in NAMES if name != "simba"])
@given(rows=grids.filter(is_learnable), random=st.randoms(use_true_random=False))
def test_order_changes_nothing_even_among_ties(name, rows, random):
    """Rows and features in another order give the same scores; Simba draws other rows."""
    table = np.array(rows, dtype=float)
    X, y = table[:, 1:] / 10, table[:, 0].astype(int)
    expected = measure(name).scores(X, y)
    assert (expected >= 0).all()
    assert np.isfinite(expected).all()
    order, columns = list(range(len(X))), list(range(X.shape[1]))
    random.shuffle(order)
    random.shuffle(columns)
    got = measure(name).scores(X[order][:, columns], y[order])
    np.testing.assert_allclose(got, expected[columns], rtol=1e-6, atol=1e-9)


@given(rows=grids.filter(is_learnable), columns=st.permutations([0, 1]))
def test_simba_takes_features_in_any_order(rows, columns):
    table = np.array(rows, dtype=float)
    X, y = table[:, 1:3] / 10, table[:, 0].astype(int)
    got = measure("simba").scores(X[:, columns], y)
    np.testing.assert_allclose(got, measure("simba").scores(X, y)[columns], rtol=1e-6, atol=1e-9)


@in_one_test
@pytest.mark.parametrize("component", every_measure(), ids=str)
@pytest.mark.parametrize(
    "make",
    [
        lambda y: np.array(["b", "c", "a"])[y],
        lambda y: np.array([7, -1, 300])[y],
        lambda y: y.astype(float),
        lambda y: (y + 1).tolist(),
    ],
)
def test_names_of_classes_change_nothing(sample, component, make):
    X, y = sample
    np.testing.assert_allclose(
        component.scores(X, make(y)), component.scores(X, y), rtol=1e-9, atol=1e-12
    )


@in_one_test
@pytest.mark.parametrize("component", every_measure(), ids=str)
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]], [0, 0, 1, 1]),  # a constant
        ([[0.1, 5], [0.1, 5], [0.3, 5], [0.3, 5]], [-1, -1, 1, 1]),  # constant in each class
        ([[1.0, 2.0]] * 6, [0, 1] * 3),  # all rows equal
        ([[0.0], [1.0], [2.0], [3.0], [9.0]], [1, 1, 1, 1, 5]),  # a class of one
        ([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]], ["a", "a", "b"]),  # three points
        (np.eye(6), [0, 0, 1, 1, 2, 2]),  # as many features as rows
        (np.tile(np.eye(4), (1, 9)), [0, 0, 1, 1]),  # more, and all of them repeated
        (np.arange(101.0)[:, None] % 7, [1] + 100 * [0]),  # a hundred to one
    ],
)
def test_degenerate_data_have_finite_scores(component, X, y):
    X = np.asarray(X, dtype=float)
    scores = component.scores(X, y)
    assert scores.shape == (X.shape[1],)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()
    assert not scores[np.ptp(X, axis=0) == 0].any()


def test_a_feature_that_is_constant_in_each_class_wins():
    X = np.column_stack([[0.1, 0.1, 0.3, 0.3], [0.0, 1.0, 2.0, 3.1]])
    scores = measure("fisher").scores(X, [0, 0, 1, 1])
    assert scores[0] == pytest.approx(1 / np.finfo(float).eps)
    assert scores[1] < 10


@in_one_test
@pytest.mark.parametrize("component", every_measure(), ids=str)
def test_one_class_is_an_error(component):
    with pytest.raises(ilk.InputError, match=r"y has 1 class \('a'\), at least 2"):
        component.scores([[0.0], [1.0]], ["a", "a"])


@in_one_test
@pytest.mark.parametrize("name", ["relief", "relieff", "simba", "iterative_relief"])
def test_no_class_of_two_is_an_error(name):
    with pytest.raises(ilk.InputError, match=f"{name}: y has no class of two rows"):
        measure(name).scores([[0.0], [1.0], [2.0]], [0, 1, 2])
    with pytest.raises(ilk.InputError, match="mutual_information: y has no class of two"):
        measure("mutual_information", estimator="neighbors").scores([[0.0], [1.0]], [0, 1])


@in_one_test
@pytest.mark.parametrize("name", [name for name in NAMES if name not in NUMERIC])
def test_numbers_are_refused_where_classes_are_needed(name):
    with pytest.raises(ilk.InputError, match=f"{name}: y holds numbers .* or relieff"):
        measure(name).scores([[0.0], [1.0], [2.0]], [0.5, 1.5, 2.5])


@pytest.mark.parametrize("name", NUMERIC)
def test_what_y_holds_can_be_said(name):
    X = np.random.default_rng(0).normal(size=(60, 2))
    whole = np.round(3 * X[:, 0])
    numbers = measure(name, targets="numbers").scores(X, whole)
    assert numbers[0] > 2 * numbers[1]
    np.testing.assert_allclose(measure(name).scores(X, whole + 0.5), numbers, atol=1e-9)
    classes = measure(name, targets="classes").scores(X, whole)
    np.testing.assert_array_equal(measure(name).scores(X, whole), classes)
    with pytest.raises(ilk.InputError, match=f"{name}: y is 3 in every row"):
        measure(name, targets="numbers").scores(X, np.full(60, 3))
    with pytest.raises(ilk.InputError, match=f"{name}: y has nan at row 2"):
        measure(name, targets="numbers").scores(X, [1.0, 2.0, np.nan, *range(57)])
    with pytest.raises(ilk.InputError, match=f"{name}: y has 59 values for the 60 rows"):
        measure(name, targets="numbers").scores(X, np.arange(59.0))


@pytest.mark.parametrize("name", ["relief", "relieff"])
def test_draws_are_seeded(sample, name):
    X, y = sample
    scores = [measure(name, n_draws=30, random_state=seed).scores(X, y) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert not np.array_equal(scores[0], scores[2])
    every = measure(name).scores(X, y)
    np.testing.assert_array_equal(measure(name, n_draws=1000).scores(X, y), every)
    assert np.abs(scores[0] - every).max() < 0.1


@pytest.mark.parametrize("name", ["relief", "relieff", "iterative_relief"])
def test_threads_change_no_bit(sample, name):
    X, y = sample
    with ilk.threads(1):
        expected = measure(name).scores(X, y)
    with ilk.threads(3):
        np.testing.assert_array_equal(measure(name).scores(X, y), expected)


@in_one_test
@pytest.mark.parametrize("component", every_measure(), ids=str)
def test_the_data_are_left_as_they_are(sample, component):
    X, y = sample
    before = X.copy()
    component.scores(X, y)
    np.testing.assert_array_equal(X, before)
