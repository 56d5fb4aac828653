"""The kind of predictor of an experiment, and whether its evaluation fits that kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import ilk

USUAL_MEASURE = {
    "classifier": "error",
    "regressor": "rmse",
    "detector": "roc_auc",
    "clusterer": "adjusted_rand",
}
"""Kinds of predictors that an experiment can compare, and the measure where none is named."""


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
    if predictor != "classifier" and "fallback" in tables["run"]:
        yield ilk.Problem(
            ("run", "fallback"),
            f"is a classifier, but the pipelines end in a {predictor}; take on_error = 'record'",
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
    part = resolved.part("evaluation", "resampling")
    scheme = ilk.build(part, kind="resampling")
    if not scheme.uses_classes:
        return
    asked = given if isinstance(given, Mapping | str) else ilk.to_spec(given)
    if "stratify" in scheme.parameters and "stratify" not in asked:
        part.data["stratify"] = False
        return
    remedy = "set stratify = false" if "stratify" in scheme.parameters else "take kfold"
    yield ilk.Problem(
        ("evaluation", "resampling"),
        f"{ilk.display_name(scheme)} divides cases by their classes, which a numeric target does "
        f"not have; {remedy}",
    )
