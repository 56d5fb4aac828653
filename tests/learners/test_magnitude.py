"""Numbers of any magnitude: the results do not depend on the unit, or an error says why."""

import numpy as np
import pytest

import ilk
from cases import in_one_test

pytestmark = pytest.mark.filterwarnings("ignore::ilk_learners.metric_learners.linear.MetricWarning")

MAGNITUDES = [1e-300, 1e-200, 1e-170, 1e-155, 1e-20, 1e20, 1e154, 1e160, 1e200, 1e300]
at_any_magnitude = pytest.mark.parametrize("magnitude", MAGNITUDES)


def power_of_two(magnitude):
    """The nearest one below: multiplying by it rounds nothing."""
    return 2.0 ** np.floor(np.log2(magnitude))


@pytest.fixture
def data():
    rng = np.random.default_rng(7)
    y = np.repeat(["a", "b", "c"], 15)
    means = rng.normal(scale=2, size=(3, 3))
    return rng.normal(size=(45, 3)) + np.repeat(means, 15, axis=0), y


def built(kind, name, parameters):
    return ilk.make(kind, name, **parameters)


@in_one_test
@at_any_magnitude
@pytest.mark.parametrize(
    ("kind", "name", "parameters"),
    [
        ("transformer", "standardize", {}),
        ("transformer", "minmax", {"low": -3, "high": 7}),
        ("metric_learner", "pca", {"whiten": True}),
        ("metric_learner", "pca", {"whiten": True, "n_components": 0.8, "center": False}),
        ("metric_learner", "rca", {}),
        ("metric_learner", "rca", {"shrinkage": 0.1}),
        ("metric_learner", "rca", {"n_components": 2}),
        ("metric_learner", "rca", {"singular": "shrink"}),
    ],
)
def test_scaled_features_do_not_depend_on_the_unit(kind, name, parameters, magnitude, data):
    X, y = data
    if parameters.get("singular"):
        X = np.column_stack([X, X[:, 0]])
    expected = built(kind, name, parameters).fit(X, y).transform(X)
    scaled = X * power_of_two(magnitude)
    got = built(kind, name, parameters).fit(scaled, y).transform(scaled)
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


@at_any_magnitude
def test_pca_and_what_it_explains(magnitude, data):
    X, unit = data[0], power_of_two(magnitude)
    plain, scaled = ilk.transformer("pca").fit(X), ilk.transformer("pca").fit(X * unit)
    np.testing.assert_allclose(scaled.components_, plain.components_, rtol=1e-12)
    np.testing.assert_allclose(scaled.explained_variance_ratio_, plain.explained_variance_ratio_)
    got = scaled.transform(X * unit) / unit
    np.testing.assert_allclose(got, plain.transform(X), rtol=1e-10, atol=1e-12)


@in_one_test
@at_any_magnitude
@pytest.mark.parametrize(
    "parameters", [{}, {"metric": "mahalanobis"}, {"metric": "mahalanobis", "shrinkage": 0.2}]
)
def test_nearest_mean(parameters, magnitude, data):
    X, y = data
    unit = power_of_two(magnitude)
    queries = np.vstack([X, X * 1e-3, X * 50, X[:1]])
    plain = ilk.classifier("nearest_mean", **parameters).fit(X, y)
    scaled = ilk.classifier("nearest_mean", **parameters).fit(X * unit, y)
    assert scaled.predict(queries * unit).tolist() == plain.predict(queries).tolist()
    expected = plain.predict_proba(queries)
    np.testing.assert_allclose(scaled.predict_proba(queries * unit), expected, atol=1e-12)


def test_nearest_mean_of_queries_far_from_the_training_rows():
    model = ilk.classifier("nearest_mean").fit(
        [[-1e-200], [1e-200], [3e-200], [5e-200]], [0, 0, 1, 1]
    )
    assert model.predict([[1e300], [-1e300], [1.9e-200], [2.1e-200]]).tolist() == [0, 0, 0, 1]
    assert np.isfinite(model.predict_proba([[1e300], [1e-190], [0.0]])).all()


@in_one_test
@pytest.mark.parametrize("unit", [1e-170, 1e160])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_decision_values_beyond_any_number_are_refused(unit, n_classes):
    X = np.arange(2.0 * n_classes)[:, None] * unit
    model = ilk.classifier("nearest_mean").fit(X, np.arange(2 * n_classes) // 2)
    with pytest.raises(ilk.InputError, match="nearest_mean: the squared distances of row 0 of X"):
        model.decision_function(X)


@in_one_test
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["standardize", "minmax"])
def test_ranges_beyond_the_largest_number(name, dtype):
    largest = np.finfo(dtype).max
    X = np.array([[0.6], [0.97], [-0.97]], dtype=dtype)
    expected = ilk.transformer(name).fit_transform(X)
    scaler = ilk.transformer(name).fit(X * largest)
    got = scaler.transform(X * largest)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    np.testing.assert_allclose(scaler.inverse_transform(got) / largest, X, rtol=1e-6)


@in_one_test
@pytest.mark.parametrize("magnitude", [1e-320, 1e-200, 1.0, 1e200, 1.7e308])
def test_minmax_to_an_interval_of_any_size(magnitude):
    scaler = ilk.transformer("minmax", low=-magnitude, high=magnitude).fit([[0.0], [8.0]])
    Z = scaler.transform([[0.0], [2.0], [4.0], [8.0]])
    assert Z.ravel() == pytest.approx([-magnitude, -magnitude / 2, 0, magnitude], rel=1e-3)
    assert scaler.inverse_transform(Z).ravel() == pytest.approx([0, 2, 4, 8], rel=1e-3)


@in_one_test
@pytest.mark.parametrize(
    ("name", "train", "query"),
    [
        ("standardize", [[0.0], [1e-300]], [[1e300]]),
        ("minmax", [[0.0], [1e-300]], [[1e300]]),
        ("pca", [[1e307, 1e307], [-1e307, -1e307], [0, 1]], [[1.7e308, 1.7e308]]),
        ("rca", [[0.0], [1e-300], [3e-300], [4e-300]], [[1e300]]),
    ],
)
def test_results_beyond_the_largest_number_are_refused(name, train, query):
    kind = "metric_learner" if name in ("pca", "rca") else "transformer"
    model = ilk.make(kind, name).fit(train, ["a", "a", "b", "b"][: len(train)])
    with pytest.raises(
        ilk.InputError, match=rf"{name}: X, transformed, has (infinity|NaN).* at row 0"
    ):
        model.transform(query)


@in_one_test
@pytest.mark.parametrize(("name", "parameters"), [("pca", {"whiten": True}), ("rca", {})])
@pytest.mark.parametrize(("dtype", "unit"), [(np.float64, 5e-324), (np.float32, 1e-44)])
def test_weights_beyond_the_largest_number_are_refused(name, parameters, dtype, unit):
    X = np.array([[0], [1], [10], [11]], dtype=dtype) * dtype(unit)
    with pytest.raises(ilk.InputError, match=f"{name}: X varies so little that components_"):
        ilk.metric_learner(name, **parameters).fit(X, [0, 0, 1, 1])


@pytest.mark.parametrize("name", ["pca", "rca"])
def test_float32_near_its_largest_number(name):
    X = np.array([[0.0], [1], [10], [11]], dtype=np.float32)
    big = X * np.float32(2.0**124)
    expected = ilk.metric_learner(name).fit(X, [0, 0, 1, 1]).transform(X)
    got = ilk.metric_learner(name).fit(big, [0, 0, 1, 1]).transform(big)
    unit = 2.0**124 if name == "pca" else 1
    np.testing.assert_allclose(got / unit, expected, rtol=1e-6)
    distances = ilk.distance("learned", learner=name).fit(big, [0, 0, 1, 1]).pairwise(big)
    assert np.isfinite(distances).all()
    assert (distances[0, 1:] > 0).all()


@in_one_test
@pytest.mark.parametrize("magnitude", [5e-324, 1e-200, 1e200, 1.7e308])
@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
@pytest.mark.parametrize("sign", [1, -1])
def test_impute(strategy, magnitude, sign):
    value = sign * magnitude
    X = np.array([[value], [value], [np.nan]])
    assert ilk.transformer("impute", numeric=strategy).fit_transform(X)[2, 0] == value


@pytest.mark.parametrize("strategy", ["mean", "median"])
def test_impute_float32_near_its_largest_number(strategy):
    X = np.array([[3e38], [3e38], [np.nan]], dtype=np.float32)
    filled = ilk.transformer("impute", numeric=strategy).fit_transform(X)
    assert filled.dtype == np.float32
    assert filled[2, 0] == np.float32(3e38)


@in_one_test
@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("minmax", "low"),
        ("minmax", "high"),
        ("impute", "fill_number"),
        ("ordinal", "unseen"),
        ("ordinal", "missing"),
    ],
)
def test_parameters_must_be_finite(name, parameter, value):
    with pytest.raises(
        ilk.ParameterError, match=f"{name}: {parameter} must be finite, got {value}"
    ):
        ilk.transformer(name, **{parameter: value})
