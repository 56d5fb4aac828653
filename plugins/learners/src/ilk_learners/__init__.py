"""ilk's learners.

The components are reached by name through `ilk`; the names here are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ilk_learners import plotting as plotting

__all__ = ["plotting"]  # imported by __getattr__


def __getattr__(name: str) -> Any:
    if name == "plotting":
        return import_module("ilk_learners.plotting")
    raise AttributeError(f"module 'ilk_learners' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
