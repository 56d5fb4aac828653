"""Many cheap cases of one idea, as one test; and a mark of cases that not every system has."""

from __future__ import annotations

import functools
import inspect
import itertools
import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

unix_only = pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes and devices")


def in_one_test(test: Callable[..., None]) -> Callable[..., None]:
    """Make one test of a parametrised one; each case that fails is a subtest.

    Stands above the marks `parametrize`. The cases share their fixtures.
    """
    marks = [mark for mark in test.pytestmark if mark.name == "parametrize"]
    arguments = [name for mark in marks for name in names_of(mark)]

    @functools.wraps(test)
    def run(*owner: Any, subtests: pytest.Subtests, **fixtures: Any) -> None:
        for values in itertools.product(*map(values_of, marks)):
            case = dict(zip(arguments, itertools.chain(*values), strict=True))
            try:
                test(*owner, **fixtures, **case)
            except pytest.skip.Exception:
                continue
            except Exception:  # reported, and the next case runs
                with subtests.test(**case):
                    raise

    signature = inspect.signature(test)
    fixtures = [p for name, p in signature.parameters.items() if name not in arguments]
    mine = inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY)
    run.__signature__ = signature.replace(parameters=[*fixtures, mine])  # type: ignore[attr-defined]
    run.pytestmark = [mark for mark in test.pytestmark if mark.name != "parametrize"]  # type: ignore[attr-defined]
    return run


def names_of(mark: pytest.Mark) -> list[str]:
    names = mark.args[0]
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


def values_of(mark: pytest.Mark) -> Iterator[tuple[Any, ...]]:
    """Yield the values of each case of a mark, a tuple as long as its names."""
    for case in mark.args[1]:
        if hasattr(case, "marks"):  # of pytest.param
            assert not case.marks, "marks of single cases do not reach a subtest"
            yield tuple(case.values)
        else:
            yield tuple(case) if len(names_of(mark)) > 1 else (case,)
