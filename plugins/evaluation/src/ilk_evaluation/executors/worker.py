"""A worker process: it obeys its time limit, ends with the runner, and leaves a crash log."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import pickle
import signal
import sys
import threading
from concurrent import futures
from typing import IO, TYPE_CHECKING, Any

from ilk_evaluation.executors.scratch import INTERRUPTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from pathlib import Path

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
