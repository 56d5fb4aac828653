"""standardize and minmax."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import ilk
from cases import in_one_test

BOTH = pytest.mark.parametrize("name", ["standardize", "minmax"])
TABLES = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 4)),
    elements=st.floats(-1e6, 1e6, allow_subnormal=False),
)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(3, [1, 20, 0.01], size=(40, 3))


def test_standardize_worked():
    scaler = ilk.transformer("standardize").fit([[2.0, 1.0], [4.0, 1.0], [6.0, 1.0]])
    assert scaler.mean_.tolist() == [4, 1]
    assert scaler.scale_ == pytest.approx([np.sqrt(8 / 3), 1])
    assert scaler.transform([[8.0, 3.0]])[0] == pytest.approx([4 / np.sqrt(8 / 3), 2])


def test_minmax_worked():
    scaler = ilk.transformer("minmax", low=-1, high=1).fit([[0.0], [10.0]])
    assert scaler.transform([[0.0], [2.5], [10.0], [20.0]]).ravel().tolist() == [-1, -0.5, 1, 3]
    clipping = ilk.transformer("minmax", clip=True).fit([[0.0], [10.0]])
    assert clipping.transform([[-5.0], [20.0]]).ravel().tolist() == [0, 1]


@given(TABLES)
def test_standardize_properties(X):
    Z = ilk.transformer("standardize").fit_transform(X)
    constant = np.ptp(X, axis=0) == 0
    assert np.isfinite(Z).all()
    assert not Z[:, constant].any()
    spread = X.std(axis=0) > 1e-6 * np.abs(X).max(axis=0)  # else rounding is the larger part
    assert np.allclose(Z[:, spread].mean(axis=0), 0, atol=1e-6)
    assert np.allclose(Z[:, spread].std(axis=0), 1, atol=1e-6)


@given(TABLES)
def test_minmax_properties(X):
    Z = ilk.transformer("minmax").fit_transform(X)
    constant = np.ptp(X, axis=0) == 0
    assert not Z[:, constant].any()
    assert (Z >= 0).all()
    assert (Z <= 1).all()
    assert (Z[:, ~constant].min(axis=0) == 0).all()
    assert (Z[:, ~constant].max(axis=0) == 1).all()


@in_one_test
@pytest.mark.parametrize("value", [0.1, 1e-9, -7.3e8])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@BOTH
def test_constant_feature_becomes_exactly_zero(name, dtype, value):
    X = np.full((7, 1), value, dtype=dtype)
    assert not ilk.transformer(name).fit_transform(X).any()


@in_one_test
@pytest.mark.parametrize("with_mean", [True, False])
@pytest.mark.parametrize("with_std", [True, False])
def test_standardize_agrees_with_sklearn(X, with_mean, with_std):
    ours = ilk.transformer("standardize", with_mean=with_mean, with_std=with_std)
    theirs = StandardScaler(with_mean=with_mean, with_std=with_std)
    assert np.allclose(ours.fit_transform(X), theirs.fit_transform(X), rtol=1e-12)


def test_minmax_agrees_with_sklearn(X):
    theirs = MinMaxScaler((-2, 5)).fit_transform(X)
    assert np.allclose(ilk.transformer("minmax", low=-2, high=5).fit_transform(X), theirs)


@BOTH
def test_inverse(name, X):
    scaler = ilk.transformer(name).fit(X)
    assert np.allclose(scaler.inverse_transform(scaler.transform(X)), X)


@BOTH
def test_keeps_float32_and_takes_any_layout(name, X):
    scaler = ilk.transformer(name)
    assert scaler.fit_transform(X.astype(np.float32)).dtype == np.float32
    expected = scaler.fit_transform(X[::2])
    X.setflags(write=False)
    assert np.array_equal(scaler.fit_transform(X[::2]), expected)
    assert np.allclose(scaler.fit_transform(np.asfortranarray(X[::2])), expected)


@BOTH
def test_frame_gives_array_and_names(name):
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, 0.7]}, index=[5, 9])
    scaler = ilk.transformer(name).fit(frame)
    assert isinstance(scaler.transform(frame), np.ndarray)
    assert scaler.get_feature_names_out().tolist() == ["a", "b"]
    with_names = scaler.set_output(transform="pandas").transform(frame)
    assert with_names.index.tolist() == [5, 9]


@BOTH
def test_nominal_columns_are_refused_with_advice(name):
    frame = pd.DataFrame({"a": [1, 2], "color": ["red", "blue"]})
    with pytest.raises(ilk.InputError, match="color.*one_hot or ordinal.*heterogeneous"):
        ilk.transformer(name).fit(frame)


@in_one_test
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@BOTH
def test_cells_that_are_not_finite_are_named(name, bad):
    with pytest.raises(ilk.InputError, match=f"{name}: X has .* at row 1, column 0"):
        ilk.transformer(name).fit([[1.0, 2.0], [bad, 3.0]])


def test_minmax_interval_must_not_be_empty():
    with pytest.raises(ilk.ParameterError, match="low must be below high"):
        ilk.transformer("minmax", low=1.0)


@in_one_test
@pytest.mark.parametrize("magnitude", [5e-324, 1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_standardize_at_any_magnitude(magnitude):
    X = np.array([[3.0], [1.0], [1.0], [3.0]]) * magnitude
    Z = ilk.transformer("standardize").fit_transform(X)
    expected = [1, -1, -1, 1]
    assert np.allclose(Z[:, 0], expected)
