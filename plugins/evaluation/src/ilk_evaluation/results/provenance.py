"""Provenance of the predictions in a store: runs, versions, machine, data and pipelines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ilk_evaluation.plan.shards import shard_name
from ilk_evaluation.run.database import undamaged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ilk_evaluation.run.store import Store


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


def lines(record: Mapping[str, Any]) -> Iterator[str]:
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
