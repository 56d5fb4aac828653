"""The comparison `mcnemar`: over the cases of each data set."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import ilk
from ilk_evaluation import run_experiment


def scores_of(answers, *, folds=1, repeats=1, resampling="kfold", rejected=(), absent=()):
    """Scores where a mapping says which cases each pipeline gets right.

    `rejected` has pipelines and cases, `absent` pipelines and folds.
    """
    n = len(next(iter(answers.values())))
    parts = np.array_split(np.arange(n), folds)
    splits = [("d", r, f) for r in range(repeats) for f in range(folds)]
    table = pd.DataFrame(
        [(*at[:1], p, *at[1:], 0.0) for p in answers for at in splits if (p, at[2]) not in absent],
        columns=["dataset", "pipeline", "repeat", "fold", "value"],
    )

    def predictions(_, pipeline):
        right = np.array(answers[pipeline], bool)
        off = np.array([(pipeline, case) in rejected for case in range(n)])
        for _, repeat, fold in splits:
            if (pipeline, fold) in absent:
                continue
            at = parts[fold]
            labels = np.where(right[at], "yes", "no")
            truth = np.full(len(at), "yes")
            classes = np.array(["no", "yes"])
            one = ilk.Prediction(truth, labels, classes, rejected=off[at], indices=at)
            yield repeat, fold, one

    sizes = pd.DataFrame(splits, columns=["dataset", "repeat", "fold"])
    return ilk.Scores(
        *(table, "f1", True, resampling, tuple(answers), ("d",)),
        predictions=predictions,
        sizes=sizes,
    )


def answers_of(b, c, both=5, neither=3):
    """Cases right by the first only, by the second only, by both and by neither."""
    a_right = [1] * b + [0] * c + [1] * both + [0] * neither
    b_right = [0] * b + [1] * c + [1] * both + [0] * neither
    return {"a": a_right, "b": b_right}


def compare(answers, *, folds=1, **more):
    own = {
        key: more.pop(key) for key in ("rejected", "absent", "repeats", "resampling") if key in more
    }
    return ilk.comparison("mcnemar", **more).compare(scores_of(answers, folds=folds, **own))


def test_worked_out_by_the_binomial_distribution():
    verdict = compare(answers_of(9, 2))
    (pair,) = verdict.pairs
    assert verdict.statistic == 2
    assert verdict.p_value == pytest.approx(2 * (1 + 11 + 55) / 2**11)
    assert (pair["only_a_right"], pair["only_b_right"], pair["n_cases"]) == (9, 2, 19)
    assert pair["effect"] == pytest.approx((2 - 9) / 19)
    assert pair["standardized"] == 4.5
    assert (pair["exact"], pair["better"], pair["dataset"]) == (True, "a", "d")
    assert verdict.measure == "error"
    assert "error lower by 0.3684 for a; p = 0.0654" in verdict.text


def test_worked_out_by_the_chi_squared_distribution():
    """Edwards's: (|59 - 39| - 1)^2 / 98, with one degree of freedom."""
    verdict = compare(answers_of(59, 39))
    assert verdict.statistic == pytest.approx(361 / 98)
    assert verdict.p_value == pytest.approx(math.erfc(math.sqrt(361 / 98 / 2)))
    assert not verdict.pairs[0]["exact"]


def test_no_case_on_which_they_differ_is_no_evidence():
    """Where a peer says p = 0."""
    for answers in (answers_of(0, 0), {"a": [1] * 40, "b": [1] * 40}):
        for below in (25, 0):
            verdict = compare(answers, exact_below=below)
            assert (verdict.statistic, verdict.p_value) == (0, 1)
            assert verdict.pairs[0]["standardized"] == 1
            assert not verdict.pairs[0]["different"]


@pytest.mark.parametrize(("b", "c", "exact"), [(12, 12, True), (24, 0, True), (13, 12, False)])
def test_exact_below_25(b, c, exact):
    pair = compare(answers_of(b, c)).pairs[0]
    assert pair["exact"] == exact
    expected = binomtest(b, b + c).pvalue
    assert pair["p_value"] == pytest.approx(expected) if exact else pair["p_value"] == 1


@given(st.integers(0, 40), st.integers(0, 40))
def test_agrees_with_statsmodels_and_mlxtend(b, c):
    tables = pytest.importorskip("statsmodels.stats.contingency_tables", reason="to agree with")
    evaluate = pytest.importorskip("mlxtend.evaluate", reason="to agree with")
    verdict = compare(answers_of(b, c))
    table = np.array([[5, b], [c, 3]])
    if b == c:  # both give 2 * P(B <= b) > 1, or a statistic above 0, for no difference at all
        assert verdict.p_value == 1
        return
    exact = b + c < 25
    expected = tables.mcnemar(table, exact=exact, correction=True)
    assert verdict.p_value == pytest.approx(expected.pvalue)
    assert verdict.statistic == pytest.approx(expected.statistic)
    assert verdict.p_value == pytest.approx(evaluate.mcnemar(table, exact=exact)[1])


@given(
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=60),
    st.integers(1, 2),
    st.randoms(use_true_random=False),
)
def test_swapped_and_shuffled(cases, folds, random):
    verdict = compare({"a": [a for a, _ in cases], "b": [b for _, b in cases]}, folds=folds)
    swapped = compare({"a": [b for _, b in cases], "b": [a for a, _ in cases]})
    random.shuffle(cases)
    shuffled = compare({"a": [a for a, _ in cases], "b": [b for _, b in cases]})
    pair, back = verdict.pairs[0], swapped.pairs[0]
    assert shuffled.pairs[0] == pair
    assert back["effect"] == -pair["effect"]
    assert back["p_value"] == pair["p_value"]
    assert back["interval"] == pytest.approx([-side for side in pair["interval"][::-1]])
    low, high = pair["interval"]
    assert -1 <= low < high <= 1
    assert pair["p_value"] <= 1


def test_interval_of_bonett_and_price():
    """(b + 1) / (n + 2) and (c + 1) / (n + 2), by hand."""
    low, high = compare(answers_of(9, 2)).pairs[0]["interval"]
    p, q = 3 / 21, 10 / 21
    reach = 1.959964 * math.sqrt((p + q - (p - q) ** 2) / 21)
    assert (low, high) == pytest.approx((p - q - reach, p - q + reach), rel=1e-6)


def test_rejected_cases_are_left_out_and_counted():
    answers = answers_of(9, 2)
    verdict = compare(answers, rejected={("a", 0), ("b", 1), ("b", 18)})
    (pair,) = verdict.pairs
    assert (pair["only_a_right"], pair["n_cases"], pair["n_rejected"]) == (7, 16, 3)
    assert "Cases that one of a pair rejected are left out, up to 3." in verdict.text
    with pytest.raises(ilk.InputError, match="no data set"):
        compare(answers, rejected={("a", case) for case in range(19)})


def test_a_pipeline_without_answers_costs_its_own_pairs_and_no_others():
    """It lacks a fold, or rejected all cases; or two have no answered case in common."""
    answers = {**answers_of(9, 2), "c": [1, 0] * 9 + [1]}
    expected = compare(answers_of(9, 2)).pairs
    n = len(answers["c"])
    for lost in ({"absent": {("c", 1)}}, {"rejected": {("c", case) for case in range(n)}}):
        verdict = compare(answers, folds=3, **lost)
        assert verdict.pairs == expected
        assert verdict.details["dropped"] == ("c on d",)
        assert verdict.details["n_cases"] == {"d": n}
        with pytest.raises(ilk.InputError, match="both pipelines of a pair .*left out: d"):
            compare(answers, folds=3, baseline="c", **lost)
    halves = {("a" if case < 10 else "c", case) for case in range(n)}
    verdict = compare(answers, rejected=halves)
    assert [(pair["a"], pair["b"]) for pair in verdict.pairs] == [("a", "b"), ("b", "c")]
    assert verdict.text.endswith("Left out for missing scores: 1 (a and c on d).")


def test_several_repeats_need_a_name():
    answers = answers_of(9, 2)
    with pytest.raises(
        ilk.InputError, match=r"3 repeats of repeated_kfold.*name one \(repeat = 0\)"
    ):
        compare(answers, repeats=3, resampling="repeated_kfold")
    verdict = compare(answers, repeats=3, repeat=2, folds=3)
    assert verdict.pairs == compare(answers).pairs
    assert verdict.details["repeat"] == 2
    assert "Cases are those of repeat 2." in verdict.text
    with pytest.raises(ilk.InputError, match=r"there is no repeat 3 \(there are: 0, 1, 2\)"):
        compare(answers, repeats=3, repeat=3)


def test_what_has_no_predictions_is_left_out_or_refused():
    answers = answers_of(9, 2)
    with pytest.raises(ilk.InputError, match="mcnemar: there is no data set .*left out: d"):
        compare(answers, folds=3, absent={("a", 1)})
    with pytest.raises(ilk.InputError, match="mcnemar: there is no data set"):
        compare(answers, folds=3, absent={("a", 1), ("b", 1)})
    scores = scores_of(answers)
    bare = ilk.Scores(scores.table, "error", False)
    with pytest.raises(ilk.InputError, match="mcnemar: there are no predictions"):
        ilk.comparison("mcnemar").compare(bare)
    with pytest.raises(ilk.InputError, match="tests the cases it trains with"):
        compare(answers, resampling="resubstitution")
    for repeat in (None, 0):  # the only one, or the one named
        with pytest.raises(ilk.InputError, match="repeat 0 of bootstrap_632 is resubstitution"):
            ilk.comparison("mcnemar", repeat=repeat).compare(
                scores_of(answers, resampling="bootstrap_632")
            )


def test_cases_tested_twice_are_refused():
    scores = scores_of(answers_of(9, 2), folds=2)
    once = scores.predictions

    def twice(dataset, pipeline):
        for repeat, _, one in once(dataset, pipeline):
            yield repeat, 0, one
            yield repeat, 1, one

    double = ilk.Scores(scores.table, "error", False, "leave_p_out", predictions=twice)
    with pytest.raises(ilk.InputError, match="case 10 of d is tested 2 times"):
        ilk.comparison("mcnemar").compare(double)


def test_pipelines_that_were_tested_on_other_cases_are_refused():
    scores = scores_of(answers_of(9, 2), folds=2)

    def other(dataset, pipeline):
        for repeat, fold, one in scores.predictions(dataset, pipeline):
            moved = one.indices + 100 if (pipeline, fold) == ("b", 1) else one.indices
            yield repeat, fold, replace(one, indices=moved)

    with pytest.raises(ilk.InputError, match="a and b were not tested on the same cases of d"):
        ilk.comparison("mcnemar").compare(replace(scores, predictions=other))


def pipelines():
    return [
        {"id": "1-nn", "steps": [{"classifier": {"use": "knn", "k": 1}}]},
        {"id": "means", "steps": [{"classifier": "nearest_mean"}]},
    ]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    comparisons = [{"use": "mcnemar", "repeat": 1}, "corrected_resampled_t", "f_5x2"]
    return run_experiment(
        {
            "datasets": ["iris"],
            "pipelines": pipelines(),
            "evaluation": {
                "resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 5},
                "comparisons": comparisons,
            },
        },
        store=tmp_path_factory.mktemp("store") / "store.ilk",
    )


def test_cases_and_sizes_come_from_the_store(results):
    """Counted from the table of predictions, in another way."""
    verdict = results.verdicts[0]
    cases = results.to_pandas("predictions")
    cases = cases[cases["repeat"] == 1]
    right = (
        cases.assign(right=cases["truth"] == cases["label"])
        .pivot(index="case", columns="pipeline", values="right")
        .astype(bool)
    )
    (pair,) = verdict.pairs
    assert pair["n_cases"] == len(right) == 150
    assert pair["only_a_right"] == (right["1-nn"] & ~right["means"]).sum()
    assert pair["only_b_right"] == (~right["1-nn"] & right["means"]).sum()
    assert results.verdicts[1].details["ratios"] == {"iris": 1.0}
    assert results.verdicts[2].comparison == "f_5x2"
    assert results.notes == []


def test_a_part_of_results_is_compared_or_refused(results):
    one = results.filter(repeat=1)
    assert one.verdicts[0].pairs == results.verdicts[0].pairs
    assert any("f_5x2: needs 5 repeats" in note for note in one.notes)
    without = results.filter(repeat=[0, 2])
    assert any("there is no repeat 1 (there are: 0, 2)" in note for note in without.notes)


class TestErrorBelow:
    @given(st.integers(1, 80), st.floats(0.01, 0.99), st.data())
    def test_as_scipys_binomial_test(self, n, p0, data):
        wrong = data.draw(st.integers(0, n))
        scores = scores_of({"a": [0] * wrong + [1] * (n - wrong)})
        verdict = ilk.comparison("error_below", p0=p0).compare(scores)
        expected = binomtest(wrong, n, p0, alternative="less")
        assert verdict.p_value == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-300)
        assert verdict.statistic == wrong
        inside = binomtest(wrong, n, p0).proportion_ci(0.95)
        interval = np.array(verdict.pairs[0]["interval"]) + p0
        np.testing.assert_allclose(interval, inside, atol=1e-9)

    def test_normal_by_hand_and_near_the_exact(self):
        scores = scores_of({"a": [0] * 80 + [1] * 3254})
        near = ilk.comparison("error_below", p0=0.03, method="normal").compare(scores)
        assert near.statistic == pytest.approx((80 / 3334 - 0.03) / np.sqrt(0.03 * 0.97 / 3334))
        exact = ilk.comparison("error_below", p0=0.03).compare(scores)
        assert near.p_value == pytest.approx(exact.p_value, rel=0.1)

    def test_each_pipeline_alone_with_holms_correction(self):
        answers = {"good": [1] * 98 + [0] * 2, "bad": [1] * 80 + [0] * 20}
        verdict = ilk.comparison("error_below").compare(scores_of(answers))
        good, bad = verdict.pairs
        assert good["p_value"] == pytest.approx(2 * binomtest(2, 100, 0.1, "less").pvalue)
        assert (good["different"], bad["different"]) == (True, False)
        assert (good["better"], bad["better"]) == ("good", "error 0.1")
        assert verdict.text == (
            "By the exact binomial test (Holm's correction for 2 tests) errors below 0.1 at 0.05: "
            "good on d."
        )
        none = ilk.comparison("error_below", p0=0.01).compare(scores_of(answers))
        assert "no error is below 0.01 at 0.05; the smallest p-value is" in none.text

    def test_leaves_rejected_cases_and_lost_pipelines_out(self):
        answers = {"a": [0] * 5 + [1] * 45, "b": [1] * 50}
        rejected = {("a", case) for case in range(4)}
        scores = scores_of(answers, folds=2, rejected=rejected, absent={("b", 1)})
        verdict = ilk.comparison("error_below").compare(scores)
        (pair,) = verdict.pairs
        assert (pair["errors"], pair["n_cases"], pair["n_rejected"]) == (1, 46, 4)
        assert "Left out for missing scores: 1 (b on d)" in verdict.text

    def test_refuses_repeats_and_no_predictions(self):
        scores = scores_of({"a": [1, 0]}, repeats=2)
        with pytest.raises(ilk.InputError, match="error_below: cases are tested in each of the 2"):
            ilk.comparison("error_below").compare(scores)
        with pytest.raises(ilk.InputError, match="error_below: there are no predictions"):
            ilk.comparison("error_below").compare(replace(scores, predictions=None))

    def test_is_in_reports_of_one_and_of_two_pipelines(self, tmp_path):
        pytest.importorskip("matplotlib")
        for names in (["lda"], ["lda", "qda"]):
            found = ilk.compare(
                {name: name for name in names},
                "iris",
                resampling={"use": "kfold", "folds": 2},
                comparisons=["error_below"],
            )
            page = found.report(tmp_path / f"{len(names)}.html").read_text(encoding="utf-8")
            assert "Binomial test of the error" in page
            assert "error 0.1" in page
