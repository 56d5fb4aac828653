"""Progress of long fits, as lines on standard output."""

from __future__ import annotations

import sys
from threading import Lock
from time import perf_counter
from typing import Any

import ilk
from ilk import param

VERBOSE: Any = param(
    default=0, ge=0, doc="1: a line at each tenth of the work; 2: at each step; 0: none."
)


class Progress:
    """Counts the steps of a fit and prints progress lines.

    Parameters
    ----------
    owner : Component
        Named in each line.
    total : int
        Number of steps expected.
    verbose : int
        As the parameter `VERBOSE`.
    what : str
        Plural noun for the steps.
    """

    def __init__(self, owner: object, total: int, verbose: int, what: str = "members") -> None:
        self.name = ilk.display_name(owner)
        self.total, self.verbose, self.what = total, verbose, what
        self.done = 0
        self._start = perf_counter()
        self._lock = Lock()

    def step(self, detail: str = "") -> None:
        """Count a step; print a line when it is due."""
        if not self.verbose:
            self.done += 1
            return
        with self._lock:
            self.done += 1
            every = 1 if self.verbose > 1 else max(self.total // 10, 1)
            if self.done % every == 0 or self.done == self.total:
                seconds = perf_counter() - self._start
                tail = f", {detail}" if detail else ""
                sys.stdout.write(
                    f"{self.name}: {self.done} of {self.total} {self.what}, {seconds:.1f} s{tail}\n"
                )
                sys.stdout.flush()
