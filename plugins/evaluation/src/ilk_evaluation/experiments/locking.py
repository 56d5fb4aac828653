"""The lock of a store: one writes to it at a time."""

from __future__ import annotations

from pathlib import Path

from ilk_evaluation.experiments.database import StoreError
from ilk_evaluation.lock import HeldError, Lock


def lock_of(path: Path) -> Path:
    """The file beside a store, wherever a link leads, that the run that writes it locks."""
    path = path.resolve() if path.is_symlink() else path
    return path.with_name(f"{path.name}.lock")


def locked(path: Path) -> Lock:
    """Take the lock of a store.

    Raises
    ------
    StoreError
        If a run has it.
    """
    try:
        return Lock(lock_of(path))
    except HeldError as holder:
        raise StoreError(
            f"{path}: is in use by another run ({holder}); wait for it or choose another store"
        ) from None
    except OSError as error:
        raise StoreError(f"{path}: cannot be locked: {error}") from error
