"""A file lock for one process at a time, which is released when the process ends."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_PATIENCE = 0.5
"""Seconds to wait for a mere test of the lock to end, long enough on a busy machine."""


class HeldError(Exception):
    """A lock is held elsewhere; the message names the holder, if known."""


class Lock:
    """An advisory lock, held from construction until `release` or the end of the process.

    The lock file lies beside the protected file and names the holder. It may remain when the
    process is killed; the lock does not.

    Parameters
    ----------
    path : Path
        The lock file, created if missing.

    Raises
    ------
    HeldError
        If another process, or another lock in this process, holds it.
    OSError
        If the file cannot be locked: it is a link, or the file system knows no locks.
    """

    def __init__(self, path: Path) -> None:
        from filelock import FileLock, Timeout

        self.path = path
        # an unsafe soft lock is no substitute where the file system knows no locks
        self._lock = FileLock(path, thread_local=False, fallback_to_soft=False)
        try:
            self._lock.acquire(timeout=_PATIENCE, poll_interval=_PATIENCE / 100)
        except Timeout:
            raise HeldError(holder(path) or "another process") from None
        with suppress(OSError):  # a full disk, or Windows, which lets nobody write a locked file
            path.write_text(f"process {os.getpid()} on {socket.gethostname()}", encoding="utf-8")

    def release(self) -> None:
        """Release the lock; the file is removed first, so that no one locks an unnamed file."""
        if self._lock.is_locked:
            with suppress(OSError):  # Windows cannot remove an open file; filelock does it later
                self.path.unlink()
            self._lock.release()


def holder(path: Path) -> str | None:
    """The holder of the lock of a file, if known; None: it is free, or there is no such file.

    It shares the lock for an instant, which needs no permission to write and does not disturb
    others that look; a process that takes the lock waits that long.
    """
    try:
        with path.open(encoding="utf-8") as file:
            try:
                _share(file)
            except OSError:
                return _holder(file)
    except OSError:
        pass
    return None


def _holder(file: IO[str]) -> str:
    try:
        return file.read(200) or "another process"
    except OSError:  # Windows does not let others read a locked file
        return "another process"


# filelock has no shared lock of a file that is not to be written.
if sys.platform == "win32":
    import msvcrt

    def _share(file: IO[str]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _share(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
