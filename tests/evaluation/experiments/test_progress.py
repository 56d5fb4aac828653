"""What is shown of a run: counts, time left, the leader, failures; on a terminal and off it."""

import io
import math
import re
import time

import numpy as np
import pytest
from rich.console import Console

from cases import in_one_test
from ilk_evaluation import plan_experiment, run_experiment
from ilk_evaluation.commands.terminal_tables import console_on
from ilk_evaluation.results.scoring import first_estimates
from ilk_evaluation.run.cell import Outcome
from ilk_evaluation.run.leader import Best, Leader
from ilk_evaluation.run.live_view import LiveView
from ilk_evaluation.run.progress import Silent, progress_on
from ilk_evaluation.run.run_state import CellSummary, RunState
from ilk_evaluation.run.run_view import View, duration, rate
from ilk_evaluation.run.store import Store

GOOD = Outcome(codes=np.zeros(2, dtype=np.int32), fit_seconds=1.0, predict_seconds=0.5)
BAD = Outcome(error="ValueError: no appetite\nat all", traceback="...")
ANSWERED = Outcome(
    codes=np.zeros(2, dtype=np.int32),
    fit_seconds=1.0,
    predict_seconds=0.0,
    error="ValueError: no",
    fallback=True,
)


@pytest.fixture
def design(make_spec):
    """Two data sets, two pipelines, four splits of each: sixteen cells."""
    return plan_experiment(make_spec()).design


@pytest.fixture
def store():
    with Store.open(None) as made:
        yield made


def terminal(**options):
    return Console(file=io.StringIO(), force_terminal=True, highlight=False, **options)


def shown(view, width=100, **options):
    """The last frame of a live view."""
    console = terminal(width=width, **options)
    console.print(LiveView(console, lambda: view).get_renderable())
    return console.file.getvalue()


def began(seconds):
    return time.monotonic() - seconds


def lines_of(run_state, seconds, **parts):
    return View(run_state, parts.get("best"), began(seconds)).line()


def test_counts(design):
    run_state = RunState(design)
    for cell, outcome in zip(design.cells, [GOOD, BAD, ANSWERED, GOOD], strict=False):
        run_state.count(cell.key, CellSummary.of(outcome))
    assert (run_state.done, run_state.total, run_state.here) == (4, 16, 4)
    assert (run_state.failed, run_state.fallbacks) == (1, 1)
    assert run_state.left.tolist() == [[2, 2], [4, 4]]
    assert run_state.finished_datasets() == []
    for cell in design.cells[4:8]:
        run_state.count(cell.key, CellSummary.of(GOOD))
    assert run_state.finished_datasets() == [0]
    for cell, outcome in zip(design.cells, [GOOD, BAD, ANSWERED, GOOD], strict=False):
        run_state.count(cell.key, CellSummary.of(outcome), times=-1)
    assert (run_state.done, run_state.failed, run_state.fallbacks, run_state.n_failures) == (
        4,
        0,
        0,
        0,
    )
    assert run_state.failures() == []


def test_failures_are_grouped_and_the_latest_come_last(design):
    run_state = RunState(design)
    errors = ["A: 1", "B: 2\nmore", "A: 1", "C: 3", "D: 4", "B: 2\nother"]
    cells = [cell for cell in design.cells if cell.pipeline == 0]
    for cell, error in zip(cells, errors, strict=False):
        run_state.count(cell.key, CellSummary.of(Outcome(error=error)))
    assert run_state.n_failures == 5
    latest = [
        "blobs2, nearest (1 cell): C: 3",
        "blobs3, nearest (1 cell): D: 4",
        "blobs3, nearest (1 cell): B: 2",
    ]
    assert run_state.failures() == latest
    assert run_state.failures(1) == latest[2:]
    assert run_state.failures(0) == []
    long = CellSummary.of(Outcome(error="x" * 10_000))
    run_state.count(cells[-1].key, long)
    assert len(run_state.failures(1)[0].partition(": ")[2]) == 200


def test_the_time_left_weighs_what_is_left_by_what_it_takes(design):
    """nearest takes 1 s and shares 3 s on the first data set; twice as much on the second."""
    run_state = RunState(design)
    assert run_state.seconds_left(0.0) is None
    took = {(0, 0): 1.0, (0, 1): 3.0, (1, 0): 2.0, (1, 1): 6.0}

    def count(cell):
        seconds = took[cell.dataset, cell.pipeline]
        run_state.count(cell.key, CellSummary(seconds, None, False, here=True))

    for cell in design.cells[:2]:
        count(cell)
    assert run_state.seconds_left(4.0) == pytest.approx(3 * 4 + 4 * 4)  # the second as the first
    assert run_state.seconds_left(2.0) == pytest.approx((3 * 4 + 4 * 4) / 2)  # by two workers
    for cell in design.cells[2:9]:  # the last one is nearest on the second data set: twice as slow
        count(cell)
    assert run_state.seconds_left(18.0) == pytest.approx(3 * 2 + 4 * 6, rel=1e-3)
    for cell in design.cells[9:]:
        count(cell)
    assert run_state.seconds_left(48.0) == 0


def test_the_time_left_without_times_is_that_of_cells(design):
    run_state = RunState(design)
    for cell in design.cells[:4]:
        run_state.count(cell.key, CellSummary.of(BAD))
    assert run_state.seconds_left(2.0) == pytest.approx(6.0)


def test_what_was_done_before_counts_but_not_for_the_pace(make_spec):
    plan = plan_experiment(make_spec())
    run_experiment(plan)
    with Store.read(plan.store) as store:
        rows = store.since(0)
        assert len(rows) == 16
        assert [row.row for row in rows] == sorted(row.row for row in rows)
        assert store.since(rows[9].row) == rows[10:]
        run_state = RunState(plan.design)
        missing = [cell.key for cell in plan.cells[12:]]
        run_state.start(rows, missing)
        assert (run_state.done, run_state.total, run_state.here) == (12, 16, 0)
        assert run_state.seconds_left(1.0) is None
        run_state = RunState(plan.design)
        run_state.start(rows[:8], missing)  # four are neither there nor to be run: others' work
        assert (run_state.done, run_state.total) == (8, 12)
        assert run_state.left.sum() == 4


def test_equal_pipelines_count_once(make_spec):
    twins = [make_spec.pipeline("one", "t_nearest"), make_spec.pipeline("two", "t_nearest")]
    plan = plan_experiment(make_spec(pipelines=twins))
    run_state = RunState(plan.design)
    assert run_state.total == 8
    for cell in {cell.key: cell for cell in plan.cells}.values():
        run_state.count(cell.key, CellSummary.of(GOOD))
    assert (run_state.done, run_state.left.any()) == (8, False)


TIMES = [(0, "0 s"), (47.6, "48 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (3600, "1 h 0 min")]


@in_one_test
@pytest.mark.parametrize(("seconds", "text"), [*TIMES, (90_061, "1 d 1 h"), (-3, "0 s")])
def test_durations(seconds, text):
    assert duration(seconds) == text


@in_one_test
@pytest.mark.parametrize(
    ("pace", "text"),
    [(123.4, "123 cells/s"), (1.26, "1.3 cells/s"), (0.5, "30 cells/min"), (1e-3, "3.6 cells/h")],
)
def test_rates(pace, text):
    assert rate(pace) == text


def test_the_line(design):
    run_state = RunState(design)
    assert lines_of(run_state, 0.0) == "0/16 cells, 0 failed"
    for cell in design.cells[:4]:
        run_state.count(cell.key, CellSummary.of(GOOD))
    assert lines_of(run_state, 6.0) == "4/16 cells, 0 failed, about 18 s left"
    run_state.count(design.cells[4].key, CellSummary.of(BAD))
    run_state.count(design.cells[5].key, CellSummary.of(ANSWERED))
    best = Best(("nearest",), "error", 0.125, 1, 2)
    assert lines_of(run_state, 7.0, best=best).endswith(
        "left; best so far: nearest (error 0.1250, mean over 1 of 2 data sets)"
    )
    for cell in design.cells[6:]:
        run_state.count(cell.key, CellSummary.of(GOOD))
    said = "16/16 cells, 1 failed, 1 answered by the fallback"
    assert lines_of(run_state, 61.0, best=best) == f"{said}, done in 1 min 1 s"
    assert View(run_state, best, None).line() == said


def test_several_leaders_are_counted():
    assert View(None, Best(("a", "b", "c"), "accuracy", 0.5, 1, 1), None).leader() == (
        "best so far: a and 2 equal to it (accuracy 0.5000, mean over 1 of 1 data set)"
    )


@pytest.fixture
def eventful(design):
    """A view with everything in it."""
    run_state = RunState(design)
    for number, cell in enumerate(design.cells[:9]):
        error = f"E{number}: 类别 " + "[bold]no[/bold] " * 30
        run_state.count(cell.key, CellSummary.of(Outcome(error=error) if number > 3 else GOOD))
    return View(run_state, Best(("nearest",), "error", 0.125, 1, 2), began(12.0))


@in_one_test
@pytest.mark.parametrize("width", [1, 12, 25, 40, 60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(eventful, width):
    text = shown(eventful, width=width, no_color=True, color_system=None)
    console = Console(width=500)
    assert max(console.measure(line).maximum for line in text.splitlines()) <= max(width, 4)
    if width >= 25:
        pieces = (
            r"9/16 cells",
            r"5 failed",
            r"after 1\d s",
            r"\d\d cells/min",
            r"about \d\d s left",
        )
        assert all(re.search(piece, text) for piece in pieces)  # unbroken
    assert "━" in text or width < 25
    if width == 200:
        assert "[bold]no[/bold]" in text  # an error's own words, not markup
        assert "and 2 other failures before" in text
        assert len(text.splitlines()) == 7


def test_without_colour_there_is_none(eventful, monkeypatch):
    assert "\x1b[31m" in shown(eventful, color_system="standard")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", shown(eventful, color_system="standard"))


def advance(progress, design, outcomes):
    for cell, outcome in zip(design.cells, outcomes, strict=False):
        progress.advance_all([(cell, outcome)])


def test_progress_is_lines_where_no_terminal_is(design, store):
    file = io.StringIO()
    with progress_on(console_on(file), design, store, design.cells, first_estimates) as progress:
        advance(progress, design, [BAD, *[GOOD] * 15])
    lines = file.getvalue().splitlines()
    assert lines[0].startswith("2/16 cells, 1 failed, about ")
    assert lines[1] == "  blobs2, nearest (1 cell): ValueError: no appetite"
    assert lines[-1] == "16/16 cells, 1 failed, done in 0 s"
    assert len(lines) == 11


def test_progress_is_live_on_a_terminal(design, store):
    console = terminal(width=90)
    with progress_on(console, design, store, design.cells, first_estimates) as progress:
        advance(progress, design, [BAD] * 16)
    text = console.file.getvalue()
    assert "16/16 cells" in text
    assert "16 failed" in text
    assert "blobs3, shares (4 cells): ValueError: no appetite" in text
    assert text.index("\x1b[?25l") < text.index("\x1b[?25h")  # the cursor is back


def test_a_dumb_terminal_gets_lines(design, store, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    console = terminal()
    with progress_on(console, design, store, design.cells, first_estimates) as progress:
        advance(progress, design, [GOOD] * 16)
    assert "\x1b" not in console.file.getvalue()


def test_an_exception_gives_the_terminal_back(design, store):
    console = terminal()
    with (
        pytest.raises(KeyboardInterrupt),
        progress_on(console, design, store, design.cells, first_estimates),
    ):
        raise KeyboardInterrupt
    assert console.file.getvalue().rstrip("\r\n").rfind("\x1b[?25h") > 0


def test_an_interrupt_while_it_starts_gives_the_terminal_back(design, store, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("rich.live._RefreshThread.start", interrupted)  # the cursor is hidden
    console = terminal()
    with (
        pytest.raises(KeyboardInterrupt),
        progress_on(console, design, store, design.cells, first_estimates),
    ):
        pass
    assert console.file.getvalue().rstrip("\r\n").rfind("\x1b[?25h") > 0


def test_progress_can_be_silent(design, store):
    assert type(progress_on(None, design, store, design.cells, first_estimates)) is Silent
    assert type(progress_on(terminal(), design, store, [], first_estimates)) is Silent


def test_who_leads_is_what_the_tables_say(make_spec):
    fussy = make_spec.pipeline("fussy", "t_fussy", features=3)
    names = ("nearest", "t_nearest"), ("shares", "t_shares")
    pipelines = [*(make_spec.pipeline(*name) for name in names), fussy]
    datasets = [{"use": "t_blobs"}, {"use": "t_blobs", "p": 3}, {"use": "t_blobs", "p": 4}]
    for measure, best in (("error", min), ("accuracy", max)):
        resampling = {"use": "kfold", "folds": 2}
        evaluation = {"resampling": resampling, "measures": [measure, "fit_seconds"]}
        spec = make_spec(pipelines=pipelines, datasets=datasets, evaluation=evaluation)
        plan = plan_experiment(spec)
        table = run_experiment(plan, keep_going=True).pivot(measure)
        with Store.read(plan.store) as store:
            run_state, leader = RunState(plan.design), Leader(plan.design, first_estimates)
            leader.work(store, run_state, math.inf)
            assert leader.best is None
            for row in store.since(0)[:17]:  # all but one of the last data set
                run_state.count(row.key, CellSummary.kept(row, None))
            leader.work(store, run_state, math.inf)
            only = table.loc["blobs2"]  # on the next one a pipeline failed, the last is not done
            leads = tuple(only.index[only == best(only)])
            assert leader.best == Best(leads, measure, best(only), 1, 3)
            leader.forget(0)
            others = table.loc["blobs3"].dropna()  # what fails wherever it was tried costs no lead
            leads = tuple(others.index[others == best(others)])
            assert leader.best == Best(leads, measure, best(others), 1, 3)


def test_the_mean_is_over_what_all_have_finished(make_spec):
    plan = plan_experiment(make_spec(datasets=[{"use": "t_blobs", "p": p} for p in (2, 3, 4)]))
    means = run_experiment(plan).pivot("error").iloc[:2].mean()
    with Store.read(plan.store) as store:
        run_state, leader = RunState(plan.design), Leader(plan.design, first_estimates)
        for row in store.since(0)[:20]:
            run_state.count(row.key, CellSummary.kept(row, None))
        leader.work(store, run_state, 0.0)
        assert leader.best is None  # there was no time
        leader.work(store, run_state, 1.0)
    assert leader.best.pipelines == (means.idxmin(),)
    assert leader.best.mean == pytest.approx(means.min())
    assert (leader.best.n, leader.best.of) == (2, 3)


def test_a_cell_costs_next_to_nothing(make_spec, count_calls):
    """Counting, and looking for the leader."""
    evaluation = {"resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 100}}
    plan = plan_experiment(make_spec(evaluation=evaluation))
    run_experiment(plan)
    with (
        Store.read(plan.store) as store,
        progress_on(terminal(), plan.design, store, plan.cells, first_estimates) as progress,
    ):
        progress.advance_all([(plan.cells[0], GOOD)])
        calls = count_calls(
            lambda: [progress.advance_all([(cell, GOOD)]) for cell in plan.cells[1:]]
        )
    assert calls / len(plan.cells) < 20
