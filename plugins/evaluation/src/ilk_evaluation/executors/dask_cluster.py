"""Cells on a cluster of Dask: one of this machine's own, or one that is there already."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

import ilk
from ilk_evaluation.executors.base import LONGEST, MOST_THREADS, MOST_WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent import futures

VARIABLE = "ILK_DASK_ADDRESS"
"""The environment variable by which users say where their own scheduler is."""


class Dask(ilk.Executor):
    """Runs cells on a cluster of Dask, on this machine or on many.

    Without an address it starts a cluster of processes on this machine, which ends with the
    run. With one it uses the workers that a scheduler has, as many as it has at the time; each
    runs one cell at a time, so ``dask worker --nthreads 1 --nworkers N`` makes the most of a
    machine. Either way what all cells need is sent to a worker once, and the results are those
    of `serial`, bit for bit.

    When a worker dies, its cell is run again, and Dask's nanny starts another worker. When the
    scheduler ends, does not answer, or has had no worker for `patience` seconds, the run ends
    with one line that says so; what is finished is kept, and the same command goes on.

    Raises
    ------
    ExecutorError
        When opened, if distributed is not installed or no scheduler answers.

    Notes
    -----
    A cell costs some 10 ms more than with `loky`, which is the better choice on one machine
    for cells that take less than a tenth of a second.

    Processes of a cluster of its own start as Dask's do: a script that runs an experiment so
    needs ``if __name__ == "__main__":``, which `loky` and the command ``ilk run`` do not. Its
    scheduler listens on the loopback interface without encryption, and runs what anybody on
    this machine sends: prefer `loky` where others can log in.

    How often a scheduler that was there already tries a task whose worker died is its own
    setting, ``distributed.scheduler.allowed-failures``.

    Examples
    --------
    >>> import ilk
    >>> ilk.executor("dask", workers=2).n_workers
    2
    """

    relies_on: ClassVar[tuple[str, ...]] = ("distributed",)
    workers: int | None = ilk.param(
        default=None,
        type=int,
        ge=1,
        le=MOST_WORKERS,
        doc="Number of processes of a cluster of its own; None: as many as this process may "
        "use processors. With an address there is no choice.",
    )
    address: str | None = ilk.param(
        default=None,
        type=str,
        trusted=True,
        doc='Where a scheduler listens (``"tcp://host:8786"``), or its file, as written by '
        "``dask scheduler --scheduler-file``. Its workers need the same versions of ilk, "
        "of its plugins and of numpy, scipy and scikit-learn as this process; one that has "
        "others ends the run. None: as the environment variable ``ILK_DASK_ADDRESS`` says, "
        "if it is set and neither `workers` nor `timeout` asks for a cluster of its own. "
        "In a file of `ilk run` it needs ``--trust``: data goes there, and what comes back "
        "can run code.",
    )
    inner_threads: int | None = ilk.param(
        default=1,
        ge=1,
        le=MOST_THREADS,
        none=True,
        doc="How many threads numeric libraries may use in each worker. None leaves the "
        "libraries as they are.",
    )
    timeout: float | None = ilk.param(
        default=None,
        type=float,
        gt=0,
        le=LONGEST,
        doc="Seconds that one cell may take. The process that is over it ends, and the cell "
        "counts as failed. Only of a cluster of its own: other workers are not ours to end.",
    )
    patience: float = ilk.param(
        default=30.0,
        gt=0,
        le=LONGEST,
        doc="Seconds to wait for a scheduler that does not answer, or for workers where there "
        "are none.",
    )

    @classmethod
    def examples(cls) -> list[Dask]:
        """Return one with a single worker, which starts sooner than many."""
        return [cls(workers=1)]

    def check_parameters(self) -> None:
        super().check_parameters()
        if self.address is None:
            return
        if not self.address:
            raise self.parameter_error("address", "must name a scheduler or its file, got ''")
        for name in ("workers", "timeout"):
            if (value := getattr(self, name)) is not None:
                raise self.parameter_error(
                    name, f"must be None with an address, whose workers are not ours, got {value}"
                )

    @property
    def n_workers(self) -> int:
        """Number of processes of its own; with an address it is known once it is opened."""
        from loky import cpu_count

        return 1 if self._scheduler is not None else self.workers or cpu_count()

    @property
    def _scheduler(self) -> str | None:
        """Where a scheduler is that is there already; None: a cluster of its own is wanted."""
        if self.workers is not None or self.timeout is not None:
            return None
        return self.address or os.environ.get(VARIABLE) or None

    @contextmanager
    def open(self) -> Iterator[futures.Executor]:
        """Give an executor that hands its calls to the cluster."""
        from ilk_evaluation.executors.base import ExecutorError

        try:
            from ilk_evaluation.executors import dask_local, dask_pool
        except ModuleNotFoundError as error:
            raise ExecutorError(
                "dask needs distributed, which is not installed (pip install distributed)"
            ) from error
        self.check_parameters()
        if (address := self._scheduler) is None:
            opened = dask_local.opened(
                self.n_workers, self.inner_threads, self.timeout, self.patience
            )
        else:
            opened = dask_pool.opened(address, self.inner_threads, self.patience)
        with opened as pool:
            yield pool
