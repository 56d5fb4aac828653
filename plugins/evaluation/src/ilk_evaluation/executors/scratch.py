"""Temporary folders that vanish even when this process is killed, and blocked interrupts."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ilk_evaluation.lock import HeldError, Lock, holder

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX = "ilk-"


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


INTERRUPTS = [signal.SIGINT] if sys.platform == "win32" else [signal.SIGINT, signal.SIGHUP]
"""Signals that a terminal sends to the runner and its workers; only the runner handles them."""


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
