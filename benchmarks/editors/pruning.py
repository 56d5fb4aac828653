"""Editors that remove or store case by case, which have no peer of the same rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from editing import overlapping
from measure import Row, within

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMITS = {
    "icf": 1.5,
    "rt1": None,
    "rt2": None,
    "rt3": 1.5,
    "ib2": None,
    "ib3": None,
    "competence": None,
}


def rows() -> Iterator[Row]:
    """ICF, RT1 to RT3, IB2, IB3 and competence-guided editing."""
    X, y = overlapping(5000)
    for name, limit in LIMITS.items():
        editor = ilk.editor(name)
        editor.fit_resample(X, y)
        yield within(
            f"{name}, 5000 x 20",
            limit,
            lambda editor=editor: editor.fit_resample(X, y),
            note=f"{100 * editor.reduction_:.0f} % removed",
        )
