"""A function as a distance."""

import pickle

import numba
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import ilk
from cases import in_one_test
from ilk_distances.composed.function import FunctionDistance


def overlap(x, y):
    """Jaccard distance of two sets of things."""
    return 1 - len(set(x) & set(y)) / len(set(x) | set(y))


def later(x, y):
    return float(max(y[0] - x[0], 0))


def of(function, **parameters):
    return ilk.distance("callable", function=function, **parameters)


def test_strings_sets_and_lists():
    X = ["abc", "bcd", "xyz"]
    expected = [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]]
    np.testing.assert_array_equal(of(overlap).pairwise(X), expected)
    np.testing.assert_array_equal(of(overlap).pairwise([set(x) for x in X]), expected)
    np.testing.assert_array_equal(
        of(overlap).pairwise([list(x) for x in X], X[1:]), np.array(expected)[:, 1:]
    )
    assert of(overlap).between({1, 2}, {2, 3}) == pytest.approx(2 / 3)
    assert of(overlap).between("abc", "bcd") == 0.5


def test_rows_of_a_table():
    table = pd.DataFrame({"name": ["a", "b"], "size": [1, 4]}, index=[5, 5])
    distance = of(lambda x, y: abs(x["size"] - y["size"]) + (x["name"] != y["name"]))
    assert distance.pairwise(table).tolist() == [[0, 4], [4, 0]]
    with pytest.raises(ilk.InputError, match="Y has other columns than X: it lacks 'name'"):
        distance.pairwise(table, table[["size"]])


def test_numbers_in_arrays_are_floats():
    small = np.array([[0], [255]], dtype=np.uint8)
    distance = of(lambda x, y: abs(x[0] - y[0]))
    assert distance.pairwise(small).tolist() == [[0, 255], [255, 0]]
    assert distance.between(small[0], small[1]) == 255
    as_given = of(lambda x, y: float(x.dtype == np.uint8), inputs="objects")
    assert as_given.pairwise(small).all()
    from_lists = of(lambda x, y: np.abs(x - y).sum(), inputs="vectors")
    assert from_lists.pairwise([[0, 1], [2, 2]])[0, 1] == 3
    assert from_lists.between([0, 1], [2, 2]) == 3
    with pytest.raises(ilk.InputError, match="callable: X has NaN at row 0, column 1"):
        distance.pairwise(np.array([[0, np.nan]]))


def test_arrays_of_more_dimensions_are_objects():
    images = np.zeros((3, 2, 2))
    images[1] += 1
    D = of(lambda x, y: np.abs(x - y).max()).pairwise(images)
    assert D.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_nothing_is_mirrored_unless_declared():
    X = np.array([[0.0], [1.0], [3.0]])
    D = of(later).pairwise(X)
    assert D.tolist() == [[0, 1, 3], [0, 0, 2], [0, 0, 0]]
    assert not of(later).symmetric
    assert not of(later).metric


@pytest.mark.parametrize("symmetric", [False, True])
def test_number_of_calls(symmetric):
    calls = []

    def count(x, y):
        calls.append(1)
        return float(x[0] != y[0])

    X = np.arange(5.0)[:, None]
    distance = of(count, symmetric=symmetric)
    D = distance.pairwise(X)
    assert len(calls) == (15 if symmetric else 25)
    np.testing.assert_array_equal(D, 1 - np.eye(5))
    calls.clear()
    distance.pairwise(X, X)
    assert len(calls) == 25


@in_one_test
@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf, None, "near", [1, 2]])
def test_what_it_returns_is_checked(value):
    distance = of(lambda x, y: value if (x[0], y[0]) == (2, 1) else 0.0)
    message = "callable: function must return a finite number >= 0, got .* for row 2 of X and row 1"
    with pytest.raises(ilk.InputError, match=message):
        distance.pairwise(np.arange(4.0)[:, None])


def test_errors_of_the_function_say_where():
    with pytest.raises(ZeroDivisionError) as caught:
        of(lambda x, y: 1 / len(y)).pairwise(["a", ""])
    assert caught.value.__notes__ == ["callable: comparing row 0 of X with row 1 of Y"]


@numba.njit
def city_block(x, y):
    total = 0.0
    for f in range(len(x)):
        total += abs(x[f] - y[f])
    return total


@numba.njit
def ahead(x, y):
    return max(y[0] - x[0], 0.0)


def compiled_for(function):
    """Return a function; one that is given by its signature is compiled now, not at import."""
    return numba.njit(function)(city_block.py_func) if isinstance(function, str) else function


@numba.jit(forceobj=True)
def in_object_mode(x, y):
    return float(np.abs(x - y).sum())


@numba.njit
def whole(x, y):
    return int(abs(x[0] - y[0]))


@numba.njit
def truth(x, y):
    return x[0] != y[0]


@numba.njit
def wrong_at(x, y):
    if (x[0] == 2 and y[0] == 1) or x[0] == 3:
        return np.nan
    return 0.0


@numba.njit
def raises_at(x, y):
    if (x[0] == 2 and y[0] == 1) or x[0] == 3:
        raise ValueError("no")
    return 0.0


@numba.njit
def divides(x, y):
    return 1 / (x[0] - y[0])


@numba.njit
def pair(x, y):
    return x[0], y[0]


def calls_made(monkeypatch):
    """Count the calls that are made from Python, not from compiled code."""
    calls = []
    value = FunctionDistance._value
    monkeypatch.setattr(FunctionDistance, "_value", lambda *args: calls.append(1) or value(*args))
    return calls


@pytest.mark.parametrize("function", [city_block, ahead, "f8(f8[:], f8[::1])", whole, truth])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_compiled_functions_are_called_in_a_compiled_loop(function, symmetric, dtype, monkeypatch):
    function, calls = compiled_for(function), calls_made(monkeypatch)
    X = (255 * np.random.default_rng(0).random((30, 3))).astype(dtype)
    X.setflags(write=False)
    rows = X.astype(float)
    expected = np.array([[function.py_func(x, y) for y in rows] for x in rows], dtype=float)
    if symmetric:
        expected = np.triu(expected) + np.triu(expected, 1).T
    D = of(function, symmetric=symmetric).pairwise(X)
    assert not calls
    assert D.dtype == (np.float32 if dtype == np.float32 else np.float64)
    np.testing.assert_array_equal(D, expected.astype(D.dtype))
    np.testing.assert_array_equal(
        of(function).pairwise(X[::-1, :], X)[::-1], of(function).pairwise(X)
    )
    assert not calls


def test_the_compiled_loop_does_not_depend_on_threads_or_blocks(monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 5))
    distance = of(city_block)
    with ilk.threads(1):
        expected = distance.pairwise(X)
    monkeypatch.setattr("ilk_distances.composed.compiled_function._PAIRS", 100)
    with ilk.threads(3):
        np.testing.assert_array_equal(distance.pairwise(X), expected)
        np.testing.assert_array_equal(of(city_block, symmetric=True).pairwise(X), expected)
    np.testing.assert_array_equal(distance.prepare(X).to(X[3], [5, 0]), expected[3, [5, 0]])
    np.testing.assert_allclose(expected, ilk.distance("manhattan").pairwise(X), rtol=1e-14)


@pytest.mark.parametrize("function", [in_object_mode, "f4(f4[::1], f4[::1])"])
def test_what_no_compiled_loop_can_call_is_called_pair_by_pair(function, monkeypatch):
    function, calls = compiled_for(function), calls_made(monkeypatch)
    X = np.random.default_rng(0).random((6, 3), dtype=np.float32)
    for _ in range(2):
        D = of(function).pairwise(X)
        np.testing.assert_allclose(D, ilk.distance("manhattan").pairwise(X), rtol=1e-6)
    assert len(calls) == 72


def test_objects_given_to_compiled_functions_stay_as_they_are():
    X = np.array([[3], [250]], dtype=np.uint8)

    @numba.njit
    def wraps(x, y):
        return x[0] - y[0] if x.itemsize == 8 else 7

    assert of(wraps, inputs="objects").pairwise(X).tolist() == [[7, 7], [7, 7]]


def test_wrong_values_of_compiled_functions_are_named():
    X = np.arange(5.0)[:, None]
    for threads in (1, 2):
        with ilk.threads(threads):
            with pytest.raises(ilk.InputError, match="got nan for row 2 of X and row 1 of Y"):
                of(wrong_at).pairwise(X)
            with pytest.raises(ValueError, match="no") as caught:
                of(raises_at).pairwise(X)
            assert caught.value.__notes__ == ["callable: comparing row 2 of X with row 1 of Y"]
    with pytest.raises(ilk.InputError, match=r"got \(0.0, 0.0\) for row 0 of X and row 0 of Y"):
        of(pair).pairwise(X)
    with pytest.raises(ZeroDivisionError) as caught:
        of(divides).pairwise(X)
    assert caught.value.__notes__ == ["callable: comparing row 0 of X with row 0 of Y"]


def test_compiled_functions_can_be_cloned():
    X = np.arange(4.0)[:, None]
    np.testing.assert_array_equal(clone(of(city_block)).fit(X).pairwise(X), np.abs(X - X.T))


def test_neighbours_of_texts():
    near, where = of(overlap).kneighbors(["ab"], ["xy", "abc", "ab", "ba"], 3)
    assert where.tolist() == [[2, 3, 1]]
    assert near[0, :2].tolist() == [0, 0]
    index = ilk.index("brute").fit(["xy", "abc", "ab"], distance=of(overlap))
    assert index.kneighbors(["ax"], 1)[1].tolist() == [[0]]


def test_clone_and_pickle():
    distance = of(overlap, metric=True, symmetric=True)
    for twin in (clone(distance), pickle.loads(pickle.dumps(distance))):
        assert twin.function is overlap
        assert twin.metric
        assert twin.symmetric


def test_has_no_spec():
    with pytest.raises(ilk.SpecError, match="a function cannot be written to a spec"):
        ilk.to_spec(of(overlap))


def test_bad_parameters():
    with pytest.raises(ilk.ParameterError, match="callable: function must be a function, got None"):
        ilk.distance("callable").pairwise(["a"])
    with pytest.raises(ilk.ParameterError, match="function must be a function or None, got 3"):
        of(3)
    with pytest.raises(ilk.ParameterError, match="symmetric must be true where metric is"):
        of(overlap, metric=True)
    with pytest.raises(ilk.InputError, match="callable: X has no rows"):
        of(overlap).pairwise([])


@in_one_test
@pytest.mark.parametrize("X", [{"a"}, frozenset({1, 2}), {"a": 1}, {0: "a", 1: "b"}], ids=str)
@pytest.mark.parametrize("inputs", ["auto", "objects"])
def test_what_has_no_order_is_refused(X, inputs):
    distance = of(overlap, inputs=inputs)
    with pytest.raises(
        ilk.InputTypeError, match="callable: X must be a sequence of objects, got a"
    ):
        distance.pairwise(X)
    with pytest.raises(
        ilk.InputTypeError, match="callable: Y must be a sequence of objects, got a"
    ):
        distance.pairwise(["a"], X)


@in_one_test
@pytest.mark.parametrize("index", [[0, 1, 2], [7, 8, 9], ["x", "y", "z"], [1, 1, 1]])
def test_series_are_sequences(index):
    X = ["abc", "bcd", "xyz"]
    series = pd.Series(X, index=index)
    expected = of(overlap).pairwise(X)
    np.testing.assert_array_equal(of(overlap).pairwise(series), expected)
    np.testing.assert_array_equal(of(overlap).pairwise(X, series), expected)
    knn = ilk.classifier("knn", k=1, distance=of(overlap)).fit(series, [1, 2, 3])
    assert knn.predict(series[::-1]).tolist() == [3, 2, 1]


@in_one_test
@pytest.mark.parametrize("value", ["3", b"3", 10**400, np.array([1.0]), 1j, None, [1.0]])
def test_results_that_are_no_finite_numbers(value):
    with pytest.raises(ilk.InputError, match="function must return a finite number >= 0, got"):
        of(lambda x, y: value).pairwise([[1.0]])


def test_zero_has_no_sign():
    compiled = numba.njit(lambda x, y: -0.0)
    for function in (lambda x, y: -0.0, compiled):
        D = of(function).pairwise(np.eye(3))
        assert not np.signbit(D).any()
