"""ilk's learners.

Components are available by name through `ilk`. Also public, and imported on first use:

- `competence_model`: coverage and reachability sets of cases;
- `plotting`: plots of learned metrics and of cases kept by editors;
- `sliding_windows`: detection of objects in images.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ilk_learners import plotting as plotting
    from ilk_learners import sliding_windows as sliding_windows
    from ilk_learners.editors.competence import competence_model as competence_model

__all__ = ["competence_model", "plotting", "sliding_windows"]  # imported by __getattr__


def __getattr__(name: str) -> Any:
    if name in ("plotting", "sliding_windows"):
        return import_module(f"ilk_learners.{name}")
    if name == "competence_model":
        return import_module("ilk_learners.editors.competence").competence_model
    raise AttributeError(f"module 'ilk_learners' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
