"""The scheduler: who is blamed when workers die, who goes again, and what ends a run."""

from concurrent import futures
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

import ilk
from ilk_evaluation import CellError
from ilk_evaluation.plan.design import Cell
from ilk_evaluation.run.cell import Outcome
from ilk_evaluation.run.scheduler import Scheduler
from ilk_evaluation.run.tasks import CellTask
from ilk_evaluation.run.worker_context import WorkerContext

FINE = Outcome(np.zeros(1, dtype=np.int32), fit_seconds=1.0, predict_seconds=0.0)
BAD = Outcome(error="ValueError: no", traceback="Traceback: no")


class Scripted(ilk.Executor):
    """Gives each call the end that is written for its cell, next time the next one."""

    def __new__(cls):
        made = super().__new__(cls)
        made.ends, made.calls = {}, []
        made.opened, made.spoiled, made.workers = 0, False, 2
        made.usual, made.batches = FINE, []
        return made

    @property
    def n_workers(self):
        return self.workers

    @contextmanager
    def open(self):
        self.opened += 1
        self.spoiled = False
        yield self

    def submit(self, _, context, work, seconds=None, until_failure=False):
        if self.spoiled:
            raise futures.BrokenExecutor("spoiled")
        tasks = work if isinstance(work, list) else [work]
        self.batches.append("".join(task.cell.key for task in tasks))
        future, outcomes = futures.Future(), []
        for task in tasks:
            self.calls.append((task.cell.key, task.pipeline))
            ends = self.ends.get(task.cell.key, [])
            end = ends.pop(0) if ends else self.usual
            if end == "late":  # the call has lasted too long to start this cell
                break
            if end == "spoil":
                self.spoiled = True
                end = futures.BrokenExecutor("all gone")
            if not isinstance(end, Outcome):
                future.set_exception(end)
                return future
            outcomes.append(end)
            if until_failure and end.error:
                break
        future.set_result((outcomes, False) if isinstance(work, list) else outcomes[0])
        return future


@pytest.fixture
def schedule():
    """Return a function that runs cells called a, b, c... and returns what was kept."""

    def work(keys, ends, **options):
        executor = Scripted()
        executor.ends = ends
        executor.workers = options.pop("workers", 2)
        executor.timeout = options.pop("timeout", None)
        executor.usual = options.pop("usual", FINE)
        kept = {}
        split = ilk.Split(np.arange(2), np.arange(1))
        cells = [Cell(0, i, 0, 0, i, key, key) for i, key in enumerate(keys)]
        tasks = iter([CellTask(cell, split, 0, 0) for cell in cells])

        def keep(finished):
            for task, outcome in finished:
                assert task.cell.key not in kept
                kept[task.cell.key] = outcome

        work.executor, work.kept = executor, kept
        with Scheduler(executor, WorkerContext([], []), keep, **options) as made:
            made.work(tasks, len(keys))
        return kept

    return work


def died(cause="SIGKILL(-9)"):
    return futures.BrokenExecutor(f"the worker died: {cause}")


def test_every_cell_comes_to_its_end(schedule):
    kept = schedule("abcdef", {"c": [BAD]})
    assert {key: outcome.error for key, outcome in kept.items()} == {
        **dict.fromkeys("abdef"),
        "c": "ValueError: no",
    }
    assert [key for key, _ in schedule.executor.calls] == list("abcdef")


def test_one_death_is_an_accident_two_are_a_failure(schedule):
    first = died("SIGSEGV(-11)")
    again = died("SIGSEGV(-11)")
    again.add_note("  File x, line 3 in fit")
    kept = schedule("abcd", {"a": [died()], "c": [first, again]})
    assert kept["a"].error is None
    assert kept["c"].error == "the worker died: SIGSEGV(-11)"
    assert kept["c"].traceback == "  File x, line 3 in fit"
    assert not kept["c"].fallback
    assert [key for key, _ in schedule.executor.calls] == list("abcdac")  # the suspects come last


def test_a_pool_that_is_spoiled_as_a_whole_is_opened_again(schedule):
    kept = schedule("abcd", {"b": ["spoil", "spoil"]})
    assert [kept[key].error for key in "acd"] == [None] * 3
    assert kept["b"].error == "all gone"
    assert schedule.executor.opened == 2


def test_suspects_run_alone(schedule):
    seen = []

    class Watching(dict):
        def __setitem__(self, future, batch):
            super().__setitem__(future, batch)
            suspects = [one.cell.key for tasks in self.values() for one in tasks if one.suspect]
            seen.append(sorted(suspects) or len(self))

    executor = Scripted()
    executor.ends = {"a": [died()], "b": [died()], "c": [died()]}
    split = ilk.Split(np.arange(2), np.arange(1))
    with Scheduler(executor, WorkerContext([], []), lambda *_: None) as made:
        made.pending = Watching()
        made.work(iter([CellTask(Cell(0, 0, 0, 0, 0, key, key), split, 0, 0) for key in "abcd"]))
    assert sorted(seen[-3:]) == [["a"], ["b"], ["c"]]


def test_too_long_is_a_failure_at_once(schedule):
    kept = schedule("ab", {"a": [TimeoutError("exceeded the time limit of 3 s")]})
    assert kept["a"].error == "exceeded the time limit of 3 s"
    assert len(schedule.executor.calls) == 2


def test_a_defect_of_the_executor_ends_the_run(schedule):
    with pytest.raises(ilk.IlkError, match="no worker"):
        schedule("abc", {"b": [ilk.IlkError("no worker process can be started")]}, workers=1)
    assert list(schedule.kept) == ["a"]


def test_the_fallback_answers_and_the_error_stays(schedule):
    answer = replace(FINE, fit_seconds=2.0)
    ends = {"b": [BAD, answer], "c": [died(), died(), answer], "d": [TimeoutError("long"), answer]}
    kept = schedule("abcd", ends, fallback=7)
    assert [kept[key].fallback for key in "abcd"] == [False, True, True, True]
    assert kept["b"] == replace(answer, error=BAD.error, traceback=BAD.traceback, fallback=True)
    assert kept["c"].error.startswith("the worker died")
    assert kept["d"].error == "long"
    assert [call for call in schedule.executor.calls if call[1] == 7] == [
        ("b", 7),
        ("d", 7),
        ("c", 7),
    ]


def test_a_fallback_that_fails_too_is_a_failure(schedule):
    worse = Outcome(error="TypeError: neither", traceback="Traceback: neither")
    kept = schedule("a", {"a": [BAD, worse]}, fallback=1)
    assert kept["a"].error == "ValueError: no; the fallback failed too: TypeError: neither"
    assert kept["a"].traceback == "Traceback: no"
    assert not kept["a"].fallback
    assert schedule("a", {"a": [BAD, died(), died()]}, fallback=1)["a"].error.endswith(
        "the fallback failed too: the worker died: SIGKILL(-9)"
    )


def test_the_first_failure_can_be_the_end(schedule):
    with pytest.raises(CellError, match=r"^cell b failed: ValueError: no$") as raised:
        schedule("abc", {"b": [BAD]}, name=lambda cell: f"cell {cell.key}", workers=1)
    assert str(raised.value.__cause__) == "Traceback: no"
    assert list(schedule.kept) == ["a"]


def test_an_interrupt_keeps_what_is_done(schedule):
    executor = Scripted()
    kept = {}
    split = ilk.Split(np.arange(2), np.arange(1))

    def tasks():
        for key in "ab":
            yield CellTask(Cell(0, 0, 0, 0, 0, key, key), split, 0, 0)
        raise KeyboardInterrupt

    executor.workers = 9
    executor.ends = {"b": [BAD]}

    def keep(finished):
        kept.update((task.cell.key, outcome) for task, outcome in finished)

    with Scheduler(executor, WorkerContext([], []), keep) as made, pytest.raises(KeyboardInterrupt):
        made.work(tasks())
    assert list(kept) == ["a"]  # what failed is tried again


LIGHT = replace(FINE, fit_seconds=0.003)
KEYS = "abcdefghijklmnopqrstuvwxyz"


def test_light_cells_share_calls_that_become_small_at_the_end(schedule):
    kept = schedule(KEYS, {}, usual=LIGHT)
    assert sorted(kept) == list(KEYS)
    sizes = [len(batch) for batch in schedule.executor.batches]
    assert sizes[:2] == [1, 1]  # it is not known yet how long they take
    assert sizes[2:] == [6, 5, 5, 5, 3]


@pytest.mark.parametrize(
    ("seconds", "timeout", "most"), [(1e-3, None, 66), (1e-3, 0.06, 10), (0.03, None, 3)]
)
def test_a_call_lasts_about_a_tenth_of_a_second_and_stays_within_the_time_limit(
    schedule, seconds, timeout, most
):
    many = [f"cell{i}" for i in range(1000)]
    assert (
        len(schedule(many, {}, usual=replace(FINE, fit_seconds=seconds), timeout=timeout)) == 1000
    )
    calls = len(schedule.executor.batches)
    assert 1000 / most <= calls < 1000 / most + 30


def test_heavy_cells_get_calls_of_their_own(schedule):
    schedule("abcdef", {"c": [BAD]}, usual=FINE)
    assert schedule.executor.batches == list("abcdef")


def test_cells_beside_a_deadly_one_are_not_blamed(schedule):
    kept = schedule(KEYS, {"e": [died(), died()], "m": [BAD]}, usual=LIGHT)
    assert {key: kept[key].error for key in KEYS if kept[key].error} == {
        "e": "the worker died: SIGKILL(-9)",
        "m": "ValueError: no",
    }
    assert schedule.executor.batches[-6:] == list("cdefgh")  # the suspects, each alone


def test_a_batch_beyond_the_time_limit_is_run_again_cell_by_cell(schedule):
    late = TimeoutError("exceeded the time limit of 3 s")
    kept = schedule(KEYS, {"e": [late, late]}, usual=LIGHT)
    assert [key for key in KEYS if kept[key].error] == ["e"]
    assert kept["e"].error == str(late)


def test_cells_that_a_call_has_not_begun_are_run_next(schedule):
    kept = schedule(KEYS, {"e": ["late"]}, usual=LIGHT)
    assert sorted(kept) == list(KEYS)
    assert schedule.executor.batches[2:5] == ["cdefgh", "ijklm", "efgh" + "n"]


def test_failures_in_a_batch_have_their_own_fallbacks_and_ends(schedule):
    kept = schedule(KEYS, {"e": [BAD, LIGHT], "g": [BAD, BAD]}, usual=LIGHT, fallback=3)
    assert {key: kept[key].fallback for key in KEYS if kept[key].error} == {"e": True, "g": False}
    with pytest.raises(CellError, match=r"^cell e failed: ValueError: no$"):
        schedule(KEYS, {"e": [BAD]}, usual=LIGHT, name=lambda cell: f"cell {cell.key}")
    assert not schedule.kept.keys() & set("efgh")
    assert schedule.kept.keys() >= set("abcd")
