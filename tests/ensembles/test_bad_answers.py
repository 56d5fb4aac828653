"""Ensembles of members whose answers are of no use: each is named, whatever the ensemble."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

import ilk
from cases import in_one_test

X = np.random.default_rng(0).normal(size=(40, 4))
y = np.repeat([0, 1], 20)
X[y == 1] += 1


class Nearest(ClassifierMixin, BaseEstimator):
    """Answers by the nearer mean, but changes what it says as `change` tells."""

    def __init__(self, change=None, of="predict_proba"):
        self.change = change
        self.of = of

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict(self, X):
        return self._changed("predict", self.classes_[self._shares(X).argmax(axis=1)])

    def predict_proba(self, X):
        return self._changed("predict_proba", self._shares(X))

    def _changed(self, method, said):
        return self.change(said) if self.change is not None and method == self.of else said

    def _shares(self, X):
        far = ((X[:, None] - self.means_) ** 2).sum(axis=2)
        return 1 / (1 + far) / (1 / (1 + far)).sum(axis=1, keepdims=True)


class Backwards(Nearest):
    """Its classes are not sorted."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y)
        self.classes_, self.means_ = self.classes_[::-1], self.means_[::-1]
        return self


def ensembles(member):
    views = {"left": [0, 1], "right": [2, 3]}
    unlabeled = {"views": views, "unlabeled": -1, "random_state": 0}
    return {
        "bagging": ilk.classifier("bagging", member=member, n_members=2, oob_score=True),
        "cascade": ilk.classifier("cascade", members=[member, "knn"]),
        "concatenated": ilk.classifier("concatenated", member=member),
        "co_training": ilk.classifier("co_training", member=member, **unlabeled),
        "ecoc": ilk.classifier("ecoc", member=member, code="ova", decoding="probability"),
        "gating": ilk.classifier(
            "voting", members=["knn", "lda"], combiner=ilk.combiner("gating", gate=member)
        ),
        "mixture": ilk.classifier("mixture_of_experts", member=member, random_state=0),
        "multiview": ilk.classifier("multiview", views=views, member=member),
        "stacking": ilk.classifier("stacking", members=["knn", member]),
        "learner": ilk.classifier("stacking", members=["knn"], learner=member),
        "subspace": ilk.classifier("random_subspace", member=member, n_members=2),
        "voting": ilk.classifier("voting", members=["knn", member]),
    }


def label_ensembles(member):
    return {
        "adaboost": ilk.classifier("adaboost", member=member, n_members=3),
        "bagging": ilk.classifier(
            "bagging", member=member, combiner="majority", n_members=2, oob_score=True
        ),
        "concatenated": ilk.classifier("concatenated", member=member),
        "ecoc": ilk.classifier("ecoc", member=member, code="ova"),
        "voting": ilk.classifier("voting", members=["knn", member], combiner="majority"),
    }


def answers(ensemble):
    labels = y
    if getattr(ensemble, "unlabeled", None) is not None:
        labels = np.where(np.arange(40) % 20 > 9, -1, y)
    fitted = ensemble.fit(X, labels)
    if hasattr(fitted, "predict_proba"):
        fitted.predict_proba(X)
    return fitted.predict(X)


def with_value(value):
    def change(said):
        said = said.copy()
        said[0, 0] = value
        return said

    return change


@in_one_test
@pytest.mark.parametrize("kind", list(ensembles("lda")))
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda said: said[:-1], r"gives probabilities of shape \(\d+, 2\) for \d+ rows"),
        (lambda said: said[:, 0], r"gives probabilities of shape \(\d+,\)"),
        (lambda said: said[None], r"gives probabilities of shape \(1, \d+, 2\)"),
        (lambda _: None, "gives probabilities of type object, not numbers"),
        (lambda said: said.astype(str), "gives probabilities of type <U32, not numbers"),
        (lambda said: said + 0j, "gives probabilities of type complex128, not numbers"),
        (sp.csr_array, "gives probabilities of type object, not numbers"),
        (with_value(np.nan), "gives the probability nan, for row 0"),
        (with_value(np.inf), "gives the probability inf, for row 0"),
        (with_value(-1), r"gives the probability -1\.0, for row 0"),
        (lambda said: said * 0, "gives no class a probability above 0, for row 0"),
    ],
    ids=["few", "flat", "deep", "none", "text", "complex", "sparse", "nan", "inf", "minus", "zero"],
)
def test_probabilities(kind, change, message):
    with pytest.raises(ilk.InputError, match=rf"\(Nearest\): {message}"):
        answers(ensembles(Nearest(change))[kind])


@in_one_test
@pytest.mark.parametrize("kind", list(label_ensembles("lda")))
@pytest.mark.parametrize(
    ("change", "shape"),
    [
        (lambda said: said[:-1], r"\(\d+,\)"),
        (lambda said: said[:, None], r"\(\d+, 1\)"),
        (lambda said: said[None], r"\(1, \d+\)"),
        (lambda _: None, r"\(\)"),
    ],
    ids=["few", "column", "row", "none"],
)
def test_labels(kind, change, shape):
    message = rf"\(Nearest\): predicts an array of shape {shape} for \d+ rows"
    with pytest.raises(ilk.InputError, match=message):
        answers(label_ensembles(Nearest(change, "predict"))[kind])


@pytest.mark.parametrize("kind", [k for k in ensembles("lda") if k not in {"ecoc", "gating"}])
@pytest.mark.parametrize("change", [np.ndarray.tolist, lambda said: said.astype(object)])
def test_numbers_in_other_containers_are_numbers(kind, change):
    plain = answers(ensembles(Nearest())[kind].set_params(random_state=0))
    other = answers(ensembles(Nearest(change))[kind].set_params(random_state=0))
    np.testing.assert_array_equal(other, plain)


def test_one_member_has_its_classes_in_another_order():
    plain = ilk.classifier("concatenated", member=Nearest()).fit(X, y)
    other = ilk.classifier("concatenated", member=Backwards()).fit(X, y)
    np.testing.assert_array_equal(other.predict_proba(X), plain.predict_proba(X))


def test_one_frozen_member_knows_other_classes():
    """Its columns would be taken for those of the classes of y."""
    three = ilk.classifier("lda").fit(X, np.arange(40) % 3)
    model = ilk.classifier("concatenated", member=ilk.frozen(three))
    with pytest.raises(ilk.InputError, match=r"^concatenated: member \(lda\): knows the class 2"):
        model.fit(X, y)
    model.fit(X, np.arange(40) % 4)  # and not the class 3
    proba = model.predict_proba(X)
    np.testing.assert_array_equal(proba[:, :3], three.predict_proba(X))
    assert not proba[:, 3].any()
    with pytest.raises(ilk.InputError, match=r"knows the classes \[0, 1, 2\], so its scores"):
        model.decision_function(X)


class Mean(RegressorMixin, BaseEstimator):
    """Predicts the mean, as `change` tells."""

    def __init__(self, change=None):
        self.change = change

    def fit(self, X, y, sample_weight=None):
        self.mean_ = np.average(y, weights=sample_weight)
        return self

    def predict(self, X):
        return self.change(np.full(len(X), self.mean_))


@in_one_test
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("adaboost_r2", {"n_members": 2}),
        ("bagging", {"n_members": 2, "oob_score": True}),
        ("boosted_experts", {}),
        ("stacking", {"several": True}),
        ("voting", {"several": True}),
    ],
)
@pytest.mark.parametrize(
    "change",
    [
        lambda said: said[:-1],
        lambda said: said[:, None],
        lambda _: None,
        lambda said: said * np.nan,
        lambda said: said + 0j,
        lambda said: said.astype(str),
    ],
    ids=["few", "column", "none", "nan", "complex", "text"],
)
def test_predictions_of_regressors(name, more, change):
    more = dict(more)
    member = (
        {"members": ["knn", Mean(change)]} if more.pop("several", 0) else {"member": Mean(change)}
    )
    model = ilk.regressor(name, **member, **more)
    with pytest.raises(ilk.InputError, match=rf"^{name}: .*\(Mean\): "):
        model.fit(X, X[:, 0]).predict(X)


def test_members_of_gentleboost():
    for change in (lambda said: said[:-1], lambda said: said * np.nan, lambda said: said + 0j):
        model = ilk.classifier("gentleboost", member=Mean(change), n_rounds=2)
        with pytest.raises(ilk.InputError, match=r"^gentleboost: member of round 1 \(Mean\): "):
            model.fit(X, y)
