"""Temporary folders that vanish even when this process is killed, and blocked interrupts."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ilk_evaluation.lock import HeldError, Lock

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX = "ilk-"


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a folder that is removed after the block.

    Should this process be killed, loky's watchman removes it; should that be killed, too, the
    next process that needs a folder.
    """
    from loky.backend import resource_tracker

    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    with interrupts_blocked():  # the watchman starts here, and outlives the terminal
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
        try:
            lock = Lock(file)
        except (HeldError, OSError):  # somebody lives there, or it is not ours
            continue
        lock.release()
        shutil.rmtree(file.parent, ignore_errors=True)


INTERRUPTS = [signal.SIGINT] if sys.platform == "win32" else [signal.SIGINT, signal.SIGHUP]
"""What a terminal sends to the runner and to all its workers, and the runner acts upon."""


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Hold them back in this thread, and in threads and processes that it starts meanwhile."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
