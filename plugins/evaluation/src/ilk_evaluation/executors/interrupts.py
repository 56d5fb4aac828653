"""Keep Ctrl-C, and the closing of the terminal, from processes that are about to start."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTS = [signal.SIGINT] if sys.platform == "win32" else [signal.SIGINT, signal.SIGHUP]
"""What a terminal sends to the runner and to all its workers, and the runner acts upon."""


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Hold them back in this thread, and in threads and processes that it starts meanwhile."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
