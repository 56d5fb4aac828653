"""How sure an error or an area is."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

import ilk
from cases import in_one_test
from ilk_evaluation import intervals


@given(
    st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.sampled_from([0.8, 0.95, 0.99]),
)
def test_binomial_interval_agrees_with_scipy(pair, confidence):
    errors, n = pair
    for method, theirs in (("clopper_pearson", "exact"), ("wilson", "wilson")):
        got = intervals.binomial_interval(errors, n, confidence, method)
        expected = binomtest(errors, n).proportion_ci(confidence, method=theirs)
        assert got.lower == pytest.approx(expected.low, abs=1e-12)
        assert got.upper == pytest.approx(expected.high, abs=1e-12)
        assert got.lower <= got.estimate <= got.upper


def test_interval_of_no_error_follows_the_rule_of_three():
    assert intervals.binomial_interval(0, 1000).upper == pytest.approx(
        -math.log(0.025) / 1000, rel=0.01
    )


@in_one_test
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((5, 4), "errors must be <= n = 4, got 5"),
        ((-1, 4), "errors must be an integer >= 0, .* got -1"),
        ((1, 0), "n must be an integer >= 1, .* got 0"),
        ((1, 2, 1.0), "confidence must be between 0 and 1, got 1.0"),
        ((1, 2, "0.9"), "confidence must be between 0 and 1, got '0.9'"),
        ((1, 2, [0.9]), r"confidence must be between 0 and 1, got \[0.9\]"),
        ((True, 2), "errors must be an integer >= 0, of 64 bits at most, got True"),
        ((1, 2**64), "n must be an integer >= 1, of 64 bits at most"),
        ((1, 2, 0.95, "wald"), "method must be 'clopper_pearson' or 'wilson', got 'wald'"),
    ],
    ids=str,
)
def test_interval_of_no_such_count(arguments, words):
    with pytest.raises(ilk.ParameterError, match=words):
        intervals.binomial_interval(*arguments)


def test_size_of_a_test_set():
    """The slides: N about 10000 for P = 0.01 and about 3000 for P = 0.03."""
    assert intervals.test_set_size(0.01) == 10_000
    assert intervals.test_set_size(0.03) == 3334
    assert intervals.test_set_size(1.0) == 100
    sigma = math.sqrt(0.01 * 0.99 / intervals.test_set_size(0.01))
    assert sigma == pytest.approx(0.01 / 10, rel=0.01)  # what the rule means
    n = intervals.test_set_size(0.1, "normal", confidence=0.9, half_width=0.02)
    half = norm.ppf(0.95) * np.sqrt(0.09 / np.array([n, n - 1]))
    assert half[0] <= 0.02 < half[1]
    assert intervals.test_set_size(0.01, "normal") == pytest.approx(9508, abs=3)


def test_size_beyond_floats():
    for arguments in ((5e-324,), (np.float64(1e-320),), (1e-320, "normal")):
        with pytest.raises(ilk.ParameterError, match="more cases than floats can tell"):
            intervals.test_set_size(*arguments)
    with pytest.raises(ilk.ParameterError, match="more cases than floats can tell"):
        intervals.test_set_size(0.5, "normal", half_width=1e-200)
    found = intervals.binomial_interval(np.int64(1), np.int64(8))
    assert type(found.estimate) is type(found.lower) is float


@in_one_test
@pytest.mark.parametrize("error", [0, -0.1, 1.1, math.nan, True, "0.1", [0.1], 1j])
def test_size_for_no_probability(error):
    with pytest.raises(ilk.ParameterError, match="error must be > 0 and <= 1"):
        intervals.test_set_size(error)
    with pytest.raises(ilk.ParameterError, match="half_width must be between 0 and 1"):
        intervals.test_set_size(0.1, "normal", half_width=error)


def test_variance_of_the_total_error():
    got = intervals.total_error_variance([2, 5], [10, 20], [0.5, 0.5])
    assert got == pytest.approx(0.25 * 0.2 * 0.8 / 10 + 0.25 * 0.25 * 0.75 / 20)
    pooled = intervals.total_error_variance([2, 4], [10, 20])  # equal rates: a single binomial
    assert pooled == pytest.approx(0.2 * 0.8 / 30)


@in_one_test
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1], [2, 3]), "must be as many numbers"),
        (([3, 0], [2, 3]), "from 0 to the number of cases"),
        (([1, 1], [2, 3], [0.5, 0.6]), "sum to 1"),
        (([0, 1], [0, 3], [0.5, 0.5]), "has no case"),
        (([0, 0], [0, 0]), "at least one"),
    ],
    ids=str,
)
def test_variance_of_what_is_no_table(arguments, words):
    with pytest.raises(ilk.InputError, match=words):
        intervals.total_error_variance(*arguments)


def scored(truth, scores):
    truth = np.asarray(truth)
    columns = np.column_stack([-np.asarray(scores, float), np.asarray(scores, float)])
    return ilk.Prediction(truth, truth, np.array([0, 1]), scores=columns)


def delong(truth, scores):
    """Area and variance by the definition: all pairs."""
    gaps = scores[truth == 1][:, None] - scores[truth == 0]
    wins = (gaps > 0) + (gaps == 0) / 2
    shares = wins.mean(axis=1), wins.mean(axis=0)
    return wins.mean(), sum(np.var(share, ddof=1) / len(share) for share in shares)


cases = st.lists(st.tuples(st.integers(0, 1), st.integers(-4, 4)), min_size=4, max_size=60).filter(
    lambda pairs: 2 <= sum(y for y, _ in pairs) <= len(pairs) - 2
)


@given(cases)
def test_delong_by_one_sort_is_delong_by_all_pairs(pairs):
    truth, scores = np.array(pairs).T
    area, variance = delong(truth, scores.astype(float))
    got = intervals.auc_interval(scored(truth, scores), confidence=0.9)
    assert got.estimate == pytest.approx(area)
    assert got.variance == pytest.approx(variance, abs=1e-15)
    half = norm.ppf(0.95) * math.sqrt(variance)
    assert got.lower == pytest.approx(max(area - half, 0))
    assert got.upper == pytest.approx(min(area + half, 1))


def test_interval_covers_the_area_as_often_as_it_says():
    rng = np.random.default_rng(0)
    expected, truth = norm.cdf(1 / math.sqrt(2)), np.repeat([0, 1], 60)  # normals one apart
    inside = 0
    for _ in range(500):
        found = intervals.auc_interval(scored(truth, rng.normal(size=120) + truth))
        inside += found.lower <= expected <= found.upper
    assert 0.92 <= inside / 500 <= 0.975


def test_interval_needs_two_of_each_kind():
    with pytest.raises(ilk.InputError, match="at least 2 positive and 2 negative .* got 1 and 2"):
        intervals.auc_interval(scored([0, 1, 0], [1, 2, 3]))
    with pytest.raises(ilk.InputError, match="none of the 2 answered cases is positive"):
        intervals.auc_interval(scored([0, 0], [1, 2]))
