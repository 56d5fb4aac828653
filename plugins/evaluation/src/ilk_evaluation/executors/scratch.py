"""Temporary folders that vanish even when this process is killed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a folder that is removed after the block, or by loky's watchman after our death."""
    from loky.backend import resource_tracker

    folder = tempfile.mkdtemp(prefix="ilk-")
    resource_tracker.register(folder, "folder")
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        resource_tracker.unregister(folder, "folder")
