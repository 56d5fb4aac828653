"""Minkowski distances: worked examples, exactness, and what bad input gets."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import cdist

import ilk
from cases import in_one_test

EXPONENTS = [0.5, 1, 1.5, 2, 3, 10, np.inf]
NAMES = ["manhattan", "euclidean", "chebyshev"]
A, B, C = [1.0, 1.0], [5.0, 1.0], [4.0, 4.0]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def minkowski(p, weights=None):
    return ilk.distance("minkowski", p=p, weights=weights)


@pytest.mark.parametrize(("p", "expected"), [(1, 6), (2, 4.24), (3, 3.78)])
def test_cunningham_example(p, expected):
    assert minkowski(p).between(A, B) == 4
    assert round(minkowski(p).between(A, C), 2) == expected


def test_which_neighbour_is_nearer_depends_on_p():
    nearer = [minkowski(p).between(A, C) < minkowski(p).between(A, B) for p in (1, 2, 3)]
    assert nearer == [False, False, True]


@in_one_test
@pytest.mark.parametrize("p", EXPONENTS)
@pytest.mark.parametrize("n_features", [1, 2, 200])
def test_agrees_with_scipy(p, n_features, rng):
    X, Y = rng.normal(size=(7, n_features)), rng.normal(size=(5, n_features))
    metric = {"metric": "chebyshev"} if p == np.inf else {"metric": "minkowski", "p": p}
    np.testing.assert_allclose(minkowski(p).pairwise(X, Y), cdist(X, Y, **metric), rtol=1e-12)


@in_one_test
@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 3, 10])
def test_weights_agree_with_scipy(p, rng):
    X, w = rng.normal(size=(6, 4)), rng.uniform(0.1, 5, 4)
    expected = cdist(X, X, "minkowski", p=p, w=w)
    np.testing.assert_allclose(minkowski(p, w).pairwise(X), expected, rtol=1e-12)


@in_one_test
@pytest.mark.parametrize(("name", "p"), list(zip(NAMES, [1, 2, np.inf], strict=True)))
@pytest.mark.parametrize("weights", [None, [2, 0, 0.5]])
def test_names_of_special_cases(name, p, weights, rng):
    X = rng.normal(size=(6, 3))
    got = ilk.distance(name, weights=weights).pairwise(X)
    np.testing.assert_array_equal(got, minkowski(p, weights).pairwise(X))


@in_one_test
@pytest.mark.parametrize("p", EXPONENTS)
def test_weight_zero_leaves_a_feature_out(p, rng):
    X = rng.normal(size=(6, 3))
    got = minkowski(p, [1, 0, 1]).pairwise(X)
    np.testing.assert_array_equal(got, minkowski(p, [1, 1]).pairwise(X[:, [0, 2]]))


def test_size_of_weights_does_not_matter_at_infinity():
    assert minkowski(np.inf, [0.001, 1000]).between([0, 0], [3, 2]) == 3


@pytest.mark.parametrize("p", [1, 2, 3])
def test_whole_weights_repeat_features(p, rng):
    X = rng.normal(size=(6, 2))
    repeated = minkowski(p).pairwise(X[:, [0, 0, 0, 1]])
    np.testing.assert_allclose(minkowski(p, [3, 1]).pairwise(X), repeated, rtol=1e-14)


vectors = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 5), st.just(3)),
    elements=st.floats(allow_nan=False, allow_infinity=False),
)


@given(X=vectors, Y=vectors, p=st.sampled_from([*EXPONENTS, 300.0]))
def test_any_finite_numbers(X, Y, p):
    """Equal rows at 0, the transpose exact, nothing lost on the way: between max and p-sum."""
    distance = minkowski(p)
    D = distance.pairwise(X, Y)
    assert not np.isnan(D).any()
    np.testing.assert_array_equal(distance.pairwise(Y, X), D.T)
    assert (np.diagonal(distance.pairwise(X)) == 0).all()
    different = (X[:, None, :] != Y[None, :, :]).any(axis=2)
    np.testing.assert_array_equal(D > 0, different)
    with np.errstate(over="ignore"):
        largest = np.abs(X[:, None, :] - Y[None, :, :]).max(axis=2)
    assert (largest * (1 - 1e-15) <= D).all()
    if p >= 1:
        with np.errstate(over="ignore"):
            assert (largest * 3 ** (1 / p) * (1 + 1e-14) + 5e-324 >= D).all()


@given(X=vectors, p=st.sampled_from(EXPONENTS))
def test_rows_do_not_depend_on_their_company(X, p):
    distance = minkowski(p, [1.0, 0.3, 7.0])
    D = distance.pairwise(X)
    for i in range(len(X)):
        np.testing.assert_array_equal(distance.pairwise(X[i : i + 1], X), D[i : i + 1])
        np.testing.assert_array_equal(distance.pairwise(X, X[i : i + 1]), D[:, i : i + 1])


@in_one_test
@pytest.mark.parametrize("p", EXPONENTS)
def test_blocks_change_no_bit(p, rng):
    X, Y = rng.normal(size=(70, 5)), rng.normal(size=(1001, 5))
    D = minkowski(p).pairwise(X, Y)
    pieces = [minkowski(p).pairwise(X, Y[s : s + 77]) for s in range(0, 1001, 77)]
    np.testing.assert_array_equal(np.hstack(pieces), D)


@given(
    X=hnp.arrays(np.float64, (3, 4), elements=st.floats(-100, 100)),
    p=st.sampled_from([1, 1.5, 2, 3, np.inf]),
)
def test_triangle_inequality(X, p):
    D = minkowski(p).pairwise(X)
    assert D[0, 2] <= (D[0, 1] + D[1, 2]) * (1 + 1e-12)


def test_below_one_is_no_metric():
    D = minkowski(0.5).pairwise([[0, 0], [1, 0], [1, 1]])
    assert D[0, 2] == 4 > D[0, 1] + D[1, 2]
    assert not minkowski(0.5).metric
    assert minkowski(1).metric
    assert minkowski(np.inf).metric
    assert minkowski(2, [1, 2]).metric
    assert not minkowski(2, [1, 0]).metric
    assert minkowski(0.5).symmetric


@in_one_test
@pytest.mark.parametrize("p", [0.5, 2, 3, 300, 2000])
@pytest.mark.parametrize("size", [1e200, 1e-200, 1e300, 2.0**-1070])
def test_powers_neither_overflow_nor_vanish(p, size):
    expected = minkowski(p).between([0, 0, 0], [1, 2, 4]) * size
    np.testing.assert_allclose(
        minkowski(p).between([0, 0, 0], [size, 2 * size, 4 * size]), expected, rtol=1e-13
    )


def test_large_and_small_pairs_side_by_side():
    X = [[0.0, 0.0], [3e-200, 4e-200], [3e200, 4e200], [3.0, 4.0]]
    expected = [0, 5e-200, 5e200, 5]
    np.testing.assert_allclose(minkowski(2).pairwise(X)[0], expected, rtol=1e-15)


@in_one_test
@pytest.mark.parametrize("p", [0.5, 2, 3])
@pytest.mark.parametrize("size", [1e-300, 1e-30, 1e30, 1e150])
def test_size_of_weights_is_scaled_out(p, size):
    weights = np.array([1.0, 2.0])
    tiny = minkowski(p, size * weights).between([0, 0], [1e-3, 2e-3])
    expected = minkowski(p, weights).between([0, 0], [1e-3, 2e-3]) * size ** (1 / p)
    np.testing.assert_allclose(tiny, expected, rtol=1e-12)


@in_one_test
@pytest.mark.parametrize("p", EXPONENTS)
def test_largest_weights_keep_equal_rows_at_zero(p):
    assert minkowski(p, [1e308, 1e308]).between([1, 2], [1, 2]) == 0


@in_one_test
@pytest.mark.parametrize("p", EXPONENTS)
def test_beyond_the_largest_number_is_infinite(p):
    assert minkowski(p).between([1e308, 0], [-1e308, 0]) == np.inf
    single = np.array([[3e38, 0], [-3e38, 0]], dtype=np.float32)
    assert minkowski(p).pairwise(single)[0, 1] == np.inf


@pytest.mark.parametrize("name", NAMES)
def test_close_rows_far_from_the_origin(name):
    """The expansion of the square gives 0 here, or noise."""
    offset, step = 1e8, 2.0**-20
    X = np.array([[offset, offset], [offset + step, offset]])
    assert ilk.distance(name).pairwise(X)[0, 1] == step


def test_euclidean_against_exact_fractions(rng):
    X = 1e6 + rng.normal(size=(4, 3)) * 1e-3
    D = ilk.distance("euclidean").pairwise(X)
    for i, x in enumerate(X):
        for j, y in enumerate(X):
            square = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(x, y, strict=True))
            assert D[i, j] == pytest.approx(float(square) ** 0.5, rel=1e-15)


@in_one_test
@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, bool])
@pytest.mark.parametrize("name", NAMES)
def test_integers_do_not_wrap_around(dtype, name):
    low, high = (0, 1) if dtype is bool else (np.iinfo(np.int8).min, 127)
    low = 0 if dtype in (np.uint8, bool) else low
    X = np.array([[low], [high]], dtype=dtype)
    D = ilk.distance(name).pairwise(X)
    assert D.dtype == np.float64
    assert D[0, 1] == D[1, 0] == float(high) - float(low)


@in_one_test
@pytest.mark.parametrize("p", EXPONENTS)
def test_float32(p, rng):
    X = rng.normal(size=(5, 3)).astype(np.float32)
    D = minkowski(p, [1, 2, 3]).pairwise(X)
    assert D.dtype == np.float32
    np.testing.assert_allclose(D, minkowski(p, [1, 2, 3]).pairwise(X.astype(float)), rtol=1e-6)
    assert minkowski(p).pairwise(X, X.astype(float)).dtype == np.float64


@in_one_test
@pytest.mark.parametrize("p", EXPONENTS)
def test_any_layout_of_memory(p, rng):
    X = rng.normal(size=(6, 4))
    expected = minkowski(p).pairwise(X.copy())
    big = np.zeros((12, 8))
    big[::2, ::2] = X
    frozen = X.copy()
    frozen.setflags(write=False)
    for other in (np.asfortranarray(X), big[::2, ::2], frozen, X.tolist()):
        np.testing.assert_array_equal(minkowski(p).pairwise(other), expected)


@in_one_test
@pytest.mark.parametrize("p", EXPONENTS)
def test_one_row_and_one_feature(p):
    assert minkowski(p).pairwise([[3.0]]) == [[0.0]]
    assert minkowski(p).pairwise([[3.0]], [[1.0], [3.0]]).tolist() == [[2.0, 0.0]]


@in_one_test
@pytest.mark.parametrize("p", EXPONENTS)
def test_all_rows_equal(p):
    assert not minkowski(p).pairwise(np.full((300, 3), 0.1)).any()


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"p": 0}, "minkowski: p must be a number > 0, got 0"),
        ({"p": -1.0}, "p must be"),
        ({"p": float("nan")}, "p must be"),
        ({"p": "2"}, "p must be"),
        ({"weights": [1, -2]}, r"minkowski: weights must be finite and at least 0, got -2.0 at 1"),
        ({"weights": [1, np.nan]}, "weights must be finite and at least 0, got nan at 1"),
        ({"weights": [[1, 2]]}, "weights must be a vector"),
        ({"weights": [0, 0]}, "weights must not all be 0"),
    ],
)
def test_bad_parameters(parameters, message):
    from_class = ilk.registry("distance").get("minkowski")(**parameters)
    for use in (lambda: minkowski(**{"p": 2, **parameters}), lambda: from_class.pairwise([[1, 2]])):
        with pytest.raises(ilk.ParameterError, match=message):
            use()


def test_number_of_weights():
    with pytest.raises(ilk.ParameterError, match="one value for each of 3 features, got 2"):
        minkowski(2, [1, 2]).pairwise(np.ones((2, 3)))


def test_bad_cells_are_named():
    X = np.ones((4, 3))
    X[2, 1] = np.nan
    with pytest.raises(ilk.InputError, match="euclidean: X has NaN at row 2, column 1"):
        ilk.distance("euclidean").pairwise(X)
    X[2, 1] = np.inf
    with pytest.raises(ilk.InputError, match="Y has infinity .* at row 2, column 1"):
        ilk.distance("euclidean").pairwise(np.ones((1, 3)), X)
    with pytest.raises(ilk.InputError, match="X has 2 features but Y has 3"):
        ilk.distance("euclidean").pairwise(np.ones((1, 2)), np.ones((1, 3)))


def test_spec_keeps_infinity():
    spec = ilk.to_spec(minkowski(np.inf, [1, 2]))
    assert spec == {"use": "minkowski", "p": np.inf, "weights": [1, 2]}
    assert ilk.to_spec(ilk.build(spec)) == spec
