"""mmc."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import ilk
from ilk_learners.metric_learners.constraints import draw_pairs
from ilk_learners.metric_learners.mmc import _objective

pytestmark = pytest.mark.filterwarnings("ignore::ilk_learners.metric_learners.linear.MetricWarning")


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 20)
    return rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4)) + rng.normal(size=(3, 4))[y], y


def fitted(X, y=None, **parameters):
    return ilk.metric_learner("mmc", **{"random_state": 0, **parameters}).fit(X, y)


def steps_of(X, codes, number, seed=0):
    pairs = draw_pairs(codes, number, np.random.RandomState(seed))
    return [X[part[:, 0]] - X[part[:, 1]] for part in pairs]


@pytest.mark.parametrize("diagonal", [False, True])
def test_gradient(diagonal):
    rng = np.random.default_rng(0)
    steps = rng.normal(size=(30, 4))
    L = rng.normal(size=4 if diagonal else (4, 4))
    loss = _objective(steps, diagonal)
    _, gradient = loss(L)
    for place in np.ndindex(L.shape):
        h = np.zeros(L.shape)
        h[place] = 1e-6
        numeric = (loss(L + h)[0] - loss(L - h)[0]) / 2e-6
        assert gradient[place] == pytest.approx(numeric, rel=1e-6, abs=1e-8)


def test_two_points_of_each_kind():
    # The only similar pair differs by (1, 1), the dissimilar one by (4, 0): worked by hand, for
    # weights a, b: minimise a + b subject to 4 sqrt(a) >= 1.
    mmc = fitted([[0, 0], [1, 1], [4, 0]], constraints=[[0, 1, 1], [0, 2, -1]], diagonal=True)
    assert np.allclose(mmc.metric_matrix_, np.diag([1 / 16, 0]), atol=1e-8)
    assert mmc.objective_ == pytest.approx(1 / 16)


def test_constraint_holds_with_equality_and_it_is_what_is_minimised(data):
    X, y = data
    for parameters in ({}, {"diagonal": True}):
        mmc = fitted(X, y, n_constraints=400, **parameters)
        similar, dissimilar = steps_of(X, y, 400)
        A = mmc.metric_matrix_
        assert np.sqrt(np.einsum("ij,jk,ik->i", dissimilar, A, dissimilar)).sum() == pytest.approx(
            1
        )
        assert np.einsum("ij,jk,ik->", similar, A, similar) == pytest.approx(mmc.objective_)


def test_is_optimal(data):
    """The conditions of Karush, Kuhn and Tucker, which are sufficient for a convex problem."""
    X, y = data
    mmc = fitted(X, y, n_constraints=400, tol=1e-14)
    similar, dissimilar = steps_of(X, y, 400)
    A = mmc.metric_matrix_
    lengths = np.sqrt(np.einsum("ij,jk,ik->i", dissimilar, A, dissimilar))
    slope = (dissimilar / lengths[:, None]).T @ dissimilar / 2
    S = similar.T @ similar
    multiplier = 2 * np.trace(S @ A)  # of the constraint
    gap = S - multiplier * slope
    scale = np.abs(S).max()
    assert np.linalg.eigvalsh(gap).min() > -1e-4 * scale
    assert abs(np.trace(gap @ A)) < 1e-6 * np.trace(S @ A)


def test_is_optimal_diagonal(data):
    X, y = data
    mmc = fitted(X, y, n_constraints=400, diagonal=True, tol=1e-14)
    similar, dissimilar = steps_of(X, y, 400)
    a = np.diag(mmc.metric_matrix_)
    assert np.count_nonzero(mmc.metric_matrix_ - np.diag(a)) == 0
    lengths = np.sqrt(dissimilar**2 @ a)
    gap = (similar**2).sum(axis=0) - 2 * mmc.objective_ * (
        dissimilar**2 / lengths[:, None] / 2
    ).sum(axis=0)
    assert gap.min() > -1e-4 * (similar**2).sum(axis=0).max()
    assert abs(gap @ a) < 1e-5 * mmc.objective_


@pytest.mark.parametrize("unit", [2.0**-900, 2.0**-40, 2.0**40, 2.0**900])
def test_unit(data, unit):
    X, y = data
    for parameters in ({}, {"diagonal": True}):
        expected = fitted(X, y, **parameters).components_
        assert np.array_equal(fitted(X * unit, y, **parameters).components_ * unit, expected)


def test_features_of_different_units(data):
    X, y = data
    scales = np.array([1e-4, 1, 1e3, 1e6])
    for parameters in ({}, {"diagonal": True}):
        expected = fitted(X, y, tol=1e-13, **parameters).metric_matrix_
        found = fitted(X * scales, y, tol=1e-13, **parameters).metric_matrix_
        assert np.allclose(found * np.outer(scales, scales), expected, atol=1e-4 * expected.max())


def test_rotation(data):
    X, y = data
    R = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    expected = fitted(X, y, tol=1e-13).metric_matrix_
    found = R.T @ fitted(X @ R.T, y, tol=1e-13).metric_matrix_ @ R
    assert np.allclose(found, expected, atol=1e-4 * expected.max())


def test_loss_never_rises(data):
    mmc = fitted(*data)
    assert (np.diff(mmc.loss_curve_) <= 0).all()
    assert len(mmc.loss_curve_) == mmc.n_iter_ + 1
    with pytest.warns(ConvergenceWarning, match="mmc: not converged after 2 iterations"):
        assert fitted(*data, max_iter=2).n_iter_ == 2


def test_seed(data):
    assert np.array_equal(fitted(*data).components_, fitted(*data).components_)
    other = fitted(*data, random_state=1, n_constraints=50).components_
    assert not np.array_equal(fitted(*data, n_constraints=50).components_, other)


def test_given_pairs_are_the_drawn_ones(data):
    X, y = data
    similar, dissimilar = draw_pairs(y, 100, np.random.RandomState(0))
    pairs = np.vstack(
        [np.column_stack([p, np.full(len(p), s)]) for p, s in ((similar, 1), (dissimilar, -1))]
    )
    given = fitted(X, constraints=pairs)
    assert np.array_equal(given.components_, fitted(X, y, n_constraints=100).components_)
    assert given.report_ is None
    assert (given.n_similar_, given.n_dissimilar_) == (50, 50)


class TestDegenerate:
    def check(self, X, y, **parameters):
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            L = fitted(X, y, **parameters).components_
        assert np.isfinite(L).all()
        assert np.abs(L).max() > 0

    def test_all_of_them(self, data):
        X, y = data
        for parameters in ({}, {"diagonal": True}, {"shrinkage": 0.1}):
            self.check(np.column_stack([X, X[:, 0], np.full(60, 3.0)]), y, **parameters)
            self.check(np.repeat(X, 3, axis=0), np.repeat(y, 3), **parameters)
            self.check(X[::4, :1], y[::4], **parameters)
            self.check(X, np.where(np.arange(60) == 5, -1, 1), **parameters)
        self.check(np.random.default_rng(0).normal(size=(12, 200)), np.arange(12) % 3)

    def test_a_feature_that_is_constant_inside_classes(self, data):
        X, y = data
        X = np.column_stack([X, y])
        assert fitted(X, y, diagonal=True).metric_matrix_[4, 4] == 0
        with pytest.raises(ilk.InputError, match="mmc: .*similar pairs is singular .feature 4"):
            fitted(X, y, diagonal=True, singular="error")
        with pytest.raises(ilk.InputError, match="mmc: .*similar pairs is singular .rank 4 of 5"):
            fitted(X, y, singular="error")

    @pytest.mark.parametrize(("sign", "what"), [(1, "dissimilar"), (-1, "similar")])
    def test_one_kind_of_pairs(self, data, sign, what):
        with pytest.raises(ilk.InputError, match=f"mmc: there are no {what} pairs"):
            fitted(data[0], constraints=[[0, 1, sign]])

    def test_equal_rows(self):
        X = [[0.0], [0.0], [1.0], [1.0]]
        with pytest.raises(ilk.InputError, match="in all similar pairs the rows are equal"):
            fitted(X, constraints=[[0, 1, 1], [0, 2, -1]])
        with pytest.raises(ilk.InputError, match="in all dissimilar pairs the rows are equal"):
            fitted(X, constraints=[[0, 2, 1], [0, 1, -1]])

    def test_dissimilar_pairs_that_differ_where_no_similar_one_does(self):
        X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
        with pytest.raises(ilk.InputError, match="differ only in directions"):
            fitted(X, constraints=[[0, 1, 1], [0, 2, -1]], diagonal=True)

    def test_one_class(self, data):
        with pytest.raises(ilk.InputError, match="mmc: .*at least 2 classes"):
            fitted(data[0], np.full(60, -1))
