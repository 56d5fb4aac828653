"""icf against the definition of local sets, written with loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk


@st.composite
def labelled(draw, classes=3, least=6, most=25):
    """Points on a small grid, so that distances tie and points coincide, with labels."""
    n = draw(st.integers(least, most))
    points = st.tuples(st.integers(0, 5), st.integers(0, 5))
    X = np.array(draw(st.lists(points, min_size=n, max_size=n)), dtype=float)
    y = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)))
    return X, y


def squares(X):
    return ((X[:, None] - X[None]) ** 2).sum(axis=-1)


def agrees(D, y, i, rows, k):
    near = sorted((j for j in rows if j != i), key=lambda j: (D[i, j], j))[:k]
    votes = [sum(y[j] == c for j in near) for c in set(y)]
    return not near or sum(y[j] == y[i] for j in near) == max(votes)


def without_noise(D, y, k, noise):
    rows = list(range(len(y)))
    while noise != "none":
        left = [i for i in rows if agrees(D, y, i, rows, k)]
        if noise == "enn" or left == rows:
            return left
        rows = left
    return rows


def filtered(D, y, rows):
    """What is left, and in how many passes; each holds all local sets as sets."""
    passes = 0
    while True:
        passes += 1
        enemy = {i: min((D[i, j] for j in rows if y[j] != y[i]), default=np.inf) for i in rows}
        reach = {
            i: {j for j in rows if j != i and y[j] == y[i] and D[i, j] < enemy[i]} for i in rows
        }
        cover = {i: {j for j in rows if i in reach[j]} for i in rows}
        left = [i for i in rows if len(reach[i]) <= len(cover[i])]
        if left == rows:
            return rows, passes
        rows = left


def kept(X, y, **parameters):
    editor = ilk.editor("icf", **parameters)
    editor.fit_resample(X, y)
    return editor.sample_indices_.tolist(), editor.n_passes_


@given(labelled(), st.integers(1, 5), st.sampled_from(["enn", "renn", "none"]))
def test_icf_is_what_brighton_and_mellish_describe(data, k, noise):
    X, y = data
    D = squares(X)
    assert kept(X, y, k=k, noise=noise) == filtered(D, y, without_noise(D, y, k, noise))


@given(labelled(), st.integers(1, 3), st.integers(0, 100))
def test_the_order_of_cases_does_not_matter_without_the_noise_pass(data, k, seed):
    X, y = data
    order = np.random.default_rng(seed).permutation(len(y))
    rows, passes = kept(X, y, k=k, noise="none")
    shuffled, again = kept(X[order], y[order], k=k, noise="none")
    assert (sorted(order[shuffled].tolist()), again) == (rows, passes)


def test_worked():
    # Nearest enemies are 5, 4, 3 away of 0, 1, 2 and 3, 4 of 5, 6. The local sets of 0, 1, 2
    # are all of their class, those of 5 and 6 too: nobody is reached by more than it covers.
    X = np.array([[0.0], [1], [2], [5], [6]])
    assert kept(X, list("aaabb"), k=1) == ([0, 1, 2, 3, 4], 1)
    # Of 0, 2, 3.5 | 6: enemies are 6, 4, 2.5 away. L(0) = {2, 3.5}, L(2) = {0, 3.5} and
    # L(3.5) = {2}: 0 is covered by two and covers one, and goes. Then L(2) = {3.5}, L(3.5) = {2}.
    X = np.array([[0.0], [2], [3.5], [6]])
    assert kept(X, list("aaab"), noise="none", k=1) == ([1, 2, 3], 2)


def test_conflicting_twins_have_empty_local_sets():
    X = [[0.0], [0.0], [1.0], [1.0]]
    assert kept(X, [0, 1, 0, 1], k=1, noise="none") == ([0, 1, 2, 3], 1)


@pytest.mark.parametrize("noise", ["enn", "renn", "none"])
def test_of_one_class_all_stay(noise):
    X = np.random.default_rng(0).normal(size=(30, 2))
    assert kept(X, np.zeros(30), noise=noise) == (list(range(30)), 1)


def test_the_same_in_blocks_of_any_size(monkeypatch, blobs):
    from ilk_learners.editors import icf

    X, y, _ = blobs
    expected = kept(X, y)
    assert len(expected[0]) < len(y)
    for size in (1, 250, 1000):
        monkeypatch.setattr(icf, "_BLOCK", size)
        assert kept(X, y) == expected


def test_too_few_cases_are_named():
    with pytest.raises(ilk.InputError, match="icf"):
        kept([[0.0], [1.0], [2.0]], [0, 1, 0], k=3)
