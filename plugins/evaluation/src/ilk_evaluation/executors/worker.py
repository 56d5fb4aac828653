"""Worker processes: their scratch folders, signals, time limit, end with the runner, crash log."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ilk_evaluation.lock import HeldError, Lock, holder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

_PREFIX = "ilk-"
INTERRUPTS = [signal.SIGINT] if sys.platform == "win32" else [signal.SIGINT, signal.SIGHUP]
"""Signals that a terminal sends to the runner and its workers; only the runner handles them."""

_last_words: IO[str] | None = None


def start(runner: int, lifeline: Connection, last_words: Path) -> None:
    """Prepare this process.

    Parameters
    ----------
    runner : int
        Process id of the runner.
    lifeline : Connection
        Closes when the runner ends.
    last_words : Path
        File for the stack of a crash. Its existence shows that the worker has started.
    """
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)
    end_with(runner)
    threading.Thread(target=_outlast, args=(lifeline,), daemon=True).start()
    listen(last_words)


def end_with(runner: int) -> None:
    """Make this process, a child of the runner, end with it."""
    if sys.platform == "linux":  # by a signal, which also ends compiled code
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.name == "posix" and os.getppid() != runner:
        os._exit(1)


def listen(last_words: Path) -> None:
    """Write the stack of a crash to a file."""
    global _last_words  # noqa: PLW0603  # faulthandler needs the open file to the end
    _last_words = last_words.open("w", encoding="utf-8")
    faulthandler.enable(_last_words)


def call(task: bytes, seconds: float | None) -> Any:
    """Run a pickled function; after its time limit this process ends itself.

    A thread in C keeps the time, so that loops in compiled code cannot block it.
    """
    function, args, kwargs = pickle.loads(task)  # noqa: S301  # the runner pickled it
    if seconds is None:
        return function(*args, **kwargs)
    assert _last_words is not None
    faulthandler.dump_traceback_later(seconds, exit=True, file=_last_words)
    try:
        return function(*args, **kwargs)
    finally:
        faulthandler.cancel_dump_traceback_later()


def _outlast(lifeline: Connection, end: Callable[[int], Any] = os._exit) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        end(1)


def worker_death(cause: str, last_words: str, seconds: float | None) -> Exception:
    """Return the error that ends the call of a worker that died.

    Parameters
    ----------
    cause : str
        Cause of the death, if known.
    last_words : str
        Stacks at a crash or at the time limit; may be empty.
    seconds : float or None
        Time limit of a call.
    """
    if last_words.startswith("Timeout"):
        error: Exception = TimeoutError(f"exceeded the time limit of {seconds:g} s")
    else:
        error = futures.BrokenExecutor(f"the worker died: {cause}")
    if last_words:
        error.add_note(_own_part(last_words))
    return error


def _own_part(last_words: str) -> str:
    """The stack of the call, cut out of the stacks of all threads."""
    for part in last_words.split("\n\n"):
        stack, call, _ = part.partition(f'  File "{__file__}", line')
        if call and " in call\n" in part:
            return stack.strip()
    return last_words.strip()


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a folder that is removed after the block.

    If this process is killed, loky's resource tracker removes the folder. If that is killed too,
    the next process that needs a folder removes it.
    """
    from loky.backend import resource_tracker

    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    with interrupts_blocked():  # the resource tracker starts here, and must survive Ctrl-C
        resource_tracker.register(str(folder), "folder")
    lock = Lock(folder / "lock")
    try:
        yield folder
    finally:
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)
        resource_tracker.unregister(str(folder), "folder")


def _sweep() -> None:
    """Remove the folders of processes that are dead."""
    for file in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/lock"):
        if holder(file) is not None:  # in use
            continue
        try:
            lock = Lock(file)
        except (HeldError, OSError):  # taken just now, or of another user
            continue
        lock.release()
        shutil.rmtree(file.parent, ignore_errors=True)


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block `INTERRUPTS` in this thread, and in threads and processes started in the block."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
