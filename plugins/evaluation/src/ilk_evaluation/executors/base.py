"""Shared parts of executors: their error, bounds of their parameters, limits of threads."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator


class ExecutorError(ilk.IlkError):
    """No worker can run cells (any more): none starts, or a scheduler is gone."""


class SharedInput(ABC):
    """An argument that many calls share; executors send it to each worker once."""

    @abstractmethod
    def dumps(self) -> bytes:
        """Pickle it for a worker that may be on another machine."""


# Beyond these bounds system calls fail, or a run never ends.
MOST_WORKERS = 10_000
MOST_THREADS = 10_000
LONGEST = 4_000_000
"""Seconds, 46 days: some systems overflow on longer waits."""

_VARIABLES = (
    "BLIS_NUM_THREADS",
    "ILK_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def environment(n: int | None) -> dict[str, str]:
    """Environment variables that limit the libraries of a process yet to start."""
    return {} if n is None else dict.fromkeys(_VARIABLES, str(n))


@contextmanager
def limited(n: int | None) -> Iterator[None]:
    """Limit the threads of the libraries loaded in this process within a block."""
    if n is None:
        yield
        return
    with ilk.threads(n), ilk.library_threads(n), _numba_limited(n):
        yield


@contextmanager
def _numba_limited(n: int) -> Iterator[None]:
    numba = sys.modules.get("numba")
    if numba is None:
        yield
        return
    before = numba.get_num_threads()
    numba.set_num_threads(min(n, numba.config.NUMBA_NUM_THREADS))
    try:
        yield
    finally:
        numba.set_num_threads(before)
