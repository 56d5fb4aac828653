"""Write a file atomically, completely or not at all, and replace no file of somebody else."""

from __future__ import annotations

import glob
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, BinaryIO

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OLD = 3600.0
"""Seconds without a write after which a temporary file counts as left over by a killed process."""


def replace_file(path: Path, content: bytes) -> None:
    """Create or replace a file atomically."""
    with replacing(path) as file:
        file.write(content)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces `path` when the block ends without an error."""
    if path.exists() and not path.is_file():  # a pipe or a terminal is written directly
        with path.open("wb") as file:
            yield file
        return
    path = Path(os.path.realpath(path))  # a link stays a link, unless it leads to itself
    _sweep(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


_ENDS = 2**16
"""Bytes of either end of a file by which an earlier output is recognised."""


def check_replaceable(
    path: Path, what: str, is_earlier: Callable[[bytes], bool], *, force: bool
) -> None:
    """Raise InputError if there is a file that is no earlier output of the same kind.

    Parameters
    ----------
    path : Path
    what : str
        What the file is not, such as "no report of ilk".
    is_earlier : function
        Tells by the bytes at both ends of a file whether it is an earlier output.
    force : bool
        The user's word that any file may be replaced.
    """
    if force or not path.is_file() or not path.stat().st_size:
        return
    with path.open("rb") as file:
        ends = file.read(_ENDS)
        file.seek(max(path.stat().st_size - _ENDS, len(ends)))
        ends += file.read()
    if not is_earlier(ends):
        raise ilk.InputError(
            f"{path}: exists and is {what}; choose another name, or say --force "
            f"(force=True in Python) to replace it"
        )


def check_no_link(path: Path) -> None:
    """Raise InputError if a file of a default name is a link."""
    if path.is_symlink():
        raise ilk.InputError(
            f"{path}: is a link to {path.readlink()}, which would be replaced; say where to write "
            f"with --output, or remove the link"
        )


def _sweep(path: Path) -> None:
    """Remove the temporary files of dead writers."""
    for part in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        with suppress(OSError):
            if time() - part.stat().st_mtime > OLD:
                part.unlink()
