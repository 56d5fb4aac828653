"""The rules sum, product and majority."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import ilk
from cases import in_one_test

RULES = ["sum", "product", "majority"]
K1, K2 = [[0.45, 0.55]], [[0.6, 0.4]]  # the two image classifiers of Ntoutsi & Schubert

outputs = (
    array_shapes(min_dims=3, max_dims=3, max_side=5)
    .flatmap(lambda shape: arrays(float, shape, elements=st.integers(0, 4).map(float)))
    .filter(lambda a: a.any(axis=2).all())
)


def combine(rule, given_outputs, **parameters):
    return ilk.combiner(rule, **parameters).combine(given_outputs)


def decide(rule, given_outputs, **parameters):
    combiner = ilk.combiner(rule, **parameters)
    codes, rejected = combiner.decide(combiner.combine(given_outputs))
    return codes.tolist(), rejected.tolist()


def votes(labels, n_classes):
    """Outputs of members that each vote for one class; labels of shape (members, samples)."""
    return np.eye(n_classes)[np.asarray(labels)]


def test_average_of_the_worked_example():
    np.testing.assert_allclose(combine("sum", [K1, K2]), [[0.525, 0.475]])
    assert decide("sum", [K1, K2]) == ([0], [False])


def test_product_of_the_worked_example():
    combined = combine("product", [K1, K2])
    np.testing.assert_allclose(combined, [[0.27 / 0.49, 0.22 / 0.49]])
    assert decide("product", [K1, K2]) == ([0], [False])


def test_majority_of_the_worked_example_is_a_tie():
    np.testing.assert_array_equal(combine("majority", [K1, K2]), [[0.5, 0.5]])
    assert decide("majority", [K1, K2])[1] == [True]


@given(outputs)
def test_rules_follow_their_formulas(array):
    """Against one sample, one class and one member at a time."""
    P = [[row / row.sum() for row in member] for member in array]
    n_members, n, n_classes = array.shape
    for i in range(n):
        mean = [sum(P[j][i][k] for j in range(n_members)) / n_members for k in range(n_classes)]
        np.testing.assert_allclose(combine("sum", array)[i], mean, atol=1e-12)
        product = np.array(
            [np.prod([P[j][i][k] for j in range(n_members)]) for k in range(n_classes)]
        )
        if product.any():
            expected = product / product.sum()
            np.testing.assert_allclose(combine("product", array)[i], expected, atol=1e-12)


@given(outputs)
def test_rows_sum_to_one(array):
    for rule in RULES:
        combined = combine(rule, array)
        assert combined.shape == array.shape[1:]
        assert (combined >= 0).all()
        np.testing.assert_allclose(combined.sum(axis=1), 1)


@given(outputs, st.floats(1e-3, 1e3))
def test_scale_of_a_member_does_not_count(array, factor):
    scaled = array.copy()
    scaled[0] *= factor
    for rule in RULES:
        np.testing.assert_allclose(combine(rule, scaled), combine(rule, array), atol=1e-12)


@given(outputs)
def test_members_and_samples_may_be_reordered(array):
    for rule in RULES:
        combined = combine(rule, array)
        np.testing.assert_allclose(combine(rule, array[::-1]), combined, atol=1e-12)
        np.testing.assert_allclose(combine(rule, array[:, ::-1]), combined[::-1], atol=1e-12)


@given(outputs)
def test_product_takes_zeros_as_one_tiny_number(array):
    P = array / array.sum(axis=2, keepdims=True)
    tiny = np.where(P == 0, 1e-40, P)
    limit = np.prod(tiny, axis=0)
    np.testing.assert_allclose(
        combine("product", array), limit / limit.sum(axis=1, keepdims=True), atol=1e-9
    )


def test_product_does_not_underflow():
    many = np.tile([[0.2, 0.3, 0.5]], (5000, 1, 1))
    many[0, 0] = [0.5, 0.3, 0.2]
    np.testing.assert_array_equal(combine("product", many).round(12), [[0, 0, 1]])
    assert combine("product", np.full((9, 1, 2), 1e-300)).tolist() == [[0.5, 0.5]]


def test_sum_of_huge_support_does_not_overflow():
    assert combine("sum", [[[1e308, 1e308]], [[1.0, 3.0]]]).tolist() == [[0.375, 0.625]]
    tiny = 5e-324  # its inverse overflows
    assert combine("sum", [[[tiny, tiny]], [[1.0, 3.0]]]).tolist() == [[0.375, 0.625]]


@in_one_test
@pytest.mark.parametrize("n_members", range(1, 10))
def test_majority_needs_the_published_number_of_votes(n_members):
    """l_c = L/2 + 1 for even L, (L + 1)/2 for odd L; the others vote for different classes."""
    needed = n_members // 2 + 1 if n_members % 2 == 0 else (n_members + 1) // 2
    for agreeing in range(1, n_members + 1):
        labels = [[0]] * agreeing + [[1 + i] for i in range(n_members - agreeing)]
        codes, rejected = decide("majority", votes(labels, n_members + 1))
        assert rejected == [agreeing < needed]
        if agreeing >= needed:
            assert codes == [0]


def test_majority_by_consensus():
    labels = [[0, 1, 0], [0, 1, 1], [0, 1, 1]]
    codes, rejected = decide("majority", votes(labels, 2), threshold="consensus")
    assert rejected == [False, False, True]
    assert codes == [0, 1, 1]


@in_one_test
@pytest.mark.parametrize(
    ("threshold", "rejected"), [(0, False), (0.4, False), (3 / 5, False), (0.61, True), (1, True)]
)
def test_majority_by_share(threshold, rejected):
    assert decide("majority", votes([[1], [1], [1], [0], [2]], 3), threshold=threshold) == (
        [1],
        [rejected],
    )


def test_tied_member_divides_its_vote():
    combined = combine("majority", [[[0.4, 0.4, 0.2]], [[0, 1, 0]]])
    assert combined.tolist() == [[0.25, 0.75, 0]]


@pytest.mark.parametrize("rule", RULES)
def test_ties_go_to_the_first_class_or_are_rejected(rule):
    more = {"threshold": 0.5} if rule == "majority" else {}
    tied = [[[0.2, 0.8], [0.8, 0.2]], [[0.8, 0.2], [0.8, 0.2]]]
    assert decide(rule, tied, **more) == ([0, 0], [False, False])
    assert decide(rule, tied, ties="reject", **more) == ([0, 0], [True, False])


def test_ties_are_told_whatever_the_rounding():
    members = [[[0.1, 0.9]], [[0.9, 0.1]], [[0.3, 0.7]], [[0.7, 0.3]]]
    assert decide("sum", members) == ([0], [False])
    assert decide("product", members) == ([0], [False])
    assert decide("sum", members, ties="reject")[1] == [True]
    assert decide("product", members, ties="reject")[1] == [True]


@pytest.mark.parametrize("rule", ["sum", "product"])
def test_costs_move_the_decision(rule):
    """Deciding for class 0 where 1 is true costs ten times the other mistake."""
    sure = [[[0.8, 0.2], [0.95, 0.05]]]
    assert decide(rule, sure) == ([0, 0], [False, False])
    assert decide(rule, sure, cost=[[0, 1], [10, 0]]) == ([1, 0], [False, False])


@in_one_test
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([[[0.5, np.nan]]], "not finite .* member 0, sample 0, class 1"),
        ([[[0.5, 0.5]], [[-1.0, 2.0]]], r"negative value \(-1.0\) at member 1, sample 0, class 0"),
        ([[[0.5, 0.5], [0.0, 0.0]]], "member 0 for sample 1 are all zero"),
        ([[0.5, 0.5]], r"shape \(members, samples, classes\), got \(1, 2\)"),
        (np.zeros((0, 3, 2)), r"got \(0, 3, 2\)"),
        ([[["a", "b"]]], "must be numbers"),
        ([[[0.5, 0.5]], [[0.5, 0.5], [0.1, 0.9]]], r"must be numbers of shape \(L, n, C\)"),
        ([[["0", "1"]]], "must be numbers, got values of <U1"),
        ([[[0.5, 0.5j]]], "must be numbers, got values of complex128"),
    ],
)
def test_bad_outputs_are_refused(rule, bad, message):
    with pytest.raises(ilk.InputError, match=f"{rule}: outputs.*{message}"):
        combine(rule, bad)


@pytest.mark.parametrize("rule", RULES)
def test_no_samples_give_no_rows(rule):
    assert combine(rule, np.zeros((2, 0, 3))).shape == (0, 3)


@in_one_test
@pytest.mark.parametrize(
    ("rule", "parameters", "message"),
    [
        ("majority", {"threshold": "halves"}, "threshold .*did you mean 'half'"),
        ("majority", {"threshold": 1.1}, "threshold .*<= 1.*got 1.1"),
        ("sum", {"ties": "last"}, "ties must be 'first' or 'reject'"),
        ("product", {"cost": [[1, 2]]}, "cost must be a square matrix"),
    ],
)
def test_bad_parameters_are_named(rule, parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"{rule}: {message}"):
        ilk.combiner(rule, **parameters)


def test_costs_for_other_classes_are_refused():
    with pytest.raises(ilk.ParameterError, match="sum: cost is for 2 classes, there are 3"):
        decide("sum", [[[0.2, 0.3, 0.5]]], cost=[[0, 1], [1, 0]])
