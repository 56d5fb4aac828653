"""The statements by which a store writes and reads its cells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ilk_evaluation.experiments.blobs import pack
from ilk_evaluation.experiments.tables import TABLES

if TYPE_CHECKING:
    from ilk_evaluation.experiments.cell import Outcome

OUTCOME = (
    "SELECT fingerprint, test, labels, probabilities, scores, fit_seconds, predict_seconds,"
    " reduction, warnings, error, traceback, fallback, together"
    " FROM cells LEFT JOIN splits ON splits.key = cells.split WHERE cells.key = ?"
)
PUT_RUN = TABLES["runs"].insert("ABORT")
PUT_PLANNED = TABLES["planned"].insert("ABORT")
PUT_DATASET = TABLES["datasets"].insert("IGNORE")
PUT_PIPELINE = TABLES["pipelines"].insert("IGNORE")
PUT_SPLIT = TABLES["splits"].insert("IGNORE")
PUT_CELL = TABLES["cells"].insert("REPLACE")
FORGET_PLANNED = "DELETE FROM planned WHERE run NOT IN (SELECT max(id) FROM runs GROUP BY name)"
"""Of each experiment the plan of its last run is kept."""


def row_of(key: str, outcome: Outcome, run: int, split: str, pipeline: str) -> tuple[Any, ...]:
    """What is written for a cell."""
    return (
        *(key, run, split, pipeline),
        *map(pack, (outcome.codes, outcome.probabilities, outcome.scores)),
        *(outcome.fit_seconds, outcome.predict_seconds, outcome.reduction),
        json.dumps(outcome.warnings) if outcome.warnings else None,
        *(outcome.error, outcome.traceback, outcome.fallback, outcome.together),
    )
