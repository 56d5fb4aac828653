"""The classifier `concatenated`."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import ilk
from cases import in_one_test

VIEWS = {"first": [0, 3, 5], "second": [6, 1]}


@pytest.fixture(scope="module")
def wine():
    return ilk.dataset("wine").load().Xy


def fitted(X, y, **parameters):
    return ilk.classifier("concatenated", **{"views": VIEWS, **parameters}).fit(X, y)


def test_is_the_member_on_the_columns_side_by_side(wine):
    """Equation (10.1): view after view."""
    X, y = wine
    ours = fitted(X, y, member={"use": "knn", "k": 3})
    columns = [0, 3, 5, 6, 1]
    alone = ilk.classifier("knn", k=3).fit(X[:, columns], y)
    np.testing.assert_array_equal(ours.predict_proba(X), alone.predict_proba(X[:, columns]))
    np.testing.assert_array_equal(ours.predict(X), alone.predict(X[:, columns]))
    np.testing.assert_array_equal(ours.estimator_.index_.X_, X[:, columns])


def test_all_columns_without_views(wine):
    X, y = wine
    alone = ilk.classifier("naive_bayes").fit(X, y)
    ours = fitted(X, y, views=None)
    np.testing.assert_allclose(ours.predict_proba(X), alone.predict_proba(X), rtol=1e-9)


def test_euclidean_on_it_is_the_sum_of_squared_distances(wine):
    """HML1 is HML2-DF with weights of 1 in the original space, as Z remarks after (10.5)."""
    X, y = wine
    ours = fitted(X, y, member="knn").estimator_
    block = ilk.metric_learner("block_diagonal", views=VIEWS, report=False).fit(X)
    np.testing.assert_allclose(
        ours.distance_.pairwise(X[:, [0, 3, 5, 6, 1]]), block.distance().pairwise(X), atol=1e-6
    )


@pytest.mark.parametrize("only", [["second"], ["second", "first"], ["first"]])
def test_some_of_the_views(wine, only):
    X, y = wine
    ours = fitted(X, y, only=only)
    columns = [column for view in only for column in VIEWS[view]]
    part = np.take(X, columns, axis=1)
    alone = ilk.classifier("naive_bayes").fit(part, y)
    np.testing.assert_array_equal(ours.predict_proba(X), alone.predict_proba(part))
    assert list(ours.columns_) == only


def test_column_of_two_views_is_there_once(wine):
    X, y = wine
    ours = fitted(X, y, views={"a": [2, 0, 2], "b": [0, 1]}, member="knn")
    np.testing.assert_array_equal(ours.estimator_.index_.X_, X[:, [2, 0, 1]])


class TestScale:
    def test_each_view_counts_alike(self, wine):
        X, y = wine
        ours = fitted(X, y, member="knn", scale=True)
        seen = ours.estimator_.index_.X_
        for columns in (slice(0, 3), slice(3, 5)):
            squares = ((seen[:, None, columns] - seen[:, columns]) ** 2).sum(axis=2)
            assert squares.mean() == pytest.approx(2)
        scales = {view: np.sqrt(X[:, c].var(axis=0).sum()) for view, c in VIEWS.items()}
        assert ours.scales_ == pytest.approx(scales)
        np.testing.assert_allclose(seen[:, 3:], X[:, [6, 1]] / scales["second"])

    def test_queries_are_scaled_as_training_rows(self, wine):
        X, y = wine
        ours = fitted(X, y, member={"use": "knn", "k": 1}, scale=True)
        assert ours.score(X, y) == 1

    def test_unit_of_a_view_does_not_matter(self, wine):
        X, y = wine
        expected = fitted(X, y, member="knn", scale=True).predict_proba(X)
        changed = X.copy()
        changed[:, VIEWS["second"]] *= 2.0**400
        changed[:, VIEWS["first"]] *= 2.0**-400
        ours = fitted(changed, y, member="knn", scale=True)
        np.testing.assert_array_equal(ours.predict_proba(changed), expected)

    def test_without_it_nothing_is_divided(self, wine):
        assert fitted(*wine).scales_ == {"first": 1.0, "second": 1.0}

    def test_constant_view_stays(self, wine):
        X, y = wine
        X = X.copy()
        X[:, VIEWS["second"]] = 0.1
        assert fitted(X, y, scale=True).scales_["second"] == 1

    def test_weights_are_numbers_of_cases(self, wine):
        X, y = wine
        weights = np.arange(len(X)) % 3
        ours = ilk.classifier("concatenated", views=VIEWS, scale=True)
        ours.fit(X, y, sample_weight=weights)
        repeated = fitted(np.repeat(X, weights, axis=0), np.repeat(y, weights), scale=True)
        assert ours.scales_ == pytest.approx(repeated.scales_)

    def test_float32_stays(self, wine):
        X, y = wine
        ours = fitted(X.astype(np.float32), y, member="knn", scale=True)
        assert ours.estimator_.index_.X_.dtype == np.float32

    def test_refused_where_views_overlap(self, wine):
        with pytest.raises(ilk.ParameterError, match="scale must be False where views overlap"):
            fitted(*wine, views={"a": [0, 1], "b": [1, 2]}, scale=True)

    def test_refused_for_nominal_columns(self):
        X = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical(["x", "y"])})
        with pytest.raises(ilk.InputError, match="view 'look' has nominal columns"):
            fitted(X, [0, 1], views={"look": ["b"]}, scale=True)


def test_data_frames(wine):
    X, y = wine
    table = pd.DataFrame(X, columns=[f"f{c}" for c in range(X.shape[1])])
    views = {name: [f"f{c}" for c in view] for name, view in VIEWS.items()}
    for scale in (False, True):
        expected = fitted(X, y, scale=scale, member="knn").predict_proba(X)
        ours = fitted(table, y, views=views, scale=scale, member="knn")
        np.testing.assert_array_equal(ours.predict_proba(table), expected)


def test_nominal_columns_reach_a_member_that_takes_them():
    table = pd.DataFrame(
        {"a": [0.0, 0.0, 1.0, 1.0], "b": pd.Categorical(list("xyxy")), "c": [0.0] * 4}
    )
    member = {"use": "knn", "k": 1, "distance": "heterogeneous"}
    ours = fitted(table, list("pqrs"), views={"one": ["b"], "two": ["a"]}, member=member)
    assert ours.predict(table).tolist() == list("pqrs")


def test_answers_are_those_of_the_member(wine):
    X, y = wine
    ours = fitted(X, y, member=RidgeClassifier())
    assert not hasattr(ours, "predict_proba")
    columns = [0, 3, 5, 6, 1]
    expected = RidgeClassifier().fit(X[:, columns], y).decision_function(X[:, columns])
    np.testing.assert_allclose(ours.decision_function(X), expected)
    assert not hasattr(ilk.classifier("concatenated", member=SVC()), "predict_proba")


@pytest.mark.parametrize("labels", [["no", "yes"], [-1, 1], [False, True]])
def test_labels_of_every_type(wine, labels):
    X, y = wine
    named = np.array(labels)[(y == "class_0").astype(int)]
    ours = fitted(X, named)
    assert ours.classes_.tolist() == sorted(labels)
    assert ours.score(X, named) > 0.9
    np.testing.assert_array_equal(
        ours.predict(X), ours.classes_[ours.predict_proba(X).argmax(axis=1)]
    )


def test_seed(wine):
    tree = {"use": "sklearn", "estimator": "ExtraTreeClassifier"}
    first, again = (fitted(*wine, member=tree, random_state=3) for _ in range(2))
    assert first.estimator_.random_state == again.estimator_.random_state is not None


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"views": {}}, "views must name at least one view"),
        ({"views": "data"}, "views is 'data', which an experiment replaces"),
        ({"views": {"a": [99]}}, r"views \['a'\] must give positions of columns of X, got 99"),
        ({"only": []}, "only must name at least one view"),
        ({"only": ["frist"]}, "only must name views, got 'frist'.*'first'"),
        ({"only": "first"}, "only must be a list"),
        ({"scale": 1}, "scale must be true or false"),
    ],
)
def test_wrong_parameters(wine, parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"concatenated: {message}"):
        fitted(*wine, **parameters)


def test_failing_member_is_named(wine):
    X, y = wine
    with pytest.raises(ilk.InputError, match=r"concatenated: member \(LogisticRegression\)"):
        fitted(X, y, member=LogisticRegression(C=-1.0))
    bad = X.copy()
    bad[4, 3] = np.nan
    with pytest.raises(ilk.InputError, match="concatenated: member .*NaN at row 4"):
        fitted(bad, y)
    with pytest.raises(ilk.InputError, match="concatenated: no member takes sample_weight"):
        ilk.classifier("concatenated", member="nearest_mean").fit(
            X, y, sample_weight=np.ones(len(X))
        )
    with pytest.raises(ilk.InputError, match="concatenated: .*features"):
        fitted(X, y).predict(X[:, :6])


@pytest.mark.slow
@parametrize_with_checks([ilk.classifier("concatenated")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
