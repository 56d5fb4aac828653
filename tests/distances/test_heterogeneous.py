"""The distance on numeric and nominal columns, against a slow reading of the formula."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test

NUMERIC, NOMINAL = ["height", "width"], ["color", "size"]


def heterogeneous(**parameters):
    return ilk.distance("heterogeneous", **parameters)


def missing(value):
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


def by_formula(X, Y, train, weights=None, policy="max", scale="range"):
    """Loop over pairs and features, the way the formula reads."""
    weights = [1.0] * X.shape[1] if weights is None else weights
    D = np.zeros((len(X), len(Y)))
    for i in range(len(X)):
        for j in range(len(Y)):
            total = compared = everything = most = 0.0
            for name, weight in zip(X.columns, weights, strict=True):
                x, y = X[name].iloc[i], Y[name].iloc[j]
                numeric = name in NUMERIC
                known = [v for v in train[name] if not missing(v)]
                spread = 1.0
                if numeric:
                    full = max(known) - min(known) if known else 0.0
                    divisor = {"range": full, "std": np.std(known) if known else 0, None: 1.0}[
                        scale
                    ]
                    if scale is not None and full == 0:
                        continue
                    spread = full / divisor
                everything += weight
                most += weight * spread
                if missing(x) or missing(y):
                    total += weight * spread if policy == "max" else 0.0
                    continue
                compared += weight
                total += weight * (abs(x - y) / divisor if numeric else float(x != y))
            if policy == "ignore":
                total = total * everything / compared if compared else most
            D[i, j] = total
    return D


numbers = st.sampled_from([0.0, 1.0, 2.5, -3.0, 10.0, float("nan")])
colors = st.sampled_from(["red", "green", "blue", None])
sizes = st.sampled_from([1, 2, 3, None])
rows = st.tuples(numbers, colors, numbers, sizes)


def frame(cells):
    table = pd.DataFrame(cells, columns=["height", "color", "width", "size"])
    return table.astype({"height": float, "width": float, "color": object, "size": object})


@given(
    train=st.lists(rows, min_size=1, max_size=6),
    queries=st.lists(rows, min_size=1, max_size=4),
    weights=st.sampled_from([None, [1.0, 2.0, 0.0, 0.5], [3.0, 0.1, 1.0, 0.7]]),
    policy=st.sampled_from(["max", "ignore"]),
    scale=st.sampled_from(["range", "std", None]),
)
def test_agrees_with_the_formula(train, queries, weights, policy, scale):
    train, queries = frame(train), frame(queries)
    distance = heterogeneous(
        weights=weights, nominal_columns=NOMINAL, missing=policy, numeric=scale
    )
    got = distance.fit(train).pairwise(queries, train)
    expected = by_formula(queries, train, train, weights, policy, scale)
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(distance.pairwise(train, queries), got.T)


def test_worked_example():
    train = pd.DataFrame({"age": [20, 40, 60], "city": ["Bonn", "Rome", "Bonn"]})
    distance = heterogeneous(weights=[2, 1]).fit(train)
    assert distance.ranges_[0] == 40
    assert np.isnan(distance.ranges_[1])
    assert distance.nominal_.tolist() == [False, True]
    np.testing.assert_array_equal(distance.pairwise(train), [[0, 2, 2], [2, 0, 2], [2, 2, 0]])


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "height": rng.normal(size=30),
            "color": pd.Categorical(rng.choice(["red", "green", "blue"], 30)),
            "flag": rng.random(30) < 0.5,
            "text": rng.choice(["a", "b"], 30),
            "count": rng.integers(0, 5, 30),
        }
    )


def test_which_columns_are_nominal(table):
    assert heterogeneous().fit(table).nominal_.tolist() == [False, True, True, True, False]
    chosen = heterogeneous(nominal_columns=["count", "color", "flag", "text"]).fit(table)
    assert chosen.nominal_.tolist() == [False, True, True, True, True]


@in_one_test
@pytest.mark.parametrize(
    "convert",
    [
        lambda t: t.astype({"color": object}),
        lambda t: t.astype({"color": "string", "text": "category", "count": "Int64"}),
        lambda t: t.iloc[:, ::-1],
        lambda t: t.set_index(np.full(30, 9)),
        lambda t: t.to_numpy(dtype=object),
        lambda t: t.to_numpy(dtype=object).tolist(),
        lambda t: pytest.importorskip("polars").from_pandas(t.astype({"color": str})),
    ],
    ids=["object", "dtypes", "order", "index", "array", "lists", "polars"],
)
def test_other_forms_of_the_same_table(convert, table):
    distance = heterogeneous().fit(table)
    expected = distance.pairwise(table)
    np.testing.assert_array_equal(distance.pairwise(convert(table)), expected)
    np.testing.assert_array_equal(distance.pairwise(table, convert(table)), expected)
    other = heterogeneous().fit(convert(table))
    np.testing.assert_allclose(other.pairwise(table), expected, rtol=1e-14)


def test_arrays_with_positions_of_nominal_columns():
    X = np.array([[0.0, 7.0], [4.0, 7.0], [2.0, 9.0]])
    distance = heterogeneous(nominal_columns=[1]).fit(X)
    np.testing.assert_array_equal(distance.pairwise(X), [[0, 1, 1.5], [1, 0, 1.5], [1.5, 1.5, 0]])
    assert distance.between([0, 7], [2, 9]) == 1.5
    assert heterogeneous().fit(X).pairwise(X)[0, 2] == 1.5


def test_numeric_only_is_scaled_manhattan():
    X = np.random.default_rng(0).normal(size=(20, 3))
    scaled = X / np.ptp(X, axis=0)
    got = heterogeneous().fit(X).pairwise(X)
    np.testing.assert_allclose(got, ilk.distance("manhattan").pairwise(scaled), rtol=1e-12)


def test_ranges_are_learned_once():
    distance = heterogeneous().fit([[0.0], [10.0]])
    assert distance.pairwise([[0.0]], [[30.0]]) == 3  # nothing is clipped
    assert distance.ranges_.tolist() == [10]


def test_a_constant_feature_contributes_nothing():
    distance = heterogeneous().fit([[5.0, 0.0], [5.0, 1.0]])
    assert distance.pairwise([[9.0, 0.0], [np.nan, 0.0]], [[5.0, 1.0]]).tolist() == [[1], [1]]
    assert distance.scales_.tolist() == [0, 1]
    tenths = heterogeneous(numeric="std").fit([[0.1], [0.1], [0.1]])
    assert tenths.pairwise([[0.1]], [[0.3]]) == 0


def test_unseen_categories_differ_from_all_but_themselves():
    distance = heterogeneous().fit(pd.DataFrame({"c": ["a", "b"]}))
    queries = pd.DataFrame({"c": ["z", "a", "y"]})
    np.testing.assert_array_equal(distance.pairwise(queries), 1 - np.eye(3))
    np.testing.assert_array_equal(
        distance.pairwise(queries, pd.DataFrame({"c": ["y", "z", "b"]})),
        [[1, 0, 1], [1, 1, 1], [0, 1, 1]],
    )


def test_rows_of_one_table_keep_their_codes():
    distance = heterogeneous().fit(pd.DataFrame({"c": ["a", "b"]}))
    X = distance.check_input(pd.DataFrame({"c": ["x", "y", "z"]}))
    Y = distance.check_input(pd.DataFrame({"c": ["z", "w", None, "x"]}))
    np.testing.assert_array_equal(distance.pairwise(X[[2, 0]], Y[1:]), [[1, 1, 1], [1, 1, 0]])


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("max", [[0, 1.5, 2], [1.5, 1, 2], [2, 2, 2]]),
        ("ignore", [[0, 1, 2], [1, 0, 2], [2, 2, 2]]),
    ],
)
def test_missing_values(policy, expected):
    distance = heterogeneous(missing=policy)
    distance.fit(pd.DataFrame({"a": [0.0, 4.0], "b": ["x", "y"]}))
    rows = pd.DataFrame({"a": [0.0, 2.0, np.nan], "b": ["x", None, np.nan]}, dtype=object)
    np.testing.assert_array_equal(distance.pairwise(rows), expected)


def test_missing_values_as_an_error(table):
    distance = heterogeneous(missing="error").fit(table)
    assert distance.metric
    assert not heterogeneous().metric
    assert not heterogeneous(missing="error", weights=[1, 0, 1, 1, 1]).metric
    for column in ("height", "color"):
        holed = table.copy()
        holed.loc[4, column] = None
        message = f"heterogeneous: X has a missing value .* at row 4, column '{column}'"
        with pytest.raises(ilk.InputError, match=message):
            distance.pairwise(holed)
        with pytest.raises(ilk.InputError, match=message):
            heterogeneous(missing="error").fit(holed)
        with pytest.raises(ilk.InputError, match=message.replace(": X", ": Y")):
            distance.pairwise(table, holed)


def test_metric_axioms(table):
    D = heterogeneous(missing="error", weights=[1, 2, 3, 0.5, 1]).fit(table).pairwise(table)
    assert not np.diagonal(D).any()
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12).all()


def test_neighbours_and_handles_code_once(table):
    distance = heterogeneous().fit(table[:20])
    D = distance.pairwise(table[20:], table)
    near, where = distance.kneighbors(table[20:], table, 4)
    np.testing.assert_array_equal(where, np.argsort(D, axis=1, kind="stable")[:, :4])
    np.testing.assert_array_equal(near, np.take_along_axis(D, where, axis=1))
    handle = distance.prepare(table)
    for i in range(10):
        np.testing.assert_array_equal(handle.to(table.iloc[20 + i]), D[i])
        np.testing.assert_array_equal(handle.to(table.iloc[[20 + i]], [3, 1]), D[i, [3, 1]])
        assert distance.between(table.iloc[20 + i], table.iloc[2]) == D[i, 2]


def test_many_categories_take_little_memory():
    import tracemalloc

    X = np.arange(3000).astype(str)[:, None]
    distance = heterogeneous().fit(X)
    tracemalloc.start()
    try:
        D = distance.pairwise(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert D.sum() == 3000 * 2999
    assert peak < 1.1 * D.nbytes + 2**22


def test_float32():
    X = np.random.default_rng(0).normal(size=(6, 2)).astype(np.float32)
    distance = heterogeneous().fit(X)
    assert distance.pairwise(X).dtype == np.float32
    assert distance.pairwise(X, X.astype(float)).dtype == np.float64


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "X", "message"),
    [
        (
            {"nominal_columns": ["colour"]},
            {"color": ["a", "b"]},
            "nominal_columns must name columns of X, got 'colour'; did you mean 'color'",
        ),
        ({"weights": [1.0]}, {"a": [1], "b": [2]}, "weights must have one value for each of 2"),
        ({"weights": [1.0, -1.0]}, {"a": [1], "b": [2]}, "weights must be finite and at least 0"),
        ({"nominal_columns": []}, {"a": [1, 2], "b": ["3", "x"]}, "X has '3' at row 0, column 'b'"),
        ({}, {"a": [1.0, np.inf]}, "X has inf at row 1, column 'a'"),
        ({}, {"a": [1e308, -1e308]}, "the range of the values in column 0 of X is infinite"),
        ({}, {"a": []}, "at least one row"),
    ],
)
def test_bad_training_data(parameters, X, message):
    with pytest.raises(ValueError, match=message):
        heterogeneous(**parameters).fit(pd.DataFrame(X))


def test_bad_queries(table):
    distance = heterogeneous().fit(table)
    with pytest.raises(ilk.InputError, match=r"X lacks \['text'\]"):
        distance.pairwise(table.drop(columns="text"))
    with pytest.raises(ilk.InputError, match=r"Y has \['more'\] that"):
        distance.pairwise(table, table.assign(more=1))
    with pytest.raises(
        ilk.InputError, match="X has 2 features, but heterogeneous was fitted with 5"
    ):
        distance.pairwise([[1, 2]])
    with pytest.raises(ilk.InputError, match="two columns named 'text'"):
        heterogeneous().fit(pd.concat([table, table[["text"]]], axis=1))
    with pytest.raises(ilk.InputError, match="must be a table"):
        heterogeneous().fit(np.ones(3))


def test_before_fit():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        heterogeneous().pairwise([[1.0]])


@in_one_test
@pytest.mark.parametrize(
    "magnitude", [5e-324, 1e-300, 1e-170, 1e-155, 1e20, 1e154, 1e160, 1e300, 1.6e307]
)
@pytest.mark.parametrize("scale", ["range", "std"])
def test_any_magnitude(scale, magnitude):
    X = np.array([[0.0], [1], [10], [11]])
    expected = heterogeneous(numeric=scale).fit(X).pairwise(X)
    got = heterogeneous(numeric=scale).fit(X * magnitude).pairwise(X * magnitude)
    loose = 0.1 if magnitude == 5e-324 else 1e-9  # a deviation of 5.02 is 5 there
    np.testing.assert_allclose(got, expected, rtol=loose)


def test_queries_further_apart_than_the_largest_number():
    distance = heterogeneous().fit([[0.0], [1e308]])
    assert distance.between([1.7e308], [-1.7e308]) == pytest.approx(3.4)
    assert heterogeneous(numeric=None).fit([[0.0], [1.0]]).between([1.7e308], [-1.7e308]) == np.inf


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e308])
def test_weights_of_any_size(size):
    X = np.array([[0.0, 0.0], [1.0, np.nan], [0.5, 1.0]])
    expected = heterogeneous(missing="ignore", weights=[0.5, 0.25]).fit(X).pairwise(X)
    got = heterogeneous(missing="ignore", weights=[0.5 * size, 0.25 * size]).fit(X).pairwise(X)
    np.testing.assert_allclose(got / size, expected)


NO_VALUES = {
    "list": [1],
    "dict": {},
    "set": {1},
    "array": np.ones(2),
    "tuple": (1, 2),
    "frozenset": frozenset("a"),
    "complex": 1j,
    "numpy complex": np.complex64(1),
}


@in_one_test
@pytest.mark.parametrize("cell", NO_VALUES.values(), ids=NO_VALUES)
@pytest.mark.parametrize("query", [False, True])
def test_cells_that_are_no_values(cell, query):
    cells = np.empty((2, 2), dtype=object)
    cells[:, 0], cells[0, 1], cells[1, 1] = [1, 2], "a", cell
    distance = heterogeneous()
    if query:
        distance.fit(pd.DataFrame({"n": [1, 2], "c": ["a", "b"]}))
    for X in (cells, pd.DataFrame({"n": [1, 2], "c": cells[:, 1]})):
        message = "heterogeneous: X has .* at row 1, column .*, which is no single value"
        with pytest.raises(ilk.InputTypeError, match=message):
            distance.pairwise(X) if query else distance.fit(X)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_matrices_masks_and_ragged_rows():
    X = np.array([[0.0, 1.0], [4.0, 3.0]])
    matrix = np.asmatrix(X)
    np.testing.assert_array_equal(heterogeneous().fit(matrix).pairwise(matrix), [[0, 2], [2, 0]])
    with pytest.raises(ilk.InputError, match="heterogeneous: X has masked values"):
        heterogeneous().fit(np.ma.masked_equal(X, 4))
    for ragged in ([[1, 2], [3]], [np.ones((2, 2)), np.ones((2, 3))]):
        with pytest.raises(ilk.InputError, match="heterogeneous: X"):
            heterogeneous().fit(ragged)


@in_one_test
@pytest.mark.parametrize("text", [" 2 ", "2", "2.5", "", "nan", b"2"])
@pytest.mark.parametrize("convert", [pd.DataFrame, lambda t: pd.DataFrame(t).to_numpy()])
def test_texts_are_no_numbers(text, convert):
    distance = heterogeneous().fit(pd.DataFrame({"a": [1, 2], "b": [1, 2]}))
    with pytest.raises(
        ilk.InputError, match="X has .* at row 1, column .* must be a finite number"
    ):
        distance.pairwise(convert({"a": [1, text], "b": [1, 2]}))


@in_one_test
@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", "UInt64", object])
@pytest.mark.parametrize("number", [2**53 + 1, 2**62 + 1, 2**63 - 1])
def test_digits_that_a_float_does_not_hold_are_refused(dtype, number):
    for negative in (False, True):
        if negative and dtype in ("uint64", "UInt64"):
            continue
        cells = pd.Series([1, -number if negative else number], dtype=dtype)
        message = f"X has -?{number} at row 1, column 'a', which has more digits than a float"
        with pytest.raises(ilk.InputError, match=message):
            heterogeneous(nominal_columns=[]).fit(pd.DataFrame({"a": cells}))
    exact = pd.DataFrame({"a": pd.Series([1, 2**62], dtype=dtype)})
    assert heterogeneous(nominal_columns=[]).fit(exact).pairwise(exact)[0, 1] == 1


def test_numbers_of_other_types():
    from decimal import Decimal
    from fractions import Fraction

    cells = [Decimal("0.5"), Fraction(3, 2), 1, np.float32(2.5), None]
    X = pd.DataFrame({"a": pd.Series(cells, dtype=object)})
    distance = heterogeneous(nominal_columns=[]).fit(X)
    assert distance.pairwise(X[:4])[0].tolist() == [0, 0.5, 0.25, 1]
    for wrong in (10**400, 1j):
        X.iloc[1, 0] = wrong
        with pytest.raises(ilk.InputError, match="at row 1, column 'a', which must be a finite"):
            distance.pairwise(X)


def test_bytes_are_nominal_values():
    cells = np.array([b"a", b"b", "a", b"a"], dtype=object)
    D = heterogeneous().fit(cells[:, None]).pairwise(cells[:, None])
    np.testing.assert_array_equal(D[0], [0, 1, 1, 0])
    with pytest.raises(ilk.InputTypeError, match="at row 0, column 0, which is no single value"):
        heterogeneous().fit(np.ones((2, 1), dtype=complex))


def gower(table, nominal):
    """Gower's coefficient as a distance, by loops."""
    n = len(table)
    D = np.full((n, n), np.nan)
    for i in range(n):
        for j in range(n):
            terms = []
            for name in table.columns:
                x, y = table[name].iloc[i], table[name].iloc[j]
                if missing(x) or missing(y):
                    continue
                if name in nominal:
                    terms.append(float(x != y))
                else:
                    values = [v for v in table[name] if not missing(v)]
                    spread = max(values) - min(values)
                    terms.append(abs(x - y) / spread if spread else 0.0)
            D[i, j] = np.mean(terms) if terms else np.nan
    return D


GOWER = {
    "mixed": {"a": [1.0, 4.0, 2.0, 2.5], "b": ["x", "y", "x", "z"]},
    "constant column": {"a": [3.0, 3.0, 3.0], "b": ["x", "y", "x"], "c": [1, 2, 4]},
    "constant nominal": {"a": [3.0, 5.0, 4.0], "b": ["x", "x", "x"]},
    "only nominal": {"b": ["x", "y", "x"], "c": ["p", "q", "q"]},
    "only numeric": {"a": [1.0, 2.0, 4.0], "c": [9, 7, 7]},
    "missing": {"a": [1.0, None, 2.0, 4.0], "b": ["x", "y", None, "x"], "c": [1, 2, 3, 5]},
}


@in_one_test
@pytest.mark.parametrize("name", GOWER)
@pytest.mark.parametrize("text", [object, "string", "category", "str"])
def test_agrees_with_gower(name, text):
    table = pd.DataFrame(GOWER[name])
    nominal = [column for column in table if column == "b" or name == "only nominal"]
    expected = gower(table, nominal)
    given = table.astype(dict.fromkeys(nominal, text))
    if name == "missing" and text == "str":
        given["b"] = given["b"].where(table["b"].notna())
    distance = heterogeneous(missing="ignore").fit(given)
    assert distance.nominal_.tolist() == [column in nominal for column in table]
    counted = np.count_nonzero(distance.scales_)
    constant = table.shape[1] - counted
    got = distance.pairwise(given) / counted
    np.testing.assert_allclose(got * counted / (counted + constant), expected, rtol=1e-14)


@pytest.mark.parametrize("missing", ["max", "ignore"])
def test_blocks_and_threads_change_no_bit(missing, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(300, 3)), rng.integers(0, 3, (300, 2))])
    X[rng.random(X.shape) < 0.1] = np.nan
    distance = heterogeneous(missing=missing, nominal_columns=[3, 4]).fit(X)
    expected = distance.pairwise(X)
    monkeypatch.setattr("ilk_distances.tables.heterogeneous._PAIRS", 1000)
    for threads in (1, 3):
        with ilk.threads(threads):
            np.testing.assert_array_equal(distance.pairwise(X), expected)
    np.testing.assert_array_equal(distance.pairwise(X[7:9], X[5:]), expected[7:9, 5:])
    np.testing.assert_array_equal(expected, expected.T)


def test_more_columns_than_a_tile():
    X = np.random.default_rng(0).normal(size=(9000, 2))
    distance = heterogeneous(missing="ignore").fit(X)
    D = distance.pairwise(X[:3], X)
    np.testing.assert_allclose(D, np.abs((X[:3, None] - X) / np.ptp(X, axis=0)).sum(axis=2))


def test_weights_whose_sum_is_infinite():
    X = [[0.0, 1.0], [1.0, 3.0], [0.5, 3.0]]
    D = heterogeneous(weights=[1e308, 1e308]).fit(X).pairwise(X)
    np.testing.assert_array_equal(D[0], [0, np.inf, 1.5e308])


def test_dates_count_as_days_and_ordered_categories_as_ranks():
    size = pd.CategoricalDtype(["small", "medium", "large"], ordered=True)
    X = pd.DataFrame(
        {
            "when": pd.to_datetime(["2020-01-01", "2020-01-03", "2020-01-11", None]),
            "size": pd.Series(["small", "large", "medium", "small"], dtype=size),
        }
    )
    d = heterogeneous().fit(X)
    assert not d.nominal_.any()
    np.testing.assert_array_equal(d.ranges_, [10, 2])
    expected = [0.2 + 1.0, 1.0 + 0.5, 1.0 + 0.0]
    np.testing.assert_allclose(d.pairwise(X.iloc[:1], X.iloc[1:])[0], expected)
    shuffled = X.assign(size=X["size"].cat.reorder_categories(["large", "medium", "small"]))
    np.testing.assert_array_equal(d.pairwise(shuffled), d.pairwise(X))  # ranks of training
    assert heterogeneous(nominal_columns=["size"]).fit(X).nominal_.tolist() == [False, True]


def test_an_unknown_level_has_no_rank():
    X = pd.DataFrame({"size": pd.Categorical(["s", "l"], ["s", "l"], ordered=True)})
    d = heterogeneous().fit(X)
    with pytest.raises(ilk.InputError, match=r"'xl' at row 0, column 'size', .* \['s', 'l'\]"):
        d.pairwise(pd.DataFrame({"size": pd.Categorical(["xl"], ordered=True)}))
