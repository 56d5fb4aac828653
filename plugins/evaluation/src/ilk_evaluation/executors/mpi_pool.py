"""Cells on the ranks of an MPI job."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import ilk
from ilk_evaluation.executors.failure import ExecutorError
from ilk_evaluation.executors.threads import environment


class MPI(ilk.Executor):
    """Runs cells on the ranks of an MPI job, by the pool of mpi4py.

    On a machine with a queue, and wherever MPI cannot start processes by itself, the command is
    ``mpiexec -n N python -m mpi4py.futures -m ilk run FILE --executor mpi``: the first rank
    hands out the cells, the other N - 1 run them. Elsewhere ``ilk run FILE`` is enough, and as
    many processes are started as `workers` says.

    What all cells need is sent to each rank once, and the results are those of `serial`, bit
    for bit. MPI cannot lose a rank: when one dies, the whole job ends, the runner too. Cells
    that were finished are in the store by then, and the same command goes on. A cell that kills
    its rank will do so again; `loky` and `dask` outlive it. For the same reason no cell can be
    stopped for taking too long.

    Parameters
    ----------
    workers : int or None, default=None
        Number of ranks that run cells; None: all that the job has, or MPI has room for.
    inner_threads : int or None, default=1
        How many threads numeric libraries may use in each. None leaves the libraries as they
        are.

    Raises
    ------
    ExecutorError
        When opened, if mpi4py or an MPI library is not installed, or there is neither an MPI
        job nor ``mpiexec`` to start one.

    Examples
    --------
    >>> import ilk
    >>> ilk.executor("mpi", workers=2).n_workers
    2
    """

    relies_on: ClassVar[tuple[str, ...]] = ("mpi4py",)
    parameters: ClassVar[Mapping[str, ilk.Param]] = {
        "workers": ilk.Param(
            int, ge=1, none=True, doc="Ranks that run cells; None: all there are."
        ),
        "inner_threads": ilk.Param(
            int, ge=1, none=True, doc="Threads of numeric libraries in each; None: as they are."
        ),
    }

    def __init__(self, workers: int | None = None, inner_threads: int | None = 1) -> None:
        self.workers = workers
        self.inner_threads = inner_threads

    @property
    def n_workers(self) -> int:
        """Number of ranks that run cells; where it is left to MPI, it is known once opened."""
        return self.workers or 1

    @contextmanager
    def open(self) -> Iterator[futures.Executor]:
        """Give an executor that starts with its first call."""
        from ilk_evaluation.executors import remote

        pool = _Pool(_library(), self.workers, self.inner_threads, remote)
        try:
            yield pool
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        pool.shutdown()


class _Pool(futures.Executor):
    """A pool of mpi4py's, started anew for each bench, which its ranks get as they start."""

    def __init__(
        self, make: Callable[..., Any], workers: int | None, inner_threads: int | None, remote: Any
    ) -> None:
        self._make = make
        self._workers = workers
        self._threads = inner_threads
        self._remote = remote
        self._packer = remote.Packer(self._start)
        self._pool: Any = None
        self._closed = False

    @property
    def n_workers(self) -> int:
        """Number of ranks that run cells."""
        if self._pool is None:
            return self._workers or 1
        return min(int(self._pool.num_workers), self._workers or sys.maxsize)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """Hand a call to a rank."""
        if self._closed:
            raise RuntimeError("the pool of MPI is closed, it takes no more work")
        task = self._packer.pack(fn, args, kwargs)
        if self._pool is None:
            self._start()
        return self._pool.submit(self._remote.call, task, self._threads)  # type: ignore[no-any-return]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for the calls that run; nothing can end them."""
        self._closed = True
        if self._pool is not None:
            self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def _start(self, *bench: Any) -> None:
        """Start the ranks; they keep what they are sent."""
        if self._pool is not None:
            self._pool.shutdown()
        with _starter_on_path():
            self._pool = self._make(
                max_workers=self._workers,
                initializer=self._remote.keep if bench else None,
                initargs=bench,
                env=environment(self._threads),
                main=False,
            ).bootup()


def _library() -> Callable[..., Any]:
    """Return what makes pools of mpi4py's."""
    try:
        from mpi4py.futures import MPIPoolExecutor
    except ModuleNotFoundError as error:
        raise ExecutorError(
            "mpi needs mpi4py, which is not installed (pip install 'ilk[mpi]')"
        ) from error
    except (ImportError, RuntimeError) as error:
        raise ExecutorError(f"mpi needs a library of MPI: {error}") from error
    pool: Callable[..., Any] = MPIPoolExecutor  # mpi4py need not be here to tell its types
    return pool


@contextmanager
def _starter_on_path() -> Iterator[None]:
    """Let MPI find the ``mpiexec`` beside this Python; without any it would wait for ever."""
    before = os.environ.get("PATH", "")
    beside = Path(sys.executable).parent
    if shutil.which("mpiexec") is None and (beside / "mpiexec").exists():
        os.environ["PATH"] = f"{beside}{os.pathsep}{before}"
    try:
        if shutil.which("mpiexec") is None and not any(map(_JOB.match, os.environ)):
            raise ExecutorError("mpi finds no mpiexec, which starts processes, on the PATH")
        yield
    finally:
        os.environ["PATH"] = before


_JOB = re.compile("PMI|OMPI_")
"""How the environment variables of a process begin that `mpiexec` started."""
