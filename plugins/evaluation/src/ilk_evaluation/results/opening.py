"""Open the results of an experiment from its store alone, and describe their provenance."""

from __future__ import annotations

import json
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ilk
from ilk_evaluation.plan.design import distinct
from ilk_evaluation.plan.expansion import expand
from ilk_evaluation.plan.experiment_plan import built_datasets
from ilk_evaluation.plan.keys import objects_in
from ilk_evaluation.plan.predictors import prepared
from ilk_evaluation.plan.shards import shard_name
from ilk_evaluation.results.experiment_results import Results
from ilk_evaluation.run.database import StoreError, undamaged
from ilk_evaluation.run.run_record import recorded_design
from ilk_evaluation.run.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def results(
    path: str | Path, *, measures: Sequence[Any] | None = None, experiment: str | None = None
) -> Results:
    """Open the results of the last run that wrote into a store; nothing is fitted.

    Neither the experiment's file nor its data are needed. The whole store is first verified by its
    digests.

    Parameters
    ----------
    path : str or Path
        The SQLite file.
    measures : list of str, table or Measure, optional
        Replace the measures of the experiment; the first one ranks.
    experiment : str, optional
        Name of another experiment in the store; by default the experiment of the last run.

    Returns
    -------
    Results

    Raises
    ------
    StoreError
        If there is no such store, it is another kind of file, has another version or is damaged, or
        it does not hold the experiment.
    """
    with opened_results(Path(path), experiment) as opened:
        if measures is None:
            return opened
        if not measures:
            raise ilk.InputError("measures must name at least one, got an empty list")
        return opened.score(*measures, only=True)


@contextmanager
def opened_results(path: Path, experiment: str | None = None) -> Iterator[Results]:
    """Open the results in a store, and keep the store open for them until the end of the block."""
    with open_store(path) as store:
        store.verify()
        yield Results(recorded_design(store, experiment), store)


def open_store(path: Path) -> Store:
    """Open a store for reading; if there is none, the error names similar files.

    Raises
    ------
    StoreError
        Naming the nearest store.
    """
    if path.is_file() and path.suffix == ".toml":
        raise StoreError(f"{path}: is the description of an experiment; {_store_of(path)}")
    if not path.is_file():
        try:
            siblings = [other.name for other in path.parent.iterdir() if other.is_file()]
        except OSError:
            siblings = []
        hint = ilk.did_you_mean(path.name, siblings)
        what = "is a folder, not a store" if path.is_dir() else f"there is no such store{hint}"
        raise StoreError(f"{path}: {what}")
    return Store.read(path)


def default_store(file: Path) -> Path:
    """Return the store of an experiment file."""
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
        chosen = tables.get("output", {}).get("store")
    except (OSError, ValueError, AttributeError):
        chosen = None
    return file.parent / (chosen if isinstance(chosen, str) else f"results/{file.stem}.sqlite")


def _store_of(file: Path) -> str:
    store = default_store(file)
    return f"its store is {store}" if store.is_file() else f"run it first: ilk run {file}"


def load_again(results: Results, label: str) -> ilk.Data:
    """Load a data set of an experiment as the last run described it; its content must be the same.

    Parameters
    ----------
    results : Results
    label : str
        Of the data set, as in the tables.

    Raises
    ------
    InputError
        If it cannot be loaded, or has changed since.
    """
    (key,) = {one.key for one in results.design.datasets if one.label == label}
    if key in results.data:
        return results.data[key]
    with results.reading() as store, undamaged(store.path):
        runs = [run for run in store.runs() if run["name"] == results.design.name]
        record = json.loads(runs[-1]["spec"])
    try:
        data = _data_of(_described(record), results, label)
    except ilk.IlkError as error:
        why = str(error).partition("\n")[0]
        raise ilk.InputError(f"{label} cannot be loaded again: {why}") from error
    if data.fingerprint != key:
        raise ilk.InputError(f"{label} is no longer the data of the run: its content has changed")
    return data


def _described(record: dict[str, Any]) -> ilk.Spec:
    """Return the specification of a run; the paths in it are relative to the file it came from."""
    try:
        return ilk.Spec(json.loads(record["text"]))
    except ValueError:
        return ilk.Spec(tomllib.loads(record["text"]), Path(record["file"]))


def _data_of(described: ilk.Spec, results: Results, label: str) -> ilk.Data:
    """Load one of the data sets of a specification."""
    if objects_in(described.data["datasets"]):
        raise ilk.InputError("data were given as objects of Python, which the store does not hold")
    built = list(built_datasets(expand(described)[0]))
    labels = distinct(title or dataset.title() for title, dataset in built)
    if label not in labels:
        raise ilk.InputError("the experiment has no data set of this name any more")
    source = built[labels.index(label)][1]
    return prepared(source, results.predictor, results.design.evaluation)


def described_in(path: Path, experiment: str) -> str | None:
    """Return the experiment file of the last run of an experiment; None: described in Python."""
    with open_store(path) as store, undamaged(path):
        run = [run for run in store.runs() if run["name"] == experiment][-1]
        file: str | None = json.loads(run["spec"])["file"]
    return file


_ENVIRONMENT = ("python", "platform", "machine", "processors", "versions")


def provenance(store: Store, experiment: str | None = None) -> dict[str, Any]:
    """Return the provenance of all runs in a store, or of one experiment, as JSON values.

    Returns
    -------
    dict
        ``store``; ``runs`` (started, name, seed, file, text of the specification, shard, python,
        platform, machine, processors, versions, cells: how many of its outcomes the store still
        holds);
        ``datasets`` and ``pipelines`` of the last run, with their fingerprints and keys.
    """
    with undamaged(store.path):
        return _known(store, experiment)


def _known(store: Store, experiment: str | None) -> dict[str, Any]:
    runs = [run for run in store.runs() if experiment in {None, run["name"]}]
    cells = store.cells_by_run()
    last = json.loads(runs[-1]["spec"]) if runs else {"datasets": [], "pipelines": []}
    data, pipelines = store.datasets(), store.pipelines()
    return {
        "store": str(store.path),
        "runs": [_run(run, cells.get(run["id"], 0)) for run in runs],
        "datasets": [
            {"label": label, "fingerprint": key, **data[key]} for label, key in last["datasets"]
        ],
        "pipelines": [
            {"id": label, "key": key, **pipelines[key]} for label, key in last["pipelines"]
        ],
    }


def _run(run: Mapping[str, Any], n_cells: int) -> dict[str, Any]:
    record, environment = json.loads(run["spec"]), json.loads(run["environment"])
    return {
        "run": run["id"],
        "started": f"{run['started']} UTC",
        "name": run["name"],
        "seed": run["seed"],
        "file": record["file"],
        "text": record["text"],
        "evaluation": record["evaluation"],
        "shard": record.get("shard"),
        **{name: environment[name] for name in _ENVIRONMENT},
        "cells": n_cells,
    }


def provenance_lines(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the provenance as text; of later runs only the versions that changed."""
    yield f"store: {record['store']}"
    before: Mapping[str, str] = {}
    for run in record["runs"]:
        yield ""
        yield f"run {run['run']}: {run['name']}, seed {run['seed']}, {run['started']}"
        shard = f", {shard_name(run['shard'])}" if run["shard"] else ""
        yield f"  from      {run['file'] or 'Python'}{shard}"
        yield f"  on        {run['machine']}, {run['platform']}, {run['processors']} processors"
        versions = {"python": run["python"], **run["versions"]}
        changed = {name: v for name, v in versions.items() if before.get(name) != v}
        yield f"  versions  {_versions(changed) if changed else 'as in the run before'}"
        yield f"  cells     {run['cells']} in the store"
        before = versions
    yield ""
    yield "data sets of the last run"
    for data in record["datasets"]:
        target = f"{data['n_classes']} classes" if data["n_classes"] else "numeric target"
        size = f"{data['n_rows']} rows, {data['n_features']} features, {target}"
        yield f"  {data['label']}: {size}, fingerprint {data['fingerprint'][:16]}"
    yield ""
    yield "pipelines of the last run"
    for pipeline in record["pipelines"]:
        yield f"  {pipeline['id']}: {_versions(pipeline['versions'])}, key {pipeline['key'][:16]}"


def _versions(versions: Mapping[str, str]) -> str:
    """Write names and versions; the hash of a class registered by hand is shortened."""
    return ", ".join(f"{name} {version[:32]}" for name, version in versions.items())
