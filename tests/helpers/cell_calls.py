"""Counts what one cell of an experiment, its planning and its report call.

``python tests/helpers/cell_calls.py`` prints the counts for ``standardize -> nca -> knn``.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections import Counter
from contextlib import redirect_stdout
from inspect import unwrap
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

STEPS = [
    {"transformer": "standardize"},
    {"metric_learner": "nca"},
    {"classifier": {"use": "knn", "k": 3}},
]


def counted_functions() -> dict[str, list[Any]]:
    """The functions that count, by the name of what they do."""
    from sklearn.base import clone

    from ilk import inputs, registries, resolution
    from ilk.component import Component
    from ilk.neighbors import brute
    from ilk_evaluation.run.store import Store
    from ilk_learners.neighbors import Nearest

    return {
        "check_vectors": [inputs.check_vectors],
        "check_finite": [inputs.check_finite],
        "name look-up": [registries.find_class],
        "resolution": [resolution.resolve],
        "clone": [Component.__sklearn_clone__],
        "call of clone": [clone],
        "search of knn": [Nearest._nearest],
        "search": [brute.Brute.kneighbors],
        "store": [Store.read.__func__, Store.open.__func__],  # type: ignore[attr-defined]
    }


def counts_of(action: Callable[[], object]) -> Counter[str]:
    """How often an action calls each of the functions, in this thread."""
    codes: dict[CodeType, str] = {
        unwrap(function).__code__: name
        for name, functions in counted_functions().items()
        for function in functions
    }
    counts: Counter[str] = Counter()

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in codes:
            counts[codes[frame.f_code]] += 1

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        action()
    finally:
        sys.setprofile(before)
    return counts


def experiment(store: Path | None = None, steps: list[Any] | None = None) -> dict[str, Any]:
    """Two folds of iris, with measures of labels and of probabilities."""
    output = {} if store is None else {"output": {"store": str(store)}}
    return {
        "datasets": ["iris"],
        "pipelines": [{"id": "p", "steps": STEPS if steps is None else steps}],
        "evaluation": {
            "resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 1},
            "measures": ["error", "log_loss"],
        },
        **output,
    }


def cell(steps: list[Any] | None = None) -> Callable[[], object]:
    """An action that runs one cell."""
    from ilk_evaluation.plan.experiment_plan import plan_experiment
    from ilk_evaluation.run.cell import evaluate

    plan = plan_experiment(experiment(steps=steps))
    planned, data = plan.pipelines[0].pipeline, plan.datasets[0].data
    split = next(plan.splits(0))

    def run() -> None:
        outcome = evaluate(planned, data, split, plan.cell_seed(plan.cells[0]))
        assert outcome.error is None, outcome.error

    run()  # imports and caches
    return run


def planning(steps: list[Any] | None = None) -> Callable[[], object]:
    """An action that plans the experiment."""
    from ilk_evaluation.plan.experiment_plan import plan_experiment

    return lambda: plan_experiment(experiment(steps=steps))


def report(folder: Path) -> Callable[[], object]:
    """An action that runs ``ilk report``."""
    from ilk_evaluation.commands.report import report as command
    from ilk_evaluation.experiment import run_experiment

    store = folder / "cells.sqlite"
    run_experiment(experiment(store))
    arguments = [str(store), "--output", str(folder / "cells.html")]

    def run() -> None:
        with redirect_stdout(StringIO()):
            command.main(arguments, standalone_mode=False)

    return run


def main() -> None:
    """Print the counts."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        columns = {
            "a cell": counts_of(cell()),
            "the plan": counts_of(planning()),
            "the report": counts_of(report(Path(folder))),
        }
    print(" ".ljust(16), *(f"{title:>12}" for title in columns))
    for name in counted_functions():
        print(name.ljust(16), *(f"{column[name]:12}" for column in columns.values()))


if __name__ == "__main__":
    main()
