"""ilk's distances, kernels and neighbour indexes.

The components are reached by name through `ilk`; the names here are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ilk_distances import pictures as pictures
    from ilk_distances.indexes.recall import recall as recall

__all__ = ["pictures", "recall"]  # imported by __getattr__


def __getattr__(name: str) -> Any:
    if name == "pictures":
        return import_module("ilk_distances.pictures")
    if name == "recall":
        from ilk_distances.indexes.recall import recall

        globals()[name] = recall
        return recall
    raise AttributeError(f"module 'ilk_distances' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
