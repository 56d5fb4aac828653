"""Comparisons over the splits of a data set: the tests of 5x2 and the corrected t."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import f as f_distribution
from scipy.stats import t as t_distribution

import ilk
from cases import in_one_test

A = [0.20, 0.22, 0.19, 0.21, 0.23, 0.20, 0.22, 0.21, 0.20, 0.24]
B = [0.30, 0.28, 0.27, 0.33, 0.29, 0.31, 0.30, 0.27, 0.32, 0.30]
FIVE = ("paired_t_5x2", "f_5x2")
ALL = (*FIVE, "corrected_resampled_t")


def scores_of(columns, folds=2, resampling="five_by_two", *, up=False, ratio=1.0):
    """Scores from ``{dataset: {pipeline: values}}``, folds of a repeat after each other."""
    rows = [
        (dataset, pipeline, i // folds, i % folds, value)
        for dataset, own in columns.items()
        for pipeline, values in own.items()
        for i, value in enumerate(values)
    ]
    table = pd.DataFrame(rows, columns=["dataset", "pipeline", "repeat", "fold", "value"])
    sizes = table[["dataset", "repeat", "fold"]].drop_duplicates()
    sizes = sizes.assign(n_train=100, n_test=100 * ratio)
    return ilk.Scores(table, "error", up, resampling, sizes=sizes)


def compare(name, columns, folds=2, resampling="five_by_two", *, up=False, ratio=1.0, **more):
    scores = scores_of(columns, folds, resampling, up=up, ratio=ratio)
    return ilk.comparison(name, **more).compare(scores)


def test_t_of_five_by_two_worked_out():
    verdict = compare("paired_t_5x2", {"d": {"a": A, "b": B}})
    # differences -.10 -.06 | -.08 -.12 | -.06 -.11 | -.08 -.06 | -.12 -.06
    mean_variance = (0.0008 + 0.0008 + 0.00125 + 0.0002 + 0.0018) / 5
    assert verdict.statistic == pytest.approx(-0.10 / math.sqrt(mean_variance))
    assert verdict.p_value == pytest.approx(2 * t_distribution.cdf(verdict.statistic, 5))
    (pair,) = verdict.pairs
    assert pair["effect"] == pytest.approx(-0.085)
    assert pair["standardized"] == pytest.approx(-0.085 / np.std(np.subtract(A, B), ddof=1))
    assert (pair["better"], pair["dataset"], pair["different"]) == ("a", "d", True)
    assert verdict.text == (
        "By the 5x2 paired t test a is better than b on d (error lower by 0.085; p = 0.0237)."
    )


def test_f_of_five_by_two_worked_out():
    verdict = compare("f_5x2", {"d": {"a": A, "b": B}})
    assert verdict.statistic == pytest.approx(0.0781 / (2 * 0.00485))
    assert verdict.p_value == pytest.approx(f_distribution.sf(0.0781 / 0.0097, 10, 5))
    assert verdict.details["degrees_of_freedom"] == (10, 5)


class Told:
    """A classifier of mlxtend's that need not learn, as its scores are told."""

    def __init__(self, values):
        self.values = iter(values)

    def fit(self, X, y):
        return self


@pytest.mark.parametrize(
    ("name", "function"),
    [("paired_t_5x2", "paired_ttest_5x2cv"), ("f_5x2", "combined_ftest_5x2cv")],
)
def test_five_by_two_is_mlxtends(name, function):
    evaluate = pytest.importorskip("mlxtend.evaluate", reason="needs mlxtend to agree with")
    rng = np.random.default_rng(4)
    for _ in range(5):
        a, b = rng.random(10).round(3), rng.random(10).round(3)
        expected = getattr(evaluate, function)(
            Told(a),
            Told(b),
            np.zeros((20, 1)),
            np.arange(20) % 2,
            scoring=lambda told, X, y: next(told.values),
        )
        verdict = compare(name, {"d": {"a": a, "b": b}})
        assert (verdict.statistic, verdict.p_value) == pytest.approx(expected)


def corrected_t(gaps, ratio):
    """Nadeau and Bengio's test as it is written."""
    j = len(gaps)
    t = np.mean(gaps) / math.sqrt((1 / j + ratio) * np.var(gaps, ddof=1))
    return t, 2 * t_distribution.sf(abs(t), j - 1)


@given(st.integers(2, 30), st.floats(0.05, 2), st.integers(0, 10**6))
def test_corrected_t_is_the_formula(n, ratio, seed):
    a, b = np.random.default_rng(seed).random((2, n))
    verdict = compare(
        "corrected_resampled_t", {"d": {"a": a, "b": b}}, 1, "random_subsampling", ratio=ratio
    )
    assert (verdict.statistic, verdict.p_value) == pytest.approx(corrected_t(a - b, ratio))
    low, high = verdict.pairs[0]["interval"]
    assert (low > 0 or high < 0) == (verdict.p_value < 0.05)
    assert (low + high) / 2 == pytest.approx(np.mean(a - b))
    assert verdict.details["ratios"] == {"d": pytest.approx(ratio)}


def test_corrected_t_is_the_tail_of_baycomps_posterior():
    """Of a flat prior, with the correlation 1 / folds of repeated cross-validation."""
    baycomp = pytest.importorskip("baycomp", reason="needs baycomp to agree with")
    rng = np.random.default_rng(1)
    a = rng.normal(0.20, 0.05, 50)
    b = rng.normal(0.22, 0.05, 50)
    left, _, right = baycomp.CorrelatedTTest(a, b, 1e-12, runs=5).probs()
    verdict = compare("corrected_resampled_t", {"d": {"a": a, "b": b}}, 10, "", ratio=1 / 9)
    assert verdict.p_value == pytest.approx(2 * min(left, right), rel=1e-6)


def test_corrected_t_is_no_plain_t_test():
    """Without the correction it would call this a difference."""
    a = [0.20, 0.22, 0.19, 0.21, 0.25]
    b = [0.24, 0.25, 0.20, 0.26, 0.26]
    corrected = compare("corrected_resampled_t", {"d": {"a": a, "b": b}}, 5, "kfold", ratio=0.25)
    assert corrected_t(np.subtract(a, b), 0)[1] < 0.05 < corrected.p_value


def test_corrected_t_takes_the_sizes_of_each_data_set_or_a_ratio():
    columns = {"d": {"a": A, "b": B}, "e": {"a": A, "b": B}}
    scores = scores_of(columns, 2, "repeated_kfold")
    scores.sizes.loc[scores.sizes["dataset"] == "e", "n_test"] = 25
    verdict = ilk.comparison("corrected_resampled_t").compare(scores)
    assert verdict.details["ratios"] == {"d": 1, "e": 0.25}
    d, e = verdict.pairs
    assert d["statistic"] == pytest.approx(corrected_t(np.subtract(A, B), 1)[0])
    assert e["statistic"] == pytest.approx(corrected_t(np.subtract(A, B), 0.25)[0])
    given_one = ilk.comparison("corrected_resampled_t", ratio=0.25).compare(scores)
    assert given_one.pairs[0]["statistic"] == pytest.approx(e["statistic"])
    scores.sizes.loc[3, "n_train"] = np.nan
    with pytest.raises(ilk.InputError, match="sizes of the splits of d are not known; give ratio"):
        ilk.comparison("corrected_resampled_t").compare(scores)


@pytest.mark.parametrize("name", ALL)
def test_equal_pipelines_do_not_divide_by_zero(name):
    verdict = compare(name, {"d": {"a": A, "b": A}})
    assert (verdict.statistic, verdict.p_value) == (0, 1)
    (pair,) = verdict.pairs
    assert (pair["effect"], pair["standardized"], pair["better"]) == (0, 0, None)
    assert not pair["different"]
    assert "do not differ significantly" in verdict.text
    assert "the same mean error" in verdict.text


@pytest.mark.parametrize("name", ALL)
def test_differences_without_spread_have_the_limit_and_say_so(name):
    a = np.array(A)
    verdict = compare(name, {"d": {"a": a, "b": a + 0.01}})
    assert math.isinf(verdict.statistic)
    assert verdict.p_value == 0
    assert verdict.pairs[0]["better"] == "a"
    assert "The differences of a and b on d do not vary: p = 0 is a limit." in verdict.text


def test_t_of_five_by_two_without_a_first_difference():
    """Equal in each repeat and none in the first: 0 / 0, which is no evidence."""
    steps = np.repeat([0, 0.1, 0.1, 0.1, 0.1], 2)
    verdict = compare("paired_t_5x2", {"d": {"a": A, "b": A + steps}})
    assert (verdict.statistic, verdict.p_value) == (0, 1)
    verdict = compare("f_5x2", {"d": {"a": A, "b": A + steps}})
    assert (verdict.statistic, verdict.p_value) == (math.inf, 0)


def test_differences_that_cancel_have_no_better_one():
    steps = np.repeat([0.1, -0.1, 0.2, -0.2, 0], 2)
    verdict = compare("f_5x2", {"d": {"a": [0.5] * 10, "b": 0.5 + steps}})
    assert (verdict.p_value, verdict.pairs[0]["better"]) == (0, None)
    assert "a and b differ on d, with the same mean error (p < 0.0001)" in verdict.text


ten = st.lists(st.integers(0, 20), min_size=10, max_size=10)


@given(ten, ten, st.sampled_from(ALL), st.floats(-3, 3), st.floats(0.01, 50))
def test_swapped_shifted_and_scaled(a, b, name, shift, factor):
    a, b = np.array(a) / 20, np.array(b) / 20
    verdict = compare(name, {"d": {"a": a, "b": b}})
    swapped = compare(name, {"d": {"a": b, "b": a}})
    moved = compare(name, {"d": {"a": factor * a + shift, "b": factor * b + shift}})
    other_way = compare(name, {"d": {"a": -a, "b": -b}}, up=True)
    sign = 1 if name == "f_5x2" else -1
    assert swapped.statistic == pytest.approx(sign * verdict.statistic)
    assert moved.statistic == pytest.approx(verdict.statistic, rel=1e-6, abs=1e-9)
    assert other_way.statistic == pytest.approx(sign * verdict.statistic)
    pair, back = verdict.pairs[0], swapped.pairs[0]
    assert back["effect"] == pytest.approx(-pair["effect"])
    assert back["standardized"] == pytest.approx(-pair["standardized"])
    assert back["p_value"] == pytest.approx(pair["p_value"])
    assert {pair["better"], back["better"]} in ({"a", "b"}, {None})
    assert other_way.pairs[0]["better"] == pair["better"]


@in_one_test
@pytest.mark.parametrize("name", FIVE)
@pytest.mark.parametrize(
    ("folds", "resampling", "got"),
    [
        (10, "kfold", "got kfold"),
        (1, "random_subsampling", "got random_subsampling"),
        (5, "repeated_kfold", "got repeated_kfold with 2 repeats of 5 folds"),
        (10, "", "got scores with 1 repeat of 10 folds"),
    ],
)
def test_five_by_two_refuses_other_resamplings(name, folds, resampling, got):
    with pytest.raises(ilk.InputError, match=f"{name}: needs 5 repeats of 2-fold .*{got}"):
        compare(name, {"d": {"a": A, "b": B}}, folds, resampling)


@pytest.mark.parametrize("name", FIVE)
@pytest.mark.parametrize("resampling", ["five_by_two", "repeated_kfold", ""])
def test_five_by_two_takes_what_is_one(name, resampling):
    columns = {"d": {"a": A, "b": B}}
    verdict = compare(name, columns, resampling=resampling)
    assert verdict.statistic == compare(name, columns).statistic


@pytest.mark.parametrize("resampling", ["bootstrap", "bootstrap_632", "resubstitution"])
def test_corrected_t_refuses_what_it_was_not_made_for(resampling):
    with pytest.raises(ilk.InputError, match=f"does not fit the resampling {resampling}"):
        compare("corrected_resampled_t", {"d": {"a": A, "b": B}}, 1, resampling)


def test_corrected_t_needs_splits():
    with pytest.raises(ilk.InputError, match="needs at least 2 splits of d, got 1"):
        compare("corrected_resampled_t", {"d": {"a": [0.1], "b": [0.2]}}, 1, "holdout")


@pytest.mark.parametrize("name", ALL)
def test_a_missing_score_costs_the_pairs_of_its_pipeline_there_and_no_others(name):
    columns = {d: {"a": A, "b": B, "c": A[::-1]} for d in "de"}
    scores = scores_of(columns)
    without = {"d": {"a": A, "b": B}, "e": columns["e"]}
    expected = [compare(name, {d: own}, adjust="none").pairs for d, own in without.items()]
    gone = (scores.table["dataset"] == "d") & (scores.table["pipeline"] == "c")
    nan = scores.table.assign(value=scores.table["value"].mask(gone & (scores.table["fold"] == 1)))
    for table in (nan, scores.table.drop(index=gone.idxmax()), scores.table[~gone]):
        told = ilk.Scores(table, "error", False, pipelines=tuple("abc"), sizes=scores.sizes)
        got = ilk.comparison(name, adjust="none").compare(told)
        assert got.pairs == sum(expected, ())
        assert got.details["dropped"] == ("c on d",)
        assert got.details["datasets"] == ("d", "e")
        assert "of 3 pairs on 2 data sets (error; no correction for 4 tests)" in got.text
        assert got.text.endswith("Left out for missing scores: 1 (c on d).")
        based = ilk.comparison(name, adjust="none", baseline="c").compare(told)
        assert {(pair["a"], pair["b"], pair["dataset"]) for pair in based.pairs} == {
            ("c", "a", "e"),
            ("c", "b", "e"),
        }
        assert based.details["dropped"] == ("d",)
    single = nan[(nan["dataset"] == "d") & (nan["pipeline"] != "b")]
    with pytest.raises(ilk.InputError, match=rf"{name}: there is no data set .*\(left out: d\)"):
        ilk.comparison(name).compare(ilk.Scores(single, "error", False))


def test_a_split_that_failed_for_every_pipeline_leaves_the_data_set_out():
    """The table cannot tell, but the means can."""
    scores = scores_of({d: {"a": A, "b": B} for d in "de"}, 10, "kfold", ratio=1 / 9)
    table = scores.table[(scores.table["dataset"] != "d") | (scores.table["fold"] != 3)]
    means = pd.DataFrame({"a": [np.nan, 0.2], "b": [np.nan, 0.3]}, index=["d", "e"])
    got = ilk.comparison("corrected_resampled_t").compare(
        ilk.Scores(table, "error", False, "kfold", means=means, sizes=scores.sizes)
    )
    assert got.details["dropped"] == ("d",)


@pytest.mark.parametrize("name", ALL)
def test_pooled_and_infinite_scores_are_refused(name):
    table = scores_of({"d": {"a": A, "b": B}}).table
    pooled = table[table["fold"] == 0].assign(fold=-1)
    with pytest.raises(ilk.InputError, match=f"{name}: f1 is pooled over the folds of a repeat"):
        ilk.comparison(name).compare(ilk.Scores(pooled, "f1", True))
    with pytest.raises(ilk.InputError, match=f"{name}: error of a on d is inf"):
        compare(name, {"d": {"a": [math.inf, *A[1:]], "b": B}})
    with pytest.raises(ilk.InputError, match=f"{name}: there is 1 pipeline"):
        compare(name, {"d": {"a": A}})


@pytest.mark.parametrize("name", ALL)
def test_scores_that_are_told_twice_or_not_at_all_are_refused(name):
    comparison, scores = (
        ilk.comparison(name),
        scores_of({"d": {"a": A, "b": B}, "e": {"a": B, "b": A}}),
    )
    again = pd.concat([scores.table, scores.table.tail(1)])
    with pytest.raises(ilk.InputError, match=f"{name}: b has two scores of repeat 4, fold 1 on e"):
        comparison.compare(replace(scores, table=again))
    with pytest.raises(ilk.InputError, match=f"{name}: there are 2 pipelines by the name a"):
        comparison.compare(replace(scores, pipelines=("a", "b", "a")))
    means = pd.DataFrame({"a": [0.1, 0.2], "b": [0.2, 0.3]})
    with pytest.raises(ilk.InputError, match=f"{name}: needs the scores of single splits"):
        comparison.compare(ilk.Scores(pd.DataFrame(), "error", False, means=means))
    part = pd.DataFrame({"a": [0.1], "b": [0.2]}, index=["d"])
    assert comparison.compare(replace(scores, means=part)).details["dropped"] == ("e",)
