"""Several cells at once, each in a process of its own."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.executors.base import LONGEST, MOST_THREADS, MOST_WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent import futures


class Loky(ilk.Executor):
    """Runs several cells at once in processes, and outlives the death of any of them.

    The processes are loky's. Each runs one cell at a time, so that it is known which cell a
    process died of; another process takes its place. What all cells need (data, pipelines,
    classes registered by hand) is read once by each process, large arrays are mapped into its
    memory and not copied. The results are those of `serial`, bit for bit, whatever the number
    of workers.

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
        doc="Number of processes; None: as many as this process may use processors.",
    )
    inner_threads: int | None = ilk.param(
        default=1,
        ge=1,
        le=MOST_THREADS,
        none=True,
        doc="How many threads numeric libraries may use in each of them. None leaves the "
        "libraries as they are.",
    )
    timeout: float | None = ilk.param(
        default=None,
        type=float,
        gt=0,
        le=LONGEST,
        doc="Seconds that one cell may take. The process that is over it ends, and the cell "
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
