"""radius_margin_svm: scales of features, and C, by the radius-margin bound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

import ilk
from ilk_learners.classifiers.radius_margin_svm import RadiusMargin, enclosing_sphere


def machine(**parameters):
    return ilk.classifier("radius_margin_svm", **parameters)


@pytest.fixture
def noisy():
    """The sign of the first feature, with noise, among five."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 5))
    return X, np.where(X[:, 0] + 0.2 * rng.normal(size=80) > 0, "up", "down")


def gaussian(X, Y, scales):
    D = (X * scales)[:, None] - Y * scales
    return np.exp(-(D**2).sum(axis=2) / 2)


class TestSphere:
    def test_worked(self):
        """Around two points the radius is half of their distance, whatever lies between."""
        x = np.array([[0.0], [4.0], [1.0], [3.0]])
        square, weights = enclosing_sphere(x @ x.T)
        assert square == pytest.approx(4)
        assert weights == pytest.approx([0.5, 0.5, 0, 0], abs=1e-5)

    def test_of_an_equilateral_triangle(self):
        X = np.array([[1.0, 0.0], [-0.5, 3**0.5 / 2], [-0.5, -(3**0.5) / 2], [0.1, 0.2]]) + 7
        square, weights = enclosing_sphere(X @ X.T, tol=1e-10)
        assert square == pytest.approx(1)
        assert weights @ X == pytest.approx([7, 7])

    @given(st.integers(0, 2**16), st.integers(2, 12))
    def test_against_a_general_solver(self, seed, n):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 3)) * [1, 5, 0.2]
        K = (X @ X.T + 1) ** 2
        K /= np.diag(K).max()  # SLSQP stalls at larger numbers
        square, weights = enclosing_sphere(K, tol=1e-10)

        def minus(b):
            return b @ K @ b - b @ np.diag(K), 2 * K @ b - np.diag(K)

        found = minimize(
            minus,
            np.full(n, 1 / n),
            jac=True,
            bounds=[(0, 1)] * n,
            constraints={"type": "eq", "fun": lambda b: b.sum() - 1},
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 500},
        )
        assert square == pytest.approx(-found.fun, rel=1e-5)
        assert weights.sum() == pytest.approx(1)
        distances = np.diag(K) - 2 * K @ weights + weights @ K @ weights
        assert distances.max() <= square * (1 + 1e-6)

    def test_of_equal_rows(self):
        assert enclosing_sphere(np.ones((3, 3)))[0] == 0


class TestBound:
    @pytest.mark.parametrize("n_machines", [1, 3])
    def test_gradient(self, n_machines):
        rng = np.random.default_rng(n_machines)
        Z = rng.normal(size=(40, 4))
        signs = [np.where(rng.random(40) < 0.4, 1.0, -1.0) for _ in range(n_machines)]
        bound = RadiusMargin(Z, signs, 1e-10)
        at = np.append(rng.normal(size=4) * 0.4, np.log(3.0))

        def value(logarithms):
            return np.log(bound(np.exp(logarithms[:-1]), np.exp(logarithms[-1])).value)

        gradient = bound(np.exp(at[:-1]), np.exp(at[-1])).gradient
        steps = 1e-4 * np.eye(5)
        numeric = [(value(at + step) - value(at - step)) / 2e-4 for step in steps]
        assert gradient == pytest.approx(numeric, abs=1e-5)

    def test_value_is_that_of_the_definitions(self, noisy):
        """|w|^2 of a hard margin under K + I / C, by scikit-learn, times R^2."""
        X, y = noisy
        scales, C = np.array([1.0, 0.5, 0.3, 0.3, 0.8]), 4.0
        signs = np.where(y == "up", 1.0, -1.0)
        found = RadiusMargin(X, [signs], 1e-8)(scales, C)
        K = gaussian(X, X, scales) + np.eye(80) / C
        svc = SVC(C=1e10, kernel="precomputed", tol=1e-8).fit(K, signs)
        v = svc.dual_coef_[0]
        w = v @ K[np.ix_(svc.support_, svc.support_)] @ v
        square, _ = enclosing_sphere(K, tol=1e-8)
        assert found.value == pytest.approx(w * square, rel=1e-5)
        slack = np.maximum(1 - signs * svc.decision_function(K), 0)
        assert slack == pytest.approx(0, abs=1e-5)

    def test_it_bounds_the_errors_of_leaving_one_out(self, noisy):
        X, y = noisy
        signs = np.where(y == "up", 1.0, -1.0)
        scales = np.full(5, 0.5)
        K = gaussian(X, X, scales) + np.eye(80) / 10
        errors = 0
        for i in range(80):
            keep = np.arange(80) != i
            svc = SVC(C=1e10, kernel="precomputed").fit(K[np.ix_(keep, keep)], signs[keep])
            errors += svc.predict(K[[i]][:, keep])[0] != signs[i]
        assert errors <= RadiusMargin(X, [signs], 1e-6)(scales, 10.0).value


class TestFit:
    def test_the_bound_falls(self, noisy):
        model = machine().fit(*noisy)
        curve = np.array(model.bound_curve_)
        assert (np.diff(curve) <= 0).all()
        assert curve[-1] < curve[0] / 2
        assert len(curve) == model.n_iter_ + 1
        rows = (noisy[0] - noisy[0].mean(axis=0)) * model.scales_
        signs = np.where(noisy[1] == "up", 1.0, -1.0)
        again = RadiusMargin(rows, [signs], 1e-6)(np.ones(5), model.C_)
        assert again.value == pytest.approx(curve[-1], rel=1e-4)

    def test_the_feature_that_tells(self, noisy):
        model = machine().fit(*noisy)
        assert model.scales_[0] > 2 * model.scales_[1:].max()

    def test_it_errs_less_where_most_features_are_noise(self):
        rng = np.random.default_rng(0)
        X, Q = rng.normal(size=(100, 20)), rng.normal(size=(300, 20))
        y, truth = (Z[:, 0] * Z[:, 1] > 0 for Z in (X, Q))
        before = machine(max_iter=0).fit(X, y).score(Q, truth)
        after = machine().fit(X, y).score(Q, truth)
        assert after > before + 0.1

    def test_decisions(self, noisy):
        """Those of a machine with squared slack, found by scikit-learn on K + I / C."""
        X, y = noisy
        model = machine(max_iter=0, C=2.0).fit(X, y)
        assert model.scales_ == pytest.approx(1 / (X.std(axis=0) * np.sqrt(10)))
        assert model.C_ == 2
        K = gaussian(X, X, model.scales_) + np.eye(80) / 2
        svc = SVC(C=1e10, kernel="precomputed", tol=1e-8).fit(K, y)
        Q = np.random.default_rng(0).normal(size=(20, 5))
        expected = svc.decision_function(gaussian(Q, X, model.scales_))
        assert model.decision_function(Q) == pytest.approx(expected, abs=1e-4)
        assert model.predict(Q).tolist() == svc.predict(gaussian(Q, X, model.scales_)).tolist()
        v, support = svc.dual_coef_[0], svc.support_
        w = v @ K[np.ix_(support, support)] @ v
        assert model.margin_[0] == pytest.approx(1 / np.sqrt(w), rel=1e-4)

    def test_margin_and_radius_make_the_bound(self, noisy):
        model = machine().fit(*noisy)
        bound = model.radius_**2 / model.margin_[0] ** 2
        assert bound == pytest.approx(model.bound_curve_[-1], rel=1e-4)

    def test_C_stays_if_it_is_not_tuned(self, noisy):
        model = machine(C=3.0, tune_C=False).fit(*noisy)
        assert model.C_ == 3
        assert model.bound_curve_[-1] >= machine(C=3.0).fit(*noisy).bound_curve_[-1] * 0.99

    def test_many_classes_share_the_scales(self, blobs):
        X, y, Q = blobs
        model = machine().fit(X, y)
        assert model.classes_.tolist() == [-1, 2, 7]
        assert model.decision_function(Q).shape == (30, 3)
        assert model.dual_coef_.shape[0] == 3
        two = machine().fit(X[y != 7], y[y != 7])
        assert two.decision_function(Q).shape == (30,)

    @pytest.mark.parametrize("unit", [1e-12, 1e-3, 1e12])
    def test_units_of_features_do_not_matter(self, noisy, unit):
        X, y = noisy
        units = np.array([unit, 1.0, 1.0, 1 / unit, 1.0])
        one, other = machine().fit(X, y), machine().fit(X * units + units, y)
        assert one.bound_curve_[-1] == pytest.approx(other.bound_curve_[-1], rel=1e-3)
        Q = X[:20] * 0.9
        assert one.predict(Q).tolist() == other.predict(Q * units + units).tolist()

    def test_order_of_rows_and_names_do_not_matter(self, noisy):
        X, y = noisy
        order = np.random.default_rng(0).permutation(80)
        one, other = machine().fit(X, y), machine().fit(X[order], np.where(y == "up", 2, 1)[order])
        assert one.scales_ == pytest.approx(other.scales_, rel=0.05)
        assert ((one.predict(X) == "up") == (other.predict(X) == 2)).all()

    def test_constant_and_duplicate_features(self, noisy):
        X, y = noisy
        model = machine().fit(np.column_stack([X, np.full(80, 3.0), X[:, 0]]), y)
        assert model.scales_[5] == 0
        assert model.scales_[0] == pytest.approx(model.scales_[6], rel=1e-3)

    def test_equal_rows_of_both_classes(self, noisy):
        X, _ = noisy
        both = np.vstack([X[:30], X[:30]])
        labels = np.repeat(["up", "down"], 30)
        for C in (1e-3, 1.0, 1e6):
            assert np.isfinite(machine(C=C).fit(both, labels).bound_curve_).all()
        assert machine().fit([[1.0], [1.0]], [0, 1]).predict([[5.0]]).shape == (1,)

    def test_two_rows(self):
        assert machine().fit([[0.0], [1.0]], ["a", "b"]).predict([[0.1], [0.8]]).tolist() == [
            "a",
            "b",
        ]

    def test_float32(self, noisy):
        X, y = noisy
        one, other = machine().fit(X, y), machine().fit(X.astype(np.float32), y)
        assert one.scales_ == pytest.approx(other.scales_, rel=0.05)

    def test_it_warns_at_max_iter(self, noisy):
        with pytest.warns(
            ConvergenceWarning, match="radius_margin_svm: not converged after 1 steps"
        ):
            machine(max_iter=1, tol=0.0).fit(*noisy)

    def test_errors(self, noisy):
        with pytest.raises(ilk.InputError, match="radius_margin_svm: y has 1 class"):
            machine().fit(noisy[0], np.zeros(80))
        with pytest.raises(ilk.ParameterError, match="radius_margin_svm: C must be"):
            machine(C=1e9)


def test_tolerance_at_which_there_are_no_support_vectors():
    X, y = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
    with pytest.raises(
        ilk.ParameterError, match=r"radius_margin_svm: solver_tol must be at most 2.*got 2\.5"
    ):
        ilk.classifier("radius_margin_svm", solver_tol=2.5).fit(X, y)
