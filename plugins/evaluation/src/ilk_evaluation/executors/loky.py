"""Several cells at once, each in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent import futures
from contextlib import contextmanager
from typing import ClassVar

import ilk
from ilk_evaluation.executors.base import LONGEST, MOST_THREADS, MOST_WORKERS


class Loky(ilk.Executor):
    """Runs several cells at once in processes, and outlives the death of any of them.

    The processes are loky's. Each runs one cell at a time, so that it is known which cell a
    process died of; another process takes its place. What all cells need (data, pipelines,
    classes registered by hand) is read once by each process, large arrays are mapped into its
    memory and not copied. The results are those of `serial`, bit for bit, whatever the number
    of workers.

    Parameters
    ----------
    workers : int or None, default=None
        Number of processes; None: as many as this process may use processors.
    inner_threads : int or None, default=1
        How many threads numeric libraries may use in each of them. None leaves the libraries
        as they are.
    timeout : float or None, default=None
        Seconds that one cell may take. The process that is over it ends, and the cell counts
        as failed.

    Examples
    --------
    >>> import ilk
    >>> with ilk.executor("loky", workers=2).open() as pool:
    ...     sorted(pool.map(abs, [-3, 2, -1]))
    [1, 2, 3]
    """

    parameters: ClassVar[Mapping[str, ilk.Param]] = {
        "workers": ilk.Param(
            int,
            ge=1,
            le=MOST_WORKERS,
            none=True,
            doc="Number of processes; None: one per usable processor.",
        ),
        "inner_threads": ilk.Param(
            int,
            ge=1,
            le=MOST_THREADS,
            none=True,
            doc="Threads of numeric libraries in each; None: as they are.",
        ),
        "timeout": ilk.Param(
            float,
            gt=0,
            le=LONGEST,
            none=True,
            doc="Seconds that a cell may take; None: as long as it likes.",
        ),
    }

    def __init__(
        self,
        workers: int | None = None,
        inner_threads: int | None = 1,
        timeout: float | None = None,
    ) -> None:
        self.workers = workers
        self.inner_threads = inner_threads
        self.timeout = timeout

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
