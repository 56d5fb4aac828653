"""Code matrices: how they are made, how far apart their rows and columns are."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import in_one_test
from ilk_ensembles.codes.bch import LENGTHS, bch, bch_code
from ilk_ensembles.codes.construction import random_code
from ilk_ensembles.codes.matrices import (
    CodeReport,
    column_distances,
    every_sparse,
    exhaustive,
    one_against_all,
    one_against_one,
    possible_bits,
    row_distances,
    separation,
    usual_bits,
)

SLIDES = np.array(
    [
        [-1, -1, -1, -1, -1, -1, -1],
        [-1, -1, -1, 1, 1, 1, 1],
        [-1, 1, 1, -1, -1, 1, 1],
        [1, -1, 1, -1, 1, -1, 1],
    ]
)


def sound(code):
    """Tell whether no rows are equal, and no columns constant, equal or complementary."""
    rows = {tuple(row) for row in code.tolist()}
    columns = [tuple(column) for column in code.T.tolist()]
    turned = {max(column, tuple(-entry for entry in column)) for column in columns}
    sides = all({-1, 1} <= set(column) for column in columns)
    return len(rows) == len(code) and len(turned) == len(columns) and sides


def test_exhaustive_code_of_the_slides():
    np.testing.assert_array_equal(exhaustive(4), SLIDES)


def test_pairwise_code_of_the_slides():
    printed = [[1, 1, 1, 0, 0, 0], [-1, 0, 0, 1, 1, 0], [0, -1, 0, -1, 0, 1], [0, 0, -1, 0, -1, -1]]
    np.testing.assert_array_equal(one_against_one(4), -np.array(printed))


def test_one_per_class_of_the_slides():
    np.testing.assert_array_equal(one_against_all(4), 2 * np.eye(4) - 1)
    assert one_against_all(2).tolist() == one_against_one(2).tolist() == [[-1], [1]]
    assert exhaustive(2).tolist() == [[-1], [1]]


@in_one_test
@pytest.mark.parametrize("n_classes", [2, 3, 5, 8])
def test_exhaustive_code_has_every_split_once(n_classes):
    code = exhaustive(n_classes)
    assert code.shape == (n_classes, 2 ** (n_classes - 1) - 1)
    assert sound(code)
    assert separation(row_distances(code)) == 2 ** (n_classes - 2)


@in_one_test
@pytest.mark.parametrize("n_classes", [2, 3, 4, 6])
def test_every_sparse_column_is_there_once(n_classes):
    found = {tuple(column) for column in every_sparse(n_classes).T.tolist()}
    both = [c for c in product((-1, 0, 1), repeat=n_classes) if {-1, 1} <= set(c)]
    assert len(found) == every_sparse(n_classes).shape[1] == len(both) / 2
    assert len(found) == possible_bits(n_classes, sparse=True)[1]
    assert all(c in found or tuple(-entry for entry in c) in found for c in both)


@pytest.mark.parametrize("n_draws", [1, 50])
def test_random_codes_of_four_classes_and_six_bits_are_always_sound(n_draws):
    """A peer's have equal rows by 8% of the seeds, constant columns by 52%."""
    for seed in range(300):
        rng = np.random.RandomState(seed)
        assert sound(random_code(4, 6, rng, sparse=False, n_draws=n_draws))


@given(seed=st.integers(0, 2**31), n_classes=st.integers(2, 20), sparse=st.booleans())
def test_random_codes_are_sound_at_every_size(seed, n_classes, sparse):
    rng = np.random.RandomState(seed)
    least, most = possible_bits(n_classes, sparse)
    n_bits = int(rng.randint(least, min(most, 60) + 1))
    for bits in (least, n_bits, min(most, 60), usual_bits(n_classes, sparse)):
        code = random_code(n_classes, bits, rng, sparse=sparse, n_draws=3)
        assert code.shape == (n_classes, bits)
        assert sound(code)
        assert separation(row_distances(code)) >= 1
        assert sparse or code.all()


@pytest.mark.parametrize("sparse", [False, True])
def test_more_draws_separate_rows_better(sparse):
    few, many = (
        np.mean(
            [
                separation(
                    row_distances(
                        random_code(
                            12, 30, np.random.RandomState(s), sparse=sparse, n_draws=n_draws
                        )
                    )
                )
                for s in range(5)
            ]
        )
        for n_draws in (1, 200)
    )
    assert many > few


def test_as_many_columns_as_are_possible_are_all_of_them():
    rng = np.random.RandomState(0)
    code = random_code(5, 15, rng, sparse=False, n_draws=10)
    np.testing.assert_array_equal(code, exhaustive(5))
    sparse = random_code(4, 25, rng, sparse=True, n_draws=10)
    np.testing.assert_array_equal(sparse, every_sparse(4))


@given(seed=st.integers(0, 2**31))
def test_distances_agree_with_counting(seed):
    rng = np.random.default_rng(seed)
    code = rng.integers(-1, 2, size=tuple(rng.integers(2, 20, size=2)))
    rows, columns = row_distances(code), column_distances(code)
    for a, b in combinations(range(len(code)), 2):
        assert rows[a, b] == rows[b, a] == np.sum(code[a] * code[b] == -1)
    for a, b in combinations(range(code.shape[1]), 2):
        u, v = code[:, a], code[:, b]
        assert columns[a, b] == columns[b, a] == min(np.sum(u != v), np.sum(u != -v))


# Generators as tables of coding theory list them, in octal.
PUBLISHED = [
    (4, 1, 11, "23"),
    (4, 2, 7, "721"),
    (4, 3, 5, "2467"),
    (5, 2, 21, "3551"),
    (5, 3, 16, "107657"),
    (5, 5, 11, "5423325"),
    (6, 2, 51, "12471"),
    (6, 3, 45, "1701317"),
]


@in_one_test
@pytest.mark.parametrize(("m", "corrects", "dimension", "octal"), PUBLISHED)
def test_generators_of_bch_codes(m, corrects, dimension, octal):
    family = bch(m, corrects)
    assert (family.length, family.dimension) == (2**m - 1, dimension)
    assert family.generator == int(octal, 8)


@in_one_test
@pytest.mark.parametrize(("m", "corrects"), [(3, 1), (4, 1), (4, 2), (4, 3), (5, 3), (5, 7)])
def test_words_of_bch_codes_are_as_far_apart_as_designed(m, corrects):
    """A code is linear: the least distance is the least weight of a word that is not zero."""
    family = bch(m, corrects)
    k = min(family.dimension, 12)
    messages = np.arange(1, 2**k)[:, None] >> np.arange(family.dimension) & 1
    words = family.words(messages)
    assert words.sum(axis=1).min() >= family.designed_distance == 2 * corrects + 1
    shifted = np.roll(words[:50], 1, axis=1)  # cyclic: so are the words turned by one
    known = {tuple(word) for word in words.tolist()}
    if k == family.dimension:
        assert all(tuple(word) in known for word in shifted.tolist())


@in_one_test
@pytest.mark.parametrize(
    ("n_classes", "n_bits", "least"),
    [(4, 7, 4), (5, 15, 8), (8, 15, 7), (10, 31, 15), (26, 63, 31), (40, 31, 15), (9, 127, 63)],
)
def test_bch_codes_of_classes(n_classes, n_bits, least):
    code = bch_code(n_classes, n_bits, np.random.RandomState(0), n_draws=20)
    assert code.shape == (n_classes, n_bits)
    assert sound(code)
    assert separation(row_distances(code)) >= least


def test_rows_of_a_bch_code_are_its_words():
    code = bch_code(10, 31, np.random.RandomState(1), n_draws=5)
    family = bch(5, 7)
    for row in code:
        word = sum(int(bit > 0) << place for place, bit in enumerate(row))
        while word.bit_length() >= family.generator.bit_length():
            word ^= family.generator << word.bit_length() - family.generator.bit_length()
        assert word == 0


def test_lengths_of_bch_codes():
    assert LENGTHS[0] == 7
    assert all(length & (length + 1) == 0 for length in LENGTHS)


def test_report_of_the_exhaustive_code():
    report = CodeReport.of(exhaustive(4), np.array(["a", "bb", "c", "d"]))
    np.testing.assert_array_equal(report.row_distances, 4 * (1 - np.eye(4)))
    assert (report.row_separation, report.column_separation, report.corrects) == (4, 1, 1)
    assert str(report).splitlines() == [
        "a   -------",
        "bb  ---++++",
        "c   -++--++",
        "d   +-+-+-+",
        "4 classes, 7 columns; rows at least 4 apart, columns 1; corrects 1",
    ]


@pytest.mark.parametrize(("n_classes", "corrects"), [(3, 0), (5, 3), (7, 15)])
def test_exhaustive_code_corrects_a_quarter_of_its_bits(n_classes, corrects):
    """Dietterich and Bakiri: rows are 2^(C-2) apart."""
    assert CodeReport.of(exhaustive(n_classes), np.arange(n_classes)).corrects == corrects


def test_report_of_a_single_column():
    report = CodeReport.of(one_against_all(2), np.array([0, 1]))
    assert (report.row_separation, report.column_separation, report.corrects) == (1, None, 0)
    assert str(report).endswith("rows at least 1 apart; corrects 0")


def test_report_of_a_code_with_zeros():
    report = CodeReport.of(one_against_one(4), np.arange(4))
    assert (report.row_separation, report.column_separation, report.corrects) == (1, 2, 0)
    assert str(report).startswith("0  ---...\n")
