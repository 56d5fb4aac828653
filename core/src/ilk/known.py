"""Which distribution offers which component, to name it where it is not installed."""

from __future__ import annotations

_KNOWN: dict[str, dict[str, str]] = {}


def offered_by(kind: str, name: str) -> str | None:
    """Return the distribution known to offer a component, or None."""
    for distribution, components in _KNOWN.items():
        if name in components.get(kind, "").split():
            return distribution
    return None
