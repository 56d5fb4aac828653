"""Data sets, resampling, measures, comparisons and experiments for ilk.

Public names are imported on first use; components are built by name through `ilk`. Modules of
functions: `confusion`, `curves` and `intervals` for predictions and their scores,
`object_detection` for boxes, `diversity` for the members of an ensemble, `bias_variance` and
`theory`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ilk_evaluation import bias_variance as bias_variance
    from ilk_evaluation import confusion as confusion
    from ilk_evaluation import curves as curves
    from ilk_evaluation import diversity as diversity
    from ilk_evaluation import figures as figures
    from ilk_evaluation import intervals as intervals
    from ilk_evaluation import object_detection as object_detection
    from ilk_evaluation import theory as theory
    from ilk_evaluation.comparisons.pairwise import holm as holm
    from ilk_evaluation.executors.base import ExecutorError as ExecutorError
    from ilk_evaluation.experiment import run_experiment as run_experiment
    from ilk_evaluation.measures.running_costs import ModelSize as ModelSize
    from ilk_evaluation.measures.running_costs import model_size as model_size
    from ilk_evaluation.plan.experiment_plan import Plan as Plan
    from ilk_evaluation.plan.experiment_plan import plan_experiment as plan_experiment
    from ilk_evaluation.report.page import write_report as write_report
    from ilk_evaluation.results.experiment_results import Results as Results
    from ilk_evaluation.results.merging import merge_stores as merge_stores
    from ilk_evaluation.run.database import StoreError as StoreError
    from ilk_evaluation.run.scheduler import CellError as CellError
    from ilk_evaluation.run.store import Store as Store

_MODULE = {
    "CellError": "ilk_evaluation.run.scheduler",
    "ModelSize": "ilk_evaluation.measures.running_costs",
    "Plan": "ilk_evaluation.plan.experiment_plan",
    "Results": "ilk_evaluation.results.experiment_results",
    "Store": "ilk_evaluation.run.store",
    "StoreError": "ilk_evaluation.run.database",
    "ExecutorError": "ilk_evaluation.executors.base",
    "holm": "ilk_evaluation.comparisons.pairwise",
    "merge_stores": "ilk_evaluation.results.merging",
    "model_size": "ilk_evaluation.measures.running_costs",
    "plan_experiment": "ilk_evaluation.plan.experiment_plan",
    "run_experiment": "ilk_evaluation.experiment",
    "write_report": "ilk_evaluation.report.page",
}

_MODULES = (
    *("bias_variance", "confusion", "curves", "diversity", "figures", "intervals"),
    *("object_detection", "theory"),
)

__all__ = sorted((*_MODULE, *_MODULES))  # noqa: PLE0605  # the table above is the one list


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"ilk_evaluation.{name}")
    if name not in _MODULE:
        raise AttributeError(f"module 'ilk_evaluation' has no attribute {name!r}")
    value = getattr(import_module(_MODULE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
