"""logistic."""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import ilk
from cases import in_one_test


def logistic(**parameters):
    return ilk.classifier("logistic", **parameters)


def test_worked():
    # By symmetry the boundary is at 2.
    model = logistic().fit([[0.0], [1.0], [3.0], [4.0]], ["n", "n", "y", "y"])
    assert model.decision_function([[2.0]]) == pytest.approx([0], abs=1e-3)
    assert model.coef_[0, 0] * 2 + model.intercept_[0] == pytest.approx(0, abs=1e-3)
    slope = model.coef_[0, 0]
    # The derivative of C sum ln(1 + exp(-y f)) + b^2/2 is 0.
    loss = sum(-s * x * expit(-s * slope * x) for x, s in ((-2, -1), (-1, -1), (1, 1), (2, 1)))
    assert loss + slope == pytest.approx(0, abs=1e-3)


def test_agrees_with_scikit_learn(blobs):
    X, y, Q = blobs
    theirs = LogisticRegression(C=3, max_iter=1000).fit(X, y)
    ours = logistic(C=3).fit(X, np.vectorize({-1: "a", 2: "b", 7: "c"}.get)(y))
    assert np.allclose(ours.predict_proba(Q), theirs.predict_proba(Q))
    assert np.allclose(ours.decision_function(Q), theirs.decision_function(Q))
    assert ours.classes_.tolist() == ["a", "b", "c"]


@in_one_test
@pytest.mark.parametrize("penalty", ["l2", "l1", "elastic_net", None])
def test_minimises_its_objective(blobs, penalty):
    X, y, _ = blobs
    X, y = X[y != 7], (y[y != 7] == 2).astype(int)
    C, s = 0.3, 0.4

    def objective(b):
        signed = np.where(y == 1, 1, -1) * (X @ b[1:] + b[0])
        squares, sizes = b[1:] @ b[1:] / 2, np.abs(b[1:]).sum()
        shares = {"l2": (1, 0), "l1": (0, 1), "elastic_net": (1 - s, s), None: (0, 0)}[penalty]
        weight = 1.0 if penalty is None else C
        return weight * np.logaddexp(0, -signed).sum() + shares[0] * squares + shares[1] * sizes

    options = {"max_iter": 5000, "tol": 1e-7, "random_state": 0}
    model = logistic(C=C, penalty=penalty, l1_share=s, **options).fit(X, y)
    ours = objective(np.r_[model.intercept_, model.coef_[0]])
    best = minimize(objective, np.zeros(4), method="Powell", options={"xtol": 1e-9, "ftol": 1e-12})
    assert ours <= best.fun + 1e-4 * abs(best.fun)


def test_weights_are_repetitions(blobs):
    X, y, Q = blobs
    w = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), w)
    for class_weight in (None, "balanced", {-1: 3.0}):
        options = {"class_weight": class_weight, "tol": 1e-8}
        weighted = logistic(**options).fit(X, y, sample_weight=w)
        repeated = logistic(**options).fit(X[rows], y[rows])
        assert np.allclose(weighted.predict_proba(Q), repeated.predict_proba(Q), atol=1e-5)


def test_class_weights(blobs):
    X, y, Q = blobs
    X, y = X[:95], y[:95]
    for given in ("balanced", {-1: 3.0, 7: 0.5}):
        theirs = LogisticRegression(class_weight=given, max_iter=1000, tol=1e-8).fit(X, y)
        ours = logistic(class_weight=given, tol=1e-8).fit(X, y)
        assert np.allclose(ours.predict_proba(Q), theirs.predict_proba(Q), atol=1e-5)
    named = logistic(class_weight={"-1": 3.0, "7": 0.5}, tol=1e-8).fit(X, y)  # as specs write it
    assert np.allclose(named.predict_proba(Q), ours.predict_proba(Q))
    with pytest.raises(ilk.InputError, match=r"class_weight names none of the classes .-1, 2, 7."):
        logistic(class_weight={"yes": 2.0}).fit(X, y)
    with pytest.raises(ilk.ParameterError, match="logistic: class_weight"):
        logistic(class_weight={2: -1.0}).fit(X, y)


def test_says_that_it_has_not_converged(blobs):
    X, y, _ = blobs
    with pytest.warns(
        ConvergenceWarning, match="logistic: not converged .max_iter=1.; standardize"
    ) as got:
        logistic(max_iter=1).fit(X, y)
    assert len(got) == 1


def test_numbers_too_large_to_converge_are_told(blobs):
    X, y, Q = blobs
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for scale in (1e-12, 1e12):
            assert np.isfinite(logistic().fit(X * scale, y).predict_proba(Q * scale)).all()
    with pytest.warns(ConvergenceWarning, match="logistic: not converged .* standardize X"):
        logistic().fit(X * 1e300, y)


def test_same_seed_same_answer(blobs):
    X, y, Q = blobs
    options = {"penalty": "l1", "max_iter": 5000}
    first, second = (
        logistic(random_state=np.random.default_rng(3), **options).fit(X, y) for _ in range(2)
    )
    assert np.array_equal(first.predict_proba(Q), second.predict_proba(Q))


def test_one_class_and_nominal_columns_are_errors():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ilk.InputError, match="logistic: y has 1 class"):
        logistic().fit([[0.0], [1.0]], ["a", "a"])
    table = pandas.DataFrame({"a": [1.0, 2.0], "b": pandas.Categorical(["u", "v"])})
    with pytest.raises(ilk.InputError, match="logistic: X has nominal columns .*one_hot or ordi"):
        logistic().fit(table, [0, 1])


@in_one_test
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", ["l2", None])
def test_the_coefficients_are_scikit_learns(n_classes, penalty):
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(200, 4)) + 3, rng.uniform(0.1, 2, size=200)
    y = np.digitize(X[:, 0] + rng.normal(size=200), np.linspace(2, 4, n_classes + 1)[1:-1])
    C = 0.5 if penalty else np.inf
    theirs = LogisticRegression(C=C, max_iter=1000).fit(X, y, sample_weight=weights)
    ours = logistic(C=0.5, penalty=penalty).fit(X, y, sample_weight=weights)
    assert ours.n_iter_ == pytest.approx(theirs.n_iter_.max(), rel=0.05)  # the same steps
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=1e-3)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-3)
    assert np.array_equal(ours.estimator_.predict(X), ours.predict(X))
    assert ours.estimator_.predict_proba(X) == pytest.approx(ours.predict_proba(X), abs=1e-15)
