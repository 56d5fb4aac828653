"""Faults that were reported of other libraries, looked for in every registered distance.

Those that concern one component have their tests beside its others:

- NaN dropped by Chebyshev: conformance (check_nan), for all; of objects here
- Jaccard above 1: test_jaccard (test_never_above_1_nor_lost_in_rounding)
- texts refused by Hamming: test_hamming (test_known_numbers)
- Gower with constant columns, only nominal ones, missing values, pandas texts: test_heterogeneous
- roots of negative numbers, an indefinite matrix: test_mahalanobis (test_no_negative_number_comes_
  under_the_root, test_what_is_no_covariance_is_refused)
- EMD divided by the wrong mass, without mass, of NaN costs, of mismatched shapes, of values and
  weights confused: test_emd (test_unequal_masses_on_the_line, test_bad_*)
- headers, NCD(x, x) and the window of compressors: test_ncd
- k > n: conformance (check_kneighbors_range), for all
- trees on equal rows, on what is no metric, and ties: test_index_exactness
- LSH without recall: test_lsh, test_recall
- a row taken for its own neighbour: test_rbf (test_duplicates_are_neighbours_of_each_other),
  test_footprint (test_a_row_among_equals_is_not_taken_for_its_own_neighbour)
- the rest of the engine's: test_engine
"""

import copy

import numpy as np
import pandas as pd
import pytest

import ilk
from cases import in_one_test
from ilk.testing.data import sample
from ilk.testing.use import trial_distance

N = 30
BY_PRODUCTS = {"kernel"}  # of matrices, which are rounded by the shape of a block


def examples(*kinds, symmetric=True):
    """Every example of every distance that declares one of some kinds of input, if any is given."""
    return [
        pytest.param(name, i, id=f"{name}-{i}")
        for name in ilk.distances()
        for i, example in enumerate(type_of(name).examples())
        if not kinds or {*kinds} & {*inputs(name)}
        if symmetric or not example.symmetric
    ]


def type_of(name):
    return ilk.registry("distance").get(name)


def inputs(name):
    return type_of(name).capabilities.inputs


def every(*kinds, **wanted):
    return pytest.mark.parametrize(("name", "example"), examples(*kinds, **wanted))


def new(name, example):
    return ilk.seeded(type_of(name).examples()[example], 0)


def fitted(name, example, change=lambda kind, X: X):
    """Return a fitted example with data of the first kind that it takes, changed somehow."""
    for kind in type_of(name).capabilities.inputs:
        X, y = sample(kind, N)
        d = new(name, example)
        try:
            d.fit(X, y).pairwise(X)
        except ilk.IlkError:
            continue
        changed = change(kind, X)
        if changed is None:
            pytest.skip(f"not for {kind}")
        return ilk.fit_component(new(name, example), changed, y), changed
    raise AssertionError(f"no kind of input suits {name}, example {example}")


def rows(X, indices):
    return ilk.take(X, np.asarray(indices))


# Cancellation.

STEPS = {np.float64: (2.0**-6, 2.0**30, 1e-9), np.float32: (2.0**-4, 2.0**14, 1e-5)}
STANDING = {"hausdorff", "sum_of_minima", "emd", "minkowski", "euclidean", "manhattan"}
STANDING |= {"chebyshev", "mahalanobis", "heterogeneous", "combined"}  # whatever their example


def moved(dtype, by):
    """Return a change that puts data on a grid, where moving them by so much rounds nothing."""
    step = STEPS[dtype][0]

    def move(points):
        return (np.round(np.asarray(points) / step) * step + by).astype(dtype)

    def change(kind, X):
        if kind in ("vectors", "views"):
            return pd.DataFrame(move(X), columns=X.columns) if kind == "views" else move(X)
        if kind == "sets":
            return [move(points) for points in X]
        if kind == "signatures":
            return [(move(points), weights.astype(dtype)) for points, weights in X]
        if kind == "tables":
            numeric = X.select_dtypes("number")
            return X.assign(**dict(zip(numeric, move(numeric).T, strict=True)))
        return None

    return change


@every("vectors", "views", "sets", "signatures", "tables")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_far_from_the_origin_no_digit_is_lost(name, example, dtype):
    d, X = fitted(name, example, moved(dtype, 0.0))
    near = d.pairwise(X)
    d, X = fitted(name, example, moved(dtype, 1.0))
    if not np.allclose(d.pairwise(X), near, rtol=1e-4, atol=1e-9):
        assert name not in STANDING
        pytest.skip("depends on where the origin is")
    _, far, error = STEPS[dtype]
    if name == "learned":
        error = max(error, 1e-6)  # what is learned is rounded, too
    d, X = fitted(name, example, moved(dtype, far))
    D = d.pairwise(X)
    np.testing.assert_allclose(D, near, rtol=error, atol=error * 1e-3)
    np.testing.assert_allclose(d.pairwise(X, copy.deepcopy(X)), D, rtol=1e-12)


# What else is computed beside a pair.


@every()
@pytest.mark.usefixtures("threads_for_few_rows")
def test_blocks_threads_and_copies_change_no_bit(name, example):
    d, X = fitted(name, example)
    slack = {"rtol": 1e-12, "atol": 1e-12} if name in BY_PRODUCTS else {"rtol": 0, "atol": 0}
    with ilk.threads(1):
        D = d.pairwise(X)
    some, others = [28, 3, 3, 17, 5], [0, 29, 8]
    with ilk.threads(3):
        again = {
            "threads": (d.pairwise(X), D),
            "copy": (d.pairwise(X, copy.deepcopy(X)), D),
            "row": (d.pairwise(rows(X, [7]), X), D[[7]]),
            "column": (d.pairwise(X, rows(X, [11])), D[:, [11]]),
            "block": (d.pairwise(rows(X, some), rows(X, others)), D[np.ix_(some, others)]),
        }
    for what, (got, expected) in again.items():
        np.testing.assert_allclose(got, expected, err_msg=what, **slack)


def of_many_lengths(kind, X):
    return [text[: 4 + i % 20] for i, text in enumerate(X)] if kind == "strings" else X


@in_one_test
@every(symmetric=False)
def test_what_is_asymmetric_is_not_mirrored(name, example):
    d, X = fitted(name, example, of_many_lengths)
    D = d.pairwise(X)
    for i, j in ((4, 9), (9, 4)):
        assert d.pairwise(rows(X, [i]), rows(X, [j]))[0, 0] == D[i, j]
    if name != "callable":  # whose examples are symmetric, but do not say so
        assert (D != D.T).any()


@in_one_test
@every()
def test_neighbours_are_each_row_once_though_all_are_equal(name, example):
    d, X = fitted(name, example)
    equal = rows(X, [3] * 12)
    for k in (1, 5, 12):
        _, where = d.kneighbors(rows(X, [0, 3]), equal, k)
        np.testing.assert_array_equal(where, np.tile(np.arange(k), (2, 1)))


# Integers.


@in_one_test
@every("vectors", "histograms")
@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.bool_, np.uint16, np.int64])
def test_integers_neither_wrap_around_nor_come_back(name, example, dtype):
    rng = np.random.default_rng(0)
    info = np.iinfo(dtype) if dtype is not np.bool_ else None
    signed = "vectors" in type_of(name).capabilities.inputs
    low, high = (0, 1) if info is None else (max(info.min, -1000), min(info.max, 60000))
    whole = rng.integers(low if signed else 0, high + 1, (N, 4))
    whole[:, 0], whole[:, 1] = (high, low if signed else 0)  # no row is constant
    whole[::2, :2] = whole[::2, 1::-1]
    if dtype is np.bool_:
        whole[:, :2] = 1, 0
    fit = rng.dirichlet(np.ones(4), N) if not signed else rng.normal(size=(N, 4))
    try:
        d = ilk.fit_component(new(name, example), fit, np.arange(N) % 2)
    except ilk.IlkError:
        pytest.skip("takes another kind of input")
    D = d.pairwise(whole.astype(dtype))
    assert D.dtype == np.float64
    np.testing.assert_array_equal(D, d.pairwise(whole.astype(float)))


# Histograms.


def odd_histograms():
    base = np.random.default_rng(1).dirichlet(np.ones(4), 6) + 0.01
    close = base[0] * (1 + np.arange(6)[:, None] * 2.0**-50 * np.array([1, -1, 1, 0]))
    return {
        "nearly equal": close,
        "nearly equal in float32": (base[:1] * (1 + np.arange(6)[:, None] * 2e-7)).astype("f4"),
        "subnormal": base * 1e-310,
        "subnormal in float32": (base * 1e-40).astype(np.float32),
        "of any mass": base * 10.0 ** np.arange(-3, 3)[:, None],
        "large": base * 1e300,
        "of all sizes": 10.0 ** np.random.default_rng(2).integers(-300, 0, (6, 4)),
    }


HISTOGRAMS = every("histograms")


@in_one_test
@HISTOGRAMS
@pytest.mark.parametrize("kind", list(odd_histograms()))
def test_odd_histograms_are_at_finite_distances(name, example, kind):
    X = odd_histograms()[kind]
    d = ilk.fit_component(new(name, example), sample("histograms", N).X, None)
    try:
        D = d.pairwise(X)
    except ilk.InputError:
        assert (name, kind) == ("kernel", "large")  # whose products are beyond any number
        return
    assert (D >= 0).all()
    assert np.isfinite(D).all() or (kind == "large" and not getattr(d, "normalize", False))
    assert not np.diagonal(D).any()


@in_one_test
@HISTOGRAMS
def test_histograms_of_one_bin(name, example):
    d = new(name, example)
    X = np.array([[1.0], [1.0], [3.0]])
    try:
        D = d.fit(X).pairwise(X)
    except ilk.ParameterError:
        pytest.skip("has positions for four bins")
    assert np.isfinite(D).all()
    assert (D >= 0).all()
    assert D[0, 1] == 0
    if getattr(d, "normalize", False):
        np.testing.assert_array_equal(D, 0)


@in_one_test
@HISTOGRAMS
def test_empty_bins_give_no_nan(name, example):
    X = np.eye(4)[[0, 1, 2, 3, 0]] + [[0.0], [0.5], [0.0], [0.0], [0.0]] * np.eye(4)[2]
    d = ilk.fit_component(new(name, example), sample("histograms", N).X, None)
    D = d.pairwise(X)
    assert (D >= 0).all()
    assert D[0, 4] == 0


# Powers.


@in_one_test
@pytest.mark.parametrize("p", [50, 1000, 1e6, 1e300])
@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_a_large_p_is_nearly_the_largest_difference(p, size):
    X = np.random.default_rng(0).normal(size=(8, 5)) * size
    largest = ilk.distance("chebyshev").pairwise(X)
    D = ilk.distance("minkowski", p=p).pairwise(X)
    assert (largest * (1 - 1e-12) <= D).all()
    assert (largest * (1 + 1e-12) * 5 ** (1 / p) >= D).all()


# The earth mover's distance.


def test_float32_weights_need_not_sum_to_exactly_one():
    weights = np.full(10, 0.1, dtype=np.float32)
    assert weights.sum(dtype=float) != 1
    x = (np.arange(10, dtype=np.float32)[:, None], weights)
    y = (np.array([[3.0]], dtype=np.float32), np.ones(1, dtype=np.float32))
    assert ilk.distance("emd").between(x, y) == pytest.approx(2.7, rel=1e-6)


def test_positions_may_come_in_any_order(rng):
    X, places, order = rng.dirichlet(np.ones(9), 5), rng.normal(size=9), rng.permutation(9)
    D = ilk.distance("emd", positions=places).pairwise(X)
    shuffled = ilk.distance("emd", positions=places[order]).pairwise(X[:, order])
    np.testing.assert_allclose(shuffled, D, rtol=1e-12)
    signatures = [(places[order, None], x[order]) for x in X]
    np.testing.assert_allclose(ilk.distance("emd").pairwise(signatures), D, rtol=1e-12)


@in_one_test
@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
@pytest.mark.parametrize("scale", [5e-324 * 2**40, 1e-300, 1.0, 1e300, 1.7e308])
@pytest.mark.parametrize("period", [None, 4.0])
def test_closed_forms_of_masses_and_places_of_any_size(scale, size, period):
    X = np.random.default_rng(0).dirichlet(np.ones(4), 5) * 0.9
    places, scaled = np.arange(4.0), np.arange(4.0) * size
    D = ilk.distance("emd", positions=places, period=period, normalize=True).pairwise(X)
    around = None if period is None else period * size
    d = ilk.distance("emd", positions=scaled, period=around)
    E = d.pairwise(X * scale)
    np.testing.assert_allclose(E, D * size, rtol=1e-9)
    assert not np.diagonal(E).any()
    signatures = [(scaled[:, None], x * scale) for x in X]
    on_line = ilk.distance("emd", period=around).pairwise(signatures)
    np.testing.assert_allclose(on_line, D * size, rtol=1e-9)


# Bad values in what is no array.


def with_bad_value(kind, X, bad):
    X = list(X)
    if kind == "strings":
        X[5] = None if np.isnan(bad) else 3.5
    elif kind == "sets":
        X[5] = np.array([[0.0, bad, 0.0], [1, 1, 1]])
    else:
        X[5] = ([[0.0, bad, 0.0], [1, 1, 1]], [1.0, 1.0])
    return X


def object_examples():
    return [
        pytest.param(*case.values, kind, id=f"{case.id}-{kind}")
        for kind in ("strings", "sets", "signatures")
        for case in examples(kind)
        if case.values[0] != "callable"  # what an object may be is the function's business
    ]


@in_one_test
@pytest.mark.parametrize(("name", "example", "kind"), object_examples())
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_bad_values_in_objects_are_named(name, example, kind, bad):
    X, y = sample(kind, N)
    d = new(name, example)
    try:
        d.fit(X, y).pairwise(X)
    except ilk.IlkError:
        pytest.skip("takes another kind of input")
    with pytest.raises(ilk.IlkError, match="5") as caught:
        d.pairwise(with_bad_value(kind, X, bad), X)
    assert name in str(caught.value)


# Indexes.


@in_one_test
@pytest.mark.parametrize("name", ilk.indexes())
def test_no_neighbour_is_listed_twice_nor_left_out(name):
    if name in {"hnsw", "faiss"}:
        pytest.importorskip("hnswlib" if name == "hnsw" else name, reason="in the extra ann")
    cls = ilk.registry("index").get(name)
    X, y = sample(cls.capabilities.inputs[0], 40)
    X = rows(X, np.r_[np.arange(12), np.full(28, 5)])
    for index in cls.examples():
        index.fit(X, y, distance=trial_distance(index).fit(X))
        for k in (1, 10, 40):
            near, where = index.kneighbors(rows(X, [0, 5, 30]), k)
            assert all(len(set(found)) == k for found in where.tolist())
            assert {*where.ravel().tolist()} <= {*range(40)}
            assert (near[:, 1:] >= near[:, :-1]).all()
