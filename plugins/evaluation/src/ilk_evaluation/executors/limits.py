"""What numbers an executor takes: beyond them the system's calls fail, or nothing ever ends."""

MOST_WORKERS = 10_000
MOST_THREADS = 10_000
LONGEST = 4_000_000
"""Seconds, 46 days: no system waits longer everywhere."""
