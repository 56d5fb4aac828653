"""What goes on inside a worker: it obeys its limits, and goes when the runner goes."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

from ilk_evaluation.executors.interrupts import INTERRUPTS

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
