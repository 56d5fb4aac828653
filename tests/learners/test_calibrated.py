"""calibrated: sigmoids of held-out decision values, beside scikit-learn's."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import PredefinedSplit
from sklearn.naive_bayes import GaussianNB

import ilk


class Along(ilk.Classifier):
    """The decision value is the first feature, times a factor; learns nothing."""

    factor: float = ilk.param(default=1.0)

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return self.factor * np.asarray(X)[:, 0]

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


class Bare(ilk.Classifier):
    """Labels only."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def calibrated(classifier, **parameters):
    return ilk.classifier("calibrated", classifier=classifier, **parameters)


@pytest.fixture
def noisy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    return X, np.where(X[:, 0] + rng.normal(size=120) > 0.5, "yes", "no")


def folds_of(y, n_folds):
    fold = np.empty(len(y), dtype=int)
    for label in np.unique(y):
        fold[y == label] = np.arange((y == label).sum()) % n_folds
    return PredefinedSplit(fold)


@pytest.mark.parametrize("folds", [2, 5])
def test_probabilities_are_those_of_scikit_learn_on_the_same_folds(noisy, folds):
    X, y = noisy
    theirs = CalibratedClassifierCV(RidgeClassifier(), cv=folds_of(y, folds), ensemble=False)
    ours = calibrated(RidgeClassifier(), folds=folds).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.fit(X, y).predict_proba(X), atol=1e-4)


def test_worked_example():
    """Of 8 rows beyond 0, on the side of "yes", 6 are of "yes"; targets are 7/10 against 3/10."""
    x = np.repeat([-1.0, 1.0], 8)
    y = np.repeat(["no", "yes", "no", "yes"], [6, 2, 2, 6])
    model = calibrated(Along()).fit(x[:, None], y)
    # Platt's targets (8 + 1) / (8 + 2) and 1 / (8 + 2): a mean of .7 beyond 0
    expected = (6 * 0.9 + 2 * 0.1) / 8
    np.testing.assert_allclose(
        model.predict_proba([[1.0], [-1.0]])[:, 1], [expected, 1 - expected], atol=1e-5
    )
    slope, offset = model.sigmoids_[0]
    assert slope == pytest.approx(np.log(expected / (1 - expected)), abs=1e-4)
    assert offset == pytest.approx(0, abs=1e-4)


def test_the_unit_of_decision_values_does_not_matter(noisy):
    X, y = noisy
    some = calibrated(Along()).fit(X, y).predict_proba(X)
    for factor in (1e-6, 1e6):
        other = calibrated(Along(factor=factor)).fit(X, y).predict_proba(X)
        np.testing.assert_allclose(other, some, atol=1e-6)


def test_log_odds_of_probabilities_are_calibrated(noisy):
    """Doubled features make naive Bayes too sure; its sigmoid is about half as steep."""
    X, y = noisy
    twice = np.hstack([X, X])
    once, both = (calibrated(GaussianNB()).fit(rows, y) for rows in (X, twice))
    assert both.sigmoids_[0, 0] == pytest.approx(once.sigmoids_[0, 0] / 2, rel=0.05)
    np.testing.assert_allclose(both.predict_proba(twice), once.predict_proba(X), atol=0.02)


def test_a_frozen_classifier_is_calibrated_on_other_rows(noisy):
    X, y = noisy
    fitted = LogisticRegression().fit(X[::2], y[::2])
    model = calibrated(ilk.frozen(fitted)).fit(X[1::2], y[1::2])
    np.testing.assert_array_equal(model.classifier_.coef_, fitted.coef_)
    with pytest.raises(ilk.InputError, match="must have one decision value for each of the 2"):
        calibrated(ilk.frozen(fitted)).fit(X[:6], ["a", "b"] * 3)


def test_the_only_row_of_a_class_is_never_held_out():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]])
    y = ["a", "a", "a", "b", "b", "c"]
    model = calibrated("svm").fit(X, y)
    assert model.predict_proba(X).shape == (6, 3)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_labels_alone_cannot_be_calibrated(noisy):
    with pytest.raises(ilk.InputError, match="Bare has neither decision_function nor"):
        calibrated(Bare()).fit(*noisy)


@pytest.mark.parametrize("member", ["svm", "gasvm", "local_svm"])
def test_sums_over_machines(member):
    X, y = ilk.dataset("iris").load().Xy
    views = {"sepals": [0, 1], "petals": [2, 3]}
    table = {"use": "calibrated", "classifier": member, "folds": 2}
    vote = ilk.classifier("voting", members=[table, "knn"], combiner="sum").fit(X[::2], y[::2])
    assert vote.score(X[1::2], y[1::2]) > 0.9
    summed = ilk.classifier("multiview", views=views, member=table).fit(X[::2], y[::2])
    assert summed.score(X[1::2], y[1::2]) > 0.85
    advice = r"take the classifier 'calibrated' around it, or another member .* or a rule of labels"
    with pytest.raises(ilk.InputError, match=advice):
        ilk.classifier("voting", members=[member, "knn"]).fit(X, y)
    with pytest.raises(ilk.InputError, match=f"view 'sepals' .*{advice}"):
        ilk.classifier("multiview", views=views, member=member).fit(X, y)
