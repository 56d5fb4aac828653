"""Differences of two experiments: designs, cells, estimates."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    import ilk
    from ilk_evaluation.results.experiment_results import Results
    from ilk_evaluation.run.store import Store

Place = tuple[str, str, int, int]
"""Data set, pipeline, repeat, fold."""


@dataclass(frozen=True)
class Difference:
    """The differences of two experiments, A and B.

    Attributes
    ----------
    only : tuple of str
        Data sets, pipelines, splits and measures that only one of them has.
    changed : tuple of str
        Items of the same name but different content.
    cells : DataFrame
        One row per cell whose outcome differs: dataset, pipeline, repeat, fold, what.
    estimates : DataFrame
        One row per estimate that differs: dataset, pipeline, measure, a, b, difference (b - a).
    n_cells : int
        Number of cells in both.
    """

    only: tuple[str, ...]
    changed: tuple[str, ...]
    cells: pd.DataFrame
    estimates: pd.DataFrame
    n_cells: int

    def __bool__(self) -> bool:
        return bool(self.only or self.changed or len(self.cells) or len(self.estimates))


def compare(a: Results, b: Results, *, tolerance: float = 0.0) -> Difference:
    """Compare the designs and outcomes of two experiments; times do not count.

    Parameters
    ----------
    a, b : Results
    tolerance : float
        Estimates and probabilities that differ by at most this count as equal.
    """
    import pandas as pd

    cells, n_cells = _cells(a, b, tolerance)
    return Difference(
        tuple(_only(a, b)),
        tuple(_changed(a, b)),
        pd.DataFrame(cells, columns=["dataset", "pipeline", "repeat", "fold", "what"]),
        _estimates(a, b, tolerance),
        n_cells,
    )


def unlike_designs(a: Results, b: Results) -> list[str]:
    """List the differences of two designs, names aside; empty if equal."""
    differences = [*_only(a, b), *_changed(a, b)]
    one, other = a.design, b.design
    for part in ("measures", "comparisons"):
        if not differences and one.evaluation[part] != other.evaluation[part]:
            differences.append(
                f"{part}: {_unlike(one.evaluation[part], other.evaluation[part]) or '-'}"
            )
    if not differences and [cell.key for cell in one.cells] != [cell.key for cell in other.cells]:
        differences.append("the order of data sets and pipelines, or which are tried on which")
    return differences


def _only(a: Results, b: Results) -> Iterator[str]:
    """Name the items that only one of the two has."""
    for what, one, other in (
        ("data set", _named(a, "datasets"), _named(b, "datasets")),
        ("pipeline", _named(a, "pipelines"), _named(b, "pipelines")),
        ("measure", a.design.measures, b.design.measures),
    ):
        yield from (f"{what} {name!r} only in A" for name in one if name not in other)
        yield from (f"{what} {name!r} only in B" for name in other if name not in one)
    for dataset in _shared(_named(a, "datasets"), _named(b, "datasets")):
        ours, theirs = _splits(a, dataset), _splits(b, dataset)
        for name, number in (("A", len(ours - theirs)), ("B", len(theirs - ours))):
            if number:
                yield f"{number} splits of {dataset!r} only in {name}"


def _named(results: Results, what: str) -> dict[str, str]:
    return {one.label: one.key for one in getattr(results.design, what)}


def _shared(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    return [name for name in one if name in other]


def _splits(results: Results, dataset: str) -> set[tuple[int, int]]:
    design = results.design
    return {(cell.repeat, cell.fold) for cell in design.cells if design.dataset(cell) == dataset}


def _changed(a: Results, b: Results) -> Iterator[str]:
    """List the items of equal name but different content."""
    if a.design.seed != b.design.seed:
        yield f"seed: {a.design.seed} in A, {b.design.seed} in B"
    ours, theirs = _named(a, "datasets"), _named(b, "datasets")
    for name in _shared(ours, theirs):
        if ours[name] != theirs[name]:
            content = f"{ours[name][:8]} in A, {theirs[name][:8]} in B"
            yield f"data set {name!r}: other content ({content})"
    ours, theirs = _named(a, "pipelines"), _named(b, "pipelines")
    with a.reading() as one, b.reading() as other:
        for name in _shared(ours, theirs):
            if ours[name] != theirs[name]:
                yield f"pipeline {name!r}: {_reason(one, ours[name], other, theirs[name])}"
    if a.design.evaluation["resampling"] != b.design.evaluation["resampling"]:
        yield "resampling: " + _unlike(
            a.design.evaluation["resampling"], b.design.evaluation["resampling"]
        )


def _reason(one: Store, ours: str, other: Store, theirs: str) -> str:
    """Explain why two pipelines have different keys."""
    a, b = one.pipelines()[ours], other.pipelines()[theirs]
    parts = [_unlike(a["spec"], b["spec"]), _unlike(a["versions"], b["versions"])]
    return ", ".join(part for part in parts if part)


def _unlike(a: Any, b: Any, path: str = "") -> str:
    """Write the values that differ, each with its path."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        keys = list(dict.fromkeys((*a, *b)))
        inner = (_unlike(a.get(key), b.get(key), f"{path}.{key}".lstrip(".")) for key in keys)
        return ", ".join(part for part in inner if part)
    if (
        isinstance(a, Sequence)
        and isinstance(b, Sequence)
        and len(a) == len(b)
        and not isinstance(a, str)
    ):
        inner = (_unlike(x, y, f"{path}[{i}]") for i, (x, y) in enumerate(zip(a, b, strict=True)))
        return ", ".join(part for part in inner if part)
    return "" if a == b else f"{path} {json.dumps(a)} in A, {json.dumps(b)} in B".strip()


def _cells(a: Results, b: Results, tolerance: float) -> tuple[list[tuple[Any, ...]], int]:
    """Compare the common cells, one pair in memory at a time."""
    theirs = {b.design.place(cell): cell for cell in b.design.cells}
    rows: list[tuple[Any, ...]] = []
    shared = 0
    with a.reading() as one, b.reading() as other:
        statuses = one.statuses(), other.statuses()
        for cell in a.design.cells:
            place = a.design.place(cell)
            if place not in theirs:
                continue
            shared += 1
            keys = cell.key, theirs[place].key
            states = [known.get(key, "missing") for known, key in zip(statuses, keys, strict=True)]
            if states[0] != states[1]:
                rows.append((*place, f"{states[0]} in A, {states[1]} in B"))
            elif states[0] in {"done", "fallback"}:
                what = _unlike_predictions(
                    one.prediction(keys[0]), other.prediction(keys[1]), tolerance
                )
                if what:
                    rows.append((*place, what))
    return rows, shared


def _unlike_predictions(a: ilk.Prediction, b: ilk.Prediction, tolerance: float) -> str:
    """Describe how two predictions differ; empty if they are equal."""
    if not np.array_equal(a.indices, b.indices):
        return "other test cases"
    if not np.array_equal(a.classes, b.classes):
        return "other classes"
    if not np.array_equal(a.truth, b.truth):
        return "another truth"
    if a.predictor == b.predictor == "regressor":
        gap = float(np.abs(a.labels - b.labels).max(initial=0.0))
        return f"numbers by up to {gap:.2g}" if gap > tolerance else ""
    unlike = (a.labels != b.labels) | (a.rejected != b.rejected)
    if unlike.any():
        return f"{int(unlike.sum())} of {len(a)} labels"
    for name in ("probabilities", "scores"):
        one, other = getattr(a, name), getattr(b, name)
        if (one is None) != (other is None):
            return f"{name} only in {'A' if other is None else 'B'}"
        if one is None or np.array_equal(one, other, equal_nan=True):
            continue
        with np.errstate(invalid="ignore"):  # both infinite: the same
            gap = np.nanmax(np.where(one == other, 0.0, np.abs(one - other)))
        if gap > tolerance:
            return f"{name} by up to {gap:.2g}"
    return ""


def _estimates(a: Results, b: Results, tolerance: float) -> pd.DataFrame:
    """The differing estimates of common rows and measures."""
    import pandas as pd

    measures = [
        name
        for name in _shared(a.design.measures, b.design.measures)
        if a.design.measures[name].needs != "seconds"
    ]
    datasets = _shared(_named(a, "datasets"), _named(b, "datasets"))
    pipelines = _shared(_named(a, "pipelines"), _named(b, "pipelines"))
    rows = []
    for measure in measures:
        ours, theirs = (
            results.pivot(measure).loc[datasets, pipelines].to_numpy(dtype=float)
            for results in (a, b)
        )
        gap = theirs - ours
        unlike = ~((np.abs(gap) <= tolerance) | (np.isnan(ours) & np.isnan(theirs)))
        for at in zip(*np.nonzero(unlike), strict=True):
            row, column = map(int, at)
            values = (float(ours[at]), float(theirs[at]), float(gap[at]))
            rows.append((datasets[row], pipelines[column], measure, *values))
    columns = ["dataset", "pipeline", "measure", "a", "b", "difference"]
    return pd.DataFrame(rows, columns=columns)


def lines(difference: Difference, *, limit: int = 20) -> Iterator[str]:
    """Yield the differences as text, at most `limit` cells and `limit` estimates."""
    if not difference:
        yield f"no difference in {difference.n_cells} cells"
        return
    yield from difference.only
    yield from difference.changed
    estimates = difference.estimates
    if len(estimates):
        yield f"{len(estimates)} estimates differ:"
        for row in estimates.head(limit).to_dict("records"):
            values = f"{_estimate_text(row['a'])} in A, {_estimate_text(row['b'])} in B"
            gap = "" if np.isnan(row["difference"]) else f" ({row['difference']:+.2g})"
            yield f"  {row['dataset']}, {row['pipeline']}, {row['measure']}: {values}{gap}"
        yield from _rest(len(estimates), limit)
    if len(difference.cells):
        yield f"{len(difference.cells)} of {difference.n_cells} cells differ:"
        for row in difference.cells.head(limit).to_dict("records"):
            place = (
                f"{row['dataset']}, {row['pipeline']}, repeat {row['repeat']}, fold {row['fold']}"
            )
            yield f"  {place}: {row['what']}"
        yield from _rest(len(difference.cells), limit)


def _estimate_text(estimate: float) -> str:
    return "none" if np.isnan(estimate) else f"{estimate:.4f}"


def _rest(number: int, limit: int) -> Iterator[str]:
    if number > limit:
        yield f"  ... and {number - limit} more"
