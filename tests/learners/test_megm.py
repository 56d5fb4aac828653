"""megm: the loss that is printed, its limits, and the accuracy it is known for."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

import ilk
from cases import in_one_test
from ilk.testing.data import sample

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::ilk_learners.metric_learners.linear.MetricWarning",
)


def _standardized(X, like=None):
    like = X if like is None else like
    spread = like.std(axis=0)
    return (X - like.mean(axis=0)) / np.where(spread > 0, spread, 1)


def _numbers(name):
    """A data set that comes with the package, nominal values as their places."""
    data = ilk.dataset(name).load()
    X = data.X
    if hasattr(X, "columns"):
        columns = [
            pd.factorize(X[c], sort=True)[0] if X[c].dtype.kind not in "fiu" else X[c] for c in X
        ]
        X = np.column_stack(columns)
    return np.asarray(X, dtype=float), np.unique(data.y, return_inverse=True)[1]


def _sigma2(X):
    D = cdist(X, X, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    half = max(1, int(np.log2(len(X))) // 2)
    return np.sort(D, axis=1)[:, :half].mean(axis=1)


def _slow_loss(L, X, Y, k=None):
    """Equations (4.7) to (4.12), row by row over k others; L as printed, without its scale."""
    loss, sigma2 = 0.0, _sigma2(X)
    for i in range(len(X)):
        others = [j for j in np.argsort(((X - X[i]) ** 2).sum(axis=1)) if j != i][:k]
        d2 = np.array([np.sum((L @ (X[i] - X[j])) ** 2) for j in others])
        W = np.exp((d2.min() - d2) / (2 * sigma2[i]))
        vote = W @ Y[others] / W.sum()
        loss += 0.5 * np.sum((Y[i] - vote) ** 2)
    return loss


def _overlapping(n=60, p=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, p))
    X[:, 0] += y
    return X, y


def test_loss_is_the_printed_one():
    X, y = _overlapping(30)
    learner = ilk.metric_learner("megm", regularization=0).fit(X, y)
    Y = np.eye(3)[y]
    scale = np.sqrt(2 * _sigma2(X).mean())
    assert learner.loss_curve_[0] == pytest.approx(_slow_loss(np.eye(3), X, Y))
    assert learner.loss_curve_[-1] == pytest.approx(
        _slow_loss(learner.components_ * scale, X, Y), rel=1e-5, abs=1e-8
    )
    np.testing.assert_allclose(learner.widths_, _sigma2(X).mean() / _sigma2(X))
    assert (np.diff(learner.loss_curve_) <= 0).all()


def test_ridge_is_that_of_the_map_without_its_scale():
    X, y = _overlapping(30)
    plain = ilk.metric_learner("megm", regularization=0).fit(X, y)
    ridge = ilk.metric_learner("megm", regularization=0.5).fit(X, y)
    assert ridge.loss_curve_[0] == pytest.approx(plain.loss_curve_[0] + 0.5 * 3)
    assert np.linalg.norm(ridge.components_) < np.linalg.norm(plain.components_)


def test_numbers_are_targets_in_units_of_their_spread():
    X, _ = _overlapping(40)
    y = np.sin(X[:, 0]) + 0.5
    learner = ilk.metric_learner("megm", regularization=0).fit(X, y)
    standard = ((y - y.mean()) / y.std())[:, None]
    assert learner.loss_curve_[0] == pytest.approx(_slow_loss(np.eye(3), X, standard))
    other = ilk.metric_learner("megm", regularization=0).fit(X, y * 1e9 - 3.5)
    np.testing.assert_allclose(other.loss_curve_[:4], learner.loss_curve_[:4], rtol=1e-5)
    weights = np.diag(learner.metric_matrix_)
    assert weights[0] > 5 * weights[1:].max()
    assert learner.report_.after < learner.report_.before


def test_whole_numbers_are_classes_unless_said_otherwise():
    X, y = _overlapping(40)
    learner = ilk.metric_learner("megm", max_iter=3)
    classes = learner.fit(X, y).metric_matrix_
    np.testing.assert_allclose(learner.fit(X, y.astype(float)).metric_matrix_, classes)
    numbers = ilk.metric_learner("megm", max_iter=3, targets="numbers").fit(X, y).metric_matrix_
    assert not np.allclose(numbers, classes)


@in_one_test
@pytest.mark.parametrize("factor", [1e-12, 1e-3, 1000.0, 1e12])
def test_unit_changes_nothing(factor):
    X, y = _overlapping()
    learner = ilk.metric_learner("megm").fit(X, y)
    other = ilk.metric_learner("megm").fit(X * factor, y)
    np.testing.assert_allclose(other.loss_curve_[0], learner.loss_curve_[0], rtol=1e-9)
    np.testing.assert_allclose(other.loss_curve_[-1], learner.loss_curve_[-1], rtol=1e-4)
    np.testing.assert_allclose(
        other.transform(X * factor), learner.transform(X), rtol=0.02, atol=0.02
    )


@given(st.integers(0, 10**6))
def test_rotation_and_translation_change_no_distance(seed):
    X, y = _overlapping(24)
    rng = np.random.default_rng(seed)
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    learner = ilk.metric_learner("megm", max_iter=5, tol=0, report=False)
    D = learner.fit(X, y).distance().pairwise(X)
    turned = X @ R + rng.normal(size=3) * 100
    np.testing.assert_allclose(learner.fit(turned, y).distance().pairwise(turned), D, atol=1e-6)


def test_names_and_order_of_rows_do_not_matter():
    X, y = _overlapping()
    order = np.random.default_rng(0).permutation(60)
    A = ilk.metric_learner("megm", max_iter=6).fit(X, y).metric_matrix_
    names = np.array(["z", "b", "m"])[y]
    B = ilk.metric_learner("megm", max_iter=6).fit(X[order], names[order]).metric_matrix_
    np.testing.assert_allclose(B, A, rtol=1e-5, atol=1e-7)


def test_restarts_are_seeded_and_never_worse():
    X, y = _numbers("monks2")
    X, y = _standardized(X[::4]), y[::4]
    one, many, again = (
        ilk.metric_learner("megm", n_restarts=n, random_state=3, regularization=0).fit(X, y)
        for n in (0, 3, 3)
    )
    assert many.loss_curve_[-1] <= one.loss_curve_[-1]
    np.testing.assert_array_equal(many.components_, again.components_)


def test_cut_neighborhood_of_all_others_is_no_cut():
    X, y = _overlapping(30)
    whole = ilk.metric_learner("megm", regularization=0, max_iter=5, tol=0).fit(X, y)
    cut = ilk.metric_learner("megm", neighborhood=29, max_iter=5, tol=0).fit(X, y)
    np.testing.assert_allclose(cut.metric_matrix_, whole.metric_matrix_, rtol=1e-5, atol=1e-7)


def test_algorithm_1_as_printed():
    X, y = _overlapping(70)
    learner = ilk.metric_learner("megm", neighborhood="log2", solver="cg", max_iter=8).fit(X, y)
    L = learner.components_ * np.sqrt(2 * _sigma2(X).mean())
    Y, k = np.eye(3)[y], 6  # floor(log2 70)
    assert learner.loss_curve_[0] == pytest.approx(_slow_loss(np.eye(3), X, Y, k))
    assert learner.loss_curve_[-1] == pytest.approx(_slow_loss(L, X, Y, k))
    assert learner.loss_curve_[-1] < learner.loss_curve_[0]
    same = ilk.metric_learner("megm", neighborhood=k, solver="cg", max_iter=8).fit(X, y)
    assert np.array_equal(same.components_, learner.components_)


@pytest.mark.parametrize("refresh", [None, 3])
def test_cut_neighborhood_ends_no_higher_than_it_begins(refresh):
    X, y = _overlapping(90)
    learner = ilk.metric_learner("megm", neighborhood=10, refresh=refresh, max_iter=20).fit(X, y)
    assert learner.loss_curve_[-1] < learner.loss_curve_[0]
    assert learner.n_iter_ <= 20
    assert learner.components_.any()


def test_global_bandwidth_gives_every_row_the_same_kernel():
    X, y = _overlapping()
    assert (ilk.metric_learner("megm", bandwidth="global").fit(X, y).widths_ == 1).all()


def test_nothing_to_learn_of_one_other_row():
    learner = ilk.metric_learner("megm", regularization=0).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    A = learner.metric_matrix_
    np.testing.assert_allclose(A, np.eye(2) * A[0, 0])


@in_one_test
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0.0, 1.0], [1.0, 0.0]], [0, 1]),
        ([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]),
        ([[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [3.0, 7.0]], [0, 1, 0, 1]),
        (np.repeat([[0.0, 0.0], [1.0, 1.0], [3.0, 1.0]], 6, axis=0), [0, 1] * 9),
        (np.random.default_rng(0).normal(size=(5, 9)), [0, 1, 0, 1, 2]),
        (np.random.default_rng(0).normal(size=(101, 2)), [1] + [0] * 100),
        (np.random.default_rng(0).normal(size=(20, 2)) * [1e12, 1e-12], ["a", "b"] * 10),
        (np.random.default_rng(0).normal(size=(20, 2)), np.linspace(0, 1.3, 20)),
    ],
    ids=["two", "one feature", "constant", "duplicates", "n < p", "1:100", "scales", "numbers"],
)
def test_degenerate_data(dtype, X, y):
    X = np.asarray(X, dtype=dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        learner = ilk.metric_learner("megm").fit(X, y)
    assert learner.components_.dtype == dtype
    assert np.isfinite(learner.components_).all()
    assert learner.components_.any()


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({}, [3] * 6, "megm: y has 1 class"),
        ({}, [0.5] * 6, "megm: y is 0.5 in every row"),
        ({"n_neighbors": 6}, [0, 1] * 3, "megm: n_neighbors must be at most 5"),
        ({"n_components": 3}, [0, 1] * 3, "megm: n_components must be at most 2"),
        ({"regularization": -1.0}, [0, 1] * 3, "megm: regularization"),
        ({"init": "lda"}, [0.5, 1, 2, 3, 4, 5], "megm: init must not be 'lda'"),
    ],
)
def test_bad_input(parameters, y, message):
    with pytest.raises(ValueError, match=message):
        ilk.metric_learner("megm", **parameters).fit(np.arange(12.0).reshape(6, 2), y)


def test_neither_a_low_loss_nor_a_low_error_is_luck():
    """Final losses hold the gradient; accuracy alone hardly shows a wrong one."""
    for name, most in (("wine", 0.01), ("monks2", 25)):
        X, y = _numbers(name)
        learner = ilk.metric_learner("megm", regularization=0, report=False)
        assert learner.fit(_standardized(X), y).loss_curve_[-1] <= most


def _error(learner, X, y, repeats):
    errors = []
    for seed in range(repeats):
        for train, test in StratifiedKFold(2, shuffle=True, random_state=seed).split(X, y):
            A, B = _standardized(X[train]), _standardized(X[test], X[train])
            Z = learner.fit(A, y[train]).transform(A)
            knn = KNeighborsClassifier(1).fit(Z, y[train])
            errors.append(np.mean(knn.predict(learner.transform(B)) != y[test]))
    return 100 * np.mean(errors)


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("monks1", 1),
        ("monks2", 20),
        ("monks3", 2),
        ("balance_scale", 8.5),
        ("wine", 5),
        ("iris", 6),
    ],
)
def test_error_of_the_nearest_neighbor(name, most):
    assert _error(ilk.metric_learner("megm", report=False), *_numbers(name), 2) <= most


def _xor():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 10))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.mark.parametrize(("name", "most"), [("megm", 18), ("megm_diagonal", 9)])
def test_error_on_xor_with_features_of_noise(name, most):
    assert _error(ilk.metric_learner(name, report=False), *_xor(), 2) <= most


def test_a_further_start_that_ends_in_the_same_minimum_is_not_kept():
    """It would be turned, as rounding has it."""
    X, y = sample("vectors", 30)
    one, two = (
        ilk.metric_learner("megm", n_restarts=n, random_state=0, solver="cg").fit(X, y)
        for n in (0, 1)
    )
    assert two.loss_curve_ == one.loss_curve_
    assert np.array_equal(two.components_, one.components_)
