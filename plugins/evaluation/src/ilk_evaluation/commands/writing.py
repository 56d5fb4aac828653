"""What commands say of files that cannot be written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_to(path: Path) -> Iterator[None]:
    """Turn what the system says of a file or folder into an error of the command line."""
    import ilk

    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise ilk.InputError(f"{path}: cannot be written: {why}") from error
