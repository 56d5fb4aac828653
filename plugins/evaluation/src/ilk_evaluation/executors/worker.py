"""A worker process: it obeys its limits, ends with the runner, and leaves last words."""

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
        Ends when the runner does.
    last_words : Path
        Where is written what a crash looked like from inside. That the file exists says that
        the worker has started.
    """
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)
    end_with(runner)
    threading.Thread(target=_outlast, args=(lifeline,), daemon=True).start()
    listen(last_words)


def end_with(runner: int) -> None:
    """See to it that this process, a child of the runner's, does not outlive it."""
    if sys.platform == "linux":  # at once, even in the midst of compiled code
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.name == "posix" and os.getppid() != runner:
        os._exit(1)


def listen(last_words: Path) -> None:
    """Have it written to a file what a crash looks like from inside."""
    global _last_words  # noqa: PLW0603  # faulthandler needs the file for as long as we live
    _last_words = last_words.open("w", encoding="utf-8")
    faulthandler.enable(_last_words)


def call(task: bytes, seconds: float | None) -> Any:
    """Run a pickled function; beyond a time limit this process ends itself.

    The watch is kept by a thread in C, so that no loop in compiled code can escape it.
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
        What it died of, as far as is known.
    last_words : str
        What a crash or the end of its time looked like from inside; may be empty.
    seconds : float or None
        What a call may take.
    """
    if last_words.startswith("Timeout"):
        said: Exception = TimeoutError(f"exceeded the time limit of {seconds:g} s")
    else:
        said = futures.BrokenExecutor(f"the worker died: {cause}")
    if last_words:
        said.add_note(_own_part(last_words))
    return said


def _own_part(last_words: str) -> str:
    """The stack of the call itself, out of the stacks of all threads down to the first frame."""
    for part in last_words.split("\n\n"):
        stack, call, _ = part.partition(f'  File "{__file__}", line')
        if call and " in call\n" in part:
            return stack.strip()
    return last_words.strip()
