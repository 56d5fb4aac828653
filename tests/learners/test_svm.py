"""svm beside its conditions of optimality, known solutions, and scikit-learn's SVC."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

import ilk
from cases import in_one_test
from ilk_learners.svm.blocks import _OfKernel, kernel_values, minimum
from ilk_learners.svm.gram import IndefiniteKernelWarning, known_kernel

INF = float("inf")
XOR = np.array([[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]])
APART = np.array([-1, -1, 1, 1])


def svm(kernel="rbf", **params):
    return ilk.classifier("svm", kernel=kernel, **params)


def rbf(sigma):
    return ilk.kernel("rbf", sigma=sigma)


def overlapping(n=80, p=3, n_classes=2, seed=0):
    """Rows whose classes overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    score = X[:, 0] + 0.7 * rng.normal(size=n)
    cuts = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    return X, np.searchsorted(cuts, score)


def separable(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    X = X[np.abs(X.sum(axis=1)) > 0.3]
    return X, (X.sum(axis=1) > 0).astype(int)


def violations(model, X, signs, C):
    """How far a machine of two classes is from each condition, from the definition.

    Feasible; ``s f(x) >= 1`` where a = 0, ``= 1`` where 0 < a < C, ``<= 1`` where a = C.
    """
    K = model.kernel_.gram(X)
    a = np.zeros(len(X))
    a[model.support_] = model.dual_coef_[0]
    a *= signs
    yf = signs * (K @ (a * signs) + model.intercept_[0])
    outside = max(-a.min(), (a - C).max(), 0)
    excess = np.where(a <= 0, 1 - yf, np.where(a >= C, yf - 1, np.abs(yf - 1)))
    return outside, abs(a @ signs), max(excess.max(), 0)


def objective(model, X):
    K = model.kernel_.gram(X[model.support_])
    return np.abs(model.dual_coef_).sum(axis=1) - 0.5 * np.einsum(
        "mi,ij,mj->m", model.dual_coef_, K, model.dual_coef_
    )


KERNELS = {
    "linear": "linear",
    "rbf": {"use": "rbf", "sigma": 1.0},
    "polynomial": {"use": "polynomial", "degree": 2, "gamma": 0.3},
    "rational": "rational",
}


class TestConditions:
    @in_one_test
    @pytest.mark.parametrize("solver", ["libsvm", "qp"])
    @pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
    @pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
    def test_hold(self, kernel, C, solver):
        X, y = overlapping()
        weights = np.random.default_rng(1).uniform(0.2, 3, size=len(y))
        model = svm(kernel, C=C, solver=solver, tol=1e-6).fit(X, y, sample_weight=weights)
        outside, total, excess = violations(model, X, 2 * y - 1, C * weights)
        assert outside <= 1e-12 * C
        assert total <= 1e-9 * max(C, 1)
        rounding = np.abs(model.dual_coef_).sum() * np.abs(model.kernel_.gram(X)).max()
        assert excess < (2e-6 + 1e-7 * rounding if solver == "libsvm" else 1e-6)
        assert model.kkt_violation_ == pytest.approx(excess, abs=2 * excess + 1e-9)
        assert model.dual_objective_ == pytest.approx(objective(model, X), rel=1e-9)

    def test_violation_is_reported_where_the_solver_stops_early(self):
        X, y = overlapping()
        with pytest.warns(ConvergenceWarning, match=r"svm: not converged after 1 iterations"):
            model = svm(max_iter=1).fit(X, y)
        assert model.kkt_violation_ > 0.5
        assert svm(tol=1e-3).fit(X, y).kkt_violation_ < 1.01e-3

    def test_pairs_stop_early_too(self):
        X, y = overlapping(n_classes=3)
        with pytest.warns(ConvergenceWarning, match="svm: not converged after 2 iterations"):
            model = svm(max_iter=2, strategy="ovo").fit(X, y)
        assert model.n_iter_.tolist() == [2, 2, 2]

    @in_one_test
    @pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
    @pytest.mark.parametrize("C", [1e-3, 0.1, 1.0, 10.0, 1e3])
    def test_both_solvers_find_the_same_objective(self, kernel, C):
        X, y = overlapping()
        weights = np.random.default_rng(2).uniform(0, 2, size=len(y)).round()
        ours, reference = (
            svm(kernel, C=C, solver=s, tol=1e-5, class_weight={0: 2.0, 1: 0.5}).fit(X, y, weights)
            for s in ("libsvm", "qp")
        )
        assert ours.dual_objective_ == pytest.approx(reference.dual_objective_, rel=1e-6)
        assert reference.kkt_violation_ < 1e-5

    @pytest.mark.parametrize("kernel", [rbf(1.0), "rational"], ids=["rbf", "rational"])
    def test_both_solvers_at_a_cost_that_no_row_reaches(self, kernel):
        X, y = overlapping()
        ours, reference = (svm(kernel, C=1e6, solver=s).fit(X, y) for s in ("libsvm", "qp"))
        assert ours.dual_objective_ == pytest.approx(reference.dual_objective_, rel=1e-6)

    def test_the_reference_stands_huge_costs_of_rows_that_are_not_separable(self):
        X, y = overlapping()
        for kernel in ("linear", "polynomial"):
            model = svm(kernel, C=1e6, solver="qp").fit(X, y)
            outside, total, excess = violations(model, X, 2 * y - 1, 1e6)
            assert (outside, total < 1e-3) == (0, True)
            assert excess < 1e-5

    @given(st.integers(2, 30), st.floats(-2, 3), st.integers(0, 1000))
    def test_hold_on_drawn_rows(self, n, power, seed):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(-2, 3, size=(n, 2)).astype(float), rng.integers(0, 2, size=n)
        y[:2] = 0, 1
        for solver in ("libsvm", "qp"):
            model = svm(rbf(1.0), C=10**power, solver=solver, tol=1e-6).fit(X, y)
            outside, total, excess = violations(model, X, 2 * y - 1, 10**power)
            assert outside <= 1e-12 * 10**power
            assert total <= 1e-9 * 10**power
            assert excess <= 1e-4 * max(1, 10**power / 10)


class TestKnownSolutions:
    @in_one_test
    @pytest.mark.parametrize("solver", ["libsvm", "qp"])
    @pytest.mark.parametrize("C", [1.0, INF])
    def test_xor_under_the_quadratic_kernel(self, solver, C):
        quadratic = ilk.kernel("polynomial", degree=2)
        model = svm(quadratic, C=C, solver=solver, tol=1e-9).fit(XOR, APART)
        assert model.dual_coef_[0] == pytest.approx(APART / 8, abs=1e-7)
        assert model.intercept_ == pytest.approx([0], abs=1e-6)
        assert model.dual_objective_ == pytest.approx([1 / 4], abs=1e-7)
        assert model.margin_ == pytest.approx([np.sqrt(2)], abs=1e-6)
        Q = np.array([[0.5, -3.0], [2.0, 0.25]])
        assert model.decision_function(Q) == pytest.approx(-Q.prod(axis=1), abs=1e-6)

    @pytest.mark.parametrize("solver", ["libsvm", "qp"])
    def test_xor_under_rbf(self, solver):
        model = svm(rbf(1.0), C=INF, solver=solver, tol=1e-9).fit(XOR, APART)
        a = 1 / (1 - np.exp(-2)) ** 2  # 1 + exp(-4) - 2 exp(-2), of a corner with all four
        assert model.dual_coef_[0] == pytest.approx(APART * a, rel=1e-6)
        assert model.predict(XOR).tolist() == APART.tolist()

    @pytest.mark.parametrize("solver", ["libsvm", "qp"])
    def test_margins_of_hand_made_points(self, solver):
        X = np.array([[0.0, 0.0], [0.0, 5.0], [4.0, 1.0], [9.0, 3.0]])
        model = svm("linear", C=INF, solver=solver, tol=1e-9).fit(X, [0, 0, 1, 1])
        assert model.margin_ == pytest.approx([2], rel=1e-6)  # the border is x = 2
        assert model.decision_function([[2.0, 7.0], [4.0, -9.0]]) == pytest.approx([0, 1], abs=1e-5)

    @in_one_test
    @pytest.mark.parametrize("strategy", ["ova", "ovo"])
    @pytest.mark.parametrize("solver", ["libsvm", "qp"])
    def test_two_rows(self, strategy, solver):
        params = {"strategy": strategy, "solver": solver, "tol": 1e-9}
        model = svm("linear", C=INF, **params).fit([[1.0], [4.0]], ["a", "b"])
        assert model.margin_ == pytest.approx([1.5])
        assert model.dual_coef_.tolist() == [pytest.approx([-2 / 9, 2 / 9])]
        assert model.decision_function([[2.5]]) == pytest.approx([0], abs=1e-9)
        assert svm("linear", C=0.01, **params).fit([[1.0], [4.0]], [0, 1]).dual_coef_.tolist() == [
            [-0.01, 0.01]
        ]

    def test_duplicated_rows_share_their_coefficient(self):
        X, y = separable()
        once = svm(C=INF, kernel=rbf(1.0), tol=1e-7).fit(X, y)
        twice = svm(C=INF, kernel=rbf(1.0), tol=1e-7).fit(np.vstack([X, X]), np.tile(y, 2))
        assert twice.dual_objective_ == pytest.approx(once.dual_objective_, rel=1e-6)
        assert twice.decision_function(X) == pytest.approx(once.decision_function(X), abs=1e-4)

    @pytest.mark.parametrize("solver", ["libsvm", "qp"])
    def test_contradictory_duplicates(self, solver):
        X = np.array([[0.0], [0.0], [1.0], [2.0]])
        model = svm("linear", solver=solver).fit(X, [0, 1, 1, 1])
        assert np.isfinite(model.decision_function(X)).all()
        with pytest.raises(ilk.InputError, match="svm: .*separate"):
            svm("linear", C=INF, solver=solver).fit(X, [0, 1, 1, 1])

    @pytest.mark.parametrize("solver", ["libsvm", "qp"])
    def test_rows_that_are_all_equal(self, solver):
        X = np.ones((6, 2))
        model = svm("linear", solver=solver).fit(X, [0, 0, 1, 1, 1, 1])
        assert model.kkt_violation_ < 1e-6
        assert model.predict(X[:1]).tolist() == [1]

    def test_hard_margin_is_a_huge_cost(self):
        X, y = separable()
        for kernel in ("linear", rbf(1.0)):
            hard, reference = (svm(kernel, C=INF, solver=s).fit(X, y) for s in ("libsvm", "qp"))
            huge = svm(kernel, C=1e8).fit(X, y)
            for model in (reference, huge):
                assert model.dual_objective_ == pytest.approx(hard.dual_objective_, rel=1e-4)
            assert (np.abs(hard.decision_function(X)) > 0.998).all()

    def test_hard_margin_of_classes_that_overlap(self):
        X, y = overlapping()
        for solver in ("libsvm", "qp"):
            with pytest.raises(ilk.InputError, match=r"svm: .* separate"):
                svm("linear", C=INF, solver=solver, max_iter=100_000).fit(X, y)


class TestBesideScikitLearn:
    def test_pairs(self):
        X, y = overlapping(150, n_classes=4)
        weights = np.random.default_rng(3).uniform(0.1, 2, size=len(y))
        given = {"tol": 1e-7, "C": 3.0, "class_weight": {0: 2.0, 2: 0.5}}
        ours = svm(rbf(1.5), strategy="ovo", **given).fit(X, y, weights)
        theirs = SVC(gamma=0.5 / 1.5**2, decision_function_shape="ovo", **given)
        theirs.fit(X, y, sample_weight=weights)
        Q = np.random.default_rng(4).normal(size=(200, 3))
        assert ours._decisions(Q) == pytest.approx(theirs.decision_function(Q), abs=1e-5)
        assert np.array_equal(ours.support_, np.sort(theirs.support_))
        theirs.decision_function_shape, theirs.break_ties = "ovr", True
        assert ours.decision_function(Q) == pytest.approx(theirs.decision_function(Q), abs=1e-5)
        assert np.array_equal(ours.predict(Q), theirs.predict(Q))

    def test_one_against_all(self):
        X, y = overlapping(150, n_classes=4)
        ours = svm(rbf(1.5), tol=1e-7).fit(X, y)
        theirs = OneVsRestClassifier(SVC(gamma=0.5 / 1.5**2, tol=1e-7)).fit(X, y)
        assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-5)
        assert np.array_equal(ours.predict(X), theirs.predict(X))

    def test_balanced_classes_of_two(self):
        X, y = overlapping(100)
        X, y = np.vstack([X, X[y == 1]]), np.append(y, y[y == 1])
        ours = svm(rbf(1.5), tol=1e-7, class_weight="balanced").fit(X, y)
        theirs = SVC(gamma=0.5 / 1.5**2, tol=1e-7, class_weight="balanced").fit(X, y)
        assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-5)


class TestRows:
    @pytest.mark.parametrize("strategy", ["ova", "ovo"])
    def test_names_and_order_of_labels_do_not_matter(self, strategy):
        X, y = overlapping(90, n_classes=3)
        model = svm(tol=1e-8, strategy=strategy).fit(X, y)
        renamed = svm(tol=1e-8, strategy=strategy).fit(X, np.array(["x", "y", "z"])[y])
        assert np.array_equal(renamed.decision_function(X), model.decision_function(X))
        assert np.array_equal(renamed.predict(X), np.array(["x", "y", "z"])[model.predict(X)])
        turned = svm(tol=1e-8, strategy=strategy).fit(X, 2 - y)
        back = turned.decision_function(X)[:, ::-1]
        assert back == pytest.approx(model.decision_function(X), abs=1e-5)

    @pytest.mark.parametrize("strategy", ["ova", "ovo"])
    def test_order_of_rows_does_not_matter(self, strategy):
        X, y = overlapping(90, n_classes=3)
        order = np.random.default_rng(0).permutation(90)
        model = svm(tol=1e-8, strategy=strategy).fit(X, y)
        mixed = svm(tol=1e-8, strategy=strategy).fit(X[order], y[order])
        assert mixed.decision_function(X) == pytest.approx(model.decision_function(X), abs=1e-5)
        assert np.array_equal(np.sort(order[mixed.support_]), model.support_)
        for solved, rows in ((model, X), (mixed, X[order])):
            assert np.array_equal(solved.support_, np.unique(solved.support_))
            assert np.array_equal(solved.support_vectors_, rows[solved.support_])
            by_hand = solved.kernel_.gram(X, solved.support_vectors_) @ solved.dual_coef_.T
            assert solved._decisions(X) == pytest.approx(by_hand + solved.intercept_)

    @pytest.mark.parametrize("strategy", ["ova", "ovo"])
    def test_weights_are_repetition(self, strategy):
        X, y = overlapping(60, n_classes=3)
        times = np.random.default_rng(0).integers(0, 4, size=60)
        weighted = svm(rbf(1.0), tol=1e-8, strategy=strategy).fit(X, y, times)
        repeated = svm(rbf(1.0), tol=1e-8, strategy=strategy).fit(
            X.repeat(times, axis=0), y.repeat(times)
        )
        assert weighted.decision_function(X) == pytest.approx(
            repeated.decision_function(X), abs=1e-5
        )
        assert weighted.dual_objective_ == pytest.approx(repeated.dual_objective_, rel=1e-8)
        assert (times[weighted.support_] > 0).all()

    @pytest.mark.parametrize("strategy", ["ova", "ovo"])
    @pytest.mark.parametrize("solver", ["libsvm", "qp"])
    def test_a_class_of_one_row(self, strategy, solver):
        X, y = overlapping(40)
        X, y = np.vstack([X, [[9.0, 9.0, 9.0]]]), np.append(y, 7)
        model = svm(C=100.0, strategy=strategy, solver=solver, probability=True).fit(X, y)
        assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(41))
        plain = svm(C=100.0, strategy=strategy, solver=solver).fit(X, y)
        assert plain.predict(X[-1:]).tolist() == [7]

    def test_each_row_a_class_of_its_own(self):
        X, _ = overlapping(12)
        model = svm(C=100.0, strategy="ovo").fit(X, np.arange(12))
        assert model.predict(X).tolist() == list(range(12))

    def test_weights_beyond_floats_are_a_hard_margin(self):
        X, y = separable()
        hard = svm("linear", C=INF).fit(X, y)
        model = svm("linear", C=1e300).fit(X, y, sample_weight=np.full(len(y), 1e20))
        assert model.margin_ == pytest.approx(hard.margin_)

    @in_one_test
    @pytest.mark.parametrize("solver", ["libsvm", "qp"])
    @pytest.mark.parametrize("C", [1e-300, 1e-12, 1e12, 1e300])
    def test_extreme_costs(self, C, solver):
        X, y = overlapping()
        model = svm(rbf(1.0), C=C, solver=solver).fit(X, y)
        assert model.kkt_violation_ <= 1.01e-3
        assert np.isfinite(model.decision_function(X)).all()

    def test_one_class_is_an_error(self):
        with pytest.raises(ilk.InputError, match=r"svm: .*at least 2|svm: .*one class|svm: .*1 "):
            svm().fit([[0.0], [1.0]], ["a", "a"])
        with pytest.raises(ilk.InputError, match="svm"):
            svm().fit([[0.0], [1.0], [2.0]], ["a", "a", "b"], sample_weight=[1, 1, 0])

    @pytest.mark.parametrize("y", [[False, True] * 20, [-1, 1] * 20, ["b", "a"] * 20])
    def test_labels_of_any_kind(self, y):
        X = np.random.default_rng(0).normal(size=(40, 2)) + 4 * (np.arange(40) % 2)[:, None]
        assert np.array_equal(svm().fit(X, y).predict(X), y)

    def test_single_precision(self):
        X, y = overlapping()
        double, single = svm(tol=1e-6).fit(X, y), svm(tol=1e-6).fit(X.astype(np.float32), y)
        got = single.decision_function(X.astype(np.float32))
        assert got == pytest.approx(double.decision_function(X), abs=1e-4)
        assert single.support_vectors_.dtype == np.float32

    def test_read_only_and_strided(self):
        X, y = overlapping()
        wide = np.repeat(X, 2, axis=1)[:, ::2]
        wide.flags.writeable = False
        expected = svm().fit(X, y).decision_function(X)
        assert np.array_equal(svm().fit(wide, y).decision_function(wide), expected)

    @in_one_test
    @pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e6, 1e12])
    @pytest.mark.parametrize("solver", ["libsvm", "qp"])
    def test_the_unit_of_rows_does_not_matter_to_rbf(self, scale, solver):
        X, y = overlapping()
        model = svm(solver=solver, tol=1e-6).fit(X, y)
        scaled = svm(solver=solver, tol=1e-6).fit(X * scale, y)
        assert scaled.decision_function(X * scale) == pytest.approx(
            model.decision_function(X), abs=1e-5
        )

    @in_one_test
    @pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e6, 1e12])
    @pytest.mark.parametrize("solver", ["libsvm", "qp"])
    def test_the_unit_of_the_kernel_does_not_matter_to_its_cost(self, scale, solver):
        X, y = overlapping()
        model = svm("linear", solver=solver, tol=1e-6).fit(X, y)
        scaled = svm("linear", solver=solver, tol=1e-6, C=scale**-2).fit(X * scale, y)
        assert scaled.decision_function(X * scale) == pytest.approx(
            model.decision_function(X), abs=1e-4
        )
        hard = svm("linear", solver=solver, C=INF).fit(separable()[0] * scale, separable()[1])
        unit = svm("linear", solver=solver, C=INF).fit(*separable())
        assert hard.margin_ == pytest.approx(unit.margin_ * scale, rel=1e-3)


WEIGHTED = {"use": "rbf", "distance": {"use": "euclidean", "weights": [1, 2, 0.5]}}


class TestBeyondTheGramMatrix:
    KNOWN = (
        "linear",
        {"use": "polynomial", "degree": 2, "gamma": 0.3, "coef0": 0.5},
        {"use": "rbf", "sigma": 1.3},
        {"use": "rbf", "sigma": [0.5, 1.0, 4.0]},
        "rbf",
    )

    @in_one_test
    @pytest.mark.parametrize("kernel", KNOWN, ids=["linear", "poly", "rbf", "ard", "mean"])
    @pytest.mark.parametrize("strategy", ["ova", "ovo"])
    def test_it_gives_the_same(self, kernel, strategy):
        X, y = overlapping(70, n_classes=3)
        w = np.random.default_rng(0).uniform(0.5, 2, size=70)
        within, beyond = (
            svm(kernel, strategy=strategy, memory=m, tol=1e-5, C=2.0).fit(X, y, w)
            for m in (1024, 1e-6)
        )
        assert beyond.dual_objective_ == pytest.approx(within.dual_objective_, rel=1e-7)
        assert beyond.decision_function(X) == pytest.approx(within.decision_function(X), abs=1e-4)
        assert beyond.kkt_violation_ < 1e-4

    @pytest.mark.parametrize("kernel", ["linear", "polynomial"])
    def test_sparse_rows(self, kernel):
        X, y = overlapping(70)
        X[np.abs(X) < 0.5] = 0
        dense = svm(kernel, tol=1e-6, C=0.1).fit(X, y)
        for memory in (1024, 1e-6):
            model = svm(kernel, tol=1e-6, C=0.1, memory=memory).fit(sp.csr_array(X), y)
            got = model.decision_function(sp.csr_array(X))
            assert got == pytest.approx(dense.decision_function(X), abs=1e-4)

    def test_hard_margin_and_probabilities(self):
        X, y = separable()
        hard = [svm("linear", C=INF, memory=m).fit(X, y) for m in (1024, 1e-6)]
        assert hard[0].margin_ == pytest.approx(hard[1].margin_, rel=1e-3)
        both = [svm(memory=m, probability=True, tol=1e-6).fit(X, y) for m in (1024, 1e-6)]
        assert both[0].predict_proba(X) == pytest.approx(both[1].predict_proba(X), abs=1e-3)

    @pytest.mark.parametrize("kernel", ["rational", WEIGHTED])
    @pytest.mark.parametrize("strategy", ["ova", "ovo"])
    def test_a_kernel_that_libsvm_does_not_know(self, kernel, strategy):
        X, y = overlapping(n_classes=3)
        given = {"tol": 1e-6, "strategy": strategy, "probability": True}
        within, beyond = (svm(kernel, memory=m, **given).fit(X, y) for m in (1024, 1e-6))
        assert beyond.dual_objective_ == pytest.approx(within.dual_objective_, rel=1e-7)
        assert beyond.predict_proba(X) == pytest.approx(within.predict_proba(X), abs=1e-3)

    @pytest.mark.parametrize(
        "needing", [{"kernel": "linear", "solver": "qp"}, {"kernel": "rational", "C": INF}]
    )
    def test_what_needs_the_gram_matrix(self, needing):
        with pytest.raises(ilk.InputError, match=r"svm: .* takes .* MiB.*memory"):
            svm(memory=1e-6, **needing).fit(*separable())

    def test_the_reference_is_for_few_rows(self):
        X = np.arange(2001.0)[:, None]
        with pytest.raises(ilk.InputError, match="svm: solver='qp' is for at most 2000 rows"):
            svm("linear", solver="qp").fit(X, X[:, 0] > 1000)


class TestBlocks:
    """The solver of blocks, with blocks far smaller than the problem."""

    @pytest.mark.parametrize("C", [0.5, 300.0])
    def test_beside_the_quadratic_program(self, C):
        X, y = overlapping(120)
        reference = svm(rbf(1.0), C=C, solver="qp").fit(X, y)
        for source in ("gram", "products", "kernel", "kept"):
            self.check_solution(reference, X, y, C, source)

    def check_solution(self, reference, X, y, C, source):
        coef, wanted, _, converged = self.solved(X, y, C, source, tol=1e-5)
        K = reference.kernel_.gram(X)
        signs = np.where(y, 1.0, -1.0)
        assert converged
        assert wanted == pytest.approx(signs - K @ coef, abs=1e-9)
        assert abs(coef.sum()) < 1e-10 * C
        assert (np.abs(coef) <= C).all()
        assert (coef * signs >= 0).all()
        reached = np.abs(coef).sum() - coef @ K @ coef / 2
        assert reached == pytest.approx(reference.dual_objective_[0], rel=1e-7)
        assert np.setdiff1d(np.flatnonzero(np.abs(coef) > 1e-3), reference.support_).size == 0

    def solved(self, X, y, C, source, *, tol, max_iter=10**6):
        kernel = rbf(1.0).fit(X)
        known = known_kernel(kernel) if source == "products" else None
        K = kernel.gram(X) if source == "gram" else None
        values = kernel_values(kernel, X, K, known, 0)
        if source in ("kernel", "kept"):
            values = _OfKernel(kernel, X, 40 if source == "kept" else 0)
        signs = np.where(y, 1.0, -1.0)
        low, high = np.minimum(C * signs, 0), np.maximum(C * signs, 0)
        start = signs.copy(), np.zeros(len(y)), low, high
        return minimum(values, *start, tol=tol, max_iter=max_iter, block=16)

    def test_rows_kept_are_those_of_the_kernel(self):
        X, rng = overlapping(50)[0], np.random.default_rng(0)
        kernel = ilk.kernel("rational").fit(X)
        values, K = _OfKernel(kernel, X, 12), kernel.gram(X)
        for _ in range(30):
            rows = np.sort(rng.choice(50, size=rng.integers(1, 13), replace=False))
            weights = rng.normal(size=len(rows))
            assert values.square(rows) == pytest.approx(K[np.ix_(rows, rows)])
            assert values.combine(rows, weights) == pytest.approx(weights @ K[rows])

    def test_blocks_as_large_as_what_is_kept(self):
        X, y = overlapping(60)
        values = _OfKernel(rbf(1.0).fit(X), X, 4)
        signs, C = np.where(y, 1.0, -1.0), 2.0
        low, high = np.minimum(C * signs, 0), np.maximum(C * signs, 0)
        start = signs.copy(), np.zeros(60), low, high
        coef, wanted, _, converged = minimum(values, *start, tol=1e-3, max_iter=10**6, block=4)
        assert converged
        assert wanted == pytest.approx(signs - values.kernel.gram(X) @ coef, abs=1e-9)

    def test_it_stops_at_the_limit(self):
        _, _, n_iter, converged = self.solved(*overlapping(200), 1.0, "gram", tol=1e-3, max_iter=20)
        assert (n_iter, converged) == (20, False)

    def test_beside_svc(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(2300, 4))
        y = (X[:, 0] + rng.normal(size=2300) > 0).astype(int)
        ours = svm(rbf(2.0), tol=1e-4).fit(X, y)
        theirs = SVC(gamma=1 / 8, tol=1e-4).fit(X, y)
        assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-3)
        assert np.setxor1d(ours.support_, theirs.support_).size <= 3


class TestKernels:
    def test_an_indefinite_kernel_is_reported(self):
        X, y = overlapping()
        sigmoid = {"use": "sigmoid", "eta1": 0.5, "eta2": 1.0}
        with pytest.warns(IndefiniteKernelWarning, match=r"svm: .*sigmoid.*substitution"):
            svm(sigmoid).fit(X, y)
        with pytest.raises(ilk.InputError, match=r"svm: .*sigmoid.*not positive semi-definite"):
            svm(sigmoid, solver="qp").fit(X, y)

    def test_substitution_repairs_what_is_no_metric(self):
        X, y = overlapping()
        wide = {"use": "rbf", "distance": "chebyshev", "sigma": 20.0}
        with pytest.warns(IndefiniteKernelWarning, match="not positive semi-definite"):
            svm(wide).fit(X, y)
        for repair in ("clip", "shift"):
            repaired = {**wide, "use": "substitution", "repair": repair}
            ours, reference = (
                svm(repaired, solver=s, tol=1e-7).fit(X, y) for s in ("libsvm", "qp")
            )
            assert ours.dual_objective_ == pytest.approx(reference.dual_objective_, rel=1e-6)

    def test_texts(self):
        words = ["cat", "hat", "bat", "rat", "elephant", "elegant", "element", "elevate"]
        y = ["short"] * 4 + ["long"] * 4
        model = svm({"use": "substitution", "distance": "levenshtein"}, C=10.0).fit(words, y)
        assert model.predict(["mat", "elephants"]).tolist() == ["short", "long"]
        assert [words[i] for i in model.support_] == list(model.support_vectors_)

    def test_tables(self):
        pd = pytest.importorskip("pandas")
        rng = np.random.default_rng(0)
        table = pd.DataFrame(
            {"size": rng.normal(size=60), "kind": rng.choice(["a", "b", "c"], size=60)}
        )
        y = np.where((table["kind"] == "a") ^ (table["size"] > 0), "in", "out")
        model = svm({"use": "rbf", "distance": "heterogeneous", "sigma": 0.5}, C=10.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IndefiniteKernelWarning)
            assert (model.fit(table, y).predict(table) == y).mean() > 0.9

    def test_a_gram_matrix_given_by_numbers_of_rows(self):
        from ilk_learners.svm.gram import precomputed

        X, y = overlapping(60, n_classes=3)
        for strategy in ("ova", "ovo"):
            model = svm("linear", strategy=strategy).fit(X, y)
            given = svm(precomputed(X @ X.T, X[:9] @ X.T), strategy=strategy)
            given.fit(np.arange(60)[:, None], y)
            got = given.decision_function(60 + np.arange(9)[:, None])
            assert got == pytest.approx(model.decision_function(X[:9]), abs=1e-3)

    @pytest.mark.parametrize("given", [{}, {"strategy": "ovo"}])
    def test_values_that_are_too_large(self, given):
        X, y = overlapping(n_classes=3)
        with pytest.raises(ilk.InputError, match="svm: .*linear are too large.*standardize"):
            svm("linear", **given).fit(X * 1e30, y)

    def test_values_that_are_not_finite(self):
        with pytest.raises(ilk.InputError, match=r"svm|polynomial"):
            svm("polynomial").fit([[1e150], [2e150], [-1e150]], [0, 1, 0])
        with pytest.raises(ilk.InputError, match="svm"):
            svm().fit([[np.nan], [1.0]], [0, 1])


@in_one_test
@pytest.mark.parametrize(
    ("name", "value"),
    [("C", 0), ("C", -1.0), ("C", np.nan), ("tol", 0.0), ("max_iter", 0), ("strategy", "all"),
     ("solver", "smo"), ("memory", 0), ("class_weight", {0: -1.0}), ("kernel_tuning", "cv")],
)  # fmt: skip
def test_parameters_out_of_bounds(name, value):
    with pytest.raises(ilk.ParameterError, match=name):
        svm(**{name: value}).fit([[0.0], [1.0]], [0, 1])


def test_a_tolerance_at_which_libsvm_would_not_begin_is_refused():
    with pytest.raises(ilk.ParameterError, match="svm: tol must be .* got 2.5"):
        ilk.classifier("svm", tol=2.5).fit([[0.0], [1.0]], [0, 1])
