"""The plan of an experiment: its data, pipelines, splits and cells."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import ilk
from ilk_evaluation.plan.design import Cell, Design, Named, distinct
from ilk_evaluation.plan.experiment_file import Experiment, Source, read
from ilk_evaluation.plan.keys import (
    canonical,
    cell_key,
    code_versions,
    digest,
    plain_names,
    seed_from,
    split_key,
)
from ilk_evaluation.plan.predictors import prepared
from ilk_evaluation.plan.shards import Shard, cells_of, checked_shard
from ilk_evaluation.resamplings.learning_curve import whole_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ilk_evaluation.plan.expansion import Expanded

KEPT_BYTES = 64 * 2**20
"""Bytes of memory for the splits of a plan; splits beyond that are drawn a second time."""
MOST_CELLS = 1_000_000
"""Upper limit of a plan: more cells would take minutes and a gigabyte to plan."""


@dataclass(frozen=True)
class PlannedPipeline:
    """A pipeline to try: the object, which is only cloned and never fitted, and its spec.

    It is tried on all data sets, or on the data sets whose labels are in `only`.
    """

    id: str
    only: frozenset[str] | None
    pipeline: ilk.Pipeline
    spec: str
    versions: str
    key: str


@dataclass(frozen=True)
class PlannedData:
    """A data set to try pipelines on, and its number of splits."""

    label: str
    data: ilk.Data
    n_splits: int

    @property
    def n_features(self) -> int:
        """Number of columns; 0 where the cases are not rows of a table."""
        shape: Any = getattr(self.data.X, "shape", ())
        return len(self.data.feature_names) or (int(shape[1]) if len(shape) > 1 else 0)


@dataclass(frozen=True)
class Plan:
    """All the work of an experiment; nothing is fitted or written yet.

    Attributes
    ----------
    experiment : Experiment
    design : Design
    datasets : tuple of PlannedData
    pipelines : tuple of PlannedPipeline
    resampling, executor : components
    kept : mapping of int to tuple of ilk.Split
        Splits by the position of their data set, if they take little memory.
    shard : (int, int) or None
        Position and number of parts, if only a part is run; None: run all.
    share : bool
        Whether steps with which several pipelines begin are fitted once for each split.
    """

    experiment: Experiment
    design: Design
    datasets: tuple[PlannedData, ...]
    pipelines: tuple[PlannedPipeline, ...]
    resampling: ilk.Resampling
    executor: ilk.Executor
    kept: Mapping[int, tuple[ilk.Split, ...]] = field(default_factory=dict, repr=False)
    shard: tuple[int, int] | None = None
    share: bool = True

    @property
    def cells(self) -> tuple[Cell, ...]:
        """By data set, then split, then pipeline."""
        return tuple(self.design.cells)

    @property
    def n_cells(self) -> int:
        """Number of distinct cells to run: all cells, or the cells of the shard."""
        return len(cells_of(self.design, self.shard))

    @property
    def store(self) -> Path | None:
        """The file for predictions; None: a temporary store, removed with the process."""
        return self.experiment.store

    def splits(self, dataset: int) -> Iterator[ilk.Split]:
        """Yield the splits of a data set, the same each time."""
        if dataset in self.kept:
            return iter(self.kept[dataset])
        return splits_of(self.resampling, self.datasets[dataset].data, self.experiment.seed)

    def cell_seed(self, cell: Cell) -> int:
        """Random state of a cell: derived from seed, data and split, so that pipelines share it."""
        return seed_from("cell", self.experiment.seed, cell.split_key)


def plan_experiment(source: Source, *, store: str | Path | None = None, trust: bool = True) -> Plan:
    """Resolve and check an experiment and load its data.

    Parameters
    ----------
    source : path, dict or ilk.Spec
        A TOML file, or tables of the same grammar.
    store : path, optional
        Replaces ``[output] store``.
    trust : bool, default=True
        Whether a file may name the address of an executor, and a store outside its own and the
        working folder; ``ilk run`` passes False by default.

    Raises
    ------
    ilk.SpecError
        Listing all problems of the specification and the data.
    """
    experiment = read(source, store, trust=trust)
    resolved = experiment.resolved
    resampling = ilk.build(resolved.part("evaluation", "resampling"), kind="resampling")
    loaded = _load(experiment)
    pipelines = tuple(
        _pipeline(table, resolved.part("pipelines", position, "steps"))
        for position, table in enumerate(experiment.pipelines)
    )
    labels = distinct(data.name for data in loaded)
    titles = Counter(data.name for data in loaded)
    _check_chosen(experiment, labels, repeated={name for name, n in titles.items() if n > 1})
    _check_comparisons(experiment, resampling)
    _check_views(experiment, labels, loaded, pipelines)
    drawn = _Drawn(experiment, resampling, labels, loaded, pipelines)
    fingerprints = (data.fingerprint for data in loaded)
    return Plan(
        experiment,
        Design(
            experiment.name,
            experiment.seed,
            experiment.store,
            tuple(map(Named, labels, fingerprints)),
            tuple(Named(pipeline.id, pipeline.key) for pipeline in pipelines),
            tuple(drawn.cells),
            experiment.evaluation,
        ),
        tuple(map(PlannedData, labels, loaded, drawn.counts)),
        pipelines,
        resampling,
        ilk.build(resolved.part("run", "executor"), kind="executor"),
        drawn.kept,
        share=experiment.run["share"],
    )


def choose_pipeline(experiment: Experiment, wanted: str | None) -> PlannedPipeline:
    """Return the pipeline of an id; None: the only one.

    Raises
    ------
    InputError
        If there is no such pipeline, or there are several and none is wanted.
    """
    ids = [table["id"] for table in experiment.pipelines]
    position = _position("pipeline", ids, wanted)
    steps = experiment.resolved.part("pipelines", position, "steps")
    return _pipeline(experiment.pipelines[position], steps)


def choose_data(experiment: Experiment, wanted: str | None) -> tuple[ilk.Dataset, ilk.Data]:
    """Load the data set of a label, as in the tables, and return both; None: the only one.

    The name of the data is the label.

    Raises
    ------
    InputError
        If there is no such data set, or there are several and none is wanted.
    SpecError
        If it cannot be loaded.
    """
    built = [ilk.build(table, kind="dataset") for table in experiment.datasets]
    titles = experiment.spec.titles
    labels = distinct(titles.get(at, dataset.title()) for at, dataset in enumerate(built))
    position = _position("data set", labels, wanted)
    data = _load(experiment, position)[0]
    return built[position], replace(data, name=labels[position])


def built_datasets(spec: Expanded) -> Iterator[tuple[str, ilk.Dataset]]:
    """Build the data sets of a specification, whose other tables may be absent or wrong.

    Yields
    ------
    (str, ilk.Dataset)
        The title that the specification gives it, empty without one, and the data set.
    """
    grammar = ilk.Table(
        {"datasets": ilk.Param(slot="dataset", many=list)}, required=("datasets",), others=True
    )
    for position, table in enumerate(ilk.resolve(spec, grammar=grammar).data["datasets"]):
        yield spec.titles.get(position, ""), ilk.build(table, kind="dataset")


def _position(what: str, known: list[str], wanted: str | None) -> int:
    there = f"(there are: {', '.join(known)})"
    if wanted is None and len(known) > 1:
        raise ilk.InputError(f"say which {what} with --{what.replace(' ', '')} {there}")
    if wanted is not None and wanted not in known:
        hint = ilk.did_you_mean(wanted, known)
        raise ilk.InputError(f"there is no {what} {wanted!r}{hint} {there}")
    return 0 if wanted is None else known.index(wanted)


def _pipeline(table: dict[str, Any], steps: ilk.Resolved) -> PlannedPipeline:
    pipeline, code = built_pipeline(steps)
    spec, versions = canonical(steps.data), canonical(code)
    only = frozenset(table["datasets"]) if "datasets" in table else None
    key = digest(canonical(plain_names(steps.data)), versions)
    return PlannedPipeline(table["id"], only, pipeline, spec, versions, key)


def built_pipeline(steps: ilk.Resolved) -> tuple[ilk.Pipeline, dict[str, str]]:
    """Build the pipeline of resolved steps; return it with the versions of the code it runs."""
    own = ilk.registry("classifier").lookup("pipeline")
    pipeline = ilk.build(ilk.Resolved({"steps": steps.data}, {}), kind="classifier")
    return pipeline, code_versions(pipeline, {own.distribution: own.version, **steps.versions})


def _check_chosen(experiment: Experiment, labels: list[str], repeated: set[str]) -> None:
    """Check that pipelines name existing data sets, and that each data set has a pipeline.

    A title that several data sets have is refused: numbers by order would move with the file.
    """
    problems = []
    for position, table in enumerate(experiment.pipelines):
        for place, label in enumerate(table.get("datasets", ())):
            shared = next((title for title in repeated if _is_numbered(label, title)), None)
            if shared is not None:
                where = ("pipelines", position, "datasets", place)
                message = (
                    f"{label!r}: several data sets have the title {shared!r}, told apart by their "
                    f"order only; rename a file, or divide the experiment among two files"
                )
                problems.append(ilk.Problem(where, message))
            elif label not in labels:
                message = f"there is no data set {label!r}{ilk.did_you_mean(label, labels)}"
                full = f"{message} (there are: {', '.join(labels)})"
                problems.append(ilk.Problem(("pipelines", position, "datasets", place), full))
    tried = [table.get("datasets", labels) for table in experiment.pipelines]
    for position, label in enumerate(labels):
        if not problems and not any(label in chosen for chosen in tried):
            problems.append(
                ilk.Problem(("datasets", position), f"no pipeline is tried on {label!r}")
            )
    if problems:
        raise experiment.error(*problems)


def _is_numbered(label: str, title: str) -> bool:
    """Tell whether a label is a title, or this title with a number."""
    return re.fullmatch(rf"{re.escape(title)}(?: \(\d+\))?", label) is not None


def _check_comparisons(experiment: Experiment, resampling: ilk.Resampling) -> None:
    """Check that each comparison accepts the resampling and the pipelines of the experiment."""
    ids = [table["id"] for table in experiment.pipelines]
    problems = []
    for position in range(len(experiment.evaluation["comparisons"])):
        part = experiment.resolved.part("evaluation", "comparisons", position)
        misfit = ilk.build(part, kind="comparison").misfit(whole_parts(resampling), ids)
        if misfit is not None:
            problems.append(ilk.Problem(("evaluation", "comparisons", position), misfit))
    if problems:
        raise experiment.error(*problems)


def _check_views(
    experiment: Experiment,
    labels: list[str],
    loaded: list[ilk.Data],
    pipelines: tuple[PlannedPipeline, ...],
) -> None:
    """Check that data sets have views if a pipeline needs them."""
    problems = []
    for position, planned in enumerate(pipelines):
        if not ilk.uses_views(planned.pipeline):
            continue
        from sklearn.base import clone

        for label, data in zip(labels, loaded, strict=True):
            if planned.only is not None and label not in planned.only:
                continue
            try:
                ilk.with_views(clone(planned.pipeline), data.views)
            except ilk.IlkError as error:
                problems.append(ilk.Problem(("pipelines", position), f"{error}: {label}"))
    if problems:
        raise experiment.error(*problems)


def _load(experiment: Experiment, only: int | None = None) -> list[ilk.Data]:
    """Load and check every data set, or only the one at a position."""
    loaded, problems = [], []
    for position, table in enumerate(experiment.datasets):
        if only not in {None, position}:
            continue
        try:
            part = experiment.resolved.part("datasets", position)
            source = ilk.build(part, kind="dataset")
            data = prepared(source, experiment.predictor, experiment.evaluation)
            loaded.append(replace(data, name=experiment.spec.titles.get(position, data.name)))
        except ilk.IlkError as error:
            path = ("path",) if isinstance(table, dict) and table.get("path") else ()
            where = ("datasets", position, *path)
            problems.append(ilk.Problem(where, str(error)))
    if problems:
        raise experiment.error(*problems)
    return loaded


def splits_of(resampling: ilk.Resampling, data: ilk.Data, seed: int) -> Iterator[ilk.Split]:
    """Yield the splits of a data set in an experiment with a seed."""
    state = seed_from("splits", seed, data.fingerprint)
    return resampling.splits(data.X, data.y, data.groups, random_state=state)


class _Drawn:
    """The splits of every data set, drawn once: cells, numbers of splits, and cached splits."""

    def __init__(
        self,
        experiment: Experiment,
        resampling: ilk.Resampling,
        labels: list[str],
        loaded: list[ilk.Data],
        pipelines: tuple[PlannedPipeline, ...],
    ) -> None:
        self.seed = experiment.seed
        self.tried = [
            [
                (i, each)
                for i, each in enumerate(pipelines)
                if each.only is None or label in each.only
            ]
            for label in labels
        ]
        self.cells: list[Cell] = []
        self.counts: list[int] = []
        self.kept: dict[int, tuple[ilk.Split, ...]] = {}
        self._left = KEPT_BYTES
        self.least = resampling.at_least()
        problems = []
        for position, data in enumerate(loaded):
            try:
                self._draw(position, data, splits_of(resampling, data, self.seed))
            except ilk.IlkError as error:
                where = ("evaluation", "resampling")
                problems.append(ilk.Problem(where, f"cannot split {data.name}: {error}"))
        if problems:
            raise experiment.error(*problems)

    def _draw(self, position: int, data: ilk.Data, splits: Iterator[ilk.Split]) -> None:
        """Add the cells of a data set; cache its splits unless they grow too large."""
        tried = self.tried[position]
        self._bound(self.least * len(tried))
        cached: list[ilk.Split] | None = []
        left = self._left
        number = -1
        for number, split in enumerate(splits):
            key = split_key(data.fingerprint, split)
            place = (split.repeat, split.fold)
            self._bound(len(tried))
            for column, planned in tried:
                cell_hash = cell_key(planned.key, key, self.seed)
                self.cells.append(Cell(position, number, column, *place, cell_hash, key))
            rows = (split.train, split.test, split.validation)
            left -= sum(part.nbytes for part in rows if part is not None)
            if cached is not None and left >= 0:
                cached.append(split)
            else:
                cached = None
        self.counts.append(number + 1)
        if cached is not None:
            self.kept[position] = tuple(cached)
            self._left = left

    def _bound(self, more: int) -> None:
        """Refuse a plan that would grow beyond `MOST_CELLS` by more cells."""
        if len(self.cells) + more > MOST_CELLS:
            raise ilk.InputError(
                f"the plan would have more than {MOST_CELLS:,} cells; take fewer repeats, or "
                f"divide it among several files"
            )


def with_shard(plan: Plan, shard: Shard | None) -> Plan:
    """Return a plan that runs one shard only; None: all of it."""
    return plan if shard is None else replace(plan, shard=checked_shard(shard))
