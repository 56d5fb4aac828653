"""What comparisons of pairs share: Holm's correction, baselines, texts and pictures."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk_evaluation import holm
from ilk_evaluation.comparisons.verdict_plots import _most_significant

PAIRWISE = ("paired_t_5x2", "f_5x2", "corrected_resampled_t", "mcnemar", "wilcoxon")
OVER_DATASETS = ("wilcoxon", "bayesian_signed_rank")


def scores_of(names="abc", datasets=8, step=0.05):
    """Scores and predictions of 5x2 cross-validation, later pipelines worse."""
    rng = np.random.default_rng(0)
    rows = [
        (f"d{d}", name, r, f, 0.2 + 0.01 * d + step * p + 0.01 * rng.normal())
        for d in range(datasets)
        for p, name in enumerate(names)
        for r in range(5)
        for f in range(2)
    ]
    table = pd.DataFrame(rows, columns=["dataset", "pipeline", "repeat", "fold", "value"])
    sizes = table[["dataset", "repeat", "fold"]].drop_duplicates().assign(n_train=80, n_test=80)

    def predictions(dataset, pipeline):
        mine = table[(table["dataset"] == dataset) & (table["pipeline"] == pipeline)]
        for cell in mine.itertuples():
            truth, cases = np.zeros(80), np.arange(80)
            labels = (cases < 80 * cell.value).astype(float)
            indices = 80 * cell.fold + cases
            yield (
                cell.repeat,
                cell.fold,
                ilk.Prediction(truth, labels, np.arange(2), indices=indices),
            )

    return ilk.Scores(
        table, "error", False, "five_by_two", tuple(names), predictions=predictions, sizes=sizes
    )


def made(name, **more):
    return ilk.comparison(name, **more, **({"repeat": 0} if name == "mcnemar" else {}))


def test_holm_worked_out():
    # 0.005 * 4, then 0.01 * 3, then 0.03 * 2, and not 0.04 * 1 but what came before
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm([0.5, 0.9]), [1, 1])
    assert holm([]).shape == (0,)
    assert holm([0.2]).tolist() == [0.2]


def test_holm_is_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="to agree with")
    for m, seed in ((1, 0), (7, 1), (45, 2)):
        p = np.random.default_rng(seed).random(m).round(2) ** 3
        np.testing.assert_allclose(holm(p), multitest.multipletests(p, method="holm")[1])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.integers(0, 99))
def test_holm_keeps_order(values, seed):
    adjusted = holm(values)
    p = np.array(values)
    assert (adjusted >= p).all()
    assert (adjusted <= np.minimum(1, len(p) * p)).all()
    order = np.argsort(p)
    assert (np.diff(adjusted[order]) >= 0).all()
    shuffled = np.random.default_rng(seed).permutation(len(p))
    np.testing.assert_array_equal(holm(p[shuffled]), adjusted[shuffled])


@pytest.mark.parametrize("values", [[0.1, math.nan], [-0.1], [1.1]])
def test_holm_refuses_what_is_no_p_value(values):
    with pytest.raises(ilk.InputError, match="holm: p_values must be from 0 to 1, got"):
        holm(values)
    with pytest.raises(ilk.InputError, match=r"one dimension, got shape \(1, 2\)"):
        holm([[0.1, 0.2]])


@pytest.mark.parametrize("name", PAIRWISE)
def test_pairs_are_corrected_over_pairs_and_data_sets(name):
    scores = scores_of()
    corrected, plain = (
        made(name, adjust=adjust).compare(scores).pairs for adjust in ("holm", "none")
    )
    n_sets = 1 if name == "wilcoxon" else 8
    assert len(plain) == 3 * n_sets
    raw = [pair["p_value"] for pair in plain]
    assert [pair["raw_p_value"] for pair in corrected] == raw
    assert [pair["p_value"] for pair in corrected] == holm(raw).tolist()
    for pair in (*corrected, *plain):
        assert pair["different"] == (pair["p_value"] < 0.05)
        assert pair["better"] == min(pair["a"], pair["b"])
        assert pair["effect"] < 0
    verdict = made(name).compare(scores)
    assert verdict.p_value == min(pair["p_value"] for pair in verdict.pairs)
    assert f"for {3 * n_sets} tests" in verdict.text


@pytest.mark.parametrize("name", [*PAIRWISE, "bayesian_signed_rank"])
def test_a_baseline_is_compared_with_the_others_only(name):
    scores = scores_of()
    verdict = made(name, baseline="b").compare(scores)
    assert {(pair["a"], pair["b"]) for pair in verdict.pairs} == {("b", "a"), ("b", "c")}
    every = {
        (p["a"], p["b"], p.get("dataset")): p.get("raw_p_value", p["p_value"])
        for p in made(name).compare(scores).pairs
    }
    for pair in verdict.pairs:
        a, b = sorted((pair["a"], pair["b"]))
        own = pair.get("raw_p_value", pair["p_value"])
        assert own == pytest.approx(every[a, b, pair.get("dataset")])
    with pytest.raises(ilk.InputError, match="no pipeline 'bb' to be the baseline; did you mean"):
        made(name, baseline="bb").compare(scores_of(["bbb", "c"]))


def test_many_pairs_are_told_shortly():
    scores = scores_of("abcdefgh", datasets=12)
    for name in (*PAIRWISE, "bayesian_signed_rank"):
        text = made(name).compare(scores).text
        assert len(text) < 900, name
    said = made("wilcoxon").compare(scores_of(datasets=12)).text
    assert said == (
        "By Wilcoxon's signed-rank test of 3 pairs (error; Holm's correction for 3 tests) at 0.05 "
        "a is better than b, c; b is better than c."
    )
    said = made("f_5x2", alpha=1e-9).compare(scores_of()).text
    assert "of 3 pairs on 8 data sets" in said
    assert "no difference is significant at 1e-09; the smallest p-value is" in said


@pytest.mark.parametrize("name", PAIRWISE)
def test_differences_are_drawn_as_the_table_says(name):
    pytest.importorskip("matplotlib", reason="needs matplotlib to draw")
    comparison = made(name)
    verdict = comparison.compare(scores_of(["a$1", "_b", "c"], datasets=8, step=0.012))
    ax = comparison.plot(verdict)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels[0].startswith("a\\$1 − _b")
    assert len(labels) == len(verdict.pairs)
    marked = {
        round(float(line.get_ydata()[0])): line.get_marker() == "o"
        for line in ax.lines
        if line.get_marker() in {"o", "D"}
    }
    assert marked == {row: pair["different"] for row, pair in enumerate(verdict.pairs)}
    ax.figure.draw_without_rendering()


def test_only_the_clearest_of_many_pairs_are_drawn():
    pytest.importorskip("matplotlib", reason="needs matplotlib to draw")
    for name in ("wilcoxon", "bayesian_signed_rank"):
        comparison = made(name)
        ax = comparison.plot(comparison.compare(scores_of("abcdefghijk", step=0.01)))
        assert len(ax.get_yticks()) == 40
        assert ax.get_title() == "40 of 55 pairs, those with the smallest p-values"


def test_of_pairs_whose_adjusted_p_values_are_equal_the_clearest_are_drawn():
    pairs = [
        {"a": f"{i}", "b": "x", "p_value": 1.0, "raw_p_value": 1 - i / 100, "effect": 0.0}
        for i in range(60)
    ]
    assert [pair["a"] for pair in _most_significant(pairs)] == [f"{i}" for i in range(20, 60)]


def test_probabilities_are_drawn_as_bars():
    pytest.importorskip("matplotlib", reason="needs matplotlib to draw")
    comparison = made("bayesian_signed_rank")
    verdict = comparison.compare(scores_of(step=0.012))
    ax = comparison.plot(verdict)
    widths = np.array([bar.get_width() for bar in ax.patches]).reshape(3, 3)
    keys = ("p_a_better", "p_equivalent", "p_b_better")
    np.testing.assert_allclose(widths, [[pair[key] for pair in verdict.pairs] for key in keys])
    np.testing.assert_allclose(widths.sum(axis=0), 1)
    assert comparison.plot(verdict, ax) is ax


@pytest.mark.parametrize("name", ["wilcoxon", "bayesian_signed_rank"])
def test_drawing_without_matplotlib(name, monkeypatch):
    comparison = made(name)
    verdict = comparison.compare(scores_of())
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(ilk.IlkError, match="the extra 'report' of ilk"):
        comparison.plot(verdict)
