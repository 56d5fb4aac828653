"""Pipelines: steps of any kind, and life among scikit-learn's tools."""

import numpy as np
import pandas as pd
import pytest
from imblearn.under_sampling import EditedNearestNeighbours
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ilk
from cases import in_one_test


@pytest.fixture
def iris():
    return ilk.dataset("iris").load().Xy


STEPS = [{"transformer": "centre"}, {"editor": "every_other"}, {"classifier": "nearest"}]


def test_editors_choose_only_while_fitting(blobs):
    X, y = blobs
    pipeline = ilk.Pipeline(STEPS).fit(X, y)
    assert len(pipeline["classifier"].X_) == 20
    assert len(pipeline.predict(X)) == 40
    assert pipeline.reduction_ == 0.5
    assert pipeline.score(X, y) == 1.0


def test_reduction_is_the_share_that_no_editor_kept(blobs):
    X, y = blobs
    assert ilk.Pipeline([STEPS[0], STEPS[2]]).fit(X, y).reduction_ == 0
    twice = [STEPS[1], {"transformer": "centre"}, STEPS[1], STEPS[2]]
    assert ilk.Pipeline(twice).fit(X, y).reduction_ == 0.75


def test_an_editor_that_leaves_nothing_is_named():
    steps = [{"editor": {"use": "enn", "k": 1}}, {"classifier": "knn"}]
    with pytest.raises(ilk.InputError, match="pipeline: the step editor left none of 2 cases"):
        ilk.Pipeline(steps).fit([[0.0], [1.0]], [0, 1])


def test_each_step_sees_what_the_steps_before_made(blobs):
    X, y = blobs
    pipeline = ilk.Pipeline(STEPS).fit(X, y)
    assert np.allclose(pipeline["classifier"].X_, (X - X.mean(axis=0))[::2])


def test_weights_go_to_those_that_take_them_and_through_editors(blobs):
    X, y = blobs
    weights = np.arange(1.0, 41.0)
    pipeline = ilk.Pipeline(STEPS).fit(X, y, sample_weight=weights)
    assert np.array_equal(pipeline["classifier"].sample_weight_, weights[::2])


def test_rows_of_weight_0_are_dropped_before_the_first_step(blobs):
    X, y = blobs
    weights = np.arange(40) % 3 * 1.0
    rows = np.flatnonzero(weights)
    spoiled = np.where(weights[:, None] == 0, 1e6, X)
    pipeline = ilk.Pipeline(STEPS).fit(spoiled, y, sample_weight=weights)
    expected = ilk.Pipeline(STEPS).fit(X[rows], y[rows], sample_weight=weights[rows])
    assert np.array_equal(pipeline["classifier"].X_, expected["classifier"].X_)
    assert np.array_equal(pipeline.predict(X), expected.predict(X))
    near = ilk.Pipeline([{"editor": "every_other"}, {"classifier": {"use": "knn", "k": 1}}])
    kept = rows[::2]
    numbers = near.fit(X, y, sample_weight=weights).nearest_cases(X[kept])[1]
    assert numbers[:, 0].tolist() == kept.tolist()


@pytest.mark.parametrize("bad", [np.zeros(40), -np.ones(40), np.full(40, np.nan), ["x"] * 40])
def test_bad_weights_name_the_pipeline(blobs, bad):
    with pytest.raises(ilk.InputError, match="pipeline: sample_weight must"):
        ilk.Pipeline(STEPS).fit(*blobs, sample_weight=bad)


def test_weights_are_not_ignored_without_a_word(blobs):
    X, y = blobs
    with pytest.raises(ilk.InputError, match="none of the steps .transformer, classifier"):
        ilk.Pipeline([STEPS[0], {"classifier": "panel"}]).fit(X, y, sample_weight=np.ones(40))
    with pytest.raises(ilk.InputError, match="sample_weight has 3 values for the 40 rows"):
        ilk.Pipeline(STEPS).fit(X, y, sample_weight=np.ones(3))


def test_names_tables_instances_and_bare_components_mean_the_same(blobs, toys):
    forms = [
        STEPS,
        [{kind: {"use": name}} for step in STEPS for kind, name in step.items()],
        [toys["centre"](), toys["every_other"](), toys["nearest"]()],
    ]
    written = [ilk.to_spec(ilk.Pipeline(form)) for form in forms]
    assert written[0] == written[1] == written[2]
    predictions = [ilk.Pipeline(form).fit(*blobs).predict(blobs[0]) for form in forms]
    assert np.array_equal(predictions[0], predictions[2])


def test_agrees_with_scikit_learn(blobs):
    X, y = blobs
    ours = ilk.Pipeline([StandardScaler(), LogisticRegression()])
    theirs = make_pipeline(StandardScaler(), LogisticRegression())
    assert np.array_equal(cross_val_score(ours, X, y), cross_val_score(theirs, X, y))
    assert np.allclose(ours.fit(X, y).predict_proba(X), theirs.fit(X, y).predict_proba(X))
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X))


def test_inside_scikit_learn(blobs):
    X, y = blobs
    pipeline = ilk.Pipeline(STEPS)
    assert cross_validate(pipeline, X, y, cv=3)["test_score"].mean() == 1.0
    grid = {"classifier__distance__p": [1, 2], "transformer__scale": [1.0, 2.0]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, y)
    assert set(search.best_params_) == set(grid)
    assert pipeline.steps is STEPS
    nested = make_pipeline(StandardScaler(), clone(pipeline))
    assert nested.fit(X, y).score(X, y) == 1.0


def test_steps_are_named_for_their_kinds(blobs):
    pipeline = ilk.Pipeline([{"transformer": "centre"}, {"transformer": "centre"}, STEPS[-1]])
    assert list(pipeline.fit(*blobs).named_steps) == ["transformer1", "transformer2", "classifier"]
    pipeline.set_params(transformer2__scale=3.0, classifier="panel")
    assert pipeline.get_params()["transformer2__scale"] == 3.0
    assert pipeline.get_params()["classifier"] == "panel"
    with pytest.raises(ilk.ParameterError, match="'transformer1'|steps are: transformer1"):
        pipeline.set_params(transformer__scale=2.0)


def test_a_slice_is_a_pipeline_of_the_same_steps(blobs):
    X, y = blobs
    pipeline = ilk.Pipeline([{"transformer": "centre"}, STEPS[0], STEPS[-1]])
    assert list(pipeline[:-1]) == list(pipeline)[:-1]
    assert not hasattr(pipeline[:-1], "steps_")
    before = pipeline.fit(X, y)[:-1]
    assert before[-1] is pipeline[1]
    np.testing.assert_array_equal(pipeline[2].predict(before.transform(X)), pipeline.predict(X))


@in_one_test
@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], "must have at least one step"),
        ([{"classifier": "nearest"}, {"transformer": "centre"}], r"\[0\] must be the last step"),
        ([{"transformer": "centre"}, {"editor": "every_other"}], r"\[1\] must not be an editor"),
        ([{"distance": "power"}], "kind that can be a step.*got 'distance'"),
        ([{"clasifier": "nearest"}], "did you mean 'classifier'"),
        ([{"classifier": "nearest", "editor": "every_other"}], "one key, its kind"),
        ([{"classifier": 3}], r"\[0\] must be a classifier"),
        (["nearest"], r"\[0\] must be a table"),
        ("nearest", "must be a list"),
        (
            [StandardScaler, {"classifier": "nearest"}],
            r"\[0\].* as StandardScaler\(\); got the class",
        ),
        ([LogisticRegression], r"\[0\].* as LogisticRegression\(\); got the class"),
        ([{"transformer": StandardScaler}], r"\[0\] must be a transformer"),
        ([{"transformer": "nearest"}], "there is no transformer 'nearest'; 'nearest' is a class"),
    ],
)
def test_wrong_steps(steps, said, blobs):
    with pytest.raises(ilk.ParameterError, match=f"pipeline: steps.*{said}"):
        ilk.Pipeline(steps).fit(*blobs)


def test_a_component_of_another_kind_is_no_step(blobs):
    with pytest.raises(ilk.ParameterError, match="can be a step, got Power"):
        ilk.Pipeline([ilk.distance("power")]).fit(*blobs)


def test_what_the_last_step_lacks_the_pipeline_lacks(blobs):
    pipeline = ilk.Pipeline(STEPS)
    assert not hasattr(pipeline, "predict_proba")
    assert not hasattr(pipeline, "transform")
    assert hasattr(ilk.Pipeline([LogisticRegression()]), "predict_proba")
    assert hasattr(ilk.Pipeline([{"transformer": "centre"}]), "transform")


def test_transforming_pipelines(blobs):
    X, _ = blobs
    pipeline = ilk.Pipeline([{"transformer": "centre"}, {"transformer": "centre"}]).fit(X)
    assert np.allclose(pipeline.transform(X).mean(axis=0), 0)
    assert list(pipeline.get_feature_names_out()) == ["centred0", "centred1"]


def test_it_is_what_its_last_step_is(blobs):
    assert is_classifier(ilk.Pipeline(STEPS))
    regression = ilk.Pipeline([{"regressor": LinearRegression()}])
    assert is_regressor(regression)
    X, _ = blobs
    assert regression.fit(X, X[:, 0]).score(X, X[:, 0]) == pytest.approx(1.0)


def test_foreign_editors(blobs):
    X, y = blobs
    pipeline = ilk.Pipeline([{"editor": EditedNearestNeighbours()}, {"classifier": "nearest"}])
    assert len(pipeline.fit(X, y)["classifier"].X_) <= 40


def test_data_frames_and_lists_pass_through(blobs):
    X, y = blobs
    frame = pd.DataFrame(X, columns=["u", "v"])
    pipeline = ilk.Pipeline([STEPS[1], STEPS[2]]).fit(frame, y)
    assert list(pipeline["classifier"].feature_names_in_) == ["u", "v"]
    assert pipeline.n_features_in_ == 2
    listed = ilk.Pipeline([STEPS[1], STEPS[2]]).fit(X.tolist(), y.tolist())
    assert np.array_equal(listed.predict(X.tolist()), pipeline.predict(frame))


def test_unfitted():
    with pytest.raises(Exception, match="not fitted"):
        ilk.Pipeline(STEPS).predict([[0, 0]])


def test_the_classes_are_those_of_the_last_step(blobs):
    assert list(ilk.Pipeline(STEPS).fit(*blobs).classes_) == ["a", "b"]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"classifer": "knn"}, "got 'classifer'; did you mean 'classifier'"),
        ({"classifier": "knm"}, "there is no classifier 'knm'; did you mean 'knn'"),
        ({"classifier": {"use": "knn", "kk": 3}}, "has no parameter 'kk'; did you mean 'k'"),
        ({"classifier": {"use": "knn", "k": 0}}, "k: must be an integer >= 1, got 0"),
        ({"classifier": {"use": "knn", "distance": {"use": "minkovski"}}}, "mean 'minkowski'"),
    ],
)
def test_a_typing_error_is_refused_where_it_is_made(step, message):
    with pytest.raises(ilk.ParameterError, match=message):
        ilk.Pipeline([step])


def test_a_wrong_step_set_later_tells_its_own_message_within_scikit_learn(iris):
    X, y = iris
    pipeline = ilk.Pipeline([{"classifier": "knn"}])
    pipeline.steps = [{"classifier": {"use": "knn", "kk": 1}}]
    with pytest.raises(ilk.ParameterError, match="no parameter 'kk'"):
        cross_val_score(pipeline, X, y, error_score="raise")
    search = GridSearchCV(ilk.Pipeline([{"classifier": "knn"}]), {"classifier__kk": [1]})
    with pytest.raises(ilk.ParameterError, match="knn has no parameter 'kk'; did you mean 'k'"):
        search.fit(X, y)


def test_the_part_before_the_predictor_is_a_pipeline_before_and_after_fit(iris):
    X, y = iris
    pipeline = ilk.Pipeline([{"transformer": "standardize"}, {"classifier": "knn"}])
    first = pipeline[:-1].fit(X, y).transform(X)
    assert np.array_equal(pipeline.fit(X, y)[:-1].transform(X), first)


def test_names_of_columns_are_those_of_the_first_step(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    pipeline = ilk.Pipeline([{"transformer": "standardize"}, {"classifier": "knn"}])
    assert pipeline.fit(frame, y).feature_names_in_.tolist() == list("abcd")
    assert not hasattr(pipeline.fit(X, y), "feature_names_in_")
    with pytest.raises(ilk.InputError, match="feature names should match"):
        pipeline.fit(frame, y).predict(frame[list("bacd")])


def test_a_method_that_lacks_a_parameter_names_it(iris):
    pipeline = ilk.Pipeline([{"classifier": "svm"}]).fit(*iris)
    assert not hasattr(pipeline, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba needs probability=True, got False"):
        pipeline.predict_proba(iris[0])


def test_pairs_and_functions_are_steps(iris):
    X, y = iris
    pipeline = ilk.Pipeline([np.log1p, ("k", ilk.classifier("knn", k=1))])
    pipeline.set_params(transformer__func=np.sqrt, classifier__k=3).fit(X, y)
    plain = ilk.classifier("knn", k=3).fit(np.sqrt(X), y)
    assert np.array_equal(pipeline.predict_proba(X), plain.predict_proba(np.sqrt(X)))


def test_a_function_is_a_distance_wherever_one_is_taken(iris):
    def manhattan(a, b):
        return float(np.abs(a - b).sum())

    X, y = iris[0][::5], iris[1][::5]
    expected = ilk.classifier("knn", distance="manhattan").fit(X, y).predict_proba(X)
    for spec in ({"use": "knn", "distance": manhattan}, ilk.classifier("knn", distance=manhattan)):
        built = ilk.build(spec, kind="classifier") if isinstance(spec, dict) else spec
        assert np.array_equal(built.fit(X, y).predict_proba(X), expected)
    assert np.array_equal(
        ilk.nearest(X, 3, distance=manhattan)[1], ilk.nearest(X, 3, distance="manhattan")[1]
    )
    with pytest.raises(ilk.SpecError, match="a function cannot be written to a spec"):
        ilk.to_spec(ilk.classifier("knn", distance=manhattan))
    with pytest.raises(ilk.ParameterError, match=r"members \[0\] must be a classifier"):
        ilk.classifier("voting", members=[manhattan]).fit(X, y)


class Doubled(type(ilk.transformer("standardize"))):
    """Changes one method of a class that fits and transforms with one check."""

    def transform(self, X):
        return 2 * super().transform(X)


def test_steps_are_fitted_on_what_a_subclass_transforms():
    X, y = np.array([[0.0], [1.0], [5.0]]), ["a", "b", "a"]
    pipeline = ilk.Pipeline([Doubled(), {"classifier": {"use": "knn", "k": 1}}]).fit(X, y)
    near, _ = pipeline[1].kneighbors(pipeline[0].transform(X), 1)
    assert not near.any()


def test_late_parameters_of_a_table_an_unfitted_and_another_component(iris):
    X, y = iris
    three, one = (ilk.Pipeline([{"classifier": {"use": "knn", "k": k}}]) for k in (3, 1))
    expected = one.fit(X, y).predict_proba(X)
    assert np.array_equal(three.fit(X, y).with_late(one).predict_proba(X), expected)
    with pytest.raises(NotFittedError):
        ilk.Pipeline().with_late(one)
    for other in (ilk.Pipeline([{"classifier": "lda"}]), ilk.classifier("lda")):
        with pytest.raises(ilk.ParameterError, match="other must be a "):
            three.with_late(other)


def test_a_fit_forgets_what_earlier_steps_made_of_queries(iris):
    (X, y), Q = iris, np.array(iris[0][::7])
    steps = [{"transformer": "standardize"}, {"classifier": {"use": "knn", "k": 1}}]
    rows = np.r_[50:100, 0:50]
    expected = ilk.Pipeline(steps).fit(X[:100], y[rows]).predict(Q)
    expecting, finished = ilk.Pipeline(steps).fit(X, y), ilk.Pipeline(steps)
    expecting.expect(Q)
    finished.finish(finished.advance(ilk.Carried(X, y, Q), 1), Q)
    for pipeline in (expecting, finished):
        pipeline.predict(Q)
        assert np.array_equal(pipeline.fit(X[:100], y[rows]).predict(Q), expected)
