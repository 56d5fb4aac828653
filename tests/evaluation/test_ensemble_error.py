"""The error of a majority of independent members."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk_evaluation import theory


def test_twenty_five_members_of_error_35():
    assert theory.ensemble_error(25, 0.35) == pytest.approx(0.060, abs=5e-4)


@given(st.integers(1, 9), st.floats(0, 1))
def test_it_is_the_sum_over_all_outcomes(k, e):
    total = sum(
        e ** sum(wrong) * (1 - e) ** (k - sum(wrong))
        for wrong in itertools.product((0, 1), repeat=k)
        if 2 * sum(wrong) >= k
    )
    assert theory.ensemble_error(k, e) == pytest.approx(total, abs=1e-12)


@given(st.integers(1, 30), st.floats(0.01, 0.49))
def test_more_members_are_wrong_less_often(half, e):
    """Condorcet: an odd number of members that are better than chance."""
    assert (
        theory.ensemble_error(2 * half + 1, e) < theory.ensemble_error(2 * half - 1, e) <= e + 1e-12
    )


def test_chance_stays_chance():
    assert theory.ensemble_error(101, 0.5) == pytest.approx(0.5)


@in_one_test
@pytest.mark.parametrize(
    ("k", "e", "said"),
    [
        (0, 0.1, "n_members"),
        (2.5, 0.1, "n_members"),
        (True, 0.1, "n_members"),
        (3, 1.1, "error"),
        (3, float("nan"), "error"),
    ],
)
def test_other_numbers_are_refused(k, e, said):
    with pytest.raises(ilk.ParameterError, match=f"ensemble_error: {said} must be"):
        theory.ensemble_error(k, e)
