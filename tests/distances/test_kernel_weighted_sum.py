"""Weighted sums of kernels, and the alignment that finds weights."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import ilk
from cases import in_one_test
from ilk_distances.kernels.gram import alignment, center, target

WIDTHS = [{"use": "rbf", "sigma": s} for s in (0.3, 1.0, 4.0)]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 50)
    X = rng.normal(size=(50, 4))
    X[:, 0] += 2 * y
    return X, y


def aligned(weights, grams, y, *, centered=True):
    return alignment(np.tensordot(weights, grams, 1), y, centered=centered)


def test_given_weights(data):
    X, _ = data
    kernel = ilk.kernel("weighted_sum", kernels=["linear", "polynomial"], weights=[2.0, 0.5])
    expected = 2 * ilk.kernel("linear").gram(X) + 0.5 * ilk.kernel("polynomial").gram(X)
    np.testing.assert_allclose(kernel.fit(X).gram(X), expected, rtol=1e-13)
    np.testing.assert_allclose(kernel.gram(X[:3], X), expected[:3], rtol=1e-13)
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(expected), rtol=1e-13)


def test_uniform_weights_sum_to_one(data):
    kernel = ilk.kernel("weighted_sum", kernels=WIDTHS).fit(*data)
    np.testing.assert_allclose(kernel.weights_, [1 / 3] * 3)
    np.testing.assert_allclose(kernel.diagonal(data[0]), 1)


@in_one_test
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_pyramid_weights(n, data):
    weights = ilk.kernel("weighted_sum", kernels=["rbf"] * n, weights="pyramid").fit(*data).weights_
    printed = np.array([1 / 2 ** (n - 1 - i + 1) for i in range(n)])  # equation (10.17), Q = n - 1
    np.testing.assert_allclose(weights, printed / printed.sum(), rtol=1e-15)
    if n == 3:
        assert printed.sum() == 7 / 8
        np.testing.assert_allclose(weights, [1 / 7, 2 / 7, 4 / 7])


def test_views_of_arrays_and_tables(data):
    X, _ = data
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    rbf = [{"use": "rbf", "sigma": 1.0}] * 2
    expected = sum(
        ilk.kernel("rbf", sigma=1.0).fit(X[:, v]).gram(X[:, v]) / 2 for v in ([0, 1], [2])
    )
    for Z, views in (
        (X, [[0, 1], [2]]),
        (table, [["a", "b"], ["c"]]),
        (table, {"left": ["a", "b"], "right": ["c"]}),
        (table, [[0, 1], [2]]),
    ):
        got = ilk.kernel("weighted_sum", kernels=rbf, views=views).fit(Z).gram(Z)
        np.testing.assert_allclose(got, expected, rtol=1e-13)


@pytest.mark.parametrize("centered", [True, False])
def test_aligned_weights_are_best(centered, data):
    X, y = data
    kernel = ilk.kernel(
        "weighted_sum", kernels=[*WIDTHS, "linear"], weights="alignment", centered=centered
    )
    weights = kernel.fit(X, y).weights_
    grams = np.array([k.gram(X) for k in kernel.kernels_])
    best = aligned(weights, grams, y, centered=centered)
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    found = minimize(
        lambda w: -aligned(np.abs(w), grams, y, centered=centered), np.full(4, 0.25), tol=1e-12
    )
    assert best >= -found.fun - 1e-7
    for one in np.eye(4):
        assert best >= aligned(one, grams, y, centered=centered) - 1e-12


def test_equal_kernels_share_or_take_turns(data):
    X, y = data
    kernel = ilk.kernel("weighted_sum", kernels=["rbf", "rbf"], weights="alignment").fit(X, y)
    assert kernel.weights_.sum() == pytest.approx(1)
    np.testing.assert_allclose(kernel.gram(X), ilk.kernel("rbf").fit(X).gram(X), rtol=1e-12)


def test_alignment_finds_the_view_that_tells():
    rng = np.random.default_rng(2)
    y = np.repeat(["a", "b"], 40)
    X = np.column_stack([rng.normal(size=80), (y == "b") * 4 + rng.normal(size=80)])
    kernel = ilk.kernel(
        "weighted_sum", kernels=["rbf", "rbf"], views=[[0], [1]], weights="alignment"
    ).fit(X, y)
    assert kernel.weights_[1] > 0.9


def test_a_constant_kernel_gets_no_weight(data):
    X, y = data
    flat = {"use": "polynomial", "degree": 1, "gamma": 1e-300}
    kernel = ilk.kernel("weighted_sum", kernels=["rbf", flat], weights="alignment").fit(X, y)
    np.testing.assert_array_equal(kernel.weights_, [1, 0])
    with pytest.raises(ilk.InputError, match="no kernel is aligned with the labels y"):
        ilk.kernel("weighted_sum", kernels=[flat], weights="alignment").fit(X, y)


def test_near_constant_kernels_keep_their_digits(data):
    X, y = data
    broad = [{"use": "rbf", "sigma": 1e4}, {"use": "rbf", "sigma": 1.0}]
    kernel = ilk.kernel("weighted_sum", kernels=broad, weights="alignment").fit(X, y)
    grams = np.array([center(k.gram(X)) for k in kernel.kernels_])
    M = np.einsum("aij,bij->ab", grams, grams)
    a = np.einsum("aij,ij->a", grams, target(y))
    w = np.linalg.solve(M, a)
    assert (w > 0).all()
    np.testing.assert_allclose(kernel.weights_, w / w.sum(), rtol=1e-4)


def test_gradient(data):
    X, _ = data
    weights = np.array([0.2, 1.0, 3.0])

    def make(w):
        return ilk.kernel("weighted_sum", kernels=WIDTHS, weights=w).fit(X)

    gram, gradient = make(weights).gram_gradient(X)
    np.testing.assert_allclose(gram, make(weights).gram(X), rtol=1e-14)
    for i in range(3):
        up, down = (make(weights * np.exp(e * (np.arange(3) == i))).gram(X) for e in (1e-6, -1e-6))
        np.testing.assert_allclose(gradient[..., i], (up - down) / 2e-6, atol=1e-8)


@given(seed=st.integers(0, 500), n=st.integers(2, 12))
def test_positive_semidefinite(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    kernel = ilk.kernel("weighted_sum", kernels=WIDTHS, weights=rng.random(3) + 0.01).fit(X)
    assert np.linalg.eigvalsh(kernel.gram(X))[0] >= -1e-12


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"weights": [1.0]}, "weights must have one value for each of 2 kernels"),
        ({"weights": [1.0, -1.0]}, "weights must be finite, at least 0"),
        ({"weights": [0.0, 0.0]}, "not all 0"),
        ({"weights": "alignmnt"}, "did you mean 'alignment'"),
        ({"views": [[0]]}, "views must have one entry for each of 2 kernels, got 1"),
        ({"kernels": []}, "kernels must hold at least one"),
    ],
)
def test_bad_parameters(parameters, message, data):
    kernel = ilk.registry("kernel").get("weighted_sum")(**parameters)
    with pytest.raises(ilk.ParameterError, match=message):
        kernel.fit(*data)


def test_bad_input(data):
    X, _ = data
    with pytest.raises(ilk.ParameterError, match=r"views \[1\] must give positions .*, got 9"):
        ilk.kernel("weighted_sum", views=[[0], [9]]).fit(X)
    table = pd.DataFrame(X, columns=list("abcd"))
    with pytest.raises(ilk.ParameterError, match=r"views \[1\] must name columns .*, got 'e'"):
        ilk.kernel("weighted_sum", views=[["a"], ["e"]]).fit(table)
    with pytest.raises(ilk.InputError, match="weighted_sum: requires y"):
        ilk.kernel("weighted_sum", weights="alignment").fit(X)
    with pytest.raises(ilk.InputError, match="Y has 3 features"):
        ilk.kernel("weighted_sum").fit(X).gram(X, X[:, :3])


def test_alignment_of_the_target_is_one():
    for y in ([0, 0, 1], ["a", "b", "c", "a"], [True, False]):
        for centered in (True, False):
            assert alignment(target(y), y, centered=centered) == pytest.approx(1)
            assert alignment(3 * target(y), y, centered=centered) == pytest.approx(1)
            assert alignment(-target(y), y, centered=centered) == pytest.approx(-1)


def test_alignment_by_its_definition(data):
    X, y = data
    K = ilk.kernel("rbf").fit(X).gram(X)
    G = np.where(y[:, None] == y, 1, -1)
    cosine = (K * G).sum() / np.sqrt((K**2).sum() * (G**2).sum())
    assert alignment(K, y, centered=False) == pytest.approx(cosine, rel=1e-13)
    H = np.eye(50) - 1 / 50
    np.testing.assert_allclose(center(K), H @ K @ H, atol=1e-13)
    K, G = H @ K @ H, H @ G @ H
    cosine = (K * G).sum() / np.sqrt((K**2).sum() * (G**2).sum())
    assert alignment(ilk.kernel("rbf").fit(X).gram(X), y) == pytest.approx(cosine, rel=1e-12)


def test_alignment_that_is_not_centred_is_fooled_by_unequal_classes():
    y = [0] * 95 + [1] * 5
    assert alignment(np.ones((100, 100)), y, centered=False) > 0.8
    assert alignment(np.ones((100, 100)), y) == 0


def test_alignment_with_a_matrix_of_its_own(data):
    X, y = data
    K = ilk.kernel("linear").gram(X)
    assert alignment(K, np.outer(X[:, 0], X[:, 0])) > alignment(K, np.outer(y, y) * 0.0) == 0
    with pytest.raises(ilk.InputError, match=r"alignment: K must be square, got shape \(50, 3\)"):
        alignment(K[:, :3], y)
    with pytest.raises(ilk.InputError, match="alignment: y: has NaN or None at row 1"):
        alignment(K[:2, :2], [1.0, np.nan])


@in_one_test
@pytest.mark.parametrize(
    ("views", "message"),
    [
        ([1, 2], r"views must be a table of lists of columns"),
        (["ab", "cd"], r"views must be a table of lists of columns"),
        ([[0], []], r"views \[1\] must have a column, got none"),
        ({"a": [0], "b": [True]}, r"views \['b'\] must give positions of columns of X, got True"),
        ([[0], [-1]], r"views \[1\] must give positions of columns of X, got -1"),
        ([[0], [1.0]], r"views \[1\] must give positions of columns of X, got 1.0"),
    ],
)
def test_no_views(views, message, data):
    kernel = ilk.registry("kernel").get("weighted_sum")(views=views)
    with pytest.raises(ilk.ParameterError, match=f"weighted_sum: {message}"):
        kernel.fit(data[0])


def test_columns_in_another_order(data):
    X, _ = data
    table = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
    kernel = ilk.kernel("weighted_sum", views=[["c", "a"], [1]]).fit(table)
    assert kernel.columns_[0].tolist() == [2, 0]
    np.testing.assert_array_equal(kernel.gram(table[["b", "c", "a"]]), kernel.gram(table))
    with pytest.raises(ilk.InputError, match=r"weighted_sum: X lacks \['c'\] of the columns"):
        kernel.gram(table[["a", "b"]])


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_alignment_of_small_and_large_matrices(scale, data):
    X, y = data
    K = ilk.kernel("linear").gram(X)
    assert alignment(K * scale, y) == pytest.approx(alignment(K, y))


@in_one_test
@pytest.mark.parametrize(
    ("K", "message"),
    [
        ([["a"]], "alignment: K must be of real numbers, got type <U1"),
        ([[1j]], "alignment: K must be of real numbers, got type complex128"),
        ([[1.0, np.nan], [0.0, 1.0]], r"alignment: K must be finite, got nan at \[0, 1\]"),
        ([[1.0, 2.0], [0.0, 1.0]], "alignment: K must be symmetric, got 2.0"),
        (None, "alignment: K must be"),
    ],
)
def test_no_matrix_to_align(K, message):
    with pytest.raises(ilk.InputError, match=message):
        alignment(K, ["a"] * np.shape(K)[0] if np.ndim(K) else ["a"])
