"""The ensemble `multiview`."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import ilk
from cases import in_one_test

VIEWS = {"first": [0, 3, 5], "second": [6, 1], "third": [9, 10, 11, 12]}


@pytest.fixture(scope="module")
def wine():
    X, y = ilk.dataset("wine").load().Xy
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def fitted(X, y, **parameters):
    return ilk.classifier("multiview", **{"views": VIEWS, **parameters}).fit(X, y)


class Says(ClassifierMixin, BaseEstimator):
    """Gives the probabilities it is told."""

    def __init__(self, probabilities=()):
        self.probabilities = probabilities

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.tile(self.probabilities, (len(X), 1))

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@in_one_test
@pytest.mark.parametrize(
    ("combiner", "expected"),
    [
        ("max", [0.6, 0.55]),
        ("min", [0.45, 0.4]),
        ("sum", [0.525, 0.475]),
        ("product", [0.27, 0.22]),
    ],
)
def test_images_with_and_without_water(combiner, expected):
    """N's example: class A wins by every rule."""
    X, y = np.zeros((4, 2)), ["A", "B", "A", "B"]
    members = {"colors": Says([0.45, 0.55]), "texture": Says([0.6, 0.4])}
    views = {"colors": [0], "texture": [1]}
    ours = fitted(X, y, views=views, members=members, combiner=combiner)
    assert ours.predict(X[:1]).tolist() == ["A"]
    np.testing.assert_allclose(ours.predict_proba(X[:1])[0], np.array(expected) / sum(expected))


@in_one_test
@pytest.mark.parametrize("combiner", ["sum", "product", "max", "min", "median"])
def test_each_member_sees_its_view(wine, combiner):
    X, y = wine
    ours = fitted(X, y, member=GaussianNB(), combiner=combiner)
    said = [GaussianNB().fit(X[:, c], y).predict_proba(X[:, c]) for c in VIEWS.values()]
    combined = ilk.combiner(combiner).combine(np.array(said))
    expected = combined / combined.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ours.predict_proba(X), expected, rtol=1e-9)
    assert ours.views_ == list(VIEWS)
    assert ours.columns_["second"].tolist() == [6, 1]


def test_pyramid_weights(wine):
    """Equation (10.18): 1/2^(Q-i+1) for view i, coarse to fine."""
    X, y = wine
    ours = fitted(X, y, combiner={"use": "weighted_sum", "weights": "pyramid"})
    said = [
        ilk.classifier("naive_bayes").fit(X[:, c], y).predict_proba(X[:, c]) for c in VIEWS.values()
    ]
    expected = said[0] / 8 + said[1] / 4 + said[2] / 2
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ours.predict_proba(X), expected, rtol=1e-9)


def test_rule_of_labels(wine):
    X, y = wine
    ours = fitted(X, y, member=RidgeClassifier(), combiner="majority", reject_label="unsure")
    votes = np.array([RidgeClassifier().fit(X[:, c], y).predict(X[:, c]) for c in VIEWS.values()])
    counts = np.stack([(votes == label).sum(axis=0) for label in ours.classes_], axis=1)
    clear = counts.max(axis=1) > 1
    got = ours.predict(X)
    np.testing.assert_array_equal(got[clear], ours.classes_[counts.argmax(axis=1)][clear])
    assert (got[~clear] == "unsure").all()


@pytest.mark.parametrize("rule", ["stacking", {"use": "weighted_sum", "weights": "learned"}])
def test_rules_that_learn(wine, rule):
    X, y = wine
    noisy = np.column_stack([X, np.random.default_rng(0).normal(size=(len(X), 3))])
    views = {**VIEWS, "noise": [13, 14, 15]}
    ours = fitted(noisy[::2], y[::2], views=views, combiner=rule, random_state=0)
    assert ours.score(noisy[1::2], y[1::2]) > 0.85


def test_only_columns_of_views_matter(wine):
    X, y = wine
    inside = {column for view in VIEWS.values() for column in view}
    outside = [c for c in range(X.shape[1]) if c not in inside]
    changed = X.copy()
    changed[:, outside] = 7.0
    ours = fitted(X, y)
    np.testing.assert_array_equal(ours.predict_proba(changed), ours.predict_proba(X))


def test_one_view_is_its_member(wine):
    X, y = wine
    alone = ilk.classifier("knn", k=3).fit(X, y)
    for views in (None, {"all": list(range(X.shape[1]))}):
        ours = fitted(X, y, views=views, member={"use": "knn", "k": 3})
        np.testing.assert_allclose(ours.predict_proba(X), alone.predict_proba(X))


def test_overlapping_views_and_a_list_of_views(wine):
    X, y = wine
    ours = fitted(X, y, views=[[0, 1], [1, 2]], combiner="sum")
    named = fitted(X, y, views={"a": [0, 1], "b": [1, 2]}, combiner="sum")
    assert ours.views_ == [0, 1]
    np.testing.assert_array_equal(ours.predict_proba(X), named.predict_proba(X))


def test_data_frames(wine):
    X, y = wine
    table = pd.DataFrame(X, columns=[f"f{c}" for c in range(X.shape[1])])
    views = {name: [f"f{c}" for c in view] for name, view in VIEWS.items()}
    expected = fitted(X, y).predict_proba(X)
    np.testing.assert_allclose(
        fitted(table, y, views=views).predict_proba(table), expected, atol=1e-12
    )
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(dict(table))
    np.testing.assert_allclose(
        fitted(frame, y, views=views).predict_proba(frame), expected, atol=1e-12
    )


def test_numbers_that_name_columns(wine):
    """Columns of a data frame that are called by numbers are found by name first."""
    X, y = wine
    table = pd.DataFrame(X, columns=range(X.shape[1])[::-1])
    ours = fitted(table, y)
    flipped = {name: [X.shape[1] - 1 - c for c in view] for name, view in VIEWS.items()}
    np.testing.assert_allclose(
        ours.predict_proba(table), fitted(X, y, views=flipped).predict_proba(X), atol=1e-12
    )
    whole = fitted(table, y, views=None)
    assert whole.columns_["all"].tolist() == list(range(X.shape[1]))
    np.testing.assert_allclose(
        whole.predict_proba(table), fitted(X, y, views=None).predict_proba(X), atol=1e-12
    )


def test_view_with_nominal_columns(wine):
    X, y = wine
    table = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
    table["color"] = pd.Categorical(np.where(X[:, 6] > 0, "red", "white"))
    look = {"use": "knn", "distance": "heterogeneous"}
    views = {"numbers": ["a", "b"], "look": ["color", "c"]}
    ours = fitted(table, y, views=views, members={"look": look})
    alone = ilk.build(look, kind="classifier").fit(table[["color", "c"]], y)
    np.testing.assert_allclose(
        ours.estimators_[1].predict_proba(table[["color", "c"]]),
        alone.predict_proba(table[["color", "c"]]),
    )
    assert ours.score(table, y) > 0.8


def test_member_of_each_view(wine):
    ours = fitted(*wine, member="nearest_mean", members={"second": "knn"})
    assert [type(m).__name__ for m in ours.estimators_] == ["NearestMean", "KNN", "NearestMean"]
    assert ours.estimators_[0] is not ours.estimators_[2]


@given(st.integers(0, 2**32 - 1))
def test_order_of_views_and_rows(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 13)), rng.permutation(np.arange(30) % 3)
    expected = fitted(X, y, combiner="product").predict_proba(X)
    turned = fitted(X, y, combiner="product", views=dict(reversed(VIEWS.items())))
    np.testing.assert_allclose(turned.predict_proba(X), expected, rtol=1e-7, atol=1e-12)
    order = rng.permutation(30)
    mixed = fitted(X[order], y[order], combiner="product")
    np.testing.assert_allclose(mixed.predict_proba(X), expected, rtol=1e-7, atol=1e-12)


@in_one_test
@pytest.mark.parametrize("combiner", ["sum", "product", "max", "min", "median"])
@pytest.mark.parametrize("member", ["naive_bayes", "knn", "nearest_mean"])
def test_prediction_has_the_largest_probability(wine, combiner, member):
    X, y = wine
    ours = fitted(X[::3], y[::3], combiner=combiner, member=member)
    expected = ours.classes_[ours.predict_proba(X).argmax(axis=1)]
    np.testing.assert_array_equal(ours.predict(X), expected)


@in_one_test
@pytest.mark.parametrize("labels", [["no", "yes"], [-1, 1], [False, True], [7, 3]])
def test_labels_of_every_type(wine, labels):
    X, y = wine
    named = np.array(labels)[(y == "class_0").astype(int)]
    ours = fitted(X, named)
    assert ours.classes_.tolist() == sorted(labels)
    assert ours.predict(X).dtype == named.dtype
    assert ours.score(X, named) > 0.9


def test_failing_member_is_named_by_its_view(wine):
    X, y = wine
    bad = X.copy()
    bad[4, 1] = np.nan
    with pytest.raises(ilk.InputError, match=r"multiview: view 'second' \(naive_bayes\): .*NaN"):
        fitted(bad, y)
    with pytest.raises(ilk.InputError, match=r"view 'third' \(LogisticRegression\)"):
        fitted(X, y, members={"third": LogisticRegression(C=-1.0)})
    ours = fitted(X, y)
    with pytest.raises(ilk.InputError, match=r"multiview: view 'second' \(naive_bayes\): .*NaN"):
        ours.predict(bad)


def test_member_without_probabilities_is_named(wine):
    with pytest.raises(ilk.InputError, match=r"view 'first' \(SVC\): has no predict_proba"):
        fitted(*wine, members={"first": SVC()})
    ours = fitted(*wine, members={"first": SVC()}, on_failure="drop")
    assert ours.views_ == ["second", "third"]
    assert fitted(*wine, members={"first": SVC()}, combiner="majority").score(*wine) > 0.9


def test_failing_member_is_dropped(wine):
    X, y = wine
    bad = LogisticRegression(C=-1.0)
    ours = fitted(X, y, members={"second": bad}, on_failure="drop")
    assert ours.views_ == ["first", "third"]
    assert list(ours.failures_) == ["second"]
    assert "view 'second'" in str(ours.failures_["second"])
    rest = {name: VIEWS[name] for name in ("first", "third")}
    np.testing.assert_array_equal(ours.predict_proba(X), fitted(X, y, views=rest).predict_proba(X))
    with pytest.raises(ilk.InputError, match="multiview: every member failed; the first"):
        fitted(X, y, member=bad, on_failure="drop")


def test_threads_and_seeds(wine):
    X, y = wine
    tree = {"use": "sklearn", "estimator": "ExtraTreeClassifier"}
    one, two = (fitted(X, y, member=tree, random_state=0, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    other = fitted(X[::2], y[::2], member=tree, random_state=1)
    same = fitted(X[::2], y[::2], member=tree, random_state=0)
    assert (other.predict_proba(X) != same.predict_proba(X)).any()


def test_weights_reach_members(wine):
    X, y = wine
    weights = np.where(y == "class_1", 50.0, 1.0)
    ours = ilk.classifier("multiview", views=VIEWS, member=GaussianNB())
    ours.fit(X, y, sample_weight=weights)
    expected = GaussianNB().fit(X[:, VIEWS["third"]], y, sample_weight=weights)
    np.testing.assert_allclose(ours.estimators_[2].theta_, expected.theta_)
    with pytest.raises(ilk.InputError, match="multiview: no member takes sample_weight"):
        ilk.classifier("multiview", member="nearest_mean").fit(X, y, sample_weight=weights)


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"views": {}}, "views must name at least one view"),
        ({"views": "data"}, "views is 'data', which an experiment replaces"),
        ({"views": "date"}, "views must be"),
        ({"views": {"a": []}}, r"views \['a'\] must have a column"),
        ({"views": {"a": [99]}}, r"views \['a'\] must give positions of columns of X, got 99"),
        ({"members": {"frist": "knn"}}, "members must name views, got 'frist'.*'first'"),
        ({"members": {"first": 3}}, r"members \['first'\] must be a classifier"),
        ({"reject_label": "class_1"}, "reject_label must not be one of the classes"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
    ],
)
def test_wrong_parameters(wine, parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"multiview: {message}"):
        fitted(*wine, **parameters)


@in_one_test
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X[:, :5], y), r"views \['first'\] must give positions of columns of X"),
        (lambda X, y: (X, y[:-1]), "y has 177 values for the 178 rows"),
        (lambda X, y: (X[:0], y[:0]), "X must have at least one row"),
        (lambda X, y: (X[:, 0], y), "X must have at least one row and one column"),
        (lambda X, y: ([X[:, :5], X[:99, 5:]], y), r"X must be one .*got 2, of \[178, 99\] rows"),
        (lambda X, y: ({"a": X, "b": X[:7]}, y), r"X must be one .*got 2, of \[178, 7\] rows"),
        (lambda X, y: (X, np.full(len(y), "a")), r"view 'first' \(naive_bayes\): .*1 class"),
    ],
)
def test_wrong_data(wine, change, message):
    with pytest.raises(ValueError, match=f"multiview: {message}"):
        fitted(*change(*wine))


def test_views_of_a_data_set(wine):
    X, y = wine
    model = ilk.classifier("multiview", views="data")
    ilk.with_views(model, VIEWS)
    np.testing.assert_array_equal(model.fit(X, y).predict_proba(X), fitted(X, y).predict_proba(X))


def test_spec_round_trip():
    spec = {
        "use": "multiview",
        "views": {"a": [0, 1], "b": ["c1"]},
        "members": {"b": {"use": "knn", "k": 3}},
        "combiner": {"use": "weighted_sum", "weights": "pyramid"},
    }
    assert ilk.to_spec(ilk.build(spec, kind="classifier")) == spec


@pytest.mark.slow
@parametrize_with_checks([ilk.classifier("multiview")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
