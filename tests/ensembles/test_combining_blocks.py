"""How outputs are passed over: in blocks, whole ones at a time, in any form, without a copy."""

from __future__ import annotations

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

import ilk
from cases import in_one_test
from ilk_ensembles.combiners import support as passes

RULES = ["sum", "product", "max", "min", "median", "majority", "borda", "weighted_sum"]


def probabilities(shape, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(shape[2]), shape[:2])


@pytest.fixture
def outputs():
    return probabilities((5, 203, 4))


@pytest.mark.parametrize("rule", RULES)
def test_blocks_give_what_all_at_once_gives(rule, outputs, monkeypatch):
    whole = ilk.combiner(rule).combine(outputs)
    monkeypatch.setattr(passes, "_CELLS", 40)  # of ten samples
    np.testing.assert_array_equal(ilk.combiner(rule).combine(outputs), whole)


@in_one_test
@pytest.mark.parametrize("rule", RULES)
def test_probabilities_and_what_is_divided_by_its_sum_agree(rule, outputs):
    """Rows of sum one are worked on in whole blocks, others one by one; so are mixtures."""
    whole = ilk.combiner(rule).combine(outputs)
    np.testing.assert_allclose(ilk.combiner(rule).combine(outputs * 3), whole, rtol=1e-12)
    some = outputs.copy()
    some[1, 100:] *= 1e-200
    some[3, 7] *= 1e200
    np.testing.assert_allclose(ilk.combiner(rule).combine(some), whole, rtol=1e-12)


@in_one_test
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n", [1, 7, 8, 9, 16, 17])
def test_any_number_of_samples(rule, n):
    """Sums are checked eight at a time."""
    outputs = probabilities((3, n, 3), n)
    one_by_one = [ilk.combiner(rule).combine(outputs[:, [i]])[0] for i in range(n)]
    np.testing.assert_allclose(ilk.combiner(rule).combine(outputs), one_by_one, rtol=1e-14)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("sample", [0, 5, 150, 202])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -0.25])
def test_a_bad_value_is_found_wherever_it_is(rule, sample, bad, outputs):
    """Also where the sum of its row is still one."""
    outputs[4, sample, 2] = bad
    if bad == -0.25:
        outputs[4, sample, [0, 1, 3]] = [0.25, 0.5, 0.5]
    with pytest.raises(ilk.InputError, match=f"{rule}: .*at member 4, sample {sample}, class 2"):
        ilk.combiner(rule).combine(outputs)


@in_one_test
@pytest.mark.parametrize("rule", RULES)
def test_negative_zeros_are_zeros(rule):
    plain = np.array([[[0.0, 1.0], [0.5, 0.5]], [[0.25, 0.75], [0.0, 1.0]]])
    expected = ilk.combiner(rule).combine(plain)
    got = ilk.combiner(rule).combine(np.where(plain == 0, -0.0, plain))
    np.testing.assert_array_equal(got, expected)


@in_one_test
@pytest.mark.parametrize("rule", RULES)
def test_other_forms_of_outputs(rule, outputs):
    expected = ilk.combiner(rule).combine(outputs)
    strided = np.empty((5, 406, 8))[:, ::2, ::2]
    strided[:] = outputs
    for other in (np.asfortranarray(outputs), strided, outputs.tolist()):
        np.testing.assert_array_equal(ilk.combiner(rule).combine(other), expected)
    single = ilk.combiner(rule).combine(outputs.astype(np.float32))
    np.testing.assert_allclose(single, expected, rtol=1e-5)
    counts = np.array([[[3, 1, 0]], [[1, 1, 1]]])
    shares = counts / counts.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(
        ilk.combiner(rule).combine(counts), ilk.combiner(rule).combine(shares)
    )


@in_one_test
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_outputs_are_not_copied(rule, dtype):
    """The peak is far below the size of the input, whatever its type."""
    outputs = probabilities((10, 40_000, 4)).astype(dtype)
    ilk.combiner(rule).combine(outputs[:, :10])  # compiled by now
    tracemalloc.start()
    ilk.combiner(rule).combine(outputs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    result = 40_000 * 4 * 8
    assert peak < 2 * result + 4_000_000, f"{peak / outputs.nbytes:.2f} of the input"


@in_one_test
@pytest.mark.parametrize("rule", RULES)
def test_ties_that_rounding_hides_are_exact_in_what_is_combined(rule):
    """So that the largest of it, and of its shares, is what is decided for."""
    first = np.random.default_rng(3).dirichlet([1, 1, 1], (6, 500))
    swapped = first[:, :, [1, 0, 2]]  # both classes have the same support, in another order
    combiner = ilk.combiner(rule, ties="reject")
    combined = combiner.combine(np.concatenate([first, swapped]))
    codes, tied = combiner.decide(combined)
    shares = combined / combined.sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(codes, shares.argmax(axis=1))
    two = codes != 2
    assert two.any()
    np.testing.assert_array_equal(combined[two, 0], combined[two, 1])
    assert tied[two].all()


@in_one_test
@pytest.mark.parametrize("rule", ["sum", "product", "max", "min", "median"])
def test_threads_change_nothing(rule):
    outputs = probabilities((4, 30_000, 3))
    with ilk.threads(1):
        alone = ilk.combiner(rule).combine(outputs)
    with ilk.threads(3):
        np.testing.assert_array_equal(ilk.combiner(rule).combine(outputs), alone)


@pytest.mark.parametrize("seed", range(3))
def test_products_of_many_zeros_and_tiny_numbers(seed):
    """Against exact fractions, zeros taken as one tiny number."""
    rng = np.random.default_rng(seed)
    outputs = rng.dirichlet([1, 1, 1], (40, 8)) * 10.0 ** rng.integers(-200, 0, (40, 8, 3))
    outputs[rng.random(outputs.shape) < 0.05] = 0
    outputs[~outputs.any(axis=2)] = 1
    got = ilk.combiner("product").combine(outputs)
    for i in range(8):
        zeros = (outputs[:, i] == 0).sum(axis=0)
        shares = [[Fraction(v) / sum(map(Fraction, row)) for v in row] for row in outputs[:, i]]
        products = [
            math.prod(row[k] for row in shares if row[k]) if zeros[k] == zeros.min() else 0
            for k in range(3)
        ]
        expected = [float(value / sum(products)) for value in products]
        np.testing.assert_allclose(got[i], expected, rtol=1e-11, atol=1e-300)


def test_two_thousand_members_do_not_underflow():
    """Their product of 0.5 and less would be 0 for every class, and class 0 the answer."""
    outputs = np.tile([0.3, 0.5, 0.2], (2000, 3, 1))
    outputs[0, :, :] = [0.3, 0.2, 0.5]
    rule = ilk.combiner("product")
    combined = rule.combine(outputs)
    assert np.isfinite(combined).all()
    assert rule.decide(combined)[0].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "rule", [{"use": "majority"}, {"use": "weighted_majority", "weights": [3, 1, 2]}]
)
def test_labels_are_counted_as_outputs_of_ones_are(rule):
    codes = np.random.default_rng(0).integers(-1, 4, (3, 500))
    combiner = ilk.build(rule, kind="combiner")
    expected = combiner.combine(ilk.label_outputs(combiner, codes, 4))
    for form in (codes, codes.astype(np.int8), np.asfortranarray(codes)):
        np.testing.assert_allclose(combiner.combine_labels(form, 4), expected, rtol=1e-13)


@in_one_test
@pytest.mark.parametrize(
    ("codes", "said"),
    [
        ([[0, 3]], "code 3 at member 0, sample 1 is no class: there are 3"),
        ([[0, -2]], "code -2 at member 0, sample 1 is no class"),
        ([[0.5, 1]], "codes must be integers"),
        ([0, 1], "codes must be integers of shape"),
    ],
)
def test_codes_that_are_no_classes_are_refused(codes, said):
    with pytest.raises(ilk.InputError, match=f"majority: {said}"):
        ilk.combiner("majority").combine_labels(codes, 3)


def test_labels_take_memory_of_a_block():
    codes = np.random.default_rng(0).integers(0, 3, (20, 50_000), dtype=np.int8)
    rule = ilk.combiner("majority")
    rule.combine_labels(codes, 3)  # compiles for arrays of this layout
    tracemalloc.start()
    rule.combine_labels(codes, 3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000 * 3 * 8 + 5_000_000
