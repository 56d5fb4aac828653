"""A file lock for one process at a time, which is released when the process ends."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from time import monotonic, sleep
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


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
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = _hold(path)

    def release(self) -> None:
        """Release the lock; the file is removed first, so that no one locks an unnamed file."""
        if self._file.closed:
            return
        with suppress(OSError):  # Windows cannot remove an open file
            self.path.unlink()
        self._file.close()
        if sys.platform == "win32":
            with suppress(OSError):
                self.path.unlink()


def holder(path: Path) -> str | None:
    """The holder of the lock of a file, if known; None: it is free, or there is no such file.

    It tries to share the lock for an instant; a process that takes the lock waits that long.
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


class HeldError(Exception):
    """A lock is held elsewhere; the message names the holder, if known."""


_PATIENCE = 0.5
"""Seconds to wait for a mere test of the lock to end, long enough on a busy machine."""


def _hold(path: Path) -> IO[str]:
    deadline = monotonic() + _PATIENCE
    while True:
        file = open(path, "a+", encoding="utf-8", opener=_no_link)  # noqa: SIM115
        try:
            _lock(file)
        except OSError:
            with file:
                if monotonic() > deadline:
                    raise HeldError(_holder(file)) from None
            sleep(_PATIENCE / 100)
            continue
        if _is_still(file, path):
            with suppress(OSError):  # a full disk may lack room for the holder's name
                file.truncate(0)
                os.write(file.fileno(), f"process {os.getpid()} on {socket.gethostname()}".encode())
            return file
        file.close()  # its holder removed it meanwhile: a lock on it would be void


def _no_link(path: str, flags: int) -> int:
    """Open a file, but not through a link, whose target would be overwritten."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _holder(file: IO[str]) -> str:
    try:
        file.seek(0)
        return file.read(200) or "another process"
    except OSError:  # Windows does not let others read a locked file
        return "another process"


def _is_still(file: IO[str], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _share(file: IO[str]) -> None:
        _lock(file)
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _share(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
