"""Several cells at once, in processes of this machine."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.executors.base import LONGEST, MOST_THREADS, MOST_WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent import futures


class Loky(ilk.Executor):
    """Runs several cells at once in processes, and survives the death of any of them.

    loky starts the processes. Each runs one cell at a time, so the cell that killed a process is
    known; another process replaces a dead one. Each process reads the shared inputs (data,
    pipelines, classes registered by hand) once; large arrays are memory-mapped and not copied.
    The results equal those of `serial`, bit for bit, for any number of workers.

    Examples
    --------
    >>> import ilk
    >>> with ilk.executor("loky", workers=2).open() as pool:
    ...     sorted(pool.map(abs, [-3, 2, -1]))
    [1, 2, 3]
    """

    workers: int | None = ilk.param(
        default=None,
        type=int,
        ge=1,
        le=MOST_WORKERS,
        doc="Number of processes; None: the number of processors that this process may use.",
    )
    inner_threads: int | None = ilk.param(
        default=1,
        ge=1,
        le=MOST_THREADS,
        none=True,
        doc="Number of threads that numeric libraries may use in each. None sets no limit.",
    )
    timeout: float | None = ilk.param(
        default=None,
        type=float,
        gt=0,
        le=LONGEST,
        doc="Time limit of one cell in seconds. A process that exceeds it ends, and the cell "
        "counts as failed.",
    )

    @property
    def n_workers(self) -> int:
        """Number of processes."""
        from loky import cpu_count

        return self.workers or cpu_count()

    @contextmanager
    def open(self) -> Iterator[futures.Executor]:
        """Give an executor whose processes start with their first call."""
        from ilk_evaluation.executors.loky_pool import LokyPool

        with LokyPool(self.n_workers, self.inner_threads, self.timeout) as pool:
            yield pool
