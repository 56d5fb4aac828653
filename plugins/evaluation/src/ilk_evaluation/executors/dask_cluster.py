"""Cells on a cluster of Dask: a new one on this machine, or an existing one."""

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
"""Environment variable with the address of an existing scheduler."""


class Dask(ilk.Executor):
    """Runs cells on a cluster of Dask, on this machine or on many.

    Without an address it starts a cluster of processes on this machine, which ends with the run.
    With an address it uses all present workers of that scheduler. Each runs one cell at a time,
    so ``dask worker --nthreads 1 --nworkers N`` makes the most of a machine. Shared data and
    pipelines are sent to a worker once. The results equal those of `serial`, bit for bit.

    When a worker dies, its cell is run again, and Dask's nanny starts another worker. When the
    scheduler ends, does not answer, or has had no worker for `patience` seconds, the run ends
    with a one-line error. Finished cells are kept, and the same command resumes the run.

    Raises
    ------
    ExecutorError
        When opened, if distributed is not installed or no scheduler answers.

    Notes
    -----
    A call costs some 10 ms more than with `loky`. Light cells share calls of about a tenth of a
    second, so this matters little.

    Dask starts new processes by importing the main script, which therefore needs
    ``if __name__ == "__main__":``; `loky` and the command ``ilk run`` do not need it. The scheduler
    of a new cluster listens on the loopback interface without encryption, and any user of this
    machine can have it run code: prefer `loky` where others can log in.

    An existing scheduler retries a task whose worker died as often as its setting
    ``distributed.scheduler.allowed-failures`` says.

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
        doc="Number of processes of a new cluster; None: the number of processors that this "
        "process may use. Must be None with an address.",
    )
    address: str | None = ilk.param(
        default=None,
        type=str,
        trusted=True,
        doc='Address of a scheduler (``"tcp://host:8786"``), or its file, as written by '
        "``dask scheduler --scheduler-file``. Its workers need the same versions of ilk, "
        "of its plugins and of numpy, scipy and scikit-learn as this process; other versions "
        "end the run. None: the environment variable ``ILK_DASK_ADDRESS``, if it is set and "
        "neither `workers` nor `timeout` asks for a new cluster. In a file of `ilk run` it needs "
        "``--trust``: data is sent there, and the answers can run code.",
    )
    inner_threads: int | None = ilk.param(
        default=1,
        ge=1,
        le=MOST_THREADS,
        none=True,
        doc="Number of threads that numeric libraries may use in each worker. None sets no limit.",
    )
    timeout: float | None = ilk.param(
        default=None,
        type=float,
        gt=0,
        le=LONGEST,
        doc="Time limit of one cell in seconds. A process that exceeds it ends, and the cell "
        "counts as failed. Only for a new cluster: ilk does not end workers of others.",
    )
    patience: float = ilk.param(
        default=30.0,
        gt=0,
        le=LONGEST,
        doc="Seconds to wait for a scheduler that does not answer, or for a worker if there "
        "is none.",
    )

    @classmethod
    def examples(cls) -> list[Dask]:
        """Return an example with a single worker, which starts fast."""
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
        """Number of processes of a new cluster; with an address it is known once opened."""
        from loky import cpu_count

        return 1 if self._scheduler is not None else self.workers or cpu_count()

    @property
    def _scheduler(self) -> str | None:
        """Address of an existing scheduler; None: start a new cluster."""
        if self.workers is not None or self.timeout is not None:
            return None
        return self.address or os.environ.get(VARIABLE) or None

    @contextmanager
    def open(self) -> Iterator[futures.Executor]:
        """Give an executor that submits its calls to the cluster."""
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
