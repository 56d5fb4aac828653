"""The comparison `friedman_nemenyi`."""

import math
import sys
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import chdtrc, fdtrc
from scipy.stats import friedmanchisquare, studentized_range

import ilk
from cases import in_one_test
from ilk_evaluation.comparisons.friedman_nemenyi import chi2_above, f_above, range_above

# The ranks of Demšar (2006), Table 2: four variants of C4.5 by AUC on 14 data sets.
DEMSAR = pd.DataFrame(
    [
        [4, 3, 2, 1],
        [1, 2, 3, 4],
        [4, 1, 2, 3],
        [4, 1, 3, 2],
        [4, 2, 3, 1],
        [1, 2.5, 4, 2.5],
        [3, 2, 4, 1],
        [2.5, 2.5, 4, 1],
        [4, 3, 2, 1],
        [2.5, 2.5, 2.5, 2.5],
        [4, 2.5, 1, 2.5],
        [3, 2, 4, 1],
        [4, 1, 2, 3],
        [3, 1, 4, 2],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
    index=[f"set {i}" for i in range(14)],
)


def scores(means, *, greater_is_better=False):
    return ilk.Scores(pd.DataFrame(), "error", greater_is_better, means=pd.DataFrame(means))


def compare(means, *, greater_is_better=False, **parameters):
    comparison = ilk.comparison("friedman_nemenyi", **parameters)
    return comparison.compare(scores(means, greater_is_better=greater_is_better))


def test_worked_example():
    verdict = compare(DEMSAR, correct_ties=False)
    ranks = {"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}
    assert verdict.ranks == pytest.approx(ranks, abs=5e-4)
    assert verdict.details["chi2"] == pytest.approx(9.28, abs=5e-3)
    assert verdict.statistic == pytest.approx(3.69, abs=5e-3)
    assert verdict.details["degrees_of_freedom"] == (3, 39)
    assert verdict.details["q"] == pytest.approx(2.569, abs=5e-4)
    assert verdict.details["critical_difference"] == pytest.approx(1.25, abs=5e-3)
    assert 0.01 < verdict.p_value < 0.05  # critical value F(3, 39) = 2.85 at 0.05
    assert not any(pair["different"] for pair in verdict.pairs)
    assert "finds no pair" in verdict.text


@in_one_test
@pytest.mark.parametrize(
    ("k", "q05", "q10"),
    [
        (2, 1.960, 1.645),
        (3, 2.343, 2.052),
        (4, 2.569, 2.291),
        (5, 2.728, 2.459),
        (6, 2.850, 2.589),
        (10, 3.164, 2.920),
    ],
)
def test_critical_values_are_the_published_ones(k, q05, q10):
    means = np.random.default_rng(0).random((5, k))
    for alpha, q in ((0.05, q05), (0.1, q10)):
        details = compare(means, alpha=alpha).details
        assert details["q"] == pytest.approx(q, abs=1e-3)
        expected = details["q"] * math.sqrt(k * (k + 1) / 30)
        assert details["critical_difference"] == pytest.approx(expected)


tables = st.integers(3, 6).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 5), min_size=k, max_size=k), min_size=2, max_size=12)
)


@given(tables)
def test_chi2_is_scipys(table):
    means = np.array(table, dtype=float)
    verdict = compare(means)
    if (means == means[:, :1]).all():
        assert (verdict.details["chi2"], verdict.statistic, verdict.p_value) == (0, 0, 1)
        return
    expected = friedmanchisquare(*means.T)
    assert verdict.details["chi2"] == pytest.approx(expected.statistic)
    assert verdict.details["chi2_p_value"] == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("k", [2, 3, 6, 7, 10])
def test_tails_are_scipys(k):
    """Also far out, and for even and odd degrees of freedom; of the range to 1e-8, as there."""
    for value in (0, 1e-8, 0.1, 0.9, 1, 1.3, 2.5, 7, 30, 400, math.inf):
        for n in (2, 3, 10, 30):
            degrees = k - 1, (k - 1) * (n - 1)
            assert f_above(*degrees, value) == pytest.approx(fdtrc(*degrees, value), rel=1e-12)
        if value < math.inf:
            assert chi2_above(k - 1, value) == pytest.approx(chdtrc(k - 1, value), rel=1e-12)
        if 0.1 <= value < 9:
            expected = studentized_range.sf(value, k, math.inf)
            assert range_above(value, k) == pytest.approx(expected, abs=1e-8)


@given(tables, st.randoms(use_true_random=False))
def test_direction_and_order(table, random):
    """A measure that grows turned round, or pipelines in another order, change nothing."""
    means = pd.DataFrame(table, columns=[f"p{i}" for i in range(len(table[0]))])
    verdict = compare(means)
    order = list(means)
    random.shuffle(order)
    for other in (compare(-means, greater_is_better=True), compare(means[order])):
        assert other.ranks == pytest.approx(verdict.ranks)
        assert other.statistic == pytest.approx(verdict.statistic, rel=1e-6)
        assert other.p_value == pytest.approx(verdict.p_value, rel=1e-6)


def test_pairs_that_differ_are_named():
    rng = np.random.default_rng(0)
    means = pd.DataFrame(rng.random((30, 3)) + np.array([0, 0.1, 3]), columns=["a", "b", "c"])
    verdict = compare(means)
    different = {(pair["a"], pair["b"]) for pair in verdict.pairs if pair["different"]}
    assert different == {("a", "c"), ("b", "c")}
    assert "a is better than c; b is better than c" in verdict.text
    for pair in verdict.pairs:
        assert pair["effect"] == verdict.ranks[pair["a"]] - verdict.ranks[pair["b"]]
        far = abs(pair["effect"]) > verdict.details["critical_difference"]
        assert pair["different"] == far == (pair["p_value"] < 0.05)


def test_no_pair_differs_where_the_pipelines_do_not():
    means = np.random.default_rng(1).random((10, 4))
    verdict = compare(means)
    assert verdict.p_value > 0.05
    assert "no difference is significant at 0.05" in verdict.text
    assert not any(pair["different"] for pair in verdict.pairs)


def test_perfect_agreement():
    verdict = compare([[1, 2, 3]] * 4)
    assert verdict.statistic == math.inf
    assert verdict.p_value == pytest.approx(6**-3)  # that chance ranks 3 as the first one
    assert verdict.details["chi2"] == pytest.approx(8)


def test_failed_cells_leave_a_data_set_out():
    means = DEMSAR.copy()
    means.iloc[3, 1] = np.nan
    verdict, without = compare(means), compare(DEMSAR.drop(index="set 3"))
    assert verdict.details["dropped"] == ("set 3",)
    assert verdict.ranks == without.ranks
    assert verdict.statistic == without.statistic
    assert "Left out for missing scores: 1 (set 3)." in verdict.text
    assert "13 data sets" in verdict.text


def test_cells_are_averaged():
    rows = [
        (data, pipeline, repeat, 0, value + repeat / 10)
        for data, values in (("d1", (0.1, 0.2)), ("d2", (0.4, 0.3)), ("d3", (0.1, 0.3)))
        for pipeline, value in zip("ab", values, strict=True)
        for repeat in (0, 1)
    ]
    table = pd.DataFrame(rows, columns=["dataset", "pipeline", "repeat", "fold", "value"])
    verdict = ilk.comparison("friedman_nemenyi").compare(ilk.Scores(table, "error", False))
    assert verdict.ranks == pytest.approx({"a": 4 / 3, "b": 5 / 3})


@pytest.mark.parametrize(
    ("means", "message"),
    [
        ([[1.0], [2.0]], "there is 1 pipeline, at least 2"),
        ([[1.0, 2.0]], "need at least 2 of them, got 1"),
        ([[1.0, 2.0], [np.nan, 1.0]], r"got 1 \(1 left out: missing scores\)"),
    ],
)
def test_what_cannot_be_ranked_is_refused(means, message):
    with pytest.raises(ilk.InputError, match=f"friedman_nemenyi: .*{message}"):
        compare(means)


def test_alpha_is_checked():
    with pytest.raises(ilk.ParameterError, match="alpha must be a number > 0, < 1"):
        ilk.comparison("friedman_nemenyi", alpha=1)


def test_diagram_shows_ranks_and_distance():
    pytest.importorskip("matplotlib")
    comparison = ilk.comparison("friedman_nemenyi")
    verdict = comparison.compare(scores(DEMSAR))
    ax = comparison.plot(verdict)
    texts = {text.get_text() for text in ax.texts}
    assert {"C4.5 (3.14)", "C4.5+m+cf (1.96)", "CD = 1.25", "1", "4"} <= texts
    assert comparison.plot(verdict, ax) is ax


def test_diagram_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    comparison = ilk.comparison("friedman_nemenyi")
    with pytest.raises(ilk.IlkError, match=r"pip install matplotlib"):
        comparison.plot(comparison.compare(scores(DEMSAR)))


small = st.integers(2, 3).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 2), min_size=k, max_size=k), min_size=2, max_size=4)
)


@given(small)
def test_p_is_no_less_than_chance_makes_the_ranks_with_pipelines_renamed(table):
    """Counted out: all tables with the ties of each row, and those with these columns."""
    means = np.array(table, dtype=float)
    ranks = ilk.rank_rows(means, greater_is_better=False)
    tables = list(product(*[sorted(set(permutations(row))) for row in ranks.tolist()]))
    alike = {
        tuple(map(tuple, ranks[:, order].tolist()))
        for order in map(list, permutations(range(ranks.shape[1])))
    }
    assert alike <= set(tables)
    verdict = compare(means)
    assert verdict.p_value >= len(alike) / len(tables) * (1 - 1e-9)
    if math.isinf(verdict.statistic):
        assert verdict.p_value == pytest.approx(len(alike) / len(tables))


@in_one_test
@pytest.mark.parametrize("name", ["friedman_nemenyi", "robustness"])
@pytest.mark.parametrize(("n", "p"), [(2, 0.5), (3, 0.25), (4, 0.125), (6, 0.03125)])
def test_two_pipelines_on_few_data_sets_are_a_sign_test(name, n, p):
    means = {"a": np.arange(1.0, n + 1), "b": 2 * np.arange(1.0, n + 1)}
    verdict = ilk.comparison(name).compare(scores(means))
    assert verdict.p_value == pytest.approx(p)
    tied = {key: np.append(values, [7.0, 7.0]) for key, values in means.items()}
    assert ilk.comparison(name).compare(scores(tied)).p_value >= p * (1 - 1e-9)


def test_a_p_value_by_counting_stands_beside_no_f():
    """F is infinite where all data sets rank alike, and has another p-value wherever it is not."""
    for n in (4, 9):
        means = pd.DataFrame({"a": np.arange(n) / n, "b": np.arange(n) / n + 0.1})
        scores = ilk.Scores(pd.DataFrame(), "error", greater_is_better=False, means=means)
        verdict = ilk.comparison("friedman_nemenyi").compare(scores)
        assert verdict.p_value == pytest.approx(2.0 ** (1 - n))
        assert verdict.details["exact"]
        assert f"chi-squared = {n}.00, exact p = {verdict.p_value:.4f})" in verdict.text
        assert "F(" not in verdict.text
    means = pd.DataFrame({"a": [1.0, 2, 3, 4, 6], "b": [2.0, 3, 4, 5, 5]})
    scores = ilk.Scores(pd.DataFrame(), "error", greater_is_better=False, means=means)
    verdict = ilk.comparison("friedman_nemenyi").compare(scores)
    assert ("exact" in verdict.text) == verdict.details["exact"]
    assert ("F(1, 4)" in verdict.text) != verdict.details["exact"]
