"""cost_sensitive and threshold: other decisions from the outputs of any classifier."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

import ilk

LABELS = np.array(["ill", "unsure", "well"])


def overlapping(n=90, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) * 7 % (3 * classes) // 3
    codes[: n // 4] = 0  # of unequal size
    return rng.normal(size=(n, 2)) + 1.1 * codes[:, None], LABELS[codes]


def cost_sensitive(classifier="lda", **parameters):
    return ilk.classifier("cost_sensitive", classifier=classifier, **parameters)


def threshold(classifier="lda", **parameters):
    return ilk.classifier("threshold", classifier=classifier, random_state=0, **parameters)


class TestCosts:
    @given(st.lists(st.integers(-3, 9), min_size=9, max_size=9))
    def test_no_other_class_has_less_expected_cost(self, numbers):
        X, y = overlapping(classes=3)
        costs = np.reshape(numbers, (3, 3))
        model = cost_sensitive(costs=costs.tolist()).fit(X, y)
        P = ilk.classifier("lda").fit(X, y).predict_proba(X)
        expected = [[sum(p[a] * costs[a, b] for a in range(3)) for b in range(3)] for p in P]
        chosen = np.searchsorted(model.classes_, model.predict(X))
        rows = np.arange(len(X))
        np.testing.assert_allclose(np.array(expected)[rows, chosen], np.min(expected, axis=1))
        np.testing.assert_allclose(model.decision_function(X), -np.array(expected))
        np.testing.assert_array_equal(model.predict_proba(X), P)

    @pytest.mark.parametrize(("alarm", "miss"), [(1, 4), (1, 1), (3, 1)])
    def test_two_costs_are_a_threshold(self, alarm, miss):
        X, y = overlapping()
        costs = {"ill": {"unsure": miss}, "unsure": {"ill": alarm}}
        model = cost_sensitive(costs=costs).fit(X, y)
        cut = threshold(positive="ill", threshold=alarm / (alarm + miss)).fit(X, y)
        assert model.predict(X).tolist() == cut.predict(X).tolist()

    def test_rejects_by_chows_rule(self):
        X, y = overlapping(classes=3)
        model = cost_sensitive(reject_cost=0.4, reject_label="?").fit(X, y)
        P = ilk.classifier("lda").fit(X, y).predict_proba(X)
        unsure = P.max(axis=1) < 0.6
        assert 5 < unsure.sum() < 60
        expected = np.where(unsure, "?", LABELS[P.argmax(axis=1)])
        assert model.predict(X).tolist() == expected.tolist()

    def test_experiments_know_a_rejection_and_its_cost(self):
        found = ilk.compare(
            {"chow": {"use": "cost_sensitive", "classifier": "lda", "reject_cost": 0.1}},
            "iris",
            resampling={"use": "kfold", "folds": 2},
            measures=["reject_rate", {"use": "cost", "reject_cost": 0.1}, "error"],
        ).scores
        rate, cost, error = (
            found.loc[found["measure"] == name, "value"].to_numpy()
            for name in ("reject_rate", "cost", "error")
        )
        assert (rate > 0).all()
        assert (rate < 0.2).all()
        np.testing.assert_allclose(cost, 0.1 * rate + error * (1 - rate))

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"costs": {"sick": {"well": 2}}}, r"cost_sensitive: costs must name classes .*'sick'"),
            ({"costs": {"ill": 2}}, r"cost_sensitive: costs \['ill'\] must be a table"),
            ({"costs": [[0, np.inf], [1, 0]]}, "cost_sensitive: costs must be a square of finite"),
            ({"costs": np.zeros((3, 3))}, "cost_sensitive: costs is for 3 classes, y has 2"),
            ({"reject_cost": np.inf}, "cost_sensitive: reject_cost must be finite"),
            ({"reject_cost": 0.1, "reject_label": "ill"}, "reject_label must be no class"),
            ({"classifier": ilk.frozen(ilk.classifier("lda"))}, "classifier must not be frozen"),
        ],
    )
    def test_refuses(self, parameters, message):
        with pytest.raises(ilk.ParameterError, match=message):
            cost_sensitive(**parameters).fit(*overlapping())

    def test_needs_probabilities(self):
        X, y = overlapping()
        model = cost_sensitive("svm").fit(X, y)
        with pytest.raises(ilk.InputError, match="cost_sensitive: svm has no predict_proba"):
            model.predict(X)


class TestThreshold:
    @pytest.mark.parametrize("positive", ["ill", "unsure"])
    @pytest.mark.parametrize(("name", "at"), [("lda", 0.3), ("lda", 0.8), ("svm", 0.4)])
    def test_as_scikit_learns(self, name, at, positive):
        X, y = overlapping()
        ours = threshold(name, threshold=at, positive=positive).fit(X, y)
        theirs = FixedThresholdClassifier(
            ilk.classifier(name), threshold=at, pos_label=positive
        ).fit(X, y)
        assert ours.predict(X).tolist() == theirs.predict(X).tolist()
        assert np.array_equal(ours.decision_function(X) > 0, ours.predict(X) == "unsure")

    @given(st.floats(0, 1), st.floats(0, 1))
    def test_a_higher_threshold_takes_positives_away_only(self, one, other):
        X, y = overlapping(classes=3)
        low, high = sorted((one, other))
        few, many = (threshold(threshold=at).fit(X, y).predict(X) for at in (high, low))
        assert set(np.flatnonzero(few == "well")) <= set(np.flatnonzero(many == "well"))
        kept = (few == many) | (many == "well")
        assert kept.all()

    @pytest.mark.parametrize("name", ["lda", "svm"])
    def test_tuned_is_the_best_of_all_thresholds(self, name):
        """On one split, where scikit-learn's curve of 100 thresholds can be no better."""
        X, y = overlapping(200)
        train, test = np.arange(0, 200, 2), np.arange(1, 200, 2)
        split = [(train, test)]
        theirs = TunedThresholdClassifierCV(
            ilk.classifier(name), scoring="balanced_accuracy", cv=split, random_state=0
        ).fit(X, y)
        ours = threshold(name, threshold="tuned", resampling=OneSplit(split)).fit(X, y)
        inner = ilk.classifier(name).fit(X[train], y[train])
        scores = (
            inner.predict_proba(X[test])[:, 1]
            if name == "lda"
            else inner.decision_function(X[test])
        )
        every = [balanced(y[test], scores >= at) for at in np.r_[scores, np.inf]]
        assert ours.values_.max() == pytest.approx(max(every))
        assert balanced(y[test], scores >= ours.threshold_) == pytest.approx(max(every))
        assert ours.values_.max() >= theirs.best_score_ - 1e-12

    def test_plateaus_give_the_threshold_nearest_to_one_half(self):
        X, y = [[float(i)] for i in range(20)], [0] * 10 + [1] * 10
        model = threshold("knn", threshold="tuned").fit(X, y)
        best = model.thresholds_[model.values_ == model.values_.max()]
        assert abs(model.threshold_ - 0.5) == np.abs(best - 0.5).min()

    def test_takes_256_thresholds_at_most(self):
        X, y = overlapping(400)
        model = threshold(threshold="tuned", measure="f1").fit(X, y)
        assert 250 < len(model.thresholds_) <= 257
        assert np.all(np.diff(model.thresholds_) > 0)

    def test_weights_reach_the_classifier(self):
        X, y = overlapping()
        weights = np.where(y == "ill", 5.0, 1.0)
        got = threshold(threshold=0.5).fit(X, y, sample_weight=weights).predict_proba(X)
        expected = ilk.classifier("lda").fit(X, y, sample_weight=weights).predict_proba(X)
        np.testing.assert_array_equal(got, expected)

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"positive": "sick"}, r"threshold: positive must name classes .* got 'sick'"),
            (
                {"threshold": "tuned", "measure": "roc_auc"},
                "threshold: measure must depend on labels, .*roc_auc needs scores",
            ),
            ({"threshold": "best"}, "threshold: threshold must be"),
        ],
    )
    def test_refuses(self, parameters, message):
        with pytest.raises(ilk.ParameterError, match=message):
            threshold(**parameters).fit(*overlapping())


def balanced(truth, positive):
    hits = positive[truth == "unsure"].mean()
    return (hits + 1 - positive[truth == "ill"].mean()) / 2


class OneSplit:
    """A splitter of given row numbers."""

    def __init__(self, parts):
        self.parts = parts

    def split(self, X, y=None, groups=None):
        return iter(self.parts)

    def get_n_splits(self, X=None, y=None, groups=None):
        return len(self.parts)
