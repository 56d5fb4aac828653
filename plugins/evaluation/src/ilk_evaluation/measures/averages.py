"""What measures of one class, or averaged over the classes, have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ilk import Param

if TYPE_CHECKING:
    import numpy as np

POSITIVE = Param(
    (str, int, float, bool),
    none=True,
    doc="The class that is looked for; None: the second of two.",
)


def absent_remark(cases: np.ndarray, classes: Sequence[Any]) -> list[str]:
    """Say which classes an average leaves out, if any."""
    absent = [repr(label) for label, n in zip(classes, cases, strict=True) if n == 0]
    if not absent or len(absent) == len(cases):
        return []
    have = "has" if len(absent) == 1 else "have"
    names = ", ".join(absent)
    said = f"the average is over {len(cases) - len(absent)} of {len(cases)} classes"
    return [f"{said}: no answered case belongs to {names}, which {have} no part in it"]
