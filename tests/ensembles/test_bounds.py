"""Combined support lies from 0 to 1 to the last bit, and sums to 1 up to rounding.

tests/exhaustive searches with many more rows, by the same functions.
"""

import numpy as np
import pytest

import ilk

LEARNED_FROM = 60
NOT_SUMMED = {"majority", "max", "median", "min"}


def hard_outputs(n_members, n, n_classes, rng):
    """Outputs that agree, or differ, or are of any size; some members are quite sure."""
    outputs = rng.dirichlet(np.full(n_classes, 0.2), (n_members, n))
    sure = np.eye(n_classes)[rng.integers(0, n_classes, (n_members, n))]
    agreed = np.broadcast_to(sure[:1], sure.shape)
    sizes = 10.0 ** rng.integers(-300, 300, (n_members, n, 1))
    parts = [outputs, sure, agreed, agreed * rng.random((n_members, n, 1)), outputs * sizes]
    part = rng.integers(0, len(parts), n)
    return np.choose(part[None, :, None], parts)


def fitted(name, example, outputs, rng):
    """A combiner that has learned what it must; None if it is for another number of members."""
    rule = ilk.seeded(ilk.registry("combiner").get(name).examples()[example], 0)
    n_members, n, n_classes = outputs.shape
    y, X = rng.integers(0, n_classes, n), rng.normal(size=(n, 2))
    likely = rng.dirichlet(np.ones(n_classes), (n_members, LEARNED_FROM))
    try:
        return rule.fit(likely, y[:LEARNED_FROM], X[:LEARNED_FROM]), X
    except ilk.IlkError:
        return None, X


def check_support(name, n, n_members, n_classes, dtype=np.float64):
    rng = np.random.default_rng(n_members)
    outputs = hard_outputs(n_members, n, n_classes, rng)
    if dtype is np.float32:
        outputs = np.where(np.abs(np.log10(outputs + 1e-300)) < 30, outputs, 1).astype(dtype)
    for example in range(len(ilk.registry("combiner").get(name).examples())):
        rule, X = fitted(name, example, outputs, rng)
        if rule is None:
            continue
        try:
            support = rule.combine(outputs, X)
        except ilk.ParameterError:  # for another number of members
            continue
        assert (support >= 0).all(), f"example {example}: {support.min()}"
        assert (support <= 1).all(), f"example {example}: {support.max()}"
        if name not in NOT_SUMMED:
            np.testing.assert_allclose(support.sum(axis=1), 1, rtol=1e-6)


@pytest.mark.parametrize("name", ilk.combiners())
def test_no_support_is_out_of_bounds(name):
    check_support(name, 500, 5, 3)


@pytest.mark.parametrize("name", ["majority", "weighted_majority"])
def test_votes_by_labels_are_at_most_1(name):
    rule = ilk.registry("combiner").get(name).examples()[-1]
    weights = [0.1, 0.2, 0.7, 0.1, 0.3, 0.9, 0.7]
    if name == "weighted_majority":
        rule = ilk.combiner(name, weights=weights)
    for n_members in (7,) if name == "weighted_majority" else range(1, 60):
        support = rule.combine_labels(np.zeros((n_members, 1), dtype=int), 2)
        assert support.max() <= 1


def test_agreed_members_get_no_more_than_1():
    rule = ilk.combiner("weighted_sum", weights=[0.2, 0.1, 0.4, 0.2, 0.1])
    for weights in np.random.default_rng(0).random((200, 5)):
        rule = ilk.combiner("weighted_sum", weights=weights)
        assert rule.combine(np.tile([1.0, 0.0], (5, 1, 1))).max() <= 1
