"""Write a file atomically: completely or not at all."""

from __future__ import annotations

import glob
import os
from contextlib import contextmanager, suppress
from time import time
from typing import TYPE_CHECKING, BinaryIO

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
    path = path.resolve()  # a link stays a link
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
