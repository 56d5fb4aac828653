"""What data would take of the memory there is, before any of it is taken."""

from __future__ import annotations

import os

import ilk


def check_memory(name: str, what: str, needed: int) -> None:
    """Refuse data that is larger than this machine's memory.

    Raises
    ------
    DataError
        Says how much it would need, and how much there is.
    """
    there = _memory()
    if there is not None and needed > there:
        raise ilk.DataError(
            f"{name}: {what} would need about {_written(needed)} of memory, this machine has "
            f"{_written(there)}"
        )


def _memory() -> int | None:
    """Bytes of memory of this machine; None where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _written(size: int) -> str:
    return f"{size / 2**30:,.3g} GiB" if size < 2**40 else f"{size / 2**40:,.3g} TiB"
