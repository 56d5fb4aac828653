"""`ilk claims`: files are checked, rules give verdicts, runs are resumed, pages are written."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import ilk
from ilk.cli import shell
from ilk_evaluation import bias_variance, run_experiment
from ilk_evaluation.claims import claim_runs, verdict
from ilk_evaluation.claims.claim import Rule, load_claims, read_claim
from ilk_evaluation.claims.verdict import (
    FAILS,
    HOLDS,
    IN_THE_MEAN,
    UNKNOWN,
    Sample,
    decide,
    in_words,
    judge,
    samples,
)

ROOT = Path(__file__).parents[2]
CLAIM = """
[claim]
text = "arras"
place = "section 1"
statement = "One neighbour is better than class means."
protocol = "Two folds."
seconds = 1.0

[[rules]]
kind = "better"
pipeline = "1-NN"

[[datasets]]
use = "iris"

[[pipelines]]
id = "1-NN"
steps = [{ classifier = { use = "knn", k = 1 } }]
[[pipelines]]
id = "means"
steps = [{ classifier = "nearest_mean" }]

[evaluation]
resampling = { use = "repeated_kfold", folds = 2, repeats = 4 }
"""
HEAD, TAIL = CLAIM.split("[[rules]]", maxsplit=1)[0], CLAIM.partition("[[datasets]]")[2]


@pytest.fixture
def folder(tmp_path):
    """A folder of claims; stores go elsewhere."""
    made = tmp_path / "claims"
    made.mkdir()
    (made / "nearest.toml").write_text(CLAIM)
    return made


def ilk_claims(folder, *arguments):
    """Run `ilk claims run` and return its exit code and the records of the file it wrote."""
    store = folder.parent / "stores"
    more = ["--folder", str(folder), "--store", str(store), "--executor", "serial"]
    code = shell.run(["claims", "run", *more, *arguments])
    file = store / "claims.json"
    content = json.loads(file.read_text()) if file.exists() else {"claims": []}
    return code, {one["id"]: one for one in content["claims"]}


def test_all_problems_are_listed_with_their_lines(tmp_path):
    path = tmp_path / "wrong.toml"
    text = CLAIM.replace('"arras"', '"aras"').replace('"knn"', '"kn"')
    path.write_text(text.replace("[[datasets]]", 'at_least = "x"\n[output]\n[[datasets]]', 1))
    with pytest.raises(ilk.SpecError) as error:
        read_claim(path)
    found = {(one.line, ".".join(map(str, one.path))) for one in error.value.problems}
    lines = path.read_text().splitlines()
    wanted = [("text =", "claim.text"), ("at_least", "rules.0.at_least"), ("[output]", "output")]
    for start, where in wanted:
        line = next(i for i, line in enumerate(lines, 1) if line.startswith(start))
        assert (line, where) in found
    assert any("did you mean 'knn'" in one.message for one in error.value.problems)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ('kind = "better"', "a rule of kind better needs pipeline"),
        (
            'kind = "better"\npipeline = "mean"',
            "there is no pipeline 'mean'; did you mean 'means'?",
        ),
        ('kind = "better"\npipeline = "1-NN"\nx = "y"', "is not for a rule of kind better"),
        ('kind = "better"\npipeline = "1-NN"\nmeasure = "f1"', "there is no measure 'f1'"),
        ('kind = "better"\npipeline = "1-NN"\nof = "ensemble"', "needs members and ensemble"),
        ('kind = "contrast"\nplus = [["1-NN"]]\nminus = []', "a list of a pipeline and a data set"),
        ('kind = "best"', "must be"),
        ('kind = "better"\npipeline = "1-NN"\nmargin = inf', "must be a number >= 0, < inf"),
        (
            'kind = "better"\npipeline = "1-NN"\nthan = ["1-NN"]',
            "must not have the pipeline",
        ),
        (
            'kind = "order"\npipelines = ["1-NN", "1-NN"]',
            "two pipelines or more, each",
        ),
        ('kind = "no_best"\npipelines = ["1-NN"]', "two pipelines or more, each"),
        ('kind = "contrast"\nplus = []\nminus = [["1-NN", "iris"]]', "must not be empty"),
        (
            'kind = "value"\nfunction = "ensemble_error"\nequals = 1\narguments = { n = 1 }',
            "unexpected keyword argument 'n'",
        ),
    ],
)
def test_a_rule_that_cannot_be_applied_is_refused(tmp_path, rule, message):
    path = tmp_path / "wrong.toml"
    path.write_text(f"{HEAD}[[rules]]\n{rule}\n\n[[datasets]]{TAIL}")
    with pytest.raises(ilk.SpecError) as error:
        read_claim(path)
    (problem,) = [one for one in error.value.problems if message in one.message]
    assert path.read_text().splitlines()[problem.line - 1 :][0].startswith(("[[rules]]", *KEYS))


KEYS = ("kind", "pipeline", "x =", "measure", "of =", "plus", "margin", "than", "arguments")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('[[pipelines]]\nid = "means"\nsteps = [{ classifier = "nearest_mean" }]', "", "needs two"),
        ("repeated_kfold", "bootstrap", "does not fit the resampling bootstrap"),
        (
            "[evaluation]",
            '[evaluation]\nmeasures = [{ use = "roc_auc", pooled = true }]',
            "is pooled over the folds",
        ),
    ],
)
def test_an_experiment_to_which_no_rule_applies_is_refused(tmp_path, old, new, message):
    path = tmp_path / "wrong.toml"
    path.write_text(CLAIM.replace(old, new).replace("folds = 2, repeats = 4", "repeats = 4"))
    with pytest.raises(ilk.SpecError, match=message):
        read_claim(path)


def test_more_data_sets_than_there_are_cannot_count(folder, capsys):
    rule = 'kind = "count"\npipeline = "1-NN"\nat_least = 2'
    (folder / "nearest.toml").write_text(f"{HEAD}[[rules]]\n{rule}\n\n[[datasets]]{TAIL}")
    assert ilk_claims(folder)[0] == 2
    assert "at_least: must be at most the number of data sets, 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is no file of verdicts"),
        ('{"format": 2, "claims": []}', "has format 2, not 1"),
        ('{"format": 1, "claims": [{"id": "nearest"}]}', "has a record without all of"),
        ('{"format": 1, "claims": ["nearest"]}', "is no file of verdicts"),
    ],
)
def test_another_file_is_not_taken_for_verdicts_and_stays(folder, capsys, content, message):
    file = folder.parent / "claims.json"
    file.write_text(content)
    more = ["--folder", str(folder), "--output", str(file)]
    for arguments in (["claims"], ["claims", "show", "nearest"], ["claims", "run"]):
        head, *rest = arguments
        assert shell.run([head, *rest, *more]) == 2
        assert message in capsys.readouterr().err
    assert file.read_text() == content


def test_a_folder_without_claims_is_said(tmp_path, capsys):
    assert shell.run(["claims", "--folder", str(tmp_path)]) == 2
    assert "there is no claim" in capsys.readouterr().err


def test_the_interval_of_two_pipelines_is_that_of_the_corrected_t_test():
    generator = np.random.default_rng(3)
    values = generator.normal([0.2, 0.25], 0.02, (10, 2))
    found = decide(Rule("better", pipeline="a"), ["a", "b"], [Sample("d", values, ratio=1.0)])
    gaps = values[:, 1] - values[:, 0]
    width = stats.t.ppf(0.975, 9) * np.sqrt((1 / 10 + 1) * gaps.var(ddof=1))
    assert found.estimate == pytest.approx(gaps.mean())
    assert found.low == pytest.approx(gaps.mean() - width, abs=0.1 * width)
    assert found.high == pytest.approx(gaps.mean() + width, abs=0.1 * width)


@pytest.mark.parametrize(
    ("gaps", "margin", "expected"),
    [
        ([0.10, 0.11, 0.09, 0.10], 0.05, HOLDS),
        ([0.30, -0.10, 0.20, 0.00], 0.05, IN_THE_MEAN),  # the mean is 0.1
        ([0.20, -0.25, 0.15, -0.10], 0.05, UNKNOWN),  # the mean is 0
        ([0.01, 0.00, 0.02, 0.01], 0.05, FAILS),
    ],
)
def test_each_verdict(gaps, margin, expected):
    values = np.column_stack([np.full(4, 0.2), 0.2 + np.array(gaps)])
    found = decide(Rule("better", pipeline="a", margin=margin), "ab", [Sample("d", values, 0.5)])
    assert found.verdict == expected
    assert found.threshold == margin


@pytest.mark.parametrize(
    ("rule", "statistic"),
    [
        (Rule("better", pipeline="a"), 0.25 - 0.2),  # means .2, .25, .3
        (Rule("better", pipeline="c", than=("a",)), 0.2 - 0.3),
        (Rule("better", pipeline="a", by="robustness"), 0.25),  # a: 1, 1.5; b: 2, 1
        (Rule("better", pipeline="a", by="rank"), 1.5 - 1.75),  # 1, 2, 3 and 2.5, 1, 2.5
        (Rule("order", pipelines=("a", "b", "c")), 0.05),
        (Rule("equal", pipelines=("a", "c"), margin=0.2), -0.1),
        (Rule("count", pipeline="a", at_least=1), 1),
        (Rule("no_best"), 1),
        (Rule("contrast", plus=(("c", "d"), ("a", "e")), minus=(("a", "d"),)), 0.3 + 0.3 - 0.1),
    ],
)
def test_statistics_by_hand(rule, statistic):
    """Errors of a, b, c: .1, .2, .3 on d; on e .3, .3, .3, but .2 of b for ratios and ranks."""
    e = [0.3, 0.3, 0.3] if rule.by == "mean" and rule.kind not in COUNTS else [0.3, 0.2, 0.3]
    samples = [Sample("d", np.tile([0.1, 0.2, 0.3], (3, 1))), Sample("e", np.tile(e, (3, 1)))]
    found = decide(rule, "abc", samples)
    assert found.estimate == pytest.approx(statistic)
    assert (found.low, found.high) == pytest.approx((statistic, statistic))


COUNTS = {"count", "no_best"}


def test_greater_is_better_turns_the_order():
    samples = [Sample("d", np.tile([0.9, 0.8], (3, 1)))]
    found = decide(Rule("better", pipeline="a"), "ab", samples, greater=True)
    assert found.estimate == pytest.approx(0.1)
    robust = decide(Rule("better", pipeline="a", by="robustness"), "ab", samples, greater=True)
    assert robust.estimate == pytest.approx(0.9 / 0.8 - 1)


@pytest.mark.parametrize(("gap", "expected"), [(0.05, IN_THE_MEAN), (-0.05, UNKNOWN)])
def test_noise_alone_decides_no_count(gap, expected):
    """Two noisy splits: counts of draws lie near half of the data sets, whatever the truth."""
    noisy = [[0.2, 0.2 + gap + 0.4], [0.2, 0.2 + gap - 0.4]]
    samples = [Sample(str(i), np.array(noisy), 1.0) for i in range(10)]
    found = decide(Rule("count", pipeline="a", at_least=9), "ab", samples)
    assert found.verdict == expected


def simulated(rule, pipelines, means, n_trials=80):
    """Share of each verdict over trials with ten splits and the means of the data sets as true."""
    generator, found = np.random.default_rng(5), []
    for _ in range(n_trials):
        noise = generator.normal(0, 0.02, (len(means), 10, len(pipelines)))
        samples = [Sample(str(i), each + noise[i]) for i, each in enumerate(means)]
        found.append(decide(rule, pipelines, samples).verdict)
    return {each: found.count(each) / n_trials for each in (HOLDS, FAILS)}


def test_many_data_sets_without_a_difference_give_no_verdict(monkeypatch):
    """A pipeline is best on 8 of 19 (or 9), and as good as equal on all others (or on these)."""
    monkeypatch.setattr(verdict, "DRAWS", 1000)
    rule = Rule("count", pipeline="a", at_least=9)
    few = simulated(rule, "ab", [[0.2, 0.6]] * 8 + [[0.20001, 0.2]] * 11)
    enough = simulated(rule, "ab", [[0.2, 0.20001]] * 9 + [[0.6, 0.2]] * 10)
    assert few[HOLDS] <= 0.06  # 0.25 if each data set is judged alone
    assert enough[FAILS] <= 0.06
    assert simulated(rule, "ab", [[0.2, 0.6]] * 9 + [[0.6, 0.2]] * 10)[HOLDS] == 1
    assert simulated(rule, "ab", [[0.2, 0.6]] * 8 + [[0.6, 0.2]] * 11)[FAILS] == 1


def test_measures_of_diversity_are_told_apart():
    rules = [
        Rule("correlation", x="diversity", y="uplift", of="ensemble", diversity=one)
        for one in ("entropy", "plain_disagreement")
    ]
    assert [f"({rule.diversity})" in in_words(rule, "error") for rule in rules] == [True, True]


def test_correlation_over_data_sets():
    samples = [
        Sample(str(i), np.tile([x, y], (2, 1))) for i, (x, y) in enumerate(zip(X, Y, strict=True))
    ]
    found = decide(Rule("correlation", x="u", y="v"), "uv", samples)
    assert found.estimate == pytest.approx(np.corrcoef(X, Y)[0, 1])
    assert found.verdict == HOLDS


X, Y = (0.1, 0.2, 0.4, 0.3), (0.2, 0.3, 0.5, 0.6)


def test_bias_and_members_come_from_the_predictions():
    trees = [{"id": str(depth), "steps": [tree(depth)]} for depth in (1, 2, 3)]
    members = [one["steps"][0]["classifier"] for one in trees]
    vote = {"use": "voting", "combiner": "majority", "members": members}
    results = run_experiment(
        {
            "datasets": ["iris"],
            "pipelines": [*trees, {"id": "vote", "steps": [{"classifier": vote}]}],
            "evaluation": {"resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 2}},
        }
    )
    found = judge(Rule("better", of="bias", pipeline="3", than=("1",)), results)
    deep, stump = (bias_variance.of_results(results, pipeline=one).mean for one in ("3", "1"))
    assert found.estimate == pytest.approx(stump.bias - deep.bias)
    named = {"of": "ensemble", "members": ("1", "2", "3"), "ensemble": "vote"}
    uplift = judge(Rule("better", pipeline="ensemble", than=("members",), **named), results)
    errors = results.table().set_index("pipeline")["error"]
    assert uplift.estimate == pytest.approx(errors[["1", "2", "3"]].mean() - errors["vote"])


def test_the_interval_of_variance_is_that_of_cases_and_repeats():
    """Over sets of repeats, the estimate varies by more than the cases tell."""
    trees = [{"id": str(depth), "steps": [tree(depth)]} for depth in (1, 4)]
    resampling = {"use": "repeated_kfold", "folds": 2, "repeats": 4}
    results = run_experiment(
        {"datasets": ["wine"], "pipelines": trees, "evaluation": {"resampling": resampling}}
    )
    repeats = sorted({cell.repeat for cell in results.design.cells})

    def difference(part):
        one, four = (bias_variance.of_results(part, pipeline=name).variance for name in ("1", "4"))
        return four - one

    cases = difference(results)
    left_out = [
        difference(results.filter(repeat=[r for r in repeats if r != out])).mean()
        for out in repeats
    ]
    by_cases = cases.var(ddof=1) / len(cases)
    by_repeats = 3 / 4 * np.sum((left_out - np.mean(left_out)) ** 2)  # the jackknife
    rule = Rule("better", of="variance", pipeline="1", than=("4",))
    _, (sample,) = samples(rule, results)
    errors = sample.repeats - sample.repeats.mean(axis=0)
    assert np.var(errors @ [-1, 1], ddof=1) / 4 == pytest.approx(by_repeats)
    found = judge(rule, results)
    assert found.estimate == pytest.approx(cases.mean())
    assert found.high - found.low > 2 * 1.96 * np.sqrt(
        by_cases + by_repeats
    )  # 3 degrees of freedom
    two = judge(rule, results.filter(repeat=repeats[:2]))
    assert (two.verdict, two.low) == (UNKNOWN, None)
    assert "three repeats" in two.reason


def tree(depth):
    return {"classifier": {"use": "decision_tree", "max_depth": depth}}


def test_a_value_of_the_theory():
    right = Rule("value", function="ensemble_error", arguments=ARGUMENTS, equals=0.06, margin=0.001)
    assert judge(right, None).verdict == HOLDS
    wrong = Rule("value", function="ensemble_error", arguments=ARGUMENTS, equals=0.125, margin=0.01)
    assert judge(wrong, None).verdict == FAILS
    unusable = Rule("value", function="ensemble_error", arguments={"n": 1})
    assert judge(unusable, None).verdict == UNKNOWN


ARGUMENTS = {"n_members": 25, "error": 0.35}


def test_a_run_is_resumed_where_it_was_interrupted(folder, monkeypatch, capsys):
    usual, calls = claim_runs.run_cells, []

    def interrupted(plan, store, cells, *rest, **options):
        calls.append(len(cells))
        if len(calls) == 2:
            usual(plan, store, cells[:3], *rest, **options)
            raise KeyboardInterrupt
        usual(plan, store, cells, *rest, **options)

    monkeypatch.setattr(claim_runs, "run_cells", interrupted)
    code, records = ilk_claims(folder)
    assert code == 130
    assert (records["nearest"]["repeats"], records["nearest"]["planned"]) == (1, 4)
    code, records = ilk_claims(folder)
    assert code == 0
    assert calls == [4, 4, 1, 8]  # of 16 cells none runs twice
    assert records["nearest"]["repeats"] == 4
    assert "[" in capsys.readouterr().out
    whole = run_experiment(read_claim(folder / "nearest.toml").experiment().spec.data)
    errors = whole.table().set_index("pipeline")["error"]
    found = records["nearest"]["rules"][0]
    assert found["estimate"] == pytest.approx(errors["means"] - errors["1-NN"], rel=1e-4)
    assert ilk_claims(folder)[0] == 0
    assert calls == [4, 4, 1, 8]


def test_without_budget_it_cannot_be_told(folder):
    code, records = ilk_claims(folder, "--budget", "0")
    assert code == 0
    assert records["nearest"]["verdict"] == UNKNOWN
    assert records["nearest"]["reason"].startswith("the budget was spent")


def test_a_budget_for_some_repeats_is_used(folder):
    """A repeat is said to take 30 of 60 seconds, so that one runs; then its time is measured."""
    text = CLAIM.replace("seconds = 1.0", "seconds = 30.0")
    (folder / "nearest.toml").write_text(text)
    (folder / "other.toml").write_text(text.replace("seconds = 30.0", "seconds = 300.0"))
    records = ilk_claims(folder, "--budget", "1")[1]
    assert records["nearest"]["repeats"] == 4
    assert records["other"]["verdict"] == UNKNOWN
    assert records["other"]["repeats"] == 0


def test_fewer_repeats_on_demand(folder):
    records = ilk_claims(folder, "nearest", "--repeats", "2")[1]
    assert records["nearest"]["repeats"] == records["nearest"]["planned"] == 2


def test_absent_data_are_said(folder, monkeypatch):
    monkeypatch.delenv("ILK_DATA", raising=False)
    text = CLAIM.replace('use = "iris"', 'use = "folder"\nname = "sonar"')
    (folder / "nearest.toml").write_text(text)
    code, records = ilk_claims(folder)
    assert code == 0
    assert records["nearest"]["verdict"] == "skipped"
    assert "ILK_DATA" in records["nearest"]["reason"]


def test_a_data_set_that_is_not_there_is_refused(folder, capsys):
    rule = 'kind = "better"\npipeline = "1-NN"\ndatasets = ["irs"]'
    (folder / "nearest.toml").write_text(f"{HEAD}[[rules]]\n{rule}\n\n[[datasets]]{TAIL}")
    assert ilk_claims(folder)[0] == 2
    assert "there is no data set 'irs'; did you mean 'iris'?" in capsys.readouterr().err


def test_commands_show_claims_and_verdicts(folder, capsys):
    where = ["--folder", str(folder), "--store", str(folder.parent / "stores")]
    ilk_claims(folder, "--repeats", "1")
    (folder / "nearest.toml").write_text(CLAIM.replace("repeats = 4", "repeats = 5"))
    capsys.readouterr()
    assert shell.run(["claims", *where]) == 0
    assert "of an earlier form" in capsys.readouterr().out
    assert shell.run(["claims", "show", "nearest", *where]) == 0
    shown = capsys.readouterr().out
    assert "error: 1-NN is better than all others" in shown
    assert shell.run(["claims", "show", "nearest1", *where]) == 2
    assert "did you mean 'nearest'" in capsys.readouterr().err


def test_the_claims_that_come_along_are_right():
    """Published verdicts are about them, and have a reason where no rule could be applied."""
    claims = load_claims(check=True)
    assert len(claims) >= 24
    for name, record in claim_runs.read_verdicts(ROOT / "docs" / "claims.json").items():
        assert len(record["rules"]) in {0, len(claims[name].rules)}
        assert record["rules"] or record["reason"]
