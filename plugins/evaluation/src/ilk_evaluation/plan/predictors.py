"""The kind of predictor of an experiment: the evaluation that fits it, the target it needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import ilk
from ilk_evaluation.datasets.spelling import find_spelling, is_plain_number
from ilk_evaluation.resamplings.learning_curve import whole_parts

USUAL_MEASURE = {
    "classifier": "error",
    "regressor": "rmse",
    "detector": "roc_auc",
    "clusterer": "adjusted_rand",
}
"""Kinds of predictors that an experiment can compare, and the measure where none is named."""
CONSTANT = {
    "regressor": "the mean of the training targets",
    "detector": "that every case is an inlier",
    "clusterer": "one cluster",
}
"""What the fallback of other predictors than classifiers answers."""


def fit_evaluation(
    kinds: list[str], written: Mapping[str, Any], resolved: ilk.Resolved
) -> Iterator[ilk.Problem]:
    """Yield the problems of an evaluation for the predictors at the ends of the pipelines.

    Defaults that hold for classifiers alone are replaced: the measure, and stratified splits.

    Parameters
    ----------
    kinds : list of str
        Kind of the last step of each pipeline.
    written : mapping
        As in the file.
    resolved : ilk.Resolved
        The same, checked; its evaluation is modified.
    """
    tables = resolved.data
    others = [(at, kind) for at, kind in enumerate(kinds) if kind != kinds[0]]
    for at, kind in others:
        yield ilk.Problem(
            ("pipelines", at, "steps"),
            f"a mix of kinds: this pipeline ends in a {kind}, pipelines[0] in a {kinds[0]}; no "
            f"measure scores both, so divide them among two files",
        )
    predictor, evaluation = kinds[0], tables["evaluation"]
    if others:
        return
    given = written.get("evaluation") or {}
    if "measures" not in given and predictor != "classifier":
        usual = ilk.resolve(USUAL_MEASURE[predictor], kind="measure").data
        evaluation["measures"] = [usual]
    for key in ("measures", "comparisons"):
        for at in range(len(evaluation[key])):
            yield from _part_problems(("evaluation", key, at), resolved, predictor)
    if predictor == "regressor":
        yield from _split_problems(given.get("resampling", {}), resolved)
    if predictor != "detector":
        for key in ("outliers", "train_on"):
            if key in given:
                yield ilk.Problem(
                    ("evaluation", key), f"is for detectors; the pipelines end in a {predictor}"
                )
    yield from _fallback_problems(tables["run"], predictor)


def _fallback_problems(run: Mapping[str, Any], predictor: str) -> Iterator[ilk.Problem]:
    """Yield the problem of a fallback that is missing, of the wrong kind or without effect."""
    asked = run["on_error"] == "fallback"
    if "fallback" not in run:
        if asked and predictor == "classifier":
            yield ilk.Problem(
                ("run", "on_error"),
                "is 'fallback', so run.fallback must name the classifier that answers where a "
                "pipeline fails",
            )
    elif not asked:
        yield ilk.Problem(("run", "fallback"), "has no effect without on_error = 'fallback'")
    elif predictor != "classifier":
        yield ilk.Problem(
            ("run", "fallback"),
            f"is a classifier, but the pipelines end in a {predictor}; leave it out: the answer "
            f"is then {CONSTANT[predictor]}",
        )


def _part_problems(
    path: tuple[str | int, ...], resolved: ilk.Resolved, predictor: str
) -> Iterator[ilk.Problem]:
    """Yield the problem of a measure or comparison that is for other predictors."""
    kind = str(path[1]).removesuffix("s")
    part = ilk.build(resolved.part(*path), kind=kind)
    if predictor not in part.predictors:
        does = "scores" if kind == "measure" else "compares"
        yield ilk.Problem(
            path,
            f"{ilk.display_name(part)} {does} {_listed(part.predictors)} only; the pipelines end "
            f"in a {predictor}, for which there are: {', '.join(_suitable(kind, predictor))}",
        )


def _listed(predictors: tuple[str, ...]) -> str:
    return " and ".join(f"{one}s" for one in predictors)


def _suitable(kind: str, predictor: str) -> Iterator[str]:
    """Names of the components of a kind, with their defaults, that fit a predictor."""
    registry = ilk.registry(kind)
    for name in registry.names():
        try:
            if predictor in registry.get(name)().predictors:
                yield name
        except ilk.IlkError:  # a broken or ambiguous one
            continue


def _split_problems(given: Any, resolved: ilk.Resolved) -> Iterator[ilk.Problem]:
    """Drop stratification, which needs classes, unless it was asked for."""
    where: tuple[str, ...] = ("evaluation", "resampling")
    part = resolved.part(*where)
    scheme = ilk.build(part, kind="resampling")
    if not scheme.uses_classes:
        return
    asked = given if isinstance(given, Mapping | str) else ilk.to_spec(given)
    if "resampling" in scheme.parameters:  # that of a learning curve
        where = (*where, "resampling")
        part, scheme = resolved.part(*where), whole_parts(scheme)
        asked = asked.get("resampling", {}) if isinstance(asked, Mapping) else {}
    if "stratify" in scheme.parameters and "stratify" not in asked:
        part.data["stratify"] = False
        return
    remedy = "set stratify = false" if "stratify" in scheme.parameters else "take kfold"
    yield ilk.Problem(
        where,
        f"{ilk.display_name(scheme)} divides cases by their classes, which a numeric target does "
        f"not have; {remedy}",
    )


INLIER, OUTLIER = "inlier", "outlier"
_MANY = 20
"""Up to this many different decimals may be class names, such as version numbers."""


def prepared(dataset: ilk.Dataset, predictor: str, evaluation: Mapping[str, Any]) -> ilk.Data:
    """Load a data set, with the target that predictors of a kind learn and are scored by.

    Parameters
    ----------
    dataset : ilk.Dataset
    predictor : str
        Kind of the predictors.
    evaluation : mapping
        Canonical; says which class the outliers are, and what detectors train on.

    Raises
    ------
    ilk.DataError
        If the target does not suit them.
    """
    title, data = dataset.title(), dataset.load()
    if not data.labelled:
        raise ilk.DataError(
            f"{title}: labels = 'unknown' reads rows to predict; an experiment needs labels"
        )
    if predictor == "regressor":
        return replace(_with_numbers(dataset, data), name=title)
    if data.task == "regression":
        raise ilk.DataError(
            f"{title}: its target is a quantity, no classes; a regressor predicts it "
            f'(steps = [..., {{ regressor = "knn" }}])'
        )
    _check_classes(title, data.classes, predictor)
    if predictor == "detector":
        data = _with_outliers(title, data, evaluation)
    elif predictor == "clusterer":
        data = replace(data, task="clustering")
    return replace(data, name=title)


def _check_classes(title: str, classes: np.ndarray, predictor: str) -> None:
    if len(classes) < 2:
        only = f" ({classes.tolist()[0]!r})" if len(classes) else ""
        needs = "a classifier needs" if predictor == "classifier" else "the measures need"
        raise ilk.DataError(f"{title}: has {len(classes)} class{only}; {needs} at least two")
    if _are_decimals(classes):
        raise ilk.DataError(
            f"{title}: its target has {len(classes)} different values with"
            f" decimals, such as {classes.tolist()[0]!r}: a quantity, no classes; a regressor "
            f"predicts it"
        )


def _are_decimals(classes: np.ndarray) -> bool:
    """Tell whether labels are a quantity: many different numbers, some with decimals."""
    if len(classes) <= _MANY:
        return False
    try:
        numbers = classes.astype(float)
    except (ValueError, TypeError, OverflowError):
        return False
    return bool(np.any(numbers[np.isfinite(numbers)] % 1))


def _with_numbers(dataset: ilk.Dataset, data: ilk.Data) -> ilk.Data:
    """Return data for regression: the target as floats."""
    y, notes = data.y, data.notes
    if y.dtype.kind in "iuf":
        numbers = y.astype(float)
    else:
        spelling, numbers = _read_numbers(dataset, [str(cell) for cell in y.tolist()])
        if spelling:
            notes = (*notes, f"numbers of the target have {' and '.join(spelling)}")
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if wrong.size:
        raise ilk.DataError(
            f"{dataset.title()}: the target of row {int(wrong[0])} is {numbers[wrong[0]]}; a "
            f"regressor needs finite numbers"
        )
    if np.ptp(numbers) == 0:
        raise ilk.DataError(
            f"{dataset.title()}: every target is {numbers[0]:g}; a regressor needs different ones"
        )
    return replace(data, y=numbers, task="regression", notes=notes)


def _read_numbers(dataset: ilk.Dataset, cells: list[str]) -> tuple[list[str], np.ndarray]:
    """Return unusual spellings of numbers, and the numbers."""
    options: Any = dataset
    decimal = getattr(options, "decimal", "auto")
    name = str(getattr(options, "target", "target"))
    spelling = find_spelling(
        {name: dict.fromkeys(cells)}, decimal, getattr(options, "thousands", None)
    )
    written = list(map(spelling.translator(), cells))
    wrong = [cell for cell, text in zip(cells, written, strict=True) if not is_plain_number(text)]
    if wrong:
        raise ilk.DataError(
            f"{dataset.title()}: {len(wrong)} of {len(cells)} targets are no numbers, such as "
            f"{wrong[0]!r}; a regressor needs numbers, a classifier takes classes"
        )
    return spelling.dialect, np.array(written, dtype=float)


def _with_outliers(title: str, data: ilk.Data, evaluation: Mapping[str, Any]) -> ilk.Data:
    """Return data for detection: one class holds the outliers, all others the inliers."""
    classes, counts = np.unique(data.y, return_counts=True)
    names = [str(name) for name in classes.tolist()]
    wanted = evaluation.get("outliers")
    rarest = np.flatnonzero(counts == counts.min())
    if wanted is not None and str(wanted) not in names:
        hint = ilk.did_you_mean(str(wanted), names)
        raise ilk.DataError(
            f"{title}: evaluation.outliers names no class of it, got {wanted!r}{hint} "
            f"(classes: {', '.join(names[:_MANY])})"
        )
    if wanted is None and len(rarest) > 1:
        tied = ", ".join(names[at] for at in rarest[:_MANY])
        raise ilk.DataError(
            f"{title}: no class is the rarest ({tied}); name the class of the outliers by "
            f"evaluation.outliers"
        )
    at = int(rarest[0]) if wanted is None else names.index(str(wanted))
    train_on = evaluation.get("train_on", "inliers")
    note = (
        f"the outliers are the class {names[at]!r} ({counts[at]} of {len(data)} cases); "
        f"detectors train on {'inliers only' if train_on == 'inliers' else 'all training cases'}"
    )
    return replace(
        data,
        y=np.where(data.y == classes[at], OUTLIER, INLIER),
        task="one_class" if train_on == "inliers" else "detection",
        notes=(*data.notes, note),
    )
