"""`compare`: pipelines and data as objects of Python, compared as by an experiment file."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_evaluation.experiment import run_experiment
from ilk_evaluation.plan.design import distinct, short

if TYPE_CHECKING:
    from pathlib import Path

    from ilk_evaluation.results.experiment_results import Results


def compare(
    pipelines: Mapping[str, Any] | Sequence[Any],
    data: Any,
    y: Any = None,
    *,
    target: str | None = None,
    resampling: Any = None,
    measures: Any = None,
    comparisons: Any = None,
    store: str | Path | None = None,
    seed: int = 0,
    executor: Any = "serial",
    keep_going: bool = False,
    defaults: Sequence[Any] | None = None,
) -> Results:
    """Compare pipelines on data of this session; documented as `ilk.compare`."""
    evaluation = {
        "resampling": resampling,
        "measures": _listed(measures),
        "comparisons": _listed(comparisons),
    }
    experiment: dict[str, Any] = {
        "experiment": {"name": "comparison", "seed": seed},
        "datasets": [_Given(data=one) for one in _named_data(data, y, target)],
        "pipelines": [
            {"id": name, "steps": _steps(name, pipeline), **_options(pipeline)}
            for name, pipeline in _named_pipelines(pipelines)
        ],
        "evaluation": {key: value for key, value in evaluation.items() if value is not None},
    }
    if defaults is not None:
        experiment["defaults"] = {"steps": _shared(defaults)}
    results = run_experiment(experiment, store=store, executor=executor, keep_going=keep_going)
    if results.n_failed:
        first = results.failures.iloc[0]
        warnings.warn(
            f"{results.n_failed} of {len(results.design.cells)} cells failed, the first of "
            f"{first['pipeline']!r} on {first['dataset']!r}: {first['error']}; results.failures "
            f"has all",
            stacklevel=3,
        )
    return results


class _Given(ilk.Dataset):
    """Data in memory as a data set."""

    data: ilk.Data | None = ilk.param(default=None, type=ilk.Data, none=False, doc="The data.")

    def load(self) -> ilk.Data:
        self.check_parameters()
        assert self.data is not None
        return self.data

    def title(self) -> str:
        return self.load().name


def _listed(value: Any) -> Any:
    """A list of components from one of them or several."""
    return value if value is None or isinstance(value, list | tuple) else [value]


def _named_pipelines(pipelines: Any) -> Iterator[tuple[str, Any]]:
    """Yield the id of each pipeline, and the pipeline as given."""
    one = isinstance(pipelines, Mapping) and ("use" in pipelines or [*pipelines] == ["steps"])
    if isinstance(pipelines, Mapping) and not one:
        yield from pipelines.items()
        return
    if not isinstance(pipelines, list | tuple) or not pipelines:
        got = ilk.short_repr(pipelines)
        raise ilk.InputTypeError(
            f"compare: pipelines must be a mapping of names to pipelines, as in "
            f"{{'1-NN': {{'use': 'knn', 'k': 1}}}}, or a list of pipelines, got {got}"
        )
    yield from zip(distinct(map(_name_of, pipelines)), pipelines, strict=True)


def _name_of(pipeline: Any) -> str:
    """Short name of a pipeline without one."""
    if isinstance(pipeline, str):
        return pipeline
    if _is_named(pipeline):
        return str(pipeline[0])
    if isinstance(pipeline, Mapping) and isinstance(pipeline.get("id"), str):
        return str(pipeline["id"])
    if isinstance(pipeline, Mapping | list | tuple):
        return short(pipeline)
    return ilk.display_name(pipeline)


def _is_named(pipeline: Any) -> bool:
    """Tell whether a pipeline is a pair (name, estimator)."""
    return isinstance(pipeline, tuple) and len(pipeline) == 2 and isinstance(pipeline[0], str)


def _steps(name: str, pipeline: Any) -> list[Any]:
    """Return the steps of a pipeline given by name, table, steps or estimator."""
    if _is_named(pipeline):
        pipeline = pipeline[1]
    if isinstance(pipeline, ilk.Pipeline) and not ilk.is_frozen(pipeline):
        return list(pipeline.steps)
    if isinstance(pipeline, list | tuple):
        return list(pipeline)
    if isinstance(pipeline, Mapping):
        if isinstance(pipeline.get("steps"), list | tuple):
            return list(pipeline["steps"])
        return [{"classifier": pipeline}] if "use" in pipeline else [pipeline]
    if isinstance(pipeline, str):
        return [{"classifier": pipeline}]
    if hasattr(pipeline, "predict") and not isinstance(pipeline, type):
        return [pipeline]
    raise ilk.InputTypeError(
        f"compare: pipeline {name!r} must be a name, a table, a list of steps or an estimator "
        f"that predicts, got {ilk.short_repr(pipeline)}"
    )


def _options(pipeline: Any) -> dict[str, Any]:
    """Return the other keys of a pipeline given as a table of steps."""
    if not isinstance(pipeline, Mapping) or "steps" not in pipeline:
        return {}
    return {key: value for key, value in pipeline.items() if key not in {"id", "steps"}}


def _shared(defaults: Any) -> list[Any]:
    """Return the steps that stand before those of every pipeline."""
    if isinstance(defaults, ilk.Pipeline):
        return list(defaults.steps)
    if isinstance(defaults, list | tuple) and not _is_named(defaults):
        return list(defaults)
    raise ilk.InputTypeError(
        f"compare: defaults must be a list of steps, as in "
        f"[{{'transformer': 'standardize'}}], got {ilk.short_repr(defaults)}"
    )


def _named_data(data: Any, y: Any, target: str | None) -> list[ilk.Data]:
    """Return the data sets with their names."""
    if isinstance(data, Mapping) and not ilk.is_table(data) and "use" not in data:
        if y is not None:
            raise ilk.InputError("compare: y belongs to one data set; give {name: (X, y)}")
        if not data:
            raise ilk.InputError("compare: data has no data set")
        return [_as_data(one, None, target, str(name)) for name, one in data.items()]
    if isinstance(data, list | tuple) and y is None and not _is_pair(data):
        found = [_as_data(one, None, target, "") for one in data]
        names = distinct(one.name or "data" for one in found)
        return [replace(one, name=name) for one, name in zip(found, names, strict=True)]
    return [_as_data(data, y, target, "")]


def _is_pair(data: Sequence[Any]) -> bool:
    """Tell whether a tuple is X and y, not two data sets."""
    return isinstance(data, tuple) and len(data) == 2 and np.ndim(data[1]) == 1


def _as_data(given: Any, y: Any, target: str | None, name: str) -> ilk.Data:
    """Return one data set given as frame, X and y, data, a name or a table."""
    if y is None and isinstance(given, tuple) and _is_pair(given):
        given, y = given
    if isinstance(given, str | Mapping) and not ilk.is_table(given):
        given = ilk.build(given, kind="dataset")
    if y is not None and isinstance(given, ilk.Dataset | ilk.Data):
        raise ilk.InputError("compare: y is given, but data has its own labels")
    if isinstance(given, ilk.Dataset):
        name, given = name or given.title(), given.load()
    if isinstance(given, ilk.Data):
        return replace(given, name=name or given.name or "data")
    table = ilk.as_table(given)
    if y is None:
        table, y = _divided(table, target)
    elif target is not None:
        raise ilk.InputError("compare: give y or target, not both")
    _check_same_order(table, y)
    return _of(table, _checked_labels(y, ilk.n_rows(table)), name or "data")


def _divided(table: Any, target: str | None) -> tuple[Any, Any]:
    """Return the features and the target of a frame."""
    if not ilk.is_table(table):
        raise ilk.InputTypeError(
            f"compare: data must be a frame with target=..., X with y, {{name: (X, y)}} or a data "
            f"set, got {ilk.short_repr(table)}"
        )
    columns = list(table.columns)
    if columns.count(target) > 1:
        raise ilk.InputError(f"compare: the frame has {columns.count(target)} columns {target!r}")
    if target not in columns:
        hint = "" if target is None else ilk.did_you_mean(target, map(str, columns))
        some = ", ".join(map(str, columns[:10])) + (", ..." if len(columns) > 10 else "")
        got = "" if target is None else f", got {target!r}{hint}"
        raise ilk.InputError(f"compare: target must name a column of the frame{got} ({some})")
    return table.drop(columns=[target]), table[target]


def _check_same_order(X: Any, y: Any) -> None:
    """Raise if the indexes of a frame and a series hold the same keys in another order."""
    index: Any = getattr(y, "index", None)
    if not ilk.is_table(X) or not hasattr(index, "sort_values") or index.equals(X.index):
        return
    if len(index) == len(X.index) and index.is_unique and set(index) == set(X.index):
        raise ilk.InputError(
            "compare: the index of y is that of X in another order; give y.loc[X.index], or "
            "y.to_numpy() if the rows belong together as they stand"
        )


def _checked_labels(y: Any, n: int) -> np.ndarray:
    """Return labels as an array; those of categories and of objects as text or numbers."""
    import pandas as pd

    given = np.array(y, dtype=object)
    if given.ndim != 1 or len(given) != n:
        raise ilk.InputError(
            f"compare: y must have a label for each of {n} cases, got shape {given.shape}"
        )
    missing = pd.isna(given)
    if missing.any():
        raise ilk.InputError(
            f"compare: y has {int(missing.sum())} missing labels, the first in row "
            f"{int(np.flatnonzero(missing)[0])}; leave these rows out"
        )
    texts = [isinstance(label, str) for label in given]
    labels = ilk.text_array(given) if all(texts) else np.array(given.tolist())
    if labels.dtype.kind == "U" and not all(texts):
        kinds = ", ".join(sorted({type(label).__name__ for label in given}))
        raise ilk.InputTypeError(f"compare: y must have labels of one type, got {kinds}")
    return labels


def _of(X: Any, y: np.ndarray, name: str) -> ilk.Data:
    """Return data of arrays, lists or frames as a reader of files would."""
    if not ilk.is_table(X):
        X = X if isinstance(X, list) or hasattr(X, "tocsr") else np.asarray(X)
        return ilk.Data(X=X, y=y, name=name)
    X = X.rename(columns=str).reset_index(drop=True)
    twice = X.columns[X.columns.duplicated()].tolist()
    if twice:
        raise ilk.InputError(f"compare: data has several columns {twice[0]!r}; rename them")
    dates = tuple(ilk.date_columns(X))
    X = X.assign(**{one: ilk.days_of(X[one]) for one in dates})
    nominal = tuple(ilk.nominal_columns(X))
    _check_columns(X, nominal)
    texts = {one: X[one].astype("category") for one in nominal if not _has_levels(X[one])}
    return ilk.Data(
        X=X.assign(**texts) if nominal else X.to_numpy(dtype=float),
        y=y,
        name=name,
        feature_names=tuple(X.columns),
        nominal=nominal,
        dates=dates,
        notes=tuple(
            f"column {one!r} has dates: they are read as days since 1970-01-01" for one in dates
        ),
    )


def _has_levels(column: Any) -> bool:
    return hasattr(column.dtype, "categories")


def _check_columns(X: Any, nominal: Iterable[str]) -> None:
    """Raise for durations, lists and other columns that are neither numbers nor categories."""
    for name in nominal:
        if X[name].dtype.kind == "m":
            raise ilk.InputError(
                f"compare: column {name!r} has durations; give numbers, such as days"
            )
        try:
            set(X[name])
        except TypeError:
            raise ilk.InputTypeError(
                f"compare: column {name!r} has cells that are neither numbers nor categories, "
                f"such as {ilk.short_repr(X[name].iloc[0])}"
            ) from None
