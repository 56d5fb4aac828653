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
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import cloudpickle

from ilk_evaluation.executors import mpi_first_rank, remote
from ilk_evaluation.executors.base import ExecutorError, environment
from ilk_evaluation.executors.relay import RelayExecutor
from ilk_evaluation.executors.worker import scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent import futures

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


class _JobPool(RelayExecutor):
    """Submits calls to the first rank, and fails them all when the job ends."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        words: Path,
        way: Connection,
        n: int,
        inner_threads: int | None,
    ) -> None:
        super().__init__("the pool of MPI")
        self.n_workers = n
        self._process = process
        self._words = words
        self._way = way
        self._threads = inner_threads
        self._packer = remote.Packer(lambda *kept: self._say("keep", *kept))
        self._speaking = threading.Lock()
        self._reader = threading.Thread(target=self._listen, name="ilk-mpi", daemon=True)
        self._reader.start()

    def dismiss(self) -> None:
        """Tell the job that no call will follow, and wait for its end."""
        with suppress(OSError):
            self._way.send(None)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END)
        self._reader.join(END)
        self._way.close()

    def _pack(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> bytes:
        return self._packer.pack(fn, args, kwargs)

    def _pass_on(self, number: int, task: bytes) -> None:
        self._say("call", number, task, self._threads)

    def _say(self, *what: Any) -> None:
        with suppress(OSError), self._speaking:  # `_listen` notices that the job is gone
            self._way.send(what)

    def _listen(self) -> None:
        """Receive outcomes until the connection ends: then no rank will run the other calls."""
        with suppress(EOFError, OSError):
            while True:
                number, packed = self._way.recv()
                self._complete(number, *_unpacked(packed))
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END)
        lost = ExecutorError(
            f"the MPI job ended before its time (exit code {self._process.returncode}): "
            f"a rank died, and MPI cannot lose one"
        )
        with suppress(OSError):  # the job is gone
            lost.add_note(_read(self._words))
        self._lose(lost)


def _unpacked(packed: bytes) -> tuple[Any, BaseException | None]:
    """Return the value and the error of a call; one of them is None."""
    try:
        value, error = cloudpickle.loads(packed)
    except Exception as unreadable:  # noqa: BLE001  # e.g. of a class that only the rank has
        return None, unreadable
    return value, error
