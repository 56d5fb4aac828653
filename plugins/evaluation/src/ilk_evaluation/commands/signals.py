"""What a run does about Ctrl-C and the request to terminate."""

from __future__ import annotations

import signal
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
        before = {number: signal.signal(number, handler) for number in _NUMBERS}
    except ValueError:  # not in the main thread: signals are none of our business
        yield
        return
    try:
        yield
    finally:
        for number, usual in before.items():
            signal.signal(number, usual if handler.last is None else signal.SIG_IGN)


_NUMBERS = (signal.SIGINT, signal.SIGTERM)


class _Handler:
    last: float | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = monotonic()
        if self.last is not None and now - self.last < PATIENCE:
            return
        self.last = now
        raise Terminated if number == signal.SIGTERM else KeyboardInterrupt
