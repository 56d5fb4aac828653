"""The record of a run in a store, besides predictions: results then need no file and no data."""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from importlib.metadata import version
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_evaluation.datasets.inspection import warnings_of
from ilk_evaluation.plan.design import Cell, Design, Named
from ilk_evaluation.plan.keys import canonical, cell_key
from ilk_evaluation.plan.shards import checked_shard
from ilk_evaluation.resamplings.learning_curve import whole_parts
from ilk_evaluation.run.database import StoreError, undamaged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ilk_evaluation.plan.experiment_file import Experiment
    from ilk_evaluation.plan.experiment_plan import Plan, PlannedData
    from ilk_evaluation.plan.shards import Shard
    from ilk_evaluation.run.store import Store


def begin_run(plan: Plan, store: Store, fallback: str | None = None) -> int:
    """Record the run of a plan with all that its results need; return the number of the run."""
    spec = canonical({**json.loads(_record_of(plan)), "notes": data_notes(plan)})
    environment = canonical(environment_here())
    run = store.begin_run(
        plan.design.name,
        plan.design.seed,
        spec,
        environment,
        _planned_splits(plan.design),
        fallback,
    )
    for planned in plan.datasets:
        store.add_dataset(planned.data, planned.n_features)
    for pipeline in plan.pipelines:
        store.add_pipeline(pipeline.key, pipeline.spec, pipeline.versions)
    return run


def is_recorded(plan: Plan, store: Store) -> bool:
    """Tell whether the last run had the same specification, data and splits."""
    runs = store.runs()
    if not runs:
        return False
    with undamaged(store.path):
        spec = json.loads(runs[-1]["spec"])
        spec.pop("notes", None)  # follow from the data, and take time
    same = canonical(spec) == _record_of(plan)
    return same and store.planned(runs[-1]["id"]) == _planned_splits(plan.design)


def _record_of(plan: Plan) -> str:
    """Write the record of a run as JSON: file and text of the specification, names and keys.

    If pipelines are tried on some data sets only, ``tried`` has the positions for each. If only a
    shard is run, ``shard`` has its position and the number of shards.
    """
    experiment, design = plan.experiment, plan.design
    tried = _tried(design)
    path = experiment.spec.path
    return canonical(
        {
            "file": str(path.absolute()) if path else None,
            "text": path.read_text(encoding="utf-8") if path else _written(experiment),
            "name": design.name,
            "datasets": [[one.label, one.key] for one in design.datasets],
            "pipelines": [[one.label, one.key] for one in design.pipelines],
            "evaluation": dict(design.evaluation),
            **({"tried": tried} if tried else {}),
            **({"shard": list(plan.shard)} if plan.shard else {}),
        }
    )


def _tried(design: Design) -> list[list[int]] | None:
    """Positions of the data sets of each pipeline; None if each is tried on all."""
    pairs = {(cell.pipeline, cell.dataset) for cell in design.cells}
    if len(pairs) == len(design.pipelines) * len(design.datasets):
        return None
    return [sorted(d for p, d in pairs if p == column) for column in range(len(design.pipelines))]


def _written(experiment: Experiment) -> str:
    """Write an experiment that was described in Python."""
    return canonical(
        {
            "experiment": {"name": experiment.name, "seed": experiment.seed},
            "datasets": experiment.datasets,
            "pipelines": experiment.pipelines,
            "evaluation": experiment.evaluation,
            "run": experiment.run,
        }
    )


def _planned_splits(design: Design) -> list[tuple[int, int, int, int, str]]:
    """Data set, number, repeat, fold and key of each split, in order."""
    splits = (
        (cell.dataset, cell.split, cell.repeat, cell.fold, cell.split_key) for cell in design.cells
    )
    return list(dict.fromkeys(splits))


def recorded_design(store: Store, experiment: str | None = None) -> Design:
    """Read the design of the last run, of any experiment or of the named one.

    Raises
    ------
    StoreError
        If nothing was run yet, or there is no such experiment.
    """
    runs = store.runs()
    if not runs:
        raise StoreError(f"{store.path}: holds no run yet")
    run = {run["name"]: run for run in runs}.get(experiment) if experiment else runs[-1]
    if run is None:
        known = list(dict.fromkeys(str(run["name"]) for run in runs))
        hint = ilk.did_you_mean(str(experiment), known)
        raise StoreError(
            f"{store.path}: holds no experiment {experiment!r}{hint} (there are: "
            f"{', '.join(known)})"
        )
    if not store.planned(run["id"]) and run is not runs[-1]:
        raise StoreError(
            f"{store.path}: an older ilk stored only the cells of the experiment {run['name']!r}; "
            f"run it again to see its tables, which fits no finished cell again"
        )
    with undamaged(store.path):
        return _design(store, run)


def _design(store: Store, run: Mapping[str, Any]) -> Design:
    seed, record = int(run["seed"]), json.loads(run["spec"])
    pipelines = tuple(Named(*pair) for pair in record["pipelines"])
    datasets = tuple(Named(*pair) for pair in record["datasets"])
    assert datasets, "no data set"
    assert pipelines, "no pipeline"
    names = [text for named in (*datasets, *pipelines) for text in (named.label, named.key)]
    assert all(isinstance(text, str) for text in names), "a name that is no text"
    evaluation = record["evaluation"]
    for table in (evaluation["resampling"], *evaluation["measures"], *evaluation["comparisons"]):
        table["use"]  # raises KeyError for a damaged record, before it is built
    tried = record.get("tried") or [range(len(datasets))] * len(pipelines)
    cells = tuple(
        Cell(dataset, number, column, repeat, fold, cell_key(pipeline.key, split, seed), split)
        for *numbers, split in store.planned(run["id"])
        for dataset, number, repeat, fold in (map(int, numbers),)
        for column, pipeline in enumerate(pipelines)
        if dataset in tried[column]
    )
    return Design(record["name"], seed, store.path, datasets, pipelines, cells, evaluation)


def recorded_shard(store: Store) -> Shard | None:
    """Read which shard the last run had; None: it had all cells."""
    with undamaged(store.path):
        shard = json.loads(store.runs()[-1]["spec"]).get("shard")
        return None if shard is None else checked_shard(shard)


def recorded_notes(store: Store, experiment: str) -> dict[str, list[str]]:
    """Read the notes on the data sets of the last run of an experiment, by label."""
    with undamaged(store.path):
        runs = [run for run in store.runs() if run["name"] == experiment]
        notes = json.loads(runs[-1]["spec"]).get("notes", {}) if runs else {}
        return {str(label): [str(text) for text in texts] for label, texts in notes.items()}


def data_notes(plan: Plan) -> dict[str, list[str]]:
    """Notes on data sets by label: guesses of readers, doubts about values, classes of splits."""
    read = {one.label for one in read_from_files(plan)}
    notes = {}
    for position, planned in enumerate(plan.datasets):
        about = list(split_notes(plan, position))
        if planned.label in read:
            about = [*planned.data.notes, *warnings_of(planned.data), *about]
        if about:
            notes[planned.label] = about
    return notes


def read_from_files(plan: Plan) -> list[PlannedData]:
    """The data sets that were read from files, so that something may have been guessed."""
    pairs = zip(plan.experiment.datasets, plan.datasets, strict=True)
    return [planned for given, planned in pairs if planned.data.notes or _has_path(given)]


def _has_path(dataset: Any) -> bool:
    """Tell whether a table, or a data set given as an object, names a file."""
    return "path" in dataset if isinstance(dataset, dict) else hasattr(dataset, "path")


_MOST_MISSING = 3
_NEAR = 0.05


def split_notes(plan: Plan, position: int) -> Iterator[str]:
    """Note classes missing from parts of splits, and the shares of cases, of grouped data."""
    data = plan.datasets[position].data
    if data.groups is None:
        return
    labels = np.zeros(len(data)) if data.task == "regression" else data.y
    classes, codes = np.unique(labels, return_inverse=True)
    missing: Counter[tuple[str, int]] = Counter()
    shares = []
    for split in islice(plan.splits(position), 0, None, plan.design.n_sizes):
        shares.append(len(split.test) / (len(split.train) + len(split.test)))
        for part, rows in (("training", split.train), ("test", split.test)):
            counts = np.bincount(codes[rows], minlength=len(classes))
            missing.update((part, code) for code in np.flatnonzero(counts == 0).tolist())
    why = _why_missing(whole_parts(plan.resampling))
    for (part, code), number in missing.most_common(_MOST_MISSING):
        yield (
            f"class {classes.item(code)!r} is missing from the {part} part of {number} of "
            f"{len(shares)} splits: {why}"
        )
    if len(missing) > _MOST_MISSING:
        yield f"{len(missing) - _MOST_MISSING} more classes are missing from parts of splits"
    wanted = _test_share(whole_parts(plan.resampling))
    if wanted < 1 and max(abs(s - wanted) for s in shares) > _NEAR:
        low, high = min(shares), max(shares)
        got = f"{low:.2f}" if high - low < _NEAR / 10 else f"{low:.2f} to {high:.2f}"
        yield (
            f"{wanted:.2g} of the groups are tested, which differ in size: the test parts hold "
            f"{got} of the cases"
        )


def _why_missing(resampling: ilk.Resampling) -> str:
    if resampling.uses_classes:
        return "its cases are in too few groups"
    remedy = (
        "set stratify = true" if "stratify" in resampling.parameters else "take stratified_kfold"
    )
    return f"{ilk.display_name(resampling)} divides groups without regard to classes; {remedy}"


def _test_share(resampling: ilk.Resampling) -> float:
    """The share of groups that is tested; 1 if a resampling has no such parameter."""
    sizes = getattr(resampling, "sizes", None)
    if sizes is not None:
        return float(sizes[-1] / sum(sizes))
    return float(getattr(resampling, "test_size", 1.0))


def environment_here() -> dict[str, Any]:
    """The environment of this process: Python, libraries, distributions of ilk, machine."""
    libraries = ("loky", "numpy", "pandas", "scikit-learn", "scipy", "threadpoolctl")
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": platform.node(),
        "processors": os.cpu_count(),
        "versions": {**{name: version(name) for name in libraries}, **ilk.installed()},
    }
