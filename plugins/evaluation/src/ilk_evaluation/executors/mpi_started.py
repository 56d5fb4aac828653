"""An MPI job that starts and ends with a run, in a separate session."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from concurrent import futures
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import cloudpickle

from ilk_evaluation.executors import mpi_first_rank, remote
from ilk_evaluation.executors.base import ExecutorError, environment
from ilk_evaluation.executors.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

START = 120.0
"""Seconds that a job may take to start, on a busy machine too."""
END = 10.0
"""Seconds that a job may take to end before it is killed."""

# Open MPI refuses more ranks than processors; the rank that hands out calls needs none.
_MORE_RANKS_THAN_PROCESSORS = {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}


@contextmanager
def opened(n: int, inner_threads: int | None) -> Iterator[futures.Executor]:
    """Give an executor that submits its calls to the ranks of a new job.

    Parameters
    ----------
    n : int
        Number of ranks that run calls.
    inner_threads : int or None
        Threads of numeric libraries in each.
    """
    with scratch() as folder:
        words = folder / "words"
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(str(folder / "door"))
            door.listen(1)
            process = _started(n, inner_threads, folder / "door", words)
            try:
                way = _first_rank(door, process, words)
                pool = _JobPool(process, words, way, n, inner_threads)
                yield pool
                pool.shutdown()
                pool.dismiss()
            finally:
                _end(process)
        sys.stderr.write(_read(words))


def _started(n: int, inner_threads: int | None, door: Path, words: Path) -> subprocess.Popen[bytes]:
    """Start the job; its output goes to a file."""
    beside = Path(sys.executable).with_name("mpiexec")
    found = shutil.which("mpiexec") or (str(beside) if beside.exists() else None)
    if found is None:
        raise ExecutorError("mpi finds no mpiexec, which starts processes, on the PATH")
    more = {
        "PYTHONPATH": os.pathsep.join(str(Path(folder).absolute()) for folder in sys.path),
        mpi_first_rank.ADDRESS: str(door),
        **environment(inner_threads),
    }
    python = [sys.executable, "-P", "-m", "mpi4py.futures", "-m", mpi_first_rank.__name__]
    with words.open("wb") as file:
        return subprocess.Popen(  # noqa: S603  # our own arguments
            [found, "-n", str(n + 1), *python],
            stdin=subprocess.DEVNULL,
            stdout=file,  # mpiexec reports dead ranks there
            stderr=subprocess.STDOUT,
            env={**_MORE_RANKS_THAN_PROCESSORS, **os.environ, **more},
            start_new_session=True,  # for Ctrl-C, and MPI's kill of a whole group
        )


def _first_rank(door: socket.socket, process: subprocess.Popen[bytes], words: Path) -> Connection:
    """Wait for the first rank to connect."""
    door.settimeout(0.2)
    late = monotonic() + START
    while process.poll() is None and monotonic() < late:
        with suppress(TimeoutError):
            way, _ = door.accept()
            way.setblocking(True)
            return Connection(way.detach())
    what = f"exit code {process.returncode}"
    if process.returncode is None:
        what = f"no rank in {START:g} s"
    output = [line.strip() for line in _read(words).splitlines() if re.search(r"\w", line)]
    error = ExecutorError(
        f"mpiexec starts no job ({what}){': ' if output else ''}{''.join(output[-1:])}"
    )
    error.add_note("\n".join(output))
    raise error


def _read(words: Path) -> str:
    return words.read_text(encoding="utf-8", errors="replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the job, if it still runs."""
    if process.poll() is None:
        process.terminate()  # mpiexec ends the ranks too
        with suppress(subprocess.TimeoutExpired):
            process.wait(END)
            return
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class _JobPool(futures.Executor):
    """Submits calls to the first rank, and fails them all when the job ends."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        words: Path,
        way: Connection,
        n: int,
        inner_threads: int | None,
    ) -> None:
        self.n_workers = n
        self._process = process
        self._words = words
        self._way = way
        self._threads = inner_threads
        self._packer = remote.Packer(lambda *kept: self._say("keep", *kept))
        self._waiting: dict[int, futures.Future[Any]] = {}
        self._n_calls = 0
        self._lock = threading.Lock()
        self._speaking = threading.Lock()  # separate, as `_listen` takes the other
        self._closed = False
        self._lost: ExecutorError | None = None
        self._reader = threading.Thread(target=self._listen, name="ilk-mpi", daemon=True)
        self._reader.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """Submit a call to the job."""
        if self._closed:
            raise RuntimeError("the pool of MPI is closed, it takes no more work")
        task = self._packer.pack(fn, args, kwargs)
        future: futures.Future[Any] = futures.Future()
        future.set_running_or_notify_cancel()
        with self._lock:
            if self._lost is not None:
                raise self._lost
            number = self._n_calls
            self._n_calls += 1
            self._waiting[number] = future
        self._say("call", number, task, self._threads)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse further calls; by default wait for the pending ones."""
        self._closed = True
        with self._lock:
            waiting = list(self._waiting.values())
        if wait and not cancel_futures:
            futures.wait(waiting)

    def dismiss(self) -> None:
        """Tell the job that no call will follow, and wait for its end."""
        with suppress(OSError):
            self._way.send(None)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END)
        self._reader.join(END)
        self._way.close()

    def _say(self, *what: Any) -> None:
        with suppress(OSError), self._speaking:  # `_listen` notices that the job is gone
            self._way.send(what)

    def _listen(self) -> None:
        """Receive answers until the connection ends."""
        with suppress(EOFError, OSError):
            while True:
                number, packed = self._way.recv()
                with self._lock:
                    future = self._waiting.pop(number)
                _settle(future, packed)
        self._lose()

    def _lose(self) -> None:
        """Fail all calls: no rank will run them."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END)
        lost = ExecutorError(
            f"the MPI job ended before its time (exit code {self._process.returncode}): "
            f"a rank died, and MPI cannot lose one"
        )
        with suppress(OSError):  # the job is gone
            lost.add_note(_read(self._words))
        with self._lock:
            self._lost = lost
            waiting = list(self._waiting.values())
            self._waiting.clear()
        for future in waiting:
            future.set_exception(lost)


def _settle(future: futures.Future[Any], packed: bytes) -> None:
    """Copy the outcome of a call to the future returned for it."""
    try:
        value, error = cloudpickle.loads(packed)
    except Exception as unreadable:  # noqa: BLE001  # e.g. of a class that only the rank has
        value, error = None, unreadable
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)
