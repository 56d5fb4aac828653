"""Thresholds between two numbers."""

from __future__ import annotations


def midpoint(low: float, high: float) -> float:
    """Number midway between two of which the first is less: at least it, and below the second."""
    middle = low + (high - low) / 2 if (low < 0) == (high < 0) else (low + high) / 2
    return middle if low <= middle < high else low
