"""Decoding of what the members of a code say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from cases import in_one_test
from ilk_ensembles.codes.construction import random_code
from ilk_ensembles.codes.decoding import agreement, couple, least_loss
from ilk_ensembles.codes.matrices import every_sparse, exhaustive, one_against_all, one_against_one

SLIDES = (
    2
    * np.array(
        [[1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 0, 0, 1], [0, 1, 0, 1, 0, 1, 0]]
    )
    - 1
)
SINGLE = {
    "exponential": lambda z: np.exp(-z),
    "hinge": lambda z: max(1 - z, 0),
    "logistic": lambda z: np.log(1 + np.exp(-z)),
    "squared": lambda z: (1 - z) ** 2,
}


def consistent(p, code):
    """Probabilities of the sides +1, given that the class is in the column."""
    plus, minus = p @ (code == 1), p @ (code == -1)
    return plus / (plus + minus)


def test_worked_example_of_the_slides():
    """(0,1,1,1,1,1,1) differs from the words in 1, 3, 3 and 3 bits."""
    said = np.array([[-1, 1, 1, 1, 1, 1, 1]])
    scores = agreement(said, SLIDES, ignore_zeros=True)
    np.testing.assert_allclose(-7 * scores, [[1, 3, 3, 3]])


@given(seed=st.integers(0, 2**31), n_wrong=st.integers(0, 3))
def test_as_many_errors_as_the_distance_allows_are_corrected(seed, n_wrong):
    rng = np.random.default_rng(seed)
    code = exhaustive(5)
    true = rng.integers(5)
    said = code[true].copy()
    said[rng.choice(15, n_wrong, replace=False)] *= -1
    assert agreement(said[None], code, ignore_zeros=True).argmax() == true


@given(seed=st.integers(0, 2**31), sparse=st.booleans(), ignore=st.booleans())
def test_scores_agree_with_loops(seed, sparse, ignore):
    rng = np.random.default_rng(seed)
    code = random_code(5, 9, np.random.RandomState(seed), sparse=sparse, n_draws=5)
    bits, margins = rng.integers(-1, 2, size=(4, 9)), rng.normal(size=(4, 9))
    for ours, said, loss in [
        (agreement(bits, code, ignore_zeros=ignore), bits, lambda z: (1 - z) / 2),
        *(
            (least_loss(margins, code, name, ignore_zeros=ignore), margins, loss)
            for name, loss in SINGLE.items()
        ),
    ]:
        expected = np.empty((4, 5))
        for i, row in enumerate(said):
            for c, word in enumerate(code):
                losses = [
                    loss(m * f) for m, f in zip(word, row, strict=True) if m != 0 or not ignore
                ]
                expected[i, c] = -np.mean(losses)
        if loss is SINGLE["exponential"]:
            expected = -np.log(-expected)
        elif said is margins:
            expected += loss(0)
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-11)


@in_one_test
@pytest.mark.parametrize("loss", list(SINGLE))
def test_signs_as_margins_are_hamming_decoding(loss):
    """Of two values, the loss counts how often each is there."""
    rng = np.random.default_rng(0)
    code = exhaustive(6)
    said = rng.choice([-1.0, 1.0], size=(200, 31))
    by_loss = least_loss(said, code, loss, ignore_zeros=True).argmax(axis=1)
    np.testing.assert_array_equal(by_loss, agreement(said, code, ignore_zeros=True).argmax(axis=1))


@in_one_test
@pytest.mark.parametrize("loss", list(SINGLE))
@pytest.mark.parametrize("scale", [1e-12, 1e12, 1e100])
def test_margins_of_any_size(loss, scale):
    """Large ones overflow nowhere; the member that is surest counts."""
    margins = scale * np.array([[3.0, -1.0, -2.0], [-3.0, -1.0, -2.0]])
    scores = least_loss(margins, one_against_all(3), loss, ignore_zeros=True)
    assert np.isfinite(scores).all()
    if not (loss == "squared" and scale > 1):  # there its squares drown the rest
        assert scores.argmax(axis=1).tolist() == [0, 1]


def test_each_against_all_by_loss_is_the_largest_margin():
    margins = np.random.default_rng(0).normal(size=(300, 6))
    for loss in ("exponential", "logistic", "squared"):
        scores = least_loss(margins, one_against_all(6), loss, ignore_zeros=True)
        np.testing.assert_array_equal(scores.argmax(axis=1), margins.argmax(axis=1))


def test_zeros_left_out_or_counted_half():
    """A class in one column, on the right side, beside one in two, once wrong."""
    code = np.array([[1, 0, 0], [-1, 1, 1], [-1, -1, 1], [1, 1, -1]])
    said = np.array([[1, 1, 1]])
    left_out = agreement(said, code, ignore_zeros=True)
    counted = agreement(said, code, ignore_zeros=False)
    np.testing.assert_allclose(left_out, [[0, -1 / 3, -2 / 3, -1 / 3]])
    np.testing.assert_allclose(counted, [[-1 / 3, -1 / 3, -2 / 3, -1 / 3]])


def test_sums_that_only_rounding_tells_apart_are_ties():
    code = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [-1, 1, 1, 1]])
    margins = np.array([[0.1, 0.7, 0.7, 0.3]])
    scores = least_loss(margins, code, "logistic", ignore_zeros=True)
    assert scores[0, 0] == scores[0, 1]


CODES = {
    "ova": one_against_all(5),
    "ovo": one_against_one(5),
    "exhaustive": exhaustive(5),
    "all sparse": every_sparse(5),
}


@in_one_test
@pytest.mark.parametrize("code", list(CODES))
def test_consistent_probabilities_are_found(code):
    p = np.random.default_rng(0).dirichlet(np.ones(5), size=200)
    np.testing.assert_allclose(couple(consistent(p, CODES[code]), CODES[code]), p, atol=1e-6)


@in_one_test
@pytest.mark.parametrize("code", list(CODES))
def test_certain_members_give_certainty(code):
    """A member that never saw the class says nothing: one half."""
    sides = (CODES[code] + 1) / 2
    np.testing.assert_allclose(couple(sides, CODES[code]), np.eye(5), atol=1e-6)


@given(seed=st.integers(0, 2**31), sparse=st.booleans())
def test_inconsistent_probabilities_are_met_as_well_as_can_be(seed, sparse):
    rng = np.random.default_rng(seed)
    code = random_code(4, 6, np.random.RandomState(seed), sparse=sparse, n_draws=3)
    q = rng.random((3, 6)).round(2)
    for ours, own in zip(couple(q, code), q, strict=True):

        def cost(p, own=own):
            return (((1 - own) * (p @ (code == 1)) - own * (p @ (code == -1))) ** 2).sum()

        best = min(
            minimize(
                cost,
                start,
                bounds=[(0, 1)] * 4,
                constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
                method="SLSQP",
                options={"ftol": 1e-14},
            ).fun
            for start in (np.full(4, 0.25), ours)
        )
        assert (ours >= 0).all()
        np.testing.assert_allclose(ours.sum(), 1)
        assert cost(ours) <= best + 1e-7


def test_pairs_agree_with_the_printed_method_of_coupling():
    """Wu, Lin & Weng's second method, by the linear system that they give."""
    rng = np.random.default_rng(3)
    code = one_against_one(4)
    q = rng.uniform(0.05, 0.95, size=(50, 6))
    for ours, row in zip(couple(q, code), q, strict=True):
        r = np.zeros((4, 4))
        for value, (j, i) in zip(row, zip(*np.triu_indices(4, 1), strict=True), strict=True):
            r[i, j], r[j, i] = value, 1 - value
        Q = -r.T * r
        Q[np.diag_indices(4)] = (r**2).sum(axis=0)
        system = np.block([[Q, np.ones((4, 1))], [np.ones((1, 4)), np.zeros((1, 1))]])
        expected = np.linalg.solve(system, [0, 0, 0, 0, 1])[:4]
        np.testing.assert_allclose(ours, expected, atol=1e-6)


def test_too_few_columns_share_what_they_do_not_tell():
    """Columns that part {0, 1} from {2, 3} alone say nothing within each."""
    code = np.array([[-1], [-1], [1], [1]])
    np.testing.assert_allclose(couple(np.array([[0.8]]), code), [[0.1, 0.1, 0.4, 0.4]], atol=1e-6)


def test_blocks_of_rows_change_nothing():
    code = exhaustive(5)
    q = np.random.default_rng(0).random((20, 15))
    many = couple(np.tile(q, (1500, 1)), code)
    np.testing.assert_allclose(many, np.tile(couple(q, code), (1500, 1)), atol=1e-12)
