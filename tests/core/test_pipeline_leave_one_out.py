"""Pipelines that can leave each case out without being fitted anew, and those that cannot."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import FunctionTransformer

import ilk
from cases import in_one_test


class Doubled(ilk.Transformer):
    """Twice the numbers, which it need not learn."""

    capabilities = ilk.Capabilities(stateless=True)

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return 2 * np.asarray(X)


class Noisy(Doubled):
    """Adds noise."""

    random_state: ilk.RandomState = ilk.param(default=None, type=ilk.Seed)


class Means(ilk.Classifier):
    """The class with the nearest mean; each case is left out by hand."""

    random_state: ilk.RandomState = ilk.param(default=0, type=ilk.Seed)
    capabilities = ilk.Capabilities(fast_leave_one_out=True)

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict(self, X):
        gaps = ((np.asarray(X)[:, None] - self.means_) ** 2).sum(axis=2)
        return self.classes_[gaps.argmin(axis=1)]

    def leave_one_out(self, X, y):
        labels = [
            clone(self).fit(np.delete(X, i, axis=0), np.delete(y, i)).predict(X[i : i + 1])[0]
            for i in range(len(y))
        ]
        return ilk.Prediction(y, np.array(labels), np.unique(y))


def pipeline(*steps):
    return ilk.Pipeline(list(steps))


def test_equals_fitting_without_each_case():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.array(list("ab"))[np.arange(30) % 2]
    X += (y == "b")[:, None]
    model = pipeline(Doubled(), Means())
    found = model.leave_one_out(X, y)
    rows = np.arange(30)
    one_by_one = [
        clone(model).fit(X[rows != i], y[rows != i]).predict(X[[i]])[0] for i in range(30)
    ]
    assert found.labels.tolist() == one_by_one
    assert found.truth is y
    assert not hasattr(model, "steps_")


CAN = {
    "a learner alone": [Means()],
    "behind what declares to be stateless": [Doubled(), Means()],
    "with a fixed random state": [Noisy(random_state=1), Means()],
    "behind a frozen one": [ilk.frozen(Noisy(random_state=1)), Means()],
    "in a pipeline": [Doubled(), pipeline(Doubled(), Means())],
}
CANNOT = {
    "behind what learns": ([{"transformer": "centre"}, Means()], r"\[0\] must be a transformer"),
    "behind an editor": ([Doubled(), {"editor": "every_other"}, Means()], r"\[1\] must be"),
    "with an open random state before": ([Noisy(), Means()], r"\[0\] must be"),
    "with an open random state": ([Means(random_state=None)], r"\[0\] must have a fast"),
    "behind another library's": ([FunctionTransformer(), Means()], r"\[0\] must be"),
    "behind another's, frozen": ([ilk.frozen(FunctionTransformer()), Means()], r"\[0\] must be"),
}


@in_one_test
@pytest.mark.parametrize("case", CAN)
def test_tells_that_it_can(case):
    assert pipeline(*CAN[case]).fast_leave_one_out


@in_one_test
@pytest.mark.parametrize("case", CANNOT)
def test_tells_that_it_cannot_and_why(case):
    steps, message = CANNOT[case]
    model = pipeline(*steps)
    assert not model.fast_leave_one_out
    with pytest.raises(ilk.ParameterError, match=f"pipeline: steps {message}.*leave_one_out"):
        model.leave_one_out(np.eye(4), np.array([0, 0, 1, 1]))


def test_a_learner_without_it_has_none():
    model = pipeline({"classifier": "nearest"})
    assert not model.fast_leave_one_out
    assert not hasattr(model, "leave_one_out")


def test_names_that_do_not_exist_are_no_errors_before_it_is_used():
    nobody = [{"transformer": "nobody"}, {"classifier": Means()}]
    assert not ilk.Pipeline().set_params(steps=nobody).fast_leave_one_out
    assert not ilk.Pipeline([]).fast_leave_one_out


def test_the_property_knows_better_than_the_class():
    class Refuses(Means):
        """Declares it, but not with these parameters."""

        fast_leave_one_out = False

    assert not pipeline(Refuses()).fast_leave_one_out
