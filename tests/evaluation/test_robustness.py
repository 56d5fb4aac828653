"""The comparison `robustness`: ratios to the best pipeline and their distribution."""

import math
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test

ERRORS = pd.DataFrame(
    {"a": [0.1, 0.2, 0.1, 0.4], "b": [0.2, 0.3, 0.1, 0.3], "c": [0.5, 0.1, 0.2, 0.2]},
    index=["w", "x", "y", "z"],
)


def compare(means, *, greater_is_better=False, measure="error", **parameters):
    scores = ilk.Scores(pd.DataFrame(), measure, greater_is_better, means=pd.DataFrame(means))
    return ilk.comparison("robustness", **parameters).compare(scores)


def test_worked_example():
    verdict = compare(ERRORS)
    ratios = verdict.details["ratios"]
    assert ratios["a"] == pytest.approx({"w": 1, "x": 2, "y": 1, "z": 2})
    assert ratios["b"] == pytest.approx({"w": 2, "x": 3, "y": 1, "z": 1.5})
    assert ratios["c"] == pytest.approx({"w": 5, "x": 1, "y": 2, "z": 1})
    assert verdict.details["boxes"]["c"] == pytest.approx(
        {
            "smallest": 1,
            "lower_quartile": 1,
            "median": 1.5,
            "upper_quartile": 2.75,
            "largest": 5,
            "n_best": 2,
        }
    )
    assert verdict.details["infinite"] == ()
    said = "a 1.50 (2.00, 2.00), c 1.50 (2.75, 5.00), b 1.75 (2.25, 3.00)."
    assert verdict.text.endswith(said)
    assert verdict.text.startswith("How many times the best error of the data set a pipeline's is")
    assert "over 4 data sets" in verdict.text


def test_the_probability_is_friedmans():
    means = np.random.default_rng(0).random((12, 4)) + 0.05 * np.arange(4)
    verdict = compare(means)
    scores = ilk.Scores(pd.DataFrame(), "error", False, means=pd.DataFrame(means))
    other = ilk.comparison("friedman_nemenyi").compare(scores)
    assert verdict.p_value == pytest.approx(other.p_value)
    assert verdict.statistic == pytest.approx(other.statistic)
    assert dict(verdict.ranks) == {str(k): v for k, v in other.ranks.items()}


tables = st.integers(2, 5).flatmap(
    lambda k: st.lists(
        st.lists(st.sampled_from([0.0, 0.01, 0.1, 0.25, 0.5, 1.0]), min_size=k, max_size=k),
        min_size=2,
        max_size=9,
    )
)


@given(tables)
def test_properties(table):
    means = pd.DataFrame(table, columns=[f"p{i}" for i in range(len(table[0]))])
    verdict = compare(means)
    ratios = pd.DataFrame(verdict.details["ratios"]).to_numpy()
    assert (ratios.min(axis=1) == 1).all()
    best = means.to_numpy() == means.to_numpy().min(axis=1, keepdims=True)
    np.testing.assert_array_equal(ratios == 1, best)
    for name, box in verdict.details["boxes"].items():
        values = np.sort(list(verdict.details["ratios"][name].values()))
        five = [box[k] for k in ("smallest", "lower_quartile", "median", "upper_quartile")]
        five.append(box["largest"])
        assert not np.isnan(five).any()
        assert sorted(five) == five
        if np.isfinite(values).all():
            np.testing.assert_allclose(five, np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))
    assert 0 <= verdict.p_value <= 1
    assert verdict.text


def test_no_error_at_all():
    means = pd.DataFrame({"a": [0.0, 0.1, 0.2], "b": [0.1, 0.1, 0.2], "c": [0.0, 0.2, 0.1]})
    verdict = compare(means)
    assert verdict.details["infinite"] == ("0",)
    assert list(verdict.details["ratios"]["b"].values()) == [math.inf, 1, 2]
    box = verdict.details["boxes"]["b"]
    assert (box["median"], box["upper_quartile"], box["largest"]) == (2, math.inf, math.inf)
    assert list(verdict.details["ratios"]["a"].values()) == [1, 1, 2]
    assert "Infinite where the best is 0: 0." in verdict.text
    finite = compare(means, floor=0.02)
    assert list(finite.details["ratios"]["b"].values()) == pytest.approx([5, 1, 2])
    assert finite.details["infinite"] == ()
    assert "Infinite" not in finite.text


def test_larger_may_be_better():
    verdict = compare([[0.9, 0.6], [0.5, 0.8]], greater_is_better=True, measure="accuracy")
    assert list(verdict.details["ratios"][0].values()) == pytest.approx([1, 1.6])
    assert list(verdict.details["ratios"][1].values()) == pytest.approx([1.5, 1])
    assert verdict.text.startswith(
        "How many times a pipeline's the best accuracy of the data set is"
    )
    none = compare([[0.0, 0.6], [0.0, 0.0]], greater_is_better=True)
    assert list(none.details["ratios"][0].values()) == [math.inf, 1]
    assert "Infinite where a score is 0: 0." in none.text


def test_infinite_and_tiny_scores_have_ratios():
    verdict = compare({"a": [math.inf, 0.1, 1.0], "b": [0.1, 0.2, 1e-310]})
    assert list(verdict.details["ratios"]["a"].values()) == [math.inf, 1, math.inf]
    assert "Infinite where the best is 0 or a score is infinite: 0, 2." in verdict.text
    with pytest.raises(ilk.ParameterError, match="floor must be a number"):
        compare(ERRORS, floor=math.inf)


def test_failed_cells_leave_a_data_set_out():
    means = ERRORS.copy()
    means.loc["x", "b"] = np.nan
    verdict = compare(means)
    assert verdict.details["boxes"] == compare(ERRORS.drop(index="x")).details["boxes"]
    assert verdict.details["dropped"] == ("x",)
    assert "Left out for missing scores: 1 (x)." in verdict.text


def test_what_makes_no_ratio_is_refused():
    with pytest.raises(ilk.InputError, match=r"robustness: error .* got -0.1 of b on z"):
        compare(ERRORS.replace({"b": {0.3: 0.4}}).assign(b=[1, 1, 1, -0.1]))
    with pytest.raises(ilk.InputError, match="robustness: there is 1 pipeline"):
        compare(ERRORS[["a"]])
    with pytest.raises(ilk.InputError, match="need at least 2 of them, got 1"):
        compare(ERRORS.head(1))
    with pytest.raises(ilk.ParameterError, match="floor must be a number >= 0"):
        compare(ERRORS, floor=-1.0)


def drawn(ax, path):
    ax.figure.savefig(path / "boxes.png", dpi=60)
    from matplotlib.image import imread

    return imread(path / "boxes.png")


def test_boxes_are_drawn_most_robust_first(tmp_path):
    pytest.importorskip("matplotlib")
    comparison = ilk.comparison("robustness")
    verdict = comparison.compare(ilk.Scores(pd.DataFrame(), "error", False, means=ERRORS))
    ax = comparison.plot(verdict)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "c", "b"]
    assert ax.yaxis_inverted()
    assert ax.get_xlabel() == "error / best error"
    assert ax.get_xscale() == "linear"
    assert drawn(ax, tmp_path).std() > 0.01
    assert comparison.plot(verdict, ax) is ax


def test_boxes_of_infinite_and_wide_ratios(tmp_path):
    pytest.importorskip("matplotlib")
    means = pd.DataFrame({"a$1$": [0, 0.01, 0.1], "b": [0.1, 0.5, 0.1], "c": [0.2, 0.01, 0]})
    comparison = ilk.comparison("robustness")
    scores = ilk.Scores(pd.DataFrame(), "error", False, means=means)
    ax = comparison.plot(comparison.compare(scores))
    assert ax.get_xscale() == "log"
    assert [text.get_text() for text in ax.texts] == ["1 x ∞", "1 x ∞", "2 x ∞"]
    assert 50 < ax.get_xlim()[1] < 200
    drawn(ax, tmp_path)


def test_boxes_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ilk.IlkError, match="the extra 'report' of ilk"):
        ilk.comparison("robustness").plot(compare(ERRORS))


@in_one_test
@pytest.mark.parametrize("up", [False, True])
@pytest.mark.parametrize("floor", [0.0, 0.05])
def test_ranks_are_friedmans_though_ratios_are_infinite(up, floor):
    """Scores that are all infinitely far behind the best are not level."""
    means = ERRORS.assign(d=0.0 if not up else [0.3, 0.0, 0.2, 0.0])
    verdict = compare(means, greater_is_better=up, floor=floor)
    scores = ilk.Scores(pd.DataFrame(), "error", up, means=means.clip(lower=floor))
    friedman = ilk.comparison("friedman_nemenyi").compare(scores)
    assert verdict.ranks == friedman.ranks
    assert (verdict.statistic, verdict.p_value) == (friedman.statistic, friedman.p_value)
    assert bool(verdict.details["infinite"]) == (floor == 0)
