"""What a run does about Ctrl-C, the request to terminate, and a terminal that is closed."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType

PATIENCE = 10.0
"""Seconds in which what is finished is saved; a second Ctrl-C during them changes nothing."""


class Terminated(KeyboardInterrupt):
    """Something asked this process to terminate."""


@contextmanager
def once_at_a_time() -> Iterator[None]:
    """Turn signals into exceptions, but none on the heels of another, nor on the way out."""
    handler = _Handler()
    try:
        before = {number: signal.signal(number, handler) for number in _numbers()}
    except ValueError:  # not in the main thread: signals are none of our business
        yield
        return
    try:
        yield
    finally:
        for number, usual in before.items():
            signal.signal(number, usual if handler.last is None else signal.SIG_IGN)


def _numbers() -> list[signal.Signals]:
    """Signals that end a run; that of a closed terminal does not where `nohup` says so."""
    numbers = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    return numbers


class _Handler:
    last: float | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = monotonic()
        if self.last is not None and now - self.last < PATIENCE:
            return
        self.last = now
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated
