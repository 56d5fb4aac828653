"""The statements by which a store writes and reads its cells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ilk_evaluation.experiments.blobs import pack

if TYPE_CHECKING:
    from ilk_evaluation.experiments.cell import Outcome

OUTCOME = (
    "SELECT fingerprint, test, labels, probabilities, scores, fit_seconds, predict_seconds,"
    " reduction, warnings, error, traceback, fallback, together"
    " FROM cells LEFT JOIN splits ON splits.key = cells.split WHERE cells.key = ?"
)
PUT_SPLIT = "INSERT OR IGNORE INTO splits VALUES (?, ?, ?, ?)"
PUT_CELL = "INSERT OR REPLACE INTO cells VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"


def row_of(key: str, outcome: Outcome, run: int, split: str, pipeline: str) -> tuple[Any, ...]:
    """What is written for a cell."""
    return (
        *(key, run, split, pipeline),
        *map(pack, (outcome.codes, outcome.probabilities, outcome.scores)),
        *(outcome.fit_seconds, outcome.predict_seconds, outcome.reduction),
        json.dumps(outcome.warnings) if outcome.warnings else None,
        *(outcome.error, outcome.traceback, outcome.fallback, outcome.together),
    )
