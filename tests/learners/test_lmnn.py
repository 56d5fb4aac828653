"""lmnn."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

import ilk
from cases import in_one_test
from ilk_learners.metric_learners import large_margin
from ilk_learners.metric_learners.large_margin import GivenTriplets, LargeMargin, best_multiple
from ilk_learners.metric_learners.linear import MetricWarning

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::ilk_learners.metric_learners.linear.MetricWarning"),
]


def data(seed=0, n=60, p=4, classes=3, spread=1.0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    X = rng.normal(size=(n, p)) + spread * rng.normal(size=(classes, p))[y]
    return X - X.mean(axis=0), y


def nearest_of_class(X, y, k):
    """The k nearest of the same class of each row, ties by lower index."""
    chosen = []
    for i in range(len(X)):
        others = [j for j in range(len(X)) if j != i and y[j] == y[i]]
        chosen.append(sorted(others, key=lambda j: (((X[i] - X[j]) ** 2).sum(), j))[:k])
    return chosen


def slow(L, X, y, targets, c):
    """Equation (4.4) as corrected, triplet by triplet, and its gradient."""
    loss, gradient = 0.0, np.zeros_like(L)
    for i, mine in enumerate(targets):
        for j in mine:
            near = X[i] - X[j]
            loss += ((L @ near) ** 2).sum()
            gradient += 2 * np.outer(L @ near, near)
            for other in np.flatnonzero(y != y[i]):
                far = X[i] - X[other]
                hinge = 1 + ((L @ near) ** 2).sum() - ((L @ far) ** 2).sum()
                if hinge > 0:
                    loss += c * hinge
                    gradient += 2 * c * (np.outer(L @ near, near) - np.outer(L @ far, far))
    return loss, gradient


def objective(X, y, k=3, push=0.5):
    counts = np.minimum(np.bincount(y) - 1, k)
    return LargeMargin(X, y, counts, push)


def lmnn(**parameters):
    return ilk.metric_learner("lmnn", **parameters)


def test_worked():
    # On a line: a at 0 and 1, b at 3. Pulled: 1 + 1. Hinges: 1 + 1 - 9 < 0 of the first a,
    # 1 + 1 - 4 < 0 of the second. With L = 1/2: 2/4, 1 + 1/4 - 9/4 < 0, and 1 + 1/4 - 1 = 1/4.
    X, y = np.array([[0.0], [1.0], [3.0]]), np.array([0, 0, 1])
    of = LargeMargin(X, y, np.array([1, 0]), 2.0)
    assert of(np.array([[1.0]]))[0] == pytest.approx(2)
    loss, gradient = of(np.array([[0.5]]))
    assert loss == pytest.approx(0.5 + 2 * 0.25)
    assert gradient == pytest.approx(np.array([[2 * 0.5 * 2 + 2 * 2 * 0.5 * (1 - 4)]]))


def test_minimum_on_a_line_is_where_the_margin_is_met():
    # E(s) of s = L^2 is 2 s + c [1 - 3 s]_+: for c > 2/3 least at s = 1/3.
    X = np.array([[0.0], [1.0], [3.0]])
    model = lmnn(push=4.0, max_iter=200, tol=0.0, init=[[0.5]]).fit(X, ["a", "a", "b"])
    assert model.components_ == pytest.approx(np.sqrt([[1 / 3]]), rel=1e-5)


@pytest.mark.parametrize("k", [1, 3])
@given(st.integers(0, 2**31))
def test_loss_and_gradient_agree_with_triplets(k, seed):
    rng = np.random.default_rng(seed)
    X, y = data(seed, n=25, p=3)
    L = rng.normal(size=(rng.integers(1, 4), 3)) * rng.uniform(0.2, 2)
    loss, gradient = objective(X, y, k)(L)
    expected = slow(L, X, y, nearest_of_class(X, y, k), 0.5)
    assert loss == pytest.approx(expected[0], rel=1e-10)
    assert gradient == pytest.approx(expected[1], rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("d", [1, 4])
def test_gradient_numeric(d):
    X, y = data(3)
    of = objective(X, y)
    L = np.random.default_rng(0).normal(size=(d, 4))
    error = check_grad(
        lambda v: of(v.reshape(d, 4))[0], lambda v: of(v.reshape(d, 4))[1].ravel(), L.ravel()
    )
    assert error < 1e-6 * np.linalg.norm(of(L)[1])


@pytest.mark.parametrize("rows", [7, 256])
@pytest.mark.parametrize("worthwhile", [1, 8])
def test_no_impostor_is_missed_on_a_long_walk(rows, worthwhile, monkeypatch):
    monkeypatch.setattr(large_margin, "_ROWS", rows)
    monkeypatch.setattr(large_margin, "_WORTHWHILE", worthwhile)
    X, y = data(5, n=150, p=5)
    of, rng = objective(X, y), np.random.default_rng(1)
    L = np.eye(5)
    for step in np.geomspace(1e-3, 0.5, 60):
        L = L * rng.uniform(0.9, 1.1) + step * rng.normal(size=(5, 5)) / 5
        anew = objective(X, y)(L)
        assert of(L)[0] == pytest.approx(anew[0], rel=1e-12)
        assert of(L)[1] == pytest.approx(anew[1], rel=1e-9)
    assert of._impostors.n_searches < 60  # lists served now and then


def test_lists_serve_most_steps_of_a_solver():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    of, n = objective(X, y), 0
    L = np.eye(13) / 4
    for _ in range(100):
        n += 1
        L = L - 1e-5 * of(L)[1]
    assert of._impostors.n_searches <= n / 5


def test_threads_change_no_bit(monkeypatch):
    monkeypatch.setattr(large_margin, "_ROWS", 16)
    X, y = data(2, n=200)
    results = []
    for n in (1, 3):
        with ilk.threads(n):
            results.append(lmnn(max_iter=10).fit(X, y).components_)
    assert np.array_equal(*results)


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
def test_by_default_it_converges(load):
    X, y = (part[:500] for part in load(return_X_y=True))
    X = X[:, X.std(axis=0) > 0]
    model = lmnn(report=False).fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    assert model.n_iter_ < 40  # of 50


def test_loss_at_the_end_is_the_true_one_and_never_rises():
    X, y = data(1, n=120, p=6)
    model = lmnn(n_neighbors=2, max_iter=40, push=1.0).fit(X, y)
    curve = np.array(model.loss_curve_)
    assert np.all(np.diff(curve) <= 1e-9 * curve[:-1])
    assert len(curve) == model.n_iter_ + 1 <= 41
    true, _ = slow(model.components_, X, y, nearest_of_class(X, y, 2), 1.0)
    assert curve[-1] == pytest.approx(true, rel=1e-9)


def test_start_does_not_matter_with_all_dimensions():
    X, y = data(8, n=90, p=3)
    metrics = [
        lmnn(init=init, max_iter=1000, tol=1e-13).fit(X, y)
        for init in ("identity", "pca", "lda", np.diag([3.0, 1.0, 0.2]))
    ]
    losses = [model.loss_curve_[-1] for model in metrics]
    assert losses == pytest.approx([losses[0]] * 4, rel=1e-4)
    for model in metrics:
        assert model.metric_matrix_ == pytest.approx(metrics[0].metric_matrix_, rel=0.05, abs=0.02)


def test_better_than_any_semidefinite_neighbour():
    # The loss is convex in L'L: no small step to another metric lowers it where it is least.
    X, y = data(4, n=45, p=2)
    model = lmnn(n_neighbors=2, max_iter=500, tol=1e-14).fit(X, y)
    of = objective(X, y, 2, 0.25)
    least = of(model.components_)[0]
    rng = np.random.default_rng(0)
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(50):
            L = model.components_ + size * rng.normal(size=(2, 2))
            assert of(L)[0] >= least * (1 - 1e-6)


@given(st.integers(-40, 40))
def test_units_do_not_matter(power):
    X, y = data(6)
    plain = lmnn(max_iter=20).fit(X, y)
    scaled = lmnn(max_iter=20).fit(np.ldexp(X, power), y)
    assert np.array_equal(np.ldexp(scaled.components_, power), plain.components_)
    assert scaled.loss_curve_ == plain.loss_curve_


@pytest.mark.parametrize("scale", [1e-12, 1e3, 1e12])
def test_unscaled_data_are_learned_from(scale):
    X, y = data(6, spread=0.7)
    plain = lmnn(max_iter=20).fit(X, y)
    model = lmnn(max_iter=20).fit(X * scale + 5 * scale, y)
    assert model.n_iter_ > 1
    assert model.loss_curve_[-1] == pytest.approx(plain.loss_curve_[-1], rel=1e-3)
    ratio = model.components_ / model.components_[0, 0]
    assert not np.allclose(ratio, np.eye(4), atol=0.01)


def test_order_of_rows_and_columns_and_names_do_not_matter():
    X, y = data(7, n=80)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(80), rng.permutation(4)
    plain = lmnn(max_iter=200, tol=1e-10).fit(X, y)
    turned = lmnn(max_iter=200, tol=1e-10).fit(
        X[rows][:, columns] - 3, np.array(["u", "q", "x"])[y[rows]]
    )
    expected = plain.metric_matrix_[np.ix_(columns, columns)]
    assert turned.metric_matrix_ == pytest.approx(expected, rel=1e-2, abs=1e-2)


def test_rotation():
    X, y = data(9, n=80, p=3)
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    settings_ = {"max_iter": 300, "tol": 1e-12}
    A = lmnn(**settings_).fit(X, y).metric_matrix_
    B = lmnn(**settings_).fit(X @ Q.T, y).metric_matrix_
    assert np.allclose(Q.T @ B @ Q, A, rtol=1e-2, atol=1e-2)


def test_best_multiple():
    X, y = data(2)
    of = objective(X, y)
    factor = best_multiple(of, np.eye(4), 1.0)
    around = [of(np.eye(4) * factor * np.sqrt(2.0) ** e)[0] for e in (-1, 0, 1)]
    assert np.argmin(around) == 1


class TestRounds:
    def test_targets_are_chosen_by_the_metric_learned(self):
        X, y = data(3, spread=0.3)
        first = lmnn(max_iter=20, n_neighbors=2).fit(X, y)
        second = lmnn(max_iter=40, n_neighbors=2, n_rounds=2, tol=0.0).fit(X, y)
        assert second.n_iter_ <= 40
        L = first.components_
        before, _ = slow(L, X, y, nearest_of_class(X, y, 2), 0.25)
        after, _ = slow(L, X, y, nearest_of_class(X @ L.T, y, 2), 0.25)
        assert after < before  # other neighbours, and there nearer ones
        assert objective(X, y, 2, 0.25).anew(L)(L)[0] == pytest.approx(after)

    def test_curve_never_rises_and_iterations_stay_below_the_limit(self):
        X, y = data(3, spread=0.3)
        for rounds, limit in itertools.product((1, 2, 3), (1, 2, 7, 60)):
            model = lmnn(n_rounds=rounds, max_iter=limit).fit(X, y)
            curve = np.array(model.loss_curve_)
            assert np.all(np.diff(curve) <= 1e-9 * curve[:-1])
            assert model.n_iter_ <= limit


class TestSmallClasses:
    def test_auto_takes_fewer(self):
        X, y = data(0, n=30)
        y = np.where(np.arange(30) < 2, 7, np.where(np.arange(30) == 2, 9, y))
        model = lmnn().fit(X, y)
        assert np.isfinite(model.components_).all()
        # The class of two pulls each other; that of one pushes only.
        codes = np.unique(y, return_inverse=True)[1]
        true, _ = slow(model.components_, X, y, nearest_of_class(X, y, 3), 0.25)
        assert model.loss_curve_[-1] == pytest.approx(true)
        assert objective(X, codes, 3, 0.25)(model.components_)[0] == pytest.approx(true)

    @pytest.mark.parametrize("size", [1, 3, 4])
    def test_given_number(self, size):
        X, y = data(0, n=30, classes=2)
        y = np.where(np.arange(30) < size, 2, y)
        if size == 4:
            assert np.isfinite(lmnn(n_neighbors=3).fit(X, y).components_).all()
            return
        message = rf"n_neighbors must be at most {size - 1}, as class 2 has {size} members, got 3"
        with pytest.raises(ilk.InputError, match=message):
            lmnn(n_neighbors=3).fit(X, y)

    def test_all_of_one(self):
        with pytest.raises(ilk.InputError, match="lmnn: y has one member in each class"):
            lmnn().fit([[0.0], [1.0]], ["a", "b"])

    def test_one_class(self):
        with pytest.raises(ilk.InputError, match="lmnn: y has 1 class"):
            lmnn().fit([[0.0], [1.0]], ["a", "a"])


class TestTriplets:
    def test_all_that_labels_give_is_the_same_loss(self):
        X, y = data(5, n=20, p=3)
        targets = nearest_of_class(X, y, 2)
        triplets = [
            (i, j, far) for i in range(20) for j in targets[i] for far in np.flatnonzero(y != y[i])
        ]
        given_ = GivenTriplets(X, np.array(triplets), 0.5)
        L = np.random.default_rng(0).normal(size=(2, 3))
        loss, gradient = objective(X, y, 2)(L)
        assert given_(L)[0] == pytest.approx(loss)
        assert given_(L)[1] == pytest.approx(gradient)
        a = lmnn(n_neighbors=2, init=np.eye(3), max_iter=30).fit(X, y)
        b = lmnn(triplets=triplets, init=np.eye(3), max_iter=30).fit(X)
        assert b.loss_curve_[-1] == pytest.approx(a.loss_curve_[-1], rel=1e-3)
        assert b.report_ is None
        assert (
            lmnn(triplets=triplets).fit(X, y).report_ == lmnn(triplets=triplets).fit(X, y).report_
        )

    def test_few_say_which_feature_matters(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(40, 3))
        drawn = [rng.choice(40, 3, replace=False) for _ in range(400)]
        triplets = [
            (i, j, far) for i, j, far in drawn if abs(X[i, 1] - X[j, 1]) < abs(X[i, 1] - X[far, 1])
        ]
        triplets = list({tuple(map(int, one)) for one in triplets})
        A = lmnn(triplets=triplets, push=10.0, max_iter=200).fit(X).metric_matrix_
        assert A[1, 1] > 20 * max(A[0, 0], A[2, 2])

    @in_one_test
    @pytest.mark.parametrize(
        ("triplets", "message"),
        [
            ([[0, 1, 9]], r"rows 0\.\.5, got \[0, 1, 9\] at 0"),
            ([[0, 1, 2], [0, 1, -1]], r"rows 0\.\.5, got \[0, 1, -1\] at 1"),
            ([[0, 0, 2]], "three different rows"),
            ([[0, 1, 2], [3, 1, 2], [0, 1, 2]], r"do not repeat, got \[0, 1, 2\] at 0"),
            ([[3, 1, 2], [0, 1, 2], [0, 2, 1]], r"contradict one another, got \[0, 1, 2\] at 1"),
            ([[0, 1]], r"shape \(m, 3\), got int64 \(1, 2\)"),
            ([[0.5, 1, 2]], "integers"),
        ],
    )
    def test_wrong_ones(self, triplets, message):
        X, y = data(0, n=6, classes=2)
        with pytest.raises(ilk.ParameterError, match=rf"lmnn: triplets .*{message}"):
            lmnn(triplets=triplets).fit(X, y)

    def test_lda_needs_labels(self):
        X, y = data(0, n=6, classes=2)
        with pytest.raises(ilk.ParameterError, match="lmnn: init"):
            lmnn(triplets=[[0, 1, 2]], init="lda").fit(X)
        assert lmnn(triplets=[[0, 1, 2]], init="lda").fit(X, y).components_.shape == (4, 4)


def test_low_rank_and_its_limit():
    X, y = data(0)
    assert lmnn(n_components=2).fit(X, y).components_.shape == (2, 4)
    with pytest.raises(ilk.InputError, match="lmnn: n_components must be at most 4"):
        lmnn(n_components=5).fit(X, y)


def test_nothing_varies():
    with pytest.raises(ilk.InputError, match="lmnn: X has no variance"):
        lmnn().fit(np.ones((6, 2)), [0, 0, 0, 1, 1, 1])


def test_targets_that_coincide():
    X = np.repeat([[0.0, 1.0], [1.0, 0.0], [3.0, 1.0]], 5, axis=0)
    model = lmnn().fit(X, np.repeat([0, 1, 2], 5))
    assert model.loss_curve_[-1] == pytest.approx(0, abs=1e-9)  # nothing to pull, none too near
    with pytest.warns(ConvergenceWarning, match="nothing to learn"):
        lmnn().fit(X, np.repeat([0, 1, 2], 5))


def test_twins_of_other_classes():
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 3)), 2, axis=0)
    model = lmnn(max_iter=200).fit(X, np.arange(40) % 2)
    assert np.isfinite(model.components_).all()
    assert model.loss_curve_[-1] <= model.loss_curve_[0]


def test_warns_when_not_converged():
    X, y = data(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lmnn(max_iter=2).fit(X, y)
    kinds = {one.category for one in caught} - {MetricWarning}
    assert kinds == {ConvergenceWarning}


def test_warm_start():
    X, y = data(0)
    model = lmnn(max_iter=5, warm_start=True).fit(X, y)
    end = model.loss_curve_[-1]
    model.fit(X, y)
    assert model.loss_curve_[0] == pytest.approx(end)
    assert model.loss_curve_[-1] < end


def test_single_precision():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    double = lmnn(max_iter=100).fit(X, y)
    single = lmnn(max_iter=100).fit(X.astype(np.float32) + np.float32(1000), y)
    assert single.components_.dtype == single.transform(X.astype(np.float32)).dtype == np.float32
    assert single.loss_curve_[-1] == pytest.approx(double.loss_curve_[-1], rel=5e-3)


def test_memory_is_bounded():
    import tracemalloc

    X, y = data(0, n=6000, p=5, classes=2, spread=0.1)  # nearly all rows are near
    model = lmnn(max_iter=2, report=False)
    model.fit(X[:500], y[:500])  # compiled
    tracemalloc.start()
    model.fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6  # 9 million pairs are near; as an array they would take 288 MB


@pytest.mark.parametrize(
    ("load", "most", "repeats"), [(load_wine, 0.03, 5), (load_digits, 0.022, 1)]
)
def test_accuracy(load, most, repeats):
    X, y = load(return_X_y=True)
    errors = []
    folds = RepeatedStratifiedKFold(n_splits=2, n_repeats=repeats, random_state=0)
    for train, test in folds.split(X, y):
        scale = X[train].std(axis=0)
        Z = (X - X[train].mean(axis=0)) / np.where(scale > 0, scale, 1)
        model = lmnn(report=False).fit(Z[train], y[train])
        nearest = KNeighborsClassifier(1).fit(model.transform(Z[train]), y[train])
        errors.append(1 - nearest.score(model.transform(Z[test]), y[test]))
    assert np.mean(errors) <= most
