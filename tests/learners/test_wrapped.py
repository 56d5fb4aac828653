"""The classifier, regressor, detector and clusterer called sklearn."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.covariance import EllipticEnvelope
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

import ilk
from cases import in_one_test


def wrapped(estimator, params=None, **keywords):
    return ilk.classifier("sklearn", estimator=estimator, params=params, **keywords)


@pytest.mark.parametrize(
    ("theirs", "params"),
    [
        (GaussianNB(), None),
        (SVC(C=3, kernel="linear"), {"C": 3, "kernel": "linear"}),
        (RandomForestClassifier(7, random_state=4), {"n_estimators": 7}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_does_what_the_class_does(blobs, theirs, params):
    X, y, Q = blobs
    ours = wrapped(type(theirs).__name__, params, random_state=4).fit(X, y)
    theirs.fit(X, y)
    assert np.array_equal(ours.predict(Q), theirs.predict(Q))
    assert ours.classes_.tolist() == [-1, 2, 7]
    for method in ("predict_proba", "decision_function"):
        assert hasattr(ours, method) == hasattr(theirs, method)
        if hasattr(theirs, method):
            assert np.array_equal(getattr(ours, method)(Q), getattr(theirs, method)(Q))


@pytest.mark.parametrize(
    ("theirs", "params"),
    [
        (Ridge(alpha=2.0), {"alpha": 2.0}),
        (RandomForestRegressor(7, random_state=4), {"n_estimators": 7}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_regressors_do_what_the_class_does(blobs, theirs, params):
    X, _, Q = blobs
    y, weights = X @ np.arange(1, X.shape[1] + 1), np.arange(len(X)) % 3
    ours = ilk.regressor(
        "sklearn", estimator=type(theirs).__name__, params=params, random_state=4
    ).fit(X, y, sample_weight=weights)
    assert np.array_equal(ours.predict(Q), theirs.fit(X, y, weights).predict(Q))


@pytest.mark.parametrize(
    ("theirs", "params"),
    [
        (IsolationForest(n_estimators=7, random_state=4), {"n_estimators": 7}),
        (LocalOutlierFactor(5, novelty=True), {"n_neighbors": 5}),
        (EllipticEnvelope(random_state=4), None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_detectors_do_what_the_class_does(blobs, theirs, params):
    X, _, Q = blobs
    name = type(theirs).__name__
    ours = ilk.detector("sklearn", estimator=name, params=params, random_state=4).fit(X)
    theirs.fit(X)
    assert np.array_equal(ours.predict(Q), theirs.predict(Q))
    assert np.array_equal(ours.decision_function(Q), theirs.decision_function(Q))
    assert np.array_equal(ours.score_samples(Q) - ours.offset_, theirs.decision_function(Q))


@pytest.mark.parametrize(
    ("theirs", "params"),
    [
        (KMeans(4, random_state=4), {"n_clusters": 4}),
        (AgglomerativeClustering(3, linkage="average"), {"n_clusters": 3, "linkage": "average"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_clusterers_do_what_the_class_does(blobs, theirs, params):
    X, _, Q = blobs
    name = type(theirs).__name__
    ours = ilk.clusterer("sklearn", estimator=name, params=params, random_state=4)
    assert hasattr(ours, "predict") == hasattr(theirs, "predict")
    assert np.array_equal(ours.fit_predict(X), theirs.fit(X).labels_)
    if hasattr(theirs, "predict"):
        assert np.array_equal(ours.predict(Q), theirs.predict(Q))


@pytest.mark.parametrize(
    ("kind", "estimator", "params", "message"),
    [
        ("detector", "IsolationForst", None, "detector .* did you mean 'IsolationForest'"),
        ("detector", "LocalOutlierFactor", {"novelty": False}, "has novelty = False, .* leave it"),
        ("detector", "KMeans", None, "must be the name of a detector"),
        ("clusterer", "KMean", {}, "did you mean 'KMeans'"),
        ("clusterer", "FeatureAgglomeration", None, "must be the name of a clusterer"),
        (
            "clusterer",
            "DBSCAN",
            {"epss": 1},
            "has 'epss', which DBSCAN has not; did you mean 'eps'",
        ),
        ("clusterer", "DBSCAN", {"eps": -1}, "params cannot be taken"),
    ],
)
def test_mistakes_in_detectors_and_clusterers(kind, estimator, params, message):
    table = {"use": "sklearn", "estimator": estimator, "params": params}
    with pytest.raises(ilk.IlkError, match=message):
        ilk.build(table, kind=kind).check_parameters()


def test_each_kind_finds_its_own_classes():
    with pytest.raises(ilk.ParameterError, match="name of a regressor .* got 'LogisticRegression'"):
        ilk.regressor("sklearn", estimator="LogisticRegression").check_parameters()
    with pytest.raises(ilk.ParameterError, match="name of a classifier .* got 'Ridge'"):
        wrapped("Ridge").check_parameters()


def test_methods_are_known_before_fitting():
    assert not hasattr(wrapped("Perceptron"), "predict_proba")
    assert hasattr(wrapped("Perceptron"), "decision_function")
    assert hasattr(wrapped("GaussianNB"), "predict_proba")


@pytest.mark.filterwarnings("ignore:Class .* is deprecated:FutureWarning")
def test_every_classifier_of_scikit_learn_is_found():
    needing = {  # others to work with
        "ClassifierChain",
        "FixedThresholdClassifier",
        "MultiOutputClassifier",
        "OneVsOneClassifier",
        "OneVsRestClassifier",
        "OutputCodeClassifier",
        "SelfTrainingClassifier",
        "StackingClassifier",
        "TunedThresholdClassifierCV",
        "VotingClassifier",
    }
    for name, cls in all_estimators(type_filter="classifier"):
        if name in needing:
            with pytest.raises(ilk.ParameterError, match="params .*estimator"):
                wrapped(name)
        else:
            assert isinstance(wrapped(name)._make(), cls)


def test_meta_estimator_from_python(blobs):
    X, y, Q = blobs
    inner = GaussianNB()
    model = wrapped("OneVsRestClassifier", {"estimator": inner}).fit(X, y)
    assert model.predict(Q).shape == (30,)
    assert not hasattr(inner, "classes_")  # a clone was fitted


@in_one_test
@pytest.mark.parametrize(
    ("estimator", "params", "message"),
    [
        ("LogisticRegresion", None, "estimator must be.*did you mean 'LogisticRegression'"),
        ("sklearn.svm.SVC", None, "estimator must be the name of a classifier"),
        ("os", None, "estimator must be"),
        ("LinearRegression", None, "estimator must be"),
        ("ClassifierMixin", None, "estimator must be"),
        ("SVC", {"c": 1}, "params has 'c', which SVC has not; did you mean 'C'"),
        ("SVC", {"C": -1}, "params cannot be taken: The 'C' parameter of SVC must be"),
        ("SVC", {"kernel": "rbfx"}, "'kernel' parameter of SVC.*'rbfx'"),
        ("VotingClassifier", None, "params must give estimators"),
        ("SVC", 3, "params must be a table"),
    ],
)
def test_mistakes_are_found_without_fitting(estimator, params, message):
    with pytest.raises(ilk.ParameterError, match=message):
        wrapped(estimator, params)


def test_mistakes_in_a_spec():
    table = {"use": "sklearn", "estimator": "SVC", "params": {"gama": 1}}
    with pytest.raises(ilk.SpecError, match="did you mean 'gamma'"):
        ilk.resolve(table, kind="classifier")


def test_seed_reaches_the_estimator():
    forest = wrapped("RandomForestClassifier")
    assert forest._make().random_state is None
    ilk.seeded(forest, 3)
    assert forest._make().random_state == forest.random_state is not None
    assert wrapped("SVC", {"random_state": 5}, random_state=1)._make().random_state == 5
    assert "random_state" not in wrapped("GaussianNB", random_state=1)._make().get_params()


def test_sample_weight(blobs):
    X, y, Q = blobs
    weights = np.where(y == 7, 0.01, 1.0)
    ours = wrapped("GaussianNB").fit(X, y, sample_weight=weights)
    theirs = GaussianNB().fit(X, y, sample_weight=weights)
    assert np.array_equal(ours.predict_proba(Q), theirs.predict_proba(Q))
    with pytest.raises(ilk.InputError, match="KNeighborsClassifier accepts none"):
        wrapped("KNeighborsClassifier").fit(X, y, sample_weight=weights)
    with pytest.raises(ilk.InputError, match="sample_weight has 3 values for the 120 rows"):
        wrapped("GaussianNB").fit(X, y, sample_weight=[1, 1, 1])


def test_missing_values_where_they_are_taken(blobs):
    X, y, _ = blobs
    X[0, 0] = np.nan
    assert wrapped("DecisionTreeClassifier").fit(X, y).predict(X).shape == y.shape
    with pytest.raises(ilk.InputError, match="NaN at row 0, column 0"):
        wrapped("GaussianNB").fit(X, y)


def test_nominal_columns():
    frame = pd.DataFrame({"a": [1.0, 2.0] * 20, "c": pd.Categorical(["u", "v"] * 20)})
    y = np.array(["no", "yes"] * 20)
    params = {"categorical_features": "from_dtype", "min_samples_leaf": 1}
    ours = wrapped("HistGradientBoostingClassifier", params, random_state=0).fit(frame, y)
    theirs = HistGradientBoostingClassifier(random_state=0, **params).fit(frame, y)
    assert np.array_equal(ours.predict_proba(frame), theirs.predict_proba(frame))
    with pytest.raises(ilk.InputError, match="nominal columns"):
        wrapped("GaussianNB").fit(frame, y)


def test_clone_and_spec(blobs):
    model = wrapped("SVC", {"C": 2.0})
    spec = {"use": "sklearn", "estimator": "SVC", "params": {"C": 2.0}}
    assert ilk.to_spec(clone(model)) == spec
    assert ilk.to_spec(ilk.build(spec, kind="classifier")) == spec


@in_one_test
@pytest.mark.parametrize(
    "weights",
    [[np.nan] * 6, [np.inf] * 6, [-1.0] * 6, [0] * 6, ["a"] * 6, [[1]] * 6, [1] * 5, "abc"],
    ids=str,
)
@pytest.mark.parametrize("inside", [False, True])
def test_bad_sample_weights_are_named(weights, inside):
    model = wrapped("DecisionTreeClassifier")
    if inside:
        model = ilk.Pipeline([{"transformer": "minmax"}, model])
    with pytest.raises(ilk.InputError, match="sample_weight"):
        model.fit(np.arange(6.0)[:, None], [0, 1] * 3, sample_weight=weights)


@in_one_test
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "estimator",
    ["DecisionTreeClassifier", "RandomForestClassifier", "SVC", "LinearDiscriminantAnalysis"],
)
def test_data_that_a_classifier_refuses(estimator):
    X = np.arange(12.0).reshape(6, 2) * 1e200
    with pytest.raises(ilk.InputError, match=f"sklearn: {estimator}: ") as caught:
        wrapped(estimator).fit(X, [0, 1] * 3)
    assert caught.value.__cause__ is not None


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_queries_that_a_classifier_refuses(method):
    model = wrapped("DecisionTreeClassifier").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ilk.InputError, match="sklearn: DecisionTreeClassifier: .*too large"):
        getattr(model, method)([[1e200]])


@in_one_test
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("estimator", "method", "size"),
    [
        ("GaussianNB", "predict_proba", 1e200),
        ("LogisticRegression", "predict_proba", 1.7e308),
        ("LogisticRegression", "decision_function", 1.7e308),
        ("Perceptron", "decision_function", 1.7e308),
    ],
)
def test_values_that_are_not_finite_are_refused(estimator, method, size):
    X = np.arange(30.0).reshape(15, 2)
    model = wrapped(estimator).fit(X, np.arange(15) // 5)
    message = rf"sklearn: {estimator}.{method}\(X\) has (NaN|infinity)"
    with pytest.raises(ilk.InputError, match=message):
        getattr(model, method)([[size, size]])


@pytest.mark.parametrize("estimator", ["DecisionTreeClassifier", "RandomForestClassifier"])
def test_generators_are_seeds(estimator):
    X, y = np.arange(20.0)[:, None] % 7, [0, 1] * 10
    predictions = [
        wrapped(estimator, random_state=np.random.default_rng(3)).fit(X, y).predict_proba(X)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*predictions)


def test_leaves_are_those_of_the_classifier():
    """Where it is made of trees; others have no `apply`."""
    X, y = ilk.dataset("iris").load().Xy
    params = {"n_estimators": 5, "max_depth": 2, "random_state": 0}
    wrapped = ilk.classifier("sklearn", estimator="RandomForestClassifier", params=params).fit(X, y)
    np.testing.assert_array_equal(wrapped.apply(X), wrapped.estimator_.apply(X))
    distance = ilk.distance("forest", forest=wrapped).fit(X, y)
    same = (wrapped.apply(X[:1]) == wrapped.apply(X)).mean(axis=1)
    np.testing.assert_allclose(distance.pairwise(X[:1], X)[0], 1 - same)
    assert not hasattr(ilk.classifier("sklearn", estimator="GaussianNB"), "apply")


def test_a_seed_reaches_estimators_within_params():
    X, y = np.random.default_rng(0).normal(size=(60, 4)), np.arange(60) % 2
    tree = DecisionTreeClassifier(splitter="random", max_depth=2)
    vote = {"estimators": [("a", tree), ("b", tree)], "voting": "soft"}

    def answers(seed):
        model = ilk.classifier(
            "sklearn", estimator="VotingClassifier", params=vote, random_state=seed
        )
        return model.fit(X, y).predict_proba(X)

    assert np.array_equal(answers(0), answers(0))
    assert not np.array_equal(answers(0), answers(1))
