"""The rules max, min, median and borda: by hand, against loops, and what must stay the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import ilk
from cases import in_one_test

RULES = ["max", "min", "median", "borda"]
K1, K2 = [[0.45, 0.55]], [[0.6, 0.4]]  # the two image classifiers of Ntoutsi & Schubert

outputs = (
    array_shapes(min_dims=3, max_dims=3, max_side=6)
    .flatmap(lambda shape: arrays(float, shape, elements=st.integers(0, 4).map(float)))
    .filter(lambda a: a.any(axis=2).all())
)


def combine(rule, given_outputs, **parameters):
    return ilk.combiner(rule, **parameters).combine(given_outputs)


def alike_where_none(support):
    return np.where(support.any(axis=1, keepdims=True), support, 1 / support.shape[1])


def points(row):
    """Borda's points of a member: one for each class that it supports less, half for equals."""
    return [
        sum((row[k] > other) + (row[k] == other) / 2 for other in row) - 0.5
        for k in range(len(row))
    ]


@pytest.mark.parametrize(
    ("rule", "expected", "code"),
    [("max", [0.6, 0.55], 0), ("min", [0.45, 0.4], 0), ("median", [0.525, 0.475], 0)],
)
def test_the_worked_example(rule, expected, code):
    combiner = ilk.combiner(rule)
    combined = combiner.combine([K1, K2])
    np.testing.assert_allclose(combined, [expected])
    assert combiner.decide(combined)[0].tolist() == [code]


def test_borda_by_hand():
    """Three voters: a > b > c twice, c > b > a once."""
    votes = [[[3, 2, 1]], [[30, 20, 10]], [[1, 2, 3]]]
    np.testing.assert_allclose(combine("borda", votes), [[4 / 9, 3 / 9, 2 / 9]])


@given(outputs)
def test_rules_follow_their_formulas(array):
    shares = array / array.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(combine("max", array), shares.max(axis=0))
    np.testing.assert_allclose(combine("min", array), alike_where_none(shares.min(axis=0)))
    median = alike_where_none(np.median(shares, axis=0))
    np.testing.assert_allclose(combine("median", array), median)
    counted = np.array([[points(row) for row in member] for member in array]).sum(axis=0)
    total = counted.sum(axis=1, keepdims=True)
    borda = np.divide(counted, total, out=np.ones_like(counted), where=total > 0)
    np.testing.assert_allclose(combine("borda", array), borda)


@given(outputs, st.floats(1e-3, 1e3))
def test_scale_of_a_member_does_not_count(array, factor):
    scaled = array.copy()
    scaled[0] *= factor
    for rule in RULES:
        np.testing.assert_allclose(combine(rule, scaled), combine(rule, array), atol=1e-12)


@given(outputs, st.randoms())
def test_members_samples_and_classes_may_be_reordered(array, random):
    members, rows, classes = (random.sample(range(size), size) for size in array.shape)
    for rule in RULES:
        combined = combine(rule, array)
        got = combine(rule, array[members][:, rows][:, :, classes])
        np.testing.assert_allclose(got, combined[rows][:, classes], atol=1e-12)


@given(outputs)
def test_only_the_order_counts_for_borda(array):
    np.testing.assert_array_equal(combine("borda", array), combine("borda", np.expm1(array)))


@in_one_test
@pytest.mark.parametrize("n_members", [1, 2, 47, 48, 49, 120])
def test_medians_of_few_and_many_members(n_members):
    """Beyond some members they are sorted in another way."""
    array = np.random.default_rng(n_members).dirichlet([1, 2, 3], (n_members, 20))
    np.testing.assert_allclose(combine("median", array), np.median(array, axis=0), rtol=1e-12)


@pytest.mark.parametrize("rule", ["min", "median"])
def test_where_every_class_is_excluded_all_are_alike(rule):
    """Three members, each sure of another class."""
    combiner = ilk.combiner(rule, ties="reject")
    combined = combiner.combine(np.eye(3)[:, None])
    np.testing.assert_array_equal(combined, np.full((1, 3), 1 / 3))
    assert combiner.decide(combined)[1].tolist() == [True]


@in_one_test
@pytest.mark.parametrize("rule", RULES)
def test_ties_are_told(rule):
    tied = [[[0.2, 0.8]], [[0.8, 0.2]]]
    first, reject = ilk.combiner(rule), ilk.combiner(rule, ties="reject")
    assert [a.tolist() for a in first.decide(first.combine(tied))] == [[0], [False]]
    assert reject.decide(reject.combine(tied))[1].tolist() == [True]


@in_one_test
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([[[0.5, np.nan]]], "not finite .* member 0, sample 0, class 1"),
        ([[[0.5, np.inf]]], "not finite .* member 0, sample 0, class 1"),
        ([[[0.5, 0.5]], [[-1.0, 2.0]]], r"negative value \(-1.0\) at member 1, sample 0, class 0"),
        ([[[0.5, 0.5], [0.0, 0.0]]], "member 0 for sample 1 are all zero"),
        ([[0.5, 0.5]], r"shape \(members, samples, classes\), got \(1, 2\)"),
        (3.0, r"shape \(members, samples, classes\), got \(\)"),
        ([[["a", "b"]]], "must be numbers"),
    ],
)
def test_bad_outputs_are_refused(rule, bad, message):
    with pytest.raises(ilk.InputError, match=f"{rule}: outputs.*{message}"):
        combine(rule, bad)
