"""The plan of an experiment: its data, pipelines and splits, and the cells they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ilk
from ilk_evaluation.experiments.keys import (
    FORMAT,
    canonical,
    code_versions,
    digest,
    seed_from,
    split_key,
)
from ilk_evaluation.experiments.reading import Experiment, Source, read


@dataclass(frozen=True)
class PlannedPipeline:
    """A pipeline to try: the object, never fitted itself, and what it is made of."""

    id: str
    pipeline: ilk.Pipeline
    spec: str
    versions: str
    key: str


@dataclass(frozen=True)
class PlannedData:
    """A data set to try pipelines on, and how many splits there are of it."""

    label: str
    data: ilk.Data
    n_splits: int

    @property
    def n_features(self) -> int:
        """Number of columns; 0 where the cases are no rows of a table."""
        shape: Any = getattr(self.data.X, "shape", ())
        return len(self.data.feature_names) or (int(shape[1]) if len(shape) > 1 else 0)


@dataclass(frozen=True, slots=True)
class Cell:
    """One pipeline fitted and tested on one split of one data set.

    Attributes
    ----------
    dataset, split, pipeline : int
        Positions in the plan.
    repeat, fold : int
        Where the split stands in its scheme.
    key, split_key : str
        Content hashes.
    """

    dataset: int
    split: int
    pipeline: int
    repeat: int
    fold: int
    key: str
    split_key: str


@dataclass(frozen=True)
class Plan:
    """Everything an experiment will do; nothing is fitted or written yet.

    Attributes
    ----------
    experiment : Experiment
    datasets : tuple of PlannedData
    pipelines : tuple of PlannedPipeline
    resampling, executor : components
    measures, comparisons : mapping of str to component
        By the label they have in tables.
    cells : tuple of Cell
        By data set, then split, then pipeline.
    """

    experiment: Experiment
    datasets: tuple[PlannedData, ...]
    pipelines: tuple[PlannedPipeline, ...]
    resampling: ilk.Resampling
    executor: ilk.Executor
    measures: dict[str, ilk.Measure]
    comparisons: dict[str, ilk.Comparison]
    cells: tuple[Cell, ...]

    @property
    def store(self) -> Path | None:
        """Where predictions are kept, or None where nothing outlives the process."""
        return self.experiment.store

    def splits(self, dataset: int) -> Iterator[ilk.Split]:
        """Yield the splits of a data set, the same each time."""
        return _splits(self.resampling, self.datasets[dataset].data, self.experiment.seed)

    def cell_seed(self, cell: Cell) -> int:
        """Random state of a cell: from seed, data and split, so that pipelines share it."""
        return seed_from("cell", self.experiment.seed, cell.split_key)


def plan_experiment(source: Source, *, store: str | Path | None = None) -> Plan:
    """Resolve and check an experiment and load its data.

    Parameters
    ----------
    source : path, dict or ilk.Spec
        A TOML file, or tables of the same grammar.
    store : path, optional
        Takes the place of ``[output] store``.

    Raises
    ------
    ilk.SpecError
        With everything that is wrong with the specification or the data.
    """
    experiment = read(source, store)
    evaluation = experiment.evaluation
    resampling = ilk.build(evaluation["resampling"], kind="resampling")
    loaded = _load(experiment)
    pipelines = tuple(_pipeline(table) for table in experiment.pipelines)
    cells, counts = _cells(experiment, resampling, loaded, pipelines)
    labels = distinct(data.name for data in loaded)
    return Plan(
        experiment,
        tuple(map(PlannedData, labels, loaded, counts)),
        pipelines,
        resampling,
        ilk.build(experiment.run["executor"], kind="executor"),
        _labelled(evaluation["measures"], "measure"),
        _labelled(evaluation["comparisons"], "comparison"),
        cells,
    )


def distinct(names: Iterable[str]) -> list[str]:
    """Number the second and later of equal names: ``csv``, ``csv (2)``."""
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        seen[name] += 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result


def _labelled(tables: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    labels = distinct(table["use"] for table in tables)
    return {label: ilk.build(table, kind=kind) for label, table in zip(labels, tables, strict=True)}


def _pipeline(table: dict[str, Any]) -> PlannedPipeline:
    resolved = ilk.resolve({"steps": table["steps"]}, kind="classifier")
    pipeline = ilk.build(resolved.data, kind="classifier")
    spec = canonical(resolved.data["steps"])
    versions = canonical(code_versions(pipeline, resolved.versions))
    return PlannedPipeline(table["id"], pipeline, spec, versions, digest(spec, versions))


def _load(experiment: Experiment) -> list[ilk.Data]:
    """Load and check every data set."""
    loaded, problems = [], []
    for position, table in enumerate(experiment.datasets):
        try:
            loaded.append(_checked(ilk.build(table, kind="dataset")))
        except ilk.IlkError as error:
            problems.append(ilk.Problem(("datasets", position), str(error)))
    if problems:
        raise experiment.error(*problems)
    return loaded


def _checked(dataset: ilk.Dataset) -> ilk.Data:
    data = dataset.load()
    classes = data.classes
    if len(classes) < 2:
        only = f" ({classes.tolist()[0]!r})" if len(classes) else ""
        raise ilk.DataError(
            f"{dataset.title()}: has {len(classes)} class{only}; a classifier needs at least two"
        )
    return replace(data, name=dataset.title())


def _splits(resampling: ilk.Resampling, data: ilk.Data, seed: int) -> Iterator[ilk.Split]:
    state = seed_from("splits", seed, data.fingerprint)
    return resampling.splits(data.X, data.y, data.groups, random_state=state)


def _cells(
    experiment: Experiment,
    resampling: ilk.Resampling,
    loaded: list[ilk.Data],
    pipelines: tuple[PlannedPipeline, ...],
) -> tuple[tuple[Cell, ...], list[int]]:
    """Return the cells, and the number of splits of each data set."""
    cells: list[Cell] = []
    counts, problems = [], []
    for position, data in enumerate(loaded):
        before = len(cells)
        try:
            for number, split in enumerate(_splits(resampling, data, experiment.seed)):
                key = split_key(data.fingerprint, split)
                place = (split.repeat, split.fold)
                for column, planned in enumerate(pipelines):
                    own = digest(FORMAT, planned.key, key, experiment.seed)
                    cells.append(Cell(position, number, column, *place, own, key))
        except ilk.IlkError as error:
            where = ("evaluation", "resampling")
            problems.append(ilk.Problem(where, f"cannot split {data.name}: {error}"))
        counts.append((len(cells) - before) // len(pipelines))
    if problems:
        raise experiment.error(*problems)
    return tuple(cells), counts
