"""The solver behind metric learners, on losses whose minimum is known."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import ilk
from cases import in_one_test
from ilk import check_labels
from ilk_learners.metric_learners.descent import DescentLearner


class Fitted(DescentLearner):
    """Minimises |L - target|^4, in the common unit."""

    target: Any = ilk.param(default=None, type=object)
    slope: float = ilk.param(default=1.0)
    max_iter = 200
    tol = 1e-12
    warm_start = False
    report = False
    n_components: int | None = ilk.param(default=None, type=int)
    init: Any = ilk.param(default="identity", type=object)
    solver: str = ilk.param(default="lbfgs")

    def check_parameters(self):
        pass

    def _targets(self, X, y):
        return check_labels(self, y, X)[1]

    def _objective(self, X, y):
        self.calls, self.spread = 0, np.abs(X).max()

        def loss(L):
            self.calls += 1
            away = L * self.spread - self.target
            square = np.sum(away**2)
            return self.slope * square**2, self.slope * 4 * square * away * self.spread

        return loss

    def _scale(self, X):
        return float(np.abs(X).max())


X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]])
TARGET = np.array([[2.0, 0.5], [-1.0, 3.0]])


@pytest.mark.parametrize("solver", ["lbfgs", "cg"])
def test_finds_the_minimum_and_records_the_way(solver):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner = Fitted(target=TARGET, solver=solver).fit(X, [0, 1, 0])
    found = learner.components_ * np.abs(X - X.mean(axis=0)).max()
    np.testing.assert_allclose(found, TARGET, atol=0.01)
    assert len(learner.loss_curve_) == learner.n_iter_ + 1
    assert (np.diff(learner.loss_curve_) <= 0).all()


@in_one_test
@pytest.mark.parametrize("factor", [1e-12, 3.0, 1000.0, 1e12])
def test_way_does_not_depend_on_the_unit(factor):
    learner, other = (Fitted(target=TARGET, max_iter=8, tol=0) for _ in range(2))
    with pytest.warns(ConvergenceWarning):
        learner.fit(X, [0, 1, 0])
    with pytest.warns(ConvergenceWarning):
        other.fit(X * factor, [0, 1, 0])
    np.testing.assert_allclose(other.loss_curve_, learner.loss_curve_, rtol=1e-6)
    np.testing.assert_allclose(other.components_ * factor, learner.components_, rtol=1e-6)


def test_never_more_iterations_than_asked_for():
    with pytest.warns(ConvergenceWarning, match="not converged after 3 iterations"):
        assert Fitted(target=TARGET, max_iter=3, tol=0).fit(X, [0, 1, 0]).n_iter_ == 3


def test_no_slope_is_told():
    with pytest.warns(ConvergenceWarning, match="no slope where L starts"):
        learner = Fitted(target=TARGET, slope=0.0).fit(X, [0, 1, 0])
    assert learner.n_iter_ == 0


def test_array_as_start_and_warm_start_are_taken_as_they_are():
    spread = np.abs(X - X.mean(axis=0)).max()
    learner = Fitted(
        target=TARGET, init=TARGET / spread + 0.1 / spread, max_iter=1, tol=0, warm_start=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner.fit(X, [0, 1, 0])
        assert learner.loss_curve_[0] == pytest.approx((4 * 0.1**2) ** 2)
        last = learner.loss_curve_[-1]
        assert learner.fit(X, [0, 1, 0]).loss_curve_[0] == pytest.approx(last)


def test_start_is_evaluated_once():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner = Fitted(target=TARGET, slope=0.0).fit(X, [0, 1, 0])
    assert learner.calls == 1


def test_vector_is_a_diagonal_of_weights():
    class Weights(Fitted):
        def _start(self, X, y, exponent, scale, noise):
            return np.ones(2) / scale

    learner = Weights(target=np.array([-3.0, 2.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        L = learner.fit(X, [0, 1, 0]).components_ * np.abs(X - X.mean(axis=0)).max()
    np.testing.assert_allclose(L, np.diag([3.0, 2.0]), atol=0.01)


def test_rounds_end_no_higher_than_they_begin():
    class Rounds(Fitted):
        def _descend(self, objective, start, scale):
            self.rounds = 0

            def anew(L):
                self.rounds += 1
                return objective

            return self._solve_in_rounds(anew, start, scale, 4)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner = Rounds(target=TARGET).fit(X, [0, 1, 0])
    assert learner.rounds > 2
    assert learner.loss_curve_[-1] < 1e-6
    assert learner.n_iter_ <= 200
