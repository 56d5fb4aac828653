"""A lock on a file that one process at a time can hold, and that goes when the process does."""

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


def holder(path: Path) -> str | None:
    """Who holds the lock of a file, as far as is known; None: nobody, or there is no such file.

    It is told by trying, for an instant, to share it, which whoever takes a lock waits out.
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
    """A lock is held elsewhere; the message says by whom, as far as is known."""


_PATIENCE = 0.5
"""Seconds in which whoever only looks whether a lock is held lets it go, on a busy machine too."""


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
            with suppress(OSError):  # it is held, even if the disk has no room to say by whom
                file.truncate(0)
                os.write(file.fileno(), f"process {os.getpid()} on {socket.gethostname()}".encode())
            return file
        file.close()  # its holder removed it meanwhile: a lock on it would protect nothing


def _no_link(path: str, flags: int) -> int:
    """Open a file, but none that a link leads to: it is written to, and may be anything."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


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
