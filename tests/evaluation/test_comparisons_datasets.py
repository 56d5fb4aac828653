"""Comparisons over data sets: `wilcoxon`, `bayesian_signed_rank`, and what ranks must not do."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import ilk
from cases import in_one_test

BOTH = ("wilcoxon", "bayesian_signed_rank")
# Demšar (2006), Table 2: C4.5 without and with pruning of leaves, by AUC
PLAIN = [
    0.763,
    0.599,
    0.954,
    0.628,
    0.882,
    0.936,
    0.661,
    0.583,
    0.775,
    1.000,
    0.940,
    0.619,
    0.972,
    0.957,
]
LEAVES = [
    0.768,
    0.591,
    0.971,
    0.661,
    0.888,
    0.931,
    0.668,
    0.583,
    0.838,
    1.000,
    0.962,
    0.666,
    0.981,
    0.978,
]


def compare(name, means, *, up=False, **more):
    frame = pd.DataFrame(means)
    scores = ilk.Scores(pd.DataFrame(), "auc" if up else "error", up, means=frame)
    return ilk.comparison(name, **more).compare(scores)


def test_demsars_example():
    """R+ = 93, R- = 12: the two zeros are split between them."""
    verdict = compare("wilcoxon", {"C4.5": PLAIN, "C4.5+m": LEAVES}, up=True, zeros="zsplit")
    (pair,) = verdict.pairs
    assert verdict.statistic == 12
    assert pair["standardized"] == pytest.approx((12 - 93) / 105)
    assert (pair["n_zeros"], pair["better"]) == (2, "C4.5+m")
    z = (12 - 14 * 15 / 4) / math.sqrt(14 * 15 * 29 / 24)
    assert z == pytest.approx(-2.54, abs=5e-3)
    gaps = np.round(np.subtract(PLAIN, LEAVES), 3)
    assert verdict.p_value == pytest.approx(signs(gaps, "zsplit"))
    assert verdict.p_value < 2 * stats.norm.cdf(z) < 0.05  # z has the zeros vary, too
    assert "C4.5+m is better than C4.5 (auc higher by" in verdict.text


def test_pratt_is_another_way():
    """Ranks 1 and 2 of the zeros go; what is left of 105 is 102."""
    (pair,) = compare("wilcoxon", {"a": PLAIN, "b": LEAVES}, up=True).pairs
    assert pair["standardized"] == pytest.approx((10.5 - 91.5) / 102)
    (pair,) = compare("wilcoxon", {"a": PLAIN, "b": LEAVES}, up=True, zeros="wilcox").pairs
    # of the 12 that are left: 0.005 twice and 0.008 against
    assert pair["statistic"] == 1.5 + 5


def signs(gaps, zeros):
    """Exact p-value: of all signs the differences may have, the share as far from the middle."""
    gaps = gaps[gaps != 0] if zeros == "wilcox" else gaps
    ranks = stats.rankdata(np.abs(gaps)) * (gaps != 0)
    flips = np.array(list(itertools.product([-1, 1], repeat=len(gaps))))
    sums = np.abs(flips @ ranks)
    return float(np.mean(sums >= abs(np.sign(gaps) @ ranks) - 1e-9))


@given(
    st.lists(st.integers(-4, 4), min_size=3, max_size=9),
    st.sampled_from(["pratt", "wilcox", "zsplit"]),
)
def test_wilcoxon_is_exact_for_few_data_sets(gaps, zeros):
    gaps = np.array(gaps, dtype=float)
    verdict = compare("wilcoxon", {"a": 5 + gaps, "b": np.full(len(gaps), 5.0)}, zeros=zeros)
    if not gaps.any():
        assert (verdict.statistic, verdict.p_value) == (0, 1)
        return
    assert verdict.p_value == pytest.approx(signs(gaps, zeros))


@in_one_test
@pytest.mark.parametrize("n", [1 + 7, 20, 50, 60])
def test_wilcoxon_is_scipys(n):
    a, b = np.random.default_rng(n).random((2, n))
    expected = stats.wilcoxon(a, b)
    verdict = compare("wilcoxon", {"a": a, "b": b})
    assert (verdict.statistic, verdict.p_value) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("zeros", ["pratt", "zsplit", "wilcox"])
def test_wilcoxon_with_ties_and_zeros_is_near_scipys_approximation(zeros):
    """Which it takes from 14 data sets on; from 51 on we do, too."""
    for n, tolerance in ((40, 0.01), (60, 1e-9)):
        gaps = np.random.default_rng(n).integers(-4, 6, size=n).astype(float)
        expected = stats.wilcoxon(gaps, zero_method=zeros)
        means = {"a": 20 + gaps, "b": np.full(n, 20.0)}
        verdict = compare("wilcoxon", means, zeros=zeros)
        assert verdict.statistic == expected.statistic
        if zeros != "zsplit" or n > 50:  # its variance counts the zeros, which have no sign
            assert verdict.p_value == pytest.approx(expected.pvalue, abs=tolerance)


@in_one_test
@pytest.mark.parametrize("zeros", ["pratt", "zsplit", "wilcox"])
@pytest.mark.parametrize("n", [1, 5, 6])
def test_few_differences_among_many_data_sets_are_few(n, zeros):
    """By the normal approximation five differences of one sign would be significant."""
    means = np.full((80, 2), 0.5)
    means[:n, 1] += np.arange(1, n + 1) / 100
    verdict = compare("wilcoxon", means, zeros=zeros)
    assert verdict.p_value == pytest.approx(2 ** (1 - n))


def test_rounding_makes_no_differences():
    """0.3 - 0.2 and 0.2 - 0.1 are tied, and 0.1 + 0.2 is 0.3, though not for a computer."""
    (pair,) = compare(
        "wilcoxon", {"a": [0.3, 0.2, 0.5, 0.3], "b": [0.2, 0.1, 0.6, 0.1 + 0.2]}
    ).pairs
    assert pair["n_zeros"] == 1
    assert pair["standardized"] == pytest.approx((3 + 3 - 3) / 9)  # three ties of rank 3


def test_large_scores_on_one_data_set_leave_small_ones_apart():
    """Squared errors of prices beside those of shares: each difference has its own digits."""
    means = {
        "a": [2e12, 0.3, 1.1, 0.2, 0.1 + 0.2, 3e-4],
        "b": [3e12, 0.2, 1.0, 0.3, 0.3, 2e-4],
    }
    (pair,) = compare("wilcoxon", means).pairs
    assert pair["n_zeros"] == 1
    np.testing.assert_array_equal(pair["differences"][1:], [0.1, 0.1, -0.1, 0, 1e-4])
    ranks = 2 + (4 - 4 + 4) - 6  # of 1e-4, three ties of 0.1, and 1e12; the zero has rank 1
    assert pair["standardized"] == pytest.approx(ranks / (2 + 12 + 6))
    (posterior,) = compare("bayesian_signed_rank", means, rope=0.0).pairs
    assert posterior["p_equivalent"] < 0.5
    with_noise = {"a": [1.1e-16, 0.2, 0.3], "b": [0.0, 0.2, 0.3]}  # 1 less a mean of ones
    assert compare("wilcoxon", with_noise).pairs[0]["n_zeros"] == 3


def test_wilcoxon_says_when_nothing_can_be_found():
    few = compare("wilcoxon", {"a": [0.1] * 5, "b": [0.2, 0.3, 0.4, 0.5, 0.6]})
    assert few.p_value == 0.0625
    assert "With 5 data sets no difference can be: p is at least 0.0625." in few.text
    enough = compare("wilcoxon", {"a": [0.1] * 6, "b": [0.2, 0.3, 0.4, 0.5, 0.6, 0.7]})
    assert enough.p_value == 0.03125
    assert "can be" not in enough.text
    corrected = compare("wilcoxon", {n: np.random.default_rng(0).random(6) for n in "abc"})
    assert "p is at least 0.0938" in corrected.text


def test_the_better_one_is_so_by_ranks_not_by_one_large_difference():
    gaps = np.array([-0.01, -0.02, -0.03, -0.04, -0.05, -0.06, -0.07, -0.08, 0.9])
    verdict = compare("wilcoxon", {"a": 0.1 + 0.1 + gaps, "b": np.full(9, 0.2)}, alpha=0.3)
    (pair,) = verdict.pairs
    assert (pair["better"], pair["different"]) == ("a", True)
    assert pair["effect"] > 0
    assert "a is better than b (error higher by 0.06" in verdict.text


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.05])
def test_bayesian_probabilities_are_baycomps(rope):
    baycomp = pytest.importorskip("baycomp", reason="needs baycomp to agree with")
    rng = np.random.default_rng(2)
    for n, shift in ((5, 0.03), (14, 0.0), (14, 0.02)):
        a, b = 0.7 + 0.1 * rng.random((2, n)).round(2)
        b = b + shift
        test = baycomp.SignedRankTest(a, b, rope, nsamples=4000, random_state=0)
        left, same, right = test.probs()
        (pair,) = compare("bayesian_signed_rank", {"a": a, "b": b}, up=True, rope=rope).pairs
        got = (pair["p_a_better"], pair["p_equivalent"], pair["p_b_better"])
        np.testing.assert_allclose(got, (left, same, right), atol=0.03)


def test_bayesian_shares_worked_out():
    """One difference z against the prior's 0, w of Beta(1, 1): right is w^2 + w (1 - w)..."""
    from ilk_evaluation.comparisons.signed_rank import _Sums

    sums = _Sums.of(np.array([0.9]), np.array([0.5]), 0.1)  # z = 0.4: 2z > 0.2, z + 0 > 0.2
    w = np.array([0.2, 0.5])
    left, rope, right = sums.shares(np.stack([1 - w, w]))
    np.testing.assert_allclose(right, w**2 + 2 * w * (1 - w))
    np.testing.assert_allclose(rope, (1 - w) ** 2)
    np.testing.assert_allclose(left, 0, atol=1e-15)
    edge = _Sums.of(np.array([0.9]), np.array([0.5]), 0.2)  # z + 0 is the edge: half of it
    np.testing.assert_allclose(edge.shares(np.stack([1 - w, w]))[2], w**2 + w * (1 - w))


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=7), st.integers(0, 3), st.integers(0, 99))
def test_bayesian_shares_are_the_double_sum(gaps, rope, seed):
    from ilk_evaluation.comparisons.signed_rank import _Sums

    gaps = np.sort(np.array(gaps, dtype=float))
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(gaps) + 1), size=3).T
    sums_of = _Sums.of(gaps + 10, np.full(len(gaps), 10.0), float(rope))
    got = sums_of.shares(weights)
    z = np.concatenate([[0], -gaps[::-1] if sums_of.turned else gaps])
    sums = z[:, None] + z
    for draw, w in enumerate(weights.T):
        part = np.outer(w, w)
        right = part[sums > 2 * rope].sum() + part[sums == 2 * rope].sum() / 2
        left = part[sums < -2 * rope].sum() + part[sums == -2 * rope].sum() / 2
        np.testing.assert_allclose(got[:, draw], [left, 1 - left - right, right], atol=1e-12)


@pytest.mark.parametrize(("rope", "expected"), [(0.01, (0, 1, 0)), (0.0, (0.5, 0, 0.5))])
def test_equal_pipelines_are_equivalent_or_level(rope, expected):
    """Without a rope neither is better, where a peer names the first."""
    verdict = compare("bayesian_signed_rank", {"a": PLAIN, "b": PLAIN}, up=True, rope=rope)
    (pair,) = verdict.pairs
    got = (pair["p_a_better"], pair["p_equivalent"], pair["p_b_better"])
    assert got == pytest.approx(expected)
    assert (pair["better"], pair["different"], pair["equivalent"]) == (None, False, rope > 0)


def test_bayesian_text_and_decisions():
    rng = np.random.default_rng(0)
    base = 0.2 + 0.1 * rng.random(20)
    means = {
        "a": base,
        "b": base + 0.001 * rng.random(20),
        "c": base + 0.05 + 0.01 * rng.random(20),
    }
    verdict = compare("bayesian_signed_rank", means)
    assert verdict.text == (
        "By the Bayesian signed-rank test over 20 data sets (error, rope 0.01) with probability "
        "above 0.95 better are a than c; b than c, and practically equivalent are a and b."
    )
    one = compare("bayesian_signed_rank", {"c": means["c"], "a": means["a"]})
    assert "c is better than a with probability 0.000, practically equivalent with 0" in one.text
    assert one.statistic == one.pairs[0]["p_b_better"] == 1 - one.p_value
    assert verdict.ranks == {"a": 1, "b": 2, "c": 3}


def test_the_same_results_give_the_same_verdict():
    means = pd.DataFrame(np.random.default_rng(3).random((9, 3)), columns=list("abc"))
    first = compare("bayesian_signed_rank", means)
    assert compare("bayesian_signed_rank", means).pairs == first.pairs
    other = compare("bayesian_signed_rank", means, random_state=1)
    assert other.pairs != first.pairs
    assert other.p_value == pytest.approx(first.p_value, abs=0.02)


rows = st.lists(st.tuples(*[st.integers(0, 30)] * 3), min_size=4, max_size=10)


@pytest.mark.parametrize("name", BOTH)
@given(table=rows, random=st.randoms(use_true_random=False))
def test_order_direction_and_scale(name, table, random):
    more = {"samples": 2000} if name == "bayesian_signed_rank" else {}
    means = pd.DataFrame(table, columns=list("abc"), dtype=float) / 30
    verdict = compare(name, means, **more)
    order = list(range(len(means)))
    random.shuffle(order)
    others = [
        compare(name, means.iloc[order], **more),
        compare(name, means[["c", "a", "b"]], **more),
        compare(name, -means, up=True, **more),
        compare(name, means + 1, **more),
    ]
    if name == "wilcoxon":
        others.append(compare(name, 100 * means))
    else:
        others.append(compare(name, 100 * means, rope=1.0, **more))
    own = {frozenset((pair["a"], pair["b"])): pair for pair in verdict.pairs}
    for other in others:
        assert other.ranks == pytest.approx(verdict.ranks)
        for pair in other.pairs:
            expected = own[frozenset((pair["a"], pair["b"]))]
            assert pair["p_value"] == pytest.approx(expected["p_value"])
            assert pair["better"] == expected["better"]
            assert abs(pair["standardized"]) == pytest.approx(abs(expected["standardized"]))


@in_one_test
@pytest.mark.parametrize("name", [*BOTH, "friedman_nemenyi", "robustness"])
def test_a_data_set_without_one_score_is_left_out_of_all_ranks(name):
    """Ranks among the two that are left would favour them."""
    means = pd.DataFrame(
        {"a": [0.1, 0.2, 0.2, 0.1], "b": [0.2, 0.3, 0.4, 0.5], "c": [np.nan, 0.1, 0.1, 0.4]},
        index=["w", "x", "y", "z"],
    )
    verdict, without = compare(name, means), compare(name, means.drop(index="w"))
    assert verdict.ranks == without.ranks
    assert verdict.pairs == without.pairs
    assert verdict.details["dropped"] == ("w",)
    assert "Left out for missing scores: 1 (w)." in verdict.text


@pytest.mark.parametrize("name", BOTH)
def test_what_cannot_be_compared_is_refused(name):
    with pytest.raises(ilk.InputError, match=f"{name}: there is 1 pipeline"):
        compare(name, {"a": [0.1, 0.2]})
    with pytest.raises(ilk.InputError, match=f"{name}: .* at least 2 of them, got 1"):
        compare(name, {"a": [0.1, 0.2], "b": [0.1, np.nan]})
    with pytest.raises(ilk.InputError, match=f"{name}: error of b on 1 is inf"):
        compare(name, {"a": [0.1, 0.2], "b": [0.1, math.inf]})


@in_one_test
@pytest.mark.parametrize("name", [*BOTH, "friedman_nemenyi", "robustness"])
def test_names_that_occur_twice_are_refused(name):
    table = np.random.default_rng(0).random((4, 3))
    with pytest.raises(ilk.InputError, match=f"{name}: there are 2 pipelines by the name a"):
        compare(name, pd.DataFrame(table, columns=list("aba")))
    with pytest.raises(ilk.InputError, match=f"{name}: there are 3 data sets by the name y"):
        compare(name, pd.DataFrame(table, columns=list("abc"), index=list("yyyx")))
    with pytest.raises(ilk.InputError, match=f"{name}: there are no scores"):
        ilk.comparison(name).compare(ilk.Scores(pd.DataFrame(), "error", False))


few_ranks = st.integers(2, 6).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 3), min_size=k, max_size=k), min_size=2, max_size=14)
)


@given(few_ranks, st.booleans())
def test_bars_of_the_diagram_join_those_that_do_not_differ(table, up):
    """A pair is under one bar if and only if the table has it as not different."""
    from ilk_evaluation.comparisons.verdict_plots import cliques

    means = pd.DataFrame(table, columns=[f"p{i}" for i in range(len(table[0]))], dtype=float)
    verdict = compare("friedman_nemenyi", means, up=up)
    ordered = sorted(verdict.ranks, key=lambda name: verdict.ranks[name])
    place = {name: at for at, name in enumerate(ordered)}
    joined = {
        frozenset(pair)
        for first, last in cliques(ordered, verdict)
        for pair in itertools.combinations(ordered[place[first] : place[last] + 1], 2)
    }
    alike = {frozenset((p["a"], p["b"])) for p in verdict.pairs if not p["different"]}
    assert joined == alike
    assert 0 <= verdict.details["kendall_w"] <= 1 + 1e-12


def test_the_diagram_follows_the_direction_of_the_measure():
    pytest.importorskip("matplotlib", reason="needs matplotlib to draw")
    means = pd.DataFrame(
        np.random.default_rng(0).random((20, 3)) + np.array([0, 0.5, 2]), columns=list("abc")
    )
    comparison = ilk.comparison("friedman_nemenyi")
    for up, best in ((False, "a"), (True, "c")):
        verdict = compare("friedman_nemenyi", means, up=up)
        assert min(verdict.ranks, key=verdict.ranks.get) == best
        ax = comparison.plot(verdict)
        at = {text.get_text()[0]: text.get_position()[0] for text in ax.texts[-3:]}
        assert at[best] == min(at.values())


def test_friedman_is_autoranks():
    autorank = pytest.importorskip("autorank", reason="needs autorank to agree with")
    means = pd.DataFrame(np.random.default_rng(5).random((15, 4)) + np.array([0, 0.1, 0.3, 0.4]))
    means.columns = list("abcd")
    expected = autorank.autorank(means, alpha=0.05, force_mode="nonparametric", order="ascending")
    verdict = compare("friedman_nemenyi", means)
    assert verdict.details["critical_difference"] == pytest.approx(expected.cd, rel=1e-4)
    assert verdict.details["chi2_p_value"] == pytest.approx(expected.pvalue)
    assert verdict.ranks == pytest.approx(expected.rankdf["meanrank"].to_dict())


def test_one_pair_is_and_several_are_undecided():
    near = {"a": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "b": [0.2, 0.1, 0.4, 0.3, 0.6, 0.5]}
    one = compare("bayesian_signed_rank", {**near, "c": [5.0] * 6}, rope=0.0)
    assert one.text.endswith("; 1 of 3 pairs is undecided.")
    more = {**near, "c": [5.0] * 6, "d": [4.0, 6.0] * 3}
    assert compare("bayesian_signed_rank", more, rope=0.0).text.endswith(
        "; 2 of 6 pairs are undecided."
    )
