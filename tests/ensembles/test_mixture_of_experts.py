"""The ensemble `mixture_of_experts`."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import ilk


class Share(ClassifierMixin, BaseEstimator):
    """Knows the weighted shares of the classes: the most likely that looks at nothing else."""

    def fit(self, X, y, sample_weight=None):
        self.classes_, codes = np.unique(y, return_inverse=True)
        totals = np.bincount(codes, sample_weight)
        self.shares_ = totals / totals.sum()
        return self

    def predict_proba(self, X):
        return np.tile(self.shares_, (len(X), 1))

    def predict(self, X):
        return np.repeat(self.classes_[self.shares_.argmax()], len(X))


def crossed(n=200, seed=0):
    """Classes that no straight line divides."""
    X = np.random.default_rng(seed).uniform(-1, 1, (n, 2))
    return X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other")


def mix(X, y, *, sample_weight=None, quiet=True, **parameters):
    parameters.setdefault("random_state", 0)
    model = ilk.classifier("mixture_of_experts", **parameters)
    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, sample_weight=sample_weight)


def likelihood(model, X, y, weights=None):
    """Weighted mean log-likelihood less the penalty, from what is public."""
    gates = model.gate(X)
    said = np.stack([expert.predict_proba(X) for expert in model.estimators_], axis=1)
    own = said[np.arange(len(y)), :, np.searchsorted(model.classes_, y)]
    mean = np.average(np.log((gates * own).sum(axis=1)), weights=weights)
    squares = sum((gate.coef_[:, 1:] ** 2).sum() for gate in gates_of(model))
    return mean - model.penalty / 2 * squares


def gates_of(model):
    gate = model.gate_
    return [gate] if model.branches == 1 else [gate.top, *gate.branches]


def test_experts_divide_what_none_of_them_can_do_alone():
    X, y = crossed(400)
    Q, truth = crossed(1000, seed=1)
    assert LogisticRegression().fit(X, y).score(Q, truth) < 0.7
    ours = mix(X, y, n_members=2)
    assert ours.score(Q, truth) > 0.93
    own = ours.gate(Q).argmax(axis=1)
    assert 0.3 < own.mean() < 0.7


@given(st.integers(0, 99), st.integers(2, 4), st.sampled_from([0.0, 1e-3, 0.1]), st.integers(1, 2))
def test_likelihood_never_falls_where_experts_are_the_most_likely(
    seed, n_members, penalty, branches
):
    X, y = crossed(60, seed)
    settings = {"n_members": n_members, "penalty": penalty, "branches": branches}
    ours = mix(X, y, member=Share(), n_starts=1, tol=0.0, max_iter=25, **settings)
    assert ours.n_iter_ <= 25
    assert np.diff(ours.log_likelihoods_).min() >= -1e-9
    assert ours.log_likelihoods_[-1] > ours.log_likelihoods_[0]


@pytest.mark.parametrize(
    "member",
    [GaussianNB(), DecisionTreeClassifier(max_depth=1), LogisticRegression(C=0.1)],
    ids=["bayes", "stump", "penalised"],
)
def test_likelihood_never_falls_whatever_experts_maximise(member):
    X, y = crossed(100)
    ours = mix(X, y, member=member, tol=0.0, max_iter=15, n_starts=1)
    assert np.diff(ours.log_likelihoods_).min() >= -1e-9


def test_start_and_first_round_by_hand():
    """Experts that only know shares: their part of a round is a mean, by responsibilities."""
    X, y = crossed(40)
    codes = (y == "same").astype(int)
    ours = mix(X, y, member=Share(), n_members=2, n_starts=1, max_iter=1, tol=0.0)
    rng = np.random.RandomState(0)
    rng.randint(2**31 - 1, size=2)  # seeds of the experts
    slopes = rng.normal(size=(2, 2)) / np.sqrt(2)
    gate = softmax((X - X.mean(axis=0)) / X.std(axis=0) @ slopes.T, axis=1)

    def shares(responsible):
        """Of each class, by expert."""
        totals = np.array([responsible[codes == code].sum(axis=0) for code in (0, 1)]).T
        return totals / totals.sum(axis=1, keepdims=True)

    own = shares(gate)[:, codes].T
    start = np.log((gate * own).sum(axis=1)).mean() - 1e-3 / 2 * (slopes**2).sum()
    np.testing.assert_allclose(ours.log_likelihoods_[0], start)
    responsible = gate * own / (gate * own).sum(axis=1, keepdims=True)
    found = np.array([expert.shares_ for expert in ours.estimators_])
    np.testing.assert_allclose(found, shares(responsible))


def test_likelihood_is_that_of_the_mixture():
    X, y = crossed()
    weights = np.arange(len(y)) % 3 + 1.0
    ours = mix(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.log_likelihoods_[-1], likelihood(ours, X, y, weights))
    assert len(ours.log_likelihoods_) == ours.n_iter_ + 1


@pytest.mark.parametrize("branches", [1, 2])
def test_gate_is_at_the_maximum(branches):
    """No step from its coefficients makes the labels more likely, at the end of the rounds."""
    X, y = crossed(150)
    settings = {"n_members": 3, "tol": 0.0, "max_iter": 200, "penalty": 0.01}
    ours = mix(X, y, member=Share(), branches=branches, **settings)
    best = likelihood(ours, X, y)
    assert best == pytest.approx(ours.log_likelihoods_[-1])
    rng = np.random.default_rng(0)
    before = [gate.coef_.copy() for gate in gates_of(ours)]
    for _ in range(20):
        for gate, coef in zip(gates_of(ours), before, strict=True):
            gate.coef_ = coef + 0.02 * rng.normal(size=coef.shape)
        assert likelihood(ours, X, y) <= best + 1e-6


def test_branches_share_a_row_and_their_experts_share_the_branch():
    X, y = crossed(100)
    ours = mix(X, y, n_members=3, branches=2, n_starts=1, max_iter=5)
    Z = np.hstack([np.ones((100, 1)), (X - X.mean(axis=0)) / X.std(axis=0)])
    top, first, second = (softmax(Z @ gate.coef_.T, axis=1) for gate in gates_of(ours))
    assert first.shape == (100, 2)
    expected = np.hstack([top[:, :1] * first, top[:, 1:] * second])
    np.testing.assert_allclose(ours.gate(X), expected)


def test_a_branch_for_each_expert_is_a_single_gate():
    X, y = crossed(100)
    single, tree = (mix(X, y, n_members=3, branches=b, n_starts=1, max_iter=8) for b in (1, 3))
    np.testing.assert_allclose(tree.log_likelihoods_, single.log_likelihoods_)
    np.testing.assert_allclose(tree.predict_proba(X), single.predict_proba(X))


def test_a_hierarchy_divides_what_no_line_divides():
    X, y = crossed(400)
    ours = mix(X, y, n_members=4, branches=2)
    assert ours.score(*crossed(1000, seed=1)) > 0.93
    assert ours.n_iter_ <= 100


def test_a_dropped_expert_leaves_its_branch():
    X, y = crossed(100)
    members = ["logistic", LogisticRegression(max_iter=-1), "logistic"]
    ours = mix(X, y, members=members, branches=2, on_failure="drop", n_starts=1, max_iter=3)
    assert list(ours.failures_) == [1]
    assert [len(gate.coef_) for gate in ours.gate_.branches] == [1, 1]
    alone = mix(X, y, members=members[1:], branches=2, on_failure="drop", n_starts=1, max_iter=3)
    assert [len(gate.coef_) for gate in (alone.gate_.top, *alone.gate_.branches)] == [1, 1]
    np.testing.assert_allclose(alone.gate(X), 1)


def test_more_branches_than_experts_are_refused():
    with pytest.raises(ilk.ParameterError, match="branches must be at most .* 3, got 4"):
        mix(*crossed(20), branches=4)


def test_mixture_is_the_gated_mean_of_experts():
    X, y = crossed()
    ours = mix(X, y)
    gates = ours.gate(X)
    assert gates.shape == (200, 3)
    np.testing.assert_allclose(gates.sum(axis=1), 1)
    said = [expert.predict_proba(X) for expert in ours.estimators_]
    expected = sum(gates[:, [j]] * said[j] for j in range(3))
    P = ours.predict_proba(X)
    np.testing.assert_allclose(P, expected)
    np.testing.assert_array_equal(ours.predict(X), ours.classes_[P.argmax(axis=1)])


def test_one_expert_is_the_classifier_alone():
    X, y = crossed()
    alone = GaussianNB().fit(X, y).predict_proba(X)
    ours = mix(X, y, member=GaussianNB(), n_members=1)
    np.testing.assert_allclose(ours.predict_proba(X), alone)
    assert ours.n_iter_ <= 2


def test_experts_may_differ():
    X, y = crossed()
    ours = mix(X, y, members=["logistic", GaussianNB(), DecisionTreeClassifier(max_depth=2)])
    assert [type(expert).__name__ for expert in ours.estimators_][1:] == [
        "GaussianNB",
        "DecisionTreeClassifier",
    ]
    assert ours.score(X, y) > 0.8


def test_more_starts_are_no_less_likely():
    """After the trials; here the rounds end there."""
    X, y = crossed(100)
    found = [
        mix(X, y, member=Share(), n_starts=starts, max_iter=10).log_likelihoods_[-1]
        for starts in (1, 5)
    ]
    assert found[1] >= found[0]


def test_scale_and_place_of_features_do_not_matter():
    X, y = crossed()
    expected = mix(X, y, member=Share()).predict_proba(X)
    for scale, shift in ((1e-12, 0.0), (1e12, 0.0), (1.0, 100.0)):
        moved = X * scale + shift
        found = mix(moved, y, member=Share()).predict_proba(moved)
        np.testing.assert_allclose(found, expected, atol=1e-3)


def test_constant_and_equal_columns():
    X, y = crossed()
    wide = np.c_[X, np.ones(len(X)), X[:, 0]]
    assert mix(wide, y, n_members=2).score(wide, y) > 0.9


def test_weights_count_cases():
    X, y = crossed(60)
    weights = np.arange(60) % 3.0
    rows = np.repeat(np.arange(60), weights.astype(int))
    wrong = np.where(weights == 0, "same", y)
    ours = mix(X, wrong, member=Share(), sample_weight=weights)
    repeated = mix(X[rows], y[rows], member=Share())
    np.testing.assert_allclose(ours.predict_proba(X), repeated.predict_proba(X), atol=1e-3)


def test_class_that_an_expert_accounts_for_nothing_of():
    """It is then shown other classes only."""
    X = np.r_[np.linspace(-9, -8, 20), np.linspace(8, 9, 20), [0.0]][:, None]
    y = np.array(["left"] * 20 + ["right"] * 20 + ["middle"])
    ours = mix(X, y, member=GaussianNB(), n_members=2, penalty=0.0)
    assert ours.classes_.tolist() == ["left", "middle", "right"]
    P = ours.predict_proba(X)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1)


@pytest.mark.parametrize(
    "labels", [["no", "yes"], [-1, 1], [False, True], [7, 3]], ids=["text", "sign", "bool", "int"]
)
def test_labels_of_every_type(labels):
    X, y = crossed()
    named = np.array(labels)[(y == "same").astype(int)]
    ours = mix(X, named, n_members=2)
    assert ours.classes_.tolist() == sorted(labels)
    assert ours.predict(X).dtype == named.dtype
    assert ours.score(X, named) > 0.9


def test_order_of_rows_does_not_matter():
    X, y = crossed()
    order = np.random.default_rng(0).permutation(len(X))
    expected = mix(X, y, member=Share()).predict_proba(X)
    found = mix(X[order], y[order], member=Share()).predict_proba(X)
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_threads_change_nothing():
    X, y = crossed(80)
    trees = DecisionTreeClassifier(max_depth=2, max_features=1)
    one, two = (mix(X, y, member=trees, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_random_state():
    X, y = crossed(80)
    first, again, other = (
        mix(X, y, member=Share(), n_starts=1, random_state=seed) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.log_likelihoods_, again.log_likelihoods_)
    assert first.log_likelihoods_[0] != other.log_likelihoods_[0]


def test_too_few_rounds_are_told(capsys):
    X, y = crossed()
    with pytest.warns(ConvergenceWarning, match="mixture_of_experts: 2 rounds were not enough"):
        mix(X, y, max_iter=2, tol=0.0, n_starts=1, verbose=2, quiet=False)
    assert capsys.readouterr().out.count("of 2 rounds") == 2


def test_failing_member_is_named_or_dropped():
    X, y = crossed(60)
    members = [LogisticRegression(C=-1.0), GaussianNB(), Share(), RidgeClassifier()]
    with pytest.raises(ilk.InputError, match=r"experts: members\[0\] \(LogisticRegression\): The"):
        mix(X, y, members=members)
    ours = mix(X, y, members=members, on_failure="drop")
    assert list(ours.failures_) == [0, 3]
    assert ours.gate(X).shape == (60, 2)
    assert len(ours.estimators_) == 2


def test_rows_are_asked_about_in_blocks(monkeypatch):
    X, y = crossed()
    ours = mix(X, y)
    whole = ours.predict_proba(X)
    monkeypatch.setattr("ilk_ensembles.classifiers.mixture_of_experts._CELLS", 66)
    np.testing.assert_allclose(ours.predict_proba(X), whole)


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (KNeighborsClassifier(), r"member \(KNeighborsClassifier\) takes no sample_weight"),
        (RidgeClassifier(), r"members\[0\] \(RidgeClassifier\): has no predict_proba"),
    ],
    ids=["no weights", "no probabilities"],
)
def test_members_that_cannot_be_experts(member, message):
    with pytest.raises(ilk.InputError, match=message):
        mix(*crossed(40), member=member)


def test_frozen_member_is_refused():
    X, y = crossed(40)
    with pytest.raises(ilk.ParameterError, match="member nearest_mean is frozen"):
        mix(X, y, member=ilk.frozen(ilk.classifier("nearest_mean").fit(X, y)))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0.0], [1.0]], ["a", "a"], r"y has 1 class \('a'\)"),
        ([[0.0], [np.nan]], ["a", "b"], "X has NaN at row 1, column 0"),
        ([["x"], ["y"]], ["a", "b"], "mixture_of_experts: X"),
    ],
    ids=["one class", "nan", "texts"],
)
def test_bad_data(X, y, message):
    with pytest.raises(ilk.InputError, match=message):
        mix(X, y)


def test_no_member():
    with pytest.raises(ilk.ParameterError, match="members must have at least one member"):
        ilk.classifier("mixture_of_experts", members=[])


def test_two_rows():
    ours = mix([[0.0], [1.0]], ["a", "b"])
    assert ours.predict([[-1.0], [2.0]]).tolist() == ["a", "b"]
