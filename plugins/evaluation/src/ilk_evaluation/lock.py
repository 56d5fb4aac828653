"""A lock on a file that one process at a time can hold, and that goes when the process does."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO


class Lock:
    """An advisory lock, held from its making until `release` or the end of the process.

    It is a file beside what it protects, which says who holds it. The file may stay behind
    when the process is killed; the lock does not.

    Parameters
    ----------
    path : Path
        The file, made where there is none.

    Raises
    ------
    HeldError
        If another process, or another place in this one, holds it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = _hold(path)

    def release(self) -> None:
        """Give the lock back; the file goes first, so that nobody holds one without a name."""
        if self._file.closed:
            return
        with suppress(OSError):  # Windows does not remove what is open
            self.path.unlink()
        self._file.close()
        if sys.platform == "win32":
            with suppress(OSError):
                self.path.unlink()


class HeldError(Exception):
    """A lock is held elsewhere; the message says by whom, as far as is known."""


def _hold(path: Path) -> IO[str]:
    while True:
        file = path.open("a+", encoding="utf-8")
        try:
            _lock(file)
        except OSError:
            with file:
                raise HeldError(_holder(file)) from None
        if _is_still(file, path):
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}")
            file.flush()
            return file
        file.close()  # its holder removed it meanwhile: a lock on it would protect nothing


def _holder(file: IO[str]) -> str:
    try:
        file.seek(0)
        return file.read(200) or "another process"
    except OSError:  # Windows does not let others read what is locked
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

else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
