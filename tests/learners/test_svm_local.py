"""svm_local beside its formulas with scikit-learn's decision functions, and what it must stand."""

import numpy as np
import pytest
from sklearn.svm import SVC

import ilk
from cases import in_one_test
from ilk_learners.local.svm_local import Boundaries


def svm_local(**params):
    return ilk.metric_learner("svm_local", report=False, **params)


def numeric_gradient(function, x, step=1e-6):
    p = len(x)
    return np.array([(function(x + e) - function(x - e)) / (2 * step) for e in step * np.eye(p)])


def normal_and_distance(X, y, q, machine):
    """Of the boundary near q, by the decision functions of pairs and bisection."""
    classes = list(machine.classes_)
    pairs = [(a, b) for i, a in enumerate(classes) for b in classes[i + 1 :]]

    def values(points):
        return machine.decision_function(points).reshape(len(points), -1)

    here = values(q[None])[0]
    votes = dict.fromkeys(classes, 0)
    for (a, b), value in zip(pairs, here, strict=True):
        votes[a if value > 0 else b] += 1
    winner = max(classes, key=lambda c: (votes[c], -classes.index(c)))
    pair = min(
        (i for i in range(len(pairs)) if winner in pairs[i]), key=lambda i: (abs(here[i]), i)
    )

    def f(x):
        return values(x[None])[0, pair]

    beyond = values(X)[:, pair] * here[pair] < 0
    other = X[np.isin(y, pairs[pair]) & beyond]
    if not len(other):
        return None, np.inf
    end = min(other, key=lambda x: np.sum((x - q) ** 2))
    low, width = 0.0, 1.0
    for halvings in (8, 7, 7):  # of all of which the functions are asked for at once
        width /= 2**halvings
        points = q + (low + width * np.arange(2**halvings))[:, None] * (end - q)
        near = values(points)[:, pair] * here[pair] > 0
        first = 0
        for step in 2 ** np.arange(halvings)[::-1]:
            first += step if near[first + step] else 0
        low += width * first
    point = q + low * (end - q)
    return lambda: numeric_gradient(f, point), np.linalg.norm(point - q)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("params", [{}, {"C": 10.0, "gamma": 0.7, "c": 2.0}])
def test_written_out(blobs, classes, params):
    X, y, Q = blobs
    X, y = X[: 40 * classes], y[: 40 * classes]
    gamma = params.get("gamma", 1 / (3 * (X - X.mean(axis=0)).var()))
    machine = SVC(C=params.get("C", 1.0), gamma=gamma, decision_function_shape="ovo").fit(X, y)
    some = X[np.unique(np.linspace(0, len(X) - 1, min(len(X), 100)).astype(int))]
    reach = np.mean([normal_and_distance(X, y, x, machine)[1] for x in some])
    learner = svm_local(**params).fit(X, y)
    grown = 0
    for q in Q[:8]:
        normal, distance = normal_and_distance(X, y, q, machine)
        A = params.get("c", 5.0) * max(0.0, 1 - distance / reach)
        gradient = normal() if A > 0 else np.ones(3)
        expected = np.exp(A * np.abs(gradient) / np.linalg.norm(gradient))
        grown += A > 0
        np.testing.assert_allclose(
            learner.local_metric(q), expected / expected.sum(), rtol=1e-3, atol=1e-5
        )
    assert grown > 2


@pytest.mark.parametrize("classes", [2, 3])
def test_functions_of_pairs_are_those_of_the_machine(blobs, classes):
    X, y, Q = (part[: 40 * classes] for part in blobs)
    found = Boundaries.of(X, y, 1.0, 0.3)
    values = found.machine.decision_function(Q).reshape(len(Q), -1)
    for pair in range(values.shape[1]):
        coef, bias = found._functions(np.full(len(Q), pair))
        np.testing.assert_allclose(found._values(Q, coef, bias), values[:, pair], atol=1e-9)
        gradient = -2 * 0.3 * found._gradients(Q, coef)
        for q, row in zip(Q[:3], gradient, strict=False):
            expected = numeric_gradient(
                lambda x, i=pair: found.machine.decision_function(x[None]).ravel()[i], q
            )
            np.testing.assert_allclose(row, expected, rtol=1e-6, atol=1e-8)


def test_direction_of_a_straight_boundary():
    """Only the first of two features tells the classes."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(200, 2))
    learner = svm_local(c=10.0).fit(X, X[:, 0] > 0)
    near, far = learner.local_metric([0.01, 0.0]), learner.local_metric([0.95, 0.0])
    assert near[0] > 0.99
    assert far.tolist() == [0.5, 0.5]


def test_turned_boundary_weighs_features_by_its_normal():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 2))
    learner = svm_local(C=100.0).fit(X, X[:, 0] + X[:, 1] > 0)
    weights = learner.local_metric([0.0, 0.0])
    assert weights == pytest.approx([0.5, 0.5], abs=0.1)


def test_nothing_beyond_the_boundary():
    """All rows are on one side, as one of a hundred does not bend the machine that far."""
    X = np.vstack([np.linspace(-1, 1, 100)[:, None] * [1.0, 0.5], [[0.0, 0.0]]])
    learner = svm_local(C=1e-3).fit(X, np.r_[np.zeros(100), 1])
    assert learner.local_metric([0.3, 0.1]).tolist() == [0.5, 0.5]


def test_nothing_matters(blobs):
    weights = svm_local(c=0.0).fit(*blobs[:2]).local_metric(blobs[2][0])
    assert weights.tolist() == [1 / 3] * 3


@in_one_test
@pytest.mark.parametrize("exponent", [-900, -40, 40, 900])
def test_weights_do_not_depend_on_the_unit(blobs, exponent):
    X, y, Q = blobs
    expected = svm_local().fit(X, y).local_metric(Q[0])
    learner = svm_local().fit(np.ldexp(X, exponent), y)
    np.testing.assert_allclose(learner.local_metric(np.ldexp(Q[0], exponent)), expected, rtol=1e-9)


def test_gamma_is_in_the_unit_of_the_data(blobs):
    X, y, Q = blobs
    expected = svm_local(gamma=0.5).fit(X, y).local_metric(Q[0])
    scaled = svm_local(gamma=0.5 / 64**2).fit(X * 64, y).local_metric(Q[0] * 64)
    np.testing.assert_allclose(scaled, expected, rtol=1e-9)


def test_query_far_away_is_euclidean(blobs):
    learner = svm_local().fit(*blobs[:2])
    assert learner.local_metric([1e140, 0.0, 0.0]).tolist() == [1 / 3] * 3


def test_report_uses_machines_that_have_not_seen_the_row(blobs):
    X, y, _ = blobs
    learner = ilk.metric_learner("svm_local").fit(X, y)
    folds = np.arange(len(X)) % 5
    machines = [svm_local().fit(X[folds != fold], y[folds != fold]) for fold in range(5)]
    wrong = []
    for i in range(len(X)):
        weights = machines[folds[i]].local_metric(X[i])
        d = (X - X[i]) ** 2 @ weights
        d[i] = np.inf
        wrong.append(y[d.argmin()] != y[i])
    assert learner.report_.after == pytest.approx(np.mean(wrong))


@in_one_test
@pytest.mark.parametrize(
    ("argument", "value"), [("C", 0.0), ("gamma", -1.0), ("c", np.inf), ("gamma", "auto")]
)
def test_parameters(blobs, argument, value):
    with pytest.raises(ilk.ParameterError, match=f"svm_local: {argument} must be"):
        svm_local(**{argument: value}).fit(*blobs[:2])
