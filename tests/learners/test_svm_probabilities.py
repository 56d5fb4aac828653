"""Probabilities of support vector machines beside scikit-learn's and slow minimisation."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import ilk
from cases import in_one_test
from ilk_learners.classifiers.svm import fold_numbers, sigmoid
from ilk_learners.svm.machines import class_probabilities, class_scores, problems


def svm(**params):
    params = {"probability": True, "kernel": ilk.kernel("rbf", sigma=1.5)} | params
    return ilk.classifier("svm", **params)


def overlapping(n_classes=2, n=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    score = X[:, 0] + 0.7 * rng.normal(size=n)
    cuts = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    return X, np.searchsorted(cuts, score)


@in_one_test
@pytest.mark.parametrize("strategy", ["ova", "ovo"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_they_sum_to_one_and_say_what_is_predicted(n_classes, strategy):
    X, y = overlapping(n_classes)
    model = svm(strategy=strategy).fit(X, y)
    P = model.predict_proba(np.vstack([X, 100 * X]))
    assert P.sum(axis=1) == pytest.approx(np.ones(len(P)))
    assert ((P > 0) & (P < 1)).all()
    assert np.array_equal(model.predict(X), P[: len(X)].argmax(axis=1))
    assert (model.predict(X) == y).mean() > 1.3 / n_classes


def test_they_rise_with_the_decision():
    X, y = overlapping()
    model = svm().fit(X, y)
    order = np.argsort(model.decision_function(X))
    assert (np.diff(model.predict_proba(X)[order, 1]) >= 0).all()


@in_one_test
@pytest.mark.parametrize("n_classes", [2, 4])
def test_one_slope_without_offset_moves_no_label(n_classes):
    X, y = overlapping(n_classes)
    kept = y < n_classes - 1
    kept |= np.arange(len(y)) % 3 == 0  # classes of different sizes, where offsets matter
    X, y = X[kept], y[kept]
    queries = np.random.default_rng(1).normal(size=(500, 3))
    labels = svm(probability=False).fit(X, y).predict(queries)
    assert not np.array_equal(svm().fit(X, y).predict(queries), labels)
    model = svm(calibration="slope").fit(X, y)
    np.testing.assert_array_equal(model.predict(queries), labels)
    np.testing.assert_array_equal(model.predict_proba(queries).argmax(axis=1), labels)


def test_the_slope_is_the_likeliest():
    rng = np.random.default_rng(0)
    decisions = rng.normal(size=60)
    signs = np.where(decisions + rng.normal(size=60) > 0.4, 1.0, -1.0)
    n = (signs > 0).sum()
    targets = np.where(signs > 0, (n + 1) / (n + 2), 1 / (60 - n + 2))

    def loss(slope):
        p = expit(slope * decisions)
        return -np.mean(targets * np.log(p) + (1 - targets) * np.log(1 - p))

    slope, offset = sigmoid(decisions, signs, offset=False)
    assert offset == 0
    assert slope == pytest.approx(minimize_scalar(loss, (0.1, 2)).x, rel=1e-4)


def test_no_slope_keeps_the_order_of_votes():
    X, y = overlapping(3)
    with pytest.raises(
        ilk.ParameterError, match="svm: calibration 'slope' keeps no order of votes"
    ):
        svm(strategy="ovo", calibration="slope").fit(X, y)


def test_there_are_none_without_probability():
    X, y = overlapping()
    model = svm(probability=False).fit(X, y)
    assert not hasattr(model, "predict_proba")
    assert not model.probabilistic
    assert svm().probabilistic


def test_beside_scikit_learns_calibration_on_the_same_folds():
    X, y = overlapping()
    folds = fold_numbers(2.0 * y - 1)
    parts = [(np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in range(5)]
    peer = CalibratedClassifierCV(
        SVC(gamma=0.5 / 1.5**2, tol=1e-8), method="sigmoid", cv=parts, ensemble=False
    ).fit(X, y)
    ours = svm(tol=1e-8).fit(X, y).predict_proba(X)
    assert ours == pytest.approx(peer.predict_proba(X), abs=1e-3)


def test_folds_hold_both_sides_in_equal_shares():
    signs = np.array([1.0] * 7 + [-1.0] * 23)
    folds = fold_numbers(signs)
    for sign in (-1, 1):
        counts = np.bincount(folds[signs == sign])
        assert len(counts) == 5
        assert np.ptp(counts) <= 1
    assert fold_numbers(np.array([1.0, 1, -1, -1, -1])).max() == 1
    assert fold_numbers(np.array([1.0, -1, -1])) is None


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_the_sigmoid_beside_logistic_regression_on_platts_targets(unit):
    rng = np.random.default_rng(0)
    signs = np.where(rng.uniform(size=80) < 0.3, 1.0, -1.0)
    d = signs + 1.5 * rng.normal(size=80)
    up, down = (signs > 0).sum(), (signs < 0).sum()
    targets = np.where(signs > 0, (up + 1) / (up + 2), 1 / (down + 2))
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    peer.fit(np.tile(d, 2)[:, None], np.repeat([1, 0], 80), np.append(targets, 1 - targets))
    slope, offset = sigmoid(d * unit, signs)
    assert slope * unit == pytest.approx(peer.coef_[0, 0], rel=1e-3)
    assert offset == pytest.approx(peer.intercept_[0], rel=1e-3, abs=1e-3)


def test_the_sigmoid_never_falls():
    signs = np.array([1.0, 1, 1, -1, -1, -1])
    slope, offset = sigmoid(-signs, signs)
    assert (slope, offset) == (0, pytest.approx(0, abs=1e-5))
    slope, offset = sigmoid(np.zeros(6), np.array([1.0, -1, -1, -1, -1, -1]))
    assert expit(offset) == pytest.approx((2 / 3 + 5 / 7) / 6, abs=1e-4)


def test_coupled_pairs_beside_direct_minimisation():
    rng = np.random.default_rng(0)
    pairs = list(combinations(range(4), 2))
    positive = rng.uniform(0.05, 0.95, size=(5, len(pairs)))
    got = class_probabilities(positive, 4, "ovo")
    for row, expected in zip(positive, got, strict=True):

        def loss(z, row=row):
            p = np.exp(z - z.max())
            p /= p.sum()
            return sum(
                ((1 - r) * p[a] - r * p[b]) ** 2 for r, (a, b) in zip(row, pairs, strict=True)
            )

        best = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-10})
        p = np.exp(best.x - best.x.max())
        assert expected == pytest.approx(p / p.sum(), abs=1e-3)


def test_coupled_pairs_that_agree_give_the_probabilities_back():
    p = np.array([0.5, 0.3, 0.15, 0.05])
    positive = np.array([[p[a] / (p[a] + p[b]) for a, b in combinations(range(4), 2)]])
    assert class_probabilities(positive, 4, "ovo")[0] == pytest.approx(p)
    extreme = np.array([[1e-7, 1 - 1e-7, 1e-7]])  # a circle: 1 beats 0, 0 beats 2, 2 beats 1
    assert class_probabilities(extreme, 3, "ovo")[0] == pytest.approx(np.ones(3) / 3, abs=1e-6)
    all_or_nothing = np.array([[1 - 1e-7, 1 - 1e-7, 1 - 1e-7]])
    assert class_probabilities(all_or_nothing, 3, "ovo")[0] == pytest.approx([1, 0, 0], abs=1e-6)


def test_votes_decide_before_sums_do():
    decisions = np.array([[0.1, 0.1, 50.0], [1.0, -2.0, 1.5]])  # of (0, 1), (0, 2), (1, 2)
    scores = class_scores(decisions, 3, "ovo")
    assert scores[0].argmax() == 0  # two votes, although the sum for 1 is larger
    votes = np.array([[2, 1, 0], [1, 1, 1]])
    assert (np.abs(scores - votes) < 0.5).all()
    sums = np.array([-1.0, 0.5, 0.5])  # a vote each: the sums decide
    assert np.array_equal(np.argsort(scores[1], kind="stable"), np.argsort(sums, kind="stable"))


def test_problems_of_classes():
    codes = np.array([0, 2, 1, 0])
    assert [signs.tolist() for _, signs in problems(codes, 3, "ova")] == [
        [1, -1, -1, 1],
        [-1, -1, 1, -1],
        [-1, 1, -1, -1],
    ]
    assert [(rows.tolist(), signs.tolist()) for rows, signs in problems(codes, 3, "ovo")] == [
        ([0, 2, 3], [1, -1, 1]),
        ([0, 1, 3], [1, -1, 1]),
        ([1, 2], [-1, 1]),
    ]
    two = list(problems(np.array([0, 1]), 2, "ovo"))
    assert len(two) == 1
    assert two[0][1].tolist() == [-1, 1]
