"""Cells on the ranks of an MPI job."""

from __future__ import annotations

import importlib.util
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

import ilk
from ilk_evaluation.executors.base import MOST_THREADS, MOST_WORKERS, ExecutorError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent import futures
    from contextlib import AbstractContextManager


class MPI(ilk.Executor):
    """Runs cells on the ranks of an MPI job, by the pool of mpi4py.futures.

    On a machine with a queue the command is
    ``mpiexec -n N python -m mpi4py.futures -m ilk run FILE --executor mpi``: the first rank
    hands out the cells, the other N - 1 run them. Elsewhere ``ilk run FILE`` is enough: it
    starts a job of its own by the ``mpiexec`` on the PATH, which ends with the run.

    Shared data and pipelines are sent to each rank once. The results equal those of `serial`, bit
    for bit. MPI cannot lose a rank: when one dies, the whole job ends. The store has the finished
    cells by then, and the same command resumes the run. A cell that kills its rank will do so
    again; `loky` and `dask` survive it. For the same reason there is no time limit of a cell.

    Raises
    ------
    ExecutorError
        When opened, if mpi4py or an MPI library is not installed, or there is neither an MPI
        job nor ``mpiexec`` to start one. While it runs, if its own job ends before its time.

    Notes
    -----
    A new job has a process per rank and one that hands out the cells, all in a separate session.
    MPI can also start ranks from a process outside a job (``MPI_Comm_spawn``). ilk does not use
    it: with MPICH, when such a process ends without finalizing, its whole process group ends too,
    such as the shell script that ran it.

    Examples
    --------
    >>> import ilk
    >>> ilk.executor("mpi", workers=2).n_workers
    2
    """

    relies_on: ClassVar[tuple[str, ...]] = ("mpi4py",)
    workers: int | None = ilk.param(
        default=None,
        type=int,
        ge=1,
        le=MOST_WORKERS,
        doc="Number of ranks that run cells. None: all ranks of the job; for a new job, the "
        "number of processors that this process may use.",
    )
    inner_threads: int | None = ilk.param(
        default=1,
        ge=1,
        le=MOST_THREADS,
        none=True,
        doc="Number of threads that numeric libraries may use in each. None sets no limit.",
    )

    @property
    def n_workers(self) -> int:
        """Number of ranks that run cells; for all ranks of a job it is known once opened."""
        from loky import cpu_count

        return self.workers or (1 if _in_a_job() else cpu_count())

    @contextmanager
    def open(self) -> Iterator[futures.Executor]:
        """Give an executor that submits its calls to the ranks."""
        if importlib.util.find_spec("mpi4py") is None:
            raise ExecutorError("mpi needs mpi4py, which is not installed (pip install mpi4py)")
        if _in_a_job():
            from ilk_evaluation.executors.mpi_first_rank import RanksPool

            opened: AbstractContextManager[futures.Executor]
            opened = RanksPool(self.workers, self.inner_threads)
        else:
            from ilk_evaluation.executors import mpi_started

            opened = mpi_started.opened(self.n_workers, self.inner_threads)
        with opened as pool:
            yield pool


def _in_a_job() -> bool:
    return any(name in os.environ for name in _RANK)


_RANK = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK")
"""Environment variables that mark a process of a job: MPICH and Intel, Open MPI, MVAPICH."""
