"""Times ours and a peer's in turn, in one process, and takes the median of the ratios."""

from __future__ import annotations

import math
import statistics
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


most_repeats = 100
"""Repeats of a row at most; one_part.py sets it, for a quick look or a slow machine."""


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Attributes
    ----------
    work, peer : str
    target : float or None
        The ratio to reach; None where there is none.
    ratio : float
        The peer's time divided by ours, or another figure that `note` explains.
    seconds : float
        Ours.
    note : str
    """

    work: str
    peer: str
    target: float | None
    ratio: float
    seconds: float
    note: str = ""


def compare(
    work: str,
    peer: str,
    target: float | None,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    *,
    repeats: int = 5,
    scale: float = 1.0,
    clock: Callable[[], float] = time.process_time,
    note: str = "",
) -> Row:
    """Run ours and theirs in turn, after one run of each that does not count.

    Parameters
    ----------
    scale : float
        How many times the peer's work ours is, where a peer is too slow to do all of it.
    clock : callable
        Processor time by default: other work on the machine does not count.
    """
    ours(), theirs()
    times = range(min(repeats, most_repeats))
    pairs = [(_seconds(ours, clock), _seconds(theirs, clock)) for _ in times]
    ratio = statistics.median(scale * theirs / mine for mine, theirs in pairs)
    return Row(work, peer, target, ratio, statistics.median(mine for mine, _ in pairs), note)


def within(
    work: str,
    limit: float | None,
    ours: Callable[[], object],
    *,
    repeats: int = 3,
    clock: Callable[[], float] = time.process_time,
    note: str = "",
) -> Row:
    """Run ours where no peer does the same, after one run that does not count.

    Parameters
    ----------
    limit : float or None
        Seconds it may take; the ratio is theirs to ours. None: there is no limit, and no ratio.
    """
    ours()
    times = range(min(repeats, most_repeats))
    own = statistics.median(_seconds(ours, clock) for _ in times)
    if limit is None:
        return Row(work, "", None, math.nan, own, note)
    return Row(work, f"a limit of {limit:g} s", 1.0, limit / own, own, note)


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit ours and the peers' libraries to one thread."""
    with ilk.threads(1), threadpool_limits(1):
        yield


def _seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start
