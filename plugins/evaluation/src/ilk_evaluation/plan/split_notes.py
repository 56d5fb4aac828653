"""What splits of grouped data cannot have: classes missing from a part, and unequal shares."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import ilk
    from ilk_evaluation.plan.experiment_plan import Plan

_MOST = 3
_NEAR = 0.05


def split_notes(plan: Plan) -> list[str]:
    """Note classes missing from training or test parts, and shares of cases, of grouped data."""
    notes: list[str] = []
    for position, planned in enumerate(plan.datasets):
        if planned.data.groups is not None:
            notes += (f"{planned.label}: {note}" for note in _notes_on(plan, position))
    return notes


def _notes_on(plan: Plan, position: int) -> Iterator[str]:
    data = plan.datasets[position].data
    classes, codes = np.unique(data.y, return_inverse=True)
    missing: Counter[tuple[str, int]] = Counter()
    shares = []
    for split in plan.splits(position):
        shares.append(len(split.test) / (len(split.train) + len(split.test)))
        for part, rows in (("training", split.train), ("test", split.test)):
            counts = np.bincount(codes[rows], minlength=len(classes))
            missing.update((part, code) for code in np.flatnonzero(counts == 0).tolist())
    for (part, code), number in missing.most_common(_MOST):
        yield (
            f"class {classes[code].item()!r} is missing from the {part} part of {number} of "
            f"{len(shares)} splits: its cases are in too few groups"
        )
    if len(missing) > _MOST:
        yield f"{len(missing) - _MOST} more classes are missing from parts of splits"
    wanted = _test_share(plan.resampling)
    if wanted < 1 and max(abs(s - wanted) for s in shares) > _NEAR:
        low, high = min(shares), max(shares)
        got = f"{low:.2f}" if high - low < _NEAR / 10 else f"{low:.2f} to {high:.2f}"
        yield (
            f"{wanted:.2g} of the groups are tested, which differ in size: the test parts hold "
            f"{got} of the cases"
        )


def _test_share(resampling: ilk.Resampling) -> float:
    """The share of groups that is tested; 1 if a resampling has no such parameter."""
    sizes = getattr(resampling, "sizes", None)
    if sizes is not None:
        return float(sizes[-1] / sum(sizes))
    return float(getattr(resampling, "test_size", 1.0))
