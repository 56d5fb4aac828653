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


class MPI(ilk.Executor):
    """Runs cells on the ranks of an MPI job, by the pool of mpi4py.

    On a machine with a queue the command is
    ``mpiexec -n N python -m mpi4py.futures -m ilk run FILE --executor mpi``: the first rank
    hands out the cells, the other N - 1 run them. Elsewhere ``ilk run FILE`` is enough: it
    starts a job of its own by the ``mpiexec`` on the PATH, which ends with the run.

    What all cells need is sent to each rank once, and the results are those of `serial`, bit
    for bit. MPI cannot lose a rank: when one dies, the whole job ends. Cells that were finished
    are in the store by then, and the same command goes on. A cell that kills its rank will do
    so again; `loky` and `dask` outlive it. For the same reason no cell can be stopped for
    taking too long.

    Raises
    ------
    ExecutorError
        When opened, if mpi4py or an MPI library is not installed, or there is neither an MPI
        job nor ``mpiexec`` to start one. While it runs, if its own job ends before its time.

    Notes
    -----
    A job of its own has a process for each rank and one that hands out the cells, in a session
    of their own. MPI can also start ranks from a process that is no rank
    (``MPI_Comm_spawn``). That is not done here: with MPICH, a process that did so and then ends
    without a word takes its whole process group with it, such as the shell script that ran it.

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
        doc="Number of ranks that run cells. None: all that the job has; of a job of its own, "
        "as many as this process may use processors.",
    )
    inner_threads: int | None = ilk.param(
        default=1,
        ge=1,
        le=MOST_THREADS,
        none=True,
        doc="How many threads numeric libraries may use in each. None leaves the libraries as "
        "they are.",
    )

    @property
    def n_workers(self) -> int:
        """Number of ranks that run cells; all of a job are known once it is opened."""
        from loky import cpu_count

        return self.workers or (1 if _in_a_job() else cpu_count())

    @contextmanager
    def open(self) -> Iterator[futures.Executor]:
        """Give an executor that hands its calls to the ranks."""
        if importlib.util.find_spec("mpi4py") is None:
            raise ExecutorError("mpi needs mpi4py, which is not installed (pip install mpi4py)")
        if _in_a_job():
            from ilk_evaluation.executors import mpi_ranks

            opened = mpi_ranks.opened(self.workers, self.inner_threads)
        else:
            from ilk_evaluation.executors import mpi_started

            opened = mpi_started.opened(self.n_workers, self.inner_threads)
        with opened as pool:
            yield pool


def _in_a_job() -> bool:
    return any(name in os.environ for name in _RANK)


_RANK = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK")
"""Environment variables that a process of a job has: of MPICH and Intel, Open MPI, MVAPICH."""
