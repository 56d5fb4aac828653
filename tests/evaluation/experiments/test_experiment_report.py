"""Reports: figures whole at every width, plain where no terminal is, the same each time."""

import io
import re

import pytest
from rich.console import Console

import ilk
from ilk_evaluation import plan_experiment, run_experiment
from ilk_evaluation.commands.terminal_tables import console_on, print_plan, print_results


def printed(results, **options):
    file = io.StringIO()
    console = Console(file=file, highlight=False, **options) if options else console_on(file)
    print_results(console, results)
    return file.getvalue()


@pytest.fixture
def spec(make_spec):
    evaluation = {
        "resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 2},
        "measures": ["error", "accuracy", "predict_seconds"],
        "comparisons": ["friedman_nemenyi"],
    }
    return make_spec(evaluation=evaluation)


@pytest.fixture
def results(spec):
    return run_experiment(spec)


def test_the_report_holds_the_table(results):
    text = printed(results)
    assert text.startswith("tiny: 2 data sets, 2 pipelines, repeated_kfold(folds=2, repeats=2")
    lines = [line.split() for line in text.splitlines()]
    for position, row in enumerate(results.table().to_dict("records")):
        line = next(
            line for line in lines if row["pipeline"] in line and f"{row['accuracy']:.4f}" in line
        )
        assert (line[0] == row["dataset"]) == (position % 2 == 0)
        assert f"{row['error_spread']:.4f}" in line
        assert line[-1] == "0"
    assert "all 2" in text
    assert "friedman_nemenyi" in text
    assert text.rstrip().endswith(f"store: {results.design.store}")


def test_without_a_terminal_there_is_no_colour_and_no_wrapping(results):
    text = printed(results)
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) > 80


def test_a_terminal_gets_the_best_in_bold(results):
    assert "\x1b[1m" in printed(results, force_terminal=True, width=120)


@pytest.mark.parametrize("width", [10, 30, 60, 80, 200])
def test_no_width_breaks_a_figure_or_a_name(results, width):
    figures = re.findall(r"\d+\.\d+(?: m?s)?", printed(results).split("friedman")[0])
    narrow = printed(results, width=width)
    assert re.findall(r"\d+\.\d+(?: m?s)?", narrow.split("friedman")[0]) == figures
    assert narrow.count("nearest") >= 3
    assert "…" not in narrow


def test_figures_stand_below_each_other(results):
    lines = printed(results).splitlines()
    head = next(line for line in lines if line.startswith("data set"))
    end = head.index("accuracy") + len("accuracy")
    rows = [line for line in lines if re.search(r"nearest|shares", line) and " ms" in line]
    assert all(re.search(r"\d\.\d{4}$", line[:end]) for line in rows[:4])


def test_the_same_store_gives_the_same_report(results, spec):
    again = run_experiment(spec)
    assert printed(again) == printed(results)


def test_one_data_set_has_no_table_over_all(make_spec):
    assert "all 1" not in printed(run_experiment(make_spec(datasets=["t_blobs"])))


def test_failures_are_listed_once_each(make_spec):
    fussy = make_spec.pipeline("fussy", "t_fussy")
    text = printed(run_experiment(make_spec(pipelines=[fussy]), keep_going=True))
    assert "8 of 8 cells failed:" in text
    assert "  blobs2, fussy (4 cells): ValueError: no appetite for 2 features\n" in text
    assert re.search(r"fussy +- +- +- +- +4\n", text)


def test_the_plan_shows_what_will_be_done(make_spec):
    file = io.StringIO()
    plan = plan_experiment(make_spec())
    print_plan(console_on(file), plan, n_done=5)
    text = file.getvalue()
    assert re.search(r"blobs3 +30 +3 +3 +4\n", text)
    assert re.search(r"nearest +t_nearest\b", text)
    assert f"16 cells, 5 of them done; store: {plan.store}" in text


def test_a_name_taken_by_hand_is_told_and_part_of_every_key(make_spec):
    before = plan_experiment(make_spec())
    registry = ilk.registry("index")
    registry.register("brute", type("Mine", (registry.get("brute"),), {}), replace=True)
    try:
        plan, file = plan_experiment(make_spec()), io.StringIO()
        print_plan(console_on(file), plan, n_done=0)
    finally:
        registry.unregister("brute")
    assert re.search(r"index brute: registered by hand \(.*Mine\)", file.getvalue())
    keys = [{cell.key for cell in each.cells} for each in (before, plan)]
    assert not keys[0] & keys[1]
