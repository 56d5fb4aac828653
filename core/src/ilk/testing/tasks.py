"""Tasks for executors; apart, so that workers import next to nothing for them."""

from __future__ import annotations


def square(x: int) -> int:
    """Return the square."""
    return x * x


def fail(x: int) -> int:
    """Raise an error that names the argument."""
    raise ZeroDivisionError(f"no answer for {x}")
