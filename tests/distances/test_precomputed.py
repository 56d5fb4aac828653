"""Distances looked up in a matrix, through pipelines that split by row."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import ilk
from cases import in_one_test

M = np.array([[0.0, 1.0, 4.0], [1.5, 0.0, 2.0], [4.0, 2.0, 0.0]])


def precomputed(matrix=M, **parameters):
    return ilk.distance("precomputed", matrix=matrix, **parameters)


@in_one_test
@pytest.mark.parametrize(
    "column",
    [
        lambda i: np.array(i)[:, None],
        np.array,
        list,
        lambda i: np.array(i, dtype=float)[:, None],
        lambda i: pytest.importorskip("pandas").DataFrame({"row": i}),
    ],
    ids=["column", "vector", "list", "floats", "table"],
)
def test_looks_up(column):
    distance = precomputed()
    np.testing.assert_array_equal(
        distance.pairwise(column([2, 0]), column([1, 0, 1])), [[2, 4, 2], [1, 0, 1]]
    )
    np.testing.assert_array_equal(distance.fit(column([0])).pairwise(column([0, 1, 2])), M)


def test_direction_is_from_row_to_column():
    assert precomputed().between(0, 1) == 1.0
    assert precomputed().between([1], [0]) == 1.5


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    return rng.normal(size=(60, 4)) + y[:, None], y


def test_cross_validation_by_row(data):
    X, y = data
    distance = precomputed(ilk.distance("euclidean").pairwise(X), metric=True, symmetric=True)
    rows = np.arange(60)[:, None]
    knn = ilk.Pipeline([{"classifier": {"use": "knn", "k": 3, "distance": distance}}])
    got = cross_val_predict(knn, rows, y, cv=5)
    expected = cross_val_predict(ilk.classifier("knn", k=3, distance="euclidean"), X, y, cv=5)
    np.testing.assert_array_equal(got, expected)
    one = cross_val_predict(knn.set_params(classifier__k=1), rows, y, cv=5)
    np.testing.assert_array_equal(one, cross_val_predict(KNeighborsClassifier(1), X, y, cv=5))


def test_index_on_some_rows(data):
    D = ilk.distance("manhattan").pairwise(data[0])
    train, test = np.arange(0, 60, 2), np.arange(1, 60, 2)
    distance = precomputed(D).fit(train)
    near, where = ilk.index("brute").fit(train, distance=distance).kneighbors(test, 4)
    part = D[np.ix_(test, train)]
    np.testing.assert_array_equal(where, np.argsort(part, axis=1, kind="stable")[:, :4])
    np.testing.assert_array_equal(near, np.take_along_axis(part, where, axis=1))


def test_the_matrix_is_not_copied():
    matrix = np.abs(np.subtract.outer(np.arange(9.0), np.arange(9.0)))
    matrix.setflags(write=False)
    distance = precomputed(matrix)
    assert clone(distance).matrix is matrix
    assert distance.fit([0]).matrix_ is matrix
    assert ilk.frozen(distance).__sklearn_clone__().matrix_ is matrix


def test_float32_matrix():
    assert precomputed(M.astype(np.float32)).pairwise([0, 1]).dtype == np.float32
    assert precomputed([[0, 1], [1, 0]]).pairwise([0, 1]).dtype == np.float64


def test_spec_holds_the_matrix():
    spec = ilk.to_spec(precomputed())
    assert spec == {"use": "precomputed", "matrix": M.tolist()}
    np.testing.assert_array_equal(ilk.build(spec, kind="distance").pairwise([0, 1, 2]), M)


def test_claims_are_as_declared():
    even = np.abs(np.subtract.outer([1, 2, 5], [1, 2, 5]))
    assert not precomputed().metric
    assert not precomputed().symmetric
    both = precomputed(even, metric=True, symmetric=True).fit([0])
    assert both.metric
    assert both.symmetric


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"matrix": np.ones((2, 3))}, r"precomputed: matrix must be square, got shape \(2, 3\)"),
        ({"matrix": np.ones(4)}, "must be square"),
        ({"matrix": np.ones((0, 0))}, "must be square"),
        ({"matrix": "distances.npy"}, "matrix must be an array of numbers or None"),
        ({"metric": True}, "symmetric must be true where metric is"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ilk.ParameterError, match=message):
        precomputed(**parameters)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({(2, 0): -1.0}, r"matrix must be at least 0 and not NaN, got -1.0 at \[2, 0\]"),
        ({(1, 2): np.nan}, r"got nan at \[1, 2\]"),
    ],
)
def test_bad_cells(change, message):
    matrix = M.copy()
    for cell, value in change.items():
        matrix[cell] = value
    with pytest.raises(ilk.ParameterError, match=message):
        precomputed(matrix).fit([0])
    with pytest.raises(ilk.ParameterError, match=message):
        precomputed(matrix).pairwise([2, 1], [0, 2])
    precomputed(matrix).pairwise([0, 1], [0, 1])


def test_false_promises():
    with pytest.raises(ilk.ParameterError, match=r"must be symmetric, got 1.0 at \[0, 1\]"):
        precomputed(symmetric=True).fit([0])
    off = np.array([[0.0, 1.0], [1.0, 0.5]])
    with pytest.raises(ilk.ParameterError, match=r"0 on the diagonal, got 0.5 at \[1, 1\]"):
        precomputed(off, symmetric=True, metric=True).fit([0])
    rounded = np.array([[0.0, 0.1 + 0.2], [0.3, 0.0]])
    precomputed(rounded, symmetric=True, metric=True).fit([0])


@in_one_test
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([0, 3], r"precomputed: X has 3 at row 1, which is no row number of the matrix \(0 to 2\)"),
        ([0, -1], "X has -1 at row 1"),
        ([[0.5]], "X has 0.5 at row 0"),
        ([[np.nan]], "X has nan at row 0"),
        (np.zeros((2, 3)), r"X must be a column of row numbers .* shape \(2, 3\)"),
        ([], "must be a column"),
        (["a"], "must be a column"),
    ],
)
def test_bad_row_numbers(X, message):
    with pytest.raises(ilk.InputError, match=message):
        precomputed().pairwise(X)
    with pytest.raises(ilk.InputError, match=message.replace("X ", "Y ", 1)):
        precomputed().pairwise([0], X)


def test_without_a_matrix():
    with pytest.raises(ilk.ParameterError, match="matrix must be an array of numbers, got None"):
        ilk.distance("precomputed").pairwise([0])


@in_one_test
@pytest.mark.parametrize(
    "X", [[[0], [1, 0]], [0, [1]], {0: 1}, [{}], "0", [["0"]], [[1j]]], ids=str
)
def test_what_is_no_column_of_numbers_is_named(X):
    distance = ilk.distance("precomputed", matrix=[[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(ilk.InputError, match="precomputed: X"):
        distance.pairwise(X)
    with pytest.raises(ilk.InputError, match="precomputed: Y"):
        distance.pairwise([0], X)
    with pytest.raises(ilk.InputError, match="precomputed: X"):
        distance.between(X, 0)


def test_ragged_matrix_is_named():
    with pytest.raises(ilk.ParameterError, match="precomputed: matrix must be an array of numbers"):
        ilk.distance("precomputed", matrix=[[0.0, 1.0], [1.0]])


def test_a_kernel_looks_its_values_up():
    K = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 1.0]])
    kernel = ilk.kernel("precomputed", matrix=K).fit([[0], [1]])
    assert kernel.gram([[0], [2]], [[1], [2]]).tolist() == [[1.0, 0.0], [0.5, 1.0]]
    assert kernel.gram([[1], [0]]).tolist() == K[[1, 0]][:, [1, 0]].tolist()
    assert kernel.diagonal([[2], [1]]).tolist() == [1.0, 3.0]
    assert clone(kernel).matrix is kernel.matrix


def test_a_machine_on_looked_up_values_is_that_on_the_kernel():
    X, y = ilk.dataset("iris").load().Xy
    rows = np.arange(len(X))[:, np.newaxis]
    looked_up = ilk.kernel("precomputed", matrix=X @ X.T)
    scores = [
        cross_val_score(ilk.classifier("svm", kernel=kernel), cases, y, cv=3)
        for kernel, cases in ((looked_up, rows), ("linear", X))
    ]
    assert np.array_equal(*scores)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (None, "precomputed: matrix must be an array of numbers, got None"),
        ([[1.0, 2.0]], r"matrix must be square, got shape \(1, 2\)"),
        ([[1.0, 2.0], [0.0, 1.0]], r"matrix must be symmetric, got 2.0 at \[0, 1\]"),
        ([[np.inf]], r"matrix must be finite, got inf at \[0, 0\]"),
    ],
)
def test_a_wrong_gram_matrix_is_named(matrix, message):
    with pytest.raises(ilk.ParameterError, match=message):
        ilk.kernel("precomputed", matrix=matrix).fit([[0]])
