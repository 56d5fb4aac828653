"""impute."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.impute import KNNImputer, SimpleImputer

import ilk
from cases import in_one_test

STRATEGIES = pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "age": [20.0, np.nan, 40.0, 20.0],
            "weight": np.array([1.5, 2.5, np.nan, 9.5], dtype=np.float32),
            "visits": pd.array([1, None, 4, 2], dtype="Int64"),
            "sex": ["f", None, "m", "f"],
            "grade": pd.Categorical(["c", "b", None, None], categories=["c", "b", "a"]),
            "count": [1, 2, 3, 4],
        },
        index=list("pqrs"),
    )


def test_worked(frame):
    imputer = ilk.transformer("impute").fit(frame)
    filled = imputer.transform(frame)
    assert imputer.statistics_ == pytest.approx([80 / 3, 4.5, 7 / 3, "f", "c", 2.5])
    assert filled.index.tolist() == list("pqrs")
    assert filled.columns.tolist() == frame.columns.tolist()
    assert filled["weight"].tolist() == [1.5, 2.5, 4.5, 9.5]
    assert filled["sex"].tolist() == ["f", "f", "m", "f"]
    assert filled["grade"].tolist() == ["c", "b", "c", "c"]
    assert not filled.isna().any(axis=None)


def test_dtypes_and_categories_are_kept(frame):
    filled = ilk.transformer("impute", numeric="median").fit_transform(frame)
    assert filled.dtypes.tolist() == frame.dtypes.tolist()
    assert filled["grade"].cat.categories.tolist() == ["c", "b", "a"]
    assert frame.isna().sum().sum() == 6  # the input is as it was


def test_constants(frame):
    imputer = ilk.transformer(
        "impute", numeric="constant", nominal="constant", fill_number=-1, fill_category="none"
    )
    filled = imputer.fit_transform(frame)
    assert filled.iloc[1, [0, 2, 3]].tolist() == [-1, -1, "none"]
    assert filled["grade"].cat.categories.tolist() == ["c", "b", "a", "none"]
    complete = imputer.transform(frame.iloc[:1])
    assert complete["grade"].dtype == filled["grade"].dtype


@pytest.mark.parametrize("values", [["b", "a", None], pd.Categorical(["b", "a"], ["b", "a"])])
def test_equally_frequent(values):
    frame = pd.DataFrame({"x": values})
    first = ilk.transformer("impute").fit(frame).statistics_
    assert first == (["a"] if isinstance(values, list) else ["b"])


@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 10), st.integers(1, 3)),
        elements=st.one_of(st.just(np.nan), st.integers(-5, 5).map(float)),
    )
)
@STRATEGIES
def test_arrays_agree_with_sklearn(strategy, X):
    X[0] = 1.0  # no column without a value
    theirs = SimpleImputer(strategy=strategy, fill_value=0.0).fit_transform(X)
    ours = ilk.transformer("impute", numeric=strategy).fit_transform(X)
    assert np.allclose(ours, theirs)
    assert isinstance(ours, np.ndarray)


@in_one_test
@STRATEGIES
def test_float32_stays(strategy):
    X = np.array([[0.1], [np.nan], [0.2]], dtype=np.float32)
    assert ilk.transformer("impute", numeric=strategy).fit_transform(X).dtype == np.float32


def test_training_decides():
    imputer = ilk.transformer("impute").fit([[1.0], [3.0]])
    assert imputer.transform([[np.nan], [9.0]]).ravel().tolist() == [2, 9]


def test_column_without_a_value_gets_the_constant(frame):
    frame["age"] = np.nan
    frame["sex"] = pd.Series([None] * 4, dtype=object, index=frame.index)
    imputer = ilk.transformer("impute", fill_number=7.0, fill_category="none")
    with pytest.warns(UserWarning, match=r"column '(age|sex)', has no value in training: "):
        filled = imputer.fit(frame).transform(frame)
    assert filled["age"].tolist() == [7.0] * 4
    assert filled["sex"].tolist() == ["none"] * 4


def test_dates_without_a_value_are_refused(frame):
    frame["age"] = pd.Series([pd.NaT] * 4, index=frame.index)
    with pytest.raises(ilk.InputError, match="column 'age', has no value in training and is of"):
        ilk.transformer("impute").fit(frame)


def test_infinity_is_refused(frame):
    frame.loc["q", "age"] = np.inf
    with pytest.raises(ilk.InputError, match=r"column 'age', has infinity \(inf\) at row 1"):
        ilk.transformer("impute").fit(frame)


def test_before_one_hot_in_a_pipeline(frame):
    y = ["u", "v", "u", "v"]
    pipeline = ilk.Pipeline(
        [
            {"transformer": "impute"},
            {"transformer": "one_hot"},
            {"classifier": {"use": "sklearn", "estimator": "GaussianNB"}},
        ]
    )
    assert set(pipeline.fit(frame, y).predict(frame)) <= {"u", "v"}
    assert pipeline[1].get_feature_names_out()[3:5].tolist() == ["sex_f", "sex_m"]


@in_one_test
@pytest.mark.parametrize("number", [-1.0, 2.5, 300.0, 1e300, 1.0])
@pytest.mark.parametrize(
    "dtype", ["UInt8", "Int8", "UInt64", "Int64", "boolean", "Float64", "float64"]
)
def test_number_that_a_type_cannot_hold(dtype, number):
    column = pd.Series([1.0, None, 1.0]).astype("Float64").astype(dtype)
    imputer = ilk.transformer("impute", numeric="constant", fill_number=number)
    filled = imputer.fit_transform(pd.DataFrame({"a": column}))["a"]
    assert filled.astype(float).tolist() == [1, number, 1]
    if number == 1:
        assert filled.dtype == column.dtype


@in_one_test
@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
@pytest.mark.parametrize(("cells", "expected"), [([True, None], 1.0), ([False, None, False], 0.0)])
def test_nullable_booleans(strategy, cells, expected):
    frame = pd.DataFrame({"a": pd.array(cells, dtype="boolean")})
    filled = ilk.transformer("impute", numeric=strategy).fit_transform(frame)
    assert filled["a"].dtype == "boolean"
    assert filled["a"].tolist()[1] == expected


def test_half_true():
    frame = pd.DataFrame({"a": pd.array([True, None, False], dtype="boolean")})
    assert ilk.transformer("impute").fit_transform(frame)["a"].tolist() == [1, 0.5, 0]


@pytest.mark.parametrize("dtype", ["float32", "Float32"])
def test_number_beyond_float32_is_refused(dtype):
    frame = pd.DataFrame({"a": pd.array([1.0, None], dtype=dtype)})
    imputer = ilk.transformer("impute", numeric="constant", fill_number=1e300)
    with pytest.raises(
        ilk.InputError, match="impute: X, column 'a', is of type .*cannot hold 1e.300"
    ):
        imputer.fit_transform(frame)


COMPLEX = np.array([[1 + 2j], [3]])


@in_one_test
@pytest.mark.parametrize("strategy", ["most_frequent", "constant"])
@pytest.mark.parametrize(
    "X",
    [
        COMPLEX,
        COMPLEX.astype(object),
        np.array([[1 + 2j], ["a"]], dtype=object),
        pd.DataFrame({0: COMPLEX[:, 0]}),
        pd.DataFrame({0: [{}, None]}),
        pd.DataFrame({0: [[1], None]}),
        pd.DataFrame({0: [{1}, "a"]}),
    ],
)
def test_cells_that_are_no_values(X, strategy):
    with pytest.raises(ilk.IlkError, match="impute: X.*(each argument|Complex)"):
        ilk.transformer("impute", nominal=strategy).fit(X)


def test_values_without_an_order_are_named():
    times = [pd.Timestamp("2020"), pd.Timestamp("2020", tz="UTC"), None]
    frame = pd.DataFrame({"when": times}, dtype=object)
    with pytest.raises(ilk.InputTypeError, match="column 'when', has values without an order"):
        ilk.transformer("impute").fit(frame)


def test_true_is_not_one():
    frame = pd.DataFrame({"a": [True, True, 1, 1.0, 1, None, "x"]}, dtype=object)
    imputer = ilk.transformer("impute").fit(frame)
    assert imputer.statistics_ == [1]
    assert imputer.statistics_[0] is not True


def test_training_decides_which_columns_are_numeric(frame):
    imputer = ilk.transformer("impute").fit(frame[["age", "sex"]])
    assert imputer.nominal_.tolist() == [False, True]
    nothing = pd.DataFrame({"age": [None], "sex": [np.nan]})
    assert imputer.transform(nothing).iloc[0].tolist() == [pytest.approx(80 / 3), "f"]
    with pytest.raises(ilk.InputError, match="column 'age', was numeric in training"):
        imputer.transform(pd.DataFrame({"age": [" 2 "], "sex": ["f"]}))


def by_neighbors(**parameters):
    return ilk.transformer("impute", numeric="knn", nominal="knn", **parameters)


@pytest.mark.parametrize("k", [1, 4, 50])
def test_numbers_of_neighbors_are_those_of_scikit_learn(k):
    rng = np.random.default_rng(k)
    X = np.where(rng.random((60, 5)) < 0.2, np.nan, rng.normal(size=(60, 5)))
    X[:, 4] = rng.normal(size=60)  # so that any two rows can be compared
    Q = np.where(rng.random((20, 5)) < 0.4, np.nan, rng.normal(size=(20, 5)))
    Q[:, 4] = 0.5
    nan_euclidean = {"use": "heterogeneous", "numeric": None, "p": 2, "missing": "ignore"}
    ours = by_neighbors(k=k, distance=nan_euclidean).fit(X)
    theirs = KNNImputer(n_neighbors=k).fit(X)
    np.testing.assert_allclose(ours.transform(Q), theirs.transform(Q), rtol=1e-9)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-9)


cells = st.tuples(
    st.sampled_from([0.0, 1.0, 5.0, None]),
    st.sampled_from(["a", "b", "c", None]),
    st.integers(0, 9),
)


@given(st.lists(cells, min_size=2, max_size=12), st.integers(1, 4))
def test_neighbors_by_the_definition(rows, k):
    X = pd.DataFrame(rows, columns=["u", "v", "w"]).astype({"u": float, "v": object})
    if X["u"].isna().all() or X["v"].isna().all():
        return
    filled = by_neighbors(k=k).fit_transform(X)
    D = ilk.distance("heterogeneous", missing="ignore").fit(X).pairwise(X)
    for i, name in ((i, name) for name in "uv" for i in range(len(X)) if X[name].isna()[i]):
        near = [j for j in np.argsort(D[i], kind="stable") if not X[name].isna()[j]][:k]
        votes = X[name][near].tolist()
        if name == "u":
            assert filled["u"][i] == pytest.approx(np.mean(votes))
        else:
            most = max(map(votes.count, votes))
            assert filled["v"][i] == next(v for v in votes if votes.count(v) == most)
    known = X.notna()
    assert filled.where(known).equals(X.where(known))
    assert not filled.isna().any(axis=None)


def test_neighbors_keep_types_and_complete_rows(frame):
    imputer = by_neighbors(k=2).fit(frame)
    filled = imputer.transform(frame)
    assert imputer.statistics_ == [None] * 6
    kept = [name for name in frame if name != "visits"]
    assert filled[kept].dtypes.tolist() == frame[kept].dtypes.tolist()
    assert imputer.transform(filled[frame.columns]).equals(filled)
    with pytest.raises(ilk.InputError, match="NaN"):
        ilk.transformer("impute", numeric="knn", distance="euclidean").fit(
            frame[["age"]]
        ).transform(frame[["age"]])


def test_neighbors_save_and_empty_columns(tmp_path, frame):
    imputer = by_neighbors(k=2).fit(frame)
    again = ilk.load(ilk.save(imputer, tmp_path / "imputer.ilk"))
    pd.testing.assert_frame_equal(again.transform(frame), imputer.transform(frame))
    empty = frame.assign(age=np.nan)
    with pytest.warns(UserWarning, match="no value in training"):
        filled = by_neighbors(k=2).fit_transform(empty)
    assert filled["age"].tolist() == [0, 0, 0, 0]
