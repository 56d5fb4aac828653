"""ilk's ensembles.

The components are available by name through `ilk`. The module `plotting`, imported on first
use, draws error by size, diversity, proximities and decision regions.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ilk_ensembles import plotting as plotting

__all__ = ["plotting"]  # imported by __getattr__


def __getattr__(name: str) -> Any:
    if name == "plotting":
        return import_module("ilk_ensembles.plotting")
    raise AttributeError(f"module 'ilk_ensembles' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
