"""Checks of executors: results, exceptions and closing."""

from __future__ import annotations

from concurrent import futures
from typing import TYPE_CHECKING, Any

from ilk.testing.expectations import expect, expect_error
from ilk.testing.registered import check
from ilk.testing.tasks import fail, square

if TYPE_CHECKING:
    from ilk.testing.subject import Subject


@check("executor")
def check_results(subject: Subject) -> None:
    """Tasks give their results, each to its own future; futures can be waited for."""
    with subject.new().open() as pool:
        found = [pool.submit(square, x) for x in range(6)]
        got = [future.result(timeout=60) for future in found]
        mapped = list(pool.map(square, range(6)))
        waiting = {pool.submit(square, x): x for x in range(4)}
        done = {waiting[f]: f.result() for f in futures.as_completed(waiting, timeout=60)}
    expected = [0, 1, 4, 9, 16, 25]
    expect(got == expected, f"expected {expected} of submit, got {got}")
    expect(mapped == expected, f"expected {expected} of map, got {mapped}")
    expect(done == {0: 0, 1: 1, 2: 4, 3: 9}, f"expected the squares of 0..3, got {done}")


@check("executor")
def check_exceptions(subject: Subject) -> None:
    """An exception of a task comes with its future; the others are not harmed."""
    with subject.new().open() as pool:
        bad, good = pool.submit(fail, 3), pool.submit(square, 3)
        expect_error(
            lambda: bad.result(timeout=60),
            "a task that divides by zero",
            errors=ZeroDivisionError,
            mentions=["no answer for 3"],
        )
        got: Any = good.result(timeout=60)
    expect(got == 9, f"expected 9 of the task after one that failed, got {got}")


@check("executor")
def check_reopens(subject: Subject) -> None:
    """Once closed, it takes no more tasks; it can be opened again."""
    executor = subject.new()
    for x in (2, 3):
        with executor.open() as pool:
            got = pool.submit(square, x).result(timeout=60)
        expect(got == x * x, f"expected {x * x}, got {got}")
        expect_error(lambda: pool.submit(square, 2), "a task after closing", errors=RuntimeError)


@check("executor")
def check_workers(subject: Subject) -> None:
    """`n_workers` says how many tasks run at once, at least one."""
    got = subject.new().n_workers
    expect(isinstance(got, int) and got >= 1, f"expected an integer >= 1, got {got!r}")
