"""one_class_svm beside its conditions of optimality, the nu-property and scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import OneClassSVM

import ilk
from cases import in_one_test
from ilk_learners.svm.gram import IndefiniteKernelWarning


def one_class(kernel="rbf", **params):
    return ilk.detector("one_class_svm", kernel=kernel, **params)


def rbf(sigma):
    return ilk.kernel("rbf", sigma=sigma)


def rows(n=120, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3))


@in_one_test
@pytest.mark.parametrize("nu", [0.01, 0.2, 0.5, 0.9])
def test_beside_scikit_learn(nu):
    X = rows()
    ours = one_class(rbf(1.5), nu=nu, tol=1e-8).fit(X)
    theirs = OneClassSVM(gamma=0.5 / 1.5**2, nu=nu, tol=1e-8).fit(X)
    Q = 2 * rows(60, seed=1)
    assert ours.score_samples(Q) == pytest.approx(theirs.score_samples(Q), abs=1e-4)
    assert ours.decision_function(Q) == pytest.approx(theirs.decision_function(Q), abs=1e-4)
    assert np.array_equal(ours.predict(Q), theirs.predict(Q))


@pytest.mark.parametrize("solver", ["libsvm", "qp"])
@pytest.mark.parametrize("nu", [0.01, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("kernel", [rbf(1.0), "linear", "rational"], ids=["rbf", "linear", "rat"])
def test_conditions_hold(kernel, nu, solver):
    X = rows() + 2
    model = one_class(kernel, nu=nu, solver=solver, tol=1e-6).fit(X)
    a = np.zeros(len(X))
    a[model.support_] = model.dual_coef_[0]
    assert ((a >= 0) & (a <= 1)).all()
    assert a.sum() == pytest.approx(nu * len(X), rel=1e-9)
    K = model.kernel_.gram(X)
    outputs = K @ a
    unit = 1e-6 * max(np.abs(outputs).max(), 10)
    assert (outputs[a < 1] >= model.offset_ - unit).all()
    assert (outputs[a > 0] <= model.offset_ + 2 * unit).all()  # the offset is the least of them
    assert model.kkt_violation_ <= 2 * unit
    assert model.dual_objective_ == pytest.approx(a @ K @ a / 2, rel=1e-9)


@pytest.mark.parametrize("nu", [0.02, 0.3, 0.7, 1.0])
def test_both_solvers_find_the_same(nu):
    X = rows()
    ours, reference = (one_class(nu=nu, solver=s, tol=1e-6).fit(X) for s in ("libsvm", "qp"))
    assert ours.dual_objective_ == pytest.approx(reference.dual_objective_, rel=1e-6)
    assert ours.score_samples(X) == pytest.approx(reference.score_samples(X), abs=1e-4)


@given(st.floats(1e-9, 0.999), st.integers(2, 80), st.integers(0, 1000))
def test_nu_bounds_outliers_and_support_vectors(nu, n, seed):
    X = rows(n, seed)
    model = one_class(nu=nu, tol=1e-7).fit(X)
    outliers = np.mean(model.decision_function(X) < -1e-5 * min(1, nu * n))
    assert outliers <= nu + 1e-9
    assert len(model.support_) / n >= nu - 1e-9


@pytest.mark.parametrize("solver", ["libsvm", "qp"])
def test_two_rows_and_equal_rows(solver):
    model = one_class(rbf(1.0), solver=solver, nu=0.5).fit([[0.0], [1.0]])
    assert model.dual_coef_ == pytest.approx(np.array([[0.5, 0.5]]), abs=1e-6)
    assert model.offset_ == pytest.approx((1 + np.exp(-0.5)) / 2, abs=1e-6)
    equal = one_class(rbf(1.0), solver=solver, nu=0.5).fit(np.ones((6, 2)))
    assert equal.offset_ == pytest.approx(3)
    assert equal.predict([[9.0, 9.0]]).tolist() == [-1]


def test_one_row_is_an_error():
    with pytest.raises(ilk.InputError, match="one_class_svm: X has 1 row"):
        one_class(rbf(1.0)).fit([[0.0]])


def test_what_it_says_of_limits():
    with pytest.warns(ConvergenceWarning, match="one_class_svm: not converged after 1 "):
        one_class(max_iter=1).fit(rows())
    with pytest.raises(ilk.InputError, match=r"one_class_svm: .*memory"):
        one_class("rational", memory=1e-6, solver="qp").fit(rows())
    with pytest.raises(ilk.InputError, match="one_class_svm: solver='qp'"):
        one_class(solver="qp").fit(np.arange(2001.0)[:, None])
    with pytest.raises(ilk.ParameterError, match="nu"):
        one_class(nu=0.0).fit(rows())


@in_one_test
@pytest.mark.parametrize("nu", [0.02, 0.3, 1.0])
@pytest.mark.parametrize(
    "kernel", ["rbf", "linear", {"use": "polynomial", "degree": 2}, "rational"]
)
def test_beyond_the_gram_matrix_it_gives_the_same(kernel, nu):
    X = rows() + 1
    weights = np.random.default_rng(0).uniform(0.5, 2, size=len(X))
    within, beyond = (
        one_class(kernel, nu=nu, memory=m, tol=1e-7).fit(X, sample_weight=weights)
        for m in (1024, 1e-6)
    )
    assert beyond.dual_objective_ == pytest.approx(within.dual_objective_, rel=1e-6)
    unit = max(np.abs(within.offset_), 0.1)
    assert beyond.decision_function(X) == pytest.approx(
        within.decision_function(X), abs=1e-4 * unit
    )


@in_one_test
@pytest.mark.parametrize("solver", ["libsvm", "qp"])
@pytest.mark.parametrize("nu", [0.1, 0.6, 1.0])
def test_weights_are_repetition(nu, solver):
    X = rows()
    times = np.random.default_rng(0).integers(0, 4, size=len(X))
    given = {"nu": nu, "solver": solver, "tol": 1e-8}
    weighted = one_class(rbf(1.0), **given).fit(X, sample_weight=times)
    repeated = one_class(rbf(1.0), **given).fit(X.repeat(times, axis=0))
    assert weighted.dual_objective_ == pytest.approx(repeated.dual_objective_, rel=1e-6)
    assert weighted.score_samples(X) == pytest.approx(repeated.score_samples(X), abs=1e-3)
    assert (times[weighted.support_] > 0).all()
    assert np.array_equal(weighted.support_vectors_, X[weighted.support_])


def test_weights_beside_scikit_learn():
    X = rows()
    weights = np.random.default_rng(1).uniform(0.1, 3, size=len(X))
    ours = one_class(rbf(1.5), nu=0.3, tol=1e-8).fit(X, sample_weight=weights)
    theirs = OneClassSVM(gamma=0.5 / 1.5**2, nu=0.3, tol=1e-8).fit(X, sample_weight=weights)
    assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-4)
    with pytest.raises(ilk.InputError, match="one_class_svm: X has 1 row of some weight"):
        one_class().fit(X, sample_weight=np.arange(len(X)) == 3)


def test_indefinite_kernels():
    sigmoid = {"use": "sigmoid", "eta1": 0.5, "eta2": 1.0}
    with pytest.warns(IndefiniteKernelWarning, match="one_class_svm"):
        one_class(sigmoid).fit(rows())
    with pytest.raises(ilk.InputError, match="one_class_svm"):
        one_class(sigmoid, solver="qp").fit(rows())


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e6, 1e12])
@pytest.mark.parametrize("solver", ["libsvm", "qp"])
def test_units_do_not_matter(scale, solver):
    X = rows() + 2
    for kernel in ("rbf", "linear"):
        model = one_class(kernel, nu=0.3, solver=solver, tol=1e-6).fit(X)
        scaled = one_class(kernel, nu=0.3, solver=solver, tol=1e-6).fit(X * scale)
        unit = scale**2 if kernel == "linear" else 1
        got, expected = scaled.decision_function(X * scale) / unit, model.decision_function(X)
        assert got == pytest.approx(expected, abs=1e-4 * np.abs(model.offset_)), kernel


def test_texts_and_order():
    words = ["cat", "hat", "bat", "rat", "mat", "sat", "incomprehensibilities"]
    kernel = {"use": "substitution", "distance": "levenshtein"}
    model = one_class(kernel, nu=0.2, tol=1e-8).fit(words)
    near, far = model.score_samples(["fat", "uncharacteristically"])
    assert near > far
    assert model.predict(["uncharacteristically"]).tolist() == [-1]
    back = one_class(kernel, nu=0.2, tol=1e-8).fit(words[::-1])
    assert back.score_samples(words) == pytest.approx(model.score_samples(words), abs=1e-5)


def test_single_precision_and_read_only():
    X = rows().astype(np.float32)
    X.flags.writeable = False
    double = one_class().fit(X.astype(float))
    assert one_class().fit(X).score_samples(X) == pytest.approx(
        double.score_samples(X.astype(float)), abs=1e-2
    )


@pytest.mark.parametrize("weight", [5e-324, 1e300, 1e308])
def test_weights_out_of_range_are_named(weight):
    X = np.random.default_rng(0).normal(size=(12, 2))
    with pytest.raises(ilk.InputError, match="one_class_svm: sample_weight must be of a size"):
        ilk.detector("one_class_svm").fit(X, sample_weight=np.full(12, weight))


def test_at_most_a_share_nu_are_outliers_where_rows_are_copies():
    for seed in range(4):
        X = np.repeat(np.random.default_rng(seed).normal(size=(5, 3)), 12, axis=0)
        for nu in (0.1, 0.2, 0.5):
            outliers = ilk.detector("one_class_svm", nu=nu).fit(X).predict(X) == -1
            assert outliers.mean() <= nu


@pytest.mark.parametrize("kind", ["detector", "classifier"])
def test_a_quadratic_program_of_zeros_has_a_solution(kind):
    name = {"detector": "one_class_svm", "classifier": "svm"}[kind]
    X, y = np.zeros((6, 2)), [0, 0, 0, 0, 1, 1]
    model = ilk.make(kind, name, kernel="linear", solver="qp").fit(X, y)
    assert set(model.predict(X)) == {1 if kind == "detector" else 0}
