"""The design of an experiment: its data sets, pipelines, cells and evaluation, by name and key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import ilk
from ilk_evaluation.resamplings.learning_curve import LearningCurveSplits

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cell:
    """One pipeline fitted and tested on one split of one data set.

    Attributes
    ----------
    dataset, split, pipeline : int
        Positions in the design.
    repeat, fold : int
        Position of the split in its resampling scheme.
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


@dataclass(frozen=True, slots=True)
class Named:
    """A data set or a pipeline: its name in tables and the hash of its content."""

    label: str
    key: str


@dataclass(frozen=True)
class Design:
    """The data sets, pipelines and cells of an experiment, and its evaluation.

    A plan has a design, and a store keeps the latest one: results need neither file nor data.

    Attributes
    ----------
    name : str
    seed : int
    store : Path or None
    datasets, pipelines : tuple of Named
        In the order of the tables.
    cells : sequence of Cell
        By data set, then split, then pipeline.
    evaluation : mapping
        Canonical tables: resampling, measures, comparisons.
    """

    name: str
    seed: int
    store: Path | None
    datasets: tuple[Named, ...]
    pipelines: tuple[Named, ...]
    cells: Sequence[Cell]
    evaluation: Mapping[str, Any]

    @cached_property
    def resampling(self) -> ilk.Resampling:
        """The scheme that turns the scores of splits into estimates."""
        return ilk.build(self.evaluation["resampling"], kind="resampling")  # type: ignore[no-any-return]  # Any

    @cached_property
    def measures(self) -> dict[str, ilk.Measure]:
        """Measures by their label in tables; the first ranks."""
        return _labelled(self.evaluation["measures"], "measure")

    @cached_property
    def comparisons(self) -> dict[str, ilk.Comparison]:
        """Comparisons by their label."""
        return _labelled(self.evaluation["comparisons"], "comparison")

    @cached_property
    def partial(self) -> dict[str, list[str]]:
        """Pipelines that are planned on some of the data sets only, and these data sets.

        Ranks and comparisons leave them out. Empty if fewer than two others would remain.
        """
        tried: dict[int, set[int]] = {}
        for cell in self.cells:
            tried.setdefault(cell.pipeline, set()).add(cell.dataset)
        every = set().union(*tried.values())
        some = {pipeline: sets for pipeline, sets in tried.items() if sets != every}
        if len(tried) - len(some) < 2:
            return {}
        return {
            self.pipelines[at].label: [self.datasets[row].label for row in sorted(some[at])]
            for at in sorted(some)
        }

    @property
    def n_sizes(self) -> int:
        """Number of training sizes of each split; above 1 with the resampling learning_curve."""
        return self.resampling.n_sizes if isinstance(self.resampling, LearningCurveSplits) else 1

    def at_size(self, position: int) -> Design:
        """Return the design at one training size, as if the resampling gave no other.

        Parameters
        ----------
        position : int
            0 is the whole training part, which tables, ranks and comparisons are about.
        """
        n = self.n_sizes
        if n == 1:
            return self
        cells = [
            replace(cell, split=cell.split // n, fold=cell.fold // n)
            for cell in self.cells
            if cell.split % n == position
        ]
        given = {**self.evaluation, "resampling": self.evaluation["resampling"]["resampling"]}
        return replace(self, cells=cells, evaluation=given)

    @property
    def n_cells(self) -> int:
        """Number of distinct cells: equal pipelines under two names share their cells."""
        return len({cell.key for cell in self.cells})

    def dataset(self, cell: Cell) -> str:
        """Label of the data set of a cell."""
        return self.datasets[cell.dataset].label

    def pipeline(self, cell: Cell) -> str:
        """Label of the pipeline of a cell."""
        return self.pipelines[cell.pipeline].label

    def place(self, cell: Cell) -> tuple[str, str, int, int]:
        """Data set, pipeline, repeat and fold of a cell."""
        return self.dataset(cell), self.pipeline(cell), cell.repeat, cell.fold

    def with_measures(self, tables: Iterable[Any], *, only: bool = False) -> Design:
        """Return the design with more measures, or with these only; duplicates are dropped."""
        measures = [] if only else list(self.evaluation["measures"])
        measures += [table for table in tables if table not in measures]
        return replace(self, evaluation={**self.evaluation, "measures": measures})

    def part(self, datasets: Sequence[str], pipelines: Sequence[str], cells: Any) -> Design:
        """Return the design cut down to some data sets, pipelines and cells.

        Parameters
        ----------
        datasets, pipelines : sequence of str
            Labels, in the order of the new design.
        cells : function
            Tells whether to include a cell.
        """
        rows, row_at = _chosen(self.datasets, datasets)
        columns, column_at = _chosen(self.pipelines, pipelines)
        selected = [
            replace(cell, dataset=row_at[cell.dataset], pipeline=column_at[cell.pipeline])
            for cell in self.cells
            if cell.dataset in row_at and cell.pipeline in column_at and cells(cell)
        ]
        selected.sort(key=lambda cell: (cell.dataset, cell.split, cell.pipeline))
        return replace(self, datasets=rows, pipelines=columns, cells=selected)


def _chosen(
    named: Sequence[Named], labels: Sequence[str]
) -> tuple[tuple[Named, ...], dict[int, int]]:
    """Return the chosen items, and a map from old position to new."""
    at = {one.label: position for position, one in enumerate(named)}
    positions = [at[label] for label in labels]
    new = {old: position for position, old in enumerate(positions)}
    return tuple(named[position] for position in positions), new


def distinct(names: Iterable[str]) -> list[str]:
    """Number the second and later of equal names: ``csv``, ``csv (2)``."""
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        seen[name] += 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result


def _labelled(tables: Sequence[Mapping[str, Any]], kind: str) -> dict[str, Any]:
    labels = distinct(table["use"] for table in tables)
    return {label: ilk.build(table, kind=kind) for label, table in zip(labels, tables, strict=True)}


LONG = 60
"""Characters; a longer list is shown as its number of items."""


def short_resampling(design: Design) -> str:
    """Write the resampling with its numbers and the parameters that differ from their defaults."""
    chosen = ilk.to_spec(design.resampling)
    given = design.evaluation["resampling"]
    return short(
        {
            key: value
            for key, value in given.items()
            if key in chosen or (isinstance(value, int | float) and not isinstance(value, bool))
        }
    )


def short(component: object) -> str:
    """Write a component as ``knn(k=3, distance=manhattan)``."""
    if isinstance(component, Mapping):
        inside = ", ".join(
            f"{k}={short(v)}" for k, v in component.items() if k not in {"use", "object"}
        )
        name = str(component.get("use", "pipeline" if "steps" in component else ""))
        return f"{name}({inside})" if inside else name
    if isinstance(component, list | tuple):
        inside = ", ".join(map(short, component))
        return f"[{inside}]" if len(inside) <= LONG else f"[{len(component)} items]"
    return str(component)
