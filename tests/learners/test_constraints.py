"""Pairs of rows, drawn and given."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk_learners.metric_learners.constraints import (
    any_pairs,
    check_pairs,
    draw_pairs,
)

OWNER = ilk.metric_learner("mmc")
labels = st.lists(st.integers(0, 4), min_size=1, max_size=25).map(np.array)


def rng(seed=0):
    return np.random.RandomState(seed)


def as_sets(pairs):
    return [{frozenset(p) for p in part.tolist()} for part in pairs]


@given(labels, st.integers(2, 60))
def test_drawn_pairs_keep_to_labels_and_do_not_repeat(codes, number):
    similar, dissimilar = draw_pairs(codes, number, rng())
    assert all(codes[i] == codes[j] and i < j for i, j in similar)
    assert all(codes[i] != codes[j] and i < j for i, j in dissimilar)
    for part, wanted, alike in (
        (similar, number // 2, True),
        (dissimilar, (number + 1) // 2, False),
    ):
        same = codes[:, None] == codes
        there_are = int(np.triu(same if alike else ~same, 1).sum())
        assert len({tuple(p) for p in part.tolist()}) == len(part) == min(wanted, there_are)


def test_every_pair_is_drawn_as_often():
    codes = np.array([0, 0, 0, 1, 1, 2])
    random = rng()
    counts = np.zeros((6, 6))
    for _ in range(3000):
        for part in draw_pairs(codes, 2, random):
            counts[tuple(part.T)] += 1
    same = codes[:, None] == codes
    for kind in (same, ~same):
        found = counts[np.triu(kind, 1)]
        assert found == pytest.approx(3000 / found.size, rel=0.25)


def test_draws_do_not_depend_on_names():
    codes = np.random.default_rng(0).integers(0, 4, size=200)
    for names in ([3, 2, 1, 0], [7, -1, 5, 6]):
        for a, b in zip(
            draw_pairs(codes, 90, rng()), draw_pairs(np.array(names)[codes], 90, rng()), strict=True
        ):
            assert np.array_equal(a, b)


def test_many_rows():
    similar, dissimilar = draw_pairs(np.arange(200_000) % 3, 1000, rng())
    assert (len(similar), len(dissimilar)) == (500, 500)
    assert dissimilar.max() > 150_000


@given(st.integers(1, 12), st.integers(1, 80))
def test_any_pairs(n, number):
    pairs = any_pairs(n, number, rng())
    found = {frozenset(p) for p in pairs.tolist()}
    assert len(found) == len(pairs) == min(number, n * (n - 1) // 2)
    assert all(len(p) == 2 for p in found)


def test_given_pairs():
    pairs = check_pairs(OWNER, [[0, 3, 1], [2, 1, -1], [1, 0, 1]], 4)
    assert pairs.similar.tolist() == [[0, 3], [1, 0]]
    assert pairs.dissimilar.tolist() == [[2, 1]]


@in_one_test
@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([[0, 1]], r"must be of shape \(number of pairs, 3\), got \(1, 2\)"),
        ([0, 1, 1], r"got \(3,\)"),
        (np.empty((0, 3)), r"got \(0, 3\)"),
        ([[0, 1.5, 1]], "must be row numbers"),
        ([[0, np.nan, 1]], "must be row numbers"),
        ([[0, 1, 1], [0, 4, 1]], r"constraints\[1\] must name rows from 0 to 3, got \[0, 4, 1\]"),
        ([[-1, 1, 1]], r"constraints\[0\] must name rows"),
        ([[2, 2, -1]], r"constraints\[0\] must be of two different rows"),
        ([[0, 1, 0]], r"constraints\[0\] must end in 1 .alike. or -1"),
        ([[0, 1, 1], [2, 3, 1], [0, 1, 1]], r"constraints\[2\] repeats constraints\[0\]"),
        ([[0, 1, 1], [1, 0, 1]], r"constraints\[1\] repeats constraints\[0\]"),
        ([[2, 3, 1], [0, 1, 1], [1, 0, -1]], r"constraints\[2\] contradicts constraints\[1\]"),
    ],
)
def test_wrong_pairs(pairs, message):
    with pytest.raises(ilk.InputError, match=f"mmc: constraints.*{message}|mmc: {message}"):
        check_pairs(OWNER, pairs, 4)
