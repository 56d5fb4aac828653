"""Data sets, resampling, measures, comparisons and experiments for ilk.

The public names are imported on first use; the components are reached by name through `ilk`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ilk_evaluation.experiments.crew import CellError as CellError
    from ilk_evaluation.experiments.database import StoreError as StoreError
    from ilk_evaluation.experiments.plan import Plan as Plan
    from ilk_evaluation.experiments.plan import plan_experiment as plan_experiment
    from ilk_evaluation.experiments.results import Results as Results
    from ilk_evaluation.experiments.runner import run_experiment as run_experiment
    from ilk_evaluation.experiments.store import Store as Store

_MODULE = {
    "CellError": "ilk_evaluation.experiments.crew",
    "Plan": "ilk_evaluation.experiments.plan",
    "Results": "ilk_evaluation.experiments.results",
    "Store": "ilk_evaluation.experiments.store",
    "StoreError": "ilk_evaluation.experiments.database",
    "plan_experiment": "ilk_evaluation.experiments.plan",
    "run_experiment": "ilk_evaluation.experiments.runner",
}

__all__ = sorted(_MODULE)  # noqa: PLE0605  # the table above is the one list


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module 'ilk_evaluation' has no attribute {name!r}")
    value = getattr(import_module(_MODULE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE})
