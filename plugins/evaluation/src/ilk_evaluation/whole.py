"""Write a file as a whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Put a file in the place of another, or where there is none, at once."""
    if path.exists() and not path.is_file():  # a pipe or a terminal takes what it is given
        path.write_bytes(content)
        return
    path = path.resolve()  # a link stays a link
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
